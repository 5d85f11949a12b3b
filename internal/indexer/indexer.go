package indexer

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
)

// Indexer is the store of one source.
type Indexer[T any] struct {
	mu      sync.RWMutex
	slots   map[string]uint32
	objects []T // by slot
	free    []uint32
	indexes map[string]*index[T]
	version string
	settled chan struct{} // closed while the store is as it was at version
}

// ErrNoIndex names an index that there is not.
var ErrNoIndex = errors.New("no such index")

// New returns an empty store.
func New[T any](indexers Indexers[T]) *Indexer[T] {
	x := &Indexer[T]{slots: make(map[string]uint32), indexes: make(map[string]*index[T]), settled: make(chan struct{})}
	for name, f := range indexers {
		x.indexes[name] = newIndex(f)
	}
	return x
}

// Update runs a transaction: readers see all of it or nothing. The Tx is valid
// during the call.
func (x *Indexer[T]) Update(f func(tx Tx[T])) {
	x.mu.Lock()
	defer x.mu.Unlock()
	f(Tx[T]{x})
}

// Tx changes the store.
type Tx[T any] struct{ x *Indexer[T] }

// Set stores an object under its key, and returns the one it replaced.
func (tx Tx[T]) Set(key string, obj T) (old T, existed bool) {
	x := tx.x
	x.unsettle()
	slot, existed := x.slots[key]
	if existed {
		old = x.objects[slot]
		x.objects[slot] = obj
		for _, index := range x.indexes {
			index.update(slot, old, obj)
		}
	} else {
		slot = x.take(obj)
		for _, index := range x.indexes {
			index.add(slot, obj)
		}
	}
	x.slots[key] = slot // again, since the key's text is the new object's now
	return old, existed
}

// Delete removes an object, and returns it.
func (tx Tx[T]) Delete(key string) (old T, existed bool) {
	x := tx.x
	slot, existed := x.slots[key]
	if !existed {
		return old, false
	}
	x.unsettle()
	var none T
	old, x.objects[slot] = x.objects[slot], none
	delete(x.slots, key)
	x.free = append(x.free, slot)
	for _, index := range x.indexes {
		index.remove(slot, old)
	}
	return old, true
}

// Settle tells that the store is now as the server was at a version.
func (tx Tx[T]) Settle(version string) {
	x := tx.x
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

func (x *Indexer[T]) take(obj T) uint32 {
	if n := len(x.free); n > 0 {
		slot := x.free[n-1]
		x.free = x.free[:n-1]
		x.objects[slot] = obj
		return slot
	}
	x.objects = append(x.objects, obj)
	return uint32(len(x.objects) - 1)
}

// Get returns the object of a key.
func (x *Indexer[T]) Get(key string) (obj T, ok bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	slot, ok := x.slots[key]
	if ok {
		obj = x.objects[slot]
	}
	return obj, ok
}

// Len is how many objects there are.
func (x *Indexer[T]) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.slots)
}

// List returns all objects, in no order.
func (x *Indexer[T]) List() []T {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.listLocked()
}

func (x *Indexer[T]) listLocked() []T {
	out := make([]T, 0, len(x.slots))
	for _, slot := range x.slots {
		out = append(out, x.objects[slot])
	}
	return out
}

// ListKeys returns all keys, in no order.
func (x *Indexer[T]) ListKeys() []string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return slices.Collect(maps.Keys(x.slots))
}

// Version is the version at which the store last was settled.
func (x *Indexer[T]) Version() string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.version
}

// Snapshot waits until the store is settled, and returns all objects with the
// version that they make up.
func (x *Indexer[T]) Snapshot(ctx context.Context) (objects []T, version string, err error) {
	for {
		x.mu.RLock()
		settled := x.settled
		select {
		case <-settled:
			defer x.mu.RUnlock()
			return x.listLocked(), x.version, nil
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

// ByIndex returns the objects that stand under a value of an index.
func (x *Indexer[T]) ByIndex(name, value string) ([]T, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	index, err := x.index(name)
	if err != nil {
		return nil, err
	}
	return x.under(index, value), nil
}

func (x *Indexer[T]) under(index *index[T], value string) []T {
	s := index.values[value]
	if s == nil {
		return nil
	}
	out := make([]T, 0, s.n)
	for slot := range s.all() {
		out = append(out, x.objects[slot])
	}
	return out
}

// Values yields each value of an index with the number of objects under it, in
// no order. The writer waits meanwhile.
func (x *Indexer[T]) Values(name string) (iter.Seq2[string, int], error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	index, err := x.index(name)
	if err != nil {
		return nil, err
	}
	return func(yield func(string, int) bool) {
		x.mu.RLock()
		defer x.mu.RUnlock()
		for value, s := range index.values {
			if !yield(value, s.n) {
				return
			}
		}
	}, nil
}

func (x *Indexer[T]) index(name string) (*index[T], error) {
	if index, ok := x.indexes[name]; ok {
		return index, nil
	}
	return nil, fmt.Errorf("%w: %q", ErrNoIndex, name)
}

// AddIndexers adds indexes, over the objects that are there and those to come.
// A name that is taken adds nothing at all.
func (x *Indexer[T]) AddIndexers(indexers Indexers[T]) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for name := range indexers {
		if _, taken := x.indexes[name]; taken {
			return fmt.Errorf("the index %q is there already", name)
		}
	}
	for name, f := range indexers {
		index := newIndex(f)
		for slot, obj := range x.eachSlot() {
			index.add(slot, obj)
		}
		x.indexes[name] = index
	}
	return nil
}

// eachSlot yields the objects in the order of their slots, which keeps sets
// sorted as they grow.
func (x *Indexer[T]) eachSlot() iter.Seq2[uint32, T] {
	slots := slices.Sorted(maps.Values(x.slots))
	return func(yield func(uint32, T) bool) {
		for _, slot := range slots {
			if !yield(slot, x.objects[slot]) {
				return
			}
		}
	}
}

// RemoveIndexers forgets indexes.
func (x *Indexer[T]) RemoveIndexers(names ...string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, name := range names {
		delete(x.indexes, name)
	}
}

// IndexStat tells how large an index is.
type IndexStat struct {
	Name   string
	Values int
	Broken int // objects on which its function panicked
}

// Indexes tells of each index, by name.
func (x *Indexer[T]) Indexes() []IndexStat {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var out []IndexStat
	for _, name := range slices.Sorted(maps.Keys(x.indexes)) {
		index := x.indexes[name]
		out = append(out, IndexStat{name, len(index.values), index.broken})
	}
	return out
}
