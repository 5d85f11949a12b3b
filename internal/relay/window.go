//go:build !js

package relay

import (
	"context"
	"errors"
	"sync"
	"time"

	"watchglass/internal/wire"
)

// window limits what may be on its way to the tab: sent and not yet credited. While less than
// CreditStep is outstanding, which the tab may never credit, a frame of any size may pass:
// otherwise a frame larger than the window would wait forever. The window of the connection
// needs no such rule, since it has room for all streams' remainders and a frame.
type window struct {
	mu     sync.Mutex
	max    int
	sent   int
	change signal // at the next credit
}

// creditWithin is how long a tab may credit nothing while a frame waits for it: 8 MB take
// that long at 220 kbit/s.
const creditWithin = 5 * time.Minute

// errUnread ends a stream that its tab does not read: what waits for the tab holds memory
// that others need.
var errUnread = errors.New("the page read nothing of the response for too long")

// reserve waits until there is room for n bytes, and reserves it. It gives up if the tab credits
// nothing for a long time; a slow tab that credits a little now and then may go on.
func (w *window) reserve(ctx context.Context, n int) error {
	for {
		w.mu.Lock()
		if w.sent < wire.CreditStep || w.sent+n <= w.max {
			w.sent += n
			w.mu.Unlock()
			return nil
		}
		change := w.change.nextLocked()
		w.mu.Unlock()
		select {
		case <-change:
		case <-time.After(creditWithin):
			return errUnread
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// credit returns n bytes to the window, but never more than were reserved, so that a tab cannot
// widen its window. It reports how many.
func (w *window) credit(n int) (given int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	given = min(n, w.sent)
	w.sent -= given
	w.change.notifyLocked()
	return given
}

// widen sets the size of the window.
func (w *window) widen(most int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.max = most
}

// early reports whether the window is that of an early stream whose tab has given no credit.
func (w *window) early() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.max == wire.EarlyWindow
}

// drain empties the window and returns how much was outstanding.
func (w *window) drain() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := w.sent
	w.sent = 0
	return out
}
