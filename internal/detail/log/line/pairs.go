package line

import "strings"

// pairs reads the key=value pairs of logfmt, one after the other.
type pairs struct {
	text string
	at   int
	read int // bytes read so far to find where values end

	key   Part
	value Part
	kind  byte
}

// spareWork is how much more than twice its length is read of a line to find where values end.
const spareWork = 4 << 10

// tired reports whether enough was read to find where values end: a line that opens quotes and brackets again
// and again, and closes none, would be read to its end for each. A line that closes them is read once. What
// is left of such a line is not read as pairs.
func (p *pairs) tired() bool { return p.read > 2*len(p.text)+spareWork }

// next reads a pair. It returns false at the end, at anything that is not a pair, and once it is tired.
func (p *pairs) next() bool {
	if p.tired() {
		return false
	}
	at := skipSpaces(p.text, p.at)
	end := keyEnd(p.text, at)
	if end == at || end == len(p.text) || p.text[end] != '=' {
		return false
	}
	p.key, p.kind = Part{at, end}, 0
	at = end + 1
	if at < len(p.text) && p.text[at] == '"' {
		if end = p.closing(at, len(p.text), closingQuote); end < 0 || end+1 < len(p.text) && strings.IndexByte(" \t,", p.text[end+1]) < 0 {
			return false
		}
		p.value, p.kind, p.at = Part{at + 1, end}, '"', end+1
	} else {
		p.value = Part{at, p.valueEnd(at)}
		p.at = p.value.To
	}
	if p.at < len(p.text) && p.text[p.at] == ',' { // Envoy and some others separate by commas
		p.at++
	}
	return true
}

// closing returns the position of what closes the quote or bracket at a position; -1 if that is not before a limit.
func (p *pairs) closing(at, limit int, find func(s string, at int) int) int {
	end := find(p.text[:limit], at)
	if end < 0 {
		p.read += limit - at
	} else {
		p.read += end - at
	}
	return end
}

// keyEnd returns where the key that begins at a position ends.
func keyEnd(s string, at int) int {
	if at == len(s) || !isWord(s[at]) && s[at] != '@' {
		return at
	}
	for at < len(s) && (isWord(s[at]) || strings.IndexByte("-.@/", s[at]) >= 0) {
		at++
	}
	return at
}

// longestNested is the most that an object or a list in a pair may take, so that many brackets that
// are never closed take no long time.
const longestNested = 512

// valueEnd returns where a bare value ends: before a space outside brackets, or a comma before a
// space.
func (p *pairs) valueEnd(at int) int {
	s := p.text
	if at < len(s) && (s[at] == '{' || s[at] == '[') {
		if end := p.closing(at, min(len(s), at+longestNested), closingBracket); end >= 0 && (end+1 == len(s) || s[end+1] == ' ') {
			return end + 1
		}
	}
	for at < len(s) && s[at] != ' ' && s[at] != '\t' && (s[at] != ',' || at+1 < len(s) && s[at+1] != ' ') {
		at++
	}
	return at
}

// isPair reports whether a line of pairs begins here.
func isPair(s string, at int) bool {
	end := keyEnd(s, at)
	return end > at && end < len(s) && s[end] == '=' && (end+1 == len(s) || s[end+1] != '=')
}

// pairsAtEnd returns where the pairs at the end of a text begin; its end if there are none, or if it takes too
// much work to find them.
func (l *Line) pairsAtEnd(s string, from int) int {
	start, p := len(s), pairs{text: s}
	defer func() { l.work += len(s) - from + p.read }()
	for at := skipSpaces(s, from); at < len(s); at = skipSpaces(s, at) {
		if p.tired() {
			return len(s)
		}
		if p.at = at; p.next() {
			if start == len(s) {
				start = at
			}
			at = p.at
			continue
		}
		start = len(s)
		for at < len(s) && s[at] != ' ' && s[at] != '\t' {
			at++
		}
	}
	return start
}
