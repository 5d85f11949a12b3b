package yaml

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// maxWidth is the column after which a text wraps at a space.
const maxWidth = 80

// unquote reads a JSON string like encoding/json. The result is part of the document if it needs
// no decoding; w.buffer is empty then. Otherwise it is in w.buffer, until the next call.
func (w *writer) unquote(token []byte) []byte {
	token = token[1 : len(token)-1]
	w.buffer = w.buffer[:0]
	if bytes.IndexByte(token, '\\') < 0 && utf8.Valid(token) {
		return token
	}
	valid := utf8.Valid(token)
	for i := 0; i < len(token); {
		if token[i] != '\\' {
			run := token[i:]
			if at := bytes.IndexByte(run, '\\'); at >= 0 {
				run = run[:at]
			}
			i += len(run)
			if valid {
				w.buffer = append(w.buffer, run...)
				continue
			}
			for _, r := range string(run) { // a byte that is none of UTF-8 becomes U+FFFD
				w.buffer = utf8.AppendRune(w.buffer, r)
			}
			continue
		}
		c := token[i+1]
		if c == 'u' {
			r := hexadecimal(token[i+2:])
			i += 6
			if utf16.IsSurrogate(r) {
				low := rune(-1)
				if bytes.HasPrefix(token[i:], []byte(`\u`)) {
					low = hexadecimal(token[i+2:])
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					i += 6
				}
			}
			w.buffer = utf8.AppendRune(w.buffer, r)
			continue
		}
		if at := bytes.IndexByte([]byte("bfnrt"), c); at >= 0 {
			c = "\b\f\n\r\t"[at]
		}
		w.buffer = append(w.buffer, c)
		i += 2
	}
	return w.buffer
}

func hexadecimal(digits []byte) rune {
	n, _ := strconv.ParseUint(string(digits[:4]), 16, 32) // the document is valid
	return rune(n)
}

// styled writes a text in a style. Further lines are indented deeper than its key or dash. A
// text that does not fold stays on its line. bare and quoted are its role without quotes and
// within.
func (w *writer) styled(s []byte, in style, folds bool, bare, quoted role) {
	w.indent += indentation
	switch in {
	case plain:
		w.plain(s, folds, bare)
	case single:
		w.indicator(quoted, "'", false)
		w.within = quoted
		w.single(s, folds)
		w.sign("'")
	case double:
		w.indicator(quoted, `"`, false)
		w.within = quoted
		w.double(s, folds)
		w.sign(`"`)
	case literal:
		w.literal(s)
	}
	w.indent -= indentation
	w.within = plainRole
}

// plain writes a text without quotes. It folds at a single space behind maxWidth.
func (w *writer) plain(s []byte, folds bool, as role) {
	w.indicator(as, "", false)
	w.spaced, w.indented = false, false
	for folds && !w.full() {
		at := w.foldIn(s)
		if at < 0 {
			break
		}
		w.write(s[:at])
		w.line()
		w.spaced, w.indented = false, false
		s = s[at+1:]
	}
	w.write(s)
}

// foldIn returns the index of the space at which a text folds first, or -1.
func (w *writer) foldIn(s []byte) int {
	from := max(maxWidth-w.column, 0) // whatever comes before is within the width
	if from >= len(s) {
		return -1
	}
	for from > 0 && !utf8.RuneStart(s[from]) {
		from--
	}
	column := w.column + utf8.RuneCount(s[:from])
	for {
		at := bytes.IndexByte(s[from:], ' ')
		if at < 0 {
			return -1
		}
		column += utf8.RuneCount(s[from : from+at])
		from += at
		if column > maxWidth && s[from-1] != ' ' && s[from+1] != ' ' {
			return from
		}
		column++
		from++
	}
}

// single writes a text between single quotes, and doubles those within.
func (w *writer) single(s []byte, folds bool) {
	after, broken := false, false
	for i := 0; i < len(s) && !w.full(); {
		r, size := utf8.DecodeRune(s[i:])
		switch {
		case r == ' ':
			if folds && !after && w.column > maxWidth && i > 0 && i < len(s)-1 && s[i+1] != ' ' {
				w.line()
				i++
			} else {
				i += w.rune(s[i:])
			}
			after = true
			continue
		case isBreak(r):
			w.newline(s[i : i+size])
			w.indented, broken = true, true
			i += size
			continue
		case broken:
			w.line()
		}
		if r == '\'' {
			w.rune(s[i:])
		}
		i += w.rune(s[i:])
		w.indented, after, broken = false, false, false
	}
}

// double writes a text between double quotes, with escapes. After a byte order mark at its beginning,
// libyaml escapes every character.
func (w *writer) double(s []byte, folds bool) {
	marked := bytes.HasPrefix(s, []byte("\ufeff"))
	for i, after := 0, false; i < len(s) && !w.full(); {
		r, size := utf8.DecodeRune(s[i:])
		switch {
		case marked, !printable(r), isBreak(r), r == '"', r == '\\':
			w.escape(r)
			after = false
		case r == ' ' && folds && !after && w.column > maxWidth && i > 0 && i < len(s)-1:
			w.line()
			if s[i+1] == ' ' {
				w.out = append(w.out, '\\')
				w.column++
			}
			after = true
		default:
			w.rune(s[i:])
			after = r == ' '
		}
		i += size
	}
}

// escapes are the letters of escapes with a backslash.
var escapes = map[rune]byte{
	0: '0', 7: 'a', 8: 'b', 9: 't', 10: 'n', 11: 'v', 12: 'f', 13: 'r', 27: 'e', '"': '"', '\\': '\\',
	0x85: 'N', 0xa0: '_', 0x2028: 'L', 0x2029: 'P',
}

func (w *writer) escape(r rune) {
	from := len(w.out)
	w.out = append(w.out, '\\')
	letter, known := escapes[r]
	switch {
	case known:
		w.out = append(w.out, letter)
	case r <= 0xff:
		w.out = appendHex(append(w.out, 'x'), r, 2)
	case r <= 0xffff:
		w.out = appendHex(append(w.out, 'u'), r, 4)
	default:
		w.out = appendHex(append(w.out, 'U'), r, 8)
	}
	w.column += len(w.out) - from
}

func appendHex(dst []byte, r rune, digits int) []byte {
	for digits--; digits >= 0; digits-- {
		dst = append(dst, "0123456789ABCDEF"[r>>(4*digits)&15])
	}
	return dst
}

// literal writes a text as a literal block.
func (w *writer) literal(s []byte) {
	w.indicator(markRole, "|", false)
	if first, _ := utf8.DecodeRune(s); first == ' ' || isBreak(first) {
		w.sign(strconv.Itoa(indentation))
	}
	last, size := utf8.DecodeLastRune(s)
	before, _ := utf8.DecodeLastRune(s[:len(s)-size])
	switch {
	case !isBreak(last):
		w.sign("-")
	case len(s) == size, isBreak(before):
		w.sign("+")
	}
	w.newline(lineFeed)
	w.indented, w.spaced = true, true
	for len(s) > 0 && !w.full() {
		w.put(blockRole)
		end, size := breakIn(s)
		if end > 0 {
			w.line()
			w.out = append(w.out, s[:end]...) // it does not fold: its width does not matter
			w.indented = false
		}
		if size > 0 {
			w.newline(s[end : end+size])
			w.indented = true
		}
		s = s[end+size:]
	}
}

// breakIn returns the index of the first line break of a text, or its length. The breaks in
// a literal block are \n, U+2028 and U+2029: a text with others is written in double quotes.
func breakIn(s []byte) (at, size int) {
	for i, c := range s {
		if c != '\n' && c < utf8.RuneSelf {
			continue
		}
		if r, size := utf8.DecodeRune(s[i:]); isBreak(r) {
			return i, size
		}
	}
	return len(s), 0
}

// write writes a text without line breaks.
func (w *writer) write(s []byte) {
	w.out = append(w.out, s...)
	w.column += utf8.RuneCount(s)
}

// rune writes the first character of a text, and returns its length.
func (w *writer) rune(s []byte) int {
	size := 1
	if s[0] >= utf8.RuneSelf {
		_, size = utf8.DecodeRune(s)
	}
	w.out = append(w.out, s[:size]...)
	w.column++
	return size
}
