package main

import (
	"math"
	"slices"
	"testing"
)

func TestMedian(t *testing.T) {
	for _, tc := range []struct {
		in   sample
		want float64
	}{{sample{3}, 3}, {sample{9, 1, 5}, 5}, {sample{4, 1, 2, 100}, 3}} {
		before := slices.Clone(tc.in)
		if got := tc.in.median(); got != tc.want {
			t.Errorf("the median of %v is %v, want %v", tc.in, got, tc.want)
		}
		if !slices.Equal(before, tc.in) {
			t.Errorf("%v became %v", before, tc.in)
		}
	}
	if !math.IsNaN(sample{}.median()) {
		t.Error("nothing has a median")
	}
}

func TestQuantile(t *testing.T) {
	hundred := make(sample, 100)
	for i := range hundred {
		hundred[99-i] = float64(i + 1)
	}
	for q, want := range map[float64]float64{0: 1, 0.5: 50, 0.95: 95, 0.99: 99, 1: 100} {
		if got := hundred.quantile(q); got != want {
			t.Errorf("quantile %v is %v, want %v", q, got, want)
		}
	}
	if got := (sample{7}).quantile(0.99); got != 7 {
		t.Errorf("quantile of one is %v", got)
	}
}

func TestRatioIsOfEachRound(t *testing.T) {
	// A machine twice as slow in the second round changes no ratio.
	if got := ratio(sample{10, 20, 9}, sample{5, 10}); !slices.Equal(got, sample{2, 2}) {
		t.Errorf("the ratios are %v", got)
	}
}
