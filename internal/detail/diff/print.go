package diff

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// printMost is the maximum number of bytes shown of a value.
const printMost = 2 << 10

// Printed returns a change as text: the old and the new value, empty if absent. For texts of
// several lines it returns only the lines that differ.
func (c Change) Printed() (before, after string) {
	a, was := c.Before.(string)
	b, is := c.After.(string)
	if was && is && strings.Contains(a+b, "\n") {
		a, b = between(strings.Split(a, "\n"), strings.Split(b, "\n"))
		return cut(a), cut(b)
	}
	before, after = c.Values()
	return cut(before), cut(after)
}

// Values returns the old and the new value in full, as text; empty if absent.
func (c Change) Values() (before, after string) {
	if c.Kind != Added {
		before = printed(c.Before)
	}
	if c.Kind != Removed {
		after = printed(c.After)
	}
	return before, after
}

// between returns the lines between the common ones at both ends.
func between(a, b []string) (string, string) {
	above, below := 0, 0
	for above < len(a) && above < len(b) && a[above] == b[above] {
		above++
	}
	for below < len(a)-above && below < len(b)-above && a[len(a)-1-below] == b[len(b)-1-below] {
		below++
	}
	frame := func(lines []string) string {
		out := lines[above : len(lines)-below]
		if above > 0 {
			out = append([]string{"…"}, out...)
		}
		if below > 0 {
			out = append(out[:len(out):len(out)], "…")
		}
		return strings.Join(out, "\n")
	}
	return frame(a), frame(b)
}

// printed returns a value as JSON. Texts have quotes only where they could be mistaken for
// something else.
func printed(v any) string {
	if s, ok := v.(string); ok && plainText(s) {
		return s
	}
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(v) != nil {
		return "" // cannot happen: it was JSON
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func plainText(s string) bool {
	switch s {
	case "", "null", "true", "false":
		return false
	}
	return !json.Valid([]byte(s)) || strings.ContainsAny(s[:1], "{[")
}

func cut(s string) string { return Cut(s, printMost) }

// Cut returns a text of at most so many bytes, and whether it was longer.
func Cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + " …"
}
