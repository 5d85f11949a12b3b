package reflector

import (
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
	backoff  backoff     // after errors
	relists  relistLimit // where no wait is due
	repairs  repairLimit // after unreadable events
	position position
	delivery delivery
	lastList lastList
	server   capabilities
	contact  contact
	identity identity
	tally    Tally
	restored bool // Options.Earlier has been called

	differences int // audits in a row that found a difference; it belongs to the background of the open watch

	mu       sync.Mutex
	state    State
	unread   unreadObjects // State.Unread counts it; only the goroutine that runs changes it
	stream   Stream        // that is open
	applying time.Duration // see TakeApplying
}

// New returns a Reflector that Run starts.
func New[T any](o Options[T]) *Reflector[T] {
	r := &Reflector[T]{options: o.withDefaults(), wake: make(chan struct{}, 1), audits: make(chan struct{}, 1), state: State{Since: time.Now()}}
	r.server.watchRefusal = initialWatchRefusal(o.Unwatchable)
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

// lastList is what is known of the last complete list.
type lastList struct {
	objects int // with those that came and went since
	// unwatched: no watch has been open since. The user may list, and perhaps not watch.
	unwatched bool
	// cause is why the next one is requested. The first cause of several counts.
	cause Cause
}

// setCause notes why the next list is requested, unless a cause is already noted.
func (l *lastList) setCause(err error) {
	if l.cause == "" {
		l.cause = causeOf(err)
	}
}
