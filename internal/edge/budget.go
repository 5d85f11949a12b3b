//go:build !js

package edge

import (
	"net/http"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// budget bounds how often the apiserver, or a provider, is asked who somebody is: by all
// sign-ins together, by those of each address, and by the renewals of each session. One
// address may spend a quarter of what all may. A failure costs it more than a success:
// somebody who tries tokens is slowed down long before others are.
type budget struct {
	fronts          []netip.Prefix // addresses behind which all clients may be
	signins, doubts *rate.Limiter
	addresses       *shares[netip.Addr]
	sessions        *shares[string]
}

const (
	asksEach = 20 // a second
	asksMost = 100
	// An address's share of that.
	shareEach = asksEach / 4
	shareMost = asksMost / 2
	// failureCosts is what a sign-in that fails takes of its address's share.
	failureCosts = 10
	// A session's renewals: one is due every ten minutes, and several tabs may be in doubt.
	renewEach = 0.5
	renewMost = 10
)

func newBudget(fronts []netip.Prefix) *budget {
	return &budget{
		fronts: fronts, signins: rate.NewLimiter(asksEach, asksMost), doubts: rate.NewLimiter(asksEach, asksMost),
		addresses: newShares[netip.Addr](shareEach, shareMost), sessions: newShares[string](renewEach, renewMost),
	}
}

var errBusy = refusing(http.StatusTooManyRequests, "rate", "Too many sign-ins just now. Try again in a moment.")

// ask asks who sends a request that signs in, if the budget allows it. What fails for no
// fault of the sender's costs no more than a success.
func (b *budget) ask(r *http.Request, who func() error) error {
	client, front := clientOf(r, b.fronts)
	if front { // nobody knows whose it is
		if !b.signins.Allow() {
			return errBusy
		}
		return who()
	}
	share := b.addresses.of(client)
	if !share.Allow() || !b.signins.Allow() {
		return errBusy
	}
	err := who()
	if err != nil && codeOf(err) < http.StatusInternalServerError {
		b.addresses.charge(share, failureCosts-1)
	}
	return err
}

// renew asks for a session that goes on, whatever others do. One in doubt, which may be
// asked about at any time, has a budget together with all others of these.
func (b *budget) renew(session string, doubt bool, who func() error) error {
	if !b.sessions.of(session).Allow() || doubt && !b.doubts.Allow() {
		return errBusy
	}
	return who()
}

// mostShares is how many keys have a share of their own. One more, and those that have their
// whole share again are forgotten; if there are none, newcomers share one.
const mostShares = 10_000

// shares are the same budget for each of many.
type shares[K comparable] struct {
	each rate.Limit
	most int

	mu sync.Mutex
	by map[K]*rate.Limiter
}

func newShares[K comparable](each rate.Limit, most int) *shares[K] {
	return &shares[K]{each: each, most: most, by: make(map[K]*rate.Limiter)}
}

// of is the share of a key.
func (s *shares[K]) of(key K) *rate.Limiter {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.by) >= mostShares {
		s.forget()
	}
	share, ok := s.by[key]
	if !ok && len(s.by) >= mostShares {
		var newcomers K
		key = newcomers
		share, ok = s.by[key]
	}
	if !ok {
		share = rate.NewLimiter(s.each, s.most)
		s.by[key] = share
	}
	return share
}

// forget drops the keys that have their whole share.
func (s *shares[K]) forget() {
	for key, share := range s.by {
		if share.Tokens() >= float64(s.most) {
			delete(s.by, key)
		}
	}
}

// charge takes more of a share, of which many at once may have taken: it owes no more than
// this, and so comes back soon.
func (s *shares[K]) charge(share *rate.Limiter, cost int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); share.TokensAt(now) > float64(-cost) {
		share.ReserveN(now, cost)
	}
}
