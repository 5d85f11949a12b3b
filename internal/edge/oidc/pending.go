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

// pendingFor is the maximum time to sign in.
const pendingFor = 10 * time.Minute

// Pending is a sign-in that has started, with what its answer has to match. Only the browser that
// started it may have it.
type Pending struct {
	State    string    `json:"s"`
	Nonce    string    `json:"n"`
	Verifier string    `json:"v"`
	Until    time.Time `json:"u"`
}

// Begin returns the provider's address at which a browser signs in, and what Finish needs when the
// browser comes back.
func (p *Provider) Begin(ctx context.Context) (address string, pending Pending, err error) {
	found, err := p.known(ctx)
	if err != nil {
		return "", Pending{}, err
	}
	pending = Pending{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), Until: p.options.Now().Add(pendingFor).UTC().Truncate(time.Second)}
	return found.oauth.AuthCodeURL(pending.State, oauth2.S256ChallengeOption(pending.Verifier), oidc.Nonce(pending.Nonce)), pending, nil
}

// Finish exchanges the code in the query of a browser that comes back for tokens. The answer to
// another browser's sign-in is refused before anything in it is used or shown.
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

// mine checks that an answer belongs to this sign-in.
func (p *Provider) mine(pending Pending, query url.Values) error {
	for _, name := range []string{"state", "code", "iss", "error", "error_description"} {
		if len(query[name]) > 1 {
			return refused("the answer has more than one %s", name)
		}
	}
	if !equal(query.Get("state"), pending.State) || pending.Nonce == "" || pending.Verifier == "" {
		return refused("the answer does not belong to a sign-in of this browser")
	}
	if !p.options.Now().Before(pending.Until) {
		return ended("signing in took more than %v", pendingFor)
	}
	return nil
}

// code returns the code in an answer of the provider.
func (p *Provider) code(found *configuration, pending Pending, query url.Values) (string, error) {
	if issuer := query.Get("iss"); issuer != p.options.Issuer && (query.Has("iss") || found.namesSelf) {
		return "", refused("the answer is from another provider, or does not say from which")
	}
	code := query.Get("code")
	if said := query.Get("error"); said != "" {
		return "", p.says(said, query.Get("error_description"), code, pending.State, pending.Nonce, pending.Verifier)
	}
	if code == "" {
		return "", refused("the answer has no code")
	}
	return code, nil
}

// equal compares in constant time. The empty string is not equal to itself.
func equal(a, b string) bool {
	return b != "" && subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1
}
