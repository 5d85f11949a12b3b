package query

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestLine(t *testing.T) {
	for _, c := range []struct {
		source     string
		expression bool
		text       string
		want       string // where it is
	}{
		{"error", false, "Error: an ERROR", "[[0 5] [10 15]]"},
		{"Error", false, "Error: an ERROR", "[[0 5]]"},
		{"a.c", false, "abc a.c", "[[4 7]]"},
		{"a.c", true, "abc A.C", "[[0 3] [4 7]]"},
		{"A.C", true, "abc A.C", "[[4 7]]"},
		{`\Sb$`, true, "Ab aB", "[[3 5]]"},
		{`\p{Lu}x`, true, "1x ÉX", "[[3 6]]"},
		{`^\tx`, true, "\tx\tx", "[[0 2]]"},
		{"", false, "ab", "[]"},
		{`\x1fx`, true, "x\x1fx", "[[1 3]]"},
		{"x*", true, "axxb", "[[1 3]]"},
		{"日本", false, "a日本b", "[[1 7]]"},
		{"q", false, "abc", "[]"},
	} {
		l, err := ParseLine(c.source, c.expression)
		if err != nil {
			t.Errorf("%q: %v", c.source, err)
			continue
		}
		if got := fmt.Sprint(l.Find(c.text, 10)); got != c.want {
			t.Errorf("%q in %q: %s, want %s", c.source, c.text, got, c.want)
		}
		if got := l.In(c.text); got != (c.want != "[]" || c.source == "") {
			t.Errorf("%q in %q: %t", c.source, c.text, got)
		}
	}
}

func TestLineWrong(t *testing.T) {
	for source, want := range map[string]string{
		"ab(c": "0-4 invalid regular expression: missing \")\"", "x[z-a]": "2-5 invalid regular expression: invalid character class range",
		"a{300}": "0-6 the regular expression is too long",
	} {
		_, err := ParseLine(source, true)
		var e *Error
		if !errors.As(err, &e) || fmt.Sprintf("%d-%d %s", e.From, e.To, e.Message) != want {
			t.Errorf("%q: %v, want %s", source, err, want)
		}
	}
}

// FuzzLine holds lines against Go's regexp.
func FuzzLine(f *testing.F) {
	f.Add(`err(or)?\b`, "an Error\there")
	f.Add(`^a|b$`, "\x1fab")
	f.Fuzz(func(t *testing.T, source, text string) {
		l, err := ParseLine(source, true)
		if err != nil || !utf8.ValidString(text) || strings.ContainsAny(text, "\nſK") || strings.ContainsAny(source, "ſK\n") {
			return
		}
		prefix := ""
		if lowerCase(source) {
			prefix = "(?i)"
		}
		oracle, err := regexp.Compile("(?m)" + prefix + source)
		if err != nil {
			return
		}
		if got, want := l.In(text), oracle.MatchString(text); got != want {
			t.Fatalf("%q in %q: %t", source, text, got)
		}
		word, err := ParseLine(source, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range word.Find(text, 1000) {
			if !strings.EqualFold(text[at[0]:at[1]], source) {
				t.Fatalf("%q is not %q", text[at[0]:at[1]], source)
			}
		}
		if source != "" && word.In(text) != (len(word.Find(text, 1)) > 0) {
			t.Fatalf("%q in %q", source, text)
		}
	})
}
