package informer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"watchglass/internal/deltafifo"
	"watchglass/internal/indexer"
	"watchglass/internal/query"
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
	Key     indexer.KeyFunc[T]
	Version func(T) string
	// Namespace, if set, makes the index indexer.NamespaceIndex, unless Indexers
	// have one.
	Namespace func(T) string
	// Labels is what a Lister selects by. It may be nil if nobody does.
	Labels func(T) query.Labels
	// Same reports that two objects of a key are the same version of the same
	// object.
	Same     func(a, b T) bool
	Indexers indexer.Indexers[T]
	// Transform, if set, makes of each decoded object the one that is kept.
	Transform func(T) (T, error)
	// Unwatchable says why the source cannot be watched, if that is known.
	Unwatchable *wire.Status
	// Checks tell whether the server that answers after an outage is the one
	// that was left. The informer itself brings Snapshot.
	Checks reflector.Checks[T]
	// Failed is told of each error that costs a wait, a new watch or a new list.
	// It must not block.
	Failed func(error)
	// Changed is called when the state changed. It must not block.
	Changed func()
	// Yield lets others have a turn, where there is one thread. It is called in
	// long work, every slice.
	Yield func()
}

// Informer keeps one source in a store.
type Informer[T any] struct {
	options   Options[T]
	reflector *reflector.Reflector[T]
	fifo      *deltafifo.DeltaFIFO[T]
	store     *indexer.Indexer[T]
	begun     time.Time
	done      chan struct{} // closed when it has ended

	// replacement is a new list on its way into the store. It belongs to whoever
	// has the queue's batch, or keeps the queue from having one out.
	replacement *indexer.Replacement[T]

	// mu guards who is told, and is held while a batch is applied and told, so
	// that one who comes late misses nothing and hears nothing twice.
	mu            sync.Mutex
	listeners     map[*Registration[T]]struct{}
	subscriptions map[*Subscription[T]]struct{}
	told          bool            // the listeners were told of the end of the initial list
	ctx           context.Context // of the run, for listeners
	ended         bool
	running       sync.WaitGroup
	changes       []Change[T]   // of the batch, or the replacement, under way
	again         int           // how many of them are no changes, but told again
	resyncAnew    chan struct{} // one place: somebody has come who wants resyncs
}

// New returns an Informer that Run starts.
func New[T any](o Options[T]) *Informer[T] {
	if o.Changed == nil {
		o.Changed = func() {}
	}
	if o.Yield == nil {
		o.Yield = func() {}
	}
	i := &Informer[T]{
		options: o, store: indexer.New(o.Key, withNamespaces(o)), begun: time.Now(), done: make(chan struct{}),
		listeners:     make(map[*Registration[T]]struct{}),
		subscriptions: make(map[*Subscription[T]]struct{}),
		resyncAnew:    make(chan struct{}, 1),
	}
	i.fifo = deltafifo.New(deltafifo.Options[T]{KeyFunc: o.Key, Known: known[T]{i}, Same: o.Same, Yield: o.Yield})
	o.Checks.Snapshot = i.store.Snapshot
	i.reflector = reflector.New(reflector.Options[T]{
		Source: o.Source, Decoder: o.Decoder, Sink: i.fifo, Request: o.Request,
		Key: o.Key, Version: o.Version, Known: i.known, Transform: o.Transform,
		Checks: o.Checks, Changed: o.Changed, Failed: o.Failed, Unwatchable: o.Unwatchable,
	})
	return i
}

// withNamespaces are the indexers, and one by namespace.
func withNamespaces[T any](o Options[T]) indexer.Indexers[T] {
	all := indexer.Indexers[T]{}
	if o.Namespace != nil {
		all[indexer.NamespaceIndex] = func(dst []string, obj T) []string { return append(dst, o.Namespace(obj)) }
	}
	maps.Copy(all, o.Indexers)
	return all
}

// known is the store as its writer sees it, with a replacement under way. The
// queue asks while no batch is out.
type known[T any] struct{ *Informer[T] }

func (k known[T]) Get(key string) (T, bool) {
	if k.replacement != nil {
		return k.replacement.Get(key)
	}
	return k.store.Get(key)
}

func (k known[T]) ListKeys() []string {
	if k.replacement != nil {
		return k.replacement.ListKeys()
	}
	return k.store.ListKeys()
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
	i.running.Go(func() { i.resync(ctx) })
	for ctx.Err() == nil {
		if err := i.fifo.Pop(ctx, i.process); err != nil {
			break
		}
		i.tellSynced()
	}
}

func (i *Informer[T]) end(cancel context.CancelFunc) {
	cancel()
	i.mu.Lock()
	i.ended = true
	i.mu.Unlock()
	i.running.Wait()
	if i.replacement != nil {
		i.replacement.Discard()
		i.replacement = nil
	}
	i.tellGone()
	close(i.done)
}

// tellGone tells the subscriptions that nothing is there any more: who keeps
// account of objects lets go of them.
func (i *Informer[T]) tellGone() {
	i.mu.Lock()
	defer i.mu.Unlock()
	var gone []Change[T]
	for _, obj := range i.store.List() {
		gone = append(gone, Change[T]{Type: ObjectDeleted, Key: i.options.Key(obj), Before: obj, Final: obj, FinalStateUnknown: true})
	}
	if len(gone) == 0 {
		return
	}
	for s := range i.subscriptions {
		s.tell(gone)
	}
}

// process applies a batch to the store and tells of it. What is of a long new
// list is told when all of it shows.
func (i *Informer[T]) process(b *deltafifo.Batch[T]) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if b.Staged && i.replacement == nil {
		i.replacement = i.store.Replace()
	}
	update := i.store.Update
	if i.replacement != nil {
		update = i.replacement.Update
	}
	update(func(tx indexer.Tx[T]) {
		for b.Next() {
			for _, item := range b.Items {
				for _, d := range item.Deltas {
					i.apply(tx, item.Key, d, b.Initial)
				}
			}
		}
		if b.Version != "" {
			tx.Settle(b.Version)
		}
	})
	if b.Partial {
		return nil
	}
	if i.replacement != nil {
		i.replacement.Commit(b.Version)
		i.replacement = nil
	}
	i.tellLocked()
	return nil
}

// tellMost is how many changes are told at once.
const tellMost = 2000

// tellLocked tells of what was applied: what is told again only to those to whom
// that is due.
func (i *Informer[T]) tellLocked() {
	for n, some := range slices.Collect(slices.Chunk(i.changes, tellMost)) {
		if n > 0 {
			i.options.Yield()
		}
		if len(i.listeners) > 0 {
			some = slices.Clone(some) // they keep it
		}
		news := some
		if i.again > 0 {
			news = slices.DeleteFunc(slices.Clone(some), func(c Change[T]) bool { return c.again })
		}
		for s := range i.subscriptions {
			if len(news) > 0 {
				s.tell(news)
			}
		}
		for r := range i.listeners {
			if r.syncing {
				r.push(some)
			} else {
				r.push(news)
			}
		}
	}
	clear(i.changes)
	i.changes, i.again = i.changes[:0], 0
	if cap(i.changes) > 4*tellMost {
		i.changes = nil
	}
}

// apply applies a delta to the store, and notes what changed there.
func (i *Informer[T]) apply(tx indexer.Tx[T], key string, d deltafifo.Delta[T], initial bool) {
	switch d.Type {
	case deltafifo.Deleted:
		before, existed := tx.Delete(key)
		if !existed {
			return // nobody was ever told of it
		}
		c := Change[T]{Type: ObjectDeleted, Key: key, Before: before, Final: d.Object, FinalStateUnknown: d.FinalStateUnknown}
		if d.FinalStateUnknown {
			c.Final = before
		}
		i.changes = append(i.changes, c)
	case deltafifo.Sync:
		if now, ok := tx.Get(key); ok {
			i.changes = append(i.changes, Change[T]{Type: ObjectUpdated, Key: key, Before: now, After: now, again: true})
			i.again++
		}
	default:
		before, existed := tx.Get(key)
		if existed && i.options.Same(before, d.Object) {
			return // told already: the one that others hold stays
		}
		tx.Set(d.Object)
		c := Change[T]{Type: ObjectAdded, Key: key, After: d.Object, Initial: initial}
		if existed {
			c.Type, c.Before, c.Initial = ObjectUpdated, before, false
		}
		i.changes = append(i.changes, c)
	}
}

// tellSynced tells the listeners, once, that the initial list is complete.
func (i *Informer[T]) tellSynced() {
	if i.told || !i.fifo.HasSynced() {
		return
	}
	i.mu.Lock()
	i.told = true
	for r := range i.listeners {
		r.push([]Change[T]{{Type: synced}})
	}
	i.mu.Unlock()
	i.options.Changed()
}

// ErrEnded is what an Informer answers that has run.
var ErrEnded = errors.New("the informer has ended")

// AddHandler has a handler told of all that is in the store, and of all that
// happens from then on, by a goroutine that ends with the informer. It may be
// called at any time before that.
func (i *Informer[T]) AddHandler(h Handler[T], o HandlerOptions) (*Registration[T], error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.ended {
		return nil, ErrEnded
	}
	r := newRegistration(h, o, time.Now())
	list := i.store.List()
	some := make([]Change[T], len(list))
	for n, obj := range list {
		some[n] = Change[T]{Type: ObjectAdded, Key: i.options.Key(obj), After: obj, Initial: true}
	}
	r.push(some)
	if i.told {
		r.push([]Change[T]{{Type: synced}})
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
	if r.every > 0 {
		select {
		case i.resyncAnew <- struct{}{}:
		default:
		}
	}
}

// RemoveHandler has a handler told no more. A call that is under way ends; see
// Done. What is no handler of this informer, or none any more, is no error.
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

// Begun is since when it is there.
func (i *Informer[T]) Begun() time.Time { return i.begun }

// Store is what the source holds.
func (i *Informer[T]) Store() *indexer.Indexer[T] { return i.store }

// HasSynced reports that the initial list is in the store.
func (i *Informer[T]) HasSynced() bool { return i.fifo.HasSynced() }

// Synced is closed when HasSynced becomes true.
func (i *Informer[T]) Synced() <-chan struct{} { return i.fifo.Synced() }

// WaitForSync waits until the initial list is in the store. Its error says that
// the context, or the informer, ended first.
func (i *Informer[T]) WaitForSync(ctx context.Context) error {
	select {
	case <-i.fifo.Synced():
		return nil
	case <-i.done:
		return ErrEnded
	case <-ctx.Done():
		return fmt.Errorf("%s: not synced: %w", i.options.Request.Resource, context.Cause(ctx))
	}
}

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
