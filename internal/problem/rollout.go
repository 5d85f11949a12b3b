package problem

import (
	"slices"
	"strings"

	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/text"
)

// revision is what an object says of a workload's pod template: a ReplicaSet of a Deployment, or a
// ControllerRevision of a StatefulSet or DaemonSet.
type revision struct {
	number int64 // rises when the template is used again; 0 if the object is no revision
	at     int64 // when it was created, or seen to be used again
}

// revisions are those of a workload.
type revisions struct {
	of           facts.ID
	all          []*record
	last, before *record // the two newest; nil if there are fewer
	at           int64   // when the newest was first used, as far as that is known: not before any other was
}

// containerImage is the image of a container.
type containerImage struct{ name, image string }

// ImageChange is a container's image before and after. From is empty for a new container.
type ImageChange struct{ From, To string }

// Rollout is a change of a workload's pod template.
type Rollout struct {
	Resource, Namespace, Name string
	At                        int64 // unix seconds
	After                     bool  // it was later than At: the template was used before, and nothing says when it was again
	Images                    []ImageChange
	Ready, Desired            int // pods of the new template
}

// Limits of what is shown.
const (
	mostRollouts = 10
	mostImages   = 3
)

// The columns with the names and the images of the containers in a ControllerRevision.
const (
	revisionImages = "{.data.spec.template.spec.containers[*].image}"
	revisionNames  = "{.data.spec.template.spec.containers[*].name}"
)

// Paths returns the added columns in which the rules read a kind, by its ID. Of such a kind they need
// no bodies.
func Paths(resource string) []string {
	if resource == kinds.ControllerRevisions {
		return []string{revisionImages, revisionNames}
	}
	return nil
}

// follows takes over when a template was last used from what was known of it before. If it has been
// used again since, as by a rollback, that is now, unless the change is late.
func (v *revision) follows(before revision, now int64, late bool) {
	switch {
	case v.number == 0 || before.number == 0:
	case v.number > before.number && !late:
		v.at = max(v.at, now)
	default:
		v.at = max(v.at, before.at)
	}
}

// UsedAgain returns when a stored revision was seen to be used again, as by a rollback; 0 if nobody saw that.
func (e *Engine) UsedAgain(resource, namespace, name string) int64 {
	if r := e.records[facts.ID{Resource: resource, Namespace: namespace, Name: name}]; r != nil && r.Object != nil && r.revision.at > r.Object.Created() {
		return r.revision.at
	}
	return 0
}

// workload returns the workload of which an object is a revision.
func (r *record) workload() facts.ID {
	by, _ := r.Object.ControllingOwner()
	if r.ID.Resource == kinds.ReplicaSets {
		return facts.ID{Resource: kinds.Deployments, Namespace: r.ID.Namespace, Name: by.Name}
	}
	return facts.ID{Resource: facts.Revised[by.Kind], Namespace: r.ID.Namespace, Name: by.Name}
}

// images returns the images of a revision's containers, which its cells have.
func (r *record) images() (all []containerImage) {
	nameColumn, imageColumn := "Containers", "Images"
	if r.ID.Resource != kinds.ReplicaSets {
		nameColumn, imageColumn = revisionNames, revisionImages
	}
	names, images := strings.Split(r.cell(nameColumn), ","), strings.Split(r.cell(imageColumn), ",")
	for i := range min(len(names), len(images)) {
		all = append(all, containerImage{text.Clean(names[i]), text.Clean(images[i])})
	}
	return all
}

func (e *Engine) addSet(r *record) {
	if r.revision.number == 0 {
		return
	}
	id := r.workload()
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
	e.noteRollout(s)
	r.set = nil
	if s.all = slices.DeleteFunc(s.all, func(other *record) bool { return other == r }); len(s.all) == 0 {
		delete(e.sets, s.of)
		return
	}
	s.last, s.before, s.at = nil, nil, 0
	for _, other := range s.all {
		s.see(other)
	}
	e.noteRollout(s)
}

// see notes a revision, which may be one of the two newest.
func (s *revisions) see(r *record) {
	s.at = max(s.at, r.revision.at)
	switch {
	case s.last == nil || r.newer(s.last):
		s.last, s.before = r, s.last
	case s.before == nil || r.newer(s.before):
		s.before = r
	}
}

// newer reports whether a revision is later than another.
func (r *record) newer(o *record) bool {
	a, b := &r.revision, &o.revision
	if a.number != b.number {
		return a.number > b.number
	}
	if a.at != b.at {
		return a.at > b.at
	}
	return r.ID.Name > o.ID.Name
}

// Rollouts returns the last changes of pod templates, newest first. The first revision of a workload
// is none. A template that is used again is as old as the newest other one, if nothing says more: the Changes tab says so, too.
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
		all[i] = Rollout{Resource: s.of.Resource, Namespace: s.of.Namespace, Name: s.of.Name, At: s.at, After: s.again(), Images: changed(s.before.images(), s.last.images()), Ready: int(p.Ready), Desired: int(p.Desired)}
	}
	return all
}

// noteRollout has the last rollouts found anew if that of a workload may be among them.
func (e *Engine) noteRollout(s *revisions) {
	if len(e.latest) < mostRollouts || s.changedAfter(e.latest[mostRollouts-1]) || slices.Contains(e.latest, s) {
		e.latest = nil
	}
}

// progress returns how far the last rollout of a workload has come: of a Deployment, its newest
// ReplicaSet says so.
func (e *Engine) progress(s *revisions) (p facts.Progress) {
	if s.last.ID.Resource == kinds.ReplicaSets {
		p.Ready, p.Desired, _ = facts.Readiness(s.last.kind.columns, s.last.Object)
	} else if r := e.records[s.of]; r != nil {
		p = r.Facts.Progress
	}
	return p
}

// again reports whether the newest template was used before another, and was not seen to be used again.
func (s *revisions) again() bool { return s.last.revision.at < s.at }

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
	if a, b := s.at, o.at; a != b {
		return a > b
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
