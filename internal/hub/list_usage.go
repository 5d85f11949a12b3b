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

// Where metrics.k8s.io is served, lists of pods, nodes and namespaces have columns with what is
// used. Metrics cannot be watched: they are polled while such a column is in use.

// usage is the sources of a listing's usage, by namespace; "" is the whole cluster.
type usage struct {
	kind  object.Kind // of the metrics
	usage *sums.Usage
	from  map[string]part
}

// mostMetered is the most pods whose metrics are requested at once. Of larger lists, only the
// namespaces on screen are.
var mostMetered = 20_000

// metered reports whether the server has metrics of the listing's kind.
func (l *listing) metered() bool {
	if g := l.cluster.kinds.Generation(); l.metrics.generation != g {
		_, found := l.cluster.kinds.Find(sums.MetricsOf(l.kind.ID()))
		l.metrics.generation, l.metrics.served = g, found && sums.MetricsOf(l.kind.ID()) != ""
	}
	return l.metrics.served
}

// awaitsMetrics reports whether the query asks for usage before it is known whether the server has
// metrics. Until then the columns are there, and empty. It has the cluster ask.
func (l *List) awaitsMetrics() bool {
	if kinds, id := l.cluster.kinds, l.shown.kind.ID(); sums.MetricsOf(id) == "" || kinds.Answered() || !namesAny(l.look.Query, sums.UsageNames(id)) {
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

// closeJoins releases the sources of all derived columns with the given function.
func (l *listing) closeJoins(release func(*source.Lease)) {
	l.closeJoin(release)
	l.closeEndpoints(release)
	l.closeUsage(release)
}

// closeUsage releases the metrics with the given function.
func (l *listing) closeUsage(release func(*source.Lease)) {
	if l.usage == nil {
		return
	}
	for namespace := range l.usage.from {
		l.unmeter(namespace, release)
	}
	l.usage = nil
	l.rejoin()
}

// meter leases the metrics of a namespace.
func (l *listing) meter(namespace string) {
	u := l.usage
	extras, _ := source.Added(sums.MetricsPaths(u.kind.ID()))
	p := part{Lease: l.cluster.lease(u.kind, namespace, extras)}
	decoder := p.Decoder().(*object.Decoder)
	apply := func(changes []sums.Change) { u.usage.Apply(decoder.Columns(), changes) }
	p.sub = l.subscribe(p.Lease, apply, apply)
	u.from[namespace] = p
}

// unmeter releases the metrics of a namespace.
func (l *listing) unmeter(namespace string, release func(*source.Lease)) {
	p := l.usage.from[namespace]
	p.Unsubscribe(p.sub)
	release(p.Lease)
	delete(l.usage.from, namespace)
	l.usage.usage.Forget(namespace)
}

// deriveUsage opens and closes the sources of the usage as it is used, and has the view show
// what has changed. It returns what to say about it.
func (l *listing) deriveUsage(now time.Time) (note string) {
	id := sums.MetricsOf(l.kind.ID())
	if id == "" || l.usage == nil && !l.view.Derives(sums.IsUsage) {
		return ""
	}
	if !l.view.Derives(sums.IsUsage) {
		l.closeUsage((*source.Lease).Release)
		return ""
	}
	if l.usage == nil {
		if !l.metered() {
			return "" // not known yet
		}
		kind, _ := l.cluster.kinds.Find(id)
		l.usage = &usage{kind: kind, usage: sums.NewUsage(l.kind.ID(), &l.cluster.codes), from: make(map[string]part)}
		l.rejoin()
	}
	u, wanted := l.usage, l.meteredNamespaces()
	for namespace := range u.from {
		if !slices.Contains(wanted, namespace) {
			release := (*source.Lease).Release
			if namespace == "" {
				release = (*source.Lease).Drop // it is too large to be polled on
			}
			l.unmeter(namespace, release)
		}
	}
	ready, denied := len(wanted) > 0, false
	for _, namespace := range wanted {
		if _, there := u.from[namespace]; !there {
			l.meter(namespace)
		}
		status := source.StatusOf(u.from[namespace].Lease, l.cluster.link(), now)
		denied = denied || status.Refused()
		ready = ready && status.State.Synced
		u.usage.Complete(namespace, status.State.Synced)
		if status.Fresh != informer.Live && status.State.Synced && !status.Polled() {
			note = "Metrics are " + string(status.Fresh)
		}
	}
	state := sums.Loading
	switch {
	case denied:
		if state = sums.Denied; note == "" {
			note = "No permission to list metrics"
		}
	case ready:
		state = sums.Ready
	}
	if touched := u.usage.Touched(); u.usage.Set(state) {
		l.rejoin()
	} else {
		l.view.Touch(touched...)
	}
	return note
}

// meteredNamespaces returns the namespaces whose metrics are requested; "" is the whole cluster.
// There are none until it is known how many pods there are.
func (l *listing) meteredNamespaces() (all []string) {
	if l.kind.Namespaced && slices.ContainsFunc(l.parts, func(p part) bool { return !p.HasSynced() }) {
		return nil
	}
	if !l.isWide() {
		return l.scopes
	}
	pods := 0
	if l.kind.Namespaced {
		pods = l.size()
	} else if p, there := l.usage.from[""]; there && l.kind.ID() == "namespaces" {
		pods = p.Store().Len()
	} else if len(l.usage.from) > 0 && l.kind.ID() == "namespaces" {
		pods = mostMetered + 1 // so it was
	}
	if pods <= mostMetered {
		return l.cluster.scopes()
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
	return all
}
