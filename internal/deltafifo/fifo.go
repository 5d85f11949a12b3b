package deltafifo

import (
	"context"
	"errors"
	"sync"
)

// Known is what the consumer holds already: the store that the deltas go to.
type Known[T any] interface {
	Get(key string) (T, bool)
	ListKeys() []string
}

// Options of a DeltaFIFO.
type Options[T any] struct {
	// KeyFunc names an object. It is required.
	KeyFunc func(T) string
	// Known tells deletions and what did not change from what did. Without it
	// a new list deletes only what is queued.
	Known Known[T]
	// Same, if set, reports that two objects of a key are one and the same
	// version: a new list then says nothing of them.
	Same func(a, b T) bool
	// KeepAll keeps every delta of a key, as client-go's does. Otherwise they
	// coalesce.
	KeepAll bool
	// MaxBatch bounds a batch; 1,000 keys if it is 0.
	MaxBatch int
}

// ErrClosed is what Pop answers when the queue is closed and empty.
var ErrClosed = errors.New("the queue is closed")

// DeltaFIFO holds what happened to each key since the consumer last took it.
// Keys come out in the order in which they first got something to tell. There
// may be many producers, and one consumer.
type DeltaFIFO[T any] struct {
	options Options[T]

	// processing is held while a batch is out: what it holds is neither queued
	// nor known, so that nobody may compare the two. It is taken before mu.
	processing sync.Mutex

	mu        sync.Mutex
	items     map[string]*entry[T]
	queue     []*entry[T]
	free      []*entry[T]
	version   string   // the store reaches it when all that is queued is applied; none if that is not known
	applied   []func() // to call then
	populated bool     // the initial list is in
	initial   int      // of its keys, how many are not yet applied
	synced    chan struct{}
	closed    bool
	coalesced uint64
	more      chan struct{} // one place: something is queued, or closed
}

type entry[T any] struct {
	key    string
	deltas Deltas[T]
}

// New returns an empty queue.
func New[T any](o Options[T]) *DeltaFIFO[T] {
	if o.MaxBatch == 0 {
		o.MaxBatch = 1000
	}
	return &DeltaFIFO[T]{
		options: o,
		items:   make(map[string]*entry[T]),
		synced:  make(chan struct{}),
		more:    make(chan struct{}, 1),
	}
}

// Add tells of an object that is new.
func (f *DeltaFIFO[T]) Add(obj T) { f.add(Delta[T]{Type: Added, Object: obj}) }

// Update tells of an object that changed.
func (f *DeltaFIFO[T]) Update(obj T) { f.add(Delta[T]{Type: Updated, Object: obj}) }

func (f *DeltaFIFO[T]) add(d Delta[T]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queueLocked(f.options.KeyFunc(d.Object), d)
}

// Delete tells that an object is gone. Of a key that nobody knows, that is no
// news.
func (f *DeltaFIFO[T]) Delete(obj T) {
	key, d := f.options.KeyFunc(obj), Delta[T]{Type: Deleted, Object: obj}
	if f.queued(key, d) {
		return
	}
	defer f.lockAll()()
	if f.options.Known != nil && f.items[key] == nil {
		if _, known := f.options.Known.Get(key); !known {
			return
		}
	}
	f.queueLocked(key, d)
}

// queued adds a deletion to a key that is queued.
func (f *DeltaFIFO[T]) queued(key string, d Delta[T]) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.items[key] == nil {
		return false
	}
	f.queueLocked(key, d)
	return true
}

// lockAll waits until no batch is out, and returns what unlocks.
func (f *DeltaFIFO[T]) lockAll() func() {
	f.processing.Lock()
	f.mu.Lock()
	return func() { f.mu.Unlock(); f.processing.Unlock() }
}

// queueLocked adds to the deltas of a key.
func (f *DeltaFIFO[T]) queueLocked(key string, d Delta[T]) {
	if f.closed {
		return
	}
	f.version = "" // until a bookmark tells what this is of
	e := f.items[key]
	if e == nil {
		e = f.newEntry(key)
		f.items[key] = e
		f.queue = append(f.queue, e)
		if !f.populated {
			f.initial++
		}
	}
	e.deltas = append(e.deltas, d)
	var folded bool
	if e.deltas, folded = e.deltas.dedupe(); !folded && !f.options.KeepAll {
		n := 0
		e.deltas, n = e.deltas.coalesce()
		f.coalesced += uint64(n)
	}
	f.wake()
}

// newEntry takes an entry that was used before, if there is one.
func (f *DeltaFIFO[T]) newEntry(key string) *entry[T] {
	if n := len(f.free); n > 0 {
		e := f.free[n-1]
		f.free = f.free[:n-1]
		e.key = key
		return e
	}
	return &entry[T]{key: key}
}

func (f *DeltaFIFO[T]) wake() {
	select {
	case f.more <- struct{}{}:
	default:
	}
}

// Replace tells of a whole new list, at a version: what is not in it is gone.
func (f *DeltaFIFO[T]) Replace(list []T, version string) {
	defer f.lockAll()()
	listed := make(map[string]struct{}, len(list))
	for _, obj := range list {
		key := f.options.KeyFunc(obj)
		listed[key] = struct{}{}
		if !f.unchangedLocked(key, obj) {
			f.queueLocked(key, Delta[T]{Type: Replaced, Object: obj})
		}
	}
	for _, e := range f.queue {
		if _, ok := listed[e.key]; !ok && e.deltas.Newest().Type != Deleted {
			f.queueLocked(e.key, Delta[T]{Type: Deleted, Object: e.deltas.Newest().Object, FinalStateUnknown: true})
		}
	}
	if f.options.Known != nil {
		for _, key := range f.options.Known.ListKeys() {
			if _, ok := listed[key]; ok || f.items[key] != nil {
				continue
			}
			if known, ok := f.options.Known.Get(key); ok {
				f.queueLocked(key, Delta[T]{Type: Deleted, Object: known, FinalStateUnknown: true})
			}
		}
	}
	f.populateLocked(version)
}

// unchangedLocked reports that the consumer has, and keeps, the very version.
func (f *DeltaFIFO[T]) unchangedLocked(key string, obj T) bool {
	if f.options.Same == nil || f.options.Known == nil || f.items[key] != nil {
		return false
	}
	known, ok := f.options.Known.Get(key)
	return ok && f.options.Same(known, obj)
}

// Populated tells that all that was added so far is the initial list, whole, at
// a version. It is what Replace tells of a list that came at once.
func (f *DeltaFIFO[T]) Populated(version string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.populateLocked(version)
}

func (f *DeltaFIFO[T]) populateLocked(version string) {
	f.version = version
	if !f.populated {
		f.populated = true
		f.syncLocked()
	}
	f.wake()
}

// Bookmark tells that the store is at a version once all that is queued is
// applied. Producers call it behind the objects of that version.
func (f *DeltaFIFO[T]) Bookmark(version string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.version = version
	f.wake()
}

// Applied has done called, by the consumer, once all that is queued is applied.
func (f *DeltaFIFO[T]) Applied(done func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.applied = append(f.applied, done)
	f.wake()
}

// Resync tells again of all that is known, but for keys that have something to
// tell already.
func (f *DeltaFIFO[T]) Resync() {
	defer f.lockAll()()
	if f.options.Known == nil {
		return
	}
	for _, key := range f.options.Known.ListKeys() {
		if f.items[key] != nil {
			continue
		}
		if obj, ok := f.options.Known.Get(key); ok {
			f.queueLocked(key, Delta[T]{Type: Sync, Object: obj})
		}
	}
}

// HasSynced reports that the initial list is in and applied.
func (f *DeltaFIFO[T]) HasSynced() bool {
	select {
	case <-f.synced:
		return true
	default:
		return false
	}
}

// Synced is closed when HasSynced becomes true.
func (f *DeltaFIFO[T]) Synced() <-chan struct{} { return f.synced }

func (f *DeltaFIFO[T]) syncLocked() {
	if f.populated && f.initial == 0 && !f.HasSynced() {
		close(f.synced)
	}
}

// Len is how many keys have something to tell.
func (f *DeltaFIFO[T]) Len() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.queue)
}

// Coalesced is how many deltas were folded into others, ever.
func (f *DeltaFIFO[T]) Coalesced() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.coalesced
}

// Close takes nothing more. What is queued can still be popped.
func (f *DeltaFIFO[T]) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.wake()
}

// Item is a key and what happened to it.
type Item[T any] struct {
	Key    string
	Deltas Deltas[T]
}

// Batch is what Pop hands over. It and its deltas are valid during the call.
type Batch[T any] struct {
	Items []Item[T]
	// Initial says that the items are of the initial list.
	Initial bool
	// Drained says that nothing more was queued: with this batch applied the
	// store is as the server was at Version.
	Drained bool
	Version string
}

// Pop waits for something to tell and has it processed: up to MaxBatch keys,
// of the initial list or of what came after, never both. What process does not
// manage is not queued again; its error is returned.
func (f *DeltaFIFO[T]) Pop(ctx context.Context, process func(Batch[T]) error) error {
	for {
		done, err := f.tryPop(process)
		if done || err != nil {
			return err
		}
		select {
		case <-f.more:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// tryPop processes a batch if there is one.
func (f *DeltaFIFO[T]) tryPop(process func(Batch[T]) error) (done bool, err error) {
	f.processing.Lock()
	defer f.processing.Unlock()
	f.mu.Lock()
	if len(f.queue) == 0 && len(f.applied) == 0 && f.version == "" {
		defer f.mu.Unlock()
		if f.closed {
			return false, ErrClosed
		}
		return false, nil
	}
	b, taken, applied := f.takeLocked()
	f.mu.Unlock()

	err = process(b)
	for _, done := range applied {
		done()
	}

	f.mu.Lock()
	defer f.mu.Unlock()
	if b.Initial {
		f.initial -= len(taken)
	}
	f.syncLocked()
	f.recycleLocked(taken)
	return true, err
}

// takeLocked takes a batch from the front of the queue.
func (f *DeltaFIFO[T]) takeLocked() (b Batch[T], taken []*entry[T], applied []func()) {
	n := min(len(f.queue), f.options.MaxBatch)
	if b.Initial = f.initial > 0; b.Initial {
		n = min(n, f.initial)
	}
	taken = f.queue[:n:n]
	f.queue = f.queue[n:]
	if b.Drained = len(f.queue) == 0; b.Drained {
		b.Version, f.version = f.version, ""
		applied, f.applied = f.applied, nil
	}
	b.Items = make([]Item[T], n)
	for i, e := range taken {
		delete(f.items, e.key)
		b.Items[i] = Item[T]{e.key, e.deltas}
	}
	return b, taken, applied
}

// recycleLocked keeps entries for the next keys, as many as a batch has.
func (f *DeltaFIFO[T]) recycleLocked(taken []*entry[T]) {
	for i, e := range taken {
		taken[i] = nil
		if len(f.free) < f.options.MaxBatch {
			clear(e.deltas)
			e.key, e.deltas = "", e.deltas[:0]
			f.free = append(f.free, e)
		}
	}
}
