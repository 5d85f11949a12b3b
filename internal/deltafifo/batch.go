package deltafifo

import (
	"context"
	"time"
)

// Item is a key and what happened to it.
type Item[T any] struct {
	Key    string
	Deltas Deltas[T]
}

// chunk is how many keys a batch takes from the queue at a time. Between chunks it checks the
// clock.
const chunk = 32

// Batch yields what Pop took from the queue, a few keys at a time:
//
//	for b.Next() {
//		for _, item := range b.Items { … }
//	}
//
// It is valid during the call of Pop's process function. Items is valid until the next call of
// Next.
type Batch[T any] struct {
	Items []Item[T]
	// Initial says that the items belong to the initial list.
	Initial bool
	// Staged says that the items belong to a new list. Readers should see either all of that
	// list or nothing. It ends with the first batch that is not Partial.
	Staged bool

	// The fields below are known once Next has returned false.

	// Partial says that more of a Staged list follows.
	Partial bool
	// Version, if set, is the one at which the store equals the server with this batch applied:
	// nothing more was queued.
	Version string

	f       *DeltaFIFO[T]
	entries []*entry[T] // their deltas are in Items
	taken   int
	drained bool // nothing more was queued
	applied []func()
	until   time.Time
}

// Next fills Items, and returns false at the end of the batch. A batch ends when nothing is
// left, or when it reaches its limit of keys or of time. Keys that it has not taken stay
// queued.
func (b *Batch[T]) Next() bool {
	f := b.f
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recycleLocked(b.entries)
	n := b.roomLocked()
	b.entries, f.queue = f.queue[:n:n], f.queue[n:]
	b.Items = f.chunk[:n]
	for i, e := range b.entries {
		delete(f.items, e.key)
		b.Items[i] = Item[T]{e.key, e.deltas}
	}
	b.taken += n
	f.replaced = max(f.replaced-n, 0)
	if n == 0 {
		b.endLocked()
	}
	return n > 0
}

// roomLocked returns how many keys may be taken now.
func (b *Batch[T]) roomLocked() int {
	f := b.f
	n := min(len(f.queue), chunk)
	if b.Initial {
		n = min(n, f.initial-b.taken)
	}
	if n > 0 && b.taken > 0 && time.Now().After(b.until) {
		return 0
	}
	return min(n, f.options.maxBatch-b.taken)
}

// endLocked records the state of the queue at the end of the batch.
func (b *Batch[T]) endLocked() {
	f := b.f
	b.Partial = b.Staged && f.replaced > 0
	if b.drained = len(f.queue) == 0; b.drained {
		b.Version, f.version = f.version, ""
		b.applied, f.applied = f.applied, nil
	}
}

// Pop waits until something is queued and processes a batch of it. A batch contains either keys
// of the initial list or later ones, never both. If process fails, Pop returns its error, and
// what process took is not queued again. Pop yields before a batch if it has not yielded or
// waited for a whole slice.
func (f *DeltaFIFO[T]) Pop(ctx context.Context, process func(*Batch[T]) error) error {
	if !f.behind {
		f.began = time.Now()
	} else if time.Since(f.began) >= f.options.slice {
		f.options.Yield()
		f.began = time.Now()
	}
	for {
		done, err := f.tryPop(process)
		if done || err != nil {
			return err
		}
		select {
		case <-f.more:
			f.began = time.Now()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// tryPop processes a batch if there is one.
func (f *DeltaFIFO[T]) tryPop(process func(*Batch[T]) error) (done bool, err error) {
	f.processing.Lock()
	defer f.processing.Unlock()
	b := f.batch()
	if b == nil {
		return false, nil
	}
	err = process(b)
	for _, done := range b.applied {
		done()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if b.Initial {
		f.initial -= b.taken
	}
	f.behind = !b.drained
	f.syncLocked()
	f.recycleLocked(b.entries)
	return true, err
}

// batch starts a batch, if anything is queued.
func (f *DeltaFIFO[T]) batch() *Batch[T] {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.queue) == 0 && len(f.applied) == 0 && f.version == "" {
		return nil
	}
	return &Batch[T]{
		f:       f,
		Initial: f.initial > 0 || !f.populated, // more of the list may come while it is out
		Staged:  f.replaced > 0,
		until:   time.Now().Add(f.options.slice),
	}
}

// recycleLocked keeps entries for reuse by the next keys, at most maxBatch of them.
func (f *DeltaFIFO[T]) recycleLocked(taken []*entry[T]) {
	for i, e := range taken {
		taken[i] = nil
		f.chunk[i] = Item[T]{}
		if len(f.free) < f.options.maxBatch {
			clear(e.deltas)
			e.key, e.deltas = "", e.deltas[:0]
			f.free = append(f.free, e)
		}
	}
}
