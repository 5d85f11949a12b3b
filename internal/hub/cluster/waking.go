package cluster

import (
	"context"
	"sync"
	"time"
)

// waking ends the waits of any number of goroutines at once. It is safe for concurrent use, and keeps
// nothing of those that wait.
type waking struct {
	mu    sync.Mutex
	woken chan struct{} // closed by the next wake; nil: nobody waits
}

// next returns a channel that the next wake closes.
func (w *waking) next() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.woken == nil {
		w.woken = make(chan struct{})
	}
	return w.woken
}

// wake ends all waits for the channels that next has returned.
func (w *waking) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.woken != nil {
		close(w.woken)
		w.woken = nil
	}
}

// pause waits, unless the context ends or woken is closed first. Nobody can wake it if woken is nil.
func pause(ctx context.Context, d time.Duration, woken <-chan struct{}) {
	select {
	case <-ctx.Done():
	case <-woken:
	case <-time.After(d):
	}
}
