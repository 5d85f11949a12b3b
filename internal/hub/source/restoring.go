package source

import (
	"time"

	"watchglass/internal/wire"
)

// Restoring is the state of reading the bodies that objects of a source have lost, since memory was full. The zero value
// has not begun. Attempts are a second to a minute apart: what was read may be lost again at once, and an object of which
// the server has another version by now waits for that one.
type Restoring struct {
	Next   time.Time    // the next attempt is not before
	Failed *wire.Status // why the last attempt failed; nil if it did not
	busy   bool
	wait   time.Duration
}

const (
	restoreFirst = time.Second
	restoreLast  = time.Minute
)

// Busy reports whether an attempt has begun and not ended.
func (r *Restoring) Busy() bool { return r.busy }

// May reports whether an attempt may begin.
func (r *Restoring) May(now time.Time) bool { return !r.busy && !now.Before(r.Next) }

// Begin notes that an attempt begins. If it went well for a while, the waits are short again.
func (r *Restoring) Begin(now time.Time) {
	if r.busy = true; now.Sub(r.Next) > restoreLast {
		r.wait = 0
	}
}

// End notes that an attempt has ended.
func (r *Restoring) End(now time.Time, err error) {
	r.busy, r.Failed, r.wait = false, nil, min(max(2*r.wait, restoreFirst), restoreLast)
	if r.Next = now.Add(r.wait); err == nil {
		return
	}
	if r.Failed = wire.StatusOf(err); r.Failed == nil {
		r.Failed = &wire.Status{Origin: wire.FromTab, Message: err.Error()}
	}
}
