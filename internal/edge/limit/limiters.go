//go:build !js

package limit

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxLimiters is the maximum of keys with a limit of their own. Beyond it, keys that have not used
// theirs are dropped; if there are none, new keys have one limit in common.
const maxLimiters = 10_000

// limiters are rate limits by key.
type limiters[K comparable] struct {
	rate  rate.Limit
	burst int

	mu    sync.Mutex
	byKey map[K]*rate.Limiter
}

func newLimiters[K comparable](each rate.Limit, most int) *limiters[K] {
	return &limiters[K]{rate: each, burst: most, byKey: make(map[K]*rate.Limiter)}
}

// get returns the limiter of a key.
func (l *limiters[K]) get(key K) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.byKey) >= maxLimiters {
		l.dropFull()
	}
	limiter, ok := l.byKey[key]
	if !ok && len(l.byKey) >= maxLimiters {
		var newcomers K
		key = newcomers
		limiter, ok = l.byKey[key]
	}
	if !ok {
		limiter = rate.NewLimiter(l.rate, l.burst)
		l.byKey[key] = limiter
	}
	return limiter
}

// dropFull drops the keys that have not used their limit.
func (l *limiters[K]) dropFull() {
	for key, limiter := range l.byKey {
		if limiter.Tokens() >= float64(l.burst) {
			delete(l.byKey, key)
		}
	}
}

// charge adds a cost to what a limiter has let pass. Its debt never exceeds one charge, so that it recovers
// soon after many concurrent failures.
func (l *limiters[K]) charge(limiter *rate.Limiter, cost int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); limiter.TokensAt(now) > float64(-cost) {
		limiter.ReserveN(now, cost)
	}
}
