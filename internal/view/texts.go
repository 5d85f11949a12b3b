package view

import (
	"watchglass/internal/columns"
	"watchglass/internal/object"
	"watchglass/internal/query"
	"watchglass/internal/slots"
)

// texts are the columns of a view's objects as texts with codes. Each is kept from when it is first asked for.
type texts struct {
	table *columns.Table
	shape Shape
	kept  map[int]*columns.Text // by index of the column, or one of these
}

// What objects have besides the cells of their columns; and namespaceAt.
const (
	labelsAt = -2 - iota // all labels
	listedAt             // images and owners
)

// fewTexts is how many texts a column may have of which only a few make a facet.
const fewTexts = 2000

// newTexts returns the columns of a table for objects of a shape. Those that it kept before are dropped.
func newTexts(t *columns.Table, s Shape) *texts {
	t.Forget()
	return &texts{table: t, shape: s, kept: make(map[int]*columns.Text)}
}

// whole reports whether a filter can ask all texts of a column at once: what it compares is what the cells print.
func (t *texts) whole(i int) bool { return t.shape.whole(i) }

func (s Shape) whole(i int) bool {
	c := &s.Columns[i]
	return c.Kind == object.TextCell && !c.Computed() && !c.Derived()
}

// keep returns a column, which need not have been built.
func (t *texts) keep(i int) *columns.Text {
	x := t.kept[i]
	if x == nil {
		x = t.column(i)
		t.kept[i] = x
		t.table.Keep(x)
	}
	return x
}

// built returns a column that is whole.
func (t *texts) built(i int) *columns.Text {
	x := t.keep(i)
	t.table.Finish(x)
	return x
}

// unknownText stands for a cell that is not known.
const unknownText = "\x00"

func (t *texts) column(i int) *columns.Text {
	switch i {
	case namespaceAt:
		return &columns.Text{Of: (*object.Object).Namespace, Place: object.NamespaceCode}
	case labelsAt:
		return &columns.Text{Of: func(o *object.Object) string { return string(o.Labels()) }, Place: -1, Shared: true}
	case listedAt:
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
		x.Most = fewTexts
	}
	return x
}

// sets answers what a filter asks of all objects.
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
	x := s.built(column)
	if !x.Over() {
		return x.Where(is)
	}
	all := new(slots.Bits)
	for slot := range s.All().All() {
		if is(x.Of(s.table.At(slot))) {
			all.Add(slot)
		}
	}
	return all
}

func (s sets) Labelled(is func(l query.Labels) bool) *slots.Bits {
	return s.built(labelsAt).Where(func(text string) bool { return is(object.Labels(text)) })
}

func (s sets) Listed(of query.List, is func(value string) bool) *slots.Bits {
	return s.built(listedAt).Where(func(text string) bool {
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
