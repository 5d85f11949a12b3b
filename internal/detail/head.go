package detail

import (
	"watchglass/internal/wire"

	"watchglass/internal/document"
)

// Head describes the object for every tab: its identity, its state, and the parts that can be
// selected by name.
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
	Since int64        `json:"since,omitempty"` // since when it can't be read, in Unix milliseconds
	Said  *wire.Status `json:"said,omitempty"`  // why it is not live

	Containers []Container `json:"containers,omitempty"` // of the pod, or of the pod template
	Default    string      `json:"default,omitempty"`    // the container named by the default-container annotation
	Ports      []Port      `json:"ports,omitempty"`
	Replicas   *int64      `json:"replicas,omitempty"` // desired
	Suspended  bool        `json:"suspended,omitempty"`
	Cordoned   bool        `json:"cordoned,omitempty"`
}

// State says how current the displayed object is.
type State string

// The states. In all but the first two, the page shows the last version seen.
const (
	Loading State = "loading"
	Live    State = "live"
	Stale   State = "stale"
	Deleted State = "deleted"
	Missing State = "missing" // not found, and never seen by this tab
	Polled  State = "polled"  // may be read but not watched: this is its recent state
	Denied  State = "denied"
	Unread  State = "unread" // it exists, but can't be read
)

// Container is one container of a pod.
type Container struct {
	Name string `json:"name"`
	Role string `json:"role,omitempty"` // "init", "ephemeral" or empty
}

// Port is a port that can be forwarded to.
type Port struct {
	Name   string `json:"name,omitempty"`
	Number int64  `json:"number"`
}

// defaultContainer is the pod annotation that names the default container.
const defaultContainer = "kubectl.kubernetes.io/default-container"

// Describe fills in the fields that come from the object itself.
func (h *Head) Describe(v document.Value) {
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
			h.addPorts(c.At("ports"), "containerPort")
		}
	}
	if h.Kind == "Service" {
		h.addPorts(spec.At("ports"), "port")
	}
	h.Replicas = nil
	if n := spec.At("replicas"); n.Exists() {
		replicas := n.Int()
		h.Replicas = &replicas
	}
	h.Suspended, h.Cordoned = spec.At("suspend").Bool(), spec.At("unschedulable").Bool()
}

// addPorts adds the ports of a list whose numbers are in a field. kubectl forwards only TCP, and refuses a
// command with another port.
func (h *Head) addPorts(ports document.Value, field string) {
	for _, p := range ports.List() {
		if protocol := p.At("protocol").Text(); protocol == "" || protocol == "TCP" {
			h.Ports = append(h.Ports, Port{Name: p.At("name").Text(), Number: p.At(field).Int()})
		}
	}
}

// podWithin returns the pod template of a kind, wherever that kind keeps it; for a pod, the pod
// itself.
func podWithin(kind string, v document.Value) document.Value {
	switch kind {
	case "Pod":
		return v
	case "CronJob":
		return v.At("spec", "jobTemplate", "spec", "template")
	}
	return v.At("spec", "template")
}
