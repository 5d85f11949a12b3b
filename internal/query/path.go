package query

import (
	"slices"
	"strconv"
	"strings"

	"watchglass/internal/object/tree"
)

// Path picks values from an object, like a JSONPath in kubectl:
//
//	{.spec.nodeName}
//	{.metadata.annotations['example.com/owner']}
//	{.spec.containers[*].image}   also [0], and [-1] for the last
//	{.status.conditions[?(@.type=="Ready")].status}
//
// The braces, a '$' and the first dot may be omitted. A Path is immutable. The zero Path picks
// the object itself.
type Path struct{ steps []step }

// step leads from a value to other values.
type step interface {
	// pick calls found with each value that the step leads to, until the work is used up.
	pick(n tree.Node, work *Work, found func(tree.Node))
	append(dst []byte) []byte // in canonical form
}

type (
	member string
	each   struct{}
	index  int // from the end, if it is negative
	// where picks the elements in which the value at a path is want (==) or not (!=), or, with
	// no operator, in which it exists.
	where struct {
		path Path
		op   string
		want string
	}
)

// ParsePath parses a path. The error is an *Error.
func ParsePath(text string) (Path, error) {
	p := parser{text: text, what: "path"}
	p.skip()
	braced := strings.HasPrefix(text[p.at:], "{")
	if braced {
		p.at++
	}
	path, err := p.path("}")
	if err != nil {
		return Path{}, err
	}
	if braced {
		if p.at == len(text) || text[p.at] != '}' {
			return Path{}, p.found("'}'")
		}
		p.at++
	}
	switch {
	case !p.done():
		return Path{}, p.found("the end: one path, without text around it")
	case len(path.steps) == 0:
		return Path{}, span{0, len(text)}.wrong("the path is empty", "a field, as in {.spec.nodeName}")
	}
	return path, nil
}

// path reads steps up to one of the stops, a space, or the end.
func (p *parser) path(stops string) (Path, error) {
	var path Path
	if p.at < len(p.text) && p.text[p.at] == '$' {
		p.at++
	}
	for first := true; p.at < len(p.text) && !space(p.text[p.at]) && strings.IndexByte(stops, p.text[p.at]) < 0; first = false {
		var s step
		var err error
		switch c := p.text[p.at]; {
		case c == '[':
			s, err = p.bracket()
		case c == '.' || first:
			s, err = p.member(c == '.', stops)
		default:
			err = p.found("'.' and a field's name, or '['")
		}
		if err != nil {
			return Path{}, err
		}
		path.steps = append(path.steps, s)
	}
	return path, nil
}

// member reads a name after a dot. A backslash in it escapes the next character.
func (p *parser) member(dot bool, stops string) (step, error) {
	from := p.at
	if dot {
		p.at++
	}
	var name []byte
	for ; p.at < len(p.text) && !space(p.text[p.at]) && strings.IndexByte(".[]=!<>", p.text[p.at]) < 0 && strings.IndexByte(stops, p.text[p.at]) < 0; p.at++ {
		if p.text[p.at] == '\\' && p.at+1 < len(p.text) {
			p.at++
		}
		name = append(name, p.text[p.at])
	}
	switch {
	case len(name) == 0 && strings.HasPrefix(p.text[p.at:], "."):
		return nil, span{from, p.at + 1}.wrong("found \"..\"", "each step of the path: '..' is not supported")
	case len(name) == 0:
		return nil, p.found("a field's name")
	case string(name) == "*":
		return each{}, nil
	}
	return member(name), nil
}

// bracket reads a step in brackets.
func (p *parser) bracket() (step, error) {
	const want = "a number, '*', a name in quotes, or ?(@.type==\"Ready\")"
	from := p.at
	p.at++
	var s step
	switch rest := p.text[p.at:]; {
	case strings.HasPrefix(rest, "?("):
		p.at += len("?(")
		found, err := p.where()
		if err != nil {
			return nil, err
		}
		s = found
	case strings.HasPrefix(rest, "'"), strings.HasPrefix(rest, `"`):
		name, err := p.inQuotes()
		if err != nil {
			return nil, err
		}
		s = member(name)
	default:
		end := strings.IndexByte(rest, ']')
		if end < 0 {
			return nil, &Error{From: from, To: len(p.text), Message: "the bracket is not closed", Want: "']'", Incomplete: true}
		}
		p.at += end
		if n, err := strconv.Atoi(rest[:end]); err == nil {
			s = index(n)
		} else if rest[:end] == "*" {
			s = each{}
		} else {
			return nil, span{from, p.at + 1}.wrong("found "+strconv.Quote(rest[:end])+" in brackets", want)
		}
	}
	if p.at == len(p.text) || p.text[p.at] != ']' {
		return nil, p.found("']'")
	}
	p.at++
	return s, nil
}

// where reads a condition up to its bracket: @.type=="Ready".
func (p *parser) where() (w where, err error) {
	p.skip()
	if p.at == len(p.text) || p.text[p.at] != '@' {
		return w, p.found("'@', the element")
	}
	p.at++
	if p.depth++; p.depth > deepest {
		return w, span{p.at, p.at}.wrong("too many nested conditions", "at most "+strconv.Itoa(deepest))
	}
	defer func() { p.depth-- }()
	if w.path, err = p.path(")=!<>"); err != nil {
		return w, err
	}
	p.skip()
	if op := p.text[p.at:min(p.at+2, len(p.text))]; op == "==" || op == "!=" {
		w.op = op
		p.at += len(op)
		p.skip()
		if w.want, err = p.operandOf(); err != nil {
			return w, err
		}
	}
	if p.done() || p.text[p.at] != ')' {
		return w, p.found("'==' or '!=' and a value, and ')'")
	}
	p.at++
	return w, nil
}

// operandOf reads the operand of a condition: a text in quotes, or a word.
func (p *parser) operandOf() (string, error) {
	if p.at < len(p.text) && (p.text[p.at] == '\'' || p.text[p.at] == '"') {
		return p.inQuotes()
	}
	from := p.at
	for p.at < len(p.text) && !space(p.text[p.at]) && p.text[p.at] != ')' {
		p.at++
	}
	if p.at == from {
		return "", p.found("a value")
	}
	return p.text[from:p.at], nil
}

// inQuotes reads a text in quotes of either kind.
func (p *parser) inQuotes() (string, error) {
	from, quote := p.at, p.text[p.at]
	var text []byte
	for p.at++; p.at < len(p.text); p.at++ {
		c := p.text[p.at]
		if c == quote {
			p.at++
			return string(text), nil
		}
		if c == '\\' && p.at+1 < len(p.text) {
			p.at++
			c = p.text[p.at]
		}
		text = append(text, c)
	}
	return "", &Error{From: from, To: p.at, Message: "the quotes are not closed", Want: string(quote), Incomplete: true}
}

// String returns the path in canonical form, which parses to an equal path.
func (p Path) String() string { return string(append(p.append([]byte{'{'}), '}')) }

func (p Path) append(dst []byte) []byte {
	for _, s := range p.steps {
		dst = s.append(dst)
	}
	return dst
}

// Last returns the name of the path's last member, or "".
func (p Path) Last() string {
	for i := len(p.steps) - 1; i >= 0; i-- {
		if m, ok := p.steps[i].(member); ok {
			return string(m)
		}
	}
	return ""
}

func (m member) append(dst []byte) []byte {
	for i := range len(m) {
		if c := m[i]; !letter(c) && !alphanumeric(c) && c != '-' && c != '_' {
			dst = append(dst, "['"...)
			for i := range len(m) {
				if m[i] == '\'' || m[i] == '\\' {
					dst = append(dst, '\\')
				}
				dst = append(dst, m[i])
			}
			return append(dst, "']"...)
		}
	}
	if m == "" {
		return append(dst, "['']"...)
	}
	return append(append(dst, '.'), m...)
}

func (each) append(dst []byte) []byte { return append(dst, "[*]"...) }

func (i index) append(dst []byte) []byte {
	return append(strconv.AppendInt(append(dst, '['), int64(i), 10), ']')
}

func (w where) append(dst []byte) []byte {
	dst = w.path.append(append(dst, "[?(@"...))
	if w.op != "" {
		dst = appendQuoted(append(dst, w.op...), w.want)
	}
	return append(dst, ")]"...)
}

// Work is how much of an object may still be read by paths, in about bytes; below 0, it is used up. An object
// of 1.5 MB and one column could otherwise stop the worker for half a second.
type Work int

// MostWork is what all paths may read of one object: enough for a field of an object of 1.5 MB.
const MostWork Work = 3 << 20

// NotEvaluated is the text of a cell that would take more work. It has no value for a filter either.
const NotEvaluated = "<not evaluated>"

// What paths cost besides looking for members: a value, its elements and its text.
const (
	nodeWork     = 64
	elementsWork = 2
	textWork     = 4
)

// Do counts work, and reports whether there was enough left.
func (w *Work) Do(n int) bool {
	if *w >= 0 {
		*w -= Work(n)
	}
	return *w >= 0
}

// Find calls found with each value that the path picks, in order. It stops after MostWork, and reports
// whether it has not.
func (p Path) Find(root tree.Node, found func(tree.Node)) (all bool) {
	work := MostWork
	return p.FindWithin(root, &work, found)
}

// FindWithin is Find for paths that share the work. If it returns false, the values are not all.
func (p Path) FindWithin(root tree.Node, work *Work, found func(tree.Node)) (all bool) {
	follow(p.steps, root, work, found)
	return *work >= 0
}

func follow(steps []step, n tree.Node, work *Work, found func(tree.Node)) {
	switch {
	case n.Kind() == tree.Absent:
	case len(steps) == 0:
		if work.Do(nodeWork + textWork*n.Size()) {
			found(n)
		}
	case work.Do(costOf(steps[0], n)):
		steps[0].pick(n, work, func(next tree.Node) { follow(steps[1:], next, work, found) })
	}
}

// costOf returns the work of a step, without that of the values that it leads to.
func costOf(s step, n tree.Node) int {
	switch s := s.(type) {
	case member:
		return nodeWork + n.Size()
	case index:
		if s >= 0 { // it counts what it reads
			return nodeWork
		}
	}
	return nodeWork + elementsWork*n.Size()
}

func (m member) pick(n tree.Node, _ *Work, found func(tree.Node)) { found(n.Get(string(m))) }

func (each) pick(n tree.Node, work *Work, found func(tree.Node)) {
	for e := range n.Elements() {
		if found(e); *work < 0 {
			return
		}
	}
}

func (i index) pick(n tree.Node, work *Work, found func(tree.Node)) {
	at := int(i)
	if at < 0 {
		for range n.Elements() {
			if at++; !work.Do(nodeWork) {
				return
			}
		}
	}
	if at < 0 {
		return // the list is shorter
	}
	for e := range n.Elements() {
		if at == 0 {
			found(e)
			return
		}
		if !work.Do(nodeWork + e.Size()) {
			return
		}
		at--
	}
}

func (w where) pick(n tree.Node, work *Work, found func(tree.Node)) {
	for e := range n.Elements() {
		switch holds := w.holds(e, work); {
		case *work < 0:
			return
		case holds:
			found(e)
		}
	}
}

func (w where) holds(e tree.Node, work *Work) bool {
	there, equal := false, false
	w.path.FindWithin(e, work, func(v tree.Node) {
		there = true
		equal = equal || v.Text() == w.want
	})
	switch w.op {
	case "==":
		return equal
	case "!=":
		return there && !equal
	}
	return there
}

// PathOf returns the path through the named members.
func PathOf(names ...string) Path {
	var p Path
	for _, name := range names {
		p.steps = append(p.steps, member(name))
	}
	return p
}

// Each returns the path to each element of what the path picks.
func (p Path) Each() Path { return Path{append(slices.Clip(p.steps), each{})} }

// Names returns the names of the path's members, and "" for each other step.
func (p Path) Names() []string {
	names := make([]string, len(p.steps))
	for i, s := range p.steps {
		if m, ok := s.(member); ok {
			names[i] = string(m)
		}
	}
	return names
}
