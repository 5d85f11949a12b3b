package view

import (
	"cmp"
	"slices"
	"strings"

	"watchglass/internal/object"
	"watchglass/internal/query"
)

// mostLabels is how many names or values are worth telling.
const mostLabels = 500

// Labels counts the objects by a label's values, or, without a key, by the names of
// the labels that they have; the most frequent first.
func (v *View) Labels(key string) []query.Counted {
	v.mu.Lock()
	sets := make(map[object.Labels]int)
	for _, o := range v.byKey.list {
		sets[o.Labels()]++ // which many share
	}
	v.mu.Unlock()
	counts := make(map[string]int)
	for labels, n := range sets {
		for name, value := range labels.All() {
			switch key {
			case "":
				counts[name] += n
			case name:
				counts[value] += n
			}
		}
	}
	out := make([]query.Counted, 0, len(counts))
	for text, n := range counts {
		out = append(out, query.Counted{Text: text, Count: n})
	}
	slices.SortFunc(out, func(a, b query.Counted) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Text, b.Text))
	})
	return out[:min(len(out), mostLabels)]
}
