package ui

import (
	"testing"

	"watchglass/internal/series"
)

// TestSparkline checks that what is not known is a gap and not zero, and that the newest value is at
// the right.
func TestSparkline(t *testing.T) {
	whole := series.Blank()
	whole[0], whole[59] = 0, 4
	for _, c := range []struct {
		history []float32
		want    string
	}{
		{nil, ""},
		{[]float32{-1, -1}, ""},
		{[]float32{0, 0}, "M58 94L59 94"},
		{[]float32{1, 0}, "M58 6L59 94"},
		{[]float32{4, 2, -1, 0, -1}, "M55 6L56 50M58 94h0"},
		{whole, "M0 94h0M59 6h0"},
	} {
		if got := path(c.history, 1); got != c.want {
			t.Errorf("%v: %s", c.history, got)
		}
	}
}
