package object

import (
	"bytes"
	"cmp"
	"slices"
	"sort"

	"watchglass/internal/object/encoded"
)

// labels adds a column with the entries of a map, as kubectl writes them: "app=web,tier=front".
//
//go:noinline
func (s *printerBuilder) labels(name, path string) *printerBuilder {
	slot := s.paths.add(path + "{}")
	var pairs [][]byte
	return s.cell(name, TextCell, func(v *Values, _ *Object, r *row) {
		pairs = pairs[:0]
		for _, e := range v.All(slot) {
			pairs = append(pairs, e.Bytes)
		}
		slices.SortFunc(pairs, comparePairs)
		r.next()
		for i, pair := range pairs {
			key, value, _ := encoded.Pair(pair)
			r.listItem(i, key)
			r.literalThen("=", value)
		}
		r.orLiteral(none)
	})
}

// comparePairs orders map entries like the texts "key=value".
func comparePairs(x, y []byte) int {
	a, _, _ := encoded.Pair(x)
	b, _, _ := encoded.Pair(y)
	n := min(len(a), len(b))
	switch c := bytes.Compare(a[:n], b[:n]); {
	case c != 0:
		return c
	case len(a) > n:
		return cmp.Compare(a[n], '=')
	case len(b) > n:
		return cmp.Compare('=', b[n])
	}
	return 0
}

// selector adds a column with a label selector. What an empty or an invalid one prints differs
// between kinds.
//
//go:noinline
func (s *printerBuilder) selector(name, path, empty, invalid string) *printerBuilder {
	p := &selectorPrinter{
		labels:   s.paths.add(path + ".matchLabels{}"),
		key:      s.paths.add(path + ".matchExpressions[].key"),
		operator: s.paths.add(path + ".matchExpressions[].operator"),
		values:   s.paths.add(path + ".matchExpressions[].values[]"),
	}
	return s.cell(name, TextCell, func(v *Values, _ *Object, r *row) {
		if r.next(); !p.read(v) {
			r.orLiteral(invalid)
			return
		}
		p.print(r)
		r.orLiteral(empty)
	})
}

// selectorPrinter prints label selectors.
type selectorPrinter struct {
	labels, key, operator, values int

	terms terms
	texts [][]byte
}

// term is one requirement of a selector.
type term struct {
	key      []byte
	label    bool // with a value, and no operator
	operator []byte
	values   [][]byte
}

// terms sort by key.
type terms []term

func (t terms) Len() int           { return len(t) }
func (t terms) Less(i, j int) bool { return string(t[i].key) < string(t[j].key) }
func (t terms) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }

// read reads the terms in the order of their keys, and reports whether they are valid in a
// selector.
func (p *selectorPrinter) read(v *Values) bool {
	p.terms, p.texts = p.terms[:0], p.texts[:0]
	for _, e := range v.All(p.labels) {
		key, value, _ := encoded.Pair(e.Bytes)
		p.texts = append(p.texts, value)
		p.terms = append(p.terms, term{key: key, label: true, values: p.texts[len(p.texts)-1:]})
	}
	for _, key := range v.All(p.key) {
		begin := len(p.texts)
		for _, value := range v.In(p.values, key.Elem) {
			p.texts = append(p.texts, value.Bytes)
		}
		operator, _ := v.At(p.operator, key.Elem)
		p.terms = append(p.terms, term{key: key.Bytes, operator: operator.Bytes, values: p.texts[begin:]})
	}
	sort.Stable(p.terms)
	return !slices.ContainsFunc(p.terms, func(t term) bool { return !t.valid() })
}

func (p *selectorPrinter) print(r *row) {
	for i := range p.terms {
		if i > 0 {
			r.literal(",")
		}
		p.terms[i].print(r)
	}
}

func (t *term) print(r *row) {
	switch operator := string(t.operator); {
	case t.label:
		r.add(t.key)
		r.literalThen("=", t.values[0])
	case operator == "Exists":
		r.add(t.key)
	case operator == "DoesNotExist":
		r.literalThen("!", t.key)
	default:
		r.add(t.key)
		if operator == "In" {
			r.literal(" in (")
		} else {
			r.literal(" notin (")
		}
		slices.SortFunc(t.values, bytes.Compare)
		r.list(t.values)
		r.literal(")")
	}
}

// valid reports whether the apiserver would admit the term. Some objects are older than its
// rules.
func (t *term) valid() bool {
	switch operator, n := string(t.operator), len(t.values); {
	case t.label:
	case operator == "In" && n > 0, operator == "NotIn" && n > 0:
	case operator == "Exists" && n == 0, operator == "DoesNotExist" && n == 0:
	default:
		return false
	}
	return isLabelKey(t.key) && !slices.ContainsFunc(t.values, func(value []byte) bool { return len(value) > 0 && !isLabelPart(value) })
}

// isLabelKey reports whether a text is a name, or a domain, a slash and a name.
func isLabelKey(key []byte) bool {
	domain, name, prefixed := bytes.Cut(key, []byte{'/'})
	if !prefixed {
		return isLabelPart(key)
	}
	if len(domain) > 253 || !isLabelPart(name) {
		return false
	}
	for part := range bytes.SplitSeq(domain, []byte{'.'}) {
		if len(part) == 0 || part[0] == '-' || part[len(part)-1] == '-' {
			return false
		}
		for _, c := range part {
			if !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-') {
				return false
			}
		}
	}
	return true
}

// isLabelPart reports whether a text consists of letters and digits, with dashes, dots and
// underscores between them.
func isLabelPart(text []byte) bool {
	letter := func(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' }
	n := len(text)
	if n == 0 || n > 63 || !letter(text[0]) || !letter(text[n-1]) {
		return false
	}
	return !slices.ContainsFunc(text, func(c byte) bool { return !letter(c) && c != '-' && c != '_' && c != '.' })
}
