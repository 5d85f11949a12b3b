package source

import (
	"testing"

	"watchglass/internal/informer"
	"watchglass/internal/wire"
)

// TestWaiting checks that a list that waits for its turn is not said to fail, and that one that does is.
func TestWaiting(t *testing.T) {
	waits := Status{Fresh: informer.Connecting, Cause: wire.QueuedStatus(3)}
	if waits.Failing() || waits.Why() != "" {
		t.Errorf("a list that waits fails: %v, %q", waits.Failing(), waits.Why())
	}
	fails := Status{Fresh: informer.Connecting, Cause: &wire.Status{Origin: wire.FromProxy, Message: "no route to host"}}
	if !fails.Failing() || fails.Why() != "no route to host" {
		t.Errorf("a list that fails: %v, %q", fails.Failing(), fails.Why())
	}
	if s := (Status{Fresh: informer.Live}); s.Failing() || s.Why() != "" {
		t.Errorf("a list that is live fails: %v, %q", s.Failing(), s.Why())
	}
}
