package query

import (
	"slices"
	"strconv"
	"strings"
)

// A facet is a field whose values the filter includes or excludes. Its terms are the filter's
// top-level terms on that field; terms inside an alternative do not count.

// facetOf returns the field of a facet's term, negated or not.
func facetOf(n node) (f field, ok bool) {
	if left, ok := n.(not); ok {
		n = left.node
	}
	f, ok = n.(field)
	return f, ok
}

// Facet returns the values of a field that the filter includes and excludes.
func (f Filter) Facet(field string) (included, excluded []string) {
	return f.chosen(field, false), f.chosen(field, true)
}

func (f Filter) chosen(field string, excluded bool) (values []string) {
	for _, c := range f.choices(field, excluded) {
		for _, v := range c.values {
			if v.kind.plain() {
				values = append(values, v.text)
			}
		}
	}
	return values
}

// Key returns a text that two values of a field have in common if a term for one matches the other: they differ only in
// case or, as numbers, in how they are written, such as 1Gi and 1024Mi. Most values are their own key.
func Key(text string, kind Kind) string {
	if kind == NumberColumn && !strings.Contains(text, "/") {
		if n, ok := parseNumber(text); ok {
			return "\x00" + strconv.FormatFloat(n, 'g', -1, 64)
		}
	}
	if strings.IndexFunc(text, func(c rune) bool { return c >= 'A' && c <= 'Z' }) < 0 {
		return text
	}
	return lower(text)
}

// Short is a value of the owner or image facet that a filter has in what may be a short form, with a test of whole values.
type Short struct {
	Value string
	Of    func(value string) bool
}

// Shorts returns the values of a facet that may be short forms.
func (f Filter) Shorts(field string) (all []Short) {
	if !(name{text: field}).list() {
		return nil
	}
	forms := ownerForms
	if field == imageField {
		forms = imageForms
	}
	for _, c := range slices.Concat(f.choices(field, false), f.choices(field, true)) {
		for _, v := range c.values {
			if v.kind == literal && !v.none() {
				is := v.test(TextColumn)
				all = append(all, Short{v.text, func(value string) bool { return forms(value, is) }})
			}
		}
	}
	return all
}

// Include adds a value to a filter's included values of a field, and removes it from the
// excluded ones. The rest of the text stays as typed. An invalid filter is returned unchanged.
func Include(filter, field, value string) string {
	return choose(take(filter, field, value, true), field, value, false)
}

// Exclude adds a value to a filter's excluded values of a field, and removes it from the
// included ones. Otherwise it is like [Include].
func Exclude(filter, field, value string) string {
	return choose(take(filter, field, value, false), field, value, true)
}

// Clear removes a value of a field from a filter's included and excluded values. Otherwise it
// is like [Include].
func Clear(filter, field, value string) string {
	return take(take(filter, field, value, true), field, value, false)
}

// choice is a term that includes or excludes values of a facet, with its index in the filter.
type choice struct {
	field
	term int
}

// choices returns the terms that include values of a facet, or those that exclude them.
func (f Filter) choices(name string, excluded bool) (all []choice) {
	for i, t := range f.terms {
		_, isNot := t.node.(not)
		if of, ok := facetOf(t.node); ok && isNot == excluded && of.name.text == name {
			all = append(all, choice{of, i})
		}
	}
	return all
}

// index returns the index of a value in a choice; -1 if it is not there.
func (c choice) index(text string) int {
	return slices.IndexFunc(c.values, func(v value) bool { return v.kind.plain() && equalFold(v.text, text) })
}

// choose adds a value to the terms of a facet, or adds a term if there is none. It adds an
// included value to all terms, since a row must match them all, and an excluded one to one
// term.
func choose(filter, field, text string, excluded bool) string {
	f, err := Parse(filter)
	if err != nil {
		return filter
	}
	all := f.choices(field, excluded)
	if excluded {
		all = list(all, text)
	}
	for i := len(all) - 1; i >= 0; i-- { // backwards, so that earlier positions stay valid
		if c := all[i]; c.index(text) < 0 {
			filter = filter[:c.end] + strings.Repeat(",", min(len(c.values), 1)) + chosen(field, text) + filter[c.end:]
		}
	}
	if len(all) > 0 {
		return filter
	}
	term := field + ":" + chosen(field, text)
	if excluded {
		term = "!" + term
	}
	return f.with(filter, term)
}

// chosen returns a value as written in a facet's term. An image is quoted: unquoted, it would
// also match other images of which it is a short form.
func chosen(field, text string) string {
	if field == imageField {
		return string(appendQuoted(nil, text))
	}
	return written(text)
}

// list returns the choice that has a value, otherwise one that the value can be added to, if
// any. A choice without values cannot be extended: it means that the field has no value.
func list(all []choice, text string) (one []choice) {
	for _, c := range all {
		if len(c.values) > 0 && (one == nil || c.index(text) >= 0) {
			one = []choice{c}
		}
	}
	return one
}

// with adds a term to the filter's text.
func (f Filter) with(text, term string) string {
	switch {
	case f.Empty():
		return term
	case f.open:
		return "(" + text + ") " + term
	case space(text[len(text)-1]):
		return text + term
	}
	return text + " " + term
}

// take removes a value from a facet's terms.
func take(filter, field, text string, excluded bool) string {
	f, err := Parse(filter)
	if err != nil {
		return filter
	}
	for _, c := range f.choices(field, excluded) {
		if i := c.index(text); i >= 0 {
			return take(f.cut(filter, c, i), field, text, excluded)
		}
	}
	return filter
}

// cut removes one value from the filter's text, and its term if that has no other value.
func (f Filter) cut(text string, c choice, i int) string {
	var from, to int
	switch values := c.values; {
	case i > 0:
		from, to = values[i-1].at.to, values[i].at.to
	case len(values) > 1:
		from, to = values[0].at.from, values[1].at.from
	default:
		return f.without(text, c.term)
	}
	return text[:from] + text[to:]
}

// without removes a term from the filter's text. If the rest would parse differently, because a
// selector before it would continue, the text is rewritten in canonical form.
func (f Filter) without(text string, term int) string {
	from, to := 0, len(text)
	switch terms := f.terms; {
	case term > 0:
		from, to = terms[term-1].at.to, terms[term].at.to
	case len(terms) > 1:
		from, to = terms[0].at.from, terms[1].at.from
	}
	text = text[:from] + text[to:]
	want := Filter{terms: slices.Delete(slices.Clone(f.terms), term, term+1)}.String()
	if again, err := Parse(text); err != nil || again.String() != want {
		return want
	}
	return text
}

// Terms returns the filter's terms as typed. A row must match them all; alternatives without
// brackets are one term. An invalid filter has none.
func Terms(filter string) []string {
	f, _ := Parse(filter) // has no terms if it is invalid
	var all []string
	for _, t := range f.terms {
		all = append(all, strings.TrimSpace(filter[t.at.from:t.at.to]))
	}
	return all
}

// Remove removes a term of [Terms] by its index. The rest of the text stays as typed.
func Remove(filter string, term int) string {
	f, err := Parse(filter)
	if err != nil || term < 0 || term >= len(f.terms) {
		return filter
	}
	return f.without(filter, term)
}

// Reads reports whether a term of the filter, at any depth, is about a field.
func (f Filter) Reads(field string) bool {
	return slices.ContainsFunc(f.terms, func(t termAt) bool { return reads(t.node, field) })
}

func reads(n node, field string) bool {
	in := func(n node) bool { return reads(n, field) }
	switch n := n.(type) {
	case both:
		return slices.ContainsFunc(n, in)
	case either:
		return slices.ContainsFunc(n, in)
	case not:
		return in(n.node)
	case termAt:
		return in(n.node)
	case comparison:
		return n.name.text == field
	}
	of, ok := facetOf(n)
	return ok && of.name.text == field
}
