package list

import (
	"time"

	"watchglass/internal/hub/source"
	"watchglass/internal/hub/sums"
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
func (e *endpoints) open() view.Joiner {
	l := e.listing
	kind, _ := object.Builtin("endpointslices")
	l.cluster.Kinds.Print(&kind)
	extras, _ := source.Added(sums.EndpointPaths())
	counts := sums.NewEndpoints(l.decoder().Columns())
	for _, namespace := range l.scopes {
		p := part{Lease: l.cluster.Lease(kind, namespace, extras)}
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
	var refused refusals
	for i, p := range e.from {
		status, state, scope := source.StatusOf(p.Lease, e.listing.cluster.Link(), now), sums.Ready, e.listing.scopes[i]
		missing := gapOf("endpointslices.discovery.k8s.io", status)
		switch {
		case refused.has(scope, missing, status):
			state, missing = sums.Denied, view.Gap{}
		case status.Verdict() < source.Old:
			state = sums.Loading
		case status.Verdict() < source.Live:
			state = sums.Stale
		}
		gap = worse(gap, missing)
		all = e.counts.Set(scope, state) || all
	}
	return worse(gap, refused.gap(len(e.from))), all, e.counts.Touched()
}
