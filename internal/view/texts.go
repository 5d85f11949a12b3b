package view

import (
	"watchglass/internal/columns"
	"watchglass/internal/object"
	"watchglass/internal/query"
	"watchglass/internal/slots"
)

// texts has the columns of a view's objects as texts with codes. A column is made when it is first asked for.
type texts struct {
	table   *columns.Table
	shape   Shape
	shared  *columns.Dictionaries
	columns map[int]*columns.Text   // by index of the column, namespaceAt, labelsAt or imagesAndOwnersAt
	sorted  map[int]*columns.Number // by index of the column
}

// labelsAt and imagesAndOwnersAt stand for what objects have besides cells, among column indexes, as namespaceAt does.
const (
	labelsAt = -2 - iota
	imagesAndOwnersAt
)

// fewTexts is the maximum number of texts of a column that is a facet only while it has few values.
// fewLabels is that of label sets: where each object has its own, as the pods of jobs have, asking each takes no longer.
const (
	fewTexts  = 2000
	fewLabels = 10_000
)

// newTexts drops the columns of a table, and returns those for objects of a shape, with shared dictionaries.
func newTexts(t *columns.Table, s Shape, shared *columns.Dictionaries) *texts {
	t.DropColumns()
	return &texts{table: t, shape: s, shared: shared, columns: make(map[int]*columns.Text), sorted: make(map[int]*columns.Number)}
}

// textOnly reports whether the text of a column's cells is all that a filter compares, and is known from the object alone.
func (s Shape) textOnly(i int) bool {
	c := &s.Columns[i]
	return c.Kind == object.TextCell && !c.Computed() && !c.Derived()
}

// column returns a column, of which cells may not have been read yet.
func (t *texts) column(i int) *columns.Text {
	x := t.columns[i]
	if x == nil {
		x = t.newColumn(i)
		x.Dictionary = t.shared.Of(t.name(i))
		t.columns[i] = x
		t.table.AddColumn(x)
	}
	return x
}

// name returns the name of a column's dictionary. No column of objects is called as the others.
func (t *texts) name(i int) string {
	if i >= 0 {
		return t.shape.Columns[i].Name
	}
	return []string{"/namespaces", "/labels", "/owners"}[-1-i]
}

// readColumn returns a column with all of its cells read.
func (t *texts) readColumn(i int) *columns.Text {
	x := t.column(i)
	t.table.Finish(x)
	return x
}

// numbers returns the numbers that an order sorts by, all read. Those of a computed column are not kept.
func (t *texts) numbers(o *order) *columns.Number {
	x, c := t.sorted[o.column], &o.columns[o.column]
	if x == nil {
		x = &columns.Number{Of: o.reader()}
		if !c.Computed() {
			t.sorted[o.column] = x
			t.table.AddColumn(x)
		}
	}
	t.table.Finish(x)
	return x
}

// unknownText is the text of a cell that is not known.
const unknownText = "\x00"

func (t *texts) newColumn(i int) *columns.Text {
	switch i {
	case namespaceAt:
		return &columns.Text{Of: (*object.Object).Namespace, Place: object.NamespaceCode}
	case labelsAt:
		return &columns.Text{Of: func(o *object.Object) string { return string(o.Labels()) }, Place: -1, Limit: fewLabels, Shared: true}
	case imagesAndOwnersAt:
		return &columns.Text{Of: (*object.Object).ImagesAndOwners, Place: -1, Shared: true}
	}
	all, c := t.shape.Columns, t.shape.Columns[i]
	x := &columns.Text{Place: object.Codes(all)[i]}
	x.Of = func(o *object.Object) string {
		cell := o.Cell(all, i)
		if cell.Unknown && c.Computed() {
			return unknownText
		}
		return cell.Text
	}
	if !always[c.Name] && !query.Added(c.Name) && !c.Computed() {
		x.Limit = fewTexts
	}
	return x
}

// sets answers a filter's questions about all objects.
type sets struct {
	*texts
	row *row
}

var _ query.Sets = sets{}

func (s sets) All() *slots.Bits { return s.table.Live() }

func (s sets) Row(slot uint32) query.Row {
	s.row.Object = s.table.At(slot)
	return s.row
}

func (s sets) Where(column int, is func(text string) bool) *slots.Bits {
	return s.table.Where(s.column(column), is)
}

func (s sets) Labelled(is func(l query.Labels) bool) *slots.Bits {
	return s.Where(labelsAt, func(text string) bool { return is(object.Labels(text)) })
}

func (s sets) Listed(of query.List, is func(value string) bool) *slots.Bits {
	return s.Where(imagesAndOwnersAt, func(text string) bool {
		if of == query.Owners {
			return is(object.ControllerIn(text))
		}
		for image := range object.ImagesIn(text) {
			if is(image) {
				return true
			}
		}
		return false
	})
}
