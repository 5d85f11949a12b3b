package logs

import (
	"cmp"
	"slices"

	"watchglass/internal/detail/log"
	"watchglass/internal/document"
	"watchglass/internal/object"
)

// defaultContainer is the annotation that names the container whose log kubectl reads.
const defaultContainer = "kubectl.kubernetes.io/default-container"

// pod is a pod with its containers.
type pod struct {
	uid, namespace, name string
	version              string
	packed               []byte // what it was decoded from; nil if its body is not known
	containers           []container
	usual                string // the container that is read if none is named
	failed               bool   // that one failed, and kubectl would read another
}

// podOf reads a pod.
func podOf(o *object.Object, v document.Value) pod {
	p := pod{uid: o.UID(), namespace: o.Namespace(), name: o.Name(), version: o.Version(), packed: o.Packed()}
	for _, list := range []struct{ field, status string }{
		{"containers", "containerStatuses"}, {"initContainers", "initContainerStatuses"}, {"ephemeralContainers", "ephemeralContainerStatuses"},
	} {
		states := make(map[string]document.Value)
		for _, s := range v.At("status", list.status).List() {
			states[s.At("name").Text()] = s
		}
		for _, spec := range v.At("spec", list.field).List() {
			name := spec.At("name").Text()
			p.containers = append(p.containers, containerOf(name, states[name], v))
		}
	}
	p.usual = v.At("metadata", "annotations", defaultContainer).Text()
	if p.find(p.usual) < 0 && len(p.containers) > 0 {
		p.usual = p.containers[0].name
	}
	if i := p.find(p.usual); i >= 0 && !p.containers[i].failed {
		if i = slices.IndexFunc(p.containers, func(c container) bool { return c.failed }); i >= 0 {
			p.usual, p.failed = p.containers[i].name, true
		}
	}
	return p
}

// keep keeps the choice that was made for an earlier version of the pod, so that its log does not
// change while it is read.
func (p *pod) keep(before pod) {
	if before.usual != "" && p.find(before.usual) >= 0 {
		p.usual, p.failed = before.usual, before.failed
	}
}

// find returns the index of a container, or -1.
func (p pod) find(name string) int {
	return slices.IndexFunc(p.containers, func(c container) bool { return c.name == name })
}

// chosen returns the containers that an option asks for: one by its name, all, or if it is
// empty the usual one.
func (p pod) chosen(option string) []container {
	if option == log.AllContainers {
		return p.containers
	}
	if i := p.find(cmp.Or(option, p.usual)); i >= 0 {
		return p.containers[i : i+1]
	}
	return nil
}
