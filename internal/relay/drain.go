//go:build !js

package relay

import (
	"time"

	"watchglass/internal/wire"
)

// Drain makes all sessions that share it ask their tabs to reconnect elsewhere, including
// sessions that begin later. A nil Drain never begins.
type Drain struct {
	begin chan struct{}
	until time.Time // written before begin is closed
}

// NewDrain returns a Drain that has not begun.
func NewDrain() *Drain { return &Drain{begin: make(chan struct{})} }

// Begin begins the drain. Tabs are asked to leave within the given time. Call it once.
func (d *Drain) Begin(within time.Duration) {
	d.until = time.Now().Add(within)
	close(d.begin)
}

// beginning returns a channel that is closed when the drain begins.
func (d *Drain) beginning() <-chan struct{} {
	if d == nil {
		return nil
	}
	return d.begin
}

func (d *Drain) begun() bool {
	select {
	case <-d.beginning():
		return true
	default:
		return false
	}
}

// frame returns the frame that asks a tab to leave.
func (d *Drain) frame() []byte {
	return wire.DrainFrame(min(time.Until(d.until), wire.DrainMost))
}
