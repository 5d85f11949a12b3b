//go:build !js

package session

import "time"

// Session is a signed-in user. It is immutable. It is stored in a cookie, so its JSON names are
// short.
type Session struct {
	ID string `json:"i"`
	// Key is the public key of the browser that the session is bound to. Without a key, the page
	// stores a proof instead (see Key.Proof).
	Key string `json:"k,omitempty"`
	// User and Groups as named by the apiserver, the provider or the front.
	User   string   `json:"u,omitempty"`
	Groups []string `json:"g,omitempty"`
	// Bearer is the token of the user's requests to the apiserver, unless they impersonate.
	Bearer string `json:"b,omitempty"`
	// Refresh and Subject are from the provider. TokenEnds is when its ID token expires.
	Refresh   string    `json:"r,omitempty"`
	Subject   string    `json:"s,omitempty"`
	TokenEnds time.Time `json:"t,omitzero"`
	// Made is when it was created or last renewed. Expires is when its cookie and its sockets end.
	// Until is when it cannot be renewed anymore.
	Made    time.Time `json:"m"`
	Expires time.Time `json:"e"`
	Until   time.Time `json:"l,omitzero"`
}

// Renew returns when to renew the session: well before its end, or at its end if it cannot be
// extended.
func (s Session) Renew() time.Time {
	if !s.Until.IsZero() && !s.Expires.Before(s.Until) {
		return s.Expires
	}
	return s.Made.Add(s.Expires.Sub(s.Made) * 7 / 10)
}

// Name returns a short name of the session for logs. It is not a secret.
func (s Session) Name() string { return ShortHash(s.ID) }

// Life is how long sessions last: without renewal, and in total.
type Life struct{ Session, Most time.Duration }

// Begin returns a new session.
func (l Life) Begin(now time.Time) Session {
	s := Session{ID: NewSecret(), Made: now, Expires: now.Add(l.Session)}
	if l.Most > 0 {
		s.Until = now.Add(l.Most)
		s = s.EndBy(s.Until)
	}
	return s
}

// LastEnd returns when the last copy of a session expires, if none is renewed after now.
func (l Life) LastEnd(s Session, now time.Time) time.Time {
	if last := now.Add(l.Session); s.Until.IsZero() || last.Before(s.Until) {
		return last
	}
	return s.Until
}

// Renew returns the session extended from now, at most until it cannot be renewed.
func (l Life) Renew(s Session, now time.Time) Session {
	s.Made, s.Expires = now, now.Add(l.Session)
	return s.EndBy(s.Until)
}

// EndBy returns the session, expiring at t at the latest unless t is zero.
func (s Session) EndBy(t time.Time) Session {
	if !t.IsZero() && t.Before(s.Expires) {
		s.Expires = t
	}
	return s
}

// RenewableUntil returns the session, not to be renewed beyond t unless t is zero.
func (s Session) RenewableUntil(t time.Time) Session {
	if !t.IsZero() && (s.Until.IsZero() || t.Before(s.Until)) {
		s.Until = t
	}
	return s.EndBy(s.Until)
}

// Due reports whether it is time to renew the session.
func (s Session) Due(now time.Time) bool { return !now.Before(s.Renew()) }
