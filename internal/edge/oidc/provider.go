//go:build !js

package oidc

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"
)

// Options say which provider is asked, and what its claims mean.
type Options struct {
	Issuer string // exactly as the provider calls itself
	// ClientID and ClientSecret are what the provider knows this proxy by;
	// without a secret it is a public client.
	ClientID, ClientSecret string
	// Scopes are asked for; else openid, profile, email, groups and
	// offline_access, as far as the provider lists them.
	Scopes []string
	CA     []byte // PEM of the authority of the issuer's certificate; else the system's
	// Redirect is where the provider sends the browser back to.
	Redirect string
	// These mean what the flags of kube-apiserver do: the claim of the name is
	// "sub" and its prefix the issuer and "#" (none for "email", and for "-"),
	// the claim of the groups is "groups".
	UsernameClaim, UsernamePrefix, GroupsClaim, GroupsPrefix string
	Now                                                      func() time.Time // the clock; else time.Now
}

// Provider is an OpenID Connect provider as this proxy's client sees it. It may
// be used by many at once.
type Provider struct {
	options Options
	client  *http.Client

	mu     sync.Mutex
	flight *flight // the last discovery, which may be under way
}

// Name is what people know the provider by: the host of its address.
func (p *Provider) Name() string {
	u, err := url.Parse(p.options.Issuer)
	if err != nil {
		return p.options.Issuer // validated: it does not come to this
	}
	return u.Host
}

// New returns the provider of the options. It asks nothing yet: a provider that
// is down does not keep the proxy from starting.
func New(o Options) (*Provider, error) {
	issuer, err := checkURL(o.Issuer, true)
	if err != nil {
		return nil, fmt.Errorf("OIDC issuer: %w", err)
	}
	if issuer.RawQuery != "" {
		return nil, errors.New("OIDC issuer: it has a query")
	}
	if o.ClientID == "" {
		return nil, errors.New("OIDC: no client ID is given")
	}
	if _, err := checkURL(o.Redirect, true); err != nil {
		return nil, fmt.Errorf("OIDC redirect address: %w", err)
	}
	client, err := newClient(o.CA)
	if err != nil {
		return nil, err
	}
	return &Provider{options: o.filled(), client: client}, nil
}

// filled is the options with all that was left open.
func (o Options) filled() Options {
	if o.UsernameClaim == "" {
		o.UsernameClaim = "sub"
	}
	switch {
	case o.UsernamePrefix == "-":
		o.UsernamePrefix = ""
	case o.UsernamePrefix == "" && o.UsernameClaim != "email":
		o.UsernamePrefix = o.Issuer + "#"
	}
	if o.GroupsClaim == "" {
		o.GroupsClaim = "groups"
	}
	if len(o.Scopes) > 0 && !slices.Contains(o.Scopes, scopeOpenID) {
		o.Scopes = append([]string{scopeOpenID}, o.Scopes...)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// checkURL parses an address that secrets are sent to, or come back by: https,
// or http if it is allowed for this machine and does not leave it.
func checkURL(address string, local bool) (*url.URL, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "":
		return nil, fmt.Errorf("%q is no address", clean(address))
	case u.User != nil:
		return nil, errors.New("it holds a user")
	case u.Fragment != "":
		return nil, fmt.Errorf("%q has a fragment", clean(address))
	case u.Scheme == "https", u.Scheme == "http" && local && isLoopback(u.Hostname()):
		return u, nil
	}
	return nil, fmt.Errorf("%q is not https", clean(address))
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
