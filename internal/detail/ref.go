package detail

import "watchglass/internal/object"

// Ref names an object. A reference inside an object gives the kind; an address gives the
// resource. Either of the two may be unknown.
type Ref struct {
	Group     string `json:"group,omitempty"`
	Kind      string `json:"kind,omitempty"`     // "ReplicaSet"
	Resource  string `json:"resource,omitempty"` // as addresses name it: "replicasets.apps"
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// Key returns "namespace/name", or the name alone for a cluster-scoped object.
func (r Ref) Key() string {
	if r.Namespace == "" {
		return r.Name
	}
	return r.Namespace + "/" + r.Name
}

// ResourceOf returns the resource of a built-in kind as addresses name it, or "" if the kind is
// not built in.
func ResourceOf(group, kind string) string {
	k, ok := object.BuiltinNamed(group, kind)
	if !ok {
		return ""
	}
	return k.ID()
}
