package object

import "sync"

// Budget bounds the packed bytes of all objects together. Over the limit, objects lose theirs
// in the order in which they were added or last shown, oldest first: an object that was shown
// since its last turn gets another. The rest of an object stays, and whatever needs the bytes
// asks the server for them.
type Budget struct {
	limit int64

	mu      sync.Mutex
	used    int64
	ring    []*Object // in the order in which they were added, oldest first
	live    int       // number of objects in the ring that still count
	dropped int
}

// NewBudget returns a budget of limit bytes.
func NewBudget(limit int64) *Budget { return &Budget{limit: limit} }

// The states of an object's packed bytes in its budget.
const (
	uncounted uint32 = iota
	counted
	shown // counted, and shown since the ring last passed it
)

// Keep counts an object that was stored.
func (b *Budget) Keep(o *Object) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if o.Packed() == nil || !o.counted.CompareAndSwap(uncounted, counted) {
		return
	}
	b.used += int64(o.packedLen)
	b.ring = append(b.ring, o)
	b.live++
	for b.used > b.limit && len(b.ring) > 0 {
		b.drop()
	}
	b.sweep()
}

// drop drops the bytes of the oldest object. If the object was shown since its last turn, it
// becomes the newest instead.
func (b *Budget) drop() {
	o := b.ring[0]
	b.ring[0] = nil
	b.ring = b.ring[1:]
	switch {
	case o.counted.Load() == uncounted: // released
	case o.counted.CompareAndSwap(shown, counted):
		b.ring = append(b.ring, o)
	default:
		o.counted.Store(uncounted)
		o.Excerpt()
		o.packed.Store(nil)
		b.used -= int64(o.packedLen)
		b.live--
		b.dropped++
	}
}

// sweep removes the released objects from the ring when they are the majority.
func (b *Budget) sweep() {
	if len(b.ring) <= 2*b.live+1024 {
		return
	}
	kept := make([]*Object, 0, b.live)
	for _, o := range b.ring {
		if o.counted.Load() != uncounted {
			kept = append(kept, o)
		}
	}
	b.ring = kept
}

// Release stops counting an object that is no longer stored. The object keeps its bytes for as
// long as somebody refers to it.
func (b *Budget) Release(o *Object) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if o.counted.Swap(uncounted) != uncounted {
		b.used -= int64(o.packedLen)
		b.live--
		b.sweep()
	}
}

// Show marks the object as shown for the Budget that counts it, if any.
func (o *Object) Show() { o.Base().counted.CompareAndSwap(counted, shown) }

// Used returns the number of bytes held, the number of objects that hold them, and the number
// of objects that have lost theirs.
func (b *Budget) Used() (bytes int64, objects, dropped int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used, b.live, b.dropped
}
