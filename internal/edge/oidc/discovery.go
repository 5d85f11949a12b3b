//go:build !js

package oidc

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

const scopeOpenID = oidc.ScopeOpenID

// scopes are the default scopes.
var scopes = []string{scopeOpenID, oidc.ScopeProfile, oidc.ScopeEmail, "groups", oidc.ScopeOfflineAccess}

// signatures are the accepted algorithms. An apiserver can verify all of them, and only the
// provider has the key to sign.
var signatures = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512,
}

// configuration is the configuration of the provider.
type configuration struct {
	oauth      oauth2.Config
	keys       oidc.KeySet
	freshKeys  func() oidc.KeySet
	algorithms []string
	revocation string // where tokens are revoked, if anywhere
	endSession string // where a browser is signed out, if anywhere
	namesSelf  bool   // each answer to a sign-in names its issuer
}

// document is the part of the discovery document that is used.
type document struct {
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Keys          string   `json:"jwks_uri"`
	Revocation    string   `json:"revocation_endpoint"`
	EndSession    string   `json:"end_session_endpoint"`
	Scopes        []string `json:"scopes_supported"`
	Algorithms    []string `json:"id_token_signing_alg_values_supported"`
	ClientAuth    []string `json:"token_endpoint_auth_methods_supported"`
	NamesSelf     bool     `json:"authorization_response_iss_parameter_supported"`
}

// flight is a discovery, shared by all requests that wait for it.
type flight struct {
	done  chan struct{} // closed when the rest is set
	found *configuration
	err   error
}

// known returns the configuration of the provider. It is requested once, and again after a failure.
func (p *Provider) known(ctx context.Context) (*configuration, error) {
	f := p.join()
	select {
	case <-f.done:
		return f.found, f.err
	case <-ctx.Done():
		return nil, p.unreached(ctx.Err())
	}
}

// join returns the discovery that is running or has succeeded, or starts one. A discovery does not
// depend on the requests that wait for it.
func (p *Provider) join() *flight {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f := p.flight; f != nil {
		select {
		case <-f.done:
			if f.err == nil {
				return f
			}
		default:
			return f
		}
	}
	f := &flight{done: make(chan struct{})}
	p.flight = f
	go func() {
		defer close(f.done)
		ctx, cancel := context.WithTimeout(context.Background(), within)
		defer cancel()
		f.found, f.err = p.discover(ctx)
	}()
	return f
}

func (p *Provider) discover(ctx context.Context) (*configuration, error) {
	ctx = oidc.ClientContext(ctx, p.client)
	provider, err := oidc.NewProvider(ctx, p.options.Issuer)
	var other *oidc.IssuerMismatchError
	if errors.As(err, &other) {
		return nil, fmt.Errorf("the provider at %s calls itself %q: configure exactly that issuer", p.options.Issuer, clean(other.Discovered))
	}
	if err != nil {
		return nil, p.unreached(err)
	}
	var d document
	if err := provider.Claims(&d); err != nil {
		return nil, p.unreached(&nonsense{"its discovery document is invalid"})
	}
	if err := p.checkEndpoints(d); err != nil {
		return nil, fmt.Errorf("the discovery document of the provider %s: %w", p.options.Issuer, err)
	}
	fresh := func() oidc.KeySet { return oidc.NewRemoteKeySet(ctx, d.Keys) }
	return &configuration{
		oauth: oauth2.Config{
			ClientID: p.options.ClientID, ClientSecret: p.options.ClientSecret,
			RedirectURL: p.options.Redirect, Scopes: p.scopes(d.Scopes),
			Endpoint: oauth2.Endpoint{AuthURL: d.Authorization, TokenURL: d.Token, AuthStyle: p.authStyle(d.ClientAuth)},
		},
		keys:       fresh(),
		freshKeys:  fresh,
		algorithms: algorithms(d.Algorithms),
		revocation: d.Revocation,
		endSession: d.EndSession,
		namesSelf:  d.NamesSelf,
	}, nil
}

// checkEndpoints checks that all endpoints are encrypted, for requests and for the browser.
func (p *Provider) checkEndpoints(d document) error {
	local := strings.HasPrefix(p.options.Issuer, "http://")
	for name, address := range map[string]string{"authorization_endpoint": d.Authorization, "token_endpoint": d.Token, "jwks_uri": d.Keys} {
		if _, err := checkURL(address, local); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for name, address := range map[string]string{"revocation_endpoint": d.Revocation, "end_session_endpoint": d.EndSession} {
		if _, err := checkURL(address, local); address != "" && err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// scopes returns the scopes to request. Default scopes that the provider does not list are left out,
// since some providers refuse unknown scopes.
func (p *Provider) scopes(listed []string) []string {
	if len(p.options.Scopes) > 0 {
		return p.options.Scopes
	}
	return slices.DeleteFunc(slices.Clone(scopes), func(s string) bool {
		return s != scopeOpenID && len(listed) > 0 && !slices.Contains(listed, s)
	})
}

// authStyle returns how the client authenticates. oauth2's detection is not used: it would send a
// code or a refresh token twice, which ends the session.
func (p *Provider) authStyle(listed []string) oauth2.AuthStyle {
	basic := len(listed) == 0 || slices.Contains(listed, "client_secret_basic")
	if p.options.ClientSecret != "" && basic {
		return oauth2.AuthStyleInHeader
	}
	return oauth2.AuthStyleInParams
}

// algorithms returns the provider's algorithms that are accepted, or RS256 if there are none.
func algorithms(listed []string) []string {
	var both []string
	for _, a := range signatures {
		if slices.Contains(listed, a) {
			both = append(both, a)
		}
	}
	if both == nil {
		return []string{oidc.RS256}
	}
	return both
}

// EndSession returns the address at which the provider signs a browser out and sends it back, or "" if
// there is none or the provider is unreachable. The address contains no token, since addresses end
// up in histories and logs.
func (p *Provider) EndSession(ctx context.Context, back string) string {
	found, err := p.known(ctx)
	if err != nil || found.endSession == "" {
		return ""
	}
	u, err := url.Parse(found.endSession)
	if err != nil {
		return "" // it has been parsed before
	}
	query := u.Query()
	query.Set("client_id", p.options.ClientID)
	query.Set("post_logout_redirect_uri", back)
	u.RawQuery = query.Encode()
	return u.String()
}
