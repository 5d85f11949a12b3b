package pane

import (
	"sync"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/detail/revision"
	"watchglass/internal/document"
	"watchglass/internal/object"
	"watchglass/internal/problem/rule"
	"watchglass/internal/query"
)

// revisions holds the lists with the revisions of a workload, and with its pods. It belongs to the hub's
// loop.
type revisions struct {
	host     Host
	subject  Subject
	body     document.Value
	stored   *wantedList
	pods     *wantedList                       // nil while not needed
	selector string                            // of the open lists
	read     map[*object.Object]document.Value // of stored
	counted  map[*object.Object]revision.Pod
	altered  bool // the state of a list has changed
}

// podPaths are the paths of what decides whether a pod is ready, and counts.
var podPaths = sync.OnceValues(func() (ready, phase query.Path) {
	ready, _ = query.ParsePath(`{.status.conditions[?(@.type=="Ready")].status}`)
	phase, _ = query.ParsePath(`{.status.phase}`)
	return ready, phase
})

// follow notes a version of the workload, and opens the lists that it needs. Another object of the same
// name owns other revisions.
func (r *revisions) follow(body document.Value, withPods bool) {
	uid, selector := body.TextAt("metadata.uid"), detail.SelectorText(body.Get("spec.selector"))
	if r.stored != nil && (r.stored.want.Owner != uid || r.selector != selector) {
		r.close()
	}
	r.body, r.selector = body, selector
	namespace := body.TextAt("metadata.namespace")
	as := revision.StoredAs(body)
	if r.stored == nil {
		r.stored = r.open(detail.Want{Resource: as, Namespace: namespace, Owner: uid, Labels: selector})
	}
	switch {
	case !withPods:
		r.closePods()
	case r.pods == nil:
		want := detail.Want{Resource: "pods", Namespace: namespace, Labels: selector}
		if as == revision.ControllerRevisions {
			want.Owner = uid
		}
		r.pods = r.open(want)
	}
}

// open leases a list, unless the server's kinds are not known yet.
func (r *revisions) open(want detail.Want) *wantedList {
	kind, ok := r.host.Kinds().Find(want.Resource)
	if !ok {
		return nil
	}
	r.altered = true
	return newWantedList(r.host, want, kind)
}

// hasRevisions reports whether the templates of a kind are stored.
func hasRevisions(kind object.Kind) bool {
	return kind.Group == "apps" && (kind.Name == "Deployment" || kind.Name == "StatefulSet" || kind.Name == "DaemonSet")
}

// show follows a version of the workload. The revisions of one that was deleted are deleted with it.
func (r *revisions) show(v Version) {
	if r == nil {
		return
	}
	if v.Gone {
		r.body = document.Value{}
		r.close()
		return
	}
	if body, err := v.Body(); err == nil { // else it has lost its bytes, and comes again
		r.follow(body, revision.StoredAs(body) == revision.ControllerRevisions)
	}
}

// shown returns the revisions for the changes tab, with the requested comparison; nil if the kind has
// none, or nothing is known of the workload.
func (r *revisions) shown(compared string, now time.Time) *detail.Revisions {
	if r == nil || !r.body.Exists() {
		return nil
	}
	out := r.history(now)
	out.Rollout = nil // the summary has it
	out.Bound()
	out.Compare(compared)
	return &out
}

// lists returns the open lists.
func (r *revisions) lists() (all []*wantedList) {
	for _, l := range []*wantedList{r.stored, r.pods} {
		if l != nil {
			all = append(all, l)
		}
	}
	return all
}

// close releases the lists.
func (r *revisions) close() {
	if r == nil {
		return
	}
	if r.closePods(); r.stored != nil {
		r.stored.Close()
	}
	r.stored, r.read = nil, nil
}

func (r *revisions) closePods() {
	if r.pods != nil {
		r.pods.Close()
	}
	r.pods, r.counted = nil, nil
}

// changed reports whether the lists may say something else than when they were last read.
func (r *revisions) changed(now time.Time) bool {
	if r == nil {
		return false
	}
	changed := false
	for _, l := range r.lists() {
		r.altered = l.check(r.host.Link(), now) || r.altered
		changed = changed || l.Pending() > 0
	}
	return changed || r.altered
}

// history reads the lists. now is for their states: the rules take the time in the cluster.
func (r *revisions) history(now time.Time) (out detail.Revisions) {
	r.altered = false
	in := revision.Input{Workload: r.body, Why: r.why}
	for _, l := range r.lists() {
		l.Drain(0) // before the store is read: what comes after is another change
		l.check(r.host.Link(), now)
		switch {
		case l.denied != nil:
			out.Denied = append(out.Denied, detail.Denial{Resource: l.kind.ID(), Status: l.denied})
		case !l.synced:
			out.Loading = true
		}
	}
	in.Stored, in.HasStored = r.documents(now)
	in.Pods, in.HasPods = r.countPods(now)
	for _, l := range r.lists() {
		if l.bodies.Failed != nil {
			out.Denied = append(out.Denied, detail.Denial{Resource: l.kind.ID(), Status: l.bodies.Failed})
		}
	}
	for _, c := range rule.Check(r.subject.Kind, r.body, r.host.Now()) {
		in.Causes = append(in.Causes, causeOf(c))
	}
	out.Resource, out.Pods = revision.StoredAs(r.body), r.selector
	out.History = revision.Read(in)
	for _, v := range out.Revisions {
		if v.After != 0 {
			v.Again = r.host.UsedAgain(out.Resource, r.subject.Namespace, v.Name)
		}
	}
	out.Loading = out.Loading || r.stored == nil || len(out.Denied) == 0 && !in.HasStored
	return out
}

// documents returns the bodies of the stored revisions; false unless all are known. Bodies that were
// parsed before are not parsed again.
func (r *revisions) documents(now time.Time) (all []document.Value, known bool) {
	if r.stored == nil || !r.stored.synced {
		return nil, false
	}
	before := r.read
	r.read = make(map[*object.Object]document.Value, len(before))
	for _, o := range r.stored.objects() {
		doc, ok := before[o]
		if !ok {
			var err error
			if doc, err = ParseBody(r.stored.kind, o); err != nil {
				r.stored.whole(now)
				return nil, false // it has lost its bytes, and gets them back
			}
		}
		r.read[o] = doc
		all = append(all, doc)
	}
	return all, true
}

// countPods returns what counts of the pods; false unless all are known.
func (r *revisions) countPods(now time.Time) (all []revision.Pod, known bool) {
	if r.pods == nil || !r.pods.synced {
		return nil, false
	}
	before := r.counted
	r.counted = make(map[*object.Object]revision.Pod, len(before))
	for _, o := range r.pods.objects() {
		p, ok := before[o]
		if !ok {
			if o.Packed() == nil {
				r.pods.whole(now)
				return nil, false // it gets them back
			}
			p = r.readPod(o)
		}
		r.counted[o] = p
		all = append(all, p)
	}
	return all, true
}

func (r *revisions) readPod(o *object.Object) revision.Pod {
	owner, _ := o.ControllingOwner()
	if owner.Kind != "ReplicaSet" || owner.Group != "apps" { // another controller may have the name of one
		owner.Name = ""
	}
	p := revision.Pod{Name: o.Name(), Owner: owner.Name, Hash: o.Labels().Get(revision.PodHash), Deleting: o.Deleting()}
	ready, phase := podPaths()
	r.pods.kind.Find(o, ready, func(status string) { p.Ready = status == "True" })
	r.pods.kind.Find(o, phase, func(is string) { p.Ended = is == "Succeeded" || is == "Failed" })
	return p
}

// cell returns the text of a pod's cell.
func (r *revisions) cell(o *object.Object, name string) string {
	columns := r.pods.Decoder().Columns()
	for i, c := range columns {
		if c.Name == name {
			return o.Cell(columns, i).Text
		}
	}
	return ""
}

// why returns why a pod is not ready: in the words of its problem, or its status before that is one.
func (r *revisions) why(pod string) revision.Cause {
	o, ok := r.pods.Lister(r.subject.Namespace).Get(pod)
	if !ok {
		return revision.Cause{}
	}
	if body, err := ParseBody(r.pods.kind, o); err == nil {
		for _, c := range rule.Check(r.pods.kind, body, r.host.Now()) {
			return causeOf(c)
		}
	}
	status := r.cell(o, "Status")
	if status == "Running" {
		status = "not ready"
	}
	return revision.Cause{Words: status, Tone: "pending"}
}

func causeOf(c rule.Cause) revision.Cause {
	return revision.Cause{Reason: c.Reason, Words: c.Words, Tone: string(c.Severity)}
}
