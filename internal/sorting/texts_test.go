package sorting

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// TestRanks compares the ranks of many texts with their order in slices.Sort.
func TestRanks(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	seen := map[string]bool{}
	for range 3000 {
		seen[fmt.Sprintf("%s-%0*d%s", []string{"service", "service-long", "a", ""}[r.IntN(4)], r.IntN(4), r.IntN(2000), []string{"", "-x", "x9"}[r.IntN(3)])] = true
	}
	texts := slices.Collect(maps.Keys(seen))
	ranks := Ranks(texts)
	want := slices.Clone(texts)
	slices.Sort(want)
	for i, text := range texts {
		if want[ranks[i]] != text {
			t.Fatalf("%q has rank %d, where %q belongs", text, ranks[i], want[ranks[i]])
		}
	}
}

// TestRanksLong checks the order of texts that share megabytes, on a small stack.
func TestRanksLong(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(1 << 20))
	long := strings.Repeat("x", 8<<20)
	texts := []string{long + "b", long, long + "a", long, long[:deepest+9], long[:deepest+16]}
	if got := fmt.Sprint(Ranks(texts)); got != "[5 2 4 3 0 1]" {
		t.Error(got)
	}
}

// TestNumbers compares Numbers with a stable sort of the slices package: equal numbers keep their order, and NaN comes first.
func TestNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	odd := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, math.SmallestNonzeroFloat64, 1e9 + 1}
	for n := range 200 {
		values, keys := make([]float64, n), make([]Number, n)
		for i := range values {
			if values[i] = float64(r.IntN(300) - 150); r.IntN(3) == 0 {
				values[i] = odd[r.IntN(len(odd))]
			}
			keys[i] = Number{uint32(i), Key(values[i])}
		}
		want := make([]int, n)
		for i := range want {
			want[i] = i
		}
		slices.SortStableFunc(want, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
		for i, k := range Numbers(keys) {
			if int(k.At) != want[i] {
				t.Fatalf("%v: at %d is %v, not %v", values, i, values[k.At], values[want[i]])
			}
		}
	}
}

// TestNth compares the key at any index with that of sorted keys, of which many are equal, or sorted before.
func TestNth(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for n := range 300 {
		keys := make([]uint64, n+1)
		for i := range keys {
			keys[i] = r.Uint64N(uint64(1 + n*n%17*n))
		}
		want := slices.Sorted(slices.Values(keys))
		switch n % 4 {
		case 1:
			copy(keys, want)
		case 2:
			copy(keys, want)
			slices.Reverse(keys)
		}
		for _, at := range []int{0, r.IntN(n + 1), r.IntN(n + 1), n} {
			if got := Nth(slices.Clone(keys), at); got != want[at] {
				t.Fatalf("%d of %v is %d, not %d", at, keys, got, want[at])
			}
		}
	}
}
