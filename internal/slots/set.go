package slots

import (
	"iter"
	"math/bits"
	"slices"
)

// Set is a set that may be small: a sorted list while its slots are few, and a bitmap once a list
// would take more memory. The zero value is empty.
type Set struct {
	list []uint32
	bits Bits // instead of the list, if it has words
	n    int
}

// dense is the number of slots from which a bitmap is considered.
const dense = 1024

// Len returns how many slots are in the set.
func (s *Set) Len() int { return s.n }

// Clone returns a copy that can change independently.
func (s *Set) Clone() Set { return Set{slices.Clone(s.list), s.bits.Clone(), s.n} }

// Add adds a slot.
func (s *Set) Add(slot uint32) {
	if s.bits.words != nil {
		if !s.bits.Has(slot) {
			s.bits.Add(slot)
			s.n++
		}
		return
	}
	i, found := s.n, false
	if i > 0 && slot <= s.list[i-1] { // mostly, a new slot is the highest
		i, found = slices.BinarySearch(s.list, slot)
	}
	if found {
		return
	}
	s.list = slices.Insert(s.list, i, slot)
	s.n++
	if last := int(s.list[s.n-1]); s.n >= dense && last < 32*s.n {
		s.bits.Grow(last + 1)
		for _, slot := range s.list {
			s.bits.Add(slot)
		}
		s.list = nil
	}
}

// Remove removes a slot. A bitmap remains one.
func (s *Set) Remove(slot uint32) {
	if s.bits.Has(slot) {
		s.bits.Remove(slot)
		s.n--
	} else if i, found := slices.BinarySearch(s.list, slot); found {
		s.list = slices.Delete(s.list, i, i+1)
		s.n--
	}
}

// All yields the slots in order. Both loops are here, so that the compiler can inline them where they are
// used: calling the bitmap's own for each slot takes four times as long, and allocates.
func (s *Set) All() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for _, slot := range s.list {
			if !yield(slot) {
				return
			}
		}
		for i, w := range s.bits.words {
			for ; w != 0; w &= w - 1 {
				if !yield(uint32(i<<6 + bits.TrailingZeros64(w))) {
					return
				}
			}
		}
	}
}
