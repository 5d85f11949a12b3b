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
func (b *Timer) Expire() { b.tired = true }

// Reset restarts the measurement, as after a rest.
func (b *Timer) Reset() { b.since, b.tired = b.now(), false }

// Due reports whether a rest is due. The first call starts the measurement.
func (b *Timer) Due() bool {
	now := b.now()
	if b.since.IsZero() {
		b.since = now
	}
	return b.tired || now.Sub(b.since) >= b.For
}

// RestIfDue rests if a rest is due, and reports whether it did.
func (b *Timer) RestIfDue() bool {
	if !b.Due() {
		return false
	}
	if b.Rest == nil {
		b.Rest = Sleep
	}
	b.Rest()
	b.Reset()
	return true
}

func (b *Timer) now() time.Time {
	if b.Clock == nil {
		return time.Now()
	}
	return b.Clock()
}
