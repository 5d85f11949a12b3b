package revision

import "watchglass/internal/document"

// Rollout is a rollout in progress.
type Rollout struct {
	From    int64  `json:"f,omitempty"` // the revision that is replaced; 0 if there is none, or it is not known
	To      int64  `json:"t,omitempty"` // 0 if it is not stored yet, or not known
	Back    bool   `json:"b,omitempty"` // to a template that was used before
	Ready   int    `json:"r,omitempty"` // new pods
	Updated int    `json:"n,omitempty"` // new pods, ready or not
	Desired int    `json:"d,omitempty"` // new pods in the end
	Old     int    `json:"o,omitempty"` // old pods that are left
	Counted bool   `json:"c,omitempty"` // Ready is known
	Waits   []Wait `json:"w,omitempty"` // for what it waits, the surest first
}

// rolling reports whether a rollout is in progress. Pods that fail later are none.
func (r *reader) rolling() bool {
	w := r.in.Workload
	spec, status := w.At("spec"), w.At("status")
	if w.Get("metadata.deletionTimestamp").Exists() {
		return false
	}
	if r.in.HasStored && (r.target < 0 || !r.observed && r.kind != "StatefulSet" && r.target != 0) {
		return true // the template is not stored, or not yet used again
	}
	switch r.kind {
	case "StatefulSet":
		if status.TextAt("updateRevision") == status.TextAt("currentRevision") {
			return false
		}
		return !onDelete(spec) || status.At("updatedReplicas").Int() < desired(r.kind, w)
	case "DaemonSet":
		if r.in.HasPods && r.target >= 0 {
			return r.outdated() > 0
		}
		return status.At("updatedNumberScheduled").Int() < desired(r.kind, w)
	}
	total, updated := status.At("replicas").Int(), status.At("updatedReplicas").Int()
	progress := status.At("conditions").Find("type", "Progressing")
	switch {
	case total > updated:
		return true
	case spec.At("paused").Bool() || !progress.Exists():
		return updated < desired(r.kind, w)
	}
	return progress.TextAt("status") != "True" || progress.TextAt("reason") != "NewReplicaSetAvailable"
}

// InProgress reports whether a rollout may be in progress, as far as the workload itself says so.
func InProgress(workload document.Value) bool {
	r := reader{in: Input{Workload: workload}, kind: workload.TextAt("kind"), target: -1}
	return StoredAs(workload) != "" && (r.rolling() || workload.Get("metadata.generation").Int() > workload.Get("status.observedGeneration").Int())
}

// onDelete reports whether old pods are replaced only once they are deleted.
func onDelete(spec document.Value) bool { return spec.TextAt("updateStrategy.type") == "OnDelete" }

// desired returns how many pods a workload should have.
func desired(kind string, w document.Value) int64 {
	if kind == "DaemonSet" {
		return w.Get("status.desiredNumberScheduled").Int()
	}
	if n := w.Get("spec.replicas"); n.Exists() {
		return n.Int()
	}
	return 1
}

// partition returns how many pods of a StatefulSet keep their revision.
func (r *reader) partition() int64 {
	if r.kind != "StatefulSet" {
		return 0
	}
	return min(r.in.Workload.Get("spec.updateStrategy.rollingUpdate.partition").Int(), desired(r.kind, r.in.Workload))
}

// outdated returns how many pods have another template.
func (r *reader) outdated() (n int) {
	for _, p := range r.in.Pods {
		if !p.Ended && !r.isNew(p) {
			n++
		}
	}
	return n
}

// isNew reports whether a pod has the workload's template.
func (r *reader) isNew(p Pod) bool { return r.target >= 0 && r.keyOf(p) == r.all[r.target].key }

// rollout reads how far the rollout has come. Without pods or ReplicaSets, the status says how many
// are new, but not how many of them are ready.
func (r *reader) rollout(counted bool) *Rollout {
	out := &Rollout{Counted: counted && r.target >= 0, Desired: int(desired(r.kind, r.in.Workload) - r.partition())}
	from := r.previous()
	if from >= 0 && r.target != from {
		out.From = r.all[from].Number
	}
	if r.target >= 0 {
		to := r.all[r.target]
		out.To = to.Number
		out.Back = from >= 0 && to.Created < r.all[from].Created
	}
	status := r.in.Workload.At("status")
	total, updated := status.At("replicas").Int(), status.At("updatedReplicas").Int()
	if r.kind == "DaemonSet" {
		total, updated = status.At("currentNumberScheduled").Int(), status.At("updatedNumberScheduled").Int()
	}
	switch {
	case out.Counted:
		for i, v := range r.all {
			if i != r.target {
				out.Old += v.Total
			}
		}
		out.Ready, out.Updated = r.all[r.target].Ready, r.all[r.target].Total
	case r.in.HasStored && r.target < 0: // nothing is new yet
		out.Old, out.Counted = int(total), true
	default:
		out.Updated, out.Old = int(updated), int(max(total-updated, 0))
	}
	out.Waits = r.waits(out)
	return out
}
