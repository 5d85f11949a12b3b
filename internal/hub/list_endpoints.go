package hub

import (
	"time"

	"watchglass/internal/hub/source"
	"watchglass/internal/hub/sums"
	"watchglass/internal/informer"
	"watchglass/internal/object"
)

// A list of Services has a column with their ready endpoints. The EndpointSlices are another
// source, which is open only while the list shows that column, or is sorted or filtered by it.

// endpoints is the source of a listing's endpoints.
type endpoints struct {
	counts *sums.Endpoints
	from   []part // one for each scope of the listing
}

// openEndpoints leases the EndpointSlices.
func (l *listing) openEndpoints() {
	kind, _ := object.Builtin("endpointslices")
	l.cluster.kinds.Print(&kind)
	extras, _ := source.Added(sums.EndpointPaths())
	e := &endpoints{counts: sums.NewEndpoints(l.decoder().Columns())}
	for _, namespace := range l.scopes {
		p := part{Lease: l.cluster.lease(kind, namespace, extras)}
		decoder := p.Decoder().(*object.Decoder)
		apply := func(changes []sums.Change) { e.counts.Apply(decoder.Columns(), changes) }
		p.sub = l.subscribe(p.Lease, apply, apply)
		e.from = append(e.from, p)
	}
	l.endpoints = e
	l.rejoin()
}

// closeEndpoints releases the EndpointSlices with the given function.
func (l *listing) closeEndpoints(release func(*source.Lease)) {
	if l.endpoints == nil {
		return
	}
	for _, p := range l.endpoints.from {
		p.Unsubscribe(p.sub)
		release(p.Lease)
	}
	l.endpoints = nil
	l.rejoin()
}

// deriveEndpoints opens and closes the source of the endpoints as they are used, and has the view
// show what has changed. It returns what to say about them.
func (l *listing) deriveEndpoints(now time.Time) (note string) {
	switch {
	case !sums.HasEndpoints(l.kind.ID()):
		return ""
	case !l.view.Derives(func(int) bool { return true }):
		l.closeEndpoints((*source.Lease).Release)
		return ""
	case l.endpoints == nil:
		l.openEndpoints()
	}
	state := sums.Ready
	for _, p := range l.endpoints.from {
		switch status := source.StatusOf(p.Lease, l.cluster.link(), now); {
		case status.Fresh == informer.Denied:
			state, note = sums.Denied, "No permission to list endpointslices"
		case state == sums.Denied:
		case !status.State.Synced:
			state = sums.Loading
		case status.Fresh != informer.Live && state == sums.Ready:
			state, note = sums.Stale, "EndpointSlices are "+string(status.Fresh)+". This column may be out of date"
		}
	}
	if touched := l.endpoints.counts.Touched(); l.endpoints.counts.Set(state) {
		l.rejoin()
	} else {
		l.view.Touch(touched...)
	}
	return note
}
