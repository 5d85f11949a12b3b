package object

import (
	"cmp"
	"testing"
)

// TestCompareIsAnOrder compares any three cells of a column with each other. A column of
// numbers may contain anything.
func TestCompareIsAnOrder(t *testing.T) {
	texts := []string{"", "0", "-0", "2", "2.0", "10", "100", "1x", "-1", "1e3", "1e999", "-1e999", "Inf", "-Inf", "NaN", "nan", "0x10", "<none>", "<unknown>", "é", "9 "}
	for _, kind := range []CellKind{TextCell, NumberCell, AgeCell, CountedCell, SpanCell, NameCell} {
		var cells []Cell
		for i, text := range texts {
			cells = append(cells, Cell{Kind: kind, Text: text, At: int64(i % 5), End: int64(i % 3)})
		}
		for _, a := range cells {
			for _, b := range cells {
				ab := a.Compare(b)
				if ab != -b.Compare(a) {
					t.Errorf("%v: %v and %v: %d and %d", kind, a, b, ab, b.Compare(a))
				}
				for _, c := range cells {
					if bc, ac := b.Compare(c), a.Compare(c); ab <= 0 && bc <= 0 && ac != cmp.Or(ab, bc) {
						t.Errorf("%v: %v, %v, %v: %d, %d, but %d", kind, a, b, c, ab, bc, ac)
					}
				}
			}
		}
	}
}
