//go:build !js

package edge

import (
	"errors"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// budget limits requests to the apiserver, or to a provider, about who a user is: in total, per
// address, and per session for renewals. An address gets an eighth of the total rate. A failure costs
// an address more than a success, which slows down guessing of tokens long before it affects
// other addresses.
type budget struct {
	fronts          []netip.Prefix       // addresses of reverse proxies, each with many clients
	blamed          func(err error) bool // reports whether a failure is the client's fault
	signins, doubts *rate.Limiter
	addresses       *shares[netip.Addr]
	sessions        *shares[string]
}

const (
	// In total: 200 people who come at once are asked about at once.
	asksEach = 40 // a second
	asksMost = 250
	// The share of an address.
	shareEach = asksEach / 8
	shareMost = asksMost / 5
	// failureCosts is what a failed sign-in costs its address.
	failureCosts = 10
	// The renewals of a session: one is due every ten minutes, and several tabs may ask early.
	renewEach = 0.5
	renewMost = 10
)

func newBudget(fronts []netip.Prefix, blamed func(err error) bool) *budget {
	return &budget{
		fronts: fronts, blamed: blamed, signins: rate.NewLimiter(asksEach, asksMost), doubts: rate.NewLimiter(asksEach, asksMost),
		addresses: newShares[netip.Addr](shareEach, shareMost), sessions: newShares[string](renewEach, renewMost),
	}
}

var errBusy = errors.New("too many sign-ins")

// ask calls who for a request that signs in, if the budget allows it. A failure that is not the
// client's fault costs no more than a success.
func (b *budget) ask(r *http.Request, who func() error) error {
	client, front := clientOf(r, b.fronts)
	if front { // the client is unknown
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
	if err != nil && b.blamed(err) {
		b.addresses.charge(share, failureCosts-1)
	}
	return err
}

// renew calls who for an existing session, regardless of sign-ins. Renewals in doubt, which can be
// requested at any time, also share a budget.
func (b *budget) renew(session string, doubt bool, who func() error) error {
	if !b.sessions.of(session).Allow() || doubt && !b.doubts.Allow() {
		return errBusy
	}
	return who()
}

// mostShares is the maximum of keys with their own share. Beyond it, keys that have not used
// their share are dropped; if there are none, new keys have one share in common.
const mostShares = 10_000

// shares is a rate limit per key.
type shares[K comparable] struct {
	each rate.Limit
	most int

	mu sync.Mutex
	by map[K]*rate.Limiter
}

func newShares[K comparable](each rate.Limit, most int) *shares[K] {
	return &shares[K]{each: each, most: most, by: make(map[K]*rate.Limiter)}
}

// of returns the share of a key.
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

// forget drops the keys that have not used their share.
func (s *shares[K]) forget() {
	for key, share := range s.by {
		if share.Tokens() >= float64(s.most) {
			delete(s.by, key)
		}
	}
}

// charge takes the cost from a share. The debt of a share never exceeds one charge, so that it
// recovers soon after many concurrent failures.
func (s *shares[K]) charge(share *rate.Limiter, cost int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); share.TokensAt(now) > float64(-cost) {
		share.ReserveN(now, cost)
	}
}
