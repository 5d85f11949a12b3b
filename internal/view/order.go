package view

import (
	"slices"
	"strings"

	"watchglass/internal/object"
)

// order compares objects by a column, then by namespace and name.
type order struct {
	columns    []object.Column
	column     int // -1: namespace and name alone
	descending bool
}

// newOrder finds the column of a name. The column of the namespace is no cell.
func newOrder(columns []object.Column, q Query) (order, bool) {
	o := order{columns: columns, column: -1, descending: q.Descending}
	if q.Sort == "" || q.Sort == NamespaceColumn {
		return o, true
	}
	for i, c := range columns {
		if c.Name == q.Sort {
			o.column = i
			return o, true
		}
	}
	return o, false
}

func (o *order) compare(a, b *object.Object) int {
	c := 0
	switch {
	case o.column == 0:
		c = object.Natural(a.Name(), b.Name())
	case o.column > 0:
		c = a.Cell(o.columns, o.column).Compare(b.Cell(o.columns, o.column))
	default:
		c = object.Natural(a.Namespace(), b.Namespace())
		if c == 0 {
			c = object.Natural(a.Name(), b.Name())
		}
	}
	if c == 0 {
		return byKey(a, b)
	}
	if o.descending {
		return -c
	}
	return c
}

// byKey is the order among equals. Two objects of one key are never in one list.
func byKey(a, b *object.Object) int {
	if c := object.Natural(a.Key(), b.Key()); c != 0 {
		return c
	}
	return strings.Compare(a.Key(), b.Key())
}

// list is a list of objects in an order.
type list []*object.Object

// index finds an object's place.
func (l list) index(o *order, obj *object.Object) (int, bool) {
	return slices.BinarySearchFunc(l, obj, o.compare)
}

// merge returns the list without some objects and with others, in one pass.
// Both are sorted here. The list's memory is used again if it suffices.
func (l list) merge(o *order, without, with list) list {
	slices.SortFunc(without, o.compare)
	slices.SortFunc(with, o.compare)
	kept := l[:0]
	for _, obj := range l {
		if len(without) > 0 && obj == without[0] {
			without = without[1:]
			continue
		}
		kept = append(kept, obj)
	}
	n := len(kept)
	out := slices.Grow(kept, len(with))[:n+len(with)]
	for at := len(out) - 1; len(with) > 0; at-- { // from the end, in place
		last := with[len(with)-1]
		if n > 0 && o.compare(out[n-1], last) > 0 {
			n--
			out[at] = out[n]
		} else {
			with = with[:len(with)-1]
			out[at] = last
		}
	}
	clear(l[min(len(out), len(l)):])
	return out
}
