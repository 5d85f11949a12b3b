package source

import (
	"testing"

	"watchglass/internal/reflector"
)

// pausing is a stream that is paused.
type pausing struct{ reflector.Stream }

func (pausing) Paused() bool { return true }

// TestSeedPaused checks that a list that begins with held objects hears of the pause of its watch.
func TestSeedPaused(t *testing.T) {
	if !reflector.Paused(&seed{Stream: pausing{}}) {
		t.Error("it is not paused")
	}
}
