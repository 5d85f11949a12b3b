//go:build !js

package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"watchglass/internal/edge"
	"watchglass/internal/edge/oidc"
)

// identity is the flags that say how users sign in.
type identity struct {
	auth         string
	publicURL    string
	session      time.Duration
	sessionMost  time.Duration
	revokeWithin time.Duration
	limits       struct{ connections, lists, open int }
	oidc         struct {
		issuer, client, secretFile, caFile, scopes               string
		usernameClaim, usernamePrefix, groupsClaim, groupsPrefix string
		impersonate                                              bool
	}
	unprotected bool
	front       struct {
		cidrs, names            []string
		caFile                  string
		userHeader, groupHeader string
		userPrefix, groupPrefix string
	}

	public *url.URL       // publicURL, parsed
	fronts []netip.Prefix // front.cidrs, parsed
}

// The authentication modes.
const (
	authLocal = "local"
	authToken = "token"
	authOIDC  = "oidc"
	authProxy = "proxy"
)

// The limits of --session. A copied cookie lives as long as a session that is not renewed.
const (
	shortestSession = 100 * time.Millisecond
	longestSession  = 15 * time.Minute
)

func (i *identity) flags() []flag {
	return []flag{
		{"auth", "", "MODE", "how users sign in (default local). local: only you, with your kubeconfig, on this machine. token: each user pastes a bearer token for the cluster. oidc: an OpenID Connect provider signs users in. proxy: a reverse proxy in front signs users in and names them in headers", text(&i.auth, authLocal)},
		{"public-url", "", "URL", "address at which browsers reach Watchglass, such as https://watchglass.example.com. Required in all modes but local", text(&i.publicURL, "")},
		{"session", "", "DURATION", "how long a session lasts unless it is renewed, up to 15m (default 15m). Open pages renew it", length(&i.session, longestSession)},
		{"session-max", "", "DURATION", "how long until users have to sign in again (default 12h)", length(&i.sessionMost, 12*time.Hour)},
		{"revoke-within", "", "DURATION", "how long a watch may stay open after its user loses permission (default 30s)", length(&i.revokeWithin, 30*time.Second)},
		{"max-connections", "", "N", "maximum connections per user (default 64)", number(&i.limits.connections, 64)},
		{"max-lists", "", "N", "maximum lists and gets per second for each user, and twice as many permission reviews, with bursts of ten times as many (default 20)", number(&i.limits.lists, 20)},
		{"max-open", "", "N", "maximum open connections (default 4096). A client address may hold a quarter of them; addresses in --front-cidr are not limited", number(&i.limits.open, 4096)},
		{"allow-insecure-upstream", "", "", "allow sending users' credentials to an apiserver over plain HTTP, or without checking its certificate (default: refused)", yes(&i.unprotected)},
		{"oidc-issuer-url", "", "URL", "issuer URL of the provider, as in kube-apiserver's flag of the same name", text(&i.oidc.issuer, "")},
		{"oidc-client-id", "", "ID", "client ID of Watchglass at the provider", text(&i.oidc.client, "")},
		{"oidc-client-secret-file", "", "FILE", "file with the client secret, if there is one", text(&i.oidc.secretFile, "")},
		{"oidc-ca-file", "", "FILE", "CA certificates for the provider (default: the system's)", text(&i.oidc.caFile, "")},
		{"oidc-scopes", "", "NAME,...", "scopes to request (default: those of openid, profile, email, groups and offline_access that the provider lists)", text(&i.oidc.scopes, "")},
		{"oidc-impersonate", "", "", "impersonate users with the proxy's own credentials, for an apiserver that does not know the issuer. The next four flags define user and group names", yes(&i.oidc.impersonate)},
		{"oidc-username-claim", "", "CLAIM", "claim with the user name, as in kube-apiserver's flag of the same name (default sub)", text(&i.oidc.usernameClaim, "sub")},
		{"oidc-username-prefix", "", "PREFIX", "prefix for the user name; - for none (default: the issuer and #, or none if the claim is email)", text(&i.oidc.usernamePrefix, "")},
		{"oidc-groups-claim", "", "CLAIM", "claim with the user's groups (default groups)", text(&i.oidc.groupsClaim, "groups")},
		{"oidc-groups-prefix", "", "PREFIX", "prefix for each group (default: none)", text(&i.oidc.groupsPrefix, "")},
		{"front-cidr", "", "CIDR", "addresses of the reverse proxy in front; can be repeated. Its X-Forwarded-For gives the client's address for limits; in proxy mode, only its headers name the user", texts(&i.front.cidrs)},
		{"front-ca-file", "", "FILE", "CA certificates for the front's client certificate, which is then required. Needs --tls-cert-file", text(&i.front.caFile, "")},
		{"front-name", "", "NAME", "name accepted in the front's client certificate; can be repeated (default: any name)", texts(&i.front.names)},
		{"front-user-header", "", "NAME", "header with the user name (default X-Forwarded-User)", text(&i.front.userHeader, "X-Forwarded-User")},
		{"front-user-prefix", "", "PREFIX", "prefix for the user name, such as sso: (recommended; default: none)", text(&i.front.userPrefix, "")},
		{"front-group-header", "", "NAME", "header with the user's groups, comma-separated, such as X-Forwarded-Groups (default: no groups). Set this only if the front always sets or removes that header", text(&i.front.groupHeader, "")},
		{"front-group-prefix", "", "PREFIX", "prefix for each group, such as sso: (recommended; default: none). Groups that begin with system: are dropped", text(&i.front.groupPrefix, "")},
	}
}

// misplaced returns an error if a flag of another mode is set.
func (i *identity) misplaced(fs *pflag.FlagSet) error {
	var wrong error
	fs.Visit(func(f *pflag.Flag) {
		if signing := []string{"public-url", "session", "session-max", "allow-insecure-upstream", "front-cidr"}; i.local() && slices.Contains(signing, f.Name) {
			wrong = fmt.Errorf("--%s needs --auth token, oidc or proxy, but --auth is local", f.Name)
		}
		for prefix, mode := range map[string]string{"oidc-": authOIDC, "front-": authProxy} {
			if strings.HasPrefix(f.Name, prefix) && i.auth != mode && wrong == nil && f.Name != "front-cidr" {
				wrong = fmt.Errorf("--%s needs --auth %s, but --auth is %s", f.Name, mode, i.auth)
			}
		}
	})
	return wrong
}

// local reports whether the only user is the one who started the proxy.
func (i *identity) local() bool { return i.auth == authLocal }

// bare reports whether requests are made with the users' own credentials only.
func (i *identity) bare() bool {
	return i.auth == authToken || i.auth == authOIDC && !i.oidc.impersonate
}

// validate returns the first error in the flags.
func (i *identity) validate(listen string) error {
	switch {
	case i.auth != authLocal && i.auth != authToken && i.auth != authOIDC && i.auth != authProxy:
		return fmt.Errorf("--auth %s: must be local, token, oidc or proxy", i.auth)
	case i.session < shortestSession || i.session > longestSession:
		return fmt.Errorf("--session %v: must be from %v to %v", i.session, shortestSession, longestSession)
	case i.sessionMost < i.session:
		return fmt.Errorf("--session-max %v: must be at least as long as --session", i.sessionMost)
	case i.revokeWithin < time.Second:
		return fmt.Errorf("--revoke-within %v: must be at least 1s", i.revokeWithin)
	case i.limits.connections < 1 || i.limits.lists < 1 || i.limits.open < 4:
		return errors.New("--max-connections and --max-lists must be at least 1, --max-open at least 4")
	case i.local():
		return beyond(listen)
	}
	if err := i.parsePublic(); err != nil {
		return err
	}
	if i.auth == authOIDC && (i.oidc.issuer == "" || i.oidc.client == "") {
		return errors.New("--auth oidc needs --oidc-issuer-url and --oidc-client-id")
	}
	if err := i.parseFronts(); err != nil {
		return err
	}
	if i.auth == authProxy {
		_, err := i.fronted(slog.New(slog.DiscardHandler))
		return err
	}
	return nil
}

func (i *identity) parseFronts() error {
	i.fronts = nil
	for _, c := range i.front.cidrs {
		p, err := netip.ParsePrefix(c)
		if err != nil {
			return fmt.Errorf("--front-cidr %s: must be a CIDR such as 10.0.0.0/8: %w", c, err)
		}
		i.fronts = append(i.fronts, p.Masked())
	}
	return nil
}

// beyond returns an error if an address can be reached from other machines.
func beyond(listen string) error {
	host, _, _ := net.SplitHostPort(listen) // validated
	if !isLoopback(host) {
		return fmt.Errorf("--listen %s: whoever reaches this address acts as you in the cluster, so --auth local is for this machine only. Listen on 127.0.0.1 or [::1], or have users sign in with another --auth", listen)
	}
	return nil
}

func (i *identity) parsePublic() error {
	u, err := url.Parse(i.publicURL)
	switch {
	case i.publicURL == "":
		return fmt.Errorf("--auth %s needs --public-url: the address at which browsers reach Watchglass, such as https://watchglass.example.com", i.auth)
	case err != nil:
		return fmt.Errorf("--public-url: %w", err)
	case u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "":
		return fmt.Errorf("--public-url %s: must be a scheme and a host only. Set the path with --base-path", i.publicURL)
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return fmt.Errorf("--public-url %s: must be https, so that sessions are encrypted on the network", i.publicURL)
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("--public-url %s: must begin with https://", i.publicURL)
	}
	u.Path = ""
	i.public = u
	return nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// fronted returns the front of proxy mode.
func (i *identity) fronted(log *slog.Logger) (edge.Front, error) {
	f := edge.Front{
		From: i.fronts, Names: i.front.names, Certificate: i.front.caFile != "",
		UserHeader: http.CanonicalHeaderKey(i.front.userHeader), GroupHeader: http.CanonicalHeaderKey(i.front.groupHeader),
		UserPrefix: i.front.userPrefix, GroupPrefix: i.front.groupPrefix, Log: log,
	}
	if len(f.Names) > 0 && !f.Certificate {
		return f, errors.New("--front-name needs --front-ca-file, the CA that signed the front's certificate")
	}
	if err := f.Validate(); err != nil {
		return f, fmt.Errorf("--auth proxy: %w (--front-cidr, --front-ca-file)", err)
	}
	return f, nil
}

// provider returns the provider of oidc mode.
func (i *identity) provider(basePath string) (*oidc.Provider, error) {
	o := oidc.Options{
		Issuer: i.oidc.issuer, ClientID: i.oidc.client, Scopes: strings.FieldsFunc(i.oidc.scopes, func(c rune) bool { return c == ',' || c == ' ' }),
		Redirect:      i.public.String() + basePath + "/-/callback",
		UsernameClaim: i.oidc.usernameClaim, UsernamePrefix: i.oidc.usernamePrefix, GroupsClaim: i.oidc.groupsClaim, GroupsPrefix: i.oidc.groupsPrefix,
	}
	if i.oidc.secretFile != "" {
		secret, err := os.ReadFile(i.oidc.secretFile)
		if err != nil {
			return nil, fmt.Errorf("--oidc-client-secret-file: %w", err)
		}
		o.ClientSecret = strings.TrimSpace(string(secret))
	}
	if i.oidc.caFile != "" {
		ca, err := os.ReadFile(i.oidc.caFile)
		if err != nil {
			return nil, fmt.Errorf("--oidc-ca-file: %w", err)
		}
		o.CA = ca
	}
	return oidc.New(o)
}

// idleUpstream is how long an idle connection to the apiserver stays open. Its buffers hold
// the last bytes sent over it, whichever user they belong to.
const idleUpstream = 2 * time.Second

// streamBuffer is how many bytes of a response of the apiserver are received ahead of the tab that reads it. At a
// distance of 5 ms, it lets a list through with 50 MB a second.
const streamBuffer = 256 << 10
