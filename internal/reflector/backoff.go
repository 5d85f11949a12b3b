package reflector

import (
	"cmp"
	"context"
	"math/rand/v2"
	"time"
)

// Backoff is the wait after failures: it doubles from First to Most, and is
// forgotten when there was none for Reset. Each wait is drawn from one to two
// times that. What is zero is client-go's: 800 ms, 30 s, 2 min.
type Backoff struct {
	First, Most, Reset time.Duration
	// Unreached is the most while the server cannot be reached, is only just back,
	// or has no such resource: trying costs next to nothing, and somebody waits for
	// it to come back. 4 s.
	Unreached time.Duration
	// Failing is the most while the server says that it cannot do what it is asked,
	// as where a conversion webhook is down: whoever mends it looks on. 2.5 s.
	Failing time.Duration
}

func (b Backoff) withDefaults() Backoff {
	return Backoff{
		First:     cmp.Or(b.First, 800*time.Millisecond),
		Most:      cmp.Or(b.Most, 30*time.Second),
		Reset:     cmp.Or(b.Reset, 2*time.Minute),
		Unreached: cmp.Or(b.Unreached, 4*time.Second),
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
