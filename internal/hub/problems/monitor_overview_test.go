package problems

import (
	"testing"
	"time"

	"watchglass/internal/object"
	"watchglass/internal/port"
)

// servesNone is a cluster that is known to have no kind.
type servesNone struct{ Host }

func (servesNone) Find(string) (object.Kind, bool) { return object.Kind{}, false }
func (servesNone) Awaits(string) (bool, string)    { return false, "" }
func (servesNone) Kinds() []object.Kind            { return nil }

// TestUnserved checks that a server with none of the kinds that rules read, or one behind a gateway that answers each
// list with 404, is not said to have no problems, and that one with some of them is.
func TestUnserved(t *testing.T) {
	b := New(servesNone{})
	want := func(what string, none, unserved bool) {
		t.Helper()
		if o := b.Overview(time.Now()); o.Clear != none || o.Unserved != unserved {
			t.Errorf("%s: clear %v, unserved %v", what, o.Clear, o.Unserved)
		}
	}
	want("no kind", false, true)
	for _, resource := range b.resources() {
		b.readings = append(b.readings, &reading{resource: resource, wide: &input{read: true}, gap: port.Gap{Resource: resource, State: port.Gone}})
	}
	want("each list is gone", false, true)
	b.readings[0].gap.State = port.Connecting
	want("one list may come", false, false)
	b.readings[0].gap.State = port.Live
	want("one list is live", true, false)
}
