package list

import (
	"time"

	"watchglass/internal/hub/source"
	"watchglass/internal/informer"
)

// Depart begins the passage of the list to another moment.
func (l *List) Depart() { l.patches.depart() }

// ArrivedAt reports whether the list shows a version, as far as the user may read it. A list whose kind is not known
// has arrived once it is said why.
func (l *List) ArrivedAt(version string, now time.Time) bool {
	switch {
	case l.shown != nil && l.shown.local != nil:
		return true
	case l.shown == nil || !l.shown.opened():
		return l.problem != nil
	}
	link := l.cluster.Link()
	for _, p := range l.shown.parts {
		s := source.StatusOf(p.Lease, link, now)
		if s.Fresh != informer.Denied && (s.State.Behind || s.State.Settled != version) {
			return false
		}
	}
	return true
}

// Arrive ends the passage, if there is one, and sends the rows, which must precede the report of arrival.
func (l *List) Arrive(now time.Time) {
	if l.patches.arrive() && l.shown != nil {
		l.send(now)
	}
}
