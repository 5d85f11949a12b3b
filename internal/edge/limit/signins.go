//go:build !js

package limit

import (
	"errors"
	"net/http"
	"net/netip"

	"golang.org/x/time/rate"
)

// SignIns limits requests to the apiserver, or to a provider, about who a user is: in total, per
// address, and per session for renewals. An address gets an eighth of the total rate. A failure costs
// an address more than a success, which slows down guessing of tokens long before it affects
// other addresses.
type SignIns struct {
	fronts      []netip.Prefix // addresses of reverse proxies, each with many clients
	blamed      func(err error) bool
	all, doubts *rate.Limiter
	addresses   *limiters[netip.Addr]
	sessions    *limiters[string]
}

// The limits: how many a second, and at once.
const (
	// In total: 200 people who come at once are asked about at once.
	SignInRate  = 40 // a second
	SignInBurst = 250
	// Of an address.
	AddressRate  = SignInRate / 8
	AddressBurst = SignInBurst / 5
	// FailureCost is what a failed sign-in costs its address.
	FailureCost = 10
	// The renewals of a session: one is due every ten minutes, and several tabs may ask early.
	renewRate  = 0.5
	RenewBurst = 10
)

// NewSignIns returns the limits of sign-ins. blamed reports whether the client is to blame for a failure: such
// failures cost it more.
func NewSignIns(fronts []netip.Prefix, blamed func(err error) bool) *SignIns {
	return &SignIns{
		fronts: fronts, blamed: blamed, all: rate.NewLimiter(SignInRate, SignInBurst), doubts: rate.NewLimiter(SignInRate, SignInBurst),
		addresses: newLimiters[netip.Addr](AddressRate, AddressBurst), sessions: newLimiters[string](renewRate, RenewBurst),
	}
}

// ErrSignIns says that there are too many sign-ins.
var ErrSignIns = errors.New("too many sign-ins")

// Do calls who, which asks who a user is, for a request that signs in, if the limits allow it.
func (s *SignIns) Do(r *http.Request, who func() error) error {
	client, front := clientOf(r, s.fronts)
	if front { // the client is unknown
		if !s.all.Allow() {
			return ErrSignIns
		}
		return who()
	}
	limiter := s.addresses.get(client)
	if !limiter.Allow() || !s.all.Allow() {
		return ErrSignIns
	}
	err := who()
	if err != nil && s.blamed(err) {
		s.addresses.charge(limiter, FailureCost-1)
	}
	return err
}

// Renew calls who for an existing session, regardless of sign-ins. Renewals in doubt, which can be
// requested at any time, also have a limit in common.
func (s *SignIns) Renew(session string, doubt bool, who func() error) error {
	if !s.sessions.get(session).Allow() || doubt && !s.doubts.Allow() {
		return ErrSignIns
	}
	return who()
}
