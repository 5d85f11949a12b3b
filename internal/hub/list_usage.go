package hub

import (
	"slices"
	"strings"
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
}

// mostMetered is the most pods whose metrics are requested at once. Of larger lists, only those of the
// namespaces that are chosen or on screen are.
var mostMetered = 20_000

// metered reports whether the server has metrics of the listing's kind.
func (l *listing) metered() bool {
	if g := l.cluster.kinds.Generation(); l.metrics.generation != g {
		_, found := l.cluster.kinds.Find(sums.MetricsOf(l.kind.ID()))
		l.metrics.generation, l.metrics.served = g, found && sums.MetricsOf(l.kind.ID()) != ""
	}
	return l.metrics.served
}

func (*usage) computes(number int) bool { return sums.IsUsage(number) }

func (u *usage) open() view.Joined {
	u.usage, u.from = sums.NewUsage(u.listing.kind.ID(), &u.listing.cluster.codes), make(map[string]part)
	return u.usage
}

// awaitsMetrics reports whether the query asks for usage before it is known whether the server has
// metrics. Until then the columns are there, and empty. It has the cluster ask.
func (l *List) awaitsMetrics() bool {
	if kinds, id := l.cluster.kinds, l.shown.kind.ID(); sums.MetricsOf(id) == "" || !kinds.Awaits(sums.MetricsOf(id)) || !namesAny(l.look.Query, sums.UsageNames(id)) {
		return false
	}
	l.cluster.keepKinds()
	return true
}

// namesAny reports whether a query shows, sorts by or filters by one of the columns.
func namesAny(q view.Query, columns []string) bool {
	return slices.ContainsFunc(columns, func(name string) bool {
		if q.Sort == name || slices.Contains(q.Columns, name) {
			return true
		}
		field, text := strings.ReplaceAll(strings.ToLower(name), " ", "-"), strings.ToLower(q.Text)
		return slices.ContainsFunc([]string{":", "=", "!", "<", ">"}, func(operator string) bool { return strings.Contains(text, field+operator) })
	})
}

func (u *usage) close(release func(*source.Lease)) {
	for namespace := range u.from {
		u.unmeter(namespace, release)
	}
}

// meter leases the metrics of a namespace.
func (u *usage) meter(kind object.Kind, namespace string) {
	extras, _ := source.Added(sums.MetricsPaths(kind.ID()))
	p := part{Lease: u.listing.cluster.lease(kind, namespace, extras)}
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
	kind, found := u.listing.cluster.kinds.Find(id)
	if !found {
		return view.Gap{Resource: id, State: string(informer.Connecting)}, u.usage.Set(state), nil
	}
	wanted, some := u.namespaces()
	u.drop(wanted)
	if some {
		gap = view.Gap{Resource: id, State: view.Partial}
	}
	ready, denied := len(wanted) > 0, false
	for _, namespace := range wanted {
		if _, there := u.from[namespace]; !there {
			u.meter(kind, namespace)
		}
		status := source.StatusOf(u.from[namespace].Lease, u.listing.cluster.link(), now)
		gap = worse(gap, gapOf(id, status))
		denied = denied || status.Refused()
		ready = ready && status.State.Synced
		u.usage.Complete(namespace, status.State.Synced)
	}
	switch {
	case denied:
		state = sums.Denied
	case ready:
		state = sums.Ready
	case len(wanted) == 0:
		gap = worse(gap, view.Gap{Resource: id, State: string(informer.Syncing)})
	}
	touched = u.usage.Touched()
	return gap, u.usage.Set(state), touched
}

// drop releases the metrics of namespaces that are not wanted any more.
func (u *usage) drop(wanted []string) {
	for namespace := range u.from {
		if !slices.Contains(wanted, namespace) {
			release := (*source.Lease).Release
			if namespace == "" {
				release = (*source.Lease).Drop // it is too large to be polled on
			}
			u.unmeter(namespace, release)
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
	if u.pods() <= mostMetered {
		return l.cluster.scopes(), false
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

// pods returns how many pods have metrics, as far as that is known.
func (u *usage) pods() int {
	p, there := u.from[""]
	switch {
	case u.listing.kind.Namespaced:
		return u.listing.size()
	case u.listing.kind.ID() != "namespaces":
		return 0
	case there:
		return p.Store().Len()
	case len(u.from) > 0:
		return mostMetered + 1 // so it was
	}
	return 0
}
