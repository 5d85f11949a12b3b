package problems

import (
	"slices"
	"strings"
	"time"

	"watchglass/internal/hub/source"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/problem"
	"watchglass/internal/series"
)

// total is a count of the strip.
type total struct {
	name      string
	resources []string // whose lists it rests on
	address   string   // of the list that it counts
	filter    string
	count     func(problem.Totals) (bad, of int) // bad is 0 if it counts rows
	rows      bool                               // it counts the problems of the first three
}

// totals are the counts of the strip, in their order.
var totals = []total{
	{"nodes", []string{"nodes"}, "nodes", "status:NotReady*,Unknown*", func(t problem.Totals) (bad, of int) { return t.NodesBad, t.Nodes }, false},
	{"pods", []string{"pods"}, "pods", "ready<1 status!=Completed,Succeeded,Terminating", func(t problem.Totals) (bad, of int) { return t.PodsBad, t.Pods }, false},
	{"workloads", []string{"deployments.apps", "statefulsets.apps", "daemonsets.apps", "pods", "replicasets.apps"}, port.Problems, "kind:Deployment,StatefulSet,DaemonSet", func(t problem.Totals) (bad, of int) { return 0, t.Workloads }, true},
	{"warnings", []string{"events"}, "events", "type:Warning last-seen<15m", func(t problem.Totals) (bad, of int) { return t.Warnings, 0 }, false},
}

// record notes the current counts in their histories. Counts of a list that is not live are not
// known.
func (b *Board) record(now time.Time) {
	states := b.states(now)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.engine == nil || !b.complete {
		return
	}
	counts := b.totals(now)
	for _, t := range totals {
		if isCurrent(b.gapOf(&t, states, now)) {
			bad, _ := b.count(&t, counts)
			b.historyOf(t.name).Record(now, float32(bad))
		}
	}
}

// totals returns the counts of all lists. Those of a namespace do not count once the whole cluster is
// listed. The caller holds the lock.
func (b *Board) totals(now time.Time) (all problem.Totals) {
	wide := make(map[string]bool)
	for _, f := range b.sources {
		wide[f.resource] = wide[f.resource] || f.namespace == "" && f.totals != (problem.Totals{})
	}
	for _, f := range b.sources {
		if f.namespace == "" || !wide[f.resource] {
			all.Add(f.totals)
		}
	}
	all.Warnings = b.engine.Warnings(now)
	return all
}

// count returns a total, which is the length of the list that it links to. The caller holds the lock.
func (b *Board) count(t *total, counts problem.Totals) (bad, of int) {
	bad, of = t.count(counts)
	for _, r := range b.rows() {
		if t.rows && slices.Contains(t.resources[:3], r.Resource) {
			bad++
		}
	}
	return bad, of
}

// gapOf returns what a total lacks. The caller holds the lock.
func (b *Board) gapOf(t *total, states sourceStates, now time.Time) port.Gap {
	gap := states.of(t.resources)
	if t.rows && !b.counted(t.name, isCurrent(gap), now) && isCurrent(gap) {
		gap.State = port.Syncing
	}
	return gap
}

// isCurrent reports whether a list is live, if only of some namespaces.
func isCurrent(g port.Gap) bool { return g.State == port.Live || g.State == port.Partial }

// counted reports whether the rows are those of lists, which are current now or not: all that they held
// when they became current has been read. What names the lists. The caller holds the lock.
func (b *Board) counted(what string, current bool, now time.Time) bool {
	since, was := b.currentSince[what]
	switch {
	case !current:
		delete(b.currentSince, what)
		return false
	case !was:
		b.currentSince[what] = now
		b.wake() // reads once more
		return false
	}
	return b.drained.After(since)
}

// historyOf returns the history of a count. The caller holds the lock.
func (b *Board) historyOf(name string) *series.Series {
	if b.history[name] == nil {
		b.history[name] = series.New()
	}
	return b.history[name]
}

// Overview returns how the cluster is.
func (b *Board) Overview(now time.Time) port.Overview {
	states := b.states(now)
	b.mu.Lock()
	defer b.mu.Unlock()
	var out port.Overview
	var counts problem.Totals
	if b.engine != nil {
		counts = b.totals(now)
		out.Rollouts = rolloutsOf(b.engine.Rollouts())
	}
	for _, t := range totals {
		bad, of := b.count(&t, counts)
		total := port.Total{
			Name: t.name, Bad: bad, Of: of, History: b.historyOf(t.name).Read(now),
			Gap: b.gapOf(&t, states, now), Resource: t.address, Filter: t.filter,
		}
		if total.Gap.State == port.Stale || total.Gap.State == port.Offline {
			total.At = b.heard[total.Gap.Resource]
		}
		out.Totals = append(out.Totals, total)
	}
	for _, r := range b.rows() {
		if r.Severity == object.Failed {
			out.Errors++
		} else {
			out.Warnings++
		}
	}
	out.Gaps = states.notLive()
	out.Waits = b.engine != nil && b.engine.Waits()
	out.Clear = b.counted("", len(out.Gaps) == 0, now) && !out.Waits && len(b.rows()) == 0
	return out
}

func rolloutsOf(all []problem.Rollout) []port.Rollout {
	out := make([]port.Rollout, len(all))
	for i, r := range all {
		out[i] = port.Rollout{Resource: r.Resource, Namespace: r.Namespace, Name: r.Name, At: time.Unix(r.At, 0).UTC(), Ready: r.Ready, Desired: r.Desired}
		for _, c := range r.Images {
			out[i].Images = append(out[i].Images, port.ImageChange{From: c.From, To: c.To})
		}
	}
	return out
}

// sourceStates are how the lists of each kind that the rules read are, in their order. Those that are
// live are in it, too.
type sourceStates []port.Gap

// states returns the state of each kind: the worst of its lists. Lists of namespaces stand in for one
// of the whole cluster that is refused, and make the kind partial at best.
func (b *Board) states(now time.Time) (out sourceStates) {
	all := b.feeds()
	for _, resource := range b.resources() {
		lists := slices.DeleteFunc(slices.Clone(all), func(f *feed) bool { return f.resource != resource })
		state := port.Gap{Resource: resource, State: port.Live}
		switch {
		case len(lists) > 1:
			state.State, state.Cause = port.Partial, causeOf(b.statusOf(lists[0], now))
			lists = lists[1:]
			state.Only = namespacesOf(lists)
		case len(lists) == 0 && b.awaits(resource):
			state.State = port.Connecting
		case len(lists) == 0:
			continue
		}
		heard := now
		for _, f := range lists {
			if b.isReading(f) && isCurrent(state) { // what it held may not be counted yet
				state.State = port.Syncing
			}
			if s := b.statusOf(f, now); slices.Index(worst, s.Fresh) < slices.Index(worst, informer.Freshness(state.State)) {
				state.State, state.Cause = string(s.Fresh), causeOf(s)
			} else if at := now.Add(-s.Age); at.Before(heard) {
				heard = at
			}
		}
		if isCurrent(state) {
			b.hear(resource, heard)
		}
		if state.State != port.Gone {
			out = append(out, state)
		}
	}
	return out
}

// awaits reports whether a kind that is not read may be soon: the server has it, or it is not known
// which kinds it has.
func (b *Board) awaits(resource string) bool {
	kind, found := b.host.Find(resource)
	return !found && !b.host.Discovered() || found && !isOwn(kind)
}

// hear notes the last sign of life of a kind's lists.
func (b *Board) hear(resource string, at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.heard[resource] = at.Truncate(time.Second)
}

// isReading reports whether what a list held when it was leased may not be in the rows yet.
func (b *Board) isReading(f *feed) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return f.filling || !b.complete
}

// namespacesOf returns the namespaces of lists, comma-separated.
func namespacesOf(lists []*feed) string {
	var names []string
	for _, f := range lists {
		if f.namespace != "" && !slices.Contains(names, f.namespace) {
			names = append(names, f.namespace)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ",")
}

// Namespaces returns the namespaces that are read instead of the whole cluster, comma-separated.
func (b *Board) Namespaces() string { return namespacesOf(b.feeds()) }

func causeOf(s source.Status) string {
	if s.Cause == nil {
		return ""
	}
	return s.Cause.Message
}

// of returns the worst state of some kinds: Connecting if none is being read.
func (s sourceStates) of(resources []string) port.Gap {
	out := port.Gap{State: port.Connecting}
	at := len(worst)
	for _, one := range s {
		if i := slices.Index(worst, informer.Freshness(one.State)); i < at && slices.Contains(resources, one.Resource) {
			at, out = i, one
		}
	}
	return out
}

// notLive returns the kinds whose lists are not live.
func (s sourceStates) notLive() []port.Gap {
	return slices.DeleteFunc(slices.Clone(s), func(g port.Gap) bool { return g.State == port.Live })
}
