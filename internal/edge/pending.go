//go:build !js

package edge

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"watchglass/internal/edge/oidc"
	"watchglass/internal/edge/session"
)

// pendingFor is how long a browser may stay at the provider.
const pendingFor = 10 * time.Minute

// pending is stored in a cookie while a browser is at the provider.
type pending struct {
	oidc.Pending
	Key     string // of the browser that started it
	To      string
	Context string
}

// pendingCookie returns the cookie of a pending sign-in. There may be several, in several tabs.
func (a *Authenticator) pendingCookie(state, value string, age time.Duration) *http.Cookie {
	return a.jar.Cookie(a.jar.Name+"-pending-"+session.ShortHash(state), value, int(age/time.Second))
}

// beginSignIn starts a sign-in. The response contains the address at the provider.
func (a *Authenticator) beginSignIn(w http.ResponseWriter, r *http.Request) {
	by, ok := a.checkPost(w, r, session.ForSignIn)
	if !ok {
		return
	}
	if a.oidc == nil {
		a.refuse(w, refusing(http.StatusNotFound, "mode", "No sign-in provider is configured here."))
		return
	}
	address, p, err := a.oidc.provider.Begin(r.Context())
	if err != nil {
		a.refuse(w, refusing(http.StatusBadGateway, "provider", "%v", err))
		return
	}
	q := r.URL.Query()
	sealed, err := a.sealPending(pending{p, by.key, a.destination(q.Get("to")), q.Get("c")})
	if err != nil {
		a.refuse(w, err)
		return
	}
	a.dropPending(w, r)
	http.SetCookie(w, a.pendingCookie(p.State, sealed, pendingFor))
	answerJSON(w, map[string]string{"to": address})
}

// mostPending is the maximum of pending sign-ins of a browser. Links from others can start them,
// and their cookies are sent with every request.
const mostPending = 3

// dropPending deletes cookies of pending sign-ins to make room for another.
func (a *Authenticator) dropPending(w http.ResponseWriter, r *http.Request) {
	n := 0
	for _, c := range r.Cookies() {
		if !strings.HasPrefix(c.Name, a.jar.Name+"-pending-") {
			continue
		}
		if n++; n >= mostPending {
			http.SetCookie(w, a.jar.Cookie(c.Name, "", -1))
		}
	}
}

// sealPending encrypts a pending sign-in. If the view does not fit into the cookie, it is left out:
// browsers silently drop cookies that are too long.
func (a *Authenticator) sealPending(p pending) (string, error) {
	for _, to := range []string{p.To, a.o.Base + "/"} {
		p.To = to
		plain, err := json.Marshal(p)
		if err != nil {
			return "", err
		}
		if sealed := a.o.Key.Seal("pending", plain); len(sealed) <= session.MaxCookie {
			return sealed, nil
		}
	}
	return "", refusing(http.StatusRequestURITooLong, "long", "The address is too long to sign in from. Open a shorter one.")
}

// Callback is where the provider sends the browser back to. The page there posts the provider's
// answer, with a proof that this browser started the sign-in: the cookie of another browser's
// sign-in may have been planted.
func (a *Authenticator) Callback() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case a.oidc == nil:
			http.NotFound(w, r)
		case r.Method == http.MethodPost:
			a.finishSignIn(w, r)
		default:
			a.serveSignIn(w, r, true)
		}
	})
}

// finishSignIn starts the session of a browser that comes back from the provider. The response contains
// the address that it wanted to open.
func (a *Authenticator) finishSignIn(w http.ResponseWriter, r *http.Request) {
	by, ok := a.checkPost(w, r, session.ForCallback)
	if !ok {
		return
	}
	p, err := a.pending(r)
	if err == nil && p.Key != by.key {
		err = errNotBegun
	}
	if err != nil {
		a.refuse(w, err)
		return
	}
	http.SetCookie(w, a.pendingCookie(p.State, "", -time.Second)) // it is valid once
	about := r.Clone(r.Context())
	about.URL.RawQuery = url.Values{"c": {p.Context}}.Encode()
	var s session.Session
	finish := func() (err error) {
		s, err = a.oidc.finish(about, p, r.URL.Query())
		return err
	}
	if r.URL.Query().Get("error") != "" { // it may be forged, and causes no request
		err = finish()
	} else {
		err = a.signIns.Do(r, finish)
	}
	if err == nil {
		s.Key = by.key
		err = a.store(w, about, map[string]string{}, a.current(about), s)
	}
	if err != nil {
		a.refuse(w, err)
		return
	}
	answerJSON(w, map[string]string{"to": p.To})
}

var errNotBegun = refusing(http.StatusBadRequest, "callback", "This browser did not start this sign-in, or started it too long ago. Sign in again.")

// pending returns the pending sign-in in a request's cookie.
func (a *Authenticator) pending(r *http.Request) (pending, error) {
	c, err := r.Cookie(a.pendingCookie(r.URL.Query().Get("state"), "", 0).Name)
	if err != nil {
		return pending{}, errNotBegun
	}
	plain, err := a.o.Key.Open("pending", c.Value)
	if err != nil {
		return pending{}, errNotBegun
	}
	var p pending
	return p, json.Unmarshal(plain, &p)
}
