package line

import "strings"

// object reads the members of a JSON object, one after the other. It does not decode them, and
// skips what is nested, however deep, without recursion.
type object struct {
	text string
	at   int // after the opening bracket

	key   Part
	value Part // without quotes
	kind  byte // the first byte of the value
	ended bool // the closing bracket was read
}

// next reads a member. It returns false at the end, and at anything that is not JSON.
func (o *object) next() bool {
	at, more := o.begin('}')
	if !more {
		return false
	}
	end := closingQuote(o.text, at)
	if end < 0 {
		return false
	}
	o.key = Part{at + 1, end}
	if at = o.space(end + 1); at == len(o.text) || o.text[at] != ':' {
		return false
	}
	return o.read(o.space(at + 1))
}

// element reads an element of an array.
func (o *object) element() bool {
	at, more := o.begin(']')
	return more && o.read(at)
}

// begin returns where the next member or element begins, if the closing bracket does not come first.
func (o *object) begin(closing byte) (at int, more bool) {
	first := o.kind == 0
	at = o.space(o.at)
	switch {
	case at == len(o.text):
		return at, false
	case o.text[at] == closing:
		o.ended, o.at = true, at+1
		return at, false
	case first:
		return at, true
	case o.text[at] != ',':
		return at, false
	}
	return o.space(at + 1), true
}

// read reads a value.
func (o *object) read(at int) bool {
	if at == len(o.text) {
		return false
	}
	o.kind = o.text[at]
	switch o.kind {
	case '"':
		end := closingQuote(o.text, at)
		if end < 0 {
			return false
		}
		o.value, o.at = Part{at + 1, end}, end+1
	case '{', '[':
		end := closingBracket(o.text, at)
		if end < 0 {
			return false
		}
		o.value, o.at = Part{at, end + 1}, end+1
	default:
		end := at
		for end < len(o.text) && strings.IndexByte(",}] \t", o.text[end]) < 0 {
			end++
		}
		if end == at || strings.IndexByte("-0123456789tfnNI", o.kind) < 0 {
			return false
		}
		o.value, o.at = Part{at, end}, end
	}
	return true
}

func (o *object) space(at int) int { return skipSpaces(o.text, at) }

// shortText is how long most keys and values are.
const shortText = 16

// closingQuote returns the position of the quote that closes the one at a position; -1 if there
// is none.
func closingQuote(s string, at int) int {
	if at >= len(s) || s[at] != '"' {
		return -1
	}
	for at++; ; at++ {
		for near := min(at+shortText, len(s)); at < near && s[at] != '"'; at++ { // faster than a call
		}
		next := strings.IndexByte(s[at:], '"')
		if next < 0 {
			return -1
		}
		at += next
		slashes := 0
		for s[at-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return at
		}
	}
}

// closingBracket returns the position of the bracket that closes the one at a position; -1 if
// there is none.
func closingBracket(s string, at int) int {
	for depth := 0; at < len(s); at++ {
		switch s[at] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at
			}
		case '"':
			if at = closingQuote(s, at); at < 0 {
				return -1
			}
		}
	}
	return -1
}
