//go:build !js

package main

import (
	"strings"
	"testing"

	"watchglass/internal/apiserver"
	"watchglass/internal/edge/session"
)

// TestIdentity checks the flags that each authentication mode needs, and that flags of another
// mode are refused.
func TestIdentity(t *testing.T) {
	none := func(string) string { return "" }
	const public = " --public-url https://wg.example.com"
	for args, want := range map[string]string{
		"--auth nobody": "must be local, token, oidc or proxy",
		"--auth token":  "needs --public-url",
		"--auth token --public-url wg.example.com":                                 "a scheme and a host",
		"--auth token --public-url https://a/b":                                    "--base-path",
		"--auth token --public-url http://example.com":                             "must be https",
		"--auth token --public-url ftp://127.0.0.1":                                "must begin with https://",
		"--auth oidc" + public:                                                     "--oidc-issuer-url",
		"--auth proxy" + public:                                                    "set the addresses of the front",
		"--auth proxy --front-cidr 10.0.0.1" + public:                              "such as 10.0.0.0/8",
		"--auth proxy --front-cidr 10.0.0.0/8 --front-user-header X_User" + public: "some servers treat _ as -",
		"--auth proxy --front-cidr 10.0.0.0/8 --front-name a" + public:             "--front-ca-file",
		"--oidc-client-id x":                                                       "needs --auth oidc",
		"--auth token --front-user-header X-User" + public:                         "needs --auth proxy",
		"--auth proxy --oidc-impersonate" + public:                                 "needs --auth oidc",
		"--auth token --demo" + public:                                             "the demo cluster has no users",
		"--auth token --as ana" + public:                                           "requests are made as the user who signed in",
		"--auth token --session 16m" + public:                                      "to 15m0s",
		"--auth token --session 1ns" + public:                                      "from 100ms",
		"--auth token --session-max 1m" + public:                                   "must be at least as long as --session",
		"--session 5m":                                                             "needs --auth token, oidc or proxy",
		"--public-url https://a":                                                   "needs --auth token, oidc or proxy",
		"--revoke-within 0s":                                                       "must be at least 1s",
		"--max-connections 0":                                                      "at least 1",
	} {
		if _, err := parse(strings.Fields(args), none); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
	for args, bare := range map[string]bool{
		"": false, "--auth token --listen 0.0.0.0:1" + public: true, "--auth token --public-url http://localhost:8001": true,
		"--auth oidc --oidc-issuer-url https://i --oidc-client-id c" + public:                    true,
		"--auth oidc --oidc-issuer-url https://i --oidc-client-id c --oidc-impersonate" + public: false,
		"--auth proxy --front-cidr 10.0.0.0/8 --front-cidr fd00::/8" + public:                    false,
	} {
		o, err := parse(strings.Fields(args), none)
		if err != nil || o.cluster.Bare != bare {
			t.Errorf("%s: %v", args, err)
		}
	}
	env := func(name string) string {
		return map[string]string{"WATCHGLASS_AUTH": "token", "WATCHGLASS_PUBLIC_URL": "https://wg.example.com/", "WATCHGLASS_SESSION": "5m"}[name]
	}
	if o, err := parse(nil, env); err != nil || o.public.String() != "https://wg.example.com" || o.session.Minutes() != 5 {
		t.Errorf("%+v %v", o, err)
	}
}

// TestRequester shows which sessions are the same to the apiserver, so that their watches may be shared:
// only those with the same credentials for the same cluster.
func TestRequester(t *testing.T) {
	here, there := &apiserver.Target{Context: "prod"}, &apiserver.Target{Context: "prod"}
	as := func(auth string, t *apiserver.Target, signedIn session.Session) any {
		s := &server{options: &options{identity: identity{auth: auth}}}
		up, _ := s.upstream(t, signedIn) // whether the target takes such credentials is another matter
		return up.As
	}
	ada, again := session.Session{User: "ada", Groups: []string{"dev", "ops"}}, session.Session{User: "ada", Groups: []string{"dev", "ops"}}
	bearer := session.Session{User: "ada", Bearer: "one"}
	for name, c := range map[string]struct {
		one, other any
		same       bool
	}{
		"two browsers in local mode":    {as(authLocal, here, session.Session{}), as(authLocal, here, session.Session{}), true},
		"two sessions of a user":        {as(authProxy, here, ada), as(authProxy, here, again), true},
		"two sessions of a token":       {as(authToken, here, bearer), as(authToken, here, bearer), true},
		"another user":                  {as(authProxy, here, ada), as(authProxy, here, session.Session{User: "grace", Groups: ada.Groups}), false},
		"a group less":                  {as(authProxy, here, ada), as(authProxy, here, session.Session{User: "ada", Groups: []string{"dev"}}), false},
		"groups that read alike":        {as(authProxy, here, ada), as(authProxy, here, session.Session{User: "ada", Groups: []string{"dev ops"}}), false},
		"a group with quotes":           {as(authProxy, here, ada), as(authProxy, here, session.Session{User: "ada", Groups: []string{`dev" "ops`}}), false},
		"another token of the user":     {as(authToken, here, bearer), as(authToken, here, session.Session{User: "ada", Bearer: "two"}), false},
		"another cluster":               {as(authProxy, here, ada), as(authProxy, there, ada), false},
		"another cluster in local mode": {as(authLocal, here, session.Session{}), as(authLocal, there, session.Session{}), false},
		"the proxy's own credentials":   {as(authLocal, here, session.Session{}), as(authProxy, here, ada), false},
	} {
		if c.one == nil || (c.one == c.other) != c.same {
			t.Errorf("%s: %+v and %+v", name, c.one, c.other)
		}
	}
}
