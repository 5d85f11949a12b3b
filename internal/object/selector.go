package object

import (
	"bytes"
	"cmp"
	"slices"
)

// labels are pairs of a map, as kubectl writes them: "app=web,tier=front".
func (s *sheet) labels(name, path string) *sheet {
	slot := s.paths.add(path + "{}")
	var pairs []pair
	return s.cell(name, TextCell, func(v *Values, _ *Object, r *row) {
		pairs = appendPairs(pairs[:0], v.All(slot))
		slices.SortFunc(pairs, comparePairs)
		r.next()
		for i, p := range pairs {
			if i > 0 {
				r.put(",")
			}
			r.add(p.key)
			r.put("=")
			r.add(p.value)
		}
		r.or(none)
	})
}

// pair is an entry of a map.
type pair struct{ key, value []byte }

func appendPairs(pairs []pair, entries []Value) []pair {
	for _, e := range entries {
		key, value, _ := mapPair(e.Bytes)
		pairs = append(pairs, pair{key, value})
	}
	return pairs
}

// comparePairs orders pairs of different keys as the texts "key=value" are.
func comparePairs(a, b pair) int {
	n := min(len(a.key), len(b.key))
	switch c := bytes.Compare(a.key[:n], b.key[:n]); {
	case c != 0:
		return c
	case len(a.key) > n:
		return cmp.Compare(a.key[n], '=')
	case len(b.key) > n:
		return cmp.Compare('=', b.key[n])
	}
	return 0
}

// selector is a label selector. What is empty, and what is none, is said in a word
// that differs between kinds.
func (s *sheet) selector(name, path, empty, invalid string) *sheet {
	p := &selectorPrinter{
		labels:   s.paths.add(path + ".matchLabels{}"),
		key:      s.paths.add(path + ".matchExpressions[].key"),
		operator: s.paths.add(path + ".matchExpressions[].operator"),
		values:   s.paths.add(path + ".matchExpressions[].values[]"),
	}
	return s.cell(name, TextCell, func(v *Values, _ *Object, r *row) {
		if r.next(); !p.read(v) {
			r.or(invalid)
			return
		}
		p.print(r)
		r.or(empty)
	})
}

// selectorPrinter prints label selectors.
type selectorPrinter struct {
	labels, key, operator, values int

	terms []term
	texts [][]byte
}

// term is one of the conditions of a selector.
type term struct {
	key      []byte
	label    bool // with a value, and no operator
	operator []byte
	values   [][]byte
}

// read reads the terms in the order of their keys, and reports whether they are
// what a selector may have.
func (p *selectorPrinter) read(v *Values) bool {
	p.terms, p.texts = p.terms[:0], p.texts[:0]
	for _, e := range v.All(p.labels) {
		key, value, _ := mapPair(e.Bytes)
		p.texts = append(p.texts, value)
		p.terms = append(p.terms, term{key: key, label: true, values: p.texts[len(p.texts)-1:]})
	}
	for _, key := range v.All(p.key) {
		begin := len(p.texts)
		for _, value := range v.All(p.values) {
			if value.Elem == key.Elem {
				p.texts = append(p.texts, value.Bytes)
			}
		}
		operator, _ := v.At(p.operator, key.Elem)
		p.terms = append(p.terms, term{key: key.Bytes, operator: operator.Bytes, values: p.texts[begin:]})
	}
	slices.SortStableFunc(p.terms, func(a, b term) int { return bytes.Compare(a.key, b.key) })
	return !slices.ContainsFunc(p.terms, func(t term) bool { return !t.valid() })
}

func (p *selectorPrinter) print(r *row) {
	for i := range p.terms {
		if i > 0 {
			r.put(",")
		}
		p.terms[i].print(r)
	}
}

func (t *term) print(r *row) {
	switch operator := string(t.operator); {
	case t.label:
		r.add(t.key)
		r.put("=")
		r.add(t.values[0])
	case operator == "Exists":
		r.add(t.key)
	case operator == "DoesNotExist":
		r.put("!")
		r.add(t.key)
	default:
		r.add(t.key)
		if operator == "In" {
			r.put(" in (")
		} else {
			r.put(" notin (")
		}
		slices.SortFunc(t.values, bytes.Compare)
		r.list(t.values)
		r.put(")")
	}
}

// valid reports whether the apiserver would have admitted the term; some are older
// than its rules.
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

// isLabelPart reports whether a text is of letters and digits, with dashes, dots
// and underscores between.
func isLabelPart(text []byte) bool {
	letter := func(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' }
	n := len(text)
	if n == 0 || n > 63 || !letter(text[0]) || !letter(text[n-1]) {
		return false
	}
	return !slices.ContainsFunc(text, func(c byte) bool { return !letter(c) && c != '-' && c != '_' && c != '.' })
}
