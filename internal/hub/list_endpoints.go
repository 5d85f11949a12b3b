package hub

import (
	"time"

	"watchglass/internal/hub/source"
	"watchglass/internal/hub/sums"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/view"
)

// endpoints computes the column of Services with their ready endpoints, from EndpointSlices.
type endpoints struct {
	listing *listing
	counts  *sums.Endpoints
	from    []part // one for each scope of the listing
}

func (*endpoints) computes(int) bool { return true }

// open leases the EndpointSlices.
func (e *endpoints) open() view.Joined {
	l := e.listing
	kind, _ := object.Builtin("endpointslices")
	l.cluster.kinds.Print(&kind)
	extras, _ := source.Added(sums.EndpointPaths())
	counts := sums.NewEndpoints(l.decoder().Columns())
	for _, namespace := range l.scopes {
		p := part{Lease: l.cluster.lease(kind, namespace, extras)}
		decoder := p.Decoder().(*object.Decoder)
		apply := func(changes []sums.Change) { counts.Apply(decoder.Columns(), changes) }
		p.sub = l.subscribe(p.Lease, apply, apply)
		e.from = append(e.from, p)
	}
	e.counts = counts
	return counts
}

func (e *endpoints) close(release func(*source.Lease)) {
	for _, p := range e.from {
		p.Unsubscribe(p.sub)
		release(p.Lease)
	}
	e.from = nil
}

func (e *endpoints) step(now time.Time) (gap view.Gap, all bool, touched []string) {
	state := sums.Ready
	for _, p := range e.from {
		status := source.StatusOf(p.Lease, e.listing.cluster.link(), now)
		gap = worse(gap, gapOf("endpointslices.discovery.k8s.io", status))
		switch {
		case status.Fresh == informer.Denied:
			state = sums.Denied
		case state == sums.Denied:
		case !status.State.Synced:
			state = sums.Loading
		case status.Fresh != informer.Live && state == sums.Ready:
			state = sums.Stale
		}
	}
	touched = e.counts.Touched()
	return gap, e.counts.Set(state), touched
}
