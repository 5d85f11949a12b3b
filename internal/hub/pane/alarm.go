package pane

import "time"

// alarm schedules the next Update of a pane. A pane may set it in every Update that comes too
// early: only the earliest pending call counts.
type alarm struct{ at time.Time }

// set schedules an Update after a while, unless an earlier one is pending.
func (a *alarm) set(h Host, now time.Time, wait time.Duration) {
	at := now.Add(wait)
	if a.at.After(now) && !at.Before(a.at) {
		return
	}
	a.at = at
	h.Wake(wait)
}
