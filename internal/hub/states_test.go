package hub

import (
	"testing"

	"watchglass/internal/informer"
	"watchglass/internal/port"
)

// TestStates checks that the page knows each state by the name that the informer gives it.
func TestStates(t *testing.T) {
	for name, state := range map[string]informer.Freshness{
		port.Denied: informer.Denied, port.Gone: informer.Gone, port.Offline: informer.Offline, port.Stale: informer.Stale,
		port.Connecting: informer.Connecting, port.Syncing: informer.Syncing, port.Live: informer.Live,
	} {
		if string(state) != name {
			t.Errorf("%s is called %s by the page", state, name)
		}
	}
}
