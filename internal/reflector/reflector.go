package reflector

import (
	"context"
	"sync"
	"time"
)

// Reflector follows one source. While it runs, the sink is given all objects and then what changes,
// in order. A later list is given to it only as a whole.
type Reflector[T any] struct {
	options Options[T]
	wake    chan struct{}
	audits  chan struct{} // capacity 1: a comparison is requested

	// What outlives the states of a run. It belongs to the goroutine that runs.
	pace     pace
	position position
	delivery delivery
	lastList lastList
	learned  learned
	refusals refusals
	contact  contact
	identity identity
	tally    Tally
	restored bool // Options.Earlier has been called

	drifted int // audits in a row that found a difference; it belongs to the background of the open watch

	mu       sync.Mutex
	state    State
	unread   unread        // State.Unread counts it; only the goroutine that runs changes it
	stream   Stream        // that is open
	applying time.Duration // see TakeApplying
}

// New returns a Reflector that Run starts.
func New[T any](o Options[T]) *Reflector[T] {
	r := &Reflector[T]{options: o.withDefaults(), wake: make(chan struct{}, 1), audits: make(chan struct{}, 1), state: State{Since: time.Now()}}
	r.learned.unwatched = r.initiallyUnwatched()
	return r
}

// Wake ends a wait, or the next one if nothing has succeeded before it. It may be called at any time.
func (r *Reflector[T]) Wake() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// forgetWake makes a Wake that nobody waited for end no later wait: those of many tabs would end together.
func (r *Reflector[T]) forgetWake() {
	select {
	case <-r.wake:
	default:
	}
}

// Run lists and watches until the context ends. All that it started has ended when it returns. It
// must be called only once.
func (r *Reflector[T]) Run(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	if r.options.Resync != nil && r.options.ResyncEvery > 0 {
		running.Go(func() { r.resync(ctx) })
	}
	var s runState = starting{}
	for ctx.Err() == nil {
		s = r.step(ctx, s)
	}
	r.abandon(s)
}

// resync calls Options.Resync every ResyncEvery, once a whole list is in.
func (r *Reflector[T]) resync(ctx context.Context) {
	ticker := time.NewTicker(r.options.ResyncEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if r.State().Synced {
			r.options.Resync()
		}
	}
}
