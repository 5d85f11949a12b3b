package yaml

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"watchglass/internal/detail/text"
)

// Span is a piece of a row that looks one way.
type Span struct{ Text, Look string }

// stands is what is shown for a character that would not be seen, or would move
// others; nothing for one that shows itself.
func stands(r rune) string {
	switch {
	case r >= ' ' && r < 0x7f:
		return ""
	case r == '\t':
		return "⇥   "
	case r < ' ':
		return string(0x2400 + r)
	case r == 0x7f:
		return "␡"
	case r < 0xa0, unicode.Is(unicode.Cf, r), r == '\u2028', r == '\u2029':
		return fmt.Sprintf("‹U+%04X›", r)
	}
	return ""
}

// appendShown adds a piece of a line, with what would not be seen made visible.
func appendShown(spans []Span, s string, look Look) []Span {
	for s != "" {
		i := strings.IndexFunc(s, func(r rune) bool { return (r < ' ' || r > '~') && stands(r) != "" })
		if i < 0 {
			i = len(s)
		}
		if i > 0 {
			spans = append(spans, Span{s[:i], look})
			s = s[i:]
			continue
		}
		r, size := utf8.DecodeRuneInString(s)
		spans = append(spans, Span{stands(r), strings.TrimSpace(look + " " + Control)})
		s = s[size:]
	}
	return spans
}

// widthOf is how many columns a character takes as it is shown.
func widthOf(r rune) int {
	if r >= ' ' && r <= '~' {
		return 1
	}
	if s := stands(r); s != "" {
		return utf8.RuneCountInString(s)
	}
	return text.Width(string(r))
}

// take is how many bytes of a line fit into so many columns: one character at least.
func take(line string, most int) int {
	n := 0
	for n < min(len(line), most) && line[n] >= ' ' && line[n] <= '~' {
		n++
	}
	if n == len(line) || n == most {
		return n
	}
	n = 0
	for i, r := range line {
		if n += widthOf(r); n > most && i > 0 {
			return i
		}
	}
	return len(line)
}

// Visible is a text with what would not be seen made visible; it keeps its lines.
func Visible(s string) string {
	var out strings.Builder
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			out.WriteByte('\n')
		}
		for _, span := range appendShown(nil, line, Plain) {
			out.WriteString(span.Text)
		}
	}
	return out.String()
}
