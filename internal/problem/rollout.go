package problem

import (
	"slices"
	"strconv"
	"strings"

	"watchglass/internal/object"
)

// revisions are the ReplicaSets of a Deployment.
type revisions struct {
	of           ID
	all          []*record
	last, before *record // the two newest; nil if there are fewer
	at           int64   // when the last one was created
}

// containerImage is the image of a container.
type containerImage struct{ name, image string }

// ImageChange is a container's image before and after. From is empty for a new container.
type ImageChange struct{ From, To string }

// Rollout is a change of a Deployment's pod template.
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

// revision returns the revision that a ReplicaSet is of its Deployment; 0 if it does not say, or has
// none.
func (r *reader) revision(o *object.Object) (n int64) {
	raw := o.Packed()
	if owner, _ := o.ControllingOwner(); owner.Kind != "Deployment" || raw == nil || raw[0] == '{' || r.each.Scan(raw, &r.one) != nil {
		return 0
	}
	for _, pair := range r.one.All(0) {
		if key, value, ok := pair.Pair(); ok && string(key) == revisionKey {
			n, _ = strconv.ParseInt(string(value), 10, 64)
		}
	}
	return n
}

// images returns the images of a ReplicaSet's containers, as its cells show them.
func (r *record) images() (all []containerImage) {
	names, images := strings.Split(r.cell("Containers"), ","), strings.Split(r.cell("Images"), ",")
	for i := range min(len(names), len(images)) {
		all = append(all, containerImage{clean(names[i]), clean(images[i])})
	}
	return all
}

func (e *Engine) addSet(r *record) {
	if r.revision == 0 {
		return
	}
	owner, _ := r.object.ControllingOwner()
	id := ID{deployments, r.id.Namespace, owner.Name}
	s := e.sets[id]
	if s == nil {
		s = &revisions{of: id}
		e.sets[id] = s
	}
	r.set = s
	s.all = append(s.all, r)
	s.see(r)
	e.noteRollout(s)
}

func (e *Engine) removeSet(r *record) {
	s := r.set
	if s == nil {
		return
	}
	r.set = nil
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

// see notes a ReplicaSet that is one of the two newest.
func (s *revisions) see(r *record) {
	switch {
	case s.last == nil || r.newer(s.last):
		s.last, s.before, s.at = r, s.last, r.object.Created()
	case s.before == nil || r.newer(s.before):
		s.before = r
	}
}

// newer reports whether a ReplicaSet is of a later revision than another.
func (r *record) newer(o *record) bool {
	if r.revision != o.revision {
		return r.revision > o.revision
	}
	if a, b := r.object.Created(), o.object.Created(); a != b {
		return a > b
	}
	return r.id.Name > o.id.Name
}

// Rollouts returns the last changes of pod templates, newest first. The first revision of a
// Deployment is none.
func (e *Engine) Rollouts() []Rollout {
	if e.latest == nil {
		e.latest = make([]*revisions, 0, mostRollouts+1)
		for _, s := range e.sets {
			if s.before != nil && s.last.revision > 1 {
				e.latest = newest(e.latest, s)
			}
		}
	}
	all := make([]Rollout, len(e.latest))
	for i, s := range e.latest {
		ready, desired, _ := readiness(s.last.kind.columns, s.last.object)
		all[i] = Rollout{Resource: deployments, Namespace: s.of.Namespace, Name: s.of.Name, At: s.at, Images: changed(s.before.images(), s.last.images()), Ready: int(ready), Desired: int(desired)}
	}
	return all
}

// noteRollout has the last rollouts found anew if those of a Deployment may be among them.
func (e *Engine) noteRollout(s *revisions) {
	if len(e.latest) < mostRollouts || s.changedAfter(e.latest[mostRollouts-1]) || slices.Contains(e.latest, s) {
		e.latest = nil
	}
}

// newest sorts a Deployment into those that changed last, and drops the oldest if there are too
// many.
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
