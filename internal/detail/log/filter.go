package log

import (
	"time"

	"watchglass/internal/detail/log/line"
	"watchglass/internal/query"
)

// The columns of a line that a filter knows besides the line's own fields.
const (
	levelColumn = iota
	podColumn
	containerColumn
)

// Schema describes lines for filters and their completion.
var Schema = query.Schema{Open: true, Columns: []query.Column{
	levelColumn: {Name: LevelField, Kind: query.LevelColumn}, podColumn: {Name: "pod"}, containerColumn: {Name: "container"},
}}

// LevelField is the name of the level in a filter.
const LevelField = "level"

// Filter selects lines. It is for one goroutine at a time.
type Filter struct {
	matcher *query.Matcher
	marks   []*query.Line // what to mark in the lines
}

// ParseFilter parses a filter. If it is invalid, it returns the one that applies meanwhile, where
// before is the text of the one in force, and what is wrong. An empty filter is nil. As is the text
// of the filter that is returned.
func ParseFilter(before, text string) (f *Filter, as string, wrong *Wrong) {
	check := func(f query.Filter) error {
		_, err := query.Bind(f, Schema)
		return err
	}
	parsed, as, err := query.InForce(before, text, check)
	if e, ok := err.(*query.Error); ok && !e.Incomplete {
		wrong = &Wrong{From: e.From, To: e.To, Message: e.Message, Want: e.Want}
	}
	if parsed.Empty() {
		return nil, as, wrong
	}
	matcher, err := query.Bind(parsed, Schema)
	if err != nil {
		return nil, "", wrong // impossible: it was checked
	}
	return &Filter{matcher: matcher, marks: parsed.Marks()}, as, wrong
}

// row is a line as filters see it. A line that continues another has that one's level and fields,
// and the text of both.
type row struct {
	text   string
	fields string // the text that has the fields
	level  line.Level
	source *Source
	line   line.Line
	parsed bool // line is that of fields
	read   int  // bytes read for fields, besides those of line
}

var _ query.Row = (*row)(nil)

func (r *row) Namespace() string                        { return "" }
func (r *row) Name() string                             { return "" }
func (r *row) Text() string                             { return r.text }
func (r *row) Span(int) (start, end int64)              { return 0, 0 }
func (r *row) Any(query.List, func(v string) bool) bool { return false }
func (r *row) ImagesAndOwners() string                  { return "" }

func (r *row) Cell(column int) string {
	switch column {
	case podColumn:
		return r.source.Pod
	case containerColumn:
		return r.source.Container
	}
	return r.level.String()
}

func (r *row) Code(column int) uint16 {
	if column == levelColumn {
		return uint16(r.level) + 1
	}
	return 0
}

// Lookup returns a field of the line. It is read when the first one is needed.
func (r *row) Lookup(key string) (string, bool) {
	r.read += len(r.fields)
	return r.line.Find(r.fields, key, &r.parsed)
}

// work returns how many bytes were read for the fields that a filter asked for.
func (r *row) work() int {
	if r.parsed {
		return r.read + r.line.Work()
	}
	return r.read
}

// match reports whether a row matches, and whether it would if the filter said nothing of levels.
func (f *Filter) match(r *row) (matches, counts bool) {
	if f == nil {
		return true, true
	}
	matches, but := f.matcher.MatchBut(r, time.Time{})
	return matches, matches || but == LevelField
}
