package indexer

import (
	"iter"
	"math/bits"
	"slices"
)

// set holds slots: as a sorted list while they are few, and as a bitmap once a list would take
// more memory.
type set struct {
	list  []uint32
	bits  []uint64
	n     int
	epoch uint32 // the epoch of the index that may change it
}

func (s *set) clone(epoch uint32) *set {
	return &set{list: slices.Clone(s.list), bits: slices.Clone(s.bits), n: s.n, epoch: epoch}
}

// dense is the number of slots from which a bitmap is considered.
const dense = 1024

func (s *set) add(slot uint32) {
	if s.bits != nil {
		for int(slot>>6) >= len(s.bits) {
			s.bits = append(s.bits, 0)
		}
		if w := &s.bits[slot>>6]; *w&(1<<(slot&63)) == 0 {
			*w |= 1 << (slot & 63)
			s.n++
		}
		return
	}
	i, found := len(s.list), false
	if i > 0 && slot <= s.list[i-1] { // mostly, a new slot is the highest
		i, found = slices.BinarySearch(s.list, slot)
	}
	if found {
		return
	}
	s.list = slices.Insert(s.list, i, slot)
	s.n++
	if s.n >= dense && int(s.list[s.n-1]) < 32*s.n {
		list := s.list
		s.list, s.n = nil, 0
		s.bits = make([]uint64, list[len(list)-1]>>6+1)
		for _, slot := range list {
			s.add(slot)
		}
	}
}

func (s *set) remove(slot uint32) {
	if s.bits != nil {
		if int(slot>>6) < len(s.bits) && s.bits[slot>>6]&(1<<(slot&63)) != 0 {
			s.bits[slot>>6] &^= 1 << (slot & 63)
			s.n--
		}
		return
	}
	if i, found := slices.BinarySearch(s.list, slot); found {
		s.list = slices.Delete(s.list, i, i+1)
		s.n--
	}
}

// all yields the slots in order.
func (s *set) all() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for _, slot := range s.list {
			if !yield(slot) {
				return
			}
		}
		for i, w := range s.bits {
			for ; w != 0; w &= w - 1 {
				if !yield(uint32(i<<6 + bits.TrailingZeros64(w))) {
					return
				}
			}
		}
	}
}
