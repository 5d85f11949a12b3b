package sorting

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

type pair struct{ key, at int }

func byKey(a, b pair) int { return cmp.Compare(a.key, b.key) }

// TestLikeSlices sorts lists of all lengths up to 200: stable equals slices, and By has the same keys.
func TestLikeSlices(t *testing.T) {
	for n := range 200 {
		s := make([]pair, n)
		for i := range s {
			s[i] = pair{rand.IntN(n/2 + 1), i}
		}
		want, got := slices.Clone(s), slices.Clone(s)
		slices.SortStableFunc(want, byKey)
		StableBy(got, byKey)
		if !slices.Equal(got, want) {
			t.Fatalf("%v is sorted as %v, not %v", s, got, want)
		}
		By(s, byKey)
		if !slices.EqualFunc(s, want, func(a, b pair) bool { return a.key == b.key }) {
			t.Fatalf("sorted by key: %v", s)
		}
	}
}
