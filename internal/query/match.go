package query

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"watchglass/internal/slots"
)

// Matcher is a filter bound to the rows of one kind. It is for one goroutine at a time.
type Matcher struct {
	rest   []bound // the terms outside facets, cheapest first
	facets []facetMatch
	ticks  bool
}

// facetMatch holds the terms of one facet.
type facetMatch struct {
	field string
	terms []bound
}

// match reports whether a row matches at a time in Unix seconds.
type match func(r Row, now int64) bool

// bound is a node bound to the columns.
type bound struct {
	match
	cost int
	// sets matches all rows at once; nil if each row must be tested.
	sets func(s Sets) *slots.Bits
}

// The approximate costs of matches.
const (
	cheap   = 1
	cell    = 2
	search  = 8
	letters = 9 // of a fuzzy term
	regular = 30
)

// Bind returns a matcher of a filter for rows of a schema. The error is an *Error, with its
// position in the text from which the filter was parsed.
func Bind(f Filter, s Schema) (*Matcher, error) {
	b := &binder{schema: s}
	m := &Matcher{}
	for _, t := range f.terms {
		bound, err := t.bind(b)
		if err != nil {
			return nil, err
		}
		field, ok := s.facetOf(t.node)
		if !ok {
			m.rest = append(m.rest, bound)
			continue
		}
		i := slices.IndexFunc(m.facets, func(f facetMatch) bool { return f.field == field })
		if i < 0 {
			i = len(m.facets)
			m.facets = append(m.facets, facetMatch{field: field})
		}
		m.facets[i].terms = append(m.facets[i].terms, bound)
	}
	cheapestFirst(m.rest)
	m.ticks = b.ticks
	return m, nil
}

// facetOf returns the field of a term that belongs to a facet. Comparisons of levels do too.
func (s Schema) facetOf(n node) (field string, ok bool) {
	if c, ok := n.(comparison); ok {
		return c.name.text, s.kind(c.name.text) == LevelColumn
	}
	f, ok := facetOf(n)
	return f.name.text, ok
}

// Word returns the word in lower case, and a function that searches a row's text for it, if the filter is a single word;
// otherwise nil. A text in which it finds a word has each part of the word, too.
func (f Filter) Word() (word string, in func(text string) bool) {
	if len(f.terms) == 1 {
		if n, ok := f.terms[0].node.(text); ok {
			return lower(n.word), newFinder(n.word).in
		}
	}
	return "", nil
}

// Ticks reports whether a row may start or stop matching because time passes.
func (m *Matcher) Ticks() bool { return m.ticks }

// Match reports whether a row matches.
func (m *Matcher) Match(r Row, now time.Time) bool {
	seconds := now.Unix()
	for i := range m.facets {
		if !every(m.facets[i].terms, r, seconds) {
			return false
		}
	}
	return every(m.rest, r, seconds)
}

// MatchBut reports whether a row matches. If only one facet's terms exclude the row, it also
// returns that facet's field: the row counts among that facet's values.
func (m *Matcher) MatchBut(r Row, now time.Time) (matches bool, but string) {
	seconds := now.Unix()
	for i := range m.facets {
		if !every(m.facets[i].terms, r, seconds) {
			if but != "" {
				return false, ""
			}
			but = m.facets[i].field
		}
	}
	if !every(m.rest, r, seconds) {
		return false, ""
	}
	return but == "", but
}

func every(all []bound, r Row, now int64) bool {
	for i := range all {
		if !all[i].match(r, now) {
			return false
		}
	}
	return true
}

// cheapestFirst sorts matches by cost. Insertion sort is enough: there are few.
func cheapestFirst(all []bound) {
	for i := range all {
		for ; i > 0 && all[i].cost < all[i-1].cost; i-- {
			all[i], all[i-1] = all[i-1], all[i]
		}
	}
}

// binder binds nodes to the columns of a schema.
type binder struct {
	schema Schema
	ticks  bool
}

func (b *binder) all(nodes []node) (all []bound, cost int, err error) {
	for _, n := range nodes {
		m, err := n.bind(b)
		if err != nil {
			return nil, 0, err
		}
		all = append(all, m)
		cost += m.cost
	}
	cheapestFirst(all)
	return all, cost, nil
}

func (n both) bind(b *binder) (bound, error) {
	all, cost, err := b.all(n)
	return bound{func(r Row, now int64) bool { return every(all, r, now) }, cost, together(all, (*slots.Bits).And)}, err
}

func (n either) bind(b *binder) (bound, error) {
	all, cost, err := b.all(n)
	return bound{func(r Row, now int64) bool {
		for i := range all {
			if all[i].match(r, now) {
				return true
			}
		}
		return false
	}, cost, together(all, (*slots.Bits).Or)}, err
}

func (n not) bind(b *binder) (bound, error) {
	m, err := n.node.bind(b)
	return bound{func(r Row, now int64) bool { return !m.match(r, now) }, m.cost, m.outside()}, err
}

func (n text) bind(*binder) (bound, error) {
	f := newFinder(n.word)
	return bound{func(r Row, _ int64) bool { return f.in(r.Text()) }, search, nil}, nil
}

func (n pattern) bind(b *binder) (bound, error) {
	in := rowExpression(n.source, b.schema.Open)
	return bound{func(r Row, _ int64) bool { return in(r.Text()) }, regular, nil}, nil
}

func (n selected) bind(*binder) (bound, error) {
	return bound{func(r Row, _ int64) bool { return n.selector.Matches(r) }, cell, labelled(n.selector.Matches)}, nil
}

func (n fuzzy) bind(*binder) (bound, error) {
	word := lower(n.word)
	return bound{func(r Row, _ int64) bool {
		rest := word
		if namespace := r.Namespace(); namespace != "" {
			rest = strings.TrimPrefix(without(rest, namespace), "/")
		}
		return without(rest, r.Name()) == ""
	}, letters, nil}, nil
}

// without returns the rest of a word after its first letters were found in a text, in order.
func without(word, text string) string {
	for i := 0; i < len(text) && word != ""; i++ {
		if fold[text[i]] == word[0] {
			word = word[1:]
		}
	}
	return word
}

func (n field) bind(b *binder) (bound, error) {
	s, err := b.schema.subject(n.name)
	if err != nil {
		return bound{}, err
	}
	if s.kind == DurationColumn {
		return b.lasting(n, s)
	}
	if len(n.values) == 0 {
		switch {
		case s.source == inLabel && b.schema.Open:
			return n.open(s, func(string) bool { return true }), nil
		case s.source == inLabel:
			return s.any(func(string) bool { return true }), nil
		}
		return s.any(some), nil
	}
	loose, exact := n.tests(s.kind)
	switch {
	case b.schema.Open && s.source == inLabel:
		return n.open(s, loose), nil
	case exact != nil:
		return s.items(loose, exact), nil
	case s.source == inLabel && slices.ContainsFunc(n.values, value.none):
		unset := func(l Labels) bool {
			value, _ := l.Lookup(s.key)
			return value == "" || loose(value)
		}
		return bound{func(r Row, _ int64) bool { return unset(r) }, cell, labelled(unset)}, nil
	}
	return s.any(loose), nil
}

// open returns a match for lines with a field, or with the term as it would be typed.
func (n field) open(s subject, is func(string) bool) bound {
	if slices.ContainsFunc(n.values, value.none) {
		return bound{func(r Row, _ int64) bool {
			value, _ := r.Lookup(s.key)
			return value == "" || is(value)
		}, letters, nil}
	}
	typed := newFinder(string(n.append(nil)))
	return bound{func(r Row, _ int64) bool {
		value, ok := r.Lookup(s.key)
		return ok && is(value) || typed.in(r.Text())
	}, letters, nil}
}

// tests returns the tests of the values. Loose is true for a text with one of the unquoted
// values, exact for one with a quoted owner or image; exact is nil if there are none.
func (n field) tests(kind Kind) (loose, exact func(string) bool) {
	var some, all []func(string) bool
	for _, v := range n.values {
		if v.kind == whole {
			all = append(all, v.test(kind))
		} else {
			some = append(some, v.test(kind))
		}
	}
	if len(all) > 0 {
		exact = anyOf(all)
	}
	return anyOf(some), exact
}

func anyOf(tests []func(string) bool) func(string) bool {
	if len(tests) == 1 {
		return tests[0]
	}
	return func(text string) bool {
		return slices.ContainsFunc(tests, func(is func(string) bool) bool { return is(text) })
	}
}

// some reports whether a text is a value, neither empty nor a placeholder for none.
func some(text string) bool {
	return text != "" && text != "<none>" && text != "<unknown>" && text != NotEvaluated
}

// lasting binds a field that is a duration. A duration equals a value if they are the same
// when rounded down to the value's smallest unit.
func (b *binder) lasting(n field, s subject) (bound, error) {
	type lapse struct{ from, to float64 }
	var lapses []lapse
	var texts []string // placeholders printed when there is no duration
	for _, v := range n.values {
		seconds, unit, ok := parseDuration(v.text)
		switch {
		case v.kind == literal && ok:
			lapses = append(lapses, lapse{seconds, seconds + unit})
			b.ticks = true
		case v.kind == literal && strings.HasPrefix(v.text, "<"):
			texts = append(texts, v.text)
		default:
			return bound{}, v.at.wrong(strconv.Quote(v.text)+" is not a duration", "one like 90s, 3d or 1h30m; "+n.name.text+">3d compares")
		}
	}
	return bound{func(r Row, now int64) bool {
		d, ok := s.duration(r, now)
		if !ok {
			text := r.Cell(s.column)
			return slices.ContainsFunc(texts, func(t string) bool { return equalFold(t, text) })
		}
		return len(n.values) == 0 || slices.ContainsFunc(lapses, func(l lapse) bool { return d >= l.from && d < l.to })
	}, cell, nil}, nil
}

func (n comparison) bind(b *binder) (bound, error) {
	s, err := b.schema.subject(n.name)
	if err != nil {
		return bound{}, err
	}
	read := parseNumber
	amount, ok := parseNumber(n.amount)
	want := "a number like 5, 500m, 2Gi, 50% or 1/2"
	switch {
	case s.kind == LevelColumn:
		read = parseLevel
		amount, ok = parseLevel(n.amount)
		want = "debug, info, warn or error"
	case s.kind == DurationColumn:
		amount, _, ok = parseDuration(n.amount)
		want = "a duration like 90s, 3d or 1h30m"
		b.ticks = true
	case b.schema.Open:
		return n.open(s, want+", a version like 1.2.3, or a duration like 500ms")
	case s.kind == TextColumn && !Added(n.name.text) && !versioned(n.name.text):
		return bound{}, n.name.at.wrong(n.name.text+" is text, which has no order", b.schema.compared())
	case s.kind == TextColumn:
		test, ok := n.ordered()
		if !ok {
			return bound{}, n.incomparable(want + ", or a version like 1.2.3")
		}
		return s.any(test), nil
	}
	if !ok {
		return bound{}, n.incomparable(want)
	}
	compare := comparers[n.than]
	if s.kind == DurationColumn {
		return bound{func(r Row, now int64) bool {
			d, ok := s.duration(r, now)
			return ok && compare(d, amount)
		}, cell, nil}, nil
	}
	return s.any(func(text string) bool {
		number, ok := read(text)
		return ok && compare(number, amount)
	}), nil
}

// incomparable returns the error that the amount has no order among the field's values.
func (n comparison) incomparable(want string) error {
	return n.at.wrong(strconv.Quote(n.amount)+" can't be compared with "+n.name.text, want)
}

// open binds a comparison with a field of a line: a number, a version, or a duration as programs log it.
func (n comparison) open(s subject, want string) (bound, error) {
	test, ok := n.ordered()
	took, isTook := parseTook(n.amount)
	if !ok && !isTook {
		return bound{}, n.incomparable(want)
	}
	compare := comparers[n.than]
	m := s.any(func(text string) bool {
		if is, ok := parseTook(text); ok && isTook {
			return compare(is, took)
		}
		return test(text)
	})
	m.cost = letters
	return m, nil
}

var comparers = map[string]func(a, b float64) bool{
	"<":  func(a, b float64) bool { return a < b },
	"<=": func(a, b float64) bool { return a <= b },
	">":  func(a, b float64) bool { return a > b },
	">=": func(a, b float64) bool { return a >= b },
}

// compared lists the columns that can be compared, for an error.
func (s Schema) compared() string {
	var names []string
	for _, c := range s.Columns {
		if c.Kind != TextColumn {
			names = append(names, FieldName(c.Name))
		}
	}
	return strings.Join(append(names, "a label"), ", ") + "; or ':' instead"
}
