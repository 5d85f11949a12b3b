package line

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Part is a part of a line, by bytes.
type Part struct{ From, To int }

// Of returns the text of the part.
func (p Part) Of(text string) string { return text[p.From:p.To] }

// Empty reports whether there is nothing in the part.
func (p Part) Empty() bool { return p.From >= p.To }

// Field is a key with its value.
type Field struct {
	// Name is the key, unless the line does not write one: then Key is empty.
	Name string
	// Key and Value are where the line has them, without quotes.
	Key, Value Part
	// Kind is the first byte of a JSON value, and '"' for any other value in quotes; 0 for bare ones.
	Kind byte
	// Within means that the value is part of the message.
	Within bool
}

// Nested reports whether the value is a JSON object or array.
func (f Field) Nested() bool { return f.Kind == '{' || f.Kind == '[' }

// NameOf returns the name of the field.
func (f Field) NameOf(text string) string {
	if f.Name != "" {
		return f.Name
	}
	return f.Key.Of(text)
}

// Text returns the value with its escapes decoded.
func (f Field) Text(text string) string {
	value := f.Value.Of(text)
	if f.Kind != '"' {
		return value
	}
	return unescape(value)
}

// unescape decodes the escapes of JSON and Go. What is not an escape remains.
func unescape(s string) string {
	at := strings.IndexByte(s, '\\')
	if at < 0 {
		return s
	}
	b := make([]byte, at, len(s))
	copy(b, s)
	for i := at; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			b = append(b, s[i])
			i++
			continue
		}
		var n int
		b, n = appendEscape(b, s[i:])
		i += n
	}
	return string(b)
}

// appendEscape appends what an escape stands for, and returns its length.
func appendEscape(b []byte, s string) ([]byte, int) {
	if at := strings.IndexByte(`"\/'nrtbfv`, s[1]); at >= 0 {
		return append(b, "\"\\/'\n\r\t\b\f\v"[at]), 2
	}
	switch s[1] {
	case 'u':
		if r, ok := hex(s, 2, 4); ok {
			if low, ok := hex(s, 8, 4); utf16.IsSurrogate(r) && ok && s[6:8] == `\u` {
				if full := utf16.DecodeRune(r, low); full != utf8.RuneError {
					return utf8.AppendRune(b, full), 12
				}
			}
			return utf8.AppendRune(b, r), 6
		}
	case 'x':
		if r, ok := hex(s, 2, 2); ok && r < utf8.RuneSelf {
			return append(b, byte(r)), 4
		}
	}
	return append(b, '\\'), 1
}

func hex(s string, from, digits int) (rune, bool) {
	if len(s) < from+digits {
		return 0, false
	}
	n, err := strconv.ParseUint(s[from:from+digits], 16, 32)
	return rune(n), err == nil
}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// isWord reports whether a byte can be part of a name.
func isWord(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' }

func skipSpaces(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	return i
}

// trimmed returns the part without spaces at its ends.
func trimmed(s string, p Part) Part {
	p.From = min(skipSpaces(s, p.From), p.To)
	for p.To > p.From && (s[p.To-1] == ' ' || s[p.To-1] == '\t') {
		p.To--
	}
	return p
}
