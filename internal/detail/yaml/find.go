package yaml

import "strings"

// Hit is an occurrence of the search text in a line.
type Hit struct{ Line, At, End int }

// Find returns all occurrences of a text, each within one line. It ignores the case of ASCII
// letters unless the text contains a capital.
func (y *YAML) Find(text string) []Hit {
	if text == "" {
		return nil
	}
	exact := strings.ContainsFunc(text, func(r rune) bool { return r >= 'A' && r <= 'Z' })
	var hits []Hit
	for i := range y.lines {
		line := y.Line(i)
		for from := 0; ; {
			at := index(line[from:], text, exact)
			if at < 0 {
				break
			}
			hits = append(hits, Hit{i, from + at, from + at + len(text)})
			from += at + len(text)
		}
	}
	return hits
}

// index returns the first occurrence of text in s, or -1. The text must be in lower case unless
// exact is set.
func index(s, text string, exact bool) int {
	if exact {
		return strings.Index(s, text)
	}
	first := text[0]
	other := first
	if first >= 'a' && first <= 'z' {
		other -= 'a' - 'A'
	}
	for i := 0; i+len(text) <= len(s); i++ {
		if (s[i] == first || s[i] == other) && folded(s[i:i+len(text)], text) {
			return i
		}
	}
	return -1
}

func folded(s, text string) bool {
	for i := range len(text) {
		c := s[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != text[i] {
			return false
		}
	}
	return true
}
