package slots

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// model is a set that is easy to get right.
type model map[uint32]bool

func (m model) sorted() []uint32 { return slices.Sorted(maps.Keys(m)) }

// modelled is a bitmap and what it should have.
type modelled struct {
	bits  Bits
	model model
}

// TestBits compares two bitmaps with models after each of many random operations. Slots are below a
// limit that changes from round to round, so that the bitmaps have different lengths.
func TestBits(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		a, b := &modelled{model: model{}}, &modelled{model: model{}}
		for step := range 100 {
			a, b = b, a
			name := a.change(r, b)
			if got, want := slices.Collect(a.bits.All()), a.model.sorted(); !slices.Equal(got, want) {
				t.Fatalf("seed %d, step %d: %s: %d, want %d", seed, step, name, got, want)
			}
			compare(t, a, b)
		}
	}
}

// change does something random to a, and returns what.
func (a *modelled) change(r *rand.Rand, b *modelled) string {
	limit := 1 << r.IntN(9)
	slot := uint32(r.IntN(limit))
	switch r.IntN(9) {
	case 0:
		a.bits.Grow(limit)
		return "Grow"
	case 1:
		a.bits.Remove(slot)
		delete(a.model, slot)
		return "Remove"
	case 2:
		if r.IntN(4) == 0 {
			a.bits.Clear()
			a.model = model{}
		}
		return "Clear"
	case 3:
		a.bits.Or(&b.bits)
		maps.Copy(a.model, b.model)
		return "Or"
	case 4:
		a.bits.And(&b.bits)
		maps.DeleteFunc(a.model, func(slot uint32, _ bool) bool { return !b.model[slot] })
		return "And"
	case 5:
		a.bits.AndNot(&b.bits)
		maps.DeleteFunc(a.model, func(slot uint32, _ bool) bool { return b.model[slot] })
		return "AndNot"
	case 6:
		if r.IntN(4) == 0 {
			a.bits, a.model = b.bits.Clone(), maps.Clone(b.model)
		}
		return "Clone"
	default:
		a.bits.Add(slot)
		a.model[slot] = true
		return "Add"
	}
}

// compare checks what can be asked about one bitmap, and about two.
func compare(t *testing.T, a, b *modelled) {
	t.Helper()
	for slot := range uint32(600) {
		if a.bits.Has(slot) != a.model[slot] {
			t.Fatalf("Has(%d) = %v", slot, a.bits.Has(slot))
		}
	}
	both := maps.Clone(a.model)
	maps.DeleteFunc(both, func(slot uint32, _ bool) bool { return !b.model[slot] })
	if got := a.bits.Len(); got != len(a.model) {
		t.Fatalf("Len() = %d, want %d", got, len(a.model))
	}
	if got := a.bits.LenAnd(&b.bits); got != len(both) {
		t.Fatalf("LenAnd() = %d, want %d", got, len(both))
	}
	if got, want := a.bits.Equal(&b.bits), maps.Equal(a.model, b.model); got != want {
		t.Fatalf("Equal() = %v, want %v", got, want)
	}
	for slot := range a.bits.All() { // ends when the loop does
		if !a.model[slot] {
			t.Fatal(slot)
		}
		break
	}
}
