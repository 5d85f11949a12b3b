// Package timeslice is a noun: the time that long work takes between two rests.
//
// In: long work, in the one thread of a tab's worker. Out: rests. The browser delivers its events only
// while all goroutines wait.
package timeslice

import "time"

// Rest waits until other work has had a chance to run.
type Rest func()

// Sleep is a Rest for all platforms. In browsers it takes about 4 ms.
func Sleep() { time.Sleep(time.Millisecond) }

// Timer measures how long work has gone on without a rest. Only one goroutine may use it.
type Timer struct {
	Rest  Rest             // default Sleep
	For   time.Duration    // maximum time without a rest
	Clock func() time.Time // default time.Now
	since time.Time        // zero: not started
	tired bool
}

// Expire makes a rest due.
func (t *Timer) Expire() { t.tired = true }

// Reset restarts the measurement, as after a rest.
func (t *Timer) Reset() { t.since, t.tired = t.now(), false }

// Due reports whether a rest is due. The first call starts the measurement.
func (t *Timer) Due() bool {
	now := t.now()
	if t.since.IsZero() {
		t.since = now
	}
	return t.tired || now.Sub(t.since) >= t.For
}

// RestIfDue rests if a rest is due, and reports whether it did.
func (t *Timer) RestIfDue() bool {
	if !t.Due() {
		return false
	}
	if t.Rest == nil {
		t.Rest = Sleep
	}
	t.Rest()
	t.Reset()
	return true
}

func (t *Timer) now() time.Time {
	if t.Clock == nil {
		return time.Now()
	}
	return t.Clock()
}
