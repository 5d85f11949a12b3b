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
func newOrder(columns []object.Column, sort string, descending bool) (order, bool) {
	o := order{columns: columns, column: -1, descending: descending}
	if sort == "" || sort == NamespaceColumn {
		return o, true
	}
	for i, c := range columns {
		if c.Name == sort {
			o.column = i
			return o, true
		}
	}
	return o, false
}

func (o *order) compare(a, b *object.Object) int {
	c := 0
	if o.column >= 0 {
		c = a.Cell(o.columns, o.column).Compare(b.Cell(o.columns, o.column))
		if c == 0 {
			return byName(a, b) // whatever the direction
		}
	} else {
		c = byName(a, b)
	}
	if o.descending {
		return -c
	}
	return c
}

// byName is the order of namespaces, and in them of names: kubectl's. No two
// objects of one list are equal in it.
func byName(a, b *object.Object) int {
	if c := strings.Compare(a.Namespace(), b.Namespace()); c != 0 {
		return c
	}
	return strings.Compare(a.Name(), b.Name())
}

// list is a list of objects.
type list []*object.Object

// sorted is a list in an order, with the changes to it that are not in it yet.
type sorted struct {
	order         order
	list          list
	without, with list
}

// change replaces an object by another, in place if it does not move; either
// may be nil. What moves, comes or goes waits for flush.
func (s *sorted) change(before, after *object.Object) {
	if before != nil && after != nil && s.order.compare(before, after) == 0 {
		if i, found := s.index(before); found {
			s.list[i] = after
			return
		}
	}
	if before != nil {
		s.without = append(s.without, before)
	}
	if after != nil {
		s.with = append(s.with, after)
	}
}

// index finds an object's place.
func (s *sorted) index(o *object.Object) (int, bool) {
	return slices.BinarySearchFunc(s.list, o, s.order.compare)
}

// flush brings in what waits, in one pass over the list.
func (s *sorted) flush() {
	if len(s.without)+len(s.with) == 0 {
		return
	}
	slices.SortFunc(s.without, s.order.compare)
	slices.SortFunc(s.with, s.order.compare)
	s.list = s.list.remove(s.without).insert(s.with, &s.order)
	clear(s.without)
	clear(s.with)
	s.without, s.with = s.without[:0], s.with[:0]
}

// remove takes out objects, which stand in the same order.
func (l list) remove(objects list) list {
	if len(objects) == 0 {
		return l
	}
	kept := l[:0]
	for _, o := range l {
		if len(objects) > 0 && o == objects[0] {
			objects = objects[1:]
			continue
		}
		kept = append(kept, o)
	}
	clear(l[len(kept):])
	return kept
}

// insert merges objects in, which stand in the same order, from the end and in
// place.
func (l list) insert(objects list, o *order) list {
	n := len(l)
	out := slices.Grow(l, len(objects))[:n+len(objects)]
	for at := len(out) - 1; len(objects) > 0; at-- {
		last := objects[len(objects)-1]
		if n > 0 && o.compare(out[n-1], last) > 0 {
			n--
			out[at] = out[n]
		} else {
			objects = objects[:len(objects)-1]
			out[at] = last
		}
	}
	return out
}
