package view

import (
	"cmp"
	"slices"
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
	c := 0
	if o.column >= 0 {
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
		if c == 0 && o.then != nil {
			return o.then.compare(a, b)
		}
		if c == 0 {
			return byName(a, b) // in either direction
		}
	} else {
		c = byName(a, b)
	}
	if o.descending {
		return -c
	}
	return c
}

// number returns what a cell sorts by, unless that is its text.
func (o *order) number(c object.Cell) (n float64, ok bool) {
	if o.quantities {
		return query.Number(c.Text)
	}
	return c.Number()
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

// list is a list of objects.
type list []*object.Object

// sortedList is a sorted list, with the changes that flush has not applied yet.
type sortedList struct {
	order         order
	list          list
	without, with list
}

// change replaces an object by another; either may be nil. If the object keeps its position,
// it is replaced at once; otherwise the change waits for flush.
func (s *sortedList) change(before, after *object.Object) {
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

// index returns an object's position, and whether it is in the list.
func (s *sortedList) index(o *object.Object) (int, bool) {
	return slices.BinarySearchFunc(s.list, o, s.order.compare)
}

// flush applies the waiting changes in one pass over the list.
func (s *sortedList) flush() {
	if len(s.without)+len(s.with) == 0 {
		return
	}
	slices.SortFunc(s.without, s.order.compare)
	slices.SortFunc(s.with, s.order.compare)
	s.list = s.list.remove(s.without).insert(s.with, &s.order)
	s.without, s.with = s.without.emptied(), s.with.emptied()
}

// emptied returns an empty list, in the same memory unless that is large.
func (l list) emptied() list {
	if cap(l) > spacious {
		return nil
	}
	clear(l)
	return l[:0]
}

// remove removes objects, which must be in the list's order.
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

// insert inserts objects, which must be in the list's order. It works in place, from the end.
func (l list) insert(objects list, o *order) list {
	n := len(l)
	out := slices.Grow(l, len(objects))[:n+len(objects)]
	for k := len(objects); k > 0; k-- {
		one := objects[k-1]
		at := o.place(out[:n], one)
		copy(out[at+k:], out[at:n])
		out[at+k-1], n = one, at
	}
	return out
}

// place returns how many objects of a list come before another. It searches from the end, in steps that double:
// the next of many is near, and one among many takes few comparisons.
func (o *order) place(l list, one *object.Object) int {
	for end, step := len(l), 1; end > 0; step *= 2 {
		begin := max(end-step, 0)
		if o.compare(l[begin], one) > 0 {
			end = begin
			continue
		}
		i, _ := slices.BinarySearchFunc(l[begin+1:end], one, func(a, b *object.Object) int {
			if o.compare(a, b) > 0 {
				return +1
			}
			return -1 // also if they are equal
		})
		return begin + 1 + i
	}
	return 0
}
