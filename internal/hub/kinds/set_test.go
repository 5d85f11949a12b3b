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

// TestOfEarlier checks that the kind of a request is found after the server has moved it to another version,
// and after it has removed it, also by a Set that learned from the first.
func TestOfEarlier(t *testing.T) {
	s, learned := new(Set), new(Set)
	for _, version := range []string{"v1beta1", "v1", ""} {
		var d object.Discovery
		if version != "" {
			d.Kinds = []object.Kind{{Group: "example.com", Version: version, Resource: "widgets", Name: "Widget", Namespaced: true}}
		}
		s.Discovered(d)
	}
	learned.Learn(s)
	for name, set := range map[string]*Set{"the first": s, "the other": learned} {
		for _, version := range []string{"v1beta1", "v1"} {
			if got := set.Of(wire.Request{Group: "example.com", Version: version, Resource: "widgets"}); got.Name != "Widget" || got.Version != version {
				t.Errorf("%s: %s leads to %+v", name, version, got)
			}
		}
		if got := set.Of(wire.Request{Group: "example.com", Version: "v2", Resource: "widgets"}); got.Name != "" {
			t.Errorf("%s: a version that never was leads to %+v", name, got)
		}
		if got, ok := set.Find("widgets"); ok {
			t.Errorf("%s: it has %+v", name, got)
		}
	}
}
