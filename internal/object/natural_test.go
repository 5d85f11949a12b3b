//go:build !js

package object

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/fvbommel/sortorder"
)

// TestNatural holds the order against the library that kubectl sorts with.
func TestNatural(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		b := make([]byte, r.IntN(9))
		for i := range b {
			b[i] = "0019ab-/"[r.IntN(8)]
		}
		return string(b)
	}
	for range 200000 {
		a, b := word(), word()
		if got, want := Natural(a, b) < 0, sortorder.NaturalLess(a, b); got != want {
			t.Fatalf("%q < %q: want %v, got %v", a, b, want, got)
		}
		if Natural(a, b) < 0 && Natural(b, a) <= 0 {
			t.Fatalf("%q and %q are each before the other", a, b)
		}
		keys := bytes.Compare(AppendCollation(nil, a), AppendCollation(nil, b))
		if n := Natural(a, b); (n < 0) != (keys < 0) || (n > 0) != (keys > 0) {
			t.Fatalf("%q and %q: %d, their keys %d", a, b, n, keys)
		}
	}
}
