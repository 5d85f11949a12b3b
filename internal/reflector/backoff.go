package reflector

import (
	"context"
	"math/rand/v2"
	"time"
)

// backoff is the wait after failures: doubling, with jitter, and forgotten
// after a while without one. The figures are client-go's.
type backoff struct {
	wait time.Duration
	last time.Time
}

const (
	backoffFirst = 800 * time.Millisecond
	backoffMost  = 30 * time.Second
	backoffReset = 2 * time.Minute
)

func (b *backoff) next(now time.Time) time.Duration {
	if now.Sub(b.last) > backoffReset {
		b.wait = 0
	}
	b.last = now
	b.wait = min(max(2*b.wait, backoffFirst), backoffMost)
	return b.wait + rand.N(b.wait)
}

// sleep waits, unless the context ends or somebody wakes it.
func sleep(ctx context.Context, d time.Duration, wake <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-wake:
	}
}
