package columns

import (
	"slices"

	"watchglass/internal/object"
	"watchglass/internal/slots"
)

// spacious is for how many changes a list keeps memory between two flushes.
const spacious = 512

// List is a sorted list of a table's slots, with the changes that Flush has not applied yet.
type List struct {
	Table   *Table
	Compare func(a, b *object.Object) int // no two objects are equal
	Slots   []uint32

	removed  slots.Bits // slots to remove
	removing bool       // removed is not empty
	added    []uint32   // slots to insert, after the removals
}

// At returns the object of a row.
func (s *List) At(i int) *object.Object { return s.Table.At(s.Slots[i]) }

// Len returns the number of rows.
func (s *List) Len() int { return len(s.Slots) }

// Objects returns the objects of up to limit rows from offset on.
func (s *List) Objects(offset, limit int) []*object.Object {
	offset = min(max(offset, 0), len(s.Slots))
	out := make([]*object.Object, min(max(limit, 0), len(s.Slots)-offset))
	for i := range out {
		out[i] = s.At(offset + i)
	}
	return out
}

// Remove queues the removal of a slot, from the place at which the list has it.
func (s *List) Remove(slot uint32) {
	s.removed.Add(slot)
	s.removing = true
}

// Add queues the insertion of a slot, at the place of its object when the list is flushed.
func (s *List) Add(slot uint32) { s.added = append(s.added, slot) }

// Update queues what an object's change means for the list: whether it was in it, is in it now, and has moved.
func (s *List) Update(slot uint32, was, is, moved bool) {
	if was && (!is || moved) {
		s.Remove(slot)
	}
	if is && (!was || moved) {
		s.Add(slot)
	}
}

// Sort sorts slots in the list's order.
func (s *List) Sort(some []uint32) {
	slices.SortFunc(some, func(a, b uint32) int { return s.Compare(s.Table.At(a), s.Table.At(b)) })
}

// Index returns an object's position, and whether it is in the list.
func (s *List) Index(o *object.Object) (int, bool) {
	return slices.BinarySearchFunc(s.Slots, o, func(slot uint32, o *object.Object) int { return s.Compare(s.Table.At(slot), o) })
}

// Find returns the slot of an object, and whether it is in the list. Nil is not.
func (s *List) Find(o *object.Object) (slot uint32, found bool) {
	if o == nil {
		return 0, false
	}
	if i, found := s.Index(o); found {
		return s.Slots[i], true
	}
	return 0, false
}

// Flush applies the queued changes in one pass over the list.
func (s *List) Flush() {
	if s.removing {
		s.Slots = slices.DeleteFunc(s.Slots, s.removed.Has)
		s.removed.Clear()
		s.removing = false
	}
	if len(s.added) > 0 {
		s.Sort(s.added)
		s.insert(s.added)
		if s.added = s.added[:0]; cap(s.added) > spacious {
			s.added = nil
		}
	}
}

// insert inserts sorted slots. It works in place, from the end.
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

// place returns how many rows come before an object. It searches from the end in steps that double: insertions of many
// objects are close together, and a single one still takes few comparisons.
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
