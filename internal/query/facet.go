package query

import (
	"slices"
	"strings"
)

// A facet is a field of which values are chosen, to be shown or to be left out:
// terms of the filter that say nothing else, and do not stand in an alternative.

// facetOf returns the term of a facet.
func facetOf(n node) (f field, ok bool) {
	if left, ok := n.(not); ok {
		n = left.node
	}
	f, ok = n.(field)
	return f, ok
}

// Facet returns the values of a field that are chosen, and those that are left
// out.
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

// Include adds a value to those of a field that a filter chooses; of those that
// it leaves out, the value is none any more. All else stays as it was typed. A
// text that is no filter is returned as it is.
func Include(filter, field, value string) string {
	return choose(take(filter, field, value, true), field, value, false)
}

// Exclude has a filter leave a value of a field out; else it is like [Include].
func Exclude(filter, field, value string) string {
	return choose(take(filter, field, value, false), field, value, true)
}

// Clear takes a value of a field out of those that a filter chooses, or leaves
// out; else it is like [Include].
func Clear(filter, field, value string) string {
	return take(take(filter, field, value, true), field, value, false)
}

// choice is a term that chooses values of a facet, or leaves them out.
type choice struct {
	field
	term int
}

// choices are the terms of a facet.
func (f Filter) choices(name string, excluded bool) (all []choice) {
	for i, t := range f.terms {
		_, isNot := t.node.(not)
		if of, ok := facetOf(t.node); ok && isNot == excluded && of.name.text == name {
			all = append(all, choice{of, i})
		}
	}
	return all
}

// index is where a choice has a value; or -1.
func (c choice) index(text string) int {
	return slices.IndexFunc(c.values, func(v value) bool { return v.kind.plain() && equalFold(v.text, text) })
}

// choose adds a value to all terms that choose, since a row has to meet them all;
// to one of those that leave out; or adds a term.
func choose(filter, field, text string, excluded bool) string {
	f, err := Parse(filter)
	if err != nil {
		return filter
	}
	all := f.choices(field, excluded)
	if excluded {
		all = list(all, text)
	}
	for i := len(all) - 1; i >= 0; i-- { // what stands before keeps its place
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

// chosen is a value as a choice of it is written. An image is meant as it is, and
// no others of which it is the shorter form.
func chosen(field, text string) string {
	if field == imageField {
		return string(appendQuoted(nil, text))
	}
	return written(text)
}

// list returns the one choice that has a value, or that it can be added to, if
// there is one. "None" is no list.
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

// take takes a value out of a facet's terms.
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

// cut cuts one value out of the filter's text, with its term if it was alone. What
// then reads otherwise, since a selector before it would go on, is written anew.
func (f Filter) cut(text string, c choice, i int) string {
	from, to := 0, len(text)
	switch values, terms := c.values, f.terms; {
	case i > 0:
		from, to = values[i-1].at.to, values[i].at.to
	case len(values) > 1:
		from, to = values[0].at.from, values[1].at.from
	case c.term > 0:
		from, to = terms[c.term-1].at.to, terms[c.term].at.to
	case len(terms) > 1:
		from, to = terms[0].at.from, terms[1].at.from
	}
	text = text[:from] + text[to:]
	if len(c.values) > 1 {
		return text
	}
	want := Filter{terms: slices.Delete(slices.Clone(f.terms), c.term, c.term+1)}.String()
	if again, err := Parse(text); err != nil || again.String() != want {
		return want
	}
	return text
}
