package facts

import (
	"watchglass/internal/object"
	"watchglass/internal/problem/kinds"
)

// Totals counts what the overview shows. Each list has its own: an object that is in two lists for a
// while is not counted twice, and what a list held is not counted once it is closed.
type Totals struct {
	Nodes, NodesBad         int // not Ready
	Pods, PodsBad           int // not ready; those that are done or go away count as well
	Workloads, WorkloadsBad int // what runs pods, or is one, and is part of no other; with fewer ready pods than desired
	Warnings                int // events of that type in the last 15 minutes
}

// Add adds the counts of another list.
func (t *Totals) Add(o Totals) {
	t.Nodes, t.NodesBad = t.Nodes+o.Nodes, t.NodesBad+o.NodesBad
	t.Pods, t.PodsBad = t.Pods+o.Pods, t.PodsBad+o.PodsBad
	t.Workloads, t.WorkloadsBad = t.Workloads+o.Workloads, t.WorkloadsBad+o.WorkloadsBad
	t.Warnings += o.Warnings
}

// Count counts a change of a list, by the ID of its kind.
func (t *Totals) Count(id string, columns []object.Column, before, after *object.Object) {
	t.add(id, columns, before, -1)
	t.add(id, columns, after, 1)
}

// add counts an object, or no longer does so.
func (t *Totals) add(id string, columns []object.Column, o *object.Object, by int) {
	if o == nil {
		return
	}
	bad := 0
	if Counts(id, columns, o) {
		bad = by
	}
	switch id {
	case kinds.Pods:
		t.Pods, t.PodsBad = t.Pods+by, t.PodsBad+bad
	case kinds.Nodes:
		t.Nodes, t.NodesBad = t.Nodes+by, t.NodesBad+bad
	}
	if isWorkload(id, o) {
		t.Workloads, t.WorkloadsBad = t.Workloads+by, t.WorkloadsBad+bad
	}
}

// isWorkload reports whether an object runs pods, or is one, and is part of no other that does.
func isWorkload(id string, o *object.Object) bool {
	switch id {
	case kinds.Deployments, kinds.StatefulSets, kinds.DaemonSets, kinds.CronJobs:
		return true
	case kinds.ReplicaSets, kinds.Jobs, kinds.Pods:
		_, owned := o.ControllingOwner()
		return !owned && o.PrintedText(0) != "" // history may have only the metadata, without owners
	}
	return false
}
