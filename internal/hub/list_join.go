package hub

import (
	"slices"
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
	j.sub, l.join = l.subscribe(j.Lease, j.sums.Begin, j.sums.Apply), j
	l.rejoin()
}

// subscribe gives begin what a source of derived cells holds, and apply each later change.
func (l *listing) subscribe(lease *source.Lease, begin, apply func([]sums.Change)) *informer.Subscription[*object.Object] {
	objects, sub := lease.Subscribe(func(changes []informer.Change[*object.Object]) {
		out := make([]sums.Change, len(changes))
		for i, c := range changes {
			out[i] = sums.Change{Before: c.Before, After: c.After}
		}
		apply(out)
		l.cluster.requestStep()
	})
	first := make([]sums.Change, len(objects))
	for i, o := range objects {
		first[i].After = o
	}
	begin(first)
	return sub
}

// closeJoin releases the pods with the given function.
func (l *listing) closeJoin(release func(*source.Lease)) {
	if l.join != nil {
		l.join.Unsubscribe(l.join.sub)
		release(l.join.Lease)
		l.join = nil
		l.rejoin()
	}
}

// addAtOnce is how many pods are added up in one step of the loop.
const addAtOnce = 4000

// joined are what computes the derived cells of a listing.
type joined struct {
	sums  *sums.Sums  // nil: they are not in use
	usage *sums.Usage // nil: it is not in use
	// of Services; nil: they are not in use
	endpoints *sums.Endpoints
}

// Cells returns the derived cells of an object.
func (j joined) Cells(o *object.Object) []object.Cell {
	if j.endpoints != nil {
		return j.endpoints.Cells(o)
	}
	var cells []object.Cell
	if j.sums != nil {
		cells = j.sums.Cells(o)
	}
	if j.usage != nil {
		cells = append(slices.Grow(cells, sums.All)[:sums.FirstUsage], j.usage.Cells(o)...)
	}
	return cells
}

// rejoin has the view compute all derived cells again.
func (l *listing) rejoin() {
	var all joined
	if l.join != nil {
		all.sums = l.join.sums
	}
	if l.usage != nil {
		all.usage = l.usage.usage
	}
	if l.endpoints != nil {
		all.endpoints = l.endpoints.counts
	}
	if all == (joined{}) {
		l.view.Join(nil)
	} else {
		l.view.Join(all)
	}
}

// derive brings the derived columns up to date.
func (l *listing) derive(now time.Time) {
	if l.opened() {
		note := l.deriveSums(now)
		if other := l.deriveUsage(now); note == "" {
			note = other
		}
		if other := l.deriveEndpoints(now); note == "" {
			note = other
		}
		l.view.SetNote(note)
	}
}

// deriveSums opens and closes the source of the sums as they are used, and has the view show what
// has changed. It returns what to say about them.
func (l *listing) deriveSums(now time.Time) (note string) {
	switch {
	case !sums.Of(l.kind.ID()):
		return ""
	case !l.view.Derives(sums.IsSum):
		l.closeJoin((*source.Lease).Release)
		return ""
	case l.cluster.scopes()[0] != "":
		return "The proxy serves only the pods of " + l.cluster.scopes()[0]
	case l.join == nil:
		l.openJoin()
	}
	j, status := l.join, source.StatusOf(l.join.Lease, l.cluster.link(), now)
	more := j.sums.Work(addAtOnce)
	if more {
		l.cluster.requestStep()
	}
	state := sums.Loading
	switch {
	case status.Fresh == informer.Denied:
		state, note = sums.Denied, "No permission to list pods in all namespaces"
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
		l.rejoin()
	} else if state == sums.Ready {
		l.view.Touch(touched...)
	}
	return note
}
