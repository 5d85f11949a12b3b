package facts

import (
	"testing"

	"watchglass/internal/object"
	"watchglass/internal/problem/kinds"
)

// TestReaders checks that the fields that readers scan exist.
func TestReaders(t *testing.T) {
	for _, plan := range plans {
		id := plan[0]
		k, ok := object.Builtin(id)
		if !ok {
			t.Fatal(id)
		}
		r := NewReader(&k)
		if r.plan == nil || (id == kinds.EndpointSlices || id == kinds.ReplicaSets) != (r.each != nil) {
			t.Errorf("%s: a field does not exist", id)
		}
	}
	old, _ := object.Builtin(kinds.Autoscalers)
	old.Version = "v1" // without conditions
	if r := NewReader(&old); r.plan != nil || !r.Suspect(nil, new(object.Object), 0) {
		t.Error("an autoscaler without conditions is not read")
	}
}
