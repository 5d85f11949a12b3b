package list

import (
	"time"

	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/source"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/view"
)

// Shown is what a list shows: its view, and what the rows are read from.
type Shown struct {
	Kind   object.Kind
	View   *view.View
	Extras []object.Extra // added columns
	Scopes []string       // namespaces; "" is the whole cluster
}

// Shown returns what the list shows, and whether its kind is known.
func (l *List) Shown() (Shown, bool) {
	s := l.shown
	if s == nil || !s.opened() {
		return Shown{}, false
	}
	return Shown{Kind: s.kind, View: s.view, Extras: s.extras, Scopes: s.scopes}, true
}

// Sources returns the sources of what is shown, one for each scope. The list releases them.
func (l *List) Sources() (all []*source.Lease) {
	if l.shown != nil {
		for _, p := range l.shown.parts {
			all = append(all, p.Lease)
		}
	}
	return all
}

// ID returns the ID that the page chose.
func (l *List) ID() uint32 { return l.id }

// Cluster returns the cluster that the list is of.
func (l *List) Cluster() *cluster.Cluster { return l.cluster }

// Asked returns what the page asked to see.
func (l *List) Asked() port.ListQuery { return l.query }

// State returns how current the list is.
func (l *List) State() informer.Freshness { return l.state }

// Shows reports whether a source is one of those on screen.
func (l *List) Shows(lease *source.Lease) bool { return l.shown != nil && l.shown.shares(lease) }

// Borrow leases a source of what is on screen, if that is of the kind and serves accepts it; else it returns nil. Its
// objects are printed as in the list, even if the kind is printed differently by now.
func (l *List) Borrow(kind object.Kind, serves func(namespace string, lease *source.Lease) bool) *source.Lease {
	s := l.shown
	if s == nil || s.kind.ID() != kind.ID() {
		return nil
	}
	for i, p := range s.parts {
		if serves(s.scopes[i], p.Lease) {
			return l.cluster.Lease(s.kind, s.scopes[i], s.extras)
		}
	}
	return nil
}

// MovedTo returns a list in another cluster that shows what this one does. The page closes this one.
func (l *List) MovedTo(c *cluster.Cluster, now time.Time) *List {
	moved := New(l.id, c, l.page, l.memory)
	moved.SetQuery(l.query, now)
	moved.patches.skipPause()
	return moved
}

// Back brings the list up to date at once, since the page is on screen again: what was not painted meanwhile holds up
// nothing.
func (l *List) Back() {
	l.Painted()
	l.patches.skipPause()
	if l.state == informer.Denied {
		l.rights.at = time.Time{} // asks again
	}
}
