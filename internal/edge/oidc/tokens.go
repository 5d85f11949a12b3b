//go:build !js

package oidc

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// Tokens are the tokens and the identity of a user. They are stored in the user's cookie, so their JSON
// names are short.
type Tokens struct {
	ID      string    `json:"i"`           // the ID token, verified
	Refresh string    `json:"r,omitempty"` // the refresh token, if the provider gave one
	Subject string    `json:"s"`           // the user's ID at the provider
	User    string    `json:"u"`           // the user's name for the apiserver
	Groups  []string  `json:"g,omitempty"`
	Expires time.Time `json:"e"` // of the ID token
}

// Refresh requests new tokens from the provider. Those that it does not send are kept. After an error
// other than ErrRefused and ErrEnded, the caller has to use the returned tokens: the refresh token
// may be new, and providers end the session of a client that uses an old one.
func (p *Provider) Refresh(ctx context.Context, t Tokens) (Tokens, error) {
	if t.Refresh == "" {
		return p.stay(t, "there is no refresh token")
	}
	found, err := p.known(ctx)
	if err != nil {
		return t, err
	}
	ctx = oidc.ClientContext(ctx, p.client)
	token, err := found.oauth.TokenSource(ctx, &oauth2.Token{RefreshToken: t.Refresh}).Token()
	if err != nil {
		return keep(t, p.failed(err, t.Refresh, t.ID))
	}
	kept := t
	kept.Refresh = token.RefreshToken // oauth2 returns the old one if there is no new one
	if _, ok := token.Extra("id_token").(string); !ok {
		return p.stay(kept, "the provider sent no new one")
	}
	id, renewed, err := p.verify(ctx, found, token)
	if err != nil {
		return keep(kept, err)
	}
	if renewed.Subject != t.Subject {
		return Tokens{}, refused("the new ID token belongs to another user")
	}
	if was := nonceOf(t.ID); was != "" && id.Nonce != "" && !equal(id.Nonce, was) {
		return Tokens{}, refused("the new ID token's nonce belongs to another sign-in")
	}
	return renewed, nil
}

// stay returns the tokens as they are, unless they have expired.
func (p *Provider) stay(t Tokens, why string) (Tokens, error) {
	if !p.options.Now().Before(t.Expires) {
		return Tokens{}, ended("the ID token has expired, and %s", why)
	}
	return t, nil
}

// keep returns the tokens with an error, or no tokens if the error is permanent.
func keep(t Tokens, err error) (Tokens, error) {
	if errors.Is(err, ErrRefused) {
		return Tokens{}, err
	}
	return t, err
}

// Revoke revokes the refresh token, if the provider supports that.
func (p *Provider) Revoke(ctx context.Context, t Tokens) error {
	if t.Refresh == "" {
		return nil
	}
	found, err := p.known(ctx)
	if err != nil || found.revocation == "" {
		return err
	}
	form := url.Values{"token": {t.Refresh}, "token_type_hint": {"refresh_token"}}
	basic := found.oauth.Endpoint.AuthStyle == oauth2.AuthStyleInHeader
	if !basic {
		form.Set("client_id", p.options.ClientID)
		if p.options.ClientSecret != "" {
			form.Set("client_secret", p.options.ClientSecret)
		}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, found.revocation, strings.NewReader(form.Encode()))
	if err != nil {
		return p.unreached(err)
	}
	if basic {
		r.SetBasicAuth(url.QueryEscape(p.options.ClientID), url.QueryEscape(p.options.ClientSecret))
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", "*/*") // only the status code matters
	resp, err := p.client.Do(r)
	if err != nil {
		return p.unreached(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return p.says(strconv.Itoa(resp.StatusCode), http.StatusText(resp.StatusCode))
	}
	return nil
}
