package detail

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"watchglass/internal/document"
	"watchglass/internal/object"
)

// Summary describes an object as data, which the page draws.
type Summary struct {
	Sections []Section `json:"s"`
	More     int       `json:"m,omitempty"` // pieces left out for lack of room
	// Why is what is wrong with the object, if anything, and Warning the newest warning about it.
	Why     []Why        `json:"w,omitempty"`
	Warning *LastWarning `json:"e,omitempty"`
	Rollout *Rollout     `json:"u,omitempty"` // in progress
}

// Section is a part of a summary under a title. A card is one of several like sections, such as
// a container.
type Section struct {
	Title    string    `json:"t"`
	Badge    Line      `json:"b,omitempty"` // next to the title
	Rows     []Row     `json:"r,omitempty"`
	Tables   []Table   `json:"g,omitempty"`
	Sections []Section `json:"s,omitempty"`
	Card     bool      `json:"c,omitempty"`
	Folded   bool      `json:"f,omitempty"` // initially
	More     int       `json:"m,omitempty"` // omitted rows and sections
}

// Row is a name with a value of one or more lines.
type Row struct {
	Name   string `json:"n"`
	Lines  []Line `json:"l,omitempty"`
	Indent int    `json:"i,omitempty"` // in a tree
	Chips  bool   `json:"c,omitempty"` // the lines are short and uniform
	Folded bool   `json:"f,omitempty"` // initially
	More   int    `json:"m,omitempty"` // omitted lines
}

// Table is a table of rows with the same columns.
type Table struct {
	Title   string   `json:"t,omitempty"`
	Columns []Column `json:"c"`
	Rows    [][]Line `json:"r,omitempty"`
	More    int      `json:"m,omitempty"` // omitted rows
}

// Column is a column of a table. Numbers are right-aligned.
type Column struct {
	Name  string `json:"n"`
	Right bool   `json:"r,omitempty"`
}

// Line is a sequence of spans.
type Line []Span

// Span is a text, an instant, a link or a sparkline.
type Span struct {
	Text  string   `json:"t,omitempty"`
	At    int64    `json:"a,omitempty"` // an instant in unix seconds, printed after the text as a ticking age
	Style string   `json:"l,omitempty"` // style; empty for plain text
	Ref   *Ref     `json:"r,omitempty"` // the object it links to
	List  *Listing `json:"q,omitempty"` // the list it links to
	Cut   int      `json:"c,omitempty"` // omitted bytes
	// Values are drawn as a sparkline, for which Text stands where it can't be seen.
	Values []float32 `json:"v,omitempty"`
}

// Listing is a list of objects: those of a namespace that match a selector.
type Listing struct {
	Resource  string `json:"r"`
	Namespace string `json:"n,omitempty"`
	Labels    string `json:"l,omitempty"`
	Filter    string `json:"q,omitempty"`
}

// Print returns a piece's text. For an instant it returns the time since then, or until then.
func (s Span) Print(now time.Time) string {
	if s.At == 0 {
		return s.Text
	}
	if s.At > now.Unix()+1 {
		return "in " + string(object.Cell{Kind: object.AgeCell, At: now.Unix()}.Append(nil, time.Unix(s.At, 0)))
	}
	return s.Text + string(object.Cell{Kind: object.AgeCell, At: s.At}.Append(nil, now)) + " ago"
}

// The styles of pieces. A status takes its tone from its word; the next four are tones.
const (
	Code    = "code"
	Quiet   = "quiet"
	Status  = "status"
	OK      = "ok"
	Warning = "warning"
	Failed  = "failed"
	Pending = "pending"
)

// Limits on what a summary shows. Nobody reads more than this here, and the YAML tab has all
// of them.
const (
	mostName     = 320      // bytes of a name or title; any label's name fits, and browsers are slow to break one of thousands
	mostText     = 4 << 10  // bytes of a piece
	mostLines    = 100      // in a row
	mostRows     = 200      // in a section or a table
	mostSections = 64       // in a section
	mostPieces   = 2500     // in all
	mostBytes    = 96 << 10 // in all
)

// Summarize returns the summary of an object, including what is known of related objects.
func Summarize(v document.Value, more More) Summary {
	w := newWriter(v, more)
	if isRelease(v) {
		w.run(releaseSheet, v)
	} else {
		w.describe(v)
	}
	s := Summary{Sections: kept(w.sections)}
	s.bound()
	return s
}

// describe writes an object of the server: what all have, and what its kind has.
func (w *writer) describe(v document.Value) {
	w.run(common, v)
	i := slices.IndexFunc(kinds, func(s sheetOf) bool { return s.kind == w.kind })
	native := i >= 0 && w.native()
	if w.more.Partly {
		why := "Everything else. Full objects of this kind are watched only while they are open."
		if native {
			why = "Everything else. It was dropped from memory, which was full."
		}
		w.row("Not known", Line{}.styled(Quiet, why))
	}
	if native {
		w.run(kinds[i].text, v)
	} else {
		w.other()
	}
}

// kept returns the sections that are not empty.
func kept(all []Section) []Section {
	out := all[:0]
	for _, s := range all {
		s.Sections = kept(s.Sections)
		if len(s.Rows)+len(s.Tables)+len(s.Sections)+len(s.Badge) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// bound cuts a summary to a size that a page can show easily.
func (s *Summary) bound() {
	r := &room{pieces: mostPieces, bytes: mostBytes}
	s.Sections, _ = r.sections(s.Sections)
	s.More = r.lost
}

// room is how much may still be shown, and how many pieces were left out.
type room struct{ pieces, bytes, lost int }

func (r *room) sections(all []Section) ([]Section, int) {
	all, more := first(all, mostSections)
	for i := range all {
		s := &all[i]
		var rows, sections int
		s.Title = r.name(s.Title)
		s.Badge = r.line(s.Badge)
		s.Rows, rows = first(s.Rows, mostRows)
		for i := range s.Rows {
			r.row(&s.Rows[i])
		}
		for i := range s.Tables {
			r.table(&s.Tables[i])
		}
		s.Sections, sections = r.sections(s.Sections)
		s.More += rows + sections
	}
	return all, more
}

func (r *room) row(row *Row) {
	var more int
	row.Name = r.name(row.Name)
	row.Lines, more = first(row.Lines, mostLines)
	row.More += more
	for i := range row.Lines {
		row.Lines[i] = r.line(row.Lines[i])
	}
}

func (r *room) table(t *Table) {
	var more int
	t.Rows, more = first(t.Rows, mostRows)
	t.More += more
	for _, row := range t.Rows {
		for i := range row {
			row[i] = r.line(row[i])
		}
	}
}

// line returns as many pieces of a line as there is room for.
func (r *room) line(l Line) Line {
	for i := range l {
		if r.pieces <= 0 || r.bytes <= 0 {
			r.lost += len(l) - i
			return l[:i:i]
		}
		p := &l[i]
		text, cut := r.text(p.Text)
		if p.Text = text; cut > 0 {
			p.Ref, p.List = nil, nil // a real name is never this long
		}
		p.Cut += cut
		r.pieces--
	}
	return l
}

// name returns a name, or its beginning followed by an ellipsis.
func (r *room) name(s string) string {
	shown, cut := r.upTo(mostName, s)
	if cut > 0 {
		shown += "…"
	}
	return shown
}

// text returns as much of a text as may be shown, in whole characters, and the number of
// omitted bytes.
func (r *room) text(s string) (shown string, cut int) { return r.upTo(mostText, s) }

func (r *room) upTo(most int, s string) (shown string, cut int) {
	if n := max(0, min(most, r.bytes)); len(s) > n {
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s, cut = strings.Clone(s[:n]), len(s)-n
	}
	r.bytes -= len(s)
	return strings.Map(visible, s), cut
}

// visible returns a character that displays as itself and does not change the text direction.
// It replaces control characters with a visible sign.
func visible(c rune) rune {
	switch {
	case c == '\n' || c == '\t':
		return c
	case c < ' ':
		return c + '␀'
	case unicode.IsControl(c), c == '\u200e', c == '\u200f', c == '\u061c', '\u202a' <= c && c <= '\u202e', '\u2066' <= c && c <= '\u2069':
		return unicode.ReplacementChar
	}
	return c
}

// first returns the first elements, and the number of the others.
func first[T any](all []T, most int) ([]T, int) {
	if len(all) <= most {
		return all, 0
	}
	return all[:most:most], len(all) - most
}
