package reflector

import (
	"context"
	"errors"
	"sync"
	"time"
)

// A watch that is resumed brings first what happened meanwhile: its backlog. Until that is in the
// store, the objects are older than what the server has answered, and the source is not live. The
// backlog ends with the version that the server had when it was verified. A kind in which nothing
// happens does not reach that version, so it also ends when nothing more comes. The next watch goes
// on with a backlog if the server ends the watch, as it does if that is read too slowly.

// backlog is what a resumed watch brings before it is live. A nil one is read.
type backlog struct {
	newest string        // the version that the server had
	over   chan struct{} // closed once it is read

	mu              sync.Mutex
	handed, applied int           // batches that the sink was given, and that are in the store
	last            int           // how many were handed over when newest was reached; -1 until then
	quiet           time.Duration // how long nothing has come, with all of it in the store
	stalled         bool          // the last wait took much longer than it should
}

func newBacklog(newest string) *backlog {
	return &backlog{newest: newest, over: make(chan struct{}), last: -1}
}

// await waits until the backlog is read, or the context ends.
func (b *backlog) await(ctx context.Context) {
	if b == nil {
		return
	}
	select {
	case <-b.over:
	case <-ctx.Done():
	}
}

// handOver notes a batch. The function that it returns has to be called when that is in the store.
func (b *backlog) handOver() (applied func()) {
	if b == nil {
		return func() {}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.handed++
	b.quiet, b.stalled = 0, false
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.applied++
	}
}

// reached reports whether all up to the version that the server had is in the store.
func (b *backlog) reached(version string) bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.last < 0 && !older(version, b.newest) {
		b.last = b.handed
	}
	return b.last >= 0 && b.applied >= b.last
}

// silent notes that nothing came during a wait of pauseStep, and reports whether that has been so for a
// while. A wait does not count while the server may be waiting for credit, or if it is the first that took
// much longer: a tab has one thread, and what came meanwhile may not have been read. If all waits take that
// long, they have to be as many as for the longest pause.
func (b *backlog) silent(waited, pause time.Duration) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	again := b.stalled
	b.stalled = waited > 2*pauseStep
	if b.applied != b.handed || b.stalled && !again {
		b.quiet = 0
		return false
	}
	if b.stalled {
		pause = pauseMost
	}
	b.quiet += pauseStep
	return b.quiet >= pause
}

// step returns how long to wait for more of a backlog before looking at it again.
func (b *backlog) step() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.last >= 0 {
		return applyStep
	}
	return pauseStep
}

// After a backlog, nothing comes for half the time that it has been coming, but for pauseLeast at least and
// pauseMost at most. It is waited for in steps.
const (
	pauseLeast = 150 * time.Millisecond
	pauseMost  = 3 * time.Second
	pauseStep  = 50 * time.Millisecond
	// applyStep is how often the store is looked at that has yet to apply the end of a backlog.
	applyStep = 5 * time.Millisecond
)

// errPaused ends a wait for more of a backlog.
var errPaused = errors.New("nothing more comes")

// pause returns how long nothing comes once the backlog of a watch is read.
func (w *watching) pause() time.Duration {
	if w.events == 0 {
		return pauseLeast
	}
	return min(max(pauseLeast, w.last.Sub(w.first)/2), pauseMost)
}

// caughtUp ends the backlog: the watch is live.
func (r *Reflector[T]) caughtUp(w *watching) {
	close(w.backlog.over)
	w.backlog, r.position.newest = nil, ""
	r.setPhase(Watching)
}
