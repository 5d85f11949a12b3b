package columns

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"watchglass/internal/object"
)

// TestInsert compares lists into which one or many objects were inserted anywhere with sorted ones.
func TestInsert(t *testing.T) {
	r, make := rand.New(rand.NewPCG(4, 4)), maker(t, false)
	for round := range 300 {
		var table Table
		descending := round%2 == 1
		l := List{Table: &table, Compare: func(a, b *object.Object) int {
			if descending {
				a, b = b, a
			}
			return strings.Compare(a.Name(), b.Name())
		}}
		var all []*object.Object
		for i := range r.IntN(200) {
			o := make(fmt.Sprintf("web-%03d", i), "Running")
			if all = append(all, o); r.IntN(1+round%30) == 0 {
				l.Add(table.Add(o))
			} else {
				l.Slots = append(l.Slots, table.Add(o))
			}
		}
		if descending {
			slices.Reverse(l.Slots)
			slices.Reverse(all)
		}
		rows, more := l.Len(), len(l.added)
		if l.Flush(); !slices.Equal(l.Objects(0, len(all)), all) {
			t.Fatalf("round %d: %d and %d objects are not in order", round, rows, more)
		}
		for i, slot := range slices.Clone(l.Slots) {
			if i%3 == 0 {
				l.Remove(slot)
			}
		}
		if l.Flush(); l.Len() != len(all)-(len(all)+2)/3 {
			t.Fatalf("round %d: %d of %d are left", round, l.Len(), len(all))
		}
	}
}
