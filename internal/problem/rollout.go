package problem

import (
	"slices"
	"strconv"
	"strings"

	"watchglass/internal/object"
)

// revisions are the ReplicaSets of a Deployment.
type revisions struct {
	all          []*record
	last, before *record // the two newest; nil if there are fewer
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

// revision returns the revision that a ReplicaSet is of its Deployment; 0 if it does not say.
func (r *reader) revision(o *object.Object) (n int64) {
	if !r.scan(o) {
		return 0
	}
	for _, pair := range r.values.All(setAnnotations) {
		if key, value, ok := pair.Pair(); ok && string(key) == revisionKey {
			n, _ = strconv.ParseInt(string(value), 10, 64)
		}
	}
	return n
}

// deployment returns the Deployment of a ReplicaSet that is a revision of one.
func (r *record) deployment() ID { return ID{deployments, r.id.Namespace, r.facts.controller.Name} }

// images returns the images of a ReplicaSet's containers, as its cells show them.
func (r *record) images() (all []containerImage) {
	names, images := strings.Split(r.cell("Containers"), ","), strings.Split(r.cell("Images"), ",")
	for i := range min(len(names), len(images)) {
		all = append(all, containerImage{clean(names[i]), clean(images[i])})
	}
	return all
}

func (e *Engine) addSet(r *record) {
	if r.facts.revision == 0 {
		return
	}
	id := r.deployment()
	s := e.sets[id]
	if s == nil {
		s = new(revisions)
		e.sets[id] = s
	}
	s.all = append(s.all, r)
	s.see(r)
}

func (e *Engine) removeSet(r *record) {
	if r.facts.revision == 0 {
		return
	}
	id := r.deployment()
	s := e.sets[id]
	if s.all = slices.DeleteFunc(s.all, func(other *record) bool { return other == r }); len(s.all) == 0 {
		delete(e.sets, id)
		return
	}
	s.last, s.before = nil, nil
	for _, other := range s.all {
		s.see(other)
	}
}

// see notes a ReplicaSet that is one of the two newest.
func (s *revisions) see(r *record) {
	switch {
	case s.last == nil || r.newer(s.last):
		s.last, s.before = r, s.last
	case s.before == nil || r.newer(s.before):
		s.before = r
	}
}

// newer reports whether a ReplicaSet is of a later revision than another.
func (r *record) newer(o *record) bool {
	if r.facts.revision != o.facts.revision {
		return r.facts.revision > o.facts.revision
	}
	if a, b := r.object.Created(), o.object.Created(); a != b {
		return a > b
	}
	return r.id.Name > o.id.Name
}

// Rollouts returns the last changes of pod templates, newest first. The first revision of a
// Deployment is none.
func (e *Engine) Rollouts() []Rollout {
	var some []*revisions
	for _, s := range e.sets {
		if s.before != nil && s.last.facts.revision > 1 {
			some = newest(some, s)
		}
	}
	all := make([]Rollout, len(some))
	for i, s := range some {
		id := s.last.deployment()
		ready, desired, _ := readiness(s.last.kind.columns, s.last.object)
		all[i] = Rollout{Resource: id.Resource, Namespace: id.Namespace, Name: id.Name, At: s.last.object.Created(), Images: changed(s.before.images(), s.last.images()), Ready: int(ready), Desired: int(desired)}
	}
	return all
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
	if a, b := s.last.object.Created(), o.last.object.Created(); a != b {
		return a > b
	}
	a, b := s.last.deployment(), o.last.deployment()
	return a.Namespace+"/"+a.Name < b.Namespace+"/"+b.Name
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
