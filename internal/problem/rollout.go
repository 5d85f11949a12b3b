package problem

import (
	"strconv"

	"watchglass/internal/object"
)

// template is a revision of a Deployment's pods.
type template struct {
	deployment ID
	revision   int64
	images     []containerImage
	at         int64
	ready      int64
	desired    int64
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
	t.deployment = ID{deployments, of.id.Namespace, controller.Name}
	t.at = of.object.Created()
	t.ready, t.desired, _ = readiness(of.columns, of.object)
	return t
}

func (e *Engine) addSet(r *record) {
	id := r.facts.template.deployment
	if e.sets[id] == nil {
		e.sets[id] = make(map[*record]struct{})
	}
	e.sets[id][r] = struct{}{}
}

func (e *Engine) removeSet(r *record) {
	id := r.facts.template.deployment
	delete(e.sets[id], r)
	if len(e.sets[id]) == 0 {
		delete(e.sets, id)
	}
}

// Rollouts returns the last changes of pod templates, newest first. The first revision of a
// Deployment is none.
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
		all = append(all, Rollout{Resource: id.Resource, Namespace: id.Namespace, Name: id.Name, At: last.at, Images: changed(before.images, last.images), Ready: int(last.ready), Desired: int(last.desired)})
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
