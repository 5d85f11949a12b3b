package list

import (
	"slices"
	"time"

	"watchglass/internal/hub/source"
	"watchglass/internal/hub/sums"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/view"
)

// usage computes the columns of pods, nodes and namespaces with what they use, where metrics.k8s.io is
// served. Metrics cannot be watched: they are polled while such a column is in use.
type usage struct {
	listing *listing
	usage   *sums.Usage
	from    map[string]part // the metrics, by namespace; "" is the whole cluster
	large   bool            // of a list of namespaces: there were more than MostMetered pods
}

// MostMetered is the most pods whose metrics are requested at once. Of larger lists, only those of the
// namespaces that are chosen or on screen are.
var MostMetered = 20_000

// metered reports whether the server has metrics of the listing's kind.
func (l *listing) metered() bool {
	if g := l.cluster.Kinds.Generation(); l.metrics.generation != g {
		_, found := l.cluster.Kinds.Find(sums.MetricsOf(l.kind.ID()))
		l.metrics.generation, l.metrics.served = g, found && sums.MetricsOf(l.kind.ID()) != ""
	}
	return l.metrics.served
}

func (*usage) computes(number int) bool { return sums.IsUsage(number) }

func (u *usage) open() view.Joiner {
	u.usage, u.from, u.large = sums.NewUsage(u.listing.kind.ID(), &u.listing.cluster.Codes), make(map[string]part), false
	return u.usage
}

func (u *usage) close(release func(*source.Lease)) {
	for namespace := range u.from {
		u.unmeter(namespace, release)
	}
}

// meter leases the metrics of a namespace.
func (u *usage) meter(kind object.Kind, namespace string) {
	extras, _ := source.Added(sums.MetricsPaths(kind.ID()))
	p := part{Lease: u.listing.cluster.Lease(kind, namespace, extras)}
	decoder, to := p.Decoder().(*object.Decoder), u.usage
	apply := func(changes []sums.Change) { to.Apply(decoder.Columns(), changes) }
	p.sub = u.listing.subscribe(p.Lease, apply, apply)
	u.from[namespace] = p
}

// unmeter releases the metrics of a namespace.
func (u *usage) unmeter(namespace string, release func(*source.Lease)) {
	p := u.from[namespace]
	p.Unsubscribe(p.sub)
	release(p.Lease)
	delete(u.from, namespace)
	u.usage.Forget(namespace)
}

func (u *usage) step(now time.Time) (gap view.Gap, all bool, touched []string) {
	id, state := sums.MetricsOf(u.listing.kind.ID()), sums.Loading
	kind, found := u.listing.cluster.Kinds.Find(id)
	if !found {
		return view.Gap{Resource: id, State: string(informer.Connecting)}, u.usage.Set(state), nil
	}
	wanted, some := u.namespaces()
	u.drop(wanted)
	if some {
		gap = view.Gap{Resource: id, State: view.Partial}
	}
	ready, refused := len(wanted) > 0, refusals{}
	for _, namespace := range wanted {
		if _, there := u.from[namespace]; !there {
			u.meter(kind, namespace)
		}
		status := source.StatusOf(u.from[namespace].Lease, u.listing.cluster.Link(), now)
		missing := gapOf(id, status)
		in := status.Verdict() >= source.Old
		u.usage.Complete(namespace, in)
		if refused.has(namespace, missing, status) {
			continue
		}
		gap = worse(gap, missing)
		ready = ready && in
	}
	gap = worse(gap, refused.gap(len(wanted)))
	switch {
	case len(wanted) > 0 && len(refused.in) == len(wanted):
		state = sums.Denied
	case ready:
		state = sums.Ready
	case len(wanted) == 0:
		gap = worse(gap, view.Gap{Resource: id, State: string(informer.Syncing)})
	}
	touched = u.usage.Touched()
	return gap, u.usage.Set(state), touched
}

// drop closes the metrics of namespaces that are not wanted any more: they would be polled on for a
// while, also those that were on screen for a moment only.
func (u *usage) drop(wanted []string) {
	for namespace := range u.from {
		if !slices.Contains(wanted, namespace) {
			u.unmeter(namespace, (*source.Lease).Drop)
		}
	}
}

// namespaces returns the namespaces whose metrics are requested; "" is the whole cluster. There are
// none until it is known how many pods there are. With some, these are only those on screen.
func (u *usage) namespaces() (all []string, some bool) {
	l := u.listing
	if l.kind.Namespaced && slices.ContainsFunc(l.parts, func(p part) bool { return !p.HasSynced() }) {
		return nil, false
	}
	if !l.isWide() {
		return l.scopes, false
	}
	if !u.isLarge() {
		return []string{l.cluster.Scope()}, false
	}
	if chosen := l.view.Namespaces(); l.kind.Namespaced && len(chosen) > 0 {
		return chosen, false
	}
	for _, o := range l.view.Sent() {
		namespace := o.Namespace()
		if !l.kind.Namespaced {
			namespace = o.Name()
		}
		if !slices.Contains(all, namespace) {
			all = append(all, namespace)
		}
	}
	return all, true
}

// isLarge reports whether more pods have metrics than are requested at once. Those of a list of
// namespaces have been counted once, while all were requested.
func (u *usage) isLarge() bool {
	if u.listing.kind.Namespaced {
		return u.listing.size() > MostMetered
	}
	if p, there := u.from[""]; there && u.listing.kind.ID() == "namespaces" {
		u.large = p.Store().Len() > MostMetered
	}
	return u.large
}
