package revision

import "slices"

// History is what is stored of a workload's templates, and the rollout in progress.
type History struct {
	Revisions []*Revision `json:"r,omitempty"` // newest first
	More      int         `json:"m,omitempty"` // older ones that are left out
	Oldest    int64       `json:"o,omitempty"` // the oldest number, if older ones are no longer stored
	Counted   bool        `json:"c,omitempty"` // the pods of each are known
	Rollout   *Rollout    `json:"u,omitempty"` // nil if there is none
}

// Read returns the revisions of a workload, and whether one is being rolled out.
func Read(in Input) History {
	r := reader{in: in, kind: in.Workload.TextAt("kind")}
	for _, v := range in.Stored {
		r.all = append(r.all, r.read(v))
	}
	slices.SortFunc(r.all, newestFirst)
	r.dropStrangers()
	r.count()
	setImages(r.all)
	setAgain(r.all)
	r.observed = in.Workload.Get("metadata.generation").Int() <= in.Workload.Get("status.observedGeneration").Int()
	r.target = r.findTarget()
	h := History{Oldest: r.cutOff(), Counted: in.HasPods || r.kind == "Deployment" && in.HasStored}
	if r.rolling() {
		h.Rollout = r.rollout(h.Counted)
	}
	r.mark(h.Rollout != nil)
	for _, v := range r.all {
		v.Was = v.Was[max(0, len(v.Was)-mostBefore):]
	}
	h.More = max(0, len(r.all)-mostRevisions)
	h.Revisions = r.all[:len(r.all)-h.More]
	return h
}

// findTarget returns the revision with the workload's template, as its controller decides: of a
// Deployment, the oldest ReplicaSet with an equal template; of others, the newest number, or the one
// that the status names, once the controller has seen the template.
func (r *reader) findTarget() int {
	at := -1
	switch name := r.in.Workload.TextAt("status.updateRevision"); {
	case r.kind == "StatefulSet":
		at = r.named(name)
	case r.kind == "DaemonSet" && len(r.all) > 0:
		at = 0
	}
	if at >= 0 && r.observed {
		return at
	}
	template := Template(r.in.Workload)
	if r.kind != "Deployment" {
		if at >= 0 && !SameTemplate(r.all[at].template, template) {
			return -1
		}
		return at
	}
	for i, v := range r.all {
		if (at < 0 || v.Created < r.all[at].Created || v.Created == r.all[at].Created && v.Name < r.all[at].Name) && SameTemplate(v.template, template) {
			at = i
		}
	}
	if at < 0 && r.observed && len(r.all) > 0 && !r.in.Workload.Get("spec.paused").Bool() {
		return 0 // its controller knows better what is equal
	}
	return at
}

// dropStrangers drops pods that a selector also finds, but that belong to none of the ReplicaSets. Those
// of other workloads were selected by their owner.
func (r *reader) dropStrangers() {
	if r.kind != "Deployment" {
		return
	}
	var own []Pod
	for _, p := range r.in.Pods {
		if r.named(p.Owner) >= 0 {
			own = append(own, p)
		}
	}
	r.in.Pods = own
}

// named returns the revision of a name, or -1.
func (r *reader) named(name string) int {
	for i, v := range r.all {
		if v.Name == name {
			return i
		}
	}
	return -1
}

// mark sets the states. During a rollout, revisions that still have pods are live.
func (r *reader) mark(rolling bool) {
	if !rolling {
		if r.target >= 0 {
			r.all[r.target].State = Live
		}
		return
	}
	if old := r.previous(); old >= 0 {
		r.all[old].State = Live
	}
	for _, v := range r.all {
		if v.Total > 0 {
			v.State = Live
		}
	}
	if r.target >= 0 {
		r.all[r.target].State = Next
	}
}

// previous returns the revision that a rollout replaces: of a StatefulSet, the one that its status
// names; else the one with most pods, or the newest but the target. -1 if there is none.
func (r *reader) previous() int {
	if r.kind == "StatefulSet" {
		if at := r.named(r.in.Workload.TextAt("status.currentRevision")); at != r.target {
			return at
		}
	}
	at := -1
	for i := range r.all {
		if i != r.target && (at < 0 || r.all[i].Total > r.all[at].Total) {
			at = i
		}
	}
	return at
}
