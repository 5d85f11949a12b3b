package list

import (
	"slices"

	"watchglass/internal/hub/cluster"
	"watchglass/internal/informer"
	"watchglass/internal/object"
)

// displayedObjects has the objects of the last windows that were sent, whose rows the page may
// still show. So a row can be opened after its object is gone, even on a paused list.
type displayedObjects struct {
	windows [displayedMost][]*object.Object
	next    int
}

// displayedMost is how many windows are held. The page applies one before the next is sent,
// unless it is busy for seconds.
const displayedMost = 8

// add stores the objects of a window. The slice must not change afterwards.
func (d *displayedObjects) add(objects []*object.Object) {
	d.windows[d.next] = objects
	d.next = (d.next + 1) % displayedMost
}

// find returns the object of a key as it was last sent, or nil.
func (d *displayedObjects) find(key string) *object.Object {
	for i := range displayedMost {
		window := d.windows[(d.next+displayedMost-1-i)%displayedMost]
		if at := slices.IndexFunc(window, func(o *object.Object) bool { return o.Key() == key }); at >= 0 {
			return window[at]
		}
	}
	return nil
}

// LastVersion returns the last version of an object that the list no longer has and whose row
// the page may still show, or nil. A list that has not synced, or is of another namespace,
// proves nothing.
func (l *List) LastVersion(kind object.Kind, key string) *object.Object {
	s := l.shown
	if s == nil || s.kind.ID() != kind.ID() || l.state == informer.Denied || l.state == informer.Gone {
		return nil
	}
	last := l.patches.displayed.find(key)
	if last == nil || !s.lacks(last) {
		return nil
	}
	for _, v := range l.cluster.Record().Versions(kind, key, last.UID(), l.cluster.Now(), 1) {
		if seen, ok := cluster.ReadVersion(kind, v); ok {
			return seen.Object
		}
	}
	return last
}
