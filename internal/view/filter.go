package view

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"watchglass/internal/object"
	"watchglass/internal/query"
)

// filter decides which objects match: the namespaces, the label selector and the
// filter's text of a query, all of them.
type filter struct {
	namespaces map[string]bool
	byCode     []uint8 // the same, as far as it is known
	selector   query.Selector
	text       query.Filter
	matcher    *query.Matcher
	word       func(text string) bool // in a text, if the filter is a word and no more
	row        row                    // what the matcher looks at
}

// force is what of a query applies. It is less than what is asked where that is not
// understood.
type force struct {
	text, labels string
	sort         string
	descending   bool
}

// newFilter reads the query for objects of a shape. Where it is wrong, what was in force
// before stays, as package query has it. Where columns were chosen, text is looked for in
// all of them, whether or not they show.
func newFilter(q Query, before force, s Shape) (f filter, now force, err error) {
	f.row = row{columns: s.Columns, codes: object.Codes(s.Columns), wide: q.Wide || len(q.Columns) > 0}
	if len(q.Namespaces) > 0 {
		f.namespaces = make(map[string]bool, len(q.Namespaces))
		for _, n := range q.Namespaces {
			f.namespaces[n] = true
		}
	}
	f.text, now.text, err = query.InForce(before.text, q.Text, func(text query.Filter) (err error) {
		f.matcher, err = query.Bind(text, s.schema())
		return err
	})
	var wrong error
	if f.selector, now.labels, wrong = query.SelectorInForce(before.labels, q.Labels); wrong != nil {
		err = fmt.Errorf("the label selector: %w", wrong)
	}
	for i, c := range s.Columns {
		if c.OfLabel() {
			f.row.labels = append(f.row.labels, i)
		}
	}
	if f.namespaces == nil && len(f.selector) == 0 && len(f.row.labels) == 0 {
		f.word = f.text.Word()
	}
	return f, now, err
}

// problem is what to tell of a query that is not understood.
func problem(err error) Problem {
	var at *query.Error
	if !errors.As(err, &at) {
		return Problem{Part: PartLabels, Text: err.Error()}
	}
	return Problem{Text: at.Message + "; expected " + at.Want, From: at.From, To: at.To, Incomplete: at.Incomplete}
}

// empty reports that everything matches.
func (f *filter) empty() bool {
	return f.namespaces == nil && len(f.selector) == 0 && f.text.Empty()
}

// ticks reports that an object may match, or no more, only because time has passed.
func (f *filter) ticks() bool { return f.matcher != nil && f.matcher.Ticks() }

// misses says whether the object matches, or what alone keeps it from matching.
func (f *filter) misses(o *object.Object, facets []*facet, now time.Time) missed {
	if len(f.selector) > 0 && !f.selector.Matches(o.Labels()) {
		return missed{o, lost}
	}
	matches, but := true, ""
	if f.matcher != nil && !f.text.Empty() {
		f.row.Object = o
		if matches, but = f.matcher.MatchBut(&f.row, now); !matches && but == "" {
			return missed{o, lost}
		}
	}
	if f.namespaces != nil && !f.chosen(o) {
		matches = false
		if but != "" && but != namespaceField {
			return missed{o, lost}
		}
		but = namespaceField
	}
	if matches {
		return missed{o, hit}
	}
	if i := slices.IndexFunc(facets, func(one *facet) bool { return one.field == but }); i >= 0 {
		return missed{o, i}
	}
	return missed{o, lost}
}

// chosen reports whether the object's namespace is among those that were.
func (f *filter) chosen(o *object.Object) bool {
	code := int(o.Code(object.NamespaceCode))
	if code == 0 {
		return f.namespaces[o.Namespace()]
	}
	for len(f.byCode) <= code {
		f.byCode = append(f.byCode, unknown)
	}
	if f.byCode[code] == unknown {
		f.byCode[code] = no
		if f.namespaces[o.Namespace()] {
			f.byCode[code] = yes
		}
	}
	return f.byCode[code] == yes
}

// What is known of a namespace, by its code.
const (
	unknown uint8 = iota
	yes
	no
)

// row is an object as a filter looks at it.
type row struct {
	*object.Object
	columns []object.Column
	codes   []int // places of, by column
	labels  []int // columns of labels, which are no part of an object's text
	text    []byte
	wide    bool // look at the columns that show when wide, too
}

var _ query.Row = (*row)(nil)

func (r *row) Lookup(key string) (string, bool) { return r.Labels().Lookup(key) }

// Text is what the object prints, and its labels that are columns.
func (r *row) Text() string {
	text := r.Object.Text(r.wide)
	if len(r.labels) == 0 {
		return text
	}
	r.text = append(r.text[:0], text...)
	for _, i := range r.labels {
		r.text = append(append(r.text, betweenCells), r.Object.Cell(r.columns, i).Text...)
	}
	return string(r.text)
}

// betweenCells stands between the cells of a text, as an object has it.
const betweenCells = 0x1f

func (r *row) Cell(column int) string {
	if column == len(r.columns) {
		return "" // it has been created
	}
	return r.Object.Cell(r.columns, column).Text
}

func (r *row) Code(column int) uint16 {
	switch column {
	case query.NamespaceCode:
		return r.Object.Code(object.NamespaceCode)
	case len(r.columns):
		return 0 // of its age
	}
	return r.Object.Code(r.codes[column])
}

func (r *row) Span(column int) (start, end int64) {
	if column == len(r.columns) {
		return r.Created(), 0
	}
	c := r.Object.Cell(r.columns, column)
	return c.At, c.End
}

// Any looks at who controls the object, or at its images.
func (r *row) Any(of query.List, is func(string) bool) bool {
	if of == query.Owners {
		return is(r.Controller())
	}
	for image := range r.Images() {
		if is(image) {
			return true
		}
	}
	return false
}

// amounts are columns of text in which there are numbers.
var amounts = map[string]bool{"Ready": true, "Completions": true, "Capacity": true}

// schema is what a filter may ask of objects of the shape. All have an age, whether
// or not they print it.
func (s Shape) schema() query.Schema {
	out := query.Schema{Namespaced: s.Namespaced, Images: s.Images}
	aged := false
	for _, c := range s.Columns {
		out.Columns = append(out.Columns, query.Column{Name: c.Name, Kind: compares(c.Name, c.Kind)})
		aged = aged || query.FieldName(c.Name) == query.FieldName(AgeColumn)
	}
	if !aged {
		out.Columns = append(out.Columns, query.Column{Name: AgeColumn, Kind: query.DurationColumn})
	}
	return out
}

// AgeColumn is the column of the time since something was created.
const AgeColumn = "Age"

// compares is how a filter compares what stands in a column.
func compares(column string, cells object.CellKind) query.Kind {
	switch {
	case cells == object.AgeCell, cells == object.SpanCell:
		return query.DurationColumn
	case cells == object.NumberCell, cells == object.CountedCell, amounts[column]:
		return query.NumberColumn
	}
	return query.TextColumn
}
