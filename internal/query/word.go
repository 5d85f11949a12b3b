package query

import "strings"

// wordEnd returns the end of the word that begins at i. A word ends before a space, one of the
// given bytes, or a closing bracket that was not opened in the word.
func wordEnd(text string, i int, stops string) int {
	open := 0
	for ; i < len(text); i++ {
		switch c := text[i]; {
		case space(c), strings.IndexByte(stops, c) >= 0:
			return i
		case c == '(':
			open++
		case c == ')':
			if open--; open < 0 {
				return i
			}
		}
	}
	return i
}

// bare reads a word without quotes. Brackets in it must be balanced: an open one would swallow
// the end of a group.
func (p *parser) bare(stops string) (string, error) {
	at := span{p.at, wordEnd(p.text, p.at, stops)}
	p.at = at.to
	word := p.text[at.from:at.to]
	if balanced(word) {
		return word, nil
	}
	err := at.wrong(`unclosed "(": add ")" or quote the text`, "")
	err.Incomplete = p.done()
	return "", err
}

// delimited reports whether a quoted text or an expression may end here.
func (p *parser) delimited(stops string) bool {
	return p.at == len(p.text) || space(p.text[p.at]) || p.text[p.at] == ')' || strings.IndexByte(stops, p.text[p.at]) >= 0
}

// quoted reads a text in quotes.
func (p *parser) quoted(stops string) (string, error) {
	from := p.at
	var word []byte
	for p.at++; p.at < len(p.text); p.at++ {
		c := p.text[p.at]
		if c == '"' {
			if p.at++; !p.delimited(stops) {
				return "", p.found(`a space after the quotes, or '\"' for one in the text`)
			}
			return string(word), nil
		}
		if c == '\\' && p.at+1 < len(p.text) && (p.text[p.at+1] == '"' || p.text[p.at+1] == '\\') {
			p.at++
			c = p.text[p.at]
		}
		word = append(word, c)
	}
	return "", &Error{From: from, To: p.at, Message: "the quotes are not closed", Want: `'"'`, Incomplete: true}
}

// expression reads a regular expression between slashes.
func (p *parser) expression(stops string) (string, error) {
	from := p.at
	for p.at++; p.at < len(p.text); p.at++ {
		switch p.text[p.at] {
		case '\\':
			p.at = min(p.at+1, len(p.text)-1)
		case '/':
			if p.at++; !p.delimited(stops) {
				return "", p.found(`a space after the regular expression, '\/' for a slash in it, or quotes around text`)
			}
			source := p.text[from+1 : p.at-1]
			return source, checkExpression(source, span{from, p.at})
		}
	}
	return "", &Error{From: from, To: p.at, Message: "the regular expression is not closed", Want: "'/'; or quotes around text", Incomplete: true}
}

// selectorEnd returns the end of the selector that begins here. It may have spaces in
// brackets, after a comma, before 'in' and 'notin', and around their brackets.
func (p *parser) selectorEnd() int {
	i := p.at
	for {
		start := i
		for open := 0; i < len(p.text) && (open > 0 || !space(p.text[i])); i++ {
			if p.text[i] == '(' {
				open++
			} else if p.text[i] == ')' {
				if open--; open < 0 {
					return i
				}
			}
		}
		rest := parser{text: p.text, at: i}
		if rest.done() {
			return i
		}
		isIn := func(word string) bool { return word == "in" || word == "notin" }
		c, next := p.text[rest.at], p.text[rest.at:wordEnd(p.text, rest.at, "(")]
		if !strings.HasSuffix(p.text[:i], ",") && !isIn(next) && !(c == '(' && isIn(p.text[start:i])) && !(c == ',' && strings.HasSuffix(p.text[:i], ")")) {
			return i
		}
		i = rest.at
	}
}

// operators has each operator before its prefixes.
var operators = []string{"==", "!=", "<=", ">=", "=", "<", ">"}

// operatorAt returns the operator at i, or "".
func operatorAt(text string, i int) string {
	for _, op := range operators {
		if strings.HasPrefix(text[i:], op) {
			return op
		}
	}
	return ""
}

// operator returns the operator here if a space, a number, ')' or the end follows it. Otherwise
// it is part of a text, like "<none>".
func (p *parser) operator() string {
	op := operatorAt(p.text, p.at)
	if end := p.at + len(op); op == "" || end < len(p.text) && !space(p.text[end]) && p.text[end] != ')' && (p.text[end] < '0' || p.text[end] > '9') {
		return ""
	}
	return op
}

// keyed reports whether a name with the key of a label or annotation begins here.
func (p *parser) keyed() bool {
	n := name{text: p.text[p.at:]}
	_, ok := n.key()
	return ok
}

// name reads a field's name and the operator after it. Without an operator it is not a field:
// op is empty, and nothing is read.
func (p *parser) name() (n name, op string) {
	switch {
	case p.at == len(p.text):
	case p.text[p.at] == '{':
		return p.pathName()
	case p.text[p.at] == '"':
		return p.quotedName()
	}
	i, keyed := p.at, p.keyed()
	for i < len(p.text) && (letter(p.text[i]) || i > p.at && (alphanumeric(p.text[i]) || strings.IndexByte("-_.", p.text[i]) >= 0 || keyed && p.text[i] == '/')) {
		i++
	}
	return p.operated(i)
}

// pathName reads a path in braces and the operator after it, as name does. An invalid path is
// text.
func (p *parser) pathName() (n name, op string) {
	path := parser{text: p.text, at: p.at + 1}
	read, err := path.path("}")
	if err != nil || path.at == len(p.text) || path.text[path.at] != '}' || len(read.steps) == 0 {
		return name{at: span{p.at, p.at}}, ""
	}
	if n, op = p.operated(path.at + 1); op != "" {
		n.text = read.String()
	}
	return n, op
}

// quotedName reads a name in quotes with an operator right after it, as name does: "@version":1.
// Without one it is text.
func (p *parser) quotedName() (n name, op string) {
	end := parser{text: p.text, at: p.at}
	word, _ := end.quoted(":=!<>") // text that is not closed is no name
	if _, keyed := (name{text: word}).key(); word == "" || keyed || word[0] == '{' || end.at == len(p.text) || space(p.text[end.at]) || p.text[end.at] == ')' {
		return name{at: span{p.at, p.at}}, ""
	}
	if n, op = p.operated(end.at); op != "" {
		n.text = word
	}
	return n, op
}

// writtenName returns a field's name as written in a filter, quoted if needed.
func writtenName(field string) string {
	p := parser{text: field + ":"}
	if n, op := p.name(); op != "" && n.text == field {
		return field
	}
	return string(appendQuoted(nil, field))
}

// operated returns the name that ends at i, and reads the operator after it, if there is one.
func (p *parser) operated(i int) (n name, op string) {
	n = name{text: p.text[p.at:i], at: span{p.at, i}}
	if i == p.at || i == len(p.text) {
		return n, ""
	}
	if op = operatorAt(p.text, i); p.text[i] == ':' {
		op = ":"
	} else if space(p.text[i]) {
		rest := parser{text: p.text, at: i}
		rest.skip()
		i, op = rest.at, rest.operator()
	}
	if op != "" {
		p.at = i + len(op)
	}
	return n, op
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 }
