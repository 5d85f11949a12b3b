package informer

import (
	"context"
	"sync"
	"time"
)

// Handler is told of every change, in order, by a goroutine of its own. Objects
// are shared and must not be changed.
type Handler[T any] interface {
	// OnAdd: isInInitialList says that the object was there from the beginning.
	OnAdd(obj T, isInInitialList bool)
	OnUpdate(before, after T)
	// OnDelete gets the last state that was known; finalStateUnknown says that
	// the deletion itself was missed.
	OnDelete(obj T, finalStateUnknown bool)
}

// HandlerFuncs is a Handler of functions, any of which may be nil.
type HandlerFuncs[T any] struct {
	Add    func(obj T, isInInitialList bool)
	Update func(before, after T)
	Delete func(obj T, finalStateUnknown bool)
}

var _ Handler[int] = HandlerFuncs[int]{}

// OnAdd calls Add.
func (h HandlerFuncs[T]) OnAdd(obj T, isInInitialList bool) {
	if h.Add != nil {
		h.Add(obj, isInInitialList)
	}
}

// OnUpdate calls Update.
func (h HandlerFuncs[T]) OnUpdate(before, after T) {
	if h.Update != nil {
		h.Update(before, after)
	}
}

// OnDelete calls Delete.
func (h HandlerFuncs[T]) OnDelete(obj T, finalStateUnknown bool) {
	if h.Delete != nil {
		h.Delete(obj, finalStateUnknown)
	}
}

// ChangeType is what happened to an object in the store.
type ChangeType uint8

// The types of changes.
const (
	ObjectAdded ChangeType = iota + 1
	ObjectUpdated
	ObjectDeleted
	// synced marks the end of the initial list for a listener.
	synced
)

// Change is one change of the store.
type Change[T any] struct {
	Type ChangeType
	Key  string
	// Before is what an update or a deletion took out of the store, After what an
	// addition or an update put there: the very ones, so that whoever keeps lists
	// of them can tell them by identity.
	Before, After T
	// Final is a deleted object as the server last had it, where it told, and
	// else Before.
	Final   T
	Initial bool // of the initial list
	// FinalStateUnknown of a deletion says that it was missed, and noticed
	// later.
	FinalStateUnknown bool

	again bool // it is told again, and nothing changed
}

// HandlerOptions say how a Handler is told.
type HandlerOptions struct {
	// Coalesce bounds what waits for a handler that is slow: one change of each
	// key. Of what happened to a key since the handler was last told of it, it is
	// told the sum: from what it knew to what there is, and nothing of an object
	// that came and went. Otherwise it is told everything, and what waits has no
	// bound.
	Coalesce bool
	// Resync, if not 0, is how often the handler is told again of every object,
	// as an update to itself; at least a second.
	Resync time.Duration
}

// Registration is a Handler that has been added.
type Registration[T any] struct {
	handler Handler[T]
	synced  chan struct{}
	stop    context.CancelFunc
	done    chan struct{}

	// Guarded by the informer.
	every   time.Duration // between resyncs
	next    time.Time     // when one is due
	syncing bool          // what is told again is for this one

	mu    sync.Mutex
	queue queue[T]
	more  chan struct{}
}

func newRegistration[T any](h Handler[T], o HandlerOptions, now time.Time) *Registration[T] {
	r := &Registration[T]{handler: h, synced: make(chan struct{}), done: make(chan struct{}), more: make(chan struct{}, 1)}
	if r.queue = new(lossless[T]); o.Coalesce {
		r.queue = newCoalescing[T]()
	}
	if o.Resync > 0 {
		r.every = max(o.Resync, leastResync)
		r.next = now.Add(r.every)
	}
	return r
}

// HasSynced reports that the handler has been told of the whole initial list.
func (r *Registration[T]) HasSynced() bool {
	select {
	case <-r.synced:
		return true
	default:
		return false
	}
}

// Synced is closed when HasSynced becomes true; never, if the handler is removed
// or the informer ends before.
func (r *Registration[T]) Synced() <-chan struct{} { return r.synced }

// Done is closed when the handler will not be called again.
func (r *Registration[T]) Done() <-chan struct{} { return r.done }

// Waiting is how many changes the handler has yet to be told, and how many were
// folded into others, or into nothing, ever.
func (r *Registration[T]) Waiting() (changes int, coalesced uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.queue.waiting()
}

// push queues changes. The slice is shared, and never changes.
func (r *Registration[T]) push(changes []Change[T]) {
	if len(changes) == 0 {
		return
	}
	r.mu.Lock()
	r.queue.push(changes)
	r.mu.Unlock()
	select {
	case r.more <- struct{}{}:
	default:
	}
}

func (r *Registration[T]) pop() (Change[T], bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.queue.pop()
}

// run calls the handler until the context ends.
func (r *Registration[T]) run(ctx context.Context) {
	defer close(r.done)
	for ctx.Err() == nil {
		if c, ok := r.pop(); ok {
			r.tell(c)
			continue
		}
		select {
		case <-r.more:
		case <-ctx.Done():
		}
	}
}

func (r *Registration[T]) tell(c Change[T]) {
	switch c.Type {
	case ObjectAdded:
		r.handler.OnAdd(c.After, c.Initial)
	case ObjectUpdated:
		r.handler.OnUpdate(c.Before, c.After)
	case ObjectDeleted:
		r.handler.OnDelete(c.Final, c.FinalStateUnknown)
	case synced:
		close(r.synced)
	}
}
