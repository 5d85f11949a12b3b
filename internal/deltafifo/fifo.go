package deltafifo

import (
	"errors"
	"sync"
	"time"
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
	// coalesce: of a key at most three are left.
	KeepAll bool
	// MaxBatch bounds a batch; 1,000 keys if it is 0.
	MaxBatch int
	// Slice bounds a batch too: none begins with more keys once it is over. It
	// is also how long Pop, Replace and Resync work before they yield; 8 ms if it
	// is 0.
	Slice time.Duration
	// Yield lets others have a turn, where there is one thread.
	Yield func()
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
	replaced  int      // how many keys at the front of the queue are of a new list
	synced    chan struct{}
	closed    bool
	coalesced uint64
	more      chan struct{} // one place: something is queued, or closed

	// Of the consumer.
	behind bool           // the last batch left something
	began  time.Time      // when others last had a turn
	chunk  [chunk]Item[T] // what a batch hands over
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
	if o.Slice == 0 {
		o.Slice = 8 * time.Millisecond
	}
	if o.Yield == nil {
		o.Yield = func() {}
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
	if f.items[key] != nil || f.knownLocked(key) {
		f.queueLocked(key, d)
	}
}

func (f *DeltaFIFO[T]) knownLocked(key string) (known bool) {
	if f.options.Known != nil {
		_, known = f.options.Known.Get(key)
	}
	return known
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
// It waits for a batch that is out.
func (f *DeltaFIFO[T]) Replace(list []T, version string) {
	defer f.lockAll()()
	listed := make(map[string]struct{}, len(list))
	f.slicesLocked(len(list), func(i int) {
		key := f.options.KeyFunc(list[i])
		listed[key] = struct{}{}
		if !f.unchangedLocked(key, list[i]) {
			f.queueLocked(key, Delta[T]{Type: Replaced, Object: list[i]})
		}
	})
	queue := f.queue
	f.slicesLocked(len(queue), func(i int) {
		if _, ok := listed[queue[i].key]; !ok && queue[i].deltas.Newest().Type != Deleted {
			f.queueLocked(queue[i].key, Delta[T]{Type: Deleted, Object: queue[i].deltas.Newest().Object, FinalStateUnknown: true})
		}
	})
	f.eachKnownLocked(func(key string, known T) {
		if _, ok := listed[key]; !ok {
			f.queueLocked(key, Delta[T]{Type: Deleted, Object: known, FinalStateUnknown: true})
		}
	})
	f.replaced = len(f.queue)
	f.populateLocked(version)
}

// eachKnownLocked calls do for what the consumer has, and nothing is queued of.
func (f *DeltaFIFO[T]) eachKnownLocked(do func(key string, obj T)) {
	if f.options.Known == nil {
		return
	}
	keys := f.options.Known.ListKeys()
	f.slicesLocked(len(keys), func(i int) {
		if f.items[keys[i]] != nil {
			return
		}
		if obj, ok := f.options.Known.Get(keys[i]); ok {
			do(keys[i], obj)
		}
	})
}

// slicesLocked does n things, and lets others have the queue and a turn after
// each slice. No batch is out meanwhile.
func (f *DeltaFIFO[T]) slicesLocked(n int, do func(i int)) {
	for began, i := time.Now(), 0; i < n; i++ {
		do(i)
		if i%chunk == chunk-1 && time.Since(began) >= f.options.Slice {
			f.mu.Unlock()
			f.options.Yield()
			f.mu.Lock()
			began = time.Now()
		}
	}
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
// tell already. It waits for a batch that is out.
func (f *DeltaFIFO[T]) Resync() {
	defer f.lockAll()()
	f.eachKnownLocked(func(key string, obj T) { f.queueLocked(key, Delta[T]{Type: Sync, Object: obj}) })
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
