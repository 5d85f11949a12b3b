package main

import (
	"math"
	"slices"
)

// sample is what was measured, in the order it was.
type sample []float64

// median is the middle one, or between the two in the middle.
func (s sample) median() float64 {
	if len(s) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(s))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// quantile is the smallest one that at least q of all do not exceed.
func (s sample) quantile(q float64) float64 {
	if len(s) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[min(max(int(math.Ceil(q*float64(len(sorted))))-1, 0), len(sorted)-1)]
}

// ratio divides round by round: what disturbed one side of a round, disturbed the
// other one as well.
func ratio(a, b sample) sample {
	out := make(sample, 0, len(a))
	for i := range min(len(a), len(b)) {
		out = append(out, a[i]/b[i])
	}
	return out
}

// scaled is every value times by.
func (s sample) scaled(by float64) sample {
	out := make(sample, 0, len(s))
	for _, v := range s {
		out = append(out, v*by)
	}
	return out
}
