// Package breath is a noun: how long work goes on before it rests.
//
// In: work that takes long, in the one thread of a tab's worker. Out: rests, in which the browser delivers
// its events. It does so only while all goroutines wait.
package breath

import "time"

// Rest returns when what waited could run.
type Rest func()

// Sleep is a Rest everywhere. Browsers make about 4 ms of it.
func Sleep() { time.Sleep(time.Millisecond) }

// Breath is how long work has gone on without a rest. Only one goroutine may use it.
type Breath struct {
	Rest  Rest             // default Sleep
	For   time.Duration    // how long work goes on without a rest
	Clock func() time.Time // default time.Now
	since time.Time        // zero: it has not begun
	tired bool
}

// Tire makes it time to rest.
func (b *Breath) Tire() { b.tired = true }

// Begin begins anew, as after a rest.
func (b *Breath) Begin() { b.since, b.tired = b.now(), false }

// Due reports whether it is time to rest. The first call begins.
func (b *Breath) Due() bool {
	now := b.now()
	if b.since.IsZero() {
		b.since = now
	}
	return b.tired || now.Sub(b.since) >= b.For
}

// Take rests if it is time to, and reports whether it did.
func (b *Breath) Take() bool {
	if !b.Due() {
		return false
	}
	if b.Rest == nil {
		b.Rest = Sleep
	}
	b.Rest()
	b.Begin()
	return true
}

func (b *Breath) now() time.Time {
	if b.Clock == nil {
		return time.Now()
	}
	return b.Clock()
}
