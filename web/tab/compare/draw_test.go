package compare

import "testing"

// TestParted checks that values are split where they differ, at whole characters.
func TestParted(t *testing.T) {
	for _, c := range [][5]string{
		{"web:1.4", "web:1.5", "web:1.", "4", ""}, {"abc", "xyz", "", "abc", ""}, {"", "x", "", "", ""}, {"aéb", "aèb", "a", "é", "b"}, {"node-é", "node-è", "node-", "é", ""}, {"1111", "11111", "1111", "", ""}, {"same", "same", "same", "", ""},
	} {
		if before, middle, after := parted(c[0], c[1]); before != c[2] || middle != c[3] || after != c[4] {
			t.Errorf("%q beside %q: %q %q %q", c[0], c[1], before, middle, after)
		}
	}
}
