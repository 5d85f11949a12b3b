package query

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Labels is the input of a selector.
type Labels interface {
	Lookup(key string) (value string, ok bool)
}

// Selector is a label selector in kubectl's syntax: requirements that must all be met. The
// empty one selects everything.
//
// It accepts what apimachinery's parser accepts, and selects the same; a fuzz test compares
// the two. That parser is not linked into the tab, since its regular expressions are compiled
// at every start.
type Selector []requirement

type requirement struct {
	key      string
	operator operator
	values   []string
	number   int64 // operand of greater and less
}

type operator uint8

const (
	exists operator = iota + 1
	notExists
	in
	notIn
	greater
	less
)

// SyntaxError reports where a selector is wrong, and what was expected there.
type SyntaxError struct {
	At       int // byte
	Found    string
	Expected string
}

func (e *SyntaxError) Error() string {
	found := "the end"
	if e.Found != "" {
		found = strconv.Quote(e.Found)
	}
	return fmt.Sprintf("found %s at character %d, expected %s", found, e.At+1, e.Expected)
}

// ParseSelector parses a selector: "app=web,tier in (a,b),!canary,size>3".
func ParseSelector(text string) (Selector, error) {
	p := selectorParser{text: text}
	p.next()
	var s Selector
	for p.token != "" {
		r, err := p.requirement()
		if err != nil {
			return nil, err
		}
		s = append(s, r)
		switch p.token {
		case "":
			return s, nil
		case ",":
			if p.next(); p.token == "" || special(p.token[0]) && p.token != "!" {
				return nil, p.expected("a label or '!' after ','")
			}
		default:
			return nil, p.expected("',' or the end")
		}
	}
	return s, nil
}

// selectorParser reads one token at a time. A token is a symbol or a word; it is empty at the
// end.
type selectorParser struct {
	text  string
	at    int // start of the token
	end   int // end of the token
	token string
}

func special(c byte) bool { return strings.IndexByte("=!(),><", c) >= 0 }

func space(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// symbols that are longer than one character.
var symbols = []string{"==", "!="}

func (p *selectorParser) next() {
	for p.at = p.end; p.at < len(p.text) && space(p.text[p.at]); p.at++ {
	}
	p.end = p.at
	switch {
	case p.at == len(p.text):
	case special(p.text[p.at]):
		p.end++
		if p.at+2 <= len(p.text) && slices.Contains(symbols, p.text[p.at:p.at+2]) {
			p.end++
		}
	default:
		for p.end < len(p.text) && !special(p.text[p.end]) && !space(p.text[p.end]) {
			p.end++
		}
	}
	p.token = p.text[p.at:p.end]
}

func (p *selectorParser) word() bool { return p.token != "" && !special(p.token[0]) }

func (p *selectorParser) expected(what string) error {
	return &SyntaxError{At: p.at, Found: p.token, Expected: what}
}

func (p *selectorParser) requirement() (r requirement, err error) {
	if p.token == "!" {
		r.operator = notExists
		p.next()
	}
	if !p.word() {
		return r, p.expected("a label")
	}
	if !IsKey(p.token) {
		return r, p.expected("a label name: at most 63 letters, digits, '-', '_' and '.', optionally after a domain and '/'")
	}
	r.key = p.token
	p.next()
	if r.operator == notExists {
		return r, nil
	}
	switch p.token {
	case "", ",":
		r.operator = exists
		return r, nil
	case "in", "notin":
		r.operator = map[string]operator{"in": in, "notin": notIn}[p.token]
		p.next()
		r.values, err = p.values()
	case "=", "==", "!=", ">", "<":
		r.operator = map[string]operator{"=": in, "==": in, "!=": notIn, ">": greater, "<": less}[p.token]
		p.next()
		err = p.value(&r)
	default:
		err = p.expected("'=', '==', '!=', 'in', 'notin', '>' or '<'")
	}
	return r, err
}

// value reads the one value of a comparison, which may be empty.
func (p *selectorParser) value(r *requirement) (err error) {
	text := ""
	if p.word() {
		text = p.token
	} else if p.token != "" && p.token != "," {
		return p.expected("a value")
	}
	if !isValue(text) {
		return p.expected("a label value: at most 63 letters, digits, '-', '_' and '.'")
	}
	if r.values = []string{text}; r.operator == greater || r.operator == less {
		if r.number, err = strconv.ParseInt(text, 10, 64); err != nil {
			return p.expected("a whole number")
		}
	}
	if p.word() {
		p.next()
	}
	return nil
}

// values reads "(a, b)". A missing value counts as the empty one.
func (p *selectorParser) values() (values []string, err error) {
	if p.token != "(" {
		return nil, p.expected("'('")
	}
	p.next()
	for missing := true; ; p.next() {
		switch {
		case p.word() && missing:
			if !isValue(p.token) {
				return nil, p.expected("a label value: at most 63 letters, digits, '-', '_' and '.'")
			}
			values, missing = append(values, p.token), false
		case p.token == "," || p.token == ")":
			if missing {
				values = append(values, "")
			}
			if p.token == ")" {
				p.next()
				return values, nil
			}
			missing = true
		default:
			return nil, p.expected("',' or ')'")
		}
	}
}

// Matches reports whether labels meet all requirements.
func (s Selector) Matches(l Labels) bool {
	for i := range s {
		if !s[i].matches(l) {
			return false
		}
	}
	return true
}

func (r *requirement) matches(l Labels) bool {
	value, has := l.Lookup(r.key)
	switch r.operator {
	case exists:
		return has
	case notExists:
		return !has
	case in:
		return has && slices.Contains(r.values, value)
	case notIn:
		return !has || !slices.Contains(r.values, value)
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if !has || err != nil {
		return false
	}
	return r.operator == greater && n > r.number || r.operator == less && n < r.number
}

// IsKey reports whether a text can be a label's name.
func IsKey(text string) bool {
	domain, name, qualified := strings.Cut(text, "/")
	if !qualified {
		return text != "" && isValue(text)
	}
	return name != "" && isValue(name) && isDomain(domain)
}

// isValue reports whether a text can be a label's value.
func isValue(text string) bool {
	if text == "" {
		return true
	}
	for i := range len(text) {
		if c := text[i]; !alphanumeric(c) && (c != '-' && c != '_' && c != '.' || i == 0 || i == len(text)-1) {
			return false
		}
	}
	return len(text) <= 63
}

// isDomain reports whether a text is a DNS name in lower case.
func isDomain(text string) bool {
	if text == "" || len(text) > 253 {
		return false
	}
	for part := range strings.SplitSeq(text, ".") {
		for i := range len(part) {
			c := part[i]
			if (!alphanumeric(c) || c >= 'A' && c <= 'Z') && (c != '-' || i == 0 || i == len(part)-1) {
				return false
			}
		}
		if part == "" {
			return false
		}
	}
	return true
}

func alphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
