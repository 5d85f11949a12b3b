package informer

import (
	"context"
	"errors"
	"sync"
	"time"

	"watchglass/internal/deltafifo"
	"watchglass/internal/indexer"
	"watchglass/internal/reflector"
	"watchglass/internal/wire"
)

// Options of an Informer.
type Options[T any] struct {
	Source  reflector.Source
	Decoder reflector.Decoder[T]
	// Request says what is wanted: group, version, resource, namespace,
	// selectors, encoding.
	Request wire.Request
	Key     func(T) string
	Version func(T) string
	// Same reports that two objects of a key are the same version of the same
	// object.
	Same     func(a, b T) bool
	Indexers indexer.Indexers[T]
	// Transform, if set, makes of each decoded object the one that is kept.
	Transform func(T) (T, error)
	// Checks tell whether the server that answers after an outage is the one
	// that was left. The informer itself brings Snapshot.
	Checks reflector.Checks[T]
	// Failed is told of each error that costs a wait, a new watch or a new list.
	// It must not block.
	Failed func(error)
	// Changed is called when the state changed. It must not block.
	Changed func()
	// Yield is called between batches, so that others get a turn where there is
	// one thread.
	Yield func()
}

// Informer keeps one source in a store.
type Informer[T any] struct {
	options   Options[T]
	reflector *reflector.Reflector[T]
	fifo      *deltafifo.DeltaFIFO[T]
	store     *indexer.Indexer[T]

	// mu guards who is told, and is held while a batch is applied and told, so
	// that one who comes late misses nothing and hears nothing twice.
	mu            sync.Mutex
	listeners     map[*Registration[T]]struct{}
	subscriptions map[*Subscription[T]]struct{}
	told          bool            // the listeners were told of the end of the initial list
	ctx           context.Context // of the run, for listeners
	ended         bool
	running       sync.WaitGroup
	changes       []Change[T] // scratch
}

// New returns an Informer that Run starts.
func New[T any](o Options[T]) *Informer[T] {
	if o.Changed == nil {
		o.Changed = func() {}
	}
	if o.Yield == nil {
		o.Yield = func() {}
	}
	store := indexer.New(o.Indexers)
	fifo := deltafifo.New(deltafifo.Options[T]{KeyFunc: o.Key, Known: store, Same: o.Same})
	i := &Informer[T]{
		options: o, fifo: fifo, store: store,
		listeners:     make(map[*Registration[T]]struct{}),
		subscriptions: make(map[*Subscription[T]]struct{}),
	}
	o.Checks.Snapshot = store.Snapshot
	i.reflector = reflector.New(reflector.Options[T]{
		Source: o.Source, Decoder: o.Decoder, Sink: fifo, Request: o.Request,
		Key: o.Key, Version: o.Version, Known: i.known, Transform: o.Transform,
		Checks: o.Checks, Changed: o.Changed, Failed: o.Failed,
	})
	return i
}

var _ reflector.Sink[int] = (*deltafifo.DeltaFIFO[int])(nil)

// known finds the stored object that is the same version as one that came.
func (i *Informer[T]) known(obj T) (T, bool) {
	stored, ok := i.store.Get(i.options.Key(obj))
	return stored, ok && i.options.Same(stored, obj)
}

// Run keeps the source until the context ends; all it started has ended then.
// It runs once.
func (i *Informer[T]) Run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer i.end(cancel)
	i.mu.Lock()
	i.ctx = ctx
	for r := range i.listeners {
		i.startLocked(r)
	}
	i.mu.Unlock()
	i.running.Go(func() { i.reflector.Run(ctx) })
	for ctx.Err() == nil {
		if err := i.fifo.Pop(ctx, i.process); err != nil {
			break
		}
		i.tellSynced()
		i.options.Yield()
	}
}

func (i *Informer[T]) end(cancel context.CancelFunc) {
	cancel()
	i.mu.Lock()
	i.ended = true
	i.mu.Unlock()
	i.running.Wait()
	i.tellGone()
}

// tellGone tells the subscriptions that nothing is there any more: who keeps
// account of objects lets go of them.
func (i *Informer[T]) tellGone() {
	i.mu.Lock()
	defer i.mu.Unlock()
	var gone []Change[T]
	for _, obj := range i.store.List() {
		gone = append(gone, Change[T]{Type: ObjectDeleted, Before: obj, Final: obj, FinalStateUnknown: true})
	}
	if len(gone) == 0 {
		return
	}
	for s := range i.subscriptions {
		s.tell(gone)
	}
}

// process applies a batch to the store and tells of it.
func (i *Informer[T]) process(b deltafifo.Batch[T]) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.changes = i.changes[:0]
	i.store.Update(func(tx indexer.Tx[T]) {
		for _, item := range b.Items {
			for _, d := range item.Deltas {
				i.apply(tx, item.Key, d, b.Initial)
			}
		}
		if b.Drained && b.Version != "" {
			tx.Settle(b.Version)
		}
	})
	if len(i.changes) == 0 {
		return nil // a bookmark, or what was there already
	}
	for s := range i.subscriptions {
		s.tell(i.changes)
	}
	for r := range i.listeners {
		r.push(i.changes...)
	}
	clear(i.changes)
	return nil
}

func (i *Informer[T]) apply(tx indexer.Tx[T], key string, d deltafifo.Delta[T], initial bool) {
	c := Change[T]{Type: ObjectAdded, After: d.Object, Initial: initial}
	if d.Type == deltafifo.Deleted {
		before, existed := tx.Delete(key)
		if !existed {
			return // nobody was ever told of it
		}
		c = Change[T]{Type: ObjectDeleted, Before: before, Final: d.Object, FinalStateUnknown: d.FinalStateUnknown}
		if d.FinalStateUnknown {
			c.Final = before
		}
	} else if before, existed := tx.Set(key, d.Object); existed {
		if i.options.Same(before, d.Object) {
			tx.Set(key, before) // told already: the one that others hold stays
			return
		}
		c.Type, c.Before, c.Initial = ObjectUpdated, before, false
	}
	i.changes = append(i.changes, c)
}

// tellSynced tells the listeners, once, that the initial list is complete.
func (i *Informer[T]) tellSynced() {
	if i.told || !i.fifo.HasSynced() {
		return
	}
	i.mu.Lock()
	i.told = true
	for r := range i.listeners {
		r.push(Change[T]{Type: synced})
	}
	i.mu.Unlock()
	i.options.Changed()
}

// ErrEnded is what an Informer answers that has run.
var ErrEnded = errors.New("the informer has ended")

// AddHandler has a handler told of all that is in the store, and of all that
// happens from then on.
func (i *Informer[T]) AddHandler(h Handler[T]) (*Registration[T], error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.ended {
		return nil, ErrEnded
	}
	r := newRegistration(h)
	for _, obj := range i.store.List() {
		r.queue = append(r.queue, Change[T]{Type: ObjectAdded, After: obj, Initial: true})
	}
	if i.told {
		r.queue = append(r.queue, Change[T]{Type: synced})
	}
	i.listeners[r] = struct{}{}
	if i.ctx != nil {
		i.startLocked(r)
	}
	return r, nil
}

func (i *Informer[T]) startLocked(r *Registration[T]) {
	ctx, stop := context.WithCancel(i.ctx)
	r.stop = stop
	i.running.Go(func() { r.run(ctx) })
}

// RemoveHandler has a handler told no more. A call that is under way ends; see
// Done.
func (i *Informer[T]) RemoveHandler(r *Registration[T]) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if _, ok := i.listeners[r]; !ok {
		return
	}
	delete(i.listeners, r)
	if r.stop == nil {
		close(r.done) // it never ran
		return
	}
	r.stop()
}

// Subscription is told of each batch of changes at once, by the goroutine that
// applies them. It is for what coalesces by itself, as a view does.
type Subscription[T any] struct{ tell func([]Change[T]) }

// Subscribe returns what is in the store, and has tell called with each batch of
// changes to it, while the store is locked for others: it must be quick, and
// not keep the slice. The last batch, when the informer has ended, is that all is
// gone.
func (i *Informer[T]) Subscribe(tell func([]Change[T])) ([]T, *Subscription[T]) {
	i.mu.Lock()
	defer i.mu.Unlock()
	s := &Subscription[T]{tell}
	i.subscriptions[s] = struct{}{}
	return i.store.List(), s
}

// Unsubscribe ends a subscription.
func (i *Informer[T]) Unsubscribe(s *Subscription[T]) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.subscriptions, s)
}

// Decoder is what makes the objects.
func (i *Informer[T]) Decoder() reflector.Decoder[T] { return i.options.Decoder }

// Store is what the source holds.
func (i *Informer[T]) Store() *indexer.Indexer[T] { return i.store }

// HasSynced reports that the initial list is in the store.
func (i *Informer[T]) HasSynced() bool { return i.fifo.HasSynced() }

// Synced is closed when HasSynced becomes true.
func (i *Informer[T]) Synced() <-chan struct{} { return i.fifo.Synced() }

// Wake ends a wait between attempts.
func (i *Informer[T]) Wake() { i.reflector.Wake() }

// State is how a source stands.
type State struct {
	reflector.State
	Objects   int
	Queue     int // keys with something to tell
	Coalesced uint64
	// Age is how long ago the apiserver gave a sign of life, if Alive.
	Age   time.Duration
	Alive bool
	// Settled is the version that the store is at.
	Settled string
	Indexes []indexer.IndexStat
}

// State returns how the source stands.
func (i *Informer[T]) State(now time.Time) State {
	s := State{State: i.reflector.State(), Objects: i.store.Len(), Queue: i.fifo.Len(), Coalesced: i.fifo.Coalesced(), Settled: i.store.Version(), Indexes: i.store.Indexes()}
	s.Synced = s.Synced && i.fifo.HasSynced() // the reflector's word is that it has handed everything over
	s.Age, s.Alive = i.reflector.Age(now)
	return s
}
