package deltafifo

import (
	"sync"
	"time"
)

// Known is the consumer's store, to which the deltas are applied.
type Known[T any] interface {
	Get(key string) (T, bool)
	ListKeys() []string
}

// Options of a DeltaFIFO.
type Options[T any] struct {
	// KeyFunc returns an object's key. It is required.
	KeyFunc func(T) string
	// Known is compared with a new list to find deleted and unchanged objects. Without it a new
	// list deletes only what is queued.
	Known Known[T]
	// Same, if set, reports whether two objects of a key are the same version. A new list then
	// queues nothing for such an object.
	Same func(a, b T) bool
	// Yield lets other goroutines run where there is one thread.
	Yield func()

	// maxBatch is the most keys of a batch (default 1,000).
	maxBatch int
	// slice is the time after which a batch takes no more keys. It is also how long Pop and
	// Replace work before they yield (default 8 ms).
	slice time.Duration
}

// DeltaFIFO holds the deltas of each key since the consumer last took it. Keys come out in the
// order of their first delta. There may be many producers, but only one consumer.
type DeltaFIFO[T any] struct {
	options Options[T]

	// processing is held while a batch is out. The batch's objects are then neither queued nor
	// in Known, so nobody may compare the two. It is locked before mu.
	processing sync.Mutex

	mu        sync.Mutex
	items     map[string]*entry[T]
	unread    map[string]T // objects that exist, but could not be read
	queue     []*entry[T]
	free      []*entry[T]
	version   string   // the store reaches it when everything queued is applied; empty if unknown
	applied   []func() // to call then
	populated bool     // the initial list is complete
	initial   int      // how many keys of the initial list are not yet applied
	replaced  int      // how many keys at the front of the queue belong to a new list
	synced    chan struct{}
	coalesced uint64
	more      chan struct{} // capacity 1: something is queued

	// Used only by the consumer.
	behind bool           // the last batch left something
	began  time.Time      // when the consumer last yielded or waited
	chunk  [chunk]Item[T] // backs Batch.Items
}

type entry[T any] struct {
	key    string
	deltas Deltas[T]
}

// New returns an empty queue.
func New[T any](o Options[T]) *DeltaFIFO[T] {
	if o.maxBatch == 0 {
		o.maxBatch = 1000
	}
	if o.slice == 0 {
		o.slice = 8 * time.Millisecond
	}
	if o.Yield == nil {
		o.Yield = func() {}
	}
	return &DeltaFIFO[T]{
		options: o,
		items:   make(map[string]*entry[T]),
		unread:  make(map[string]T),
		synced:  make(chan struct{}),
		more:    make(chan struct{}, 1),
	}
}

// Add queues a new object.
func (f *DeltaFIFO[T]) Add(obj T) { f.add(Delta[T]{Type: Added, Object: obj}) }

// Update queues a changed object.
func (f *DeltaFIFO[T]) Update(obj T) { f.add(Delta[T]{Type: Updated, Object: obj}) }

func (f *DeltaFIFO[T]) add(d Delta[T]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := f.options.KeyFunc(d.Object)
	delete(f.unread, key)
	f.queueLocked(key, d)
}

// Delete queues the deletion of an object. It does nothing for a key that is neither queued nor
// known, nor Unread.
func (f *DeltaFIFO[T]) Delete(obj T) { f.remove(Delta[T]{Type: Deleted, Object: obj}) }

// Unread queues that an object exists which could not be read. What is known of it is deleted.
func (f *DeltaFIFO[T]) Unread(obj T) { f.remove(Delta[T]{Type: Deleted, Object: obj, Unread: true}) }

func (f *DeltaFIFO[T]) remove(d Delta[T]) {
	key := f.options.KeyFunc(d.Object)
	if f.queued(key, d) {
		return
	}
	defer f.lockAll()()
	was := f.noteUnreadLocked(key, d)
	if f.items[key] != nil || f.knownLocked(key) || was && !d.Unread {
		f.queueLocked(key, d)
	}
}

// noteUnreadLocked notes a deletion of a key, and reports whether its object was unread before.
func (f *DeltaFIFO[T]) noteUnreadLocked(key string, d Delta[T]) (was bool) {
	if _, was = f.unread[key]; d.Unread {
		f.unread[key] = d.Object
	} else {
		delete(f.unread, key)
	}
	return was
}

func (f *DeltaFIFO[T]) knownLocked(key string) (known bool) {
	if f.options.Known != nil {
		_, known = f.options.Known.Get(key)
	}
	return known
}

// queued adds a deletion to a key that is already queued, and reports whether it was.
func (f *DeltaFIFO[T]) queued(key string, d Delta[T]) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.items[key] == nil {
		return false
	}
	f.noteUnreadLocked(key, d)
	f.queueLocked(key, d)
	return true
}

// lockAll waits until no batch is out, locks the queue and returns the function that unlocks
// it.
func (f *DeltaFIFO[T]) lockAll() func() {
	f.processing.Lock()
	f.mu.Lock()
	return func() { f.mu.Unlock(); f.processing.Unlock() }
}

// queueLocked adds a delta to a key.
func (f *DeltaFIFO[T]) queueLocked(key string, d Delta[T]) {
	f.version = "" // until a bookmark names the version after this delta
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
	if e.deltas, folded = e.deltas.dedupe(); !folded {
		n := 0
		e.deltas, n = e.deltas.coalesce()
		f.coalesced += uint64(n)
	}
	f.wake()
}

// newEntry returns an entry for a key, a recycled one if possible.
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

// Replace queues a complete new list at a version, and which of its objects could not be read. Objects that
// are neither are deleted. It waits until no batch is out.
func (f *DeltaFIFO[T]) Replace(list []T, version string, unread ...T) {
	defer f.lockAll()()
	listed := make(map[string]struct{}, len(list))
	f.slicesLocked(len(list), func(i int) {
		key := f.options.KeyFunc(list[i])
		listed[key] = struct{}{}
		delete(f.unread, key)
		if !f.unchangedLocked(key, list[i]) {
			f.queueLocked(key, Delta[T]{Type: Replaced, Object: list[i]})
		}
	})
	f.replaceUnreadLocked(unread, listed)
	queue := f.queue
	f.slicesLocked(len(queue), func(i int) {
		if _, ok := listed[queue[i].key]; !ok && queue[i].deltas.newest().Type != Deleted {
			f.queueLocked(queue[i].key, Delta[T]{Type: Deleted, Object: queue[i].deltas.newest().Object, FinalStateUnknown: true})
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

// replaceUnreadLocked queues which objects of a new list could not be read, and adds them to the listed ones. Those
// that could not be read before, and that are not listed any more, are deleted.
func (f *DeltaFIFO[T]) replaceUnreadLocked(unread []T, listed map[string]struct{}) {
	before := f.unread
	f.unread = make(map[string]T, len(unread))
	for _, obj := range unread {
		key := f.options.KeyFunc(obj)
		f.unread[key], listed[key] = obj, struct{}{}
		if f.items[key] != nil || f.knownLocked(key) {
			f.queueLocked(key, Delta[T]{Type: Deleted, Object: obj, Unread: true})
		}
	}
	for key, obj := range before {
		if _, ok := listed[key]; !ok {
			f.queueLocked(key, Delta[T]{Type: Deleted, Object: obj, FinalStateUnknown: true})
		}
	}
}

// eachKnownLocked calls do for each known object that has nothing queued.
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

// slicesLocked calls do n times. After each slice it unlocks the queue and yields. No batch is
// out meanwhile.
func (f *DeltaFIFO[T]) slicesLocked(n int, do func(i int)) {
	for began, i := time.Now(), 0; i < n; i++ {
		do(i)
		if i%chunk == chunk-1 && time.Since(began) >= f.options.slice {
			f.mu.Unlock()
			f.options.Yield()
			f.mu.Lock()
			began = time.Now()
		}
	}
}

// unchangedLocked reports whether the consumer has exactly this version and nothing is queued
// for the key.
func (f *DeltaFIFO[T]) unchangedLocked(key string, obj T) bool {
	if f.options.Same == nil || f.options.Known == nil || f.items[key] != nil {
		return false
	}
	known, ok := f.options.Known.Get(key)
	return ok && f.options.Same(known, obj)
}

// Populated says that the objects added so far are the complete initial list at a version.
// It is for a list that arrives object by object; Replace is for one that arrives at once.
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

// Bookmark says that the store is at a version once everything queued is applied. Producers
// call it after the objects of that version.
func (f *DeltaFIFO[T]) Bookmark(version string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.version = version
	f.wake()
}

// Applied makes the consumer call done once everything queued is applied.
func (f *DeltaFIFO[T]) Applied(done func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.applied = append(f.applied, done)
	f.wake()
}

// HasSynced reports whether the initial list is complete and applied.
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

// Len returns how many keys are queued.
func (f *DeltaFIFO[T]) Len() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.queue)
}

// Replacing reports whether keys of a new list are queued that is to be seen as a whole.
func (f *DeltaFIFO[T]) Replacing() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.replaced > 0
}

// Coalesced returns how many deltas have been folded into others so far.
func (f *DeltaFIFO[T]) Coalesced() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.coalesced
}
