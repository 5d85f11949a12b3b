//go:build !js

package edge

import (
	"net/http"
	"net/url"
	"strconv"
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
func (d *Door) audience(r *http.Request) session.Audience {
	return session.Audience{Origin: r.Header.Get("Origin"), Base: d.o.Base, Context: r.URL.Query().Get("c")}
}

// shown is what a request proves about the browser that sent it.
type shown struct {
	key    string           // of the browser, if any
	had    *session.Session // in its cookie, if any
	proven bool             // the cookie's session began in this browser
	doubt  bool             // the session may be invalid: renew it even if that is not due
}

// shows reads what a request proves. A wrong proof is an error, so that the browser retries with
// the right time instead of being signed in without a key.
func (d *Door) shows(r *http.Request, purpose session.Purpose) (shown, error) {
	s := shown{key: r.Header.Get(keyHeader), had: d.had(r), doubt: r.URL.Query().Get("doubt") != ""}
	proof := r.Header.Get(proofHeader)
	if s.key != "" {
		if err := session.VerifyProof(s.key, proof, purpose, d.audience(r), time.Now()); err != nil {
			return s, err
		}
	}
	if s.had != nil {
		s.proven = s.had.Key == s.key && (s.key != "" || d.o.Key.Proves(*s.had, proof))
	}
	return s, nil
}

// posted reads what a POST from one of our pages proves. It answers other requests itself; ok is
// false then.
func (d *Door) posted(w http.ResponseWriter, r *http.Request, purpose session.Purpose) (by shown, ok bool) {
	if no := d.ours(r, http.MethodPost); no != nil {
		d.refuse(w, no)
		return by, false
	}
	w.Header().Set(timeHeader, strconv.FormatInt(time.Now().UnixMilli(), 10))
	err := d.mayFrame(r)
	if err == nil {
		by, err = d.shows(r, purpose)
	}
	if err == nil && by.key == "" && d.bindable(r) {
		err = refusing(http.StatusUnauthorized, "key", "The browser sent no key, and sessions here are bound to one. Reload the page.")
	}
	if err != nil {
		d.refuse(w, err)
	}
	return by, err == nil
}

// Proves returns a function that checks the proof in the hello of the socket that r opens.
func (d *Door) Proves(r *http.Request, s session.Session) func(proof string) bool {
	place := d.audience(r)
	return func(proof string) bool {
		if s.Key == "" {
			return d.o.Key.Proves(s, proof)
		}
		return session.VerifyProof(s.Key, proof, session.ForSocket, place, time.Now()) == nil
	}
}

// bindable reports whether the browser that sent a request has WebCrypto. It does for https and
// for this machine.
func (d *Door) bindable(r *http.Request) bool {
	origin, err := url.Parse(r.Header.Get("Origin"))
	return err != nil || origin.Scheme == "https" || isLoopback(origin.Hostname())
}
