package view

import (
	"strings"

	"watchglass/internal/query"
	"watchglass/internal/view/meter"
)

// short is a short form of a facet's values that the filter has: "gateway" of the image registry.example.com/gateway:1.4.
type short = query.Short

// short returns a chosen value that no object has as it is.
func (f *facet) short(c *facetCounts, value string, of meter.Meter) FacetValue {
	for i := range c.shorts {
		if strings.EqualFold(f.shorts[i].Value, value) {
			return c.shorts[i].as(value, of)
		}
	}
	return FacetValue{Value: value}
}

// as returns the counts for the page.
func (t *tally) as(value string, of meter.Meter) FacetValue {
	out := FacetValue{Value: value, Count: t.count}
	if len(of.Measures) > 0 && len(t.sums) > 0 {
		out.Sum, out.amount = of.Measures[0].Text(t.sums[0], t.count), t.sums[0].Amount()
	}
	return out
}
