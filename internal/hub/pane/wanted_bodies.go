package pane

import (
	"time"

	"watchglass/internal/hub/source"
	"watchglass/internal/object"
)

// bodies is the state of reading the bodies that wanted objects of a list have lost.
type bodies struct {
	source.Restoring
	look time.Time // when there is something to look at; zero if there is not
}

// due reports, once, that it is time to look at the objects again.
func (b *bodies) due(now time.Time) bool {
	if b.look.IsZero() || now.Before(b.look) {
		return false
	}
	b.look = time.Time{}
	return true
}

// whole reports whether no wanted object has lost its body. Those that were lost are read, and the pane looks again.
func (l *wantedList) whole(now time.Time) bool {
	var lost []*object.Object
	for _, o := range l.objects() {
		if o.Lost() {
			lost = append(lost, o)
		}
	}
	if len(lost) > 0 {
		l.restore(lost, now)
	}
	return len(lost) == 0
}

func (l *wantedList) restore(lost []*object.Object, now time.Time) {
	b := &l.bodies
	switch {
	case b.May(now):
		b.Begin(now)
		l.host.Restore(l.Lease, l.kind, lost, l.restored)
	case !b.Busy():
		b.look = b.Next
		l.host.WakeAt(b.Next)
	}
}

// restored notes the end of an attempt.
func (l *wantedList) restored(err error) {
	l.bodies.look = time.Now()
	l.bodies.End(l.bodies.look, err)
	l.host.RequestUpdate()
}
