//go:build !js

package oidc

import (
	"errors"
	"sync"
	"testing"
	"time"

	"watchglass/internal/edge/oidc/oidctest"
)

// TestStays keeps what the provider does not send anew.
func TestStays(t *testing.T) {
	without := func(name string) func(*oidctest.Settings) {
		return func(s *oidctest.Settings) {
			s.Answer = func(_ string, answer map[string]any) { delete(answer, name) }
		}
	}
	f := begin(t)
	tokens := f.signIn(t)
	f.idp.Change(without("refresh_token"))
	renewed, err := f.p.Refresh(t.Context(), tokens)
	if err != nil || renewed.Refresh != tokens.Refresh || renewed.ID == tokens.ID {
		t.Errorf("%+v, %v", renewed, err)
	}
	f = begin(t)
	tokens = f.signIn(t)
	f.idp.Change(without("id_token"))
	renewed, err = f.p.Refresh(t.Context(), tokens)
	if err != nil || renewed.Refresh == tokens.Refresh || renewed.ID != tokens.ID || renewed.User != tokens.User || !renewed.Expires.Equal(tokens.Expires) {
		t.Errorf("%+v, %v", renewed, err)
	}
	f.pass(6 * time.Minute)
	_, err = f.p.Refresh(t.Context(), renewed)
	f.refuses(t, err, ErrEnded, "the ID token has expired, and the provider sent no new one")
}

// TestNoRefresh ends with the ID token where there is no refresh token.
func TestNoRefresh(t *testing.T) {
	f := begin(t, func(_ *oidctest.Options, ours *Options) { ours.Scopes = []string{"openid"} })
	tokens := f.signIn(t)
	if tokens.Refresh != "" {
		t.Fatal("there is a refresh token")
	}
	if same, err := f.p.Refresh(t.Context(), tokens); err != nil || same.ID != tokens.ID {
		t.Errorf("%+v, %v", same, err)
	}
	if err := f.p.Revoke(t.Context(), tokens); err != nil {
		t.Error(err)
	}
	f.pass(6 * time.Minute)
	_, err := f.p.Refresh(t.Context(), tokens)
	f.refuses(t, err, ErrEnded, "there is no refresh token")
	if f.idp.Asked("/token") != 1 || f.idp.Asked("/revoke") != 0 {
		t.Error("the provider was asked about nothing")
	}
}

// TestAnother refuses a refresh that would make one user another.
func TestAnother(t *testing.T) {
	for name, c := range map[string]struct {
		claim, value, words string
	}{
		"subject": {"sub", "u-bob", "belongs to another user"},
		"issuer":  {"iss", "https://evil.example", "different provider"},
		"nonce":   {"nonce", "of another sign-in", "nonce belongs to another sign-in"},
	} {
		t.Run(name, func(t *testing.T) {
			f := begin(t)
			tokens := f.signIn(t)
			f.idp.Change(func(s *oidctest.Settings) { s.Draft = func(d *oidctest.Draft) { d.Claims[c.claim] = c.value } })
			renewed, err := f.p.Refresh(t.Context(), tokens)
			f.refuses(t, err, ErrRefused, c.words)
			if renewed.Refresh != "" {
				t.Error("there are tokens")
			}
		})
	}
	f := begin(t)
	tokens := f.signIn(t)
	f.idp.Change(func(s *oidctest.Settings) { s.Draft = func(d *oidctest.Draft) { delete(d.Claims, "nonce") } })
	if _, err := f.p.Refresh(t.Context(), tokens); err != nil {
		t.Errorf("a new ID token needs no nonce: %v", err)
	}
}

// TestDisabled ends with the next refresh.
func TestDisabled(t *testing.T) {
	f := begin(t)
	tokens := f.signIn(t)
	disabled := ann
	disabled.Disabled = true
	f.idp.Set(disabled)
	_, err := f.p.Refresh(t.Context(), tokens)
	f.refuses(t, err, ErrRefused, "may not sign in any more")
	pending, query := f.sent(t)
	_, err = f.p.Finish(t.Context(), pending, query)
	f.refuses(t, err, ErrRefused, "access_denied")
}

// TestRotation renews with ever new refresh tokens; an old one is refused, and
// ends the session.
func TestRotation(t *testing.T) {
	f := begin(t)
	first := f.signIn(t)
	last := first
	for range 3 {
		renewed, err := f.p.Refresh(t.Context(), last)
		if err != nil || renewed.Refresh == last.Refresh {
			t.Fatal(err)
		}
		last = renewed
	}
	_, err := f.p.Refresh(t.Context(), first)
	f.refuses(t, err, ErrRefused, "invalid_grant: the refresh token was used before")
	_, err = f.p.Refresh(t.Context(), last)
	f.refuses(t, err, ErrRefused, "invalid_grant: the session is over")
	if asked := f.idp.Asked("/token"); asked != 6 {
		t.Errorf("%d requests for tokens, not 6", asked)
	}
}

// TestRace renews twice at once: one of the two is refused.
func TestRace(t *testing.T) {
	f := begin(t)
	tokens := f.signIn(t)
	var errs [2]error
	var both sync.WaitGroup
	for i := range errs {
		both.Go(func() { _, errs[i] = f.p.Refresh(t.Context(), tokens) })
	}
	both.Wait()
	if (errs[0] == nil) == (errs[1] == nil) {
		t.Fatal(errs)
	}
	f.refuses(t, errors.Join(errs[0], errs[1]), ErrRefused, "the refresh token was used before")
}

// TestKeptRefresh renews while the keys cannot be had: nothing is verified, but
// the refresh token is a new one already, and is the one to go on with.
func TestKeptRefresh(t *testing.T) {
	f := begin(t)
	tokens := f.signIn(t)
	f.idp.Rotate()
	f.idp.Change(func(s *oidctest.Settings) { s.Instead = broken("/keys", 503, "") })
	kept, err := f.p.Refresh(t.Context(), tokens)
	f.refuses(t, err, nil, "/keys answered 503 Service Unavailable: try again later")
	if kept.Refresh == tokens.Refresh || kept.ID != tokens.ID || kept.Subject != tokens.Subject {
		t.Fatal("the old refresh token was kept")
	}
	f.idp.Change(func(s *oidctest.Settings) { s.Instead = nil })
	again(t, func() (err error) {
		kept, err = f.p.Refresh(t.Context(), kept)
		return err
	})
}
