package problem

import (
	"strings"

	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/kinds"
)

// owner is what rows are about: the workload at the top of a chain of owners, or an object that
// has none. Its members are the records whose causes are its rows.
type owner struct {
	ID      facts.ID
	kind    string
	members []*record           // in no order
	rows    map[string]struct{} // keys
	due     int64               // when time alone changes its rows; 0 is never
	hints   []found             // of failed Jobs, as of when its rows were made
	waits   bool                // it may soon have a row that it has not yet
}

// target is a kind as owner references name it.
type target struct {
	resource, kind string
	namespaced, ok bool
}

// target returns a kind by its name and group. What is unknown is not ok, and may be known later.
func (e *Engine) target(name string) target {
	t, known := e.names[name]
	if !known {
		if k, ok := e.options.Lookup(name); ok {
			t = target{k.ID(), k.Name, k.Namespaced, true}
			e.names[strings.Clone(name)] = t
			delete(e.unknown, name)
		} else if len(e.unknown) < mostUnknown {
			e.unknown[strings.Clone(name)] = struct{}{}
		}
	}
	return t
}

// How many names of kinds are looked up again, and after how many seconds.
const (
	mostUnknown = 100
	lookAgain   = 10
)

// updateKinds places pods anew once the kind of an owner has become known.
func (e *Engine) updateKinds(now int64) {
	if now < e.looked+lookAgain {
		return
	}
	e.looked = now
	found := false
	for name := range e.unknown {
		found = e.target(name).ok || found
	}
	if !found {
		return
	}
	for _, r := range e.records {
		if climbs[r.ID.Resource] && r.Object != nil {
			e.place(r)
			e.markDirty(r)
		}
	}
}

// longestChain limits how far owners are followed: references can form a ring.
const longestChain = 4

// climbs are the resources whose objects are grouped under their controllers.
var climbs = map[string]bool{kinds.Pods: true, kinds.ReplicaSets: true, kinds.Jobs: true}

// grouped reports whether a record may have rows, or decide those of its owner. An event counts with
// what it is about, and a healthy workload needs no memory for rows.
func (r *record) grouped() bool {
	switch r.ID.Resource {
	case kinds.Events:
		return false
	case kinds.Pods, kinds.EndpointSlices:
		return true
	}
	return r.Silent || len(r.Causes) > 0 || len(r.topics) > 0 || r.Facts.Service != nil || len(r.Facts.Backends) > 0 || r.Facts.IngressClass != "" || r.Facts.Claim != nil
}

// place puts a record under its owner, and notes on which objects that depends.
func (e *Engine) place(r *record) {
	e.removeNeeds(r)
	if !r.grouped() {
		e.leave(r)
		return
	}
	id, kind := e.top(r)
	for _, reference := range r.Facts.References {
		e.need(r, reference)
	}
	if name := r.node(); name != "" {
		e.need(r, facts.ID{Resource: kinds.Nodes, Name: name})
	}
	if r.owner != nil && r.owner.ID == id {
		return
	}
	e.leave(r)
	o := e.owners[id]
	if o == nil {
		o = &owner{ID: id, kind: kind}
		e.owners[id] = o
	}
	r.owner, r.place = o, int32(len(o.members))
	o.members = append(o.members, r)
	e.dirty[o] = struct{}{}
}

// leave removes a record from its owner.
func (e *Engine) leave(r *record) {
	if r.owner == nil {
		return
	}
	o := r.owner
	last := o.members[len(o.members)-1]
	o.members[r.place], last.place = last, r.place
	o.members[len(o.members)-1] = nil
	o.members = o.members[:len(o.members)-1]
	e.dirty[o] = struct{}{} // an owner without members is removed with its rows
	r.owner = nil
}

func (e *Engine) removeNeeds(r *record) {
	for _, id := range r.needs {
		e.recount(id)
		delete(e.dependents[id], r)
		if len(e.dependents[id]) == 0 {
			delete(e.dependents, id)
		}
	}
	r.needs = r.needs[:0]
}

func (e *Engine) need(r *record, id facts.ID) {
	e.recount(id)
	r.needs = append(r.needs, id)
	if e.dependents[id] == nil {
		e.dependents[id] = make(map[*record]struct{})
	}
	e.dependents[id][r] = struct{}{}
}

// top returns the object under which the causes of a record are shown.
func (e *Engine) top(r *record) (facts.ID, string) {
	if name := r.service(); name != "" {
		return facts.ID{Resource: kinds.Services, Namespace: r.ID.Namespace, Name: name}, "Service"
	}
	id, kind, at := r.ID, r.kindName, r
	for range longestChain {
		up, upKind, ok := e.parent(r, id, at)
		if !ok {
			break
		}
		id, kind, at = up, upKind, e.records[up]
	}
	return id, kind
}

// parent returns the object under which another is grouped. at is the other's record, if it has
// one; r is the record that depends on the answer.
func (e *Engine) parent(r *record, id facts.ID, at *record) (up facts.ID, kind string, ok bool) {
	switch {
	case !climbs[id.Resource]:
		return up, "", false
	case at == nil || at.Object == nil:
		return e.guess(r, id)
	}
	by, owned := at.Object.ControllingOwner()
	if !owned || !kinds.IsName(by.Name) {
		return up, "", false
	}
	name := by.Kind
	if by.Group != "" {
		name += "." + by.Group
	}
	to := e.target(name)
	if !to.ok && kinds.IsKind(name) { // as of a custom resource whose kinds are not known yet, or may not be listed
		to = target{strings.ToLower(name), by.Kind, true, true}
	}
	if !to.ok || !to.namespaced || id.Resource == kinds.Jobs && to.resource != kinds.CronJobs {
		return up, "", false // whoever creates a pod can name any object of the cluster
	}
	up = facts.ID{Resource: to.resource, Namespace: id.Namespace, Name: by.Name}
	e.need(r, up)
	known := e.records[up]
	if hash := at.Object.Labels().Get("pod-template-hash"); to.resource == kinds.ReplicaSets && hash != "" && (known == nil || known.Object == nil) {
		if name, cut := strings.CutSuffix(by.Name, "-"+hash); cut && name != "" {
			return facts.ID{Resource: kinds.Deployments, Namespace: up.Namespace, Name: name}, "Deployment", true
		}
	}
	return up, to.kind, true
}

// service returns the Service that an EndpointSlice belongs to.
func (r *record) service() string {
	if r.ID.Resource != kinds.EndpointSlices || r.Object == nil {
		return ""
	}
	return r.Object.Labels().Get("kubernetes.io/service-name")
}

// guess finds the owner of a pod that an event is about, and of which nothing else is known: a
// workload with the pod's name without its last part.
func (e *Engine) guess(r *record, id facts.ID) (up facts.ID, kind string, ok bool) {
	cut := strings.LastIndexByte(id.Name, '-')
	if id.Resource != kinds.Pods || cut <= 0 {
		return up, "", false
	}
	for _, resource := range []string{kinds.ReplicaSets, kinds.StatefulSets, kinds.DaemonSets, kinds.Jobs} {
		up = facts.ID{Resource: resource, Namespace: id.Namespace, Name: id.Name[:cut]}
		e.need(r, up)
		if p := e.records[up]; p != nil && p.Object != nil {
			return up, p.kindName, true
		}
	}
	return up, "", false
}
