//go:build !js

package edge

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"watchglass/internal/edge/oidc"
)

// openid is oidc mode: a provider of OpenID Connect says who users are.
type openid struct {
	provider *oidc.Provider
	life     Life
	// verify asks the apiserver whether it knows the provider's tokens; without it,
	// users are impersonated by the names that the provider gives.
	verify Verify
	place  func(r *http.Request) Place
	budget *budget
	log    *slog.Logger
	home   string // where to be after the provider has ended its own session
}

// NewOpenID returns the door of oidc mode. Home is the sign-in page's address.
func NewOpenID(o Options, provider *oidc.Provider, verify Verify, home string, log *slog.Logger) *Door {
	m := &openid{provider: provider, life: o.Life, verify: verify, home: home, log: log}
	d := newDoor(o, m)
	m.place, m.budget = d.o.Place, d.budget
	return d
}

func (*openid) name() string { return "oidc" }

func (m *openid) login(r *http.Request, _ string, had *Session, how how) (Session, error) {
	now := time.Now()
	switch {
	case had == nil || !how.proven:
		return Session{}, refusing(http.StatusUnauthorized, "session", "sign in")
	case !how.doubt && !had.due(now):
		return *had, nil
	}
	if err := m.budget.spend(true, how); err != nil {
		return Session{}, err
	}
	tokens, err := m.provider.Refresh(r.Context(), oidc.Tokens{ID: had.Bearer, Refresh: had.Refresh, Subject: had.Subject, User: had.User, Groups: had.Groups, Expires: had.TokenEnds})
	var s Session
	if err == nil {
		s, err = m.of(r, m.life.renewed(*had, now), tokens)
	} else {
		err = unrefreshed(err)
	}
	if err != nil && tokens.Refresh != "" && tokens.Refresh != had.Refresh { // the old one is spent, whatever went wrong then
		s = *had
		s.Refresh = tokens.Refresh
		return s, &spent{err}
	}
	return s, err
}

// spent is an error behind which there is a session to keep all the same: it holds what
// has taken the place of what it held.
type spent struct{ error }

func (s *spent) Unwrap() error { return s.error }

// unrefreshed says whether a session is over, or its provider is not there just now.
func unrefreshed(err error) error {
	if errors.Is(err, oidc.ErrRefused) || errors.Is(err, oidc.ErrEnded) {
		return refusing(http.StatusUnauthorized, "provider", "%v", err)
	}
	return refusing(http.StatusBadGateway, "provider", "%v", err)
}

// of is the session with what the provider said.
func (m *openid) of(r *http.Request, s Session, t oidc.Tokens) (Session, error) {
	s.Refresh, s.Subject, s.TokenEnds = t.Refresh, t.Subject, t.Expires
	switch {
	case t.Refresh == "":
		s = s.over(t.Expires)
	case m.verify != nil: // else it is the next refresh that may end it
		s = s.endsBy(t.Expires)
	}
	if m.verify == nil {
		who, err := impersonable(t.User, t.Groups, m.log)
		s.User, s.Groups = who.User, who.Groups
		return s, err
	}
	who, err := m.verify(r.Context(), m.place(r).Context, t.ID)
	if errors.Is(err, ErrUnknown) {
		return Session{}, refusing(http.StatusForbidden, "token", "the provider has signed you in, but the apiserver does not accept its tokens. An administrator has to make the issuer known to the apiserver, or start Watchglass with --oidc-impersonate")
	}
	if err != nil {
		return Session{}, unverified(err)
	}
	s.User, s.Groups, s.Bearer = who.User, who.Groups, t.ID
	return s, nil
}

func (*openid) admit(_ *http.Request, s Session) (Session, error) { return s, nil }

// revokeWithin bounds how long a provider may take to forget a session.
const revokeWithin = 10 * time.Second

// revoke has the provider forget a session, though the browser has gone.
func (m *openid) revoke(ctx context.Context, s Session) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), revokeWithin)
	defer cancel()
	if err := m.provider.Revoke(ctx, oidc.Tokens{ID: s.Bearer, Refresh: s.Refresh, Subject: s.Subject}); err != nil {
		m.log.Warn("the provider was not told of a logout; its refresh token goes on until it expires", "error", err)
	}
}

// pendingFor is how long a browser may take at the provider.
const pendingFor = 10 * time.Minute

// pending is what a browser holds while it is at the provider.
type pending struct {
	oidc.Pending
	To      string
	Context string
	Had     *Session // by its ID and user: with who comes from elsewhere, its cookie does not come
}

// pendingCookie is one for each sign-in that is under way: several tabs may be at it.
func (d *Door) pendingCookie(state, value string, age time.Duration) *http.Cookie {
	return &http.Cookie{
		Name: d.jar.name + "-pending-" + short(state), Value: value, Path: "/", MaxAge: int(age / time.Second), HttpOnly: true, Secure: d.jar.secure,
		SameSite: http.SameSiteLaxMode, // the provider sends the browser back from elsewhere
	}
}

// leave sends the browser to the provider.
func (d *Door) leave(w http.ResponseWriter, r *http.Request, m *openid) {
	address, p, err := m.provider.Begin(r.Context())
	if err != nil {
		d.show(w, r, http.StatusBadGateway, err.Error())
		return
	}
	had := d.had(r)
	if had != nil {
		had = &Session{ID: had.ID, User: had.User}
	}
	plain, err := json.Marshal(pending{p, d.destination(r.URL.Query().Get("to")), r.URL.Query().Get("c"), had})
	if err != nil {
		d.show(w, r, http.StatusInternalServerError, err.Error())
		return
	}
	http.SetCookie(w, d.pendingCookie(p.State, d.o.Key.seal("pending", plain), pendingFor))
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, address, http.StatusSeeOther)
}

// Callback is where the provider sends the browser back to.
func (d *Door) Callback() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m, ok := d.mode.(*openid)
		if no := d.reading(r); no != nil || !ok {
			http.NotFound(w, r)
			return
		}
		p, err := d.pending(r)
		if err == nil {
			err = d.budget.spend(false, how{})
		}
		if err != nil {
			d.o.Refused("callback")
			d.show(w, r, codeOf(err), err.Error())
			return
		}
		http.SetCookie(w, d.pendingCookie(p.State, "", -time.Second)) // it serves once
		query := r.URL.Query()
		about := r.Clone(r.Context())
		about.URL.RawQuery = url.Values{"c": {p.Context}, "to": {p.To}}.Encode()
		s, err := m.finish(about, p, query)
		if err == nil {
			err = d.keep(w, about, p.Had, s)
		}
		if err != nil {
			d.o.Refused("callback")
			d.show(w, about, codeOf(err), err.Error())
			return
		}
		d.enter(w, p.To, s)
	})
}

// pending is what the browser held while it was at the provider.
func (d *Door) pending(r *http.Request) (pending, error) {
	c, err := r.Cookie(d.pendingCookie(r.URL.Query().Get("state"), "", 0).Name)
	if err != nil {
		return pending{}, refusing(http.StatusBadRequest, "callback", "this browser did not begin to sign in here, or did so too long ago: begin again")
	}
	plain, err := d.o.Key.open("pending", c.Value)
	if err != nil {
		return pending{}, refusing(http.StatusBadRequest, "callback", "what this browser holds of its sign-in is not ours: begin again")
	}
	var p pending
	return p, json.Unmarshal(plain, &p)
}

// finish makes a session of what the provider sent the browser back with.
func (m *openid) finish(r *http.Request, p pending, query url.Values) (Session, error) {
	tokens, err := m.provider.Finish(r.Context(), p.Pending, query)
	if err != nil {
		return Session{}, unrefreshed(err)
	}
	return m.of(r, m.life.begun(time.Now()), tokens)
}
