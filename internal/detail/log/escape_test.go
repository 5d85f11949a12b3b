package log

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func decoded(line string) (string, []Span) {
	text, spans := decode(nil, nil, []byte(line))
	return string(text), spans
}

func TestDecode(t *testing.T) {
	for line, want := range map[string]string{
		"plain\ttext":                               "plain\ttext []",
		"\x1b[31mred\x1b[0m on":                     "red on [{3 2}]",
		"\x1b[1;91;44mx\x1b[22my":                   "xy [{1 1194} {2 170}]",
		"a\x1b[mb":                                  "ab []",
		"\x1b[38;5;196mx":                           "x [{1 2}]",
		"\x1b[38;2;255;0;0mx":                       "x [{1 2}]",
		"\x1b[48:2::10:10:10mx":                     "x [{1 32}]",
		"\x1b[38;5;2;1mx":                           fmt.Sprintf("x [{1 %d}]", 3|Bold),
		"\x1b[4:3mx\x1b[4:0my":                      fmt.Sprintf("xy [{1 %d}]", Underline),
		"\x1b[38;5mx":                               "x []",
		"\x1b[999;38;9;1mx":                         fmt.Sprintf("x [{1 %d}]", Bold),
		"a\x1b[2Kb\x1b[10;20Hc\x1b[?25hd":           "abcd []",
		"\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b":  "ab []",
		"\x1bP1$r\x1b\\a\x1b_x\x1b\\b\x1b^y\u009cc": "abc []",
		"\u009b31mred":                              "red [{3 2}]",
		"\u009dtitle\u009cx":                        "x []",
		"a\u0080b\u009fc":                           "abc []",
		"\x1b(Ba\x1b=b\x1b":                         "ab []",
		"a\bb\x00c\x07\x7fd":                        "abcd []",
		"\x1b]0;it never ends":                      "0;it never ends []",
		"\x1b[31":                                   " []",
		"\x1b[\x1b[31mx":                            "x [{1 2}]",
		"a\xffb":                                    "a\ufffdb []",
		"\x1b[>31mx":                                "x []",
	} {
		text, spans := decoded(line)
		if got := text + " " + fmt.Sprint(spans); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
		if coded([]byte(line)) != (text != line) { // else it is shown as it is
			t.Errorf("%q: coded is %v", line, text == line)
		}
	}
}

func TestNearest(t *testing.T) {
	for i, p := range palette {
		if got := nearest(p[0], p[1], p[2]); got != i {
			t.Errorf("%v is %d, want %d", p, got, i)
		}
	}
	for n := range 256 {
		if c := indexed(n); c < 0 || c > 15 {
			t.Errorf("colour %d is %d", n, c)
		}
	}
}

// FuzzDecode holds that what is shown has no control character, that spans stand in
// order, and that a line that is not coded is its own text.
func FuzzDecode(f *testing.F) {
	f.Add("\x1b[31mred\x1b[0m\x1b]0;t\x07\u009b1m")
	f.Add("\x1b[38:2:1:2:3:4:5:6:7:8m\xc2\x1b[;;;m")
	f.Fuzz(func(t *testing.T, line string) {
		text, spans := decoded(line)
		if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r != '\t' && unicode.IsControl(r) }) {
			t.Fatalf("%q shows as %q", line, text)
		}
		for i, s := range spans {
			if s.End > len(text) || s.End <= 0 || i > 0 && s.End <= spans[i-1].End {
				t.Fatalf("%q: %v", line, spans)
			}
			if letters, behind := s.Style.Colour(); letters > 16 || behind > 16 {
				t.Fatalf("%q: %v", line, spans)
			}
		}
		if !coded([]byte(line)) && (text != line || len(spans) > 0) {
			t.Fatalf("%q is %q %v", line, text, spans)
		}
		if text == line && len(line) > 0 && coded([]byte(line)) {
			t.Fatalf("%q is not coded", line)
		}
	})
}
