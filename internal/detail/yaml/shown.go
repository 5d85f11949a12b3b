package yaml

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"watchglass/internal/detail/text"
)

// Span is a piece of a row with one look.
type Span struct{ Text, Look string }

// stands returns the replacement for a character that is invisible or would move others; "" for
// a character that displays as itself.
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

// appendShown appends a piece of a line, with invisible characters replaced.
func appendShown(spans []Span, s string, look string) []Span {
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
		spans = append(spans, Span{stands(r), strings.TrimSpace(look + " " + controlLook)})
		s = s[size:]
	}
	return spans
}

// widthOf returns how many columns a character takes as displayed.
func widthOf(r rune) int {
	if r >= ' ' && r <= '~' {
		return 1
	}
	if s := stands(r); s != "" {
		return utf8.RuneCountInString(s)
	}
	return text.Width(string(r))
}

// take returns how many bytes of a line fit into so many columns; at least one character.
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

// Visible returns a text with invisible characters replaced. Line breaks stay.
func Visible(s string) string {
	var out strings.Builder
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			out.WriteByte('\n')
		}
		for _, span := range appendShown(nil, line, "") {
			out.WriteString(span.Text)
		}
	}
	return out.String()
}
