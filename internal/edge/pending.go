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
func (d *Door) pendingCookie(state, value string, age time.Duration) *http.Cookie {
	return d.jar.Cookie(d.jar.Name+"-pending-"+session.ShortHash(state), value, int(age/time.Second))
}

// begin starts a sign-in. The response contains the address at the provider.
func (d *Door) begin(w http.ResponseWriter, r *http.Request) {
	by, ok := d.posted(w, r, session.ForSignIn)
	if !ok {
		return
	}
	if d.openid == nil {
		d.refuse(w, refusing(http.StatusNotFound, "mode", "No sign-in provider is configured here."))
		return
	}
	address, p, err := d.openid.provider.Begin(r.Context())
	if err != nil {
		d.refuse(w, refusing(http.StatusBadGateway, "provider", "%v", err))
		return
	}
	q := r.URL.Query()
	sealed, err := d.held(pending{p, by.key, d.destination(q.Get("to")), q.Get("c")})
	if err != nil {
		d.refuse(w, err)
		return
	}
	d.dropPending(w, r)
	http.SetCookie(w, d.pendingCookie(p.State, sealed, pendingFor))
	answerWhole(w, map[string]string{"to": address})
}

// mostPending is the maximum of pending sign-ins of a browser. Links from others can start them,
// and their cookies are sent with every request.
const mostPending = 3

// dropPending deletes cookies of pending sign-ins to make room for another.
func (d *Door) dropPending(w http.ResponseWriter, r *http.Request) {
	n := 0
	for _, c := range r.Cookies() {
		if !strings.HasPrefix(c.Name, d.jar.Name+"-pending-") {
			continue
		}
		if n++; n >= mostPending {
			http.SetCookie(w, d.jar.Cookie(c.Name, "", -1))
		}
	}
}

// held encrypts a pending sign-in. If the view does not fit into the cookie, it is left out:
// browsers silently drop cookies that are too long.
func (d *Door) held(p pending) (string, error) {
	for _, to := range []string{p.To, d.o.Base + "/"} {
		p.To = to
		plain, err := json.Marshal(p)
		if err != nil {
			return "", err
		}
		if sealed := d.o.Key.Seal("pending", plain); len(sealed) <= session.MaxCookie {
			return sealed, nil
		}
	}
	return "", refusing(http.StatusRequestURITooLong, "long", "The address is too long to sign in from. Open a shorter one.")
}

// Callback is where the provider sends the browser back to. The page there posts the provider's
// answer, with a proof that this browser started the sign-in: the cookie of another browser's
// sign-in may have been planted.
func (d *Door) Callback() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case d.openid == nil:
			http.NotFound(w, r)
		case r.Method == http.MethodPost:
			d.returned(w, r)
		default:
			d.show(w, r, true)
		}
	})
}

// returned starts the session of a browser that comes back from the provider. The response contains
// the address that it wanted to open.
func (d *Door) returned(w http.ResponseWriter, r *http.Request) {
	by, ok := d.posted(w, r, session.ForCallback)
	if !ok {
		return
	}
	p, err := d.pending(r)
	if err == nil && p.Key != by.key {
		err = errNotBegun
	}
	if err != nil {
		d.refuse(w, err)
		return
	}
	http.SetCookie(w, d.pendingCookie(p.State, "", -time.Second)) // it is valid once
	about := r.Clone(r.Context())
	about.URL.RawQuery = url.Values{"c": {p.Context}}.Encode()
	var s session.Session
	finish := func() (err error) {
		s, err = d.openid.finish(about, p, r.URL.Query())
		return err
	}
	if r.URL.Query().Get("error") != "" { // it may be forged, and causes no request
		err = finish()
	} else {
		err = d.signIns.Do(r, finish)
	}
	if err == nil {
		s.Key = by.key
		err = d.keep(w, about, map[string]string{}, d.had(about), s)
	}
	if err != nil {
		d.refuse(w, err)
		return
	}
	answerWhole(w, map[string]string{"to": p.To})
}

var errNotBegun = refusing(http.StatusBadRequest, "callback", "This browser did not start this sign-in, or started it too long ago. Sign in again.")

// pending returns the pending sign-in in a request's cookie.
func (d *Door) pending(r *http.Request) (pending, error) {
	c, err := r.Cookie(d.pendingCookie(r.URL.Query().Get("state"), "", 0).Name)
	if err != nil {
		return pending{}, errNotBegun
	}
	plain, err := d.o.Key.Open("pending", c.Value)
	if err != nil {
		return pending{}, errNotBegun
	}
	var p pending
	return p, json.Unmarshal(plain, &p)
}
