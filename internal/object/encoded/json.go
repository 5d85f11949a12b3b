package encoded

import (
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Members calls f for each member of a JSON object, with the key unquoted and the value
// unchanged. It builds no tree, and stops when f returns an error.
func Members(doc []byte, f func(key string, value []byte) error) error {
	i := space(doc, 0)
	if i >= len(doc) || doc[i] != '{' {
		return fmt.Errorf("%w: not a JSON object", ErrMalformed)
	}
	i = space(doc, i+1)
	if i < len(doc) && doc[i] == '}' {
		return nil
	}
	for {
		end, err := skipString(doc, i)
		if err != nil {
			return err
		}
		key := Unquote(doc[i:end])
		i = space(doc, end)
		if i >= len(doc) || doc[i] != ':' {
			return fmt.Errorf("%w: no colon at byte %d", ErrMalformed, i)
		}
		i = space(doc, i+1)
		if end, err = SkipValue(doc, i); err != nil {
			return err
		}
		if err := f(key, doc[i:end]); err != nil {
			return err
		}
		var more bool
		if i, more, err = next(doc, end, '}'); !more {
			return err
		}
	}
}

// Elements calls f for each element of a JSON array. It stops when f returns an error.
func Elements(doc []byte, f func(value []byte) error) error {
	i := space(doc, 0)
	if i >= len(doc) || doc[i] != '[' {
		return fmt.Errorf("%w: not a JSON array", ErrMalformed)
	}
	i = space(doc, i+1)
	if i < len(doc) && doc[i] == ']' {
		return nil
	}
	for {
		end, err := SkipValue(doc, i)
		if err != nil {
			return err
		}
		if err := f(doc[i:end]); err != nil {
			return err
		}
		var more bool
		if i, more, err = next(doc, end, ']'); !more {
			return err
		}
	}
}

// next skips the comma or closing bracket after a value.
func next(doc []byte, i int, closing byte) (int, bool, error) {
	i = space(doc, i)
	if i < len(doc) && doc[i] == ',' {
		return space(doc, i+1), true, nil
	}
	if i < len(doc) && doc[i] == closing {
		return i + 1, false, nil
	}
	return i, false, fmt.Errorf("%w: no comma or %q at byte %d", ErrMalformed, closing, i)
}

func space(doc []byte, i int) int {
	for i < len(doc) && (doc[i] == ' ' || doc[i] == '\n' || doc[i] == '\t' || doc[i] == '\r') {
		i++
	}
	return i
}

// SkipValue returns the index after the JSON value that begins at i. It checks that strings and
// brackets are closed, but not that everything between them is valid JSON. It does not recurse.
func SkipValue(doc []byte, i int) (int, error) {
	depth := 0
	for start := i; i < len(doc); {
		switch c := doc[i]; c {
		case '"':
			end, err := skipString(doc, i)
			if err != nil {
				return end, err
			}
			i = end
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
			if depth < 0 {
				return i, fmt.Errorf("%w: no value at byte %d", ErrMalformed, start)
			}
		default:
			if depth == 0 && (c == ':' || delimiter(c)) {
				return i, fmt.Errorf("%w: no value at byte %d", ErrMalformed, start)
			}
			i++
			if depth > 0 {
				continue
			}
			for i < len(doc) && !delimiter(doc[i]) {
				i++
			}
		}
		if depth == 0 {
			return i, nil
		}
	}
	return i, fmt.Errorf("%w: the value does not end", ErrMalformed)
}

func delimiter(c byte) bool {
	return c == ',' || c == '}' || c == ']' || c == ' ' || c == '\n' || c == '\t' || c == '\r'
}

func skipString(doc []byte, i int) (int, error) {
	if i >= len(doc) || doc[i] != '"' {
		return i, fmt.Errorf("%w: no string at byte %d", ErrMalformed, i)
	}
	for i++; i < len(doc); i++ {
		switch doc[i] {
		case '\\':
			i++
		case '"':
			return i + 1, nil
		}
	}
	return len(doc), fmt.Errorf("%w: the string does not end", ErrMalformed)
}

// Unquote decodes a JSON string. It returns any other value as text.
func Unquote(value []byte) string {
	if len(value) < 2 || value[0] != '"' {
		return string(value)
	}
	value = value[1 : len(value)-1]
	for _, c := range value {
		if c == '\\' {
			return unescape(value)
		}
	}
	return string(value)
}

var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func unescape(s []byte) string {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 >= len(s) {
			out = append(out, s[i])
			continue
		}
		i++
		if s[i] != 'u' {
			out = append(out, escapes[s[i]])
			continue
		}
		r := hexRune(s, i+1)
		i += 4
		if utf16.IsSurrogate(r) {
			low := rune(-1)
			if i+2 < len(s) && s[i+1] == '\\' && s[i+2] == 'u' {
				low = hexRune(s, i+3)
			}
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				i += 6
			}
		}
		out = utf8.AppendRune(out, r)
	}
	return string(out)
}

func hexRune(s []byte, i int) rune {
	if i+4 > len(s) {
		return utf8.RuneError
	}
	n, err := strconv.ParseUint(string(s[i:i+4]), 16, 16)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}

const hexDigits = "0123456789abcdef"

// AppendString appends a JSON string. Bytes that are not UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if c >= utf8.RuneSelf && (r != utf8.RuneError || size > 1) {
			i += size
			continue
		}
		dst = append(dst, s[start:i]...)
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c < ' ':
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		default:
			dst = append(dst, "\ufffd"...)
		}
		i += size
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}
