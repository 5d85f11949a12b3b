//go:build !js

package oidc

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"net/url"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// pendingFor is how long a user may take to sign in.
const pendingFor = 10 * time.Minute

// Pending is a sign-in that has begun: what its answer is held to. It belongs to
// the browser that began, and nobody else may read it.
type Pending struct {
	State    string    `json:"s"`
	Nonce    string    `json:"n"`
	Verifier string    `json:"v"`
	Until    time.Time `json:"u"`
}

// Begin returns the address of the provider where a browser signs in, and what
// Finish needs when it comes back.
func (p *Provider) Begin(ctx context.Context) (address string, pending Pending, err error) {
	found, err := p.known(ctx)
	if err != nil {
		return "", Pending{}, err
	}
	pending = Pending{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), Until: p.options.Now().Add(pendingFor).UTC().Truncate(time.Second)}
	return found.oauth.AuthCodeURL(pending.State, oauth2.S256ChallengeOption(pending.Verifier), oidc.Nonce(pending.Nonce)), pending, nil
}

// Finish takes the query that the browser came back with, and exchanges the code
// in it for tokens. What comes is held to what was begun: an answer to another
// browser's sign-in is refused before anything in it is used or shown.
func (p *Provider) Finish(ctx context.Context, pending Pending, query url.Values) (Tokens, error) {
	if err := p.mine(pending, query); err != nil {
		return Tokens{}, err
	}
	found, err := p.known(ctx)
	if err != nil {
		return Tokens{}, err
	}
	code, err := p.code(found, pending, query)
	if err != nil {
		return Tokens{}, err
	}
	ctx = oidc.ClientContext(ctx, p.client)
	token, err := found.oauth.Exchange(ctx, code, oauth2.VerifierOption(pending.Verifier))
	if err != nil {
		return Tokens{}, p.failed(err, code, pending.Verifier, pending.State, pending.Nonce)
	}
	id, t, err := p.verify(ctx, found, token)
	if err != nil {
		return Tokens{}, err
	}
	if !equal(id.Nonce, pending.Nonce) {
		return Tokens{}, refused("the ID token's nonce is not that of this sign-in")
	}
	return t, nil
}

// mine holds that an answer is one to this sign-in.
func (p *Provider) mine(pending Pending, query url.Values) error {
	for _, name := range []string{"state", "code", "iss", "error", "error_description"} {
		if len(query[name]) > 1 {
			return refused("the answer has more than one %s", name)
		}
	}
	if !equal(query.Get("state"), pending.State) || pending.Nonce == "" || pending.Verifier == "" {
		return refused("the answer is not one to a sign-in that this browser began")
	}
	if !p.options.Now().Before(pending.Until) {
		return ended("it took more than %v", pendingFor)
	}
	return nil
}

// code takes the code out of an answer of the provider.
func (p *Provider) code(found *discovered, pending Pending, query url.Values) (string, error) {
	if issuer := query.Get("iss"); issuer != p.options.Issuer && (query.Has("iss") || found.namesSelf) {
		return "", refused("the answer is another provider's, or of nobody")
	}
	code := query.Get("code")
	if said := query.Get("error"); said != "" {
		return "", p.says(said, query.Get("error_description"), code, pending.State, pending.Nonce, pending.Verifier)
	}
	if code == "" {
		return "", refused("the answer holds no code")
	}
	return code, nil
}

// equal compares in constant time; nothing equals nothing.
func equal(a, b string) bool {
	return b != "" && subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1
}
