package detail

import "watchglass/internal/wire"

// Head is what is above every tab, and what each of them needs to know: which object it
// is, how it stands, and what is in it that can be asked for by name.
type Head struct {
	Resource   string `json:"resource"` // as addresses name it
	Kind       string `json:"kind"`
	APIVersion string `json:"apiVersion"`
	Namespaced bool   `json:"namespaced,omitempty"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
	UID        string `json:"uid,omitempty"`
	Version    string `json:"version,omitempty"`
	Created    int64  `json:"created,omitempty"` // unix seconds
	Deleting   bool   `json:"deleting,omitempty"`

	State State        `json:"state"`
	Said  *wire.Status `json:"said,omitempty"` // why it is not live

	Containers []Container `json:"containers,omitempty"` // of a pod, or of a template
	Default    string      `json:"default,omitempty"`    // of them, the one that is noted to be meant if none is named
	Ports      []Port      `json:"ports,omitempty"`
	Replicas   *int64      `json:"replicas,omitempty"` // that are asked for
	Suspended  bool        `json:"suspended,omitempty"`
	Cordoned   bool        `json:"cordoned,omitempty"`
}

// State is how the object that is shown stands.
type State string

// The states. What is shown in all but the first two is the last that was seen.
const (
	Loading State = "loading"
	Live    State = "live"
	Stale   State = "stale"
	Deleted State = "deleted"
	Missing State = "missing" // it is not there, and was not while this tab looked
	Polled  State = "polled"  // it may be got and not watched: it was so a moment ago
	Denied  State = "denied"
)

// Container is one of those of a pod.
type Container struct {
	Name string `json:"name"`
	Role string `json:"role,omitempty"` // "init", "ephemeral", or nothing
}

// Port is one that can be forwarded to.
type Port struct {
	Name   string `json:"name,omitempty"`
	Number int64  `json:"number"`
}

// defaultContainer is the annotation of a pod that notes which container is meant.
const defaultContainer = "kubectl.kubernetes.io/default-container"

// Describe fills in what is told by the object itself.
func (h *Head) Describe(v Value) {
	spec := v.At("spec")
	template := podWithin(h.Kind, v)
	pod, noted := template.At("spec"), template.At("metadata", "annotations", defaultContainer).Text()
	h.Containers, h.Ports, h.Default = nil, nil, ""
	for _, list := range []struct{ field, role string }{{"containers", ""}, {"initContainers", "init"}, {"ephemeralContainers", "ephemeral"}} {
		for _, c := range pod.At(list.field).List() {
			h.Containers = append(h.Containers, Container{Name: c.At("name").Text(), Role: list.role})
			if c.At("name").Text() == noted {
				h.Default = noted
			}
			for _, p := range c.At("ports").List() {
				h.Ports = append(h.Ports, Port{Name: p.At("name").Text(), Number: p.At("containerPort").Int()})
			}
		}
	}
	if h.Kind == "Service" {
		for _, p := range spec.At("ports").List() {
			h.Ports = append(h.Ports, Port{Name: p.At("name").Text(), Number: p.At("port").Int()})
		}
	}
	h.Replicas = nil
	if n := spec.At("replicas"); n.Exists() {
		replicas := n.Int()
		h.Replicas = &replicas
	}
	h.Suspended, h.Cordoned = spec.At("suspend").Bool(), spec.At("unschedulable").Bool()
}

// podWithin is what a kind makes pods of, wherever it keeps it; of a pod, itself.
func podWithin(kind string, v Value) Value {
	switch kind {
	case "Pod":
		return v
	case "CronJob":
		return v.At("spec", "jobTemplate", "spec", "template")
	}
	return v.At("spec", "template")
}
