package hub

import (
	"context"
	"sync"
	"time"

	"watchglass/internal/breath"
	"watchglass/internal/port"
	"watchglass/internal/wire"
)

// loop runs all code that touches the state of the hub, one call after another. Methods named
// ...OnLoop, and all methods of a type whose doc says so, may only be called on it.
type loop struct {
	dirty   chan struct{} // holds one: something may have changed
	posts   chan func()
	running sync.WaitGroup // goroutines that start started
	next    time.Time      // when to step again; zero: at the next tick
	rest    breath.Rest    // for work that takes long
}

func newLoop(rest breath.Rest) *loop {
	if rest == nil {
		rest = breath.Sleep
	}
	return &loop{rest: rest, dirty: make(chan struct{}, 1), posts: make(chan func(), 16)}
}

// requestStep asks the loop to step soon. Any goroutine may call it; it does not block.
func (l *loop) requestStep() {
	select {
	case l.dirty <- struct{}{}:
	default:
	}
}

// post runs f on the loop, unless the context ends first. Any goroutine may call it except
// the loop's own, which would wait for itself.
func (l *loop) post(ctx context.Context, f func()) {
	select {
	case l.posts <- f:
	case <-ctx.Done():
	}
}

// start runs f in a goroutine that the hub waits for when it ends.
func (l *loop) start(f func()) { l.running.Go(f) }

// wakeAtOnLoop asks the loop to step at a time. Every step forgets the request: whoever still
// needs it asks again.
func (l *loop) wakeAtOnLoop(at time.Time) {
	if l.next.IsZero() || at.Before(l.next) {
		l.next = at
	}
}

const (
	// reportEvery is the least time between two reports of the same state.
	reportEvery = 200 * time.Millisecond
	// tick is how often the loop steps when nothing happens.
	tick = time.Second
)

// sender is the end of the port to one page.
type sender interface{ Send(port.Message) }

// reported is the last state that a page was sent, and when.
type reported struct {
	state port.State
	at    time.Time
}

// sameState reports whether two states say the same.
func sameState(a, b port.State) bool {
	x, y := shownStatus(a.Source.Cause), shownStatus(b.Source.Cause)
	a.Source.Cause, b.Source.Cause = nil, nil
	return a == b && x.Error() == y.Error() && x.Code == y.Code
}

// shownStatus returns the part of a status that is shown.
func shownStatus(s *wire.Status) wire.Status {
	if s == nil {
		return wire.Status{}
	}
	return wire.Status{Origin: s.Origin, Code: s.Code, Reason: s.Reason, Message: s.Message}
}
