package document

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSum adds and removes amounts of any size, and compares the sum with an exact one.
func TestSum(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 0))
		var s Sum
		var all []int64
		want := new(big.Int)
		for range 200 {
			n := r.Int64N(math.MaxInt64) >> r.IntN(63)
			if r.IntN(3) == 0 && len(all) > 0 {
				n, all = -all[0], all[1:]
			} else {
				all = append(all, n)
			}
			times := 1
			if n > 0 && r.IntN(2) == 0 {
				times = 1 + r.IntN(1<<r.IntN(24))
				all = append(all, slices.Repeat([]int64{n}, min(times-1, 9))...)
			}
			s.AddTimes(n, times)
			want.Add(want, new(big.Int).Mul(big.NewInt(n), big.NewInt(int64(times))))
			exact, _ := new(big.Float).SetInt(want).Float64()
			if got := s.Float() * 1000; math.Abs(got-exact) > exact*1e-12 {
				t.Fatalf("seed %d: %v, want %v", seed, got, exact)
			}
			if want.IsInt64() && s.Clamped() != want.Int64() || !want.IsInt64() && s.Clamped() != math.MaxInt64 {
				t.Fatalf("seed %d: %d, want %v", seed, s.Clamped(), want)
			}
		}
	}
}

// TestSumText checks how sums are written that fit a quantity, and larger ones.
func TestSumText(t *testing.T) {
	for _, c := range []struct {
		add    []int64
		binary bool
		want   string
	}{
		{nil, true, "0"}, {[]int64{1500}, false, "1500m"}, {[]int64{2000, -500, 500}, false, "2"}, {[]int64{-500}, false, "-500m"},
		{[]int64{3 << 30 * 1000, 1 << 29 * 1000}, true, "3584Mi"}, {[]int64{math.MaxInt64, math.MaxInt64}, false, "18446744073709551"},
		{[]int64{1 << 52 * 1000, 1 << 52 * 1000, 1 << 52 * 1000, 1 << 52 * 1000}, true, "16Pi"},
	} {
		var s Sum
		for _, n := range c.add {
			s.Add(n)
		}
		if got := s.Text(c.binary); got != c.want {
			t.Errorf("%d: %s, want %s", c.add, got, c.want)
		}
	}
	var s Sum
	for range 1 << 12 {
		s.Add(math.MaxInt64)
	}
	if got, want := s.Text(true), fmt.Sprintf("%.4g", float64(math.MaxInt64)*4096/1000); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
