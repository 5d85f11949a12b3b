package timeline

import (
	"cmp"
	"slices"

	"watchglass/internal/history"
)

// whyWords are the words for the reasons of gaps.
var whyWords = [...]string{history.Closed: "not open", history.Away: "away", history.Relisted: "relisted", history.Dropped: "dropped", history.Denied: "denied"}

// gaps returns the gaps of some kinds between two moments; nil is all kinds. A gap that all of them have is one,
// without a kind.
func (t *Timeline) gaps(of []string, from, to int64) []Gap {
	by := make(map[Gap]int)
	kinds := make(map[string]bool)
	for _, s := range t.streams {
		if of == nil || slices.Contains(of, s.kind.ID()) {
			kinds[s.kind.Name] = true
		}
	}
	for kind := range kinds {
		for g := range t.gapsOf(kind, from, to) {
			by[g]++
		}
	}
	var all []*Gap // sorting pointers adds no code for a type of its own
	for g, n := range by {
		if n == len(kinds) {
			all = append(all, &g)
			continue
		}
		for kind := range kinds {
			if g.Kind = kind; t.gapsOf(kind, from, to)[Gap{g.From, g.To, g.Why, ""}] {
				one := g
				all = append(all, &one)
			}
		}
	}
	slices.SortFunc(all, func(a, b *Gap) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Why, b.Why))
	})
	var out []Gap
	for _, g := range all[:min(len(all), mostGaps)] {
		out = append(out, *g)
	}
	return out
}

// mostGaps is how many gaps are drawn.
const mostGaps = 500

// gapsOf returns the gaps of a kind between two moments, without its name: when no stream of the widest
// scope had all changes. They are at least a millisecond long.
func (t *Timeline) gapsOf(kind string, from, to int64) map[Gap]bool {
	out := make(map[Gap]bool)
	wide := slices.ContainsFunc(t.streams, func(s *stream) bool { return s.kind.Name == kind && s.stream.Namespace == "" })
	for _, s := range t.streams {
		if s.kind.Name != kind || wide && s.stream.Namespace != "" {
			continue
		}
		for _, g := range s.gaps {
			begin, end := g.From.UnixMilli(), max(g.To.UnixMilli(), g.From.UnixMilli()+1)
			if begin, end = max(begin, from), min(end, to); begin < end {
				out[Gap{begin, end, whyWords[min(int(g.Why), len(whyWords)-1)], ""}] = true
			}
		}
	}
	return out
}
