//go:build !js

package relay

import (
	"time"

	"watchglass/internal/wire"
)

// Drain tells all sessions that share it to send their tabs elsewhere, those that
// begin later too. None is told of a nil one.
type Drain struct {
	begin chan struct{}
	until time.Time // written before begin is closed
}

// NewDrain returns one that has not begun.
func NewDrain() *Drain { return &Drain{begin: make(chan struct{})} }

// Begin begins it, once: tabs are to have left within the time.
func (d *Drain) Begin(within time.Duration) {
	d.until = time.Now().Add(within)
	close(d.begin)
}

// beginning is closed when it begins.
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

// frame is what a tab is told.
func (d *Drain) frame() []byte {
	return wire.DrainFrame(min(time.Until(d.until), wire.DrainMost))
}
