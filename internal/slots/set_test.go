package slots

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSet compares sets that stay lists, and that become bitmaps, with a model.
func TestSet(t *testing.T) {
	for _, universe := range []int{100, 3000, 1 << 20} {
		r := rand.New(rand.NewPCG(uint64(universe), 0))
		var s Set
		m := model{}
		for range 20000 {
			slot := uint32(r.IntN(universe))
			if r.IntN(4) == 0 {
				s.Remove(slot)
				delete(m, slot)
			} else {
				s.Add(slot)
				m[slot] = true
			}
		}
		for range s.All() {
			break // a reader may stop
		}
		c := s.Clone()
		for slot := range uint32(universe) {
			c.Remove(slot)
		}
		if got := slices.Collect(s.All()); !slices.Equal(got, m.sorted()) || s.Len() != len(m) {
			t.Errorf("universe %d: %d slots, counted %d, want %d", universe, len(got), s.Len(), len(m))
		}
		if got := slices.Collect(c.All()); len(got) != 0 || c.Len() != 0 {
			t.Errorf("universe %d: %d slots in an empty copy, counted %d", universe, len(got), c.Len())
		}
	}
}
