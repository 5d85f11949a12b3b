package columns

import (
	"slices"

	"watchglass/internal/object"
	"watchglass/internal/slots"
)

// spacious is for how many changes a list keeps memory between two flushes.
const spacious = 512

// List is a sorted list of a table's slots, with the changes that Flush has not applied yet. It may be sorted only as far as
// somebody has looked.
type List struct {
	Table   *Table
	Compare func(a, b *object.Object) int // no two objects are equal
	Slots   []uint32                      // in order; those after them are in rest

	memory []uint32 // of the slots that Begin got
	rest   []uint32 // in the order of base
	base   func(a, b *object.Object) int
	first  func(rest []uint32, n int) (sorted int)

	removed  slots.Bits // slots to remove
	removing bool       // removed is not empty
	added    []uint32   // slots to insert, after the removals
}

// leastSorted is how many rows are sorted at least: a window, and what is scrolled to next.
const leastSorted = 1000

// Begin replaces the slots by others, which are sorted when they are asked for. They are in the order of base. First puts at
// least n of such slots in front that come first, in order, leaves the others in the order of base, and returns how many are
// in front.
func (s *List) Begin(some []uint32, base func(a, b *object.Object) int, first func(rest []uint32, n int) (sorted int)) {
	s.Slots, s.rest, s.memory, s.base, s.first = nil, some, some, base, first
}

// BeginSorted is Begin for slots in the list's order.
func (s *List) BeginSorted(some []uint32) {
	s.Begin(nil, nil, nil)
	s.Slots, s.memory = some, some
}

// Spare empties the list, and returns its memory for the slots that are about to replace its own.
func (s *List) Spare() []uint32 {
	s.Slots, s.rest = nil, nil
	return s.memory[:0]
}

// sort sorts at least the first n rows. It sorts twice as many each time, so that who reads all rows waits as if they had
// been sorted at once.
func (s *List) sort(n int) {
	if n <= len(s.Slots) || len(s.rest) == 0 {
		return
	}
	n = s.first(s.rest, min(max(n, 2*len(s.Slots), leastSorted)-len(s.Slots), len(s.rest)))
	s.Slots, s.rest = append(s.Slots, s.rest[:n]...), s.rest[n:]
}

// All returns the slots of all rows, in order.
func (s *List) All() []uint32 {
	s.sort(s.Len())
	return s.Slots
}

// At returns the object of a row, which has been sorted.
func (s *List) At(i int) *object.Object { return s.Table.At(s.Slots[i]) }

// Len returns the number of rows.
func (s *List) Len() int { return len(s.Slots) + len(s.rest) }

// Objects returns the objects of up to limit rows from offset on.
func (s *List) Objects(offset, limit int) []*object.Object {
	offset = min(max(offset, 0), s.Len())
	out := make([]*object.Object, min(max(limit, 0), s.Len()-offset))
	s.sort(offset + len(out))
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
func (s *List) Sort(some []uint32) { s.sortBy(some, s.Compare) }

func (s *List) sortBy(some []uint32, compare func(a, b *object.Object) int) {
	slices.SortFunc(some, func(a, b uint32) int { return compare(s.Table.At(a), s.Table.At(b)) })
}

// Index returns an object's position, and whether it is in the list.
func (s *List) Index(o *object.Object) (int, bool) {
	if s.late(o) {
		s.sort(s.Len())
	}
	return slices.BinarySearchFunc(s.Slots, o, func(slot uint32, o *object.Object) int { return s.Compare(s.Table.At(slot), o) })
}

// late reports whether an object belongs to what is not sorted yet.
func (s *List) late(o *object.Object) bool {
	return len(s.rest) > 0 && (len(s.Slots) == 0 || s.Compare(s.At(len(s.Slots)-1), o) < 0)
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
		s.rest = slices.DeleteFunc(s.rest, s.removed.Has)
		s.removed.Clear()
		s.removing = false
	}
	if len(s.added) > 0 {
		added := s.added
		if len(s.rest) > 0 {
			added = s.addLate(added)
		}
		s.Sort(added)
		s.Slots = s.insert(s.Slots, added, s.Compare)
		if s.added = s.added[:0]; cap(s.added) > spacious {
			s.added = nil
		}
	}
}

// addLate inserts those slots that belong to what is not sorted yet, and returns the others.
func (s *List) addLate(added []uint32) (others []uint32) {
	var late []uint32
	for _, slot := range added {
		if s.late(s.Table.At(slot)) {
			late = append(late, slot)
		} else {
			others = append(others, slot)
		}
	}
	s.sortBy(late, s.base)
	s.rest = s.insert(s.rest, late, s.base)
	return others
}

// insert inserts sorted slots into others. It works in place, from the end.
func (s *List) insert(into, some []uint32, compare func(a, b *object.Object) int) []uint32 {
	n := len(into)
	out := slices.Grow(into, len(some))[:n+len(some)]
	for k := len(some); k > 0; k-- {
		at := s.place(out[:n], s.Table.At(some[k-1]), compare)
		copy(out[at+k:], out[at:n])
		out[at+k-1], n = some[k-1], at
	}
	return out
}

// place returns how many rows come before an object. It searches from the end in steps that double: insertions of many
// objects are close together, and a single one still takes few comparisons.
func (s *List) place(rows []uint32, o *object.Object, compare func(a, b *object.Object) int) int {
	for end, step := len(rows), 1; end > 0; step *= 2 {
		begin := max(end-step, 0)
		if compare(s.Table.At(rows[begin]), o) > 0 {
			end = begin
			continue
		}
		i, _ := slices.BinarySearchFunc(rows[begin+1:end], o, func(slot uint32, o *object.Object) int {
			if compare(s.Table.At(slot), o) > 0 {
				return +1
			}
			return -1 // also if they are equal
		})
		return begin + 1 + i
	}
	return 0
}
