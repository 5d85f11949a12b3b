package problem

import (
	"watchglass/internal/object"
	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/kinds"
)

// byNamespace are sets of records by namespace.
type byNamespace map[string]map[*record]struct{}

// put adds a record to its namespace's set, or removes it.
func (s byNamespace) put(r *record, in bool) {
	all := s[r.ID.Namespace]
	if in && all == nil {
		all = make(map[*record]struct{})
		s[r.ID.Namespace] = all
	}
	if in {
		all[r] = struct{}{}
	} else if delete(all, r); len(all) == 0 {
		delete(s, r.ID.Namespace)
	}
}

// setRuns notes which pods a workload runs. If they are not those that it ran before, that matters to
// the Services without endpoints that select either.
func (e *Engine) setRuns(r *record, before object.Labels) {
	runs := r.Facts.Runs
	if runs == before {
		return
	}
	e.workloads.put(r, runs != "")
	for s := range e.empty[r.ID.Namespace] {
		if of := s.Facts.Service; of != nil && (of.Selects(before) || of.Selects(runs)) {
			e.markDirty(s)
		}
	}
}

// runs reports whether a workload runs pods that a service selects, if only sometimes.
func (e *Engine) runs(namespace string, s *facts.Service) bool {
	for r := range e.workloads[namespace] {
		if s.Selects(r.Facts.Runs) {
			return true
		}
	}
	return false
}

// runners are the resources whose objects say which pods they run.
var runners = [...]string{kinds.Deployments, kinds.StatefulSets, kinds.DaemonSets, kinds.ReplicaSets, kinds.Jobs, kinds.CronJobs}

// knowsRunners reports whether all workloads are known, so that one which would explain a service without endpoints does
// not exist.
func (e *Engine) knowsRunners() bool {
	for _, resource := range runners {
		if e.options.Synced != nil && !e.known(resource) {
			return false
		}
	}
	return true
}
