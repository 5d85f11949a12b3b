package informer

import (
	"context"
	"time"
)

// leastResync is the shortest interval between resyncs, as in client-go.
const leastResync = time.Second

// resync repeats all known objects whenever a listener is due a resync, until the context ends.
func (i *Informer[T]) resync(ctx context.Context) {
	timer := time.NewTimer(0)
	timer.Stop() // until a listener wants resyncs
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-i.resyncAnew:
		case <-timer.C:
		}
		due, next := i.due(time.Now())
		if due {
			i.fifo.Resync()
		}
		timer.Stop()
		if next > 0 {
			timer.Reset(next)
		}
	}
}

// due marks the listeners that are due a resync, and reports whether there are any. next is the
// time until the next one is due, or 0 if no listener wants resyncs.
func (i *Informer[T]) due(now time.Time) (due bool, next time.Duration) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for r := range i.listeners {
		if r.every == 0 {
			continue
		}
		if r.syncing = !now.Before(r.next); r.syncing {
			r.next = now.Add(r.every)
			due = true
		}
		if wait := r.next.Sub(now); next == 0 || wait < next {
			next = wait
		}
	}
	return due, next
}
