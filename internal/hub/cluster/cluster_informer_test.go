package cluster

import (
	"testing"

	"watchglass/internal/detail/rbac"
	"watchglass/internal/hub/source"
	"watchglass/internal/object"
	"watchglass/internal/problem"
)

// TestBare checks that no bodies are kept of what is read in columns alone, and of all else.
func TestBare(t *testing.T) {
	revisions, _ := object.Builtin("controllerrevisions.apps")
	bindings, _ := object.Builtin(rbac.RoleBindings)
	metrics := object.Kind{Group: "metrics.k8s.io", Resource: "pods"}
	for _, c := range []struct {
		kind  object.Kind
		paths []string
		want  bool
	}{
		{revisions, problem.Paths("controllerrevisions.apps"), true},
		{revisions, nil, false},
		{revisions, problem.Paths("controllerrevisions.apps")[:1], false},
		{revisions, append(problem.Paths("controllerrevisions.apps"), "{.data}"), false},
		{bindings, rbac.Paths(rbac.RoleBindings), true},
		{bindings, rbac.Paths(rbac.RoleBindings)[:1], false},
		{metrics, []string{"{.timestamp}"}, true},
		{metrics, nil, false},
		{object.Kind{Resource: "pods"}, []string{"{.timestamp}"}, false},
	} {
		extras, _ := source.Added(c.paths)
		if got := isBare(&c.kind, extras); got != c.want {
			t.Errorf("%s with %v: %v", c.kind.ID(), c.paths, got)
		}
	}
}
