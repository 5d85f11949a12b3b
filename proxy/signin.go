//go:build !js

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"watchglass/internal/apiserver"
	"watchglass/internal/edge"
	"watchglass/internal/edge/session"
	"watchglass/internal/relay"
	"watchglass/internal/wire"
)

// shows names what local mode shows, by the flags that choose it; "" if none does. A guest who was let in to the demo
// cluster, to a recording or to one namespace is not let in to what the next start shows.
func (s *server) shows() string {
	o, c := s.options, s.options.cluster
	switch {
	case o.replay != "":
		return "--replay " + o.replay
	case s.contexts.start.IsDemo():
		return "--demo"
	}
	flags := append([]string{c.Kubeconfig, c.Cluster, c.User, c.Namespace, c.As, c.AsUID}, c.AsGroups...)
	if strings.Join(flags, "") == "" {
		return ""
	}
	return fmt.Sprintf("%q", flags)
}

// newAuthenticator returns the authenticator of the chosen mode.
func (s *server) newAuthenticator(listen net.Addr, token string, key session.Key) (*edge.Authenticator, error) {
	o := s.options
	options := edge.Options{
		Refused: s.refused, SignedIn: s.signedIn, Key: key, Embedders: o.embedders, Fronts: o.fronts, Base: o.basePath, Sessions: s.sessions, Life: session.Life{Session: o.session, Most: o.sessionMost},
		Files: edge.Files{
			Style: o.basePath + s.site.Named("style.css"), Icon: o.basePath + s.site.Named("icon.svg"),
			Session: o.basePath + s.site.Named("session.js"), SignIn: o.basePath + s.site.Named("signin.js"),
		},
	}
	if o.local() {
		options.Hosts, options.Secure, options.Serves = edge.NewHosts(listen, o.hosts...), s.scheme() == "https", s.shows()
		return edge.NewLocal(listen, token, options), nil
	}
	options.Hosts, options.Place = edge.PublicHosts(o.public, o.hosts...), s.placeOf
	// A session is valid for one authentication mode and one cluster. Its token is sent to no
	// other cluster, and its user name is not impersonated in another.
	options.Key = key.For(fmt.Sprintf("--auth %s (%q, %t) at %s%s for %s", o.auth, o.oidc.issuer, o.bare(), o.public, o.basePath, s.contexts.start.Base))
	options.Cookie, options.Secure = "watchglass", o.public.Scheme == "https"
	if !options.Secure {
		options.Cookie += "-" + o.public.Port() // cookies ignore ports
	}
	options.Cookie += strings.ReplaceAll(o.basePath, "/", "-") // other instances may be below other paths
	switch o.auth {
	case authToken:
		return edge.NewToken(options, s.verify), nil
	case authOIDC:
		p, err := o.provider(o.basePath)
		if err != nil {
			return nil, err
		}
		verify := edge.Verify(s.verify)
		if o.oidc.impersonate {
			verify = nil
		}
		return edge.NewOpenID(options, p, verify, o.public.String()+o.basePath+"/-/signin?why=out", s.log), nil
	}
	f, err := o.fronted(s.log)
	if err != nil {
		return nil, err
	}
	return edge.NewProxy(options, f), nil
}

// signedIn logs a new session.
func (s *server) signedIn(signedIn session.Session) {
	s.log.Info("signed in", "user", clip(signedIn.User), "mode", s.options.auth, "session", signedIn.Name(), "until", signedIn.Until)
}

// refused counts a request that the authenticator refused.
func (s *server) refused(reason string) {
	if s.operation != nil {
		s.metrics.authRefused(reason)
	}
}

// placeOf returns the context and the server of a request, for which it needs a session. The
// name of the first context is empty, whether the request names it or not.
func (s *server) placeOf(r *http.Request) session.Place {
	name := r.URL.Query().Get("c")
	if name == s.contexts.start.Context {
		name = ""
	}
	if !s.contexts.has(name) { // nothing is requested or read for it
		return session.Place{Context: name, Server: "nowhere"}
	}
	return session.Place{Context: name, Server: s.contexts.target(name).Base.String()}
}

// verifyWithin is the timeout for checking a token with the apiserver.
const verifyWithin = 10 * time.Second

// verify asks the apiserver of a context who the user of a token is.
func (s *server) verify(ctx context.Context, name, token string) (edge.Who, error) {
	ctx, cancel := context.WithTimeout(ctx, verifyWithin)
	defer cancel()
	if !s.contexts.has(name) {
		return edge.Who{}, errNowhere
	}
	t := s.contexts.target(name)
	transport, err := t.As(apiserver.Identity{Token: token})
	if err != nil {
		s.log.Error("cluster unusable", "context", name, "error", err)
		return edge.Who{}, errUnchecked
	}
	user, groups, err := relay.WhoAmI(ctx, relay.Upstream{Base: t.Base, Transport: transport})
	switch status := wire.StatusOf(err); {
	case err == nil:
		return edge.Who{User: user, Groups: groups}, nil
	case status != nil && status.Unauthorized():
		return edge.Who{}, edge.ErrUnknown
	case status != nil && status.Origin == wire.FromAPIServer && (status.Code == http.StatusForbidden || status.NotFound()):
		sum := sha256.Sum256([]byte(token)) // the token is valid, but the apiserver does not say whose it is
		return edge.Who{User: "the bearer of token " + hex.EncodeToString(sum[:4])}, nil
	}
	s.log.Warn("token check failed", "context", t.Context, "server", t.Base.Host, "error", err)
	return edge.Who{}, errUnchecked // the cause may contain addresses, which an unknown user must not see
}

var errNowhere = errors.New("no such cluster here")
var errUnchecked = errors.New("the apiserver does not answer; try again later")

// upstream returns the apiserver with the identity of a session's user.
func (s *server) upstream(t *apiserver.Target, signedIn session.Session) (relay.Upstream, error) {
	up := relay.Upstream{Base: t.Base, Transport: t.Transport, Heard: t.Pulse.Heard, Retry: t.Retry}
	var who apiserver.Identity
	switch {
	case s.options.local():
		up.As = requester{target: t}
		return up, nil
	case s.options.bare():
		who.Token = signedIn.Bearer
	default:
		who.User, who.Groups = signedIn.User, signedIn.Groups
	}
	up.As = requester{t, who.User, fmt.Sprintf("%q", who.Groups), sha256.Sum256([]byte(who.Token))}
	var err error
	up.Transport, err = t.As(who)
	return up, err
}

// requester identifies who asks which apiserver. Only sessions with all of it in common may share watches.
type requester struct {
	target       *apiserver.Target
	user, groups string
	token        [sha256.Size]byte
}
