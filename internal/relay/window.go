//go:build !js

package relay

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"watchglass/internal/wire"
)

// window is how much may be on its way to the tab: sent and not yet credited.
// It lets one frame over, since a frame may be larger than the window: as soon
// as all that is out may be the rest that the tab keeps back. The connection's
// window needs no more than that: all streams' rests and a frame fit into it.
type window struct {
	mu     sync.Mutex
	max    int
	sent   int
	change chan struct{} // closed at the next credit, if somebody waits
}

// creditWithin is how long a tab may credit nothing while a frame waits for it: 8 MB take
// that long at 220 kbit/s.
const creditWithin = 5 * time.Minute

// errNotTaken ends a stream whose tab does not take what it asked for: what waits for the
// tab takes room that others wait for.
var errNotTaken = errors.New("the page takes nothing of the answer")

// take waits until there is room, and takes n bytes of it. It gives up if the tab credits
// nothing for a long time; a slow one that credits a little now and then may go on.
func (w *window) take(ctx context.Context, n int) error {
	for {
		w.mu.Lock()
		if w.sent < wire.CreditStep || w.sent+n <= w.max {
			w.sent += n
			w.mu.Unlock()
			return nil
		}
		if w.change == nil {
			w.change = make(chan struct{})
		}
		change := w.change
		w.mu.Unlock()
		select {
		case <-change:
		case <-time.After(creditWithin):
			return fmt.Errorf("%w in %v", errNotTaken, creditWithin)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// credit gives n bytes back. It never gives back more than was taken: a tab
// cannot widen its window.
func (w *window) credit(n int) (given int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	given = min(n, w.sent)
	w.sent -= given
	if w.change != nil {
		close(w.change)
		w.change = nil
	}
	return given
}

// widen sets how much may be on its way.
func (w *window) widen(most int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.max = most
}

// drain empties the window and tells how much was out.
func (w *window) drain() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := w.sent
	w.sent = 0
	return out
}
