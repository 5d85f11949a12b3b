package query

import "strings"

// Filter is a list of terms, all of which a row must match. It is immutable. Every row matches
// the zero Filter.
type Filter struct {
	terms []termAt
	open  bool // the only term is an alternative without brackets
}

// termAt is a term and its position, including its brackets and negations.
type termAt struct {
	node
	at span
}

// Empty reports whether the filter has no terms, so that every row matches.
func (f Filter) Empty() bool { return len(f.terms) == 0 }

// String returns the filter in canonical form, which parses to an equal filter.
func (f Filter) String() string {
	var b []byte
	for i, t := range f.terms {
		if i > 0 {
			b = append(b, ' ')
		}
		if _, ok := t.node.(either); ok && len(f.terms) == 1 {
			b = t.append(b)
		} else {
			b = appendInner(b, t.node)
		}
	}
	return string(b)
}

// node is a part of a filter. Nested groups keep their structure.
type node interface {
	append(dst []byte) []byte // in canonical form
	bind(b *binder) (bound, error)
}

type (
	both   []node // two at least; a row must match all
	either []node // two at least; a row must match one
	not    struct{ node }

	text struct{ word string }
	// pattern is a regular expression, as written between slashes.
	pattern  struct{ source string }
	selected struct {
		source   string
		selector Selector
	}
	fuzzy struct{ word string }

	// field matches rows that have one of the values, or any value if none is given.
	field struct {
		name   name
		values []value
		end    int // position after the last value
	}
	// comparison matches rows whose value is less or greater than the amount.
	comparison struct {
		name   name
		than   string // "<", "<=", ">" or ">="
		amount string
		at     span // of the amount
	}
)

// name is the name of a field: "ns", "age", "label.app".
type name struct {
	text string // in lower case, except for the key of a label
	at   span
}

// Prefixes of names that are followed by a key.
const (
	LabelPrefix      = "label."
	AnnotationPrefix = "annotation."
)

// key returns the key of the label or annotation that the name refers to.
func (n name) key() (key string, ok bool) {
	for _, prefix := range []string{LabelPrefix, AnnotationPrefix} {
		if len(n.text) >= len(prefix) && equalFold(n.text[:len(prefix)], prefix) {
			return n.text[len(prefix):], true
		}
	}
	return "", false
}

// list reports whether the name may refer to a list. The values of lists have short forms.
func (n name) list() bool { return n.text == "owner" || n.text == imageField }

// imageField is the name of the image field in a filter.
const imageField = "image"

// canonical returns the name in lower case, except for the key of a label or annotation, or a
// path. "namespace" becomes "ns".
func (n name) canonical() string {
	if key, ok := n.key(); ok {
		return lower(n.text[:len(n.text)-len(key)]) + key
	}
	if Added(n.text) {
		return n.text // a path
	}
	if text := lower(n.text); text != "namespace" {
		return text
	}
	return "ns"
}

// valueKind says how a value matches.
type valueKind uint8

const (
	literal valueKind = iota
	whole             // in quotes: an owner or an image must match in full
	glob              // with '*' in it
	expression
)

// plain reports whether the value is a text, not a pattern.
func (k valueKind) plain() bool { return k <= whole }

// value is one of the values in a field's term.
type value struct {
	kind valueKind
	text string
	at   span
}

func (n both) append(dst []byte) []byte {
	for i, t := range n {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = appendInner(dst, t)
	}
	return dst
}

func (n either) append(dst []byte) []byte {
	for i, t := range n {
		if i > 0 {
			dst = append(dst, " or "...)
		}
		if _, ok := t.(both); ok {
			dst = t.append(dst)
		} else {
			dst = appendInner(dst, t)
		}
	}
	return dst
}

// appendInner writes a group in brackets.
func appendInner(dst []byte, n node) []byte {
	switch n.(type) {
	case both, either:
		return append(n.append(append(dst, '(')), ')')
	}
	return n.append(dst)
}

func (n not) append(dst []byte) []byte { return appendInner(append(dst, '!'), n.node) }

func (n text) append(dst []byte) []byte {
	if n.bare() {
		return append(dst, n.word...)
	}
	return appendQuoted(dst, n.word)
}

// bare reports whether the text needs no quotes wherever it is written. 'in' and 'notin' do:
// they would continue a selector before them.
func (n text) bare() bool {
	if n.word == "in" || n.word == "notin" {
		return false
	}
	p := parser{text: n.word}
	read, err := p.unary()
	return err == nil && p.at == len(n.word) && read.node == n
}

func (n pattern) append(dst []byte) []byte { return appendExpression(dst, n.source) }

func (n selected) append(dst []byte) []byte {
	dst = append(dst, "-l "...)
	p := parser{text: n.source}
	if n.source[0] != '"' && !space(n.source[0]) && balanced(n.source) && p.selectorEnd() == len(n.source) {
		return append(dst, n.source...)
	}
	return appendQuoted(dst, n.source)
}

func (n fuzzy) append(dst []byte) []byte {
	dst = append(dst, "-f "...)
	if n.word[0] != '"' && balanced(n.word) && wordEnd(n.word, 0, "") == len(n.word) {
		return append(dst, n.word...)
	}
	return appendQuoted(dst, n.word)
}

func (n field) append(dst []byte) []byte {
	dst = append(append(dst, writtenName(n.name.text)...), ':')
	for i, v := range n.values {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = v.append(dst)
	}
	return dst
}

func (v value) append(dst []byte) []byte {
	switch {
	case v.kind == expression:
		return appendExpression(dst, v.text)
	case v.kind == glob, v.kind == literal && plainValue(v.text):
		return append(dst, v.text...)
	}
	return appendQuoted(dst, v.text)
}

// plainValue reports whether a value needs no quotes.
func plainValue(text string) bool {
	return text != "" && text[0] != '"' && text[0] != '/' && !strings.Contains(text, "*") && balanced(text) && wordEnd(text, 0, ",") == len(text)
}

func (n comparison) append(dst []byte) []byte {
	return append(append(append(dst, writtenName(n.name.text)...), n.than...), n.amount...)
}

// balanced reports whether a word has as many opening as closing brackets.
func balanced(word string) bool { return strings.Count(word, "(") == strings.Count(word, ")") }

func appendExpression(dst []byte, source string) []byte {
	return append(append(append(dst, '/'), source...), '/')
}

func appendQuoted(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for i := range len(text) {
		if c := text[i]; c == '"' || c == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, text[i])
	}
	return append(dst, '"')
}
