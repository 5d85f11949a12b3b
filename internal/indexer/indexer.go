package indexer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// Indexer is the store of one source. Objects are shared with all readers and
// must never change.
type Indexer[T any] struct {
	key KeyFunc[T]

	// writing is held during every change, and for the whole of a replacement. It is locked
	// before mu. No reader waits for it.
	writing sync.Mutex

	mu      sync.RWMutex
	state   *state[T]
	version string
	settled chan struct{} // closed while the store equals the server at version
}

// New returns an empty store. key returns the key of an object.
func New[T any](key KeyFunc[T], indexers Indexers[T]) *Indexer[T] {
	s := &state[T]{slots: make(map[string]uint32), indexes: make(map[string]*index[T])}
	for name, f := range indexers {
		s.indexes[name] = newIndex(f)
	}
	return &Indexer[T]{key: key, state: s, settled: make(chan struct{})}
}

// Update runs a transaction. Readers wait for it, and see either all of it or nothing. The Tx is
// valid during the call. Update waits for a replacement in progress.
func (x *Indexer[T]) Update(f func(tx Tx[T])) {
	x.writing.Lock()
	defer x.writing.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	f(Tx[T]{x: x, state: x.state})
}

// Tx is a transaction, which changes the store.
type Tx[T any] struct {
	x     *Indexer[T]
	state *state[T]
}

// Set stores an object under its key, and returns the one it replaced.
func (tx Tx[T]) Set(obj T) (old T, existed bool) {
	if tx.live() {
		tx.x.unsettle()
	}
	return tx.state.set(tx.x.key(obj), obj)
}

// Delete removes an object, and returns it.
func (tx Tx[T]) Delete(key string) (old T, existed bool) {
	if old, existed = tx.state.delete(key); existed && tx.live() {
		tx.x.unsettle()
	}
	return old, existed
}

// Get returns the object of a key, including the transaction's own changes.
func (tx Tx[T]) Get(key string) (obj T, ok bool) { return tx.state.get(key) }

// Settle says that the store now equals the server at a version. In a replacement it does
// nothing, because Commit settles the store.
func (tx Tx[T]) Settle(version string) {
	if tx.live() {
		tx.x.settle(version)
	}
}

// live reports whether the transaction changes the state that readers see.
func (tx Tx[T]) live() bool { return tx.state == tx.x.state }

func (x *Indexer[T]) settle(version string) {
	x.version = version
	select {
	case <-x.settled:
	default:
		close(x.settled)
	}
}

func (x *Indexer[T]) unsettle() {
	select {
	case <-x.settled:
		x.settled = make(chan struct{})
	default:
	}
}

// Get returns the object of a key.
func (x *Indexer[T]) Get(key string) (obj T, ok bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.state.get(key)
}

// Len returns the number of objects.
func (x *Indexer[T]) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.state.slots)
}

// List returns all objects, mostly in the order in which they came: that is also that of their
// memory, which is far quicker to walk through than any other.
func (x *Indexer[T]) List() []T {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.state.all()
}

// ListKeys returns all keys, in no order.
func (x *Indexer[T]) ListKeys() []string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.state.keys()
}

// Version returns the version at which the store was last settled.
func (x *Indexer[T]) Version() string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.version
}

// Snapshot waits until the store is settled, and returns all objects and their version.
func (x *Indexer[T]) Snapshot(ctx context.Context) (objects []T, version string, err error) {
	for {
		x.mu.RLock()
		settled := x.settled
		select {
		case <-settled:
			defer x.mu.RUnlock()
			return x.state.all(), x.version, nil
		default:
		}
		x.mu.RUnlock()
		select {
		case <-settled:
		case <-ctx.Done():
			return nil, "", ctx.Err()
		}
	}
}

// ByIndex returns the objects with a value in an index, in no order.
func (x *Indexer[T]) ByIndex(name, value string) ([]T, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	index, ok := x.state.indexes[name]
	if !ok {
		return nil, fmt.Errorf("no index %q", name)
	}
	return x.state.under(index.values[value]), nil
}

// IndexStat describes the state of an index.
type IndexStat struct {
	Name   string
	Values int
	// Broken is how many objects are left out because the index's function panicked on them.
	// Said is the last panic.
	Broken int
	Said   string
}

// Indexes returns the state of each index, sorted by name.
func (x *Indexer[T]) Indexes() []IndexStat {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var out []IndexStat
	for _, name := range slices.Sorted(maps.Keys(x.state.indexes)) {
		index := x.state.indexes[name]
		out = append(out, IndexStat{name, len(index.values), index.broken, index.said})
	}
	return out
}
