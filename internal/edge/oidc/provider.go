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

// Options configure the provider, and how to read its claims.
type Options struct {
	Issuer string // exactly as the provider calls itself
	// ClientID and ClientSecret identify this proxy to the provider. Without a secret it is a public
	// client.
	ClientID, ClientSecret string
	// Scopes are requested. The default is openid, profile, email, groups and offline_access, as far
	// as the provider lists them.
	Scopes []string
	CA     []byte // CAs for the provider in PEM (default: the system's)
	// Redirect is where the provider sends the browser back to.
	Redirect string
	// These are as kube-apiserver's flags. The default claim of the name is "sub"; its default prefix
	// is the issuer and "#", or none if the claim is "email". The prefix "-" means none. The default
	// claim of the groups is "groups".
	UsernameClaim, UsernamePrefix, GroupsClaim, GroupsPrefix string
	Now                                                      func() time.Time // default: time.Now
}

// Provider is a client of an OpenID Connect provider. It is safe for concurrent use.
type Provider struct {
	options Options
	client  *http.Client

	mu     sync.Mutex
	flight *flight // the last discovery, which may be running
}

// Name returns the provider's name for users: the host of its address.
func (p *Provider) Name() string {
	u, err := url.Parse(p.options.Issuer)
	if err != nil {
		return p.options.Issuer // cannot happen: it is validated
	}
	return u.Host
}

// New returns a provider. It sends no request, so that the proxy can start while the provider is
// down.
func New(o Options) (*Provider, error) {
	issuer, err := checkURL(o.Issuer, true)
	if err != nil {
		return nil, fmt.Errorf("OIDC issuer: %w", err)
	}
	if issuer.RawQuery != "" {
		return nil, errors.New("OIDC issuer: must not have a query")
	}
	if o.ClientID == "" {
		return nil, errors.New("OIDC: no client ID")
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

// filled returns the options with defaults.
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

// checkURL parses an address to which secrets are sent or with which they come back. It must be
// https, or http on this machine if local is true.
func checkURL(address string, local bool) (*url.URL, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "":
		return nil, fmt.Errorf("%q is not a valid address", clean(address))
	case u.User != nil:
		return nil, errors.New("must not contain a user")
	case u.Fragment != "":
		return nil, fmt.Errorf("%q must not have a fragment", clean(address))
	case u.Scheme == "https", u.Scheme == "http" && local && isLoopback(u.Hostname()):
		return u, nil
	}
	return nil, fmt.Errorf("%q must be https", clean(address))
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
