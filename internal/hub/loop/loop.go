package loop

import (
	"context"
	"sync"
	"time"

	"watchglass/internal/timeslice"
)

const (
	// Tick is how often the loop steps when nothing happens.
	Tick = time.Second
	// ReportEvery is the least time between two reports of the same state.
	ReportEvery = 200 * time.Millisecond
)

// Loop runs all code that touches the state of the hub, one call after another. Any goroutine may call RequestStep,
// Post, Start and Rest; the other methods are for the loop.
type Loop struct {
	dirty   chan struct{} // holds one: something may have changed
	posts   chan func()
	running sync.WaitGroup // goroutines that Start started
	next    time.Time      // when to step again; zero: at the next tick
	rest    timeslice.Rest // for work that takes long
}

// New returns a loop. Without a rest, long work rests by timeslice.Sleep.
func New(rest timeslice.Rest) *Loop {
	if rest == nil {
		rest = timeslice.Sleep
	}
	return &Loop{rest: rest, dirty: make(chan struct{}, 1), posts: make(chan func(), 16)}
}

// RequestStep asks the loop to step soon. It does not block.
func (l *Loop) RequestStep() {
	select {
	case l.dirty <- struct{}{}:
	default:
	}
}

// Requested delivers a request to step soon.
func (l *Loop) Requested() <-chan struct{} { return l.dirty }

// Post runs f on the loop, unless the context ends first: an answer that was overtaken does nothing, even if it was posted
// before. The loop's own goroutine must not call it: it would wait for itself.
func (l *Loop) Post(ctx context.Context, f func()) {
	select {
	case l.posts <- func() {
		if ctx.Err() == nil {
			f()
		}
	}:
	case <-ctx.Done():
	}
}

// Posts delivers what Post was given.
func (l *Loop) Posts() <-chan func() { return l.posts }

// Start runs f in a goroutine that the hub waits for when it ends.
func (l *Loop) Start(f func()) { l.running.Go(f) }

// Wait waits for the goroutines that Start started.
func (l *Loop) Wait() { l.running.Wait() }

// Rest lets the browser deliver its events during long work.
func (l *Loop) Rest() { l.rest() }

// WakeAt asks the loop to step at a time. Every step forgets the request: whoever still needs it asks again.
func (l *Loop) WakeAt(at time.Time) {
	if l.next.IsZero() || at.Before(l.next) {
		l.next = at
	}
}

// Next returns the earliest time that WakeAt was given since ForgetNext; zero if there is none.
func (l *Loop) Next() time.Time { return l.next }

// ForgetNext forgets what WakeAt was given. A step begins with it.
func (l *Loop) ForgetNext() { l.next = time.Time{} }
