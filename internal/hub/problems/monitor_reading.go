package problems

import (
	"slices"
	"strings"
	"time"

	"watchglass/internal/hub/source"
	"watchglass/internal/informer"
	"watchglass/internal/port"
	"watchglass/internal/problem/facts"
)

// reading is what is read of one kind. What is asked about it is as of the last refresh: asking changes
// nothing. It is guarded by the Monitor's lock.
type reading struct {
	resource string
	wide     *input    // of the whole cluster
	narrow   []*input  // of namespaces, which stand in for it while it is refused
	settled  int       // the wants, counted, for which lists of namespaces were last leased because wide is refused
	gap      port.Gap  // how the lists are; live if nothing is missing
	heard    time.Time // their last sign of life while they were current
	lost     int       // objects that cannot be read, because their bodies are not here
}

// inputs returns all lists of the kind.
func (r *reading) inputs() []*input { return append(slices.Clone(r.narrow), r.wide) }

// effective returns the lists that stand for the kind: those of namespaces, if there are any.
func (r *reading) effective() []*input {
	if len(r.narrow) > 0 {
		return r.narrow
	}
	return []*input{r.wide}
}

// standing returns the lists that the rows rest on: of those that stand for the kind, the ones that are not refused,
// unless all are.
func (r *reading) standing() []*input {
	all := r.effective()
	if some := slices.DeleteFunc(slices.Clone(all), func(f *input) bool { return f.status.Refused() }); len(some) > 0 {
		return some
	}
	return all
}

// refresh notes the state of all lists, and has the stream read those that have changed.
func (m *Monitor) refresh(now time.Time) {
	link := m.host.Link()
	for _, r := range m.readings {
		if r.refresh(link, now) {
			m.wake()
		}
		if r.gap.State == port.Denied && m.unsettled(r) {
			r.gap.State, r.gap.Cause = port.Connecting, ""
		}
	}
}

// unsettled reports whether lists of namespaces are about to be leased because the user may not list the whole cluster.
// Until they are, nobody knows whether the user may list those. The caller holds the lock.
func (m *Monitor) unsettled(r *reading) bool {
	if r.settled == m.wanting || !r.wide.kind.Namespaced || !r.wide.status.Forbidden() || len(m.wanted().Namespaces) == 0 {
		return false
	}
	_, found := m.host.Find(r.resource)
	return found
}

// refresh notes the state of the lists of the kind, and reports whether one has to be read.
func (r *reading) refresh(link informer.Link, now time.Time) (unread bool) {
	for _, f := range r.inputs() {
		unread = f.see(source.StatusOf(f.Lease, link, now)) || unread
	}
	r.gap = port.Gap{Resource: r.resource, State: port.Live}
	if len(r.narrow) > 0 {
		r.gap.State, r.gap.Cause, r.gap.Only = port.Partial, r.wide.status.Why(), namespacesOf(r.standing())
	}
	heard, lacks := now, 0
	for _, f := range r.standing() {
		lacks += f.status.State.Unread
		if s := f.status; source.Rank(s.Lacks()) < source.Rank(r.gap.State) {
			r.gap.State, r.gap.Cause = s.Lacks(), s.Why()
		} else if at := now.Add(-s.Age); at.Before(heard) {
			heard = at
		}
	}
	if isCurrent(r.gap) {
		if lacks > 0 {
			r.gap.State, r.gap.Unread = port.Unread, lacks
		}
		r.heard = heard.Truncate(time.Second)
	}
	return unread
}

// drained notes that the rows are those of all objects but so many of the kind.
func (r *reading) drained(queued int) {
	for _, f := range r.inputs() {
		f.read = f.read || queued == 0 && f.status.Fresh == informer.Live && !f.status.State.Behind
	}
}

// rows returns what the rows of the kind lack: what its lists do, and what has not been read of them.
func (r *reading) rows() port.Gap {
	gap := r.gap
	unread := func(f *input) bool { return !f.read }
	if !isCurrent(gap) || r.lost == 0 && !slices.ContainsFunc(r.standing(), unread) {
		return gap
	}
	gap.State, gap.Unread, gap.Cause = port.Syncing, r.lost, ""
	for _, f := range r.standing() {
		if r.lost > 0 && f.restoring.Failed != nil {
			gap.Cause = f.restoring.Failed.Message
		}
	}
	return gap
}

// synced reports whether all objects of the kind that may be read have been applied, so that what is missing does not exist.
func (r *reading) synced() bool {
	return !slices.ContainsFunc(r.effective(), func(f *input) bool { return !f.status.Whole() })
}

// totals returns the counts of the lists. Those of namespaces do not count once the whole cluster is
// listed.
func (r *reading) totals() (all facts.Totals) {
	if all = r.wide.totals; all == (facts.Totals{}) {
		for _, f := range r.narrow {
			all.Add(f.totals)
		}
	}
	return all
}

// namespacesOf returns the namespaces of lists, comma-separated.
func namespacesOf(inputs []*input) string {
	var names []string
	for _, f := range inputs {
		names = append(names, f.namespace)
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ",")
}

// reading returns what is read of a kind, or nil. The caller holds the lock.
func (m *Monitor) reading(resource string) *reading {
	for _, r := range m.readings {
		if r.resource == resource {
			return r
		}
	}
	return nil
}

// synced reports whether all objects of a resource have been applied, so that what is missing does not
// exist. The engine calls it, with the lock held.
func (m *Monitor) synced(resource string) bool {
	r := m.reading(resource)
	return r != nil && r.synced()
}

// isCurrent reports whether a list is live, if only of some namespaces.
func isCurrent(g port.Gap) bool { return source.Rank(g.State) >= source.Rank(port.Unread) }
