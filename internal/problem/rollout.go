package problem

import (
	"strconv"
	"strings"

	"watchglass/internal/object"
)

// template is a revision of a workload's pods: a ReplicaSet of a Deployment, or a ControllerRevision of
// a StatefulSet or DaemonSet.
type template struct {
	workload ID
	revision int64 // rises when the template is used again
	images   []containerImage
	at       int64 // when it was created, or seen to be used again
	progress       // of a Deployment's
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

// template reads a ReplicaSet of a Deployment; nil for any other.
func (r *reader) template(of *record, controller *object.Owner) *template {
	if controller == nil || controller.Kind != "Deployment" || !r.scan(of.object) {
		return nil
	}
	t := new(template)
	for _, pair := range r.values.All(setAnnotations) {
		if key, value, ok := pair.Pair(); ok && string(key) == revisionKey {
			t.revision, _ = strconv.ParseInt(string(value), 10, 64)
		}
	}
	for i := range r.values.Len(setContainers) {
		name, _ := r.values.At(setContainers, i)
		image, _ := r.values.At(setImages, i)
		t.images = append(t.images, containerImage{clean(string(name.Bytes)), clean(string(image.Bytes))})
	}
	t.workload = ID{deployments, of.id.Namespace, controller.Name}
	t.at = of.object.Created()
	t.ready, t.desired, _ = readiness(of.columns, of.object)
	return t
}

// revised are the kinds whose templates are ControllerRevisions, by their names.
var revised = map[string]string{"StatefulSet": statefulSets, "DaemonSet": daemonSets}

// The columns with the names and the images of the containers in a ControllerRevision.
const (
	revisionImages = "{.data.spec.template.spec.containers[*].image}"
	revisionNames  = "{.data.spec.template.spec.containers[*].name}"
)

// Paths returns the added columns in which the rules read a kind, by its ID. Of such a kind they need
// no bodies.
func Paths(resource string) []string {
	if resource == controllerRevisions {
		return []string{revisionImages, revisionNames}
	}
	return nil
}

// controllerRevision reads a ControllerRevision of a StatefulSet or DaemonSet; nil for any other.
func controllerRevision(of *record) *template {
	controller := controllerOf(of.object)
	if controller == nil || controller.Group != "apps" || revised[controller.Kind] == "" {
		return nil
	}
	t := &template{workload: ID{revised[controller.Kind], of.id.Namespace, controller.Name}, at: of.object.Created()}
	t.revision, _ = strconv.ParseInt(of.cell("Revision"), 10, 64)
	images := strings.Split(of.cell(revisionImages), ",")
	for i, name := range strings.Split(of.cell(revisionNames), ",") {
		if i < len(images) {
			t.images = append(t.images, containerImage{clean(name), clean(images[i])})
		}
	}
	return t
}

// progress reads how far the last rollout of a StatefulSet or DaemonSet has come. Pods that are not
// updated are taken for ready, since the status does not say which ones are. Before the controller has
// seen the template, none is.
func (r *reader) progress(of *record) (p progress) {
	p.ready, p.desired, _ = readiness(of.columns, of.object)
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
func (t *template) follows(before *template, now int64) {
	switch {
	case before == nil:
	case t.revision > before.revision:
		t.at = max(t.at, now)
	default:
		t.at = max(t.at, before.at)
	}
}

func (e *Engine) addSet(r *record) {
	id := r.facts.template.workload
	if e.sets[id] == nil {
		e.sets[id] = make(map[*record]struct{})
	}
	e.sets[id][r] = struct{}{}
}

func (e *Engine) removeSet(r *record) {
	id := r.facts.template.workload
	delete(e.sets[id], r)
	if len(e.sets[id]) == 0 {
		delete(e.sets, id)
	}
}

// Rollouts returns the last changes of pod templates, newest first. The first revision of a workload
// is none. A template that is used again is as old as the one that it replaced, if nothing says more.
func (e *Engine) Rollouts() []Rollout {
	var all []Rollout
	for id, sets := range e.sets {
		var last, before *template
		for r := range sets {
			t := r.facts.template
			switch {
			case last == nil || t.newer(last):
				last, before = t, last
			case before == nil || t.newer(before):
				before = t
			}
		}
		if before == nil || last.revision <= 1 {
			continue
		}
		p := last.progress
		if r := e.records[id]; r != nil && id.Resource != deployments {
			p = r.facts.progress
		}
		all = append(all, Rollout{Resource: id.Resource, Namespace: id.Namespace, Name: id.Name, At: max(last.at, before.at), Images: changed(before.images, last.images), Ready: int(p.ready), Desired: int(p.desired)})
		all = newest(all)
	}
	return all
}

func (t *template) newer(o *template) bool {
	return t.revision > o.revision || t.revision == o.revision && t.at > o.at
}

// newest sorts the last rollout into those before it, and drops the oldest if there are too many.
func newest(all []Rollout) []Rollout {
	for i := len(all) - 1; i > 0 && all[i].before(&all[i-1]); i-- {
		all[i], all[i-1] = all[i-1], all[i]
	}
	return all[:min(len(all), mostRollouts)]
}

// before reports whether a rollout is listed before another.
func (r *Rollout) before(o *Rollout) bool {
	if r.At != o.At {
		return r.At > o.At
	}
	return r.Namespace+"/"+r.Name < o.Namespace+"/"+o.Name
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
