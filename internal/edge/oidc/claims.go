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

// keys check a signature, and keep why they could not: the verifier tells it as
// text only, and a provider that is away is no bad signature.
type keys struct {
	oidc.KeySet
	fresh func() oidc.KeySet
	err   error
}

// VerifySignature asks anew before it says no: for a moment after an answer the
// key set hands it out again, and the provider may have a new key by then.
func (k *keys) VerifySignature(ctx context.Context, jwt string) ([]byte, error) {
	payload, err := k.KeySet.VerifySignature(ctx, jwt)
	var u *url.Error
	if err != nil && ctx.Err() == nil && !errors.As(err, &u) {
		payload, err = k.fresh().VerifySignature(ctx, jwt)
	}
	k.err = err
	return payload, err
}

// verify reads the ID token of an answer, if it is this provider's, for this
// client, of now.
func (p *Provider) verify(ctx context.Context, found *discovered, token *oauth2.Token) (*oidc.IDToken, Tokens, error) {
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		return nil, Tokens{}, fmt.Errorf("the provider %s gives no ID token", p.options.Issuer)
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
		return nil, Tokens{}, refused("the ID token is over since %s: is the clock right?", over.Expiry.UTC().Format(time.RFC3339))
	case err != nil:
		return nil, Tokens{}, refused("the ID token is not accepted: %s", clean(err.Error(), raw, token.AccessToken, token.RefreshToken))
	case id.AccessTokenHash != "" && id.VerifyAccessToken(token.AccessToken) != nil:
		return nil, Tokens{}, refused("the ID token is not the access token's")
	}
	t, err := p.read(id)
	t.ID, t.Refresh = raw, token.RefreshToken
	return id, t, err
}

// read takes out of an ID token who it is, as an apiserver would.
func (p *Provider) read(id *oidc.IDToken) (Tokens, error) {
	var claims map[string]json.RawMessage
	if err := id.Claims(&claims); err != nil {
		return Tokens{}, refused("the ID token holds no claims")
	}
	if party := text(claims["azp"]); party != "" && party != p.options.ClientID {
		return Tokens{}, refused("the ID token was given to another client")
	}
	name := text(claims[p.options.UsernameClaim])
	if name == "" || id.Subject == "" {
		return Tokens{}, refused("the ID token has no claim %q that is a name", p.options.UsernameClaim)
	}
	if verified, ok := claims["email_verified"]; ok && p.options.UsernameClaim == "email" && string(verified) != "true" {
		return Tokens{}, refused("the provider has not verified the user's email")
	}
	groups, err := texts(claims[p.options.GroupsClaim])
	if err != nil {
		return Tokens{}, refused("the claim %q is neither a text nor a list of texts", p.options.GroupsClaim)
	}
	for i := range groups {
		groups[i] = p.options.GroupsPrefix + groups[i]
	}
	return Tokens{Subject: id.Subject, User: p.options.UsernamePrefix + name, Groups: groups, Expires: id.Expiry.UTC()}, nil
}

// text is a claim's, if it is one.
func text(claim json.RawMessage) string {
	var s string
	if json.Unmarshal(claim, &s) != nil {
		return ""
	}
	return s
}

// texts are a claim's: a list of them, or one.
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

// nonceOf is the nonce of an ID token that was verified when it came.
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
	_ = json.Unmarshal(payload, &claims) // it was read before
	return claims.Nonce
}
