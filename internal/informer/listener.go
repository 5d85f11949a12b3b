package informer

import (
	"context"
	"sync"
	"time"
)

// Handler receives every change, in order, on a goroutine of its own. Objects are shared and
// must not be changed.
type Handler[T any] interface {
	// OnAdd receives a new object. isInInitialList says that it was there from the beginning.
	OnAdd(obj T, isInInitialList bool)
	OnUpdate(before, after T)
	// OnDelete receives the last known state. finalStateUnknown says that the deletion itself
	// was missed.
	OnDelete(obj T, finalStateUnknown bool)
}

// HandlerFuncs is a Handler made of functions. Any of them may be nil.
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

// ChangeType says what happened to an object in the store.
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
	// Before is the object that an update or a deletion removed from the store. After is the
	// object that an addition or an update stored. They are the stored pointers themselves, so
	// that readers can compare by identity.
	Before, After T
	// Final is a deleted object in its final state, if the server sent that, else Before.
	Final   T
	Initial bool // it belongs to the initial list
	// FinalStateUnknown says that a deletion was missed, and noticed later.
	FinalStateUnknown bool
	// Unread says of a deletion that the object exists, but can't be read. See SubscribeLate.
	Unread bool
	// Ended says that the informer has ended: what became of the object is not known.
	Ended bool

	again bool // a resync repeat: nothing changed
	late  bool // a deletion of what had left the store because it could not be read
}

// HandlerOptions configure how a Handler receives changes.
type HandlerOptions struct {
	// Coalesce limits the queue of a slow handler to one change of each key. That change is the
	// sum of all changes since the handler's last call for the key. An object that was added
	// and deleted in between is not reported. Without Coalesce the handler receives every
	// change, and its queue has no limit.
	Coalesce bool
	// Resync, if not 0, is the interval at which every object is repeated as an update to
	// itself. It is at least a second.
	Resync time.Duration
}

// Registration is a Handler that has been added.
type Registration[T any] struct {
	handler Handler[T]
	synced  chan struct{}
	stop    context.CancelFunc
	done    chan struct{}

	// Guarded by the informer's lock.
	every   time.Duration // between resyncs
	next    time.Time     // when one is due
	syncing bool          // this one receives the resync repeats

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

// HasSynced reports whether the handler has received the whole initial list.
func (r *Registration[T]) HasSynced() bool {
	select {
	case <-r.synced:
		return true
	default:
		return false
	}
}

// Synced is closed when HasSynced becomes true. It is never closed if the handler is removed or
// the informer ends before that.
func (r *Registration[T]) Synced() <-chan struct{} { return r.synced }

// Done is closed when the handler will not be called again.
func (r *Registration[T]) Done() <-chan struct{} { return r.done }

// Waiting returns how many changes are queued for the handler, and how many have been folded
// into others or cancelled out so far.
func (r *Registration[T]) Waiting() (changes int, coalesced uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.queue.waiting()
}

// push queues changes. The slice is shared and must not change.
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
