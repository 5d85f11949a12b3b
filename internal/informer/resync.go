package informer

import (
	"context"
	"time"
)

// leastResync bounds how often a handler is told again, as in client-go.
const leastResync = time.Second

// resync has all that is known told again, to those to whom that is due.
func (i *Informer[T]) resync(ctx context.Context) {
	timer := time.NewTimer(0)
	timer.Stop() // until somebody wants it
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

// due notes who is to be told again now, and returns whether anybody is, and how
// long it is until somebody is again: 0 if nobody ever.
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
