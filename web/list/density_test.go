package list

import (
	"testing"

	"watchglass/web/ui"
)

// TestDensityNames checks that a density is understood in both spellings, and that another name is the default.
func TestDensityNames(t *testing.T) {
	for name, pixels := range map[string]int{"compact": 24, "Compact": 24, "default": ui.RowHeight, "comfortable": 36, "tiny": ui.RowHeight, "": ui.RowHeight} {
		if got := densityOf(name).pixels; got != pixels {
			t.Errorf("%q: rows of %d, want %d", name, got, pixels)
		}
	}
}
