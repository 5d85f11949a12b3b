package view

import (
	"cmp"
	"strings"

	"watchglass/internal/object"
	"watchglass/internal/query"
	"watchglass/internal/sorting"
)

// mostLabels is the maximum number of names or values that Labels returns.
const mostLabels = 500

// Labels counts the objects by the values of a label, or by their label names if the key is
// empty. The most frequent come first.
func (v *View) Labels(key string) []query.ValueCount {
	v.mu.Lock()
	counts := make(map[string]int)
	for labels, n := range v.table.Texts(v.facets.texts.column(labelsAt)) { // many objects share a label set
		for name, value := range object.Labels(labels).All() {
			switch key {
			case "":
				counts[name] += n
			case name:
				counts[value] += n
			}
		}
	}
	v.mu.Unlock()
	out := make([]query.ValueCount, 0, len(counts))
	for text, n := range counts {
		out = append(out, query.ValueCount{Text: text, Count: n})
	}
	sorting.By(out, func(a, b query.ValueCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Text, b.Text))
	})
	return out[:min(len(out), mostLabels)]
}
