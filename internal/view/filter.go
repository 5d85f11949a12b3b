package view

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"watchglass/internal/columns"
	"watchglass/internal/object"
	"watchglass/internal/query"
	"watchglass/internal/slots"
)

// filter decides which objects match. An object must match the query's namespaces, its label
// selector and its filter text.
type filter struct {
	namespaces map[string]bool
	selector   query.Selector
	text       query.Filter
	matcher    *query.Matcher
	word       func(text string) bool // searches a row's text; set if the filter is a single word and nothing else
	letters    string                 // the word, in lower case
	row        row                    // the matcher's input

	from, until int64 // see Query
}

// force is the part of a query that is in force. Parts of the query that are invalid are left
// out.
type force struct {
	text, labels string
	sort         string
	descending   bool
}

// newFilter parses the query for objects of a shape. It returns the filter, what is in force, and
// what is invalid; see query.InForce. If the user chose columns, text is searched in
// all columns, visible or not.
func newFilter(q Query, before force, s Shape) (f filter, now force, wrong Problems) {
	f.row = row{columns: s.Columns, codes: object.Codes(s.Columns), wide: q.Wide || len(q.Columns) > 0}
	if len(q.Namespaces) > 0 && s.Namespaced { // else they select nothing
		f.namespaces = make(map[string]bool, len(q.Namespaces))
		for _, n := range q.Namespaces {
			f.namespaces[n] = true
		}
	}
	f.from, f.until = q.From, q.Until
	var err error
	f.text, now.text, err = query.InForce(before.text, q.Text, func(text query.Filter) (err error) {
		f.matcher, err = query.Bind(text, s.schema())
		return err
	})
	if err != nil {
		wrong = append(wrong, mistake(err, now.text))
	}
	if f.selector, now.labels, err = query.SelectorInForce(before.labels, q.Labels); err != nil {
		wrong = append(wrong, Problem{Part: PartLabels, Text: "the label selector: " + err.Error(), InForce: now.labels})
	}
	for i, c := range s.Columns {
		if c.OfLabel() || c.Computed() && slices.Contains(q.Columns, c.Name) {
			f.row.labels = append(f.row.labels, i)
		}
	}
	if f.namespaces == nil && len(f.selector) == 0 && len(f.row.labels) == 0 && !f.timed() {
		f.letters, f.word = f.text.Word()
	}
	return f, now, wrong
}

// mistake describes an error in the text of a filter, of which only a part is in force.
func mistake(err error, inForce string) Problem {
	p := Problem{Part: PartFilter, Text: err.Error(), InForce: inForce}
	var at *query.Error
	if errors.As(err, &at) {
		p.Text, p.From, p.To, p.Incomplete = query.Expected(at.Message, "; ", at.Want), at.From, at.To, at.Incomplete
	}
	return p
}

// empty reports whether every object matches.
func (f *filter) empty() bool {
	return f.namespaces == nil && len(f.selector) == 0 && f.text.Empty() && !f.timed()
}

// timed reports whether the time of creation matters.
func (f *filter) timed() bool { return f.from != 0 || f.until != 0 }

// ticks reports whether an object may start or stop matching because time passes.
func (f *filter) ticks() bool { return f.matcher != nil && f.matcher.Ticks() }

// misses tests an object. It returns hit if it matches, the index of a facet if only that facet's terms exclude it, and
// lost otherwise.
func (f *filter) misses(o *object.Object, facets []*facet, now time.Time) int {
	if len(f.selector) > 0 && !f.selector.Matches(o.Labels()) || !f.inTime(o) {
		return lost
	}
	matches, but := true, ""
	if f.matcher != nil && !f.text.Empty() {
		f.row.Object = o
		if matches, but = f.matcher.MatchBut(&f.row, now); !matches && but == "" {
			return lost
		}
	}
	if f.namespaces != nil && !f.namespaces[o.Namespace()] {
		matches = false
		if but != "" && but != namespaceField {
			return lost
		}
		but = namespaceField
	}
	if matches {
		return hit
	}
	return facetOf(facets, but)
}

// facetOf returns the index of the facet with a field; lost if there is none.
func facetOf(facets []*facet, field string) int {
	if i := slices.IndexFunc(facets, func(one *facet) bool { return one.field == field }); i >= 0 {
		return i
	}
	return lost
}

// inTime reports whether an object was created when the query says.
func (f *filter) inTime(o *object.Object) bool {
	return o.Created() >= f.from && (f.until == 0 || o.Created() < f.until)
}

// choose answers misses for all objects at once: it returns those that match, and by facet those that only its terms exclude.
func (f *filter) choose(t *texts, facets []*facet, now time.Time) (matched slots.Bits, only []slots.Bits) {
	s, all := sets{t, &f.row}, t.table.Live().Clone()
	only = make([]slots.Bits, len(facets))
	if f.word != nil { // most filters are a single word
		return f.search(t.table, &all), only
	}
	if len(f.selector) > 0 {
		all.And(s.Labelled(f.selector.Matches))
	}
	if f.timed() {
		for slot := range all.All() {
			if !f.inTime(t.table.At(slot)) {
				all.Remove(slot)
			}
		}
	}
	by := f.byFacet(s, &all, now)
	matched = allOf(&all, by, -1)
	rest := matched.Clone() // what the terms outside facets must still match
	for i, one := range by {
		if at := facetOf(facets, one.field); at != lost {
			only[at] = allOf(&all, by, i)
			only[at].AndNot(one.rows)
			rest.Or(&only[at])
		}
	}
	if f.matcher != nil && !f.text.Empty() {
		f.matcher.Rest(s, &rest, now)
	}
	matched.And(&rest)
	for i := range only {
		only[i].And(&rest)
	}
	return matched, only
}

// byFacet returns, for each facet that has terms, the objects in a set that these match.
func (f *filter) byFacet(s sets, set *slots.Bits, now time.Time) (by []facetRows) {
	if f.matcher != nil && !f.text.Empty() {
		f.matcher.Facets(s, set, now, func(field string, rows *slots.Bits) { by = append(by, facetRows{field, rows}) })
	}
	if f.namespaces == nil {
		return by
	}
	chosen := s.Where(query.NamespaceCode, func(text string) bool { return f.namespaces[text] })
	if i := slices.IndexFunc(by, func(one facetRows) bool { return one.field == namespaceField }); i >= 0 {
		by[i].rows.And(chosen)
		return by
	}
	return append(by, facetRows{namespaceField, chosen})
}

// narrows reports whether each object that the filter matches is one that another matches: its word contains the other's.
func (f *filter) narrows(o *filter) bool {
	return f.word != nil && o.word != nil && f.row.wide == o.row.wide && strings.Contains(f.letters, o.letters)
}

// facetRows are the objects that the terms of one facet match.
type facetRows struct {
	field string
	rows  *slots.Bits
}

// allOf returns the objects in a set that all facets match, leaving out facet but; -1 leaves out none.
func allOf(set *slots.Bits, by []facetRows, but int) slots.Bits {
	all := set.Clone()
	for i, one := range by {
		if i != but {
			all.And(one.rows)
		}
	}
	return all
}

// search returns the objects in a set that have the filter's only word.
func (f *filter) search(t *columns.Table, in *slots.Bits) (matched slots.Bits) {
	matched.Grow(t.Len())
	for slot := range in.All() {
		if f.word(t.At(slot).Text(f.row.wide)) {
			matched.Add(slot)
		}
	}
	return matched
}

// row adapts an object to query.Row.
type row struct {
	*object.Object
	columns []object.Column
	codes   []int // indexes of the columns' codes in an object
	labels  []int // columns of labels and computed ones on screen, which are not part of an object's text
	text    []byte
	wide    bool // include the columns of -o wide
}

var _ query.Row = (*row)(nil)

func (r *row) Lookup(key string) (string, bool) { return r.Labels().Lookup(key) }

// Text returns the object's text followed by its label columns and computed ones.
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

// betweenCells separates the cells in the text of an object.
const betweenCells = 0x1f

func (r *row) Cell(column int) string {
	if column == len(r.columns) {
		return "" // the age column that schema adds: every object has a creation time
	}
	c := r.Object.Cell(r.columns, column)
	if n, ok := c.Number(); c.Kind == object.AmountCell {
		if !ok {
			return ""
		}
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	if c.Unknown {
		return ""
	}
	return c.Text
}

func (r *row) Code(column int) uint16 {
	switch column {
	case query.NamespaceCode:
		return r.Object.Code(object.NamespaceCode)
	case len(r.columns):
		return 0 // the age column has no code
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

// Any reports whether is holds for the object's controller, or for one of its images.
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

// amounts lists text columns that a filter compares as numbers.
var amounts = map[string]bool{"Ready": true, "Completions": true, "Capacity": true}

// schema returns the fields that a filter can use for objects of the shape. An age is always
// included, even if there is no such column.
func (s Shape) schema() query.Schema {
	out := query.Schema{Namespaced: s.Namespaced, Images: s.Images}
	aged := false
	for i, c := range s.Columns {
		of := query.Column{Name: c.Name, Kind: compares(c.Name, c.Kind), TextOnly: s.textOnly(i)}
		if c.Several() {
			of.Between = object.BetweenValues
		}
		out.Columns = append(out.Columns, of)
		aged = aged || query.FieldName(c.Name) == query.FieldName(AgeColumn)
	}
	if !aged {
		out.Columns = append(out.Columns, query.Column{Name: AgeColumn, Kind: query.DurationColumn})
	}
	return out
}

// AgeColumn is the name of the column with the time since creation.
const AgeColumn = "Age"

// compares returns how a filter compares the values of a column.
func compares(column string, cells object.CellKind) query.Kind {
	switch {
	case cells == object.AgeCell, cells == object.SpanCell:
		return query.DurationColumn
	case cells == object.NumberCell, cells == object.CountedCell, cells == object.AmountCell, amounts[column]:
		return query.NumberColumn
	}
	return query.TextColumn
}
