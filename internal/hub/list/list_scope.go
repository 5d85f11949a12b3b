package list

import (
	"slices"
	"time"

	"watchglass/internal/hub/source"
)

// A user who may not list the whole cluster sees some of its namespaces, with one list each.
// The list of the whole cluster stays open beside them, and replaces them as soon as it is
// allowed.

// rescope narrows or widens the list as rights come and go. It reports whether the sources
// have changed.
func (l *List) rescope(now time.Time) bool {
	if l.shown.local != nil {
		l.memory.NameProblems(l.cluster, l, l.query.Namespaces, nil)
		return false
	}
	if !l.shown.kind.Namespaced {
		return false
	}
	l.widen(now)
	return l.narrow()
}

// narrow shows the wanted namespaces, if the whole cluster may not be listed.
func (l *List) narrow() bool {
	s := l.shown
	w := l.cluster.Client.Link().Welcome
	if w == nil || w.Narrow || s.isWide() && !s.forbidden() {
		return false
	}
	want := l.memory.Wanted(l.query.Namespaces, w)
	if len(want) == 0 || slices.Equal(want, s.scopes) {
		return false
	}
	if s.isWide() {
		first := s.parts[0]
		first.Unsubscribe(first.sub)
		l.wide, l.asWide, s.parts = first.Lease, s.kind, nil
	}
	l.dropNext()
	s.close()
	l.open(s.kind, want)
	l.reprint() // a listing of the kind in another version may have been dropped
	return true
}

// widen replaces what is shown with the list of the whole cluster, once that has synced and
// is in no worse state.
func (l *List) widen(now time.Time) {
	if l.wide == nil || l.next != nil && l.next.isWide() {
		return
	}
	w := source.StatusOf(l.wide, l.cluster.Link(), now)
	if w.Verdict() < source.Old || source.Rank(w.Fresh) < source.Rank(l.fresh()) {
		return
	}
	l.replaceWith([]string{""})
	l.memory.Narrowed[l.shown.kind.ID()] = false
	l.cluster.RequestStep()
}

// undecided reports whether the whole cluster may not be listed and the page has yet to say
// what it remembers: before that nothing is called denied.
func (l *List) undecided() bool {
	s, w := l.shown, l.cluster.Client.Link().Welcome
	return !l.memory.reported() && w != nil && !w.Narrow && s.kind.Namespaced && s.isWide() && s.forbidden()
}
