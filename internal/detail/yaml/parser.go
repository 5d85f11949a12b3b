package yaml

import (
	"bytes"
	"slices"
)

// maxDepth is how deep maps and lists may nest. Versions are compared by recursion: at some thousand levels a
// browser's stack ends, and the page with it. Each level is also read anew with all that is in it. No real object
// has a tenth as many levels.
const maxDepth = 200

// parser checks a document against the grammar of JSON. Its methods parse what begins at an
// index and return the index after it, or -1 if it is malformed.
type parser struct {
	document
	open    []container // maps and lists that have not ended
	values  int
	tooDeep bool
}

// container is a map or a list: its opening bracket, and the number of its span.
type container struct {
	bracket byte
	span    int32
}

// at returns the byte at an index, or 0, which JSON does not contain, beyond the end.
func (p *parser) at(i int) byte {
	if i < len(p.json) {
		return p.json[i]
	}
	return 0
}

// all parses a value and everything in it, without recursion.
func (p *parser) all(i int) int {
	for i >= 0 && p.values <= MaxValues {
		p.values++
		switch c := p.at(i); c {
		case '{', '[':
			if i = p.begin(i); i < 0 || p.at(i) != c+2 { // its closing bracket
				i = p.member(i, c)
				continue
			}
		case '"':
			i = p.text(i)
		case 't':
			i = p.literal(i, "true")
		case 'f':
			i = p.literal(i, "false")
		case 'n':
			i = p.literal(i, "null")
		default:
			i = p.number(i)
		}
		if i = p.behind(i); i < 0 || len(p.open) == 0 {
			return i
		}
	}
	return i
}

// begin parses an opening bracket.
func (p *parser) begin(i int) int {
	if len(p.open) == maxDepth {
		p.tooDeep = true
		return -1
	}
	if len(p.spans) == cap(p.spans) {
		p.spans = slices.Grow(p.spans, max(64, len(p.spans)))
	}
	p.open = append(p.open, container{p.json[i], int32(len(p.spans))})
	p.spans = append(p.spans, span{})
	return space(p.json, i+1)
}

// member parses the key of the next value, if that is in a map.
func (p *parser) member(i int, of byte) int {
	if of == '[' || i < 0 {
		return i
	}
	if i = p.text(i); i < 0 {
		return -1
	}
	if i = space(p.json, i); p.at(i) != ':' {
		return -1
	}
	return space(p.json, i+1)
}

// behind parses what follows a value, up to the next value or the end of the document. The byte
// at i may be the closing bracket of an empty map or list.
func (p *parser) behind(i int) int {
	for i >= 0 && len(p.open) > 0 {
		last := p.open[len(p.open)-1]
		switch i = space(p.json, i); p.at(i) {
		case last.bracket + 2:
			i++
			p.spans[last.span] = span{end: int32(i), next: int32(len(p.spans))}
			p.open = p.open[:len(p.open)-1]
		case ',':
			return p.member(space(p.json, i+1), last.bracket)
		default:
			return -1
		}
	}
	return i
}

// text parses a string.
func (p *parser) text(i int) int {
	if p.at(i) != '"' {
		return -1
	}
	for i++; ; i++ {
		switch c := p.at(i); {
		case c == '"':
			return i + 1
		case c < ' ':
			return -1
		case c != '\\':
			continue
		}
		if i++; p.at(i) != 'u' {
			if bytes.IndexByte([]byte(`"\/bfnrt`), p.at(i)) < 0 {
				return -1
			}
			continue
		}
		for range 4 {
			if i++; !isHex(p.at(i)) {
				return -1
			}
		}
	}
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func (p *parser) literal(i int, word string) int {
	if !bytes.HasPrefix(p.json[i:], []byte(word)) {
		return -1
	}
	return i + len(word)
}

// number parses a number.
func (p *parser) number(i int) int {
	if p.at(i) == '-' {
		i++
	}
	if p.at(i) == '0' {
		i++
	} else if i = p.digits(i); i < 0 {
		return -1
	}
	if p.at(i) == '.' {
		if i = p.digits(i + 1); i < 0 {
			return -1
		}
	}
	if c := p.at(i); c == 'e' || c == 'E' {
		if i++; p.at(i) == '+' || p.at(i) == '-' {
			i++
		}
		return p.digits(i)
	}
	return i
}

// digits parses one or more digits.
func (p *parser) digits(i int) int {
	from := i
	for c := p.at(i); c >= '0' && c <= '9'; c = p.at(i) {
		i++
	}
	if i == from {
		return -1
	}
	return i
}
