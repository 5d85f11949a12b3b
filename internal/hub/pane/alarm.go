package pane

import "time"

// alarm has a pane updated after a while. At most one of its timers matters at a time,
// however often it is set, so a pane sets it in each Update that finds it too early.
type alarm struct{ at time.Time }

// set has Update called after a while, unless an earlier call is pending.
func (a *alarm) set(h Host, now time.Time, wait time.Duration) {
	at := now.Add(wait)
	if a.at.After(now) && !at.Before(a.at) {
		return
	}
	a.at = at
	h.Wake(wait)
}
