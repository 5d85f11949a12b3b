package query

import (
	"cmp"
	"errors"
	"strconv"
	"strings"
)

// Parse parses a filter. It does not check that the fields exist: that depends on the rows,
// see [Bind]. The error is an *Error.
func Parse(filter string) (Filter, error) {
	p := parser{text: filter}
	n, terms, err := p.or()
	if err == nil && !p.done() {
		err = p.found("a '(' before it, or quotes around text with brackets")
	}
	if err != nil {
		return Filter{}, err
	}
	if _, ok := n.(either); ok && terms == nil {
		return Filter{[]termAt{{node: n, at: span{0, len(filter)}}}, true}, nil
	}
	return Filter{terms: terms}, nil
}

// parser reads a filter from left to right. A method that fails may leave the position before
// the error.
type parser struct {
	text  string
	at    int
	depth int    // of groups
	what  string // name of the parsed text in errors; empty for a filter
}

// deepest is the maximum depth of nested groups.
const deepest = 100

// skip skips spaces.
func (p *parser) skip() {
	for p.at < len(p.text) && space(p.text[p.at]) {
		p.at++
	}
}

// done skips spaces and reports whether the text ends.
func (p *parser) done() bool {
	p.skip()
	return p.at == len(p.text)
}

// found returns the error for a next word that was not expected.
func (p *parser) found(want string) error {
	if p.done() {
		return &Error{From: p.at, To: p.at, Message: "the " + cmp.Or(p.what, "filter") + " ends", Want: want, Incomplete: true}
	}
	end := max(wordEnd(p.text, p.at, ","), p.at+1)
	return span{p.at, end}.wrong("found "+strconv.Quote(p.text[p.at:end]), want)
}

// or reads alternatives. If there is only one, it returns its terms with their positions too;
// there are none in an empty filter.
func (p *parser) or() (node, []termAt, error) {
	var any either
	for {
		terms, err := p.and()
		switch {
		case err != nil:
			return nil, nil, err
		case len(terms) == 0 && (any != nil || p.depth > 0 || p.keyword() == "or"):
			return nil, nil, p.found("a term")
		}
		n := join(terms)
		if p.keyword() != "or" {
			if any == nil {
				return n, terms, nil
			}
			return append(any, n), nil, nil
		}
		any = append(any, n)
		p.at = wordEnd(p.text, p.at, "(")
	}
}

// join returns a node for terms that must all match.
func join(terms []termAt) node {
	if len(terms) == 1 {
		return terms[0].node
	}
	all := make(both, len(terms))
	for i, t := range terms {
		all[i] = t.node
	}
	return all
}

func (p *parser) and() (terms []termAt, err error) {
	for {
		switch word := p.keyword(); {
		case word == "and" && len(terms) > 0:
			p.at = wordEnd(p.text, p.at, "(")
		case word == "or" || p.done() || p.text[p.at] == ')':
			return terms, nil
		}
		t, err := p.unary()
		if err != nil {
			return nil, err
		}
		terms = append(terms, t)
	}
}

// keyword skips spaces and returns the next word if it is "and", "or" or "not", otherwise "".
func (p *parser) keyword() string {
	p.skip()
	switch word := lower(p.text[p.at:wordEnd(p.text, p.at, "(")]); word {
	case "and", "or", "not":
		return word
	case "&&":
		return "and"
	case "||":
		return "or"
	}
	return ""
}

// unary reads a term or a group, negated or not.
func (p *parser) unary() (termAt, error) {
	p.skip()
	from, negated := p.at, false
	for p.at < len(p.text) && p.operator() == "" && p.negation() {
		negated = !negated
		p.skip()
	}
	n, err := p.operand()
	if err != nil {
		return termAt{}, err
	}
	if other, ok := n.(not); ok && negated { // a!=b
		n = other.node
	} else if negated {
		n = not{n}
	}
	return termAt{n, span{from, p.at}}, nil
}

func (p *parser) operand() (node, error) {
	if p.at == len(p.text) || p.text[p.at] != '(' {
		return p.term()
	}
	from := p.at
	p.at++
	if p.depth++; p.depth > deepest {
		return nil, span{from, p.at}.wrong("too many nested brackets", "at most "+strconv.Itoa(deepest))
	}
	n, _, err := p.or()
	p.depth--
	if err != nil {
		return nil, err
	}
	if p.done() {
		return nil, &Error{From: from, To: p.at, Message: "the group is not closed", Want: "')'", Incomplete: true}
	}
	p.at++ // or stops only at ')' or the end
	return n, nil
}

// term reads a term that is not a group.
func (p *parser) term() (node, error) {
	from := p.at
	switch {
	case p.at == len(p.text):
		return nil, p.found("a term")
	case p.text[p.at] == '"':
		if name, op := p.quotedName(); op != "" {
			return p.relation(name, op)
		}
		word, err := p.quoted("")
		return text{word}, err
	case p.text[p.at] == '/':
		source, err := p.expression("")
		return pattern{source}, err
	case p.operator() != "":
		return nil, p.found("a field before it, as in age>3d, or quotes around text")
	case p.keyword() != "" || p.text[p.at] == ')':
		return nil, p.found("a term, or quotes around text")
	case p.flag("-l"):
		return p.selector()
	case p.flag("-f"):
		word, err := p.word("letters to find in namespace/name, in this order")
		return fuzzy{word}, err
	}
	if name, op := p.name(); op != "" {
		return p.relation(name, op)
	}
	if p.keyed() {
		p.at = wordEnd(p.text, p.at, "")
		err := span{from, p.at}.wrong("the label has no value", "':' after it, as in label.app:web; or quotes around text")
		err.Incomplete = p.done()
		return nil, err
	}
	word, err := p.bare("")
	return text{word}, err
}

// flag reads a flag, and reports whether it is there.
func (p *parser) flag(flag string) bool {
	if p.text[p.at:wordEnd(p.text, p.at, "")] != flag {
		return false
	}
	p.at += len(flag)
	return true
}

// word reads a text, with or without quotes.
func (p *parser) word(want string) (word string, err error) {
	if p.done() || p.text[p.at] == ')' {
		return "", p.found(want)
	}
	from := p.at
	if p.text[p.at] == '"' {
		word, err = p.quoted("")
	} else {
		word, err = p.bare("")
	}
	if err == nil && word == "" {
		err = span{from, p.at}.wrong("nothing", want)
	}
	return word, err
}

// selector reads kubectl's label selector.
func (p *parser) selector() (node, error) {
	const want = "a label selector: app=web,!canary"
	if p.done() || p.text[p.at] == ')' {
		return nil, p.found(want)
	}
	from, isQuoted := p.at, p.text[p.at] == '"'
	var source string
	if isQuoted {
		var err error
		if source, err = p.quoted(""); err != nil {
			return nil, err
		}
	} else {
		p.at = p.selectorEnd()
		source = p.text[from:p.at]
	}
	s, err := ParseSelector(source)
	var wrong *SyntaxError
	if errors.As(err, &wrong) {
		at := span{from + wrong.At, from + wrong.At + len(wrong.Found)}
		if isQuoted {
			at = span{from, p.at} // escapes shift the positions after them
		}
		message := "the selector is incomplete"
		if wrong.Found != "" {
			message = "found " + strconv.Quote(wrong.Found)
		}
		e := at.wrong(message, wrong.Expected)
		e.Incomplete = !isQuoted && wrong.Found == "" && p.done()
		return nil, e
	}
	if len(s) == 0 {
		return nil, span{from, p.at}.wrong("nothing", want)
	}
	return selected{source, s}, nil
}

// relation reads the values after the name and the operator of a field.
func (p *parser) relation(n name, op string) (node, error) {
	n.text = n.canonical()
	if key, ok := n.key(); ok && !IsKey(key) {
		return nil, n.at.wrong(strconv.Quote(key)+" is not a label name", "at most 63 letters, digits, '-', '_' and '.', optionally after a domain and '/'")
	}
	f := field{name: n, end: p.at}
	switch op {
	case ":":
		if p.at == len(p.text) || space(p.text[p.at]) || p.text[p.at] == ')' {
			return f, nil
		}
	case "<", "<=", ">", ">=":
		return p.comparison(n, op)
	default:
		if p.skip(); p.at == len(p.text) || p.text[p.at] == ')' {
			return nil, p.found("a value")
		}
	}
	var err error
	if f.values, err = p.values(); err != nil {
		return nil, err
	}
	for i := range f.values {
		if f.values[i].kind == whole && !n.list() {
			f.values[i].kind = literal
		}
	}
	if f.end = p.at; op == "!=" {
		return not{f}, nil
	}
	return f, nil
}

func (p *parser) comparison(n name, than string) (node, error) {
	const want = "a number like 5, 500m, 2Gi, 50% or 1/2, or a duration like 90s, 3d or 1h30m"
	if p.done() || p.text[p.at] == ')' {
		return nil, p.found(want)
	}
	at := span{p.at, wordEnd(p.text, p.at, "")}
	amount := p.text[at.from:at.to]
	p.at = at.to
	_, isNumber := parseNumber(amount)
	_, isLevel := parseLevel(amount)
	_, isTook := parseTook(amount)
	if _, _, isDuration := parseDuration(amount); !isNumber && !isDuration && !isLevel && !isTook {
		return nil, at.wrong(strconv.Quote(amount)+" is not an amount", want)
	}
	return comparison{n, than, amount, at}, nil
}

// values reads values separated by commas.
func (p *parser) values() (values []value, err error) {
	for {
		from := p.at
		v := value{}
		switch {
		case p.at < len(p.text) && p.text[p.at] == '"':
			v.kind = whole
			v.text, err = p.quoted(",")
		case p.at < len(p.text) && p.text[p.at] == '/':
			v.kind = expression
			v.text, err = p.expression(",")
		default:
			if v.text, err = p.bare(","); v.text == "" && err == nil {
				return nil, p.found("a value")
			}
			if strings.Contains(v.text, "*") {
				v.kind = glob
			}
		}
		if err != nil {
			return nil, err
		}
		v.at = span{from, p.at}
		values = append(values, v)
		if p.at == len(p.text) || p.text[p.at] != ',' {
			return values, nil
		}
		p.at++
	}
}
