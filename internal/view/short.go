package view

import (
	"slices"
	"strings"

	"watchglass/internal/query"
)

// short counts the objects that the filter selects by a short form of one of their values: "gateway" of the image
// registry.example.com/gateway:1.4.
type short struct {
	tally
	of func(value string) bool
}

// shortsOf returns the short forms that a filter has of a facet's values, with nothing counted.
func shortsOf(filter query.Filter, field string) (all []short) {
	for _, s := range filter.Shorts(field) {
		all = append(all, short{tally{value: s.Value}, s.Of})
	}
	return all
}

// countShorts adds by to the short forms of the object whose tallies were taken last. An object counts once, however
// many of its values have the form.
func (f *facet) countShorts(by int, readings []reading) {
	for i := range f.shorts {
		s := &f.shorts[i]
		if !slices.ContainsFunc(f.lasts, func(t *tally) bool { return s.of(t.value) }) {
			continue
		}
		if s.count += by; len(readings) > 0 {
			f.sum(&s.tally, by, readings)
		}
	}
}

// short returns a chosen value that no object has as it is.
func (f *facet) short(value string, of meter) FacetValue {
	for i := range f.shorts {
		if s := &f.shorts[i]; strings.EqualFold(s.value, value) {
			return s.as(value, of)
		}
	}
	return FacetValue{Value: value}
}

// as returns the counts for the page.
func (t *tally) as(value string, of meter) FacetValue {
	out := FacetValue{Value: value, Count: t.count}
	if len(of.measures) > 0 && len(t.sums) > 0 {
		out.Sum, out.amount = of.measures[0].text(t.sums[0], t.count), t.sums[0].amount()
	}
	return out
}
