//go:build !js

package edge

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"watchglass/internal/edge/limit"
	"watchglass/internal/edge/oidc"
	"watchglass/internal/edge/session"
)

// oidcMode is oidc mode: an OpenID Connect provider signs users in.
type oidcMode struct {
	session.Life
	provider *oidc.Provider
	// verify asks the apiserver who the user of a token is. If it is nil, users are impersonated by
	// the names that the provider gives.
	verify  Verify
	place   func(r *http.Request) session.Place
	signIns *limit.SignIns
	log     *slog.Logger
	home    string // where the browser returns after signing out at the provider
}

// NewOpenID returns the authenticator of oidc mode. home is the address of the sign-in page.
func NewOpenID(o Options, provider *oidc.Provider, verify Verify, home string, log *slog.Logger) *Authenticator {
	m := &oidcMode{Life: o.Life, provider: provider, verify: verify, home: home, log: log}
	a := newAuthenticator(o, m)
	a.oidc, m.place, m.signIns = m, a.o.Place, a.signIns
	return a
}

func (*oidcMode) name() string { return "oidc" }

func (*oidcMode) framed() bool { return false }

func (m *oidcMode) login(r *http.Request, _ string, by caller) (session.Session, error) {
	now, had := time.Now(), by.session
	switch {
	case !by.proven:
		return session.Session{}, refusing(http.StatusUnauthorized, "session", "sign in")
	case !by.doubt && !had.Due(now):
		return *had, nil
	}
	var s session.Session
	err := m.signIns.Renew(had.ID, by.doubt, func() (err error) {
		s, err = m.refresh(r, *had, now)
		return err
	})
	return s, err
}

// refresh renews a session. If that fails after the provider has replaced the refresh token, it
// returns the session with the new token, and a tokenRotated error.
func (m *oidcMode) refresh(r *http.Request, had session.Session, now time.Time) (session.Session, error) {
	tokens, err := m.provider.Refresh(r.Context(), oidc.Tokens{ID: had.Bearer, Refresh: had.Refresh, Subject: had.Subject, User: had.User, Groups: had.Groups, Expires: had.TokenEnds})
	var s session.Session
	if err == nil {
		s, err = m.sessionOf(r, m.Renew(had, now), tokens)
	} else {
		err = refreshError(err)
	}
	if err != nil && tokens.Refresh != "" && tokens.Refresh != had.Refresh {
		s = had
		s.Refresh = tokens.Refresh
		return s, &tokenRotated{err}
	}
	return s, err
}

// tokenRotated is an error that comes with a session to store: it has a new refresh token, since the old
// one is used up.
type tokenRotated struct{ error }

func (s *tokenRotated) Unwrap() error { return s.error }

// refreshError distinguishes a session that is over from a provider that is unavailable.
func refreshError(err error) error {
	if errors.Is(err, oidc.ErrRefused) || errors.Is(err, oidc.ErrEnded) {
		return refusing(http.StatusUnauthorized, "provider", "%v", err)
	}
	return refusing(http.StatusBadGateway, "provider", "%v", err)
}

// sessionOf returns the session with the user and the tokens from the provider.
func (m *oidcMode) sessionOf(r *http.Request, s session.Session, t oidc.Tokens) (session.Session, error) {
	s.Refresh, s.Subject, s.TokenEnds = t.Refresh, t.Subject, t.Expires
	switch {
	case t.Refresh == "":
		s = s.RenewableUntil(t.Expires)
	case m.verify != nil: // otherwise the next refresh may end it
		s = s.EndBy(t.Expires)
	}
	if m.verify == nil {
		who, err := impersonable(t.User, t.Groups, m.log)
		s.User, s.Groups = who.User, who.Groups
		return s, err
	}
	who, err := m.verify(r.Context(), m.place(r).Context, t.ID)
	if errors.Is(err, ErrUnknown) {
		return session.Session{}, refusing(http.StatusForbidden, "token", "The provider signed you in, but the apiserver does not accept its tokens. An administrator can configure the issuer in the apiserver, or start Watchglass with --oidc-impersonate.")
	}
	if who, err = verified(who, err); err != nil {
		return session.Session{}, err
	}
	s.User, s.Groups, s.Bearer = who.User, who.Groups, t.ID
	return s, nil
}

func (*oidcMode) admit(_ *http.Request, s session.Session) (session.Session, error) { return s, nil }

// revokeWithin is the timeout for revoking a refresh token.
const revokeWithin = 10 * time.Second

// revoke revokes a session's refresh token at the provider, even if the browser has gone.
func (m *oidcMode) revoke(ctx context.Context, s session.Session) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), revokeWithin)
	defer cancel()
	if err := m.provider.Revoke(ctx, oidc.Tokens{ID: s.Bearer, Refresh: s.Refresh, Subject: s.Subject}); err != nil {
		m.log.Warn("refresh token not revoked at sign-out: it stays valid until it expires", "error", err)
	}
}

// finish returns the session of a provider's answer.
func (m *oidcMode) finish(r *http.Request, p pending, query url.Values) (session.Session, error) {
	tokens, err := m.provider.Finish(r.Context(), p.Pending, query)
	if err != nil {
		return session.Session{}, refreshError(err)
	}
	return m.sessionOf(r, m.Begin(time.Now()), tokens)
}
