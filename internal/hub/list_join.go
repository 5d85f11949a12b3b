package hub

import (
	"time"

	"watchglass/internal/hub/source"
	"watchglass/internal/hub/sums"
	"watchglass/internal/informer"
	"watchglass/internal/object"
)

// A list of nodes or of namespaces has columns with sums of their pods. The pods are another
// source, which is open only while the list shows such a column, or is sorted or filtered by
// one.

// join is the source of the derived columns of a listing.
type join struct {
	*source.Lease
	sub  *informer.Subscription[*object.Object]
	sums *sums.Sums
}

// openJoin leases the pods.
func (l *listing) openJoin() {
	kind, _ := object.Builtin("pods")
	l.cluster.kinds.Print(&kind)
	j := &join{Lease: l.cluster.lease(kind, "", nil)}
	j.sums = sums.New(l.kind.ID(), &l.cluster.codes, j.Decoder().(*object.Decoder).Columns())
	objects, sub := j.Subscribe(func(changes []informer.Change[*object.Object]) {
		out := make([]sums.Change, len(changes))
		for i, c := range changes {
			out[i] = sums.Change{Before: c.Before, After: c.After}
		}
		j.sums.Apply(out)
		l.cluster.requestStep()
	})
	first := make([]sums.Change, len(objects))
	for i, o := range objects {
		first[i].After = o
	}
	j.sums.Begin(first)
	j.sub, l.join = sub, j
	l.view.Join(j.sums)
}

// closeJoin releases the pods with the given function.
func (l *listing) closeJoin(release func(*source.Lease)) {
	if l.join != nil {
		l.join.Unsubscribe(l.join.sub)
		release(l.join.Lease)
		l.join = nil
		l.view.Join(nil)
		l.view.SetNote("")
	}
}

// addAtOnce is how many pods are added up in one step of the loop.
const addAtOnce = 4000

// derive opens and closes the source of the derived columns as they are used, and has the view
// show what has changed.
func (l *listing) derive(now time.Time) {
	switch {
	case !sums.Of(l.kind.ID()) || !l.opened():
		return
	case !l.view.Derives():
		l.closeJoin((*source.Lease).Release)
		return
	case l.cluster.scopes()[0] != "":
		l.view.SetNote("The proxy serves only the pods of " + l.cluster.scopes()[0])
		return
	case l.join == nil:
		l.openJoin()
	}
	j, status := l.join, source.StatusOf(l.join.Lease, l.cluster.link(), now)
	more := j.sums.Work(addAtOnce)
	if more {
		l.cluster.requestStep()
	}
	state, note := sums.Loading, ""
	switch {
	case status.Fresh == informer.Denied:
		state, note = sums.Denied, "No permission to list pods"
	case !status.State.Synced || more:
	case status.Fresh == informer.Live:
		state = sums.Ready
	default:
		state, note = sums.Ready, "Pods are "+string(status.Fresh)+". These columns may be out of date"
	}
	if version, is := j.sums.Unordered(); is && state == sums.Ready {
		j.sums.Reorder(version, j.Store().List())
	}
	if touched := j.sums.Touched(); j.sums.Set(state) {
		l.view.Join(j.sums)
	} else if state == sums.Ready {
		l.view.Touch(touched...)
	}
	l.view.SetNote(note)
}
