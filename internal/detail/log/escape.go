package log

import (
	"bytes"
	"unicode/utf8"
)

// Style is the appearance of a span of a line: a foreground colour, a background colour and
// attributes. The zero Style is plain.
type Style uint16

// The attributes. Colours are 1 to 16, for the sixteen of a terminal; 0 is none.
const (
	Bold Style = 1 << (10 + iota)
	Dim
	Italic
	Underline
	Inverse
	Struck

	foreground Style = 0x1f
	background Style = 0x1f << 5
)

// Colour returns the foreground and the background colour.
func (s Style) Colour() (letters, behind int) { return int(s & foreground), int(s & background >> 5) }

// Span is a piece of a line with one look. It ends before byte End of the text.
type Span struct {
	End   int
	Style Style
}

// coded reports whether a line needs decoding: it contains control characters or invalid UTF-8.
func coded(line []byte) bool {
	for i, c := range line {
		if c < ' ' && c != '\t' || c == 0x7f {
			return true
		}
		if c >= utf8.RuneSelf {
			return !utf8.Valid(line[i:]) || controls(line[i:])
		}
	}
	return false
}

func controls(line []byte) bool {
	for i, c := range line {
		if c < ' ' && c != '\t' || c == 0x7f || c == 0xc2 && i+1 < len(line) && line[i+1] < 0xa0 {
			return true
		}
	}
	return false
}

// decode appends the text of a line without escapes and control characters, and its looks.
func decode(text []byte, spans []Span, line []byte) ([]byte, []Span) {
	look, start, endless := Style(0), len(text), false
	begin := func(next Style) {
		if next != look {
			if n := len(text) - start; n > 0 && (len(spans) == 0 || spans[len(spans)-1].End < n) {
				spans = append(spans, Span{n, look})
			}
			look = next
		}
	}
	for len(line) > 0 {
		c := line[0]
		switch {
		case c == 0x1b || c == 0xc2 && len(line) > 1 && line[1] >= 0x80 && line[1] < 0xa0:
			n, params := escape(line, &endless)
			if params != nil {
				begin(look.sgr(params))
			}
			line = line[n:]
		case c < ' ' && c != '\t' || c == 0x7f:
			line = line[1:]
		case c < utf8.RuneSelf:
			n := 1
			for n < len(line) && (line[n] >= ' ' && line[n] < 0x7f || line[n] == '\t') {
				n++
			}
			text, line = append(text, line[:n]...), line[n:]
		default:
			r, n := utf8.DecodeRune(line)
			text, line = utf8.AppendRune(text, r), line[n:]
		}
	}
	if n := len(text) - start; look != 0 && n > 0 {
		begin(0)
	}
	return text, spans
}

// escape returns the length of the escape at the start of a line, and the parameters if it sets
// colours. An escape that does not end takes only its first bytes: it is better to show too
// much of a log than to hide a part. Endless is set once a text within an escape does not end, since
// none after it ends either: each byte is then read once, however many such escapes there are.
func escape(b []byte, endless *bool) (n int, colours []byte) {
	kind := byte(0)
	if b[0] == 0xc2 {
		n, kind = 2, b[1]-0x40
	} else if n = 1; len(b) > 1 {
		n, kind = 2, b[1]
	}
	switch {
	case kind == '[':
		return sequence(b, n)
	case bytes.IndexByte([]byte("]PX^_"), kind) >= 0 && kind != 0:
		if !*endless {
			n, *endless = titled(b, n)
		}
		return n, nil
	case b[0] == 0xc2:
		return n, nil
	case kind >= ' ' && kind <= '/': // ESC ( B
		for n < len(b) && b[n] >= ' ' && b[n] <= '/' {
			n++
		}
		if n < len(b) && b[n] >= '0' && b[n] <= '~' {
			return n + 1, nil
		}
	case kind >= '0' && kind <= '~':
		return 2, nil
	}
	return 1, nil
}

// sequence parses a control sequence: parameters, intermediate bytes and a final byte.
func sequence(b []byte, from int) (int, []byte) {
	n := from
	for n < len(b) && b[n] >= '0' && b[n] <= '?' {
		n++
	}
	end := n
	for n < len(b) && b[n] >= ' ' && b[n] <= '/' {
		n++
	}
	switch {
	case n == len(b) || b[n] < '@' || b[n] > '~':
		return n, nil // it breaks off
	case b[n] == 'm' && end == n && (end == from || b[from] < '<'):
		return n + 1, b[from:end:end]
	}
	return n + 1, nil
}

// titled returns the length of a sequence that contains a text, such as a title or a link, and whether
// the text does not end.
func titled(b []byte, from int) (n int, endless bool) {
	for n := from; n < len(b); n++ {
		switch {
		case b[n] == 0x07:
			return n + 1, false
		case b[n] == 0x1b && n+1 < len(b) && b[n+1] == '\\', b[n] == 0xc2 && n+1 < len(b) && b[n+1] == 0x9c:
			return n + 2, false
		}
	}
	return from, true
}
