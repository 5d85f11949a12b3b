package line

import "strings"

// pairs reads the key=value pairs of logfmt, one after the other.
type pairs struct {
	text string
	at   int

	key   Part
	value Part
	kind  byte
}

// next reads a pair. It returns false at the end, and at anything that is not a pair.
func (p *pairs) next() bool {
	at := skipSpaces(p.text, p.at)
	end := keyEnd(p.text, at)
	if end == at || end == len(p.text) || p.text[end] != '=' {
		return false
	}
	p.key, p.kind = Part{at, end}, 0
	at = end + 1
	if at < len(p.text) && p.text[at] == '"' {
		if end = closingQuote(p.text, at); end < 0 || end+1 < len(p.text) && strings.IndexByte(" \t,", p.text[end+1]) < 0 {
			return false
		}
		p.value, p.kind, p.at = Part{at + 1, end}, '"', end+1
	} else {
		p.value = Part{at, valueEnd(p.text, at)}
		p.at = p.value.To
	}
	if p.at < len(p.text) && p.text[p.at] == ',' { // Envoy and some others separate by commas
		p.at++
	}
	return true
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
func valueEnd(s string, at int) int {
	if at < len(s) && (s[at] == '{' || s[at] == '[') {
		if end := closingBracket(s[:min(len(s), at+longestNested)], at); end >= 0 && (end+1 == len(s) || s[end+1] == ' ') {
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

// pairsAtEnd returns where the pairs at the end of a text begin; its end if there are none.
func pairsAtEnd(s string, from int) int {
	start := len(s)
	for at := skipSpaces(s, from); at < len(s); at = skipSpaces(s, at) {
		p := pairs{text: s, at: at}
		if p.next() {
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
