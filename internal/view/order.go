package view

import (
	"cmp"
	"strings"

	"watchglass/internal/object"
	"watchglass/internal/query"
)

// order compares objects by a column, then by another if it has one, then by namespace and name.
type order struct {
	columns    []object.Column
	column     int // -1: namespace and name alone
	descending bool
	quantities bool   // the column's texts are quantities
	then       *order // of the objects with equal cells, in either direction; nil if by namespace and name
}

// thenBy are the columns whose equal cells are ordered by another column: of problems with the same
// severity, the latest come first.
var thenBy = map[string]string{"Severity": "Since"}

// newOrder returns the order by a column, and false if there is no such column. Sorting by
// the namespace column needs no cell.
//
//go:noinline
func newOrder(columns []object.Column, sort string, descending bool) (order, bool) {
	o := order{columns: columns, column: -1, descending: descending}
	if sort == "" || sort == NamespaceColumn {
		return o, true
	}
	for i, c := range columns {
		if c.Name == sort {
			o.column, o.quantities = i, c.Kind == object.TextCell && c.Unit() == object.Binary
			if then, ok := newOrder(columns, thenBy[sort], false); ok && then.column >= 0 {
				o.then = &then
			}
			return o, true
		}
	}
	return o, false
}

func (o *order) compare(a, b *object.Object) int {
	if o.column < 0 {
		if o.descending {
			a, b = b, a
		}
		return byName(a, b)
	}
	c := 0
	if o.ownName() {
		c = strings.Compare(a.Name(), b.Name())
	} else {
		x, y := a.Cell(o.columns, o.column), b.Cell(o.columns, o.column)
		if o.unknownLast() {
			_, known := o.number(x)
			if _, other := o.number(y); known != other {
				if known {
					return -1
				}
				return 1
			}
		}
		c = o.compareCells(x, y)
	}
	switch {
	case c == 0 && o.then != nil:
		return o.then.compare(a, b)
	case c == 0:
		return byName(a, b) // in either direction
	case o.descending:
		return -c
	}
	return c
}

// ownName reports whether the column has the objects' own names.
func (o *order) ownName() bool {
	return o.column >= 0 && o.columns[o.column].Kind == object.NameCell && !o.columns[o.column].Derived()
}

// text returns the text that an object sorts by.
func (o *order) text(of *object.Object) string {
	if o.ownName() {
		return of.Name()
	}
	return of.Cell(o.columns, o.column).Text
}

// number returns what a cell sorts by, unless that is its text.
func (o *order) number(c object.Cell) (n float64, ok bool) {
	if o.quantities {
		return query.Number(c.Text)
	}
	return c.Number()
}

// reader returns what reads what an object sorts by, without its cell if that is possible.
func (o *order) reader() func(of *object.Object) (n float64, known bool) {
	if ages := object.Ages(o.columns, o.column); ages != nil {
		return ages
	}
	first := !o.quantities && object.FirstNumberColumn(o.columns) == o.column
	return func(of *object.Object) (float64, bool) {
		if n, small := of.FirstNumber(); first && small {
			return float64(n), true
		}
		return o.number(of.Cell(o.columns, o.column))
	}
}

// compareCells compares two cells of the column. Texts that are no quantities come last among those that are.
func (o *order) compareCells(x, y object.Cell) int {
	if !o.quantities {
		return x.Compare(y)
	}
	a, isNumber := o.number(x)
	b, isToo := o.number(y)
	switch {
	case isNumber && isToo:
		return cmp.Compare(a, b)
	case isNumber:
		return -1
	case isToo:
		return 1
	}
	return x.Compare(y)
}

// unknownLast reports whether objects without a number come last in either direction. Where
// derived cells are shown, many objects have none.
func (o *order) unknownLast() bool {
	c := &o.columns[o.column]
	return (c.Derived() || c.Kind == object.AmountCell) && c.Kind != object.NameCell
}

// byName compares by namespace, then by name, like kubectl. No two objects of a list compare
// equal.
func byName(a, b *object.Object) int {
	if c := strings.Compare(a.Namespace(), b.Namespace()); c != 0 {
		return c
	}
	return strings.Compare(a.Name(), b.Name())
}
