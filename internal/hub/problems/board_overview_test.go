package problems

import (
	"testing"
	"time"

	"watchglass/internal/object"
)

// servesNone is a cluster that is known to have no kind.
type servesNone struct{ Host }

func (servesNone) Find(string) (object.Kind, bool) { return object.Kind{}, false }
func (servesNone) Awaits(string) (bool, string)    { return false, "" }
func (servesNone) Kinds() []object.Kind            { return nil }

// TestUnserved checks that a server with none of the kinds that rules read, or one behind a gateway that answers each
// list with 404, is not said to have no problems.
func TestUnserved(t *testing.T) {
	if o := New(servesNone{}).Overview(time.Now()); o.Clear || !o.Unserved {
		t.Errorf("clear %v, unserved %v", o.Clear, o.Unserved)
	}
}
