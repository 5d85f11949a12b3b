package diff

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// printMost is how many bytes of a value are shown.
const printMost = 2 << 10

// Printed is how a change reads: what was, and what is; nothing where there is nothing.
// Of texts of several lines only those lines are shown that differ.
func (c Change) Printed() (before, after string) {
	a, was := c.Before.(string)
	b, is := c.After.(string)
	if was && is && strings.Contains(a+b, "\n") {
		a, b = between(strings.Split(a, "\n"), strings.Split(b, "\n"))
		return cut(a), cut(b)
	}
	if c.Kind != Added {
		before = printed(c.Before)
	}
	if c.Kind != Removed {
		after = printed(c.After)
	}
	return before, after
}

// between are the lines between those that are equal at both ends.
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

// printed is a value as a person would write it: JSON, but for texts, which are in
// quotes only where they could be something else.
func printed(v any) string {
	if s, ok := v.(string); ok && plainText(s) {
		return cut(s)
	}
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(v) != nil {
		return "" // of what was JSON: it does not happen
	}
	return cut(strings.TrimSuffix(out.String(), "\n"))
}

func plainText(s string) bool {
	switch s {
	case "", "null", "true", "false":
		return false
	}
	return !json.Valid([]byte(s)) || strings.ContainsAny(s[:1], "{[")
}

func cut(s string) string {
	if len(s) <= printMost {
		return s
	}
	end := printMost
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + " …"
}
