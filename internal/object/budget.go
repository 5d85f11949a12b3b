package object

import "sync"

// Budget bounds the packed bytes of all objects together. When they are too
// many, those objects lose theirs first that came, or were last shown, longest
// ago: each gets another turn if it was shown since its last. All else of an
// object stays, and what needed the bytes asks the server.
type Budget struct {
	limit int64

	mu      sync.Mutex
	used    int64
	ring    []*Object // in the order in which they came, the oldest first
	live    int       // of the ring, how many still count
	dropped int
}

// NewBudget returns a budget of a number of bytes.
func NewBudget(limit int64) *Budget { return &Budget{limit: limit} }

// The states of an object's packed bytes in its budget.
const (
	uncounted uint32 = iota
	counted
	shown // counted, and seen since the ring last came by
)

// Keep counts an object that is stored.
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

// drop takes the bytes of the oldest object, unless it has been shown: then it
// counts as the newest.
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
		o.packed.Store(nil)
		b.used -= int64(o.packedLen)
		b.live--
		b.dropped++
	}
}

// sweep forgets the objects that were released, if they are most.
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

// Release counts an object no more that is not stored any longer. It keeps its
// bytes for as long as somebody holds it.
func (b *Budget) Release(o *Object) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if o.counted.Swap(uncounted) != uncounted {
		b.used -= int64(o.packedLen)
		b.live--
		b.sweep()
	}
}

// Show notes that the object is on the screen, for the Budget that counts it, if
// one does.
func (o *Object) Show() { o.counted.CompareAndSwap(counted, shown) }

// Used is how many bytes are held, of how many objects, and how many objects
// have lost theirs.
func (b *Budget) Used() (bytes int64, objects, dropped int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used, b.live, b.dropped
}
