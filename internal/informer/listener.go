package informer

import (
	"context"
	"sync"
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
}

// Registration is a Handler that has been added.
type Registration[T any] struct {
	handler Handler[T]
	synced  chan struct{}
	stop    context.CancelFunc
	done    chan struct{}

	mu    sync.Mutex
	queue []Change[T]
	more  chan struct{}
}

func newRegistration[T any](h Handler[T]) *Registration[T] {
	return &Registration[T]{handler: h, synced: make(chan struct{}), done: make(chan struct{}), more: make(chan struct{}, 1)}
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

// Synced is closed when HasSynced becomes true.
func (r *Registration[T]) Synced() <-chan struct{} { return r.synced }

// Done is closed when the handler will not be called again.
func (r *Registration[T]) Done() <-chan struct{} { return r.done }

// push queues changes. A listener loses nothing: what it has not been told is
// kept, however slow it is.
func (r *Registration[T]) push(changes ...Change[T]) {
	r.mu.Lock()
	r.queue = append(r.queue, changes...)
	r.mu.Unlock()
	select {
	case r.more <- struct{}{}:
	default:
	}
}

// run calls the handler until the context ends.
func (r *Registration[T]) run(ctx context.Context) {
	defer close(r.done)
	for {
		r.mu.Lock()
		queue := r.queue
		r.queue = nil
		r.mu.Unlock()
		for _, c := range queue {
			if ctx.Err() != nil {
				return
			}
			r.tell(c)
		}
		if len(queue) > 0 {
			continue
		}
		select {
		case <-r.more:
		case <-ctx.Done():
			return
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
