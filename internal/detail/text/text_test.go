package text

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestWidth(t *testing.T) {
	for s, want := range map[string]int{
		"": 0, "abc": 3, "\t": 8, "a\tb": 9, "12345678\t": 16, "日本": 4, "é": 1, "e\u0301": 1, "👍": 2, "\u0301": 1, "ａ": 2,
		"a\u202eb": 2, "\xff": 1, "🇫": 1,
	} {
		if got := Width(s); got != want {
			t.Errorf("%q is %d wide, want %d", s, got, want)
		}
	}
}

func TestBreak(t *testing.T) {
	for _, c := range []struct {
		s               string
		column, columns int
		bytes, end      int
	}{
		{"abcdef", 0, 4, 4, 4}, {"abc", 0, 4, 3, 3}, {"abc", 2, 4, 2, 4}, {"日本", 0, 3, 3, 2}, {"日", 0, 1, 3, 2}, {"日", 1, 2, 0, 1},
		{"ae\u0301b", 0, 2, 4, 2}, {"a\tb", 0, 8, 2, 8}, {"", 3, 4, 0, 3},
	} {
		if bytes, end := Break(c.s, c.column, c.columns); bytes != c.bytes || end != c.end {
			t.Errorf("%+v: %d %d", c, bytes, end)
		}
	}
}

func TestVisible(t *testing.T) {
	for s, want := range map[string]string{
		"plain\ttext": "plain\ttext", "a\x1bb": "a␛b", "\x00\n\x7f": "␀␊␡", "a\u0085b\u2028": "a␤b␤", "\u009b": "\ufffd", "a\u202eb\u2066": "a\ufffdb\ufffd", "\xff": "\ufffd", "日本": "日本",
	} {
		if got := Visible(s); got != want {
			t.Errorf("%q shows as %q, want %q", s, got, want)
		}
	}
}

func TestWides(t *testing.T) {
	for i := range wides {
		if wides[i][0] > wides[i][1] || i > 0 && wides[i][0] <= wides[i-1][1] {
			t.Errorf("%x is out of order", wides[i])
		}
	}
}

// FuzzBreak holds that a text's rows are the text, none too wide, and none could
// take more; and that what is made visible is.
func FuzzBreak(f *testing.F) {
	f.Add("a line\tthat is 日本 wide e\u0301", uint8(5))
	f.Add("\xff\x00\u202e\u2066x", uint8(1))
	f.Fuzz(func(t *testing.T, s string, c uint8) {
		columns := int(c%100) + 1
		rows, rest := 0, s
		for first := true; first || rest != ""; first = false {
			n, end := Break(rest, 0, columns)
			if n == 0 && rest != "" {
				t.Fatal("no letter fits")
			}
			if row := rest[:n]; Width(row) != end || end > columns && utf8.RuneCountInString(strings.TrimFunc(row, marks)) > 1 {
				t.Fatalf("row %q is %d wide, of %d, said %d", row, Width(row), columns, end)
			}
			rest = rest[n:]
			rows++
		}
		if got := Rows(s, columns); got != rows {
			t.Fatalf("%d rows, want %d", got, rows)
		}
		expanded, end := Expand(s, 0)
		if end != Width(s) || strings.Contains(expanded, "\t") || utf8.ValidString(s) && Width(expanded) != end {
			t.Fatalf("%q expands to %q, %d", s, expanded, end)
		}
		for _, r := range Visible(s) {
			if r != '\t' && unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
				t.Fatalf("%q is not visible: %U", s, r)
			}
		}
	})
}

func marks(r rune) bool { return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) }

// TestBreakWords breaks after spaces, unless a row would be half empty, and loses nothing.
func TestBreakWords(t *testing.T) {
	for _, c := range []struct {
		s       string
		columns int
		want    string
	}{
		{"one two three", 8, "one two |three"}, {"one two three", 7, "one two |three"}, {"onetwothree four", 6, "onetwo|three |four"},
		{"a bcdefghij", 6, "a bcde|fghij"}, {"abc ", 3, "abc "}, {"abc d", 3, "abc |d"}, {"日本 日本", 5, "日本 |日本"}, {"", 3, ""}, {"a\tb c", 9, "a\tb |c"}, {"      ", 2, "   |   "},
	} {
		var got []string
		for rest := c.s; ; {
			n := BreakWords(rest, c.columns)
			got, rest = append(got, rest[:n]), rest[n:]
			if rest == "" {
				break
			}
		}
		if strings.Join(got, "|") != c.want || len(got) != Rows(c.s, c.columns) {
			t.Errorf("%q at %d: %q in %d rows, want %q", c.s, c.columns, got, Rows(c.s, c.columns), c.want)
		}
	}
}
