package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Tab is the distance between tab stops.
const Tab = 8

// Width returns how many columns a text takes if it begins at the first column.
func Width(s string) int {
	column := 0
	for i, r := range s {
		if r < utf8.RuneSelf && r != '\t' {
			column++
			continue
		}
		column += advance(s, i, r, column)
	}
	return column
}

// Break returns how many bytes of a text fit into so many columns if it begins at a column, and
// the column where they end. At least one character fits from the first column.
func Break(s string, column, columns int) (bytes, end int) {
	for i, r := range s {
		next := column + advance(s, i, r, column)
		if next > columns && column > 0 {
			return i, column
		}
		column = next
	}
	return len(s), column
}

// BreakWords returns how many bytes of a text go into a row of so many columns. A row ends after a
// space if there is one in its second half.
func BreakWords(s string, columns int) (bytes int) {
	n, _ := Break(s, 0, columns)
	switch {
	case n == len(s):
		return n
	case s[n] == ' ':
		return n + 1 // a space at the end of a row takes no room
	}
	if space := strings.LastIndexByte(s[:n], ' ') + 1; space > n/2 {
		return space
	}
	return n
}

// Rows returns the number of rows that a text takes at so many columns, if it is broken by
// BreakWords.
func Rows(s string, columns int) int {
	rows := 1
	if columns <= 0 || len(s) <= columns && strings.IndexByte(s, '\t') < 0 {
		return rows
	}
	for {
		n := BreakWords(s, columns)
		if n == len(s) {
			return rows
		}
		s = s[n:]
		rows++
	}
}

// advance returns how many columns a character takes at a column.
func advance(s string, i int, r rune, column int) int {
	switch {
	case r == '\t':
		return Tab - column%Tab
	case r < 0x300:
		return 1
	case i > 0 && unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0 // it combines with the one before
	case wide(r):
		return 2
	}
	return 1
}

// wide reports whether a character takes two columns, as East Asian characters and emoji do.
func wide(r rune) bool {
	if r < 0x1100 {
		return false
	}
	from, to := 0, len(wides) // the first range that does not end before r
	for from < to {
		if at := (from + to) / 2; wides[at][1] < r {
			from = at + 1
		} else {
			to = at
		}
	}
	return from < len(wides) && r >= wides[from][0]
}

// wides are the ranges of wide characters, in order.
var wides = [...][2]rune{
	{0x1100, 0x115f}, {0x231a, 0x231b}, {0x2329, 0x232a}, {0x23e9, 0x23ec}, {0x23f0, 0x23f0}, {0x23f3, 0x23f3},
	{0x25fd, 0x25fe}, {0x2614, 0x2615}, {0x2648, 0x2653}, {0x267f, 0x267f}, {0x2693, 0x2693}, {0x26a1, 0x26a1},
	{0x26aa, 0x26ab}, {0x26bd, 0x26be}, {0x26c4, 0x26c5}, {0x26ce, 0x26ce}, {0x26d4, 0x26d4}, {0x26ea, 0x26ea},
	{0x26f2, 0x26f3}, {0x26f5, 0x26f5}, {0x26fa, 0x26fa}, {0x26fd, 0x26fd}, {0x2705, 0x2705}, {0x270a, 0x270b},
	{0x2728, 0x2728}, {0x274c, 0x274c}, {0x274e, 0x274e}, {0x2753, 0x2755}, {0x2757, 0x2757}, {0x2795, 0x2797},
	{0x27b0, 0x27b0}, {0x27bf, 0x27bf}, {0x2b1b, 0x2b1c}, {0x2b50, 0x2b50}, {0x2b55, 0x2b55}, {0x2e80, 0x303e},
	{0x3041, 0x33ff}, {0x3400, 0x4dbf}, {0x4e00, 0xa4cf}, {0xa960, 0xa97f}, {0xac00, 0xd7a3}, {0xf900, 0xfaff},
	{0xfe10, 0xfe19}, {0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x16fe0, 0x18cff}, {0x1b000, 0x1b2ff},
	{0x1f004, 0x1f004}, {0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f200, 0x1f265}, {0x1f300, 0x1f64f},
	{0x1f680, 0x1f6ff}, {0x1f7e0, 0x1f7eb}, {0x1f90c, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
}

// Visible replaces characters that do not display: control characters, line breaks, direction
// overrides and invalid bytes. Tabs stay.
func Visible(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' && c != '\t' || c >= 0x7f {
			return s[:i] + strings.Map(picture, s[i:])
		}
	}
	return s
}

// picture returns the character displayed for another.
func picture(r rune) rune {
	switch {
	case r == '\t':
		return r
	case r < ' ':
		return '\u2400' + r
	case r == 0x7f:
		return '\u2421'
	case r == 0x85, r == '\u2028', r == '\u2029':
		return '\u2424'
	case r > 0x7f && r < 0xa0, '\u202a' <= r && r <= '\u202e', '\u2066' <= r && r <= '\u2069': // they change the text direction
		return utf8.RuneError
	}
	return r
}

// Expand replaces the tabs of a text that begins at a column with spaces. It also returns the
// column where the text ends.
func Expand(s string, column int) (string, int) {
	if strings.IndexByte(s, '\t') < 0 {
		for i, r := range s {
			column += advance(s, i, r, column)
		}
		return s, column
	}
	var b strings.Builder
	for i, r := range s {
		n := advance(s, i, r, column)
		column += n
		if r == '\t' {
			b.WriteString(strings.Repeat(" ", n))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String(), column
}
