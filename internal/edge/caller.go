//go:build !js

package edge

import (
	"net/http"
	"net/url"
	"time"

	"watchglass/internal/edge/session"
)

// Headers of requests that sign in, renew or sign out. Pages of other origins cannot send them.
const (
	keyHeader   = "Watchglass-Key"   // the browser's public key
	proofHeader = "Watchglass-Proof" // its proof; without a key, the proof in the login's response
	timeHeader  = "Watchglass-Time"  // in the response: our clock in milliseconds, for browsers whose clock differs
)

// audience returns the audience of a request, whose Origin has been checked.
func (a *Authenticator) audience(r *http.Request) session.Audience {
	return session.Audience{Origin: r.Header.Get("Origin"), Base: a.o.Base, Context: r.URL.Query().Get("c")}
}

// caller is what a request proves about the browser that sent it.
type caller struct {
	key     string           // of the browser, if any
	session *session.Session // in its cookie, if any
	proven  bool             // the cookie's session began in this browser
	doubt   bool             // the session may be invalid: renew it even if that is not due
}

// caller reads what a request proves. A wrong proof is an error, so that the browser retries with
// the right time instead of being signed in without a key.
func (a *Authenticator) caller(r *http.Request, purpose session.Purpose) (caller, error) {
	by := caller{key: r.Header.Get(keyHeader), session: a.current(r), doubt: r.URL.Query().Get("doubt") != ""}
	proof := r.Header.Get(proofHeader)
	if by.key != "" {
		if err := session.VerifyProof(by.key, proof, purpose, a.audience(r), time.Now()); err != nil {
			return by, err
		}
	}
	if by.session != nil {
		by.proven = by.session.Key == by.key && (by.key != "" || a.o.Key.Proves(*by.session, proof))
	}
	return by, nil
}

// Proves returns a function that checks the proof in the hello of the socket that r opens.
func (a *Authenticator) Proves(r *http.Request, s session.Session) func(proof string) bool {
	place := a.audience(r)
	return func(proof string) bool {
		if s.Key == "" {
			return a.o.Key.Proves(s, proof)
		}
		return session.VerifyProof(s.Key, proof, session.ForSocket, place, time.Now()) == nil
	}
}

// bindable reports whether the browser that sent a request has WebCrypto. It does for https and
// for this machine.
func (a *Authenticator) bindable(r *http.Request) bool {
	origin, err := url.Parse(r.Header.Get("Origin"))
	return err != nil || origin.Scheme == "https" || isLoopback(origin.Hostname())
}
