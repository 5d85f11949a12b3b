package problems

import (
	"testing"
	"time"

	"watchglass/internal/hub/source"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/problem"
)

// atNoon is a Host that knows the time, and nothing else.
type atNoon struct{ Host }

func (atNoon) Now() time.Time { return time.Unix(43_200, 0) }

// TestLate checks that what comes while a list is not live, as after a sleep, counts as late: it may have happened long before.
func TestLate(t *testing.T) {
	kind, _ := object.Builtin("replicasets.apps")
	for fresh, late := range map[informer.Freshness]bool{informer.Syncing: true, informer.Stale: true, informer.Live: false} {
		b := New(atNoon{})
		b.engine = problem.New(problem.Options{})
		f := &input{engine: b.engine, status: source.Status{Fresh: fresh}}
		changes := []problem.Change{{Kind: &kind}}
		b.apply(f, changes)
		if changes[0].Late != late {
			t.Errorf("%s: late is %v", fresh, changes[0].Late)
		}
	}
}
