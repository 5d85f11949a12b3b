package detail

import "watchglass/internal/object"

// Ref names an object. A reference out of an object has the kind's name, an address the
// resource's: one of the two may be unknown.
type Ref struct {
	Group     string `json:"group,omitempty"`
	Kind      string `json:"kind,omitempty"`     // "ReplicaSet"
	Resource  string `json:"resource,omitempty"` // as addresses name it: "replicasets.apps"
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// Key is "namespace/name", or the name of what has no namespace.
func (r Ref) Key() string {
	if r.Namespace == "" {
		return r.Name
	}
	return r.Namespace + "/" + r.Name
}

// ResourceOf is a kind that is known here as addresses name it, or nothing.
func ResourceOf(group, kind string) string {
	k, ok := object.BuiltinNamed(group, kind)
	if !ok {
		return ""
	}
	return k.ID()
}
