package problems

import (
	"slices"
	"strings"
	"time"

	"watchglass/internal/hub/source"
	"watchglass/internal/object/tone"
	"watchglass/internal/port"
	"watchglass/internal/problem"
	"watchglass/internal/problem/facts"
	"watchglass/internal/series"
)

// total is a count of the strip.
type total struct {
	name      string
	resources []string // whose lists it rests on
	address   string   // of the list that it counts
	filter    string
	count     func(facts.Totals) (bad, of int) // bad is 0 if it counts rows
	found     bool                             // the engine counts it, not the lists
	rows      bool                             // it counts problems of these kinds
}

// workloads are the kinds that run pods, or are pods that nothing owns.
const workloads = "Deployment,StatefulSet,DaemonSet,ReplicaSet,ReplicationController,Job,CronJob,Pod"

// totals are the counts of the strip, in their order.
var totals = []total{
	{"nodes", []string{"nodes"}, "nodes", "status:NotReady*,Unknown*", func(t facts.Totals) (bad, of int) { return t.NodesBad, t.Nodes }, false, false},
	{"pods", []string{"pods"}, "pods", "conditions:NotReady status!=Terminating", func(t facts.Totals) (bad, of int) { return t.PodsBad, t.Pods }, false, false},
	{"workloads", []string{"deployments.apps", "statefulsets.apps", "daemonsets.apps", "pods", "replicasets.apps", "jobs.batch", "cronjobs.batch"}, port.Problems, "kind:" + workloads, func(t facts.Totals) (bad, of int) { return 0, t.Workloads }, true, true},
	{"warnings", []string{"events"}, "events", "type:Warning last-seen<15m", func(t facts.Totals) (bad, of int) { return t.Warnings, 0 }, true, false},
}

// record notes the current counts in their histories. Counts of a list that is not live are not
// known, and counts before a restart are of another time.
func (m *Monitor) record(now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.engine == nil || m.restarts {
		return
	}
	m.refresh(now)
	now = m.host.Now()
	counts := m.totals(now)
	for _, t := range totals {
		if isCurrent(m.lacks(&t)) {
			bad, _ := m.count(&t, counts)
			m.historyOf(t.name).Record(now, float32(bad))
		}
	}
}

// totals returns the counts of all lists. The caller holds the lock.
func (m *Monitor) totals(now time.Time) (all facts.Totals) {
	for _, r := range m.readings {
		all.Add(r.totals())
	}
	all.Warnings = m.engine.Warnings(now)
	return all
}

// count returns a total, which is the length of the list that it links to. The caller holds the lock.
func (m *Monitor) count(t *total, counts facts.Totals) (bad, of int) {
	bad, of = t.count(counts)
	if !t.rows {
		return bad, of
	}
	kinds := strings.Split(workloads, ",")
	for _, r := range m.rows() {
		if slices.Contains(kinds, r.Kind) {
			bad++
		}
	}
	return bad, of
}

// lacks returns what a total lacks: the worst of its lists. The caller holds the lock.
func (m *Monitor) lacks(t *total) port.Gap {
	out, found := port.Gap{State: port.Connecting}, false
	for _, resource := range t.resources {
		if gap, ok := m.gapOf(resource, t.found); ok && (!found || source.Rank(gap.State) < source.Rank(out.State)) {
			out, found = gap, true
		}
	}
	return out
}

// gapOf returns how the lists of a kind are, or the rows that rest on them. It has none if the server does
// not. The caller holds the lock.
func (m *Monitor) gapOf(resource string, rows bool) (gap port.Gap, ok bool) {
	switch r := m.reading(resource); {
	case r == nil:
		return m.awaitedGap(resource)
	case rows:
		gap = r.rows()
	default:
		gap = r.gap
	}
	return gap, gap.State != port.Gone
}

// historyOf returns the history of a count. The caller holds the lock.
func (m *Monitor) historyOf(name string) *series.Series {
	if m.history[name] == nil {
		m.history[name] = new(series.Series)
	}
	return m.history[name]
}

// Overview returns how the cluster is.
func (m *Monitor) Overview(now time.Time) port.Overview {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := port.Overview{Gaps: m.gaps()}
	out.Unchecked, out.UncheckedKinds = m.unchecked()
	var counts facts.Totals
	if m.engine != nil {
		counts = m.totals(now)
		unlisted := m.engine.Unlisted()
		out.Rollouts, out.Waits = rolloutsOf(m.engine.Rollouts()), m.engine.Waits() || unlisted.Waits
		if unlisted.Pods > 0 {
			out.Unlisted = port.UnlistedPods{Pods: unlisted.Pods, Since: time.Unix(unlisted.Since, 0).UTC(), Names: unlisted.Names}
		}
	}
	for _, t := range totals {
		bad, of := m.count(&t, counts)
		total := port.Total{
			Name: t.name, Bad: bad, Of: of, History: m.historyOf(t.name).Read(now),
			Gap: m.lacks(&t), Resource: t.address, Filter: t.filter,
		}
		switch total.Gap.State {
		case port.Stale, port.Offline, port.Throttled:
			total.At = m.reading(total.Gap.Resource).heard
		}
		out.Totals = append(out.Totals, total)
	}
	for _, r := range m.rows() {
		if r.Severity == tone.Failed {
			out.Errors++
		} else {
			out.Warnings++
		}
	}
	out.Unserved = !slices.ContainsFunc(m.resources(), m.serves)
	out.Clear = len(out.Gaps) == 0 && !out.Waits && !out.Unserved && len(m.rows()) == 0
	return out
}

// serves reports whether the server has a kind, or may have it. The caller holds the lock.
func (m *Monitor) serves(resource string) bool {
	_, ok := m.gapOf(resource, true)
	return ok
}

// namedUnchecked is how many kinds that nobody reads are named.
const namedUnchecked = 30

// unchecked returns how many custom kinds the server has that nobody reads, and the first few. Those that cannot be watched, such as
// metrics, have no conditions. The caller holds the lock.
func (m *Monitor) unchecked() (n int, some []string) {
	read := m.resources()
	for _, k := range m.host.Kinds() {
		if !k.Native() && !k.Unwatched && !slices.Contains(read, k.ID()) {
			some = append(some, k.ID())
		}
	}
	slices.Sort(some)
	return len(some), some[:min(len(some), namedUnchecked)]
}

// gaps returns what the rows lack, in the order of the kinds. The caller holds the lock.
func (m *Monitor) gaps() (all []port.Gap) {
	for _, resource := range m.resources() {
		if gap, ok := m.gapOf(resource, true); ok && gap.State != port.Live {
			all = append(all, gap)
		}
	}
	return all
}

// awaitedGap returns the gap of a kind that is not read but may be soon: the server has it, or it is not known
// whether it does.
func (m *Monitor) awaitedGap(resource string) (gap port.Gap, may bool) {
	gap = port.Gap{Resource: resource, State: port.Connecting}
	if _, may = m.host.Find(resource); !may {
		may, gap.Cause = m.host.Awaits(resource)
	}
	return gap, may
}

// Namespaces returns the namespaces that are read instead of the whole cluster, comma-separated.
func (m *Monitor) Namespaces() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []*input
	for _, r := range m.readings {
		all = append(all, r.narrow...)
	}
	return namespacesOf(all)
}

func rolloutsOf(all []problem.Rollout) []port.Rollout {
	out := make([]port.Rollout, len(all))
	for i, r := range all {
		out[i] = port.Rollout{Resource: r.Resource, Namespace: r.Namespace, Name: r.Name, At: time.Unix(r.At, 0).UTC(), After: r.After, Ready: r.Ready, Desired: r.Desired}
		for _, c := range r.Images {
			out[i].Images = append(out[i].Images, port.ImageChange{From: c.From, To: c.To})
		}
	}
	return out
}
