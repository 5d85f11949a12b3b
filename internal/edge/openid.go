//go:build !js

package edge

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"watchglass/internal/edge/oidc"
)

// openid is oidc mode: an OpenID Connect provider signs users in.
type openid struct {
	provider *oidc.Provider
	life     Life
	// verify asks the apiserver who the user of a token is. If it is nil, users are impersonated by
	// the names that the provider gives.
	verify Verify
	place  func(r *http.Request) Place
	budget *budget
	log    *slog.Logger
	home   string // where the browser returns after signing out at the provider
}

// NewOpenID returns the door of oidc mode. home is the address of the sign-in page.
func NewOpenID(o Options, provider *oidc.Provider, verify Verify, home string, log *slog.Logger) *Door {
	m := &openid{provider: provider, life: o.Life, verify: verify, home: home, log: log}
	d := newDoor(o, m)
	m.place, m.budget = d.o.Place, d.budget
	return d
}

func (*openid) name() string { return "oidc" }

func (m *openid) login(r *http.Request, _ string, by shown) (Session, error) {
	now, had := time.Now(), by.had
	switch {
	case !by.proven:
		return Session{}, refusing(http.StatusUnauthorized, "session", "sign in")
	case !by.doubt && !had.due(now):
		return *had, nil
	}
	var s Session
	err := m.budget.renew(had.ID, by.doubt, func() (err error) {
		s, err = m.refresh(r, *had, now)
		return err
	})
	return s, err
}

// refresh renews a session. If that fails after the provider has replaced the refresh token, it
// returns the session with the new token, and a spent error.
func (m *openid) refresh(r *http.Request, had Session, now time.Time) (Session, error) {
	tokens, err := m.provider.Refresh(r.Context(), oidc.Tokens{ID: had.Bearer, Refresh: had.Refresh, Subject: had.Subject, User: had.User, Groups: had.Groups, Expires: had.TokenEnds})
	var s Session
	if err == nil {
		s, err = m.of(r, m.life.renewed(had, now), tokens)
	} else {
		err = unrefreshed(err)
	}
	if err != nil && tokens.Refresh != "" && tokens.Refresh != had.Refresh {
		s = had
		s.Refresh = tokens.Refresh
		return s, &spent{err}
	}
	return s, err
}

// spent is an error that comes with a session to store: it has a new refresh token, since the old
// one is used up.
type spent struct{ error }

func (s *spent) Unwrap() error { return s.error }

// unrefreshed distinguishes a session that is over from a provider that is unavailable.
func unrefreshed(err error) error {
	if errors.Is(err, oidc.ErrRefused) || errors.Is(err, oidc.ErrEnded) {
		return refusing(http.StatusUnauthorized, "provider", "%v", err)
	}
	return refusing(http.StatusBadGateway, "provider", "%v", err)
}

// of returns the session with the user and the tokens from the provider.
func (m *openid) of(r *http.Request, s Session, t oidc.Tokens) (Session, error) {
	s.Refresh, s.Subject, s.TokenEnds = t.Refresh, t.Subject, t.Expires
	switch {
	case t.Refresh == "":
		s = s.over(t.Expires)
	case m.verify != nil: // otherwise the next refresh may end it
		s = s.endsBy(t.Expires)
	}
	if m.verify == nil {
		who, err := impersonable(t.User, t.Groups, m.log)
		s.User, s.Groups = who.User, who.Groups
		return s, err
	}
	who, err := m.verify(r.Context(), m.place(r).Context, t.ID)
	if errors.Is(err, ErrUnknown) {
		return Session{}, refusing(http.StatusForbidden, "token", "The provider signed you in, but the apiserver does not accept its tokens. An administrator can configure the issuer in the apiserver, or start Watchglass with --oidc-impersonate.")
	}
	if who, err = verified(who, err); err != nil {
		return Session{}, err
	}
	s.User, s.Groups, s.Bearer = who.User, who.Groups, t.ID
	return s, nil
}

func (*openid) admit(_ *http.Request, s Session) (Session, error) { return s, nil }

// revokeWithin is the timeout for revoking a refresh token.
const revokeWithin = 10 * time.Second

// revoke revokes a session's refresh token at the provider, even if the browser has gone.
func (m *openid) revoke(ctx context.Context, s Session) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), revokeWithin)
	defer cancel()
	if err := m.provider.Revoke(ctx, oidc.Tokens{ID: s.Bearer, Refresh: s.Refresh, Subject: s.Subject}); err != nil {
		m.log.Warn("refresh token not revoked at sign-out: it stays valid until it expires", "error", err)
	}
}

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
	return &http.Cookie{
		Name: d.jar.name + "-pending-" + short(state), Value: value, Path: "/", MaxAge: int(age / time.Second), HttpOnly: true, Secure: d.jar.secure,
		SameSite: http.SameSiteStrictMode,
	}
}

// begin starts a sign-in. The response contains the address at the provider.
func (d *Door) begin(w http.ResponseWriter, r *http.Request) {
	by, ok := d.posted(w, r, ForSignIn)
	if !ok {
		return
	}
	m, ok := d.mode.(*openid)
	if !ok {
		d.refuse(w, refusing(http.StatusNotFound, "mode", "No sign-in provider is configured here."))
		return
	}
	address, p, err := m.provider.Begin(r.Context())
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
		if !strings.HasPrefix(c.Name, d.jar.name+"-pending-") {
			continue
		}
		if n++; n >= mostPending {
			http.SetCookie(w, &http.Cookie{Name: c.Name, Path: "/", MaxAge: -1, HttpOnly: true, Secure: d.jar.secure, SameSite: http.SameSiteStrictMode})
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
		if sealed := d.o.Key.seal("pending", plain); len(sealed) <= cookiePart {
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
		m, ok := d.mode.(*openid)
		switch {
		case !ok:
			http.NotFound(w, r)
		case r.Method == http.MethodPost:
			d.returned(w, r, m)
		default:
			d.show(w, r, true)
		}
	})
}

// returned starts the session of a browser that comes back from the provider. The response contains
// the address that it wanted to open.
func (d *Door) returned(w http.ResponseWriter, r *http.Request, m *openid) {
	by, ok := d.posted(w, r, ForCallback)
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
	var s Session
	finish := func() (err error) {
		s, err = m.finish(about, p, r.URL.Query())
		return err
	}
	if r.URL.Query().Get("error") != "" { // it may be forged, and causes no request
		err = finish()
	} else {
		err = d.budget.ask(r, finish)
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
	plain, err := d.o.Key.open("pending", c.Value)
	if err != nil {
		return pending{}, errNotBegun
	}
	var p pending
	return p, json.Unmarshal(plain, &p)
}

// finish returns the session of a provider's answer.
func (m *openid) finish(r *http.Request, p pending, query url.Values) (Session, error) {
	tokens, err := m.provider.Finish(r.Context(), p.Pending, query)
	if err != nil {
		return Session{}, unrefreshed(err)
	}
	return m.of(r, m.life.begun(time.Now()), tokens)
}
