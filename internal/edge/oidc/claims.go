//go:build !js

package oidc

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// keys verifies signatures, and keeps the error. The verifier returns only its text, which does not
// distinguish an unreachable provider from a bad signature.
type keys struct {
	oidc.KeySet
	fresh func() oidc.KeySet
	err   error
}

// VerifySignature retries with fresh keys before it fails: for a moment, the key set hands out the
// response before this one, which may lack a new key or be an error that is over. After a timeout
// it does not, since the user would wait for a second one.
func (k *keys) VerifySignature(ctx context.Context, jwt string) ([]byte, error) {
	payload, err := k.KeySet.VerifySignature(ctx, jwt)
	var u *url.Error
	late := errors.As(err, &u) && u.Timeout()
	if err != nil && ctx.Err() == nil && !late {
		payload, err = k.fresh().VerifySignature(ctx, jwt)
	}
	k.err = err
	return payload, err
}

// verify returns the ID token of a response. It checks that the token is from this provider, for
// this client, and valid now.
func (p *Provider) verify(ctx context.Context, found *configuration, token *oauth2.Token) (*oidc.IDToken, Tokens, error) {
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		return nil, Tokens{}, fmt.Errorf("the provider %s sent no ID token", p.options.Issuer)
	}
	signers := &keys{KeySet: found.keys, fresh: found.freshKeys}
	id, err := oidc.NewVerifier(p.options.Issuer, signers, &oidc.Config{
		ClientID: p.options.ClientID, SupportedSigningAlgs: found.algorithms, Now: p.options.Now,
	}).Verify(ctx, raw)
	var u *url.Error
	var over *oidc.TokenExpiredError
	switch {
	case errors.As(signers.err, &u):
		return nil, Tokens{}, p.unreached(signers.err)
	case err != nil && ctx.Err() != nil:
		return nil, Tokens{}, p.unreached(ctx.Err())
	case errors.As(err, &over):
		return nil, Tokens{}, refused("the ID token expired at %s: check the clock", over.Expiry.UTC().Format(time.RFC3339))
	case err != nil:
		return nil, Tokens{}, refused("the ID token is not accepted: %s", clean(err.Error(), raw, token.AccessToken, token.RefreshToken))
	case id.AccessTokenHash != "" && id.VerifyAccessToken(token.AccessToken) != nil:
		return nil, Tokens{}, refused("the ID token does not match the access token")
	}
	t, err := p.read(id)
	t.ID, t.Refresh = raw, token.RefreshToken
	return id, t, err
}

// read returns the user of an ID token, as an apiserver would read it.
func (p *Provider) read(id *oidc.IDToken) (Tokens, error) {
	var claims map[string]json.RawMessage
	if err := id.Claims(&claims); err != nil {
		return Tokens{}, refused("the ID token has no claims")
	}
	if party := text(claims["azp"]); party != "" && party != p.options.ClientID {
		return Tokens{}, refused("the ID token was issued to another client")
	}
	name := text(claims[p.options.UsernameClaim])
	if name == "" || id.Subject == "" {
		return Tokens{}, refused("the ID token has no name in the claim %q", p.options.UsernameClaim)
	}
	if verified, ok := claims["email_verified"]; ok && p.options.UsernameClaim == "email" && string(verified) != "true" {
		return Tokens{}, refused("the provider has not verified the user's email")
	}
	groups, err := texts(claims[p.options.GroupsClaim])
	if err != nil {
		return Tokens{}, refused("the claim %q is neither a string nor a list of strings", p.options.GroupsClaim)
	}
	for i := range groups {
		groups[i] = p.options.GroupsPrefix + groups[i]
	}
	return Tokens{Subject: id.Subject, User: p.options.UsernamePrefix + name, Groups: groups, Expires: id.Expiry.UTC()}, nil
}

// text returns the value of a string claim, or "".
func text(claim json.RawMessage) string {
	var s string
	if json.Unmarshal(claim, &s) != nil {
		return ""
	}
	return s
}

// texts returns the values of a claim that is a string or a list of strings.
func texts(claim json.RawMessage) ([]string, error) {
	if claim == nil || string(claim) == `""` {
		return nil, nil
	}
	if one := text(claim); one != "" {
		return []string{one}, nil
	}
	var list []string
	err := json.Unmarshal(claim, &list)
	return list, err
}

// nonceOf returns the nonce of an ID token that has been verified before.
func nonceOf(jwt string) string {
	parts := strings.Split(jwt, ".")
	if len(parts) != 3 {
		return ""
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return ""
	}
	var claims struct {
		Nonce string `json:"nonce"`
	}
	_ = json.Unmarshal(payload, &claims) // verified before
	return claims.Nonce
}
