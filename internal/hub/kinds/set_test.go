package kinds

import (
	"testing"

	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// TestOf checks that the kind of a request is found before discovery, even if two groups have a
// resource of the same name.
func TestOf(t *testing.T) {
	for _, name := range []string{"pods", "events", "events.events.k8s.io", "deployments.apps", "leases.coordination.k8s.io"} {
		kind, ok := object.Builtin(name)
		if got := new(Set).Of(wire.Request{Group: kind.Group, Version: kind.Version, Resource: kind.Resource, Namespace: "a"}); !ok || got.ID() != name || !got.Printed() {
			t.Errorf("%s leads to %q", name, got.ID())
		}
	}
}
