package timeline

import (
	"cmp"
	"slices"

	"watchglass/internal/history"
)

// whyWords are the words for the reasons of gaps.
var whyWords = [...]string{history.Closed: "closed", history.Away: "away", history.Relisted: "relisted", history.Dropped: "dropped", history.Denied: "denied", history.Unread: "unread"}

// mostGaps is how many gaps are drawn.
const mostGaps = 500

// gaps returns the gaps of what is asked about between two moments, in the order of their ends. If there are
// too many, they are as wide as bars: kinds notice one outage at different moments, so that it is a gap of each. If
// that is not enough, the oldest are one: no gap is left out, since a bar without one says "no changes".
func (t *Timeline) gaps(q *Question, from, to, step int64) []Gap {
	all := t.allGaps(q, from, to, 1)
	if len(all) > mostGaps {
		all = t.allGaps(q, from, to, step)
	}
	slices.SortFunc(all, func(a, b *Gap) int {
		return cmp.Or(cmp.Compare(a.To, b.To), cmp.Compare(a.From, b.From), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Why, b.Why))
	})
	if n := len(all) - mostGaps; n > 0 {
		joined := all[n]
		for _, g := range all[:n] {
			joined.From = min(joined.From, g.From)
			if g.Kind != joined.Kind {
				joined.Kind = ""
			}
		}
		all = all[n:]
	}
	var out []Gap
	for _, g := range all {
		out = append(out, *g)
	}
	return out
}

// allGaps returns the gaps of what is asked about, with ends at multiples of step. A gap that all of them have is one, without
// a kind.
func (t *Timeline) allGaps(q *Question, from, to, step int64) (all []*Gap) { // sorting pointers adds no code for a type of its own
	gaps := t.gapsByKind(q, from, to, step)
	by := make(map[Gap]int)
	for _, those := range gaps {
		for g := range those {
			by[g]++
		}
	}
	for g, n := range by {
		if n == len(gaps) {
			all = append(all, &g)
			continue
		}
		for kind := range gaps {
			if gaps[kind][g] {
				one := g
				one.Kind = kind
				all = append(all, &one)
			}
		}
	}
	return all
}

// gapsByKind returns the gaps of the kinds that are asked about, by their names. A kind without a stream has one from end to end: its list
// has not come, so nothing is known of it.
func (t *Timeline) gapsByKind(q *Question, from, to, step int64) map[string]map[Gap]bool {
	gaps := make(map[string]map[Gap]bool)
	for _, s := range t.streams {
		if kind := s.kind.Name; gaps[kind] == nil && (q.Kinds == nil || slices.Contains(q.Kinds, s.kind.ID())) {
			gaps[kind] = t.gapsOf(kind, q.Namespaces, from, to, step)
		}
	}
	for _, id := range q.Kinds {
		if name := t.nameOf(id); gaps[name] == nil {
			gaps[name] = map[Gap]bool{{from, to, whyWords[history.Closed], ""}: true}
		}
	}
	return gaps
}

// nameOf returns the name of a kind by its ID; the ID if the kind is not known.
func (t *Timeline) nameOf(id string) string {
	for _, s := range t.streams {
		if s.kind.ID() == id {
			return s.kind.Name
		}
	}
	if kind, ok := t.find(id); ok {
		return kind.Name
	}
	return id
}

// gapsOf returns the gaps of a kind in some namespaces between two moments, without its name: when no stream of the widest
// scope had all changes. A namespace without a stream is one gap from end to end. They begin and end at multiples of step, and are at least that long.
func (t *Timeline) gapsOf(kind string, in []string, from, to, step int64) map[Gap]bool {
	out := make(map[Gap]bool)
	if from < t.from { // before anything was watched
		out[Gap{from, min(t.from, to), whyWords[history.Closed], ""}] = true
	}
	if lost := t.lost[kind]; lost >= from {
		out[Gap{from, min((lost/step+1)*step, to), whyWords[history.Dropped], ""}] = true
	}
	watched := func(in string) bool {
		return slices.ContainsFunc(t.streams, func(s *stream) bool { return s.kind.Name == kind && s.stream.Namespace == in })
	}
	wide := watched("")
	if !wide && slices.ContainsFunc(in, func(namespace string) bool { return !watched(namespace) }) {
		out[Gap{from, to, whyWords[history.Closed], ""}] = true
	}
	for _, s := range t.streams {
		if s.kind.Name != kind || s.stream.Namespace != "" && (wide || len(in) > 0 && !slices.Contains(in, s.stream.Namespace)) {
			continue
		}
		for _, g := range s.gaps {
			begin, end := g.From.UnixMilli(), max(g.To.UnixMilli(), g.From.UnixMilli()+1)
			if begin, end = max(begin, from), min(end, to); begin < end {
				begin, end = max(begin/step*step, from), min((end+step-1)/step*step, to)
				out[Gap{begin, end, whyWords[min(int(g.Why), len(whyWords)-1)], ""}] = true
			}
		}
	}
	return out
}
