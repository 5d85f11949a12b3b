package problem

import (
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"watchglass/internal/document"
	"watchglass/internal/object"
)

// revision is what an object says of a workload's pod template: a ReplicaSet of a Deployment, or a
// ControllerRevision of a StatefulSet or DaemonSet.
type revision struct {
	number int64            // rises when the template is used again
	at     int64            // when it was created, or seen to be used again
	images []containerImage // of a ControllerRevision, whose document may be dropped; a ReplicaSet has cells
	set    *revisions
}

// revisions are those of a workload.
type revisions struct {
	of           ID
	all          []*record
	last, before *record // the two newest; nil if there are fewer
	at           int64   // when the last one was first used, as far as that is known
}

// progress is how many pods of the new template are ready, and desired.
type progress struct{ ready, desired int64 }

// containerImage is the image of a container.
type containerImage struct{ name, image string }

// ImageChange is a container's image before and after. From is empty for a new container.
type ImageChange struct{ From, To string }

// Rollout is a change of a workload's pod template.
type Rollout struct {
	Resource, Namespace, Name string
	At                        int64 // unix seconds
	Images                    []ImageChange
	Ready, Desired            int // pods of the new template
}

// Limits of what is shown.
const (
	mostRollouts = 10
	mostImages   = 3
)

const revisionKey = "deployment.kubernetes.io/revision"

// rolledOut are the workloads whose pod templates have revisions, and the resources of both, by the
// workload's kind.
var rolledOut = map[string]struct{ workload, revision string }{
	"Deployment":  {deployments, replicaSets},
	"StatefulSet": {statefulSets, controllerRevisions},
	"DaemonSet":   {daemonSets, controllerRevisions},
}

// revision reads an object that is a revision of a workload; nil if it is none.
func (r *reader) revision(o *object.Object) *revision {
	id := r.kind.id
	if id != replicaSets && id != controllerRevisions {
		return nil
	}
	by, _ := o.ControllingOwner()
	if by.Group != "apps" || rolledOut[by.Kind].revision != id {
		return nil
	}
	v, ok := &revision{at: o.Created()}, true
	if id == replicaSets {
		v.number = r.annotatedRevision(o)
	} else if r.scan(o) {
		v.number = r.values.Int(revisionNumber)
		v.images, ok = templateImages(rawJSON(r.values.Bytes(revisionData)))
	}
	if !ok || v.number == 0 {
		return nil
	}
	return v
}

// annotatedRevision returns the revision that a ReplicaSet is of its Deployment; 0 if it does not say.
func (r *reader) annotatedRevision(o *object.Object) (n int64) {
	raw := o.Packed()
	if r.each == nil || raw == nil || raw[0] == '{' || r.each.Scan(raw, &r.one) != nil {
		return 0
	}
	for _, pair := range r.one.All(0) {
		if key, value, ok := pair.Pair(); ok && string(key) == revisionKey {
			n, _ = strconv.ParseInt(string(value), 10, 64)
		}
	}
	return n
}

// templateImages returns the images of the pod template in a ControllerRevision's data.
func templateImages(doc []byte) (all []containerImage, ok bool) {
	for _, name := range [...]string{"spec", "template", "spec", "containers"} { // far cheaper than to parse all of it
		var inner []byte
		_ = object.Members(doc, func(key string, value []byte) error {
			if key == name {
				inner = value
			}
			return nil
		})
		doc = inner
	}
	containers, err := document.Parse(doc)
	for _, c := range containers.List() {
		all = append(all, containerImage{clean(c.TextAt("name")), clean(c.TextAt("image"))})
	}
	return all, err == nil
}

// rawJSON returns the JSON in a RawExtension.
func rawJSON(message []byte) []byte {
	if _, _, n := protowire.ConsumeTag(message); n > 0 {
		if doc, size := protowire.ConsumeBytes(message[n:]); size > 0 {
			return doc
		}
	}
	return nil
}

// progress reads how far the last rollout of a StatefulSet or DaemonSet has come. Pods that are not
// updated are taken for ready, since the status does not say which ones are. Before the controller has
// seen the template, none is.
func (r *reader) progress(of *record) (p progress) {
	p.ready, p.desired, _ = readiness(of.kind.columns, of.object)
	switch {
	case !r.scan(of.object):
	case r.values.Int(rolloutGeneration) > r.values.Int(rolloutObserved):
		p.ready = 0
	default:
		updated := r.values.Int(rolloutUpdated)
		p.ready = max(0, min(updated, p.ready-(p.desired-updated)))
	}
	return p
}

// follows takes over when a template was last used from what was known of it before. If it has been
// used again since, as by a rollback, that is now.
func (v *revision) follows(before *revision, now int64) {
	switch {
	case before == nil:
	case v.number > before.number:
		v.at = max(v.at, now)
	default:
		v.at = max(v.at, before.at)
	}
}

// images returns the images of a revision's containers.
func (r *record) images() (all []containerImage) {
	if r.id.Resource != replicaSets {
		return r.revision.images
	}
	names, images := strings.Split(r.cell("Containers"), ","), strings.Split(r.cell("Images"), ",")
	for i := range min(len(names), len(images)) {
		all = append(all, containerImage{clean(names[i]), clean(images[i])})
	}
	return all
}

// addSet adds a revision to those of its workload.
func (e *Engine) addSet(r *record) {
	by, _ := r.object.ControllingOwner()
	id := ID{rolledOut[by.Kind].workload, r.id.Namespace, by.Name}
	s := e.sets[id]
	if s == nil {
		s = &revisions{of: id}
		e.sets[id] = s
	}
	r.revision.set = s
	s.all = append(s.all, r)
	s.see(r)
	e.noteRollout(s)
}

// removeSet removes a revision from those of its workload.
func (e *Engine) removeSet(r *record) {
	s := r.revision.set
	e.noteRollout(s)
	if s.all = slices.DeleteFunc(s.all, func(other *record) bool { return other == r }); len(s.all) == 0 {
		delete(e.sets, s.of)
		return
	}
	s.last, s.before = nil, nil
	for _, other := range s.all {
		s.see(other)
	}
	e.noteRollout(s)
}

// see notes a revision that is one of the two newest.
func (s *revisions) see(r *record) {
	switch {
	case s.last == nil || r.newer(s.last):
		s.last, s.before = r, s.last
	case s.before == nil || r.newer(s.before):
		s.before = r
	}
	if s.at = s.last.revision.at; s.before != nil {
		s.at = max(s.at, s.before.revision.at)
	}
}

// newer reports whether a revision is later than another.
func (r *record) newer(o *record) bool {
	a, b := r.revision, o.revision
	if a.number != b.number {
		return a.number > b.number
	}
	if a.at != b.at {
		return a.at > b.at
	}
	return r.id.Name > o.id.Name
}

// Rollouts returns the last changes of pod templates, newest first. The first revision of a workload
// is none. A template that is used again is as old as the one that it replaced, if nothing says more.
func (e *Engine) Rollouts() []Rollout {
	if e.latest == nil {
		e.latest = make([]*revisions, 0, mostRollouts+1)
		for _, s := range e.sets {
			if s.before != nil && s.last.revision.number > 1 {
				e.latest = newest(e.latest, s)
			}
		}
	}
	all := make([]Rollout, len(e.latest))
	for i, s := range e.latest {
		p := e.progress(s)
		all[i] = Rollout{Resource: s.of.Resource, Namespace: s.of.Namespace, Name: s.of.Name, At: s.at, Images: changed(s.before.images(), s.last.images()), Ready: int(p.ready), Desired: int(p.desired)}
	}
	return all
}

// progress returns how far the last rollout of a workload has come: of a Deployment, its newest
// ReplicaSet says so.
func (e *Engine) progress(s *revisions) (p progress) {
	if s.of.Resource == deployments {
		p.ready, p.desired, _ = readiness(s.last.kind.columns, s.last.object)
	} else if r := e.records[s.of]; r != nil {
		p = r.facts.progress
	}
	return p
}

// noteRollout has the last rollouts found anew if that of a workload may be among them.
func (e *Engine) noteRollout(s *revisions) {
	if len(e.latest) < mostRollouts || s.changedAfter(e.latest[mostRollouts-1]) || slices.Contains(e.latest, s) {
		e.latest = nil
	}
}

// newest sorts a workload into those that changed last, and drops the oldest if there are too many.
func newest(all []*revisions, s *revisions) []*revisions {
	if len(all) == mostRollouts && !s.changedAfter(all[mostRollouts-1]) {
		return all
	}
	all = append(all, s)
	for i := len(all) - 1; i > 0 && all[i].changedAfter(all[i-1]); i-- {
		all[i], all[i-1] = all[i-1], all[i]
	}
	return all[:min(len(all), mostRollouts)]
}

// changedAfter reports whether a rollout is listed before another.
func (s *revisions) changedAfter(o *revisions) bool {
	if s.at != o.at {
		return s.at > o.at
	}
	return s.of.Namespace+"/"+s.of.Name < o.of.Namespace+"/"+o.of.Name
}

// changed returns the images that differ, by the container's name.
func changed(before, after []containerImage) (all []ImageChange) {
	for _, a := range after {
		from, same := "", false
		for _, b := range before {
			if b.name == a.name {
				from, same = b.image, b.image == a.image
			}
		}
		if !same && len(all) < mostImages {
			all = append(all, ImageChange{from, a.image})
		}
	}
	return all
}
