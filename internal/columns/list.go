package columns

import (
	"slices"

	"watchglass/internal/object"
	"watchglass/internal/slots"
)

// spacious is for how many changes memory is kept.
const spacious = 512

// List is a sorted list of a table's slots, with the changes that Flush has not applied yet.
type List struct {
	Table   *Table
	Compare func(a, b *object.Object) int // no two objects are equal
	Slots   []uint32

	gone slots.Bits // that leave the list, or their place in it
	some bool       // there are such
	with []uint32   // that come into it
}

// At returns the object of a row.
func (s *List) At(i int) *object.Object { return s.Table.At(s.Slots[i]) }

// Len returns the number of rows.
func (s *List) Len() int { return len(s.Slots) }

// Objects returns the objects of some rows.
func (s *List) Objects(offset, limit int) []*object.Object {
	offset = min(max(offset, 0), len(s.Slots))
	out := make([]*object.Object, min(max(limit, 0), len(s.Slots)-offset))
	for i := range out {
		out[i] = s.At(offset + i)
	}
	return out
}

// Leave has a slot leave the list, or its place in it.
func (s *List) Leave(slot uint32) {
	s.gone.Add(slot)
	s.some = true
}

// Come has a slot come into the list, or to its place in it.
func (s *List) Come(slot uint32) { s.with = append(s.with, slot) }

// Move applies to the list that an object was or was not in it, and is or is not, and whether its place has changed.
func (s *List) Move(slot uint32, was, is, moved bool) {
	if was && (!is || moved) {
		s.Leave(slot)
	}
	if is && (!was || moved) {
		s.Come(slot)
	}
}

// Sort sorts slots as the list is.
func (s *List) Sort(some []uint32) {
	slices.SortFunc(some, func(a, b uint32) int { return s.Compare(s.Table.At(a), s.Table.At(b)) })
}

// Index returns an object's position, and whether it is in the list.
func (s *List) Index(o *object.Object) (int, bool) {
	return slices.BinarySearchFunc(s.Slots, o, func(slot uint32, o *object.Object) int { return s.Compare(s.Table.At(slot), o) })
}

// Flush applies the waiting changes in one pass over the list.
func (s *List) Flush() {
	if s.some {
		s.Slots = slices.DeleteFunc(s.Slots, s.gone.Has)
		s.gone.Clear()
		s.some = false
	}
	if len(s.with) > 0 {
		s.Sort(s.with)
		s.insert(s.with)
		if s.with = s.with[:0]; cap(s.with) > spacious {
			s.with = nil
		}
	}
}

// insert inserts slots, which must be in the list's order. It works in place, from the end.
func (s *List) insert(some []uint32) {
	n := len(s.Slots)
	out := slices.Grow(s.Slots, len(some))[:n+len(some)]
	for k := len(some); k > 0; k-- {
		at := s.place(out[:n], s.Table.At(some[k-1]))
		copy(out[at+k:], out[at:n])
		out[at+k-1], n = some[k-1], at
	}
	s.Slots = out
}

// place returns how many rows of a list come before an object. It searches from the end, in steps that double:
// the next of many is near, and one among many takes few comparisons.
func (s *List) place(rows []uint32, o *object.Object) int {
	for end, step := len(rows), 1; end > 0; step *= 2 {
		begin := max(end-step, 0)
		if s.Compare(s.Table.At(rows[begin]), o) > 0 {
			end = begin
			continue
		}
		i, _ := slices.BinarySearchFunc(rows[begin+1:end], o, func(slot uint32, o *object.Object) int {
			if s.Compare(s.Table.At(slot), o) > 0 {
				return +1
			}
			return -1 // also if they are equal
		})
		return begin + 1 + i
	}
	return 0
}
