package informer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
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
	// Request names the source: group, version, resource, namespace, selectors, encoding.
	Request wire.Request
	Key     indexer.KeyFunc[T]
	Version func(T) string
	// Namespace, if set, provides the index indexer.NamespaceIndex.
	Namespace func(T) string
	// Labels returns the labels that a Lister selects by. It may be nil if no Lister is used.
	Labels func(T) query.Labels
	// Same reports whether two objects of a key are the same version of the same object.
	Same func(a, b T) bool
	// Met, if set, is called with each stored object of a new list that is the same as the listed one, which
	// is dropped. It must not block.
	Met func(stored, listed T)
	// Unwatchable is the reason why the source cannot be watched, if that is known.
	Unwatchable *wire.Status
	// Checks find out whether the server that answers after an outage is the same as before.
	// The informer sets Snapshot itself.
	Checks reflector.Checks[T]
	// Earlier, if set, returns the objects of an earlier run; see reflector.Options.
	Earlier func(ctx context.Context) (reflector.Earlier[T], bool)
	// Failed is called with each error that costs a wait, a new watch or a new list. It must
	// not block.
	Failed func(error)
	// Changed is called when the state has changed. It must not block.
	Changed func()
	// Ended is called when the informer has ended, after its last objects were reported as gone. The
	// informer is locked, as for subscriptions.
	Ended func()
	// Yield lets other goroutines run where there is one thread. Long work calls it after every
	// slice.
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

	// replacement is a new list that is being put into the store. It belongs to whoever has the
	// queue's batch, or keeps the queue from giving one out.
	replacement *indexer.Replacement[T]

	// mu guards the subscriptions. It is held while a batch is applied and reported, so that one
	// added meanwhile misses nothing and gets nothing twice.
	mu            sync.Mutex
	subscriptions map[*Subscription[T]]struct{}
	unread        map[string]T // objects that left the store because they could not be read, as they last were
	applying      atomic.Bool  // a batch is being applied and reported
	replacing     atomic.Bool  // a new list is being applied, which nobody sees yet, or reported
	changes       []Change[T]  // of the batch or replacement in progress
}

// New returns an Informer that Run starts.
func New[T any](o Options[T]) *Informer[T] {
	if o.Changed == nil {
		o.Changed = func() {}
	}
	if o.Yield == nil {
		o.Yield = func() {}
	}
	indexers := indexer.Indexers[T]{}
	if o.Namespace != nil {
		indexers[indexer.NamespaceIndex] = func(dst []string, obj T) []string { return append(dst, o.Namespace(obj)) }
	}
	i := &Informer[T]{
		options: o, store: indexer.New(o.Key, indexers), begun: time.Now(), done: make(chan struct{}),
		subscriptions: make(map[*Subscription[T]]struct{}),
		unread:        make(map[string]T),
	}
	i.fifo = deltafifo.New(deltafifo.Options[T]{KeyFunc: o.Key, Known: known[T]{i}, Same: o.Same, Yield: o.Yield})
	o.Checks.Snapshot = i.store.Snapshot
	i.reflector = reflector.New(reflector.Options[T]{
		Source: o.Source, Decoder: o.Decoder, Sink: i.fifo, Request: o.Request,
		Key: o.Key, Version: o.Version, Known: i.known,
		Checks: o.Checks, Earlier: o.Earlier, Changed: o.Changed, Failed: o.Failed, Unwatchable: o.Unwatchable,
	})
	return i
}

// known is the store as its writer sees it, including a replacement in progress. The queue uses
// it only while no batch is out.
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

// known returns the stored object of obj's key, and whether it is the same version.
func (i *Informer[T]) known(obj T) (T, bool) {
	stored, ok := i.store.Get(i.options.Key(obj))
	if ok = ok && i.options.Same(stored, obj); ok && i.options.Met != nil {
		i.options.Met(stored, obj)
	}
	return stored, ok
}

// Run keeps the store up to date until the context ends. When it returns, the reflector has
// ended. It may be called once.
func (i *Informer[T]) Run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { i.reflector.Run(ctx) })
	for synced := false; ctx.Err() == nil && i.fifo.Pop(ctx, i.process) == nil; {
		if !synced && i.fifo.HasSynced() {
			synced = true
			i.options.Changed()
		}
	}
	cancel()
	running.Wait()
	if i.replacement != nil {
		i.replacement.Discard()
		i.replacement = nil
	}
	i.tellGone()
	close(i.done)
}

// tellGone reports all objects as deleted to the subscriptions, so that those which keep account
// of objects release them.
func (i *Informer[T]) tellGone() {
	i.mu.Lock()
	defer i.mu.Unlock()
	var gone []Change[T]
	for _, obj := range i.store.List() {
		gone = append(gone, Change[T]{Key: i.options.Key(obj), Before: obj, Final: obj, Ended: true})
	}
	if len(gone) > 0 {
		for s := range i.subscriptions {
			s.tell(gone)
		}
	}
	if i.options.Ended != nil {
		i.options.Ended()
	}
}

// process applies a batch to the store and reports its changes. The changes of a staged new list
// are reported once all of it is visible.
func (i *Informer[T]) process(b *deltafifo.Batch[T]) error {
	i.applying.Store(true)
	defer i.applying.Store(false)
	i.mu.Lock()
	defer i.mu.Unlock()
	if b.Staged && i.replacement == nil {
		i.replacing.Store(true)
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
	if i.replacing.Swap(false) {
		i.options.Changed()
	}
	return nil
}

// tellMost is how many changes are reported at once.
const tellMost = 2000

// tellLocked reports the applied changes to the subscriptions.
func (i *Informer[T]) tellLocked() {
	for n, all := range slices.Collect(slices.Chunk(i.changes, tellMost)) {
		if n > 0 {
			i.options.Yield()
		}
		news := all
		if late := func(c Change[T]) bool { return c.late }; slices.ContainsFunc(all, late) {
			news = slices.DeleteFunc(slices.Clone(all), late)
		}
		for s := range i.subscriptions {
			if s.late {
				s.tell(all)
			} else if len(news) > 0 {
				s.tell(news)
			}
		}
	}
	clear(i.changes)
	i.changes = i.changes[:0]
	if cap(i.changes) > 4*tellMost {
		i.changes = nil
	}
}

// apply applies a delta to the store, and records the change.
func (i *Informer[T]) apply(tx indexer.Tx[T], key string, d deltafifo.Delta[T], initial bool) {
	switch d.Type {
	case deltafifo.Deleted:
		before, existed := tx.Delete(key)
		last, unread := i.unread[key]
		c := Change[T]{Key: key, Before: before, Final: d.Object, Unread: d.Unread}
		switch {
		case existed && d.Unread:
			i.unread[key], c.Final = before, before
		case existed && d.FinalStateUnknown:
			c.Final = before
		case existed:
		case unread && !d.Unread:
			c.Final, c.late = last, true
			delete(i.unread, key)
		default:
			return // it was never reported
		}
		i.changes = append(i.changes, c)
	default:
		before, existed := tx.Get(key)
		if existed && i.options.Same(before, d.Object) {
			return // already reported: the object that readers hold stays
		}
		tx.Set(d.Object)
		delete(i.unread, key)
		i.changes = append(i.changes, Change[T]{Key: key, Before: before, After: d.Object, Initial: initial && !existed})
	}
}

// errEnded is returned by an Informer whose Run has ended.
var errEnded = errors.New("the informer has ended")

// Subscription receives each batch of changes at once, from the goroutine that applies them. It
// is for readers that coalesce changes themselves, such as a view.
type Subscription[T any] struct {
	tell func([]Change[T])
	late bool
}

// Subscribe returns the objects in the store, and calls tell with each later batch of changes.
// The informer is locked meanwhile, so tell must be quick. It must not keep the slice. When the
// informer ends, the last batch reports all objects as deleted.
func (i *Informer[T]) Subscribe(tell func([]Change[T])) ([]T, *Subscription[T]) {
	return i.subscribe(&Subscription[T]{tell: tell})
}

// SubscribeLate is Subscribe, and tell also receives the deletions of objects that had left the store before, because
// they could not be read. Such a change has neither Before nor After, and Final is the last object that could be read.
func (i *Informer[T]) SubscribeLate(tell func([]Change[T])) ([]T, *Subscription[T]) {
	return i.subscribe(&Subscription[T]{tell, true})
}

func (i *Informer[T]) subscribe(s *Subscription[T]) ([]T, *Subscription[T]) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.subscriptions[s] = struct{}{}
	return i.store.List(), s
}

// Reported calls f while everything that has happened to the store has been reported.
func (i *Informer[T]) Reported(f func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	f()
}

// Unsubscribe ends a subscription.
func (i *Informer[T]) Unsubscribe(s *Subscription[T]) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.subscriptions, s)
}

// Decoder returns the decoder of the objects.
func (i *Informer[T]) Decoder() reflector.Decoder[T] { return i.options.Decoder }

// Begun returns when the informer was created.
func (i *Informer[T]) Begun() time.Time { return i.begun }

// Store returns the store of the source's objects.
func (i *Informer[T]) Store() *indexer.Indexer[T] { return i.store }

// HasSynced reports whether the initial list is in the store.
func (i *Informer[T]) HasSynced() bool { return i.fifo.HasSynced() }

// WaitForSync waits until the initial list is in the store. It returns an error if the context
// or the informer ends first.
func (i *Informer[T]) WaitForSync(ctx context.Context) error {
	select {
	case <-i.fifo.Synced():
		return nil
	case <-i.done:
		return errEnded
	case <-ctx.Done():
		return fmt.Errorf("%s: not synced: %w", i.options.Request.Resource, context.Cause(ctx))
	}
}

// Wake ends the wait before the next attempt.
func (i *Informer[T]) Wake() { i.reflector.Wake() }

// Audit requests a comparison of the store with the server. State says what came of it.
func (i *Informer[T]) Audit() { i.reflector.Audit() }

// Unread returns since when an object could not be read; zero if it can, or does not exist.
func (i *Informer[T]) Unread(key string) time.Time { return i.reflector.Unread(key) }

// TakeApplying returns the longest that events took from the stream into the store since the last
// call.
func (i *Informer[T]) TakeApplying() time.Duration { return i.reflector.TakeApplying() }

// State is the state of a source.
type State struct {
	reflector.State
	Objects int
	Queue   int // queued keys
	// Behind: some of what came is queued, or not reported yet.
	Behind    bool
	Coalesced uint64
	// Age is the time since the apiserver's last sign of life. It is valid if Alive.
	Age   time.Duration
	Alive bool
	// Paused: nothing comes because the user's permission could not be confirmed.
	Paused bool
	// Full is for how long events have come faster than the store applied them.
	Full time.Duration
	// Replaced: a new list is complete, but the store still has the objects before it.
	Replaced bool
	// Settled is the version at which the store was last settled.
	Settled string
}

// State returns the state of the source.
func (i *Informer[T]) State(now time.Time) State {
	s := State{State: i.reflector.State(), Objects: i.store.Len(), Queue: i.fifo.Len(), Coalesced: i.fifo.Coalesced(), Settled: i.store.Version()}
	s.Synced = s.Synced && i.fifo.HasSynced() // the reflector only says that it has queued everything
	// The queue first: a batch leaves it while it is applied.
	s.Behind = s.Queue > 0 || i.applying.Load()
	s.Replaced = i.fifo.Replacing() || i.replacing.Load()
	if s.Replaced && s.AsOf.IsZero() {
		s.AsOf = s.WasOf
	}
	s.Age, s.Alive = i.reflector.Age(now)
	s.Paused = i.reflector.Paused()
	s.Full = i.reflector.Full(now)
	return s
}
