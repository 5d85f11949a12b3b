//go:build !js

package relay

import (
	"context"
	"sync"
	"time"
)

// permit is a user's right to a stream, and when the apiserver last confirmed it. Nothing passes once
// that is too long ago. So a stream never outlives its right, and while the apiserver does not answer it is
// paused, and goes on afterwards. The zero value lasts forever.
type permit struct {
	within time.Duration // how long a confirmation lasts

	mu     sync.Mutex
	asked  time.Time // when the request was sent that confirmed it last; zero before the first
	change signal    // at the next confirmation
}

// confirm notes that a request that was sent at a time confirmed the right.
func (p *permit) confirm(asked time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if asked.After(p.asked) {
		p.asked = asked
	}
	p.change.notifyLocked()
}

// confirmed returns when the right was last confirmed. It is zero if the request has not been answered.
func (p *permit) confirmed() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

// overdue returns for how long the stream has been paused.
func (p *permit) overdue(now time.Time) time.Duration {
	asked := p.confirmed()
	if p.within == 0 || asked.IsZero() {
		return 0
	}
	return max(now.Sub(asked)-p.within, 0)
}

// wait waits while the stream is paused.
func (p *permit) wait(ctx context.Context) error {
	for p.overdue(time.Now()) > 0 {
		p.mu.Lock()
		change := p.change.nextLocked()
		p.mu.Unlock()
		if p.overdue(time.Now()) == 0 { // confirmed meanwhile
			return nil
		}
		select {
		case <-change:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}
