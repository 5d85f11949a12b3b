package reflector

import (
	"cmp"
	"context"
	"math/rand/v2"
	"time"
)

// Backoff is the wait after failures. It doubles from First (default 800 ms) to Most (default
// 30 s), and starts over after Reset (default 2 min) without a failure; these defaults are
// client-go's. Each actual wait is random, between one and two times that.
type Backoff struct {
	First, Most, Reset time.Duration
	// Unreached replaces Most while the server cannot be reached, has just come back, or has no
	// such resource (default 2 s): a retry costs next to nothing, and somebody is waiting. Twice that, and
	// the time that a watch takes to open, has to be below the 5 s in which a tab is live again.
	Unreached time.Duration
	// Failing replaces Most while the server reports an internal failure, such as a conversion
	// webhook that is down (default 2.5 s): whoever repairs it is looking.
	Failing time.Duration
}

func (b Backoff) withDefaults() Backoff {
	return Backoff{
		First:     cmp.Or(b.First, 800*time.Millisecond),
		Most:      cmp.Or(b.Most, 30*time.Second),
		Reset:     cmp.Or(b.Reset, 2*time.Minute),
		Unreached: cmp.Or(b.Unreached, 2*time.Second),
		Failing:   cmp.Or(b.Failing, 2500*time.Millisecond),
	}
}

// backoff is the wait after the last failure.
type backoff struct {
	wait time.Duration
	last time.Time
}

// next returns the wait after one more failure, which is up to twice most.
func (b *backoff) next(o Backoff, most time.Duration, now time.Time) time.Duration {
	if now.Sub(b.last) > o.Reset {
		b.wait = 0
	}
	b.last = now
	b.wait = min(max(2*b.wait, o.First), most)
	return b.wait + rand.N(b.wait)
}

// sleep waits until the time is over, the context ends or wake has a value, and reports the last.
func sleep(ctx context.Context, d time.Duration, wake <-chan struct{}) (woken bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-wake:
		return true
	}
	return false
}
