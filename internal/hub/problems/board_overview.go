package problems

import (
	"slices"
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
	resources []string // whose lists it counts
	address   string   // of the list that it counts
	filter    string
	count     func(problem.Totals) (bad, of int) // bad is 0 if it counts rows
	rows      bool                               // it counts the problems of its resources
}

// totals are the counts of the strip, in their order.
var totals = []total{
	{"nodes", []string{"nodes"}, "nodes", "status:NotReady*,Unknown*", func(t problem.Totals) (bad, of int) { return t.NodesBad, t.Nodes }, false},
	{"pods", []string{"pods"}, "pods", "ready<1 status!=Completed,Succeeded,Terminating", func(t problem.Totals) (bad, of int) { return t.PodsBad, t.Pods }, false},
	{"workloads", []string{"deployments.apps", "statefulsets.apps", "daemonsets.apps"}, port.Problems, "kind:Deployment,StatefulSet,DaemonSet", func(t problem.Totals) (bad, of int) { return 0, t.Workloads }, true},
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
		if states.of(t.resources) == informer.Live {
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
		if t.rows && slices.Contains(t.resources, r.Resource) {
			bad++
		}
	}
	return bad, of
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
		state := states.of(t.resources)
		if !b.complete { // what a list held may not be counted yet
			state = informer.Connecting
		}
		out.Totals = append(out.Totals, port.Total{
			Name: t.name, Bad: bad, Of: of, History: b.historyOf(t.name).Read(now),
			State: string(state), Resource: t.address, Filter: t.filter,
		})
	}
	for _, r := range b.rows() {
		if r.Severity == object.Failed {
			out.Errors++
		} else {
			out.Warnings++
		}
	}
	out.Sources = states.notLive()
	out.Clear = b.complete && !b.unread && len(out.Sources) == 0 && len(b.rows()) == 0
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

// sourceStates are the states of the kinds that the rules read, in their order.
type sourceStates []sourceState

type sourceState struct {
	resource string
	fresh    informer.Freshness
	cause    string
}

// states returns the state of each kind: the worst of its lists. A list of the whole cluster that is
// refused does not count if there are lists of namespaces instead.
func (b *Board) states(now time.Time) (out sourceStates) {
	feeds := b.feeds()
	for _, resource := range b.resources() {
		var of []source.Status
		for _, f := range feeds {
			if f.resource == resource {
				of = append(of, b.statusOf(f, now))
			}
		}
		if len(of) > 1 {
			of = of[1:]
		}
		if len(of) == 0 {
			continue // the server has no such kind, as far as is known
		}
		state := sourceState{resource: resource, fresh: informer.Live}
		for _, s := range of {
			if slices.Index(worst, s.Fresh) < slices.Index(worst, state.fresh) {
				state.fresh, state.cause = s.Fresh, causeOf(s)
			}
		}
		if state.fresh != informer.Gone {
			out = append(out, state)
		}
	}
	return out
}

func causeOf(s source.Status) string {
	if s.Cause == nil {
		return ""
	}
	return s.Cause.Message
}

// of returns the worst state of some kinds: Connecting if none is being read.
func (s sourceStates) of(resources []string) informer.Freshness {
	at := len(worst)
	for _, one := range s {
		if slices.Contains(resources, one.resource) {
			at = min(at, slices.Index(worst, one.fresh))
		}
	}
	if at == len(worst) {
		return informer.Connecting
	}
	return worst[at]
}

// notLive returns the kinds whose lists are not live.
func (s sourceStates) notLive() (out []port.OverviewSource) {
	for _, one := range s {
		if one.fresh != informer.Live {
			out = append(out, port.OverviewSource{Resource: one.resource, State: string(one.fresh), Cause: one.cause})
		}
	}
	return out
}
