//go:build !js

package oidc

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"watchglass/internal/edge/oidc/oidctest"
)

// TestFlow signs in, renews and signs out, in each way that a provider may be
// reached and a client may prove itself. All that is kept between is JSON.
func TestFlow(t *testing.T) {
	for name, edit := range map[string]func(*oidctest.Options, *Options){
		"TLS, RS256":    func(o *oidctest.Options, _ *Options) { o.TLS, o.Algorithm = true, "RS256" },
		"ES256":         func(o *oidctest.Options, _ *Options) { o.Algorithm = "ES256" },
		"public client": func(o *oidctest.Options, _ *Options) { o.ClientSecret = "" },
		"secret in the form": func(o *oidctest.Options, _ *Options) {
			o.Answer = func(path string, answer map[string]any) {
				if path == "/.well-known/openid-configuration" {
					answer["token_endpoint_auth_methods_supported"] = []string{"client_secret_post"}
				}
			}
		},
		"two audiences": func(o *oidctest.Options, _ *Options) {
			o.Draft = func(d *oidctest.Draft) {
				d.Claims["aud"], d.Claims["azp"] = []string{"kubernetes", "watchglass"}, "watchglass"
			}
		},
	} {
		t.Run(name, func(t *testing.T) { flow(t, begin(t, edit)) })
	}
}

func flow(t *testing.T, f *fixture) {
	pending, query := f.sent(t)
	tokens, err := f.p.Finish(t.Context(), throughJSON(t, pending), query)
	if err != nil {
		t.Fatal(err)
	}
	want := Tokens{ID: tokens.ID, Refresh: tokens.Refresh, Subject: "u-ann", User: f.idp.Issuer() + "#u-ann", Groups: []string{"dev", "ops"}, Expires: tokens.Expires}
	if !reflect.DeepEqual(tokens, want) || tokens.ID == "" || tokens.Refresh == "" || tokens.Expires.IsZero() {
		t.Fatalf("%+v", tokens)
	}
	f.pass(time.Minute)
	changed := ann
	changed.Groups = []string{"dev"}
	f.idp.Set(changed)
	renewed, err := f.p.Refresh(t.Context(), throughJSON(t, tokens))
	if err != nil {
		t.Fatal(err)
	}
	if renewed.ID == tokens.ID || renewed.Refresh == tokens.Refresh || len(renewed.Groups) != 1 || !renewed.Expires.After(tokens.Expires) || renewed.User != tokens.User {
		t.Errorf("%+v after %+v", renewed, tokens)
	}
	if err := f.p.Revoke(t.Context(), renewed); err != nil || f.idp.Asked("/revoke") != 1 {
		t.Fatal(err, f.idp.Asked("/revoke"))
	}
	_, err = f.p.Refresh(t.Context(), renewed)
	f.refuses(t, err, ErrRefused, "invalid_grant: the session is over")
}

// throughJSON is a value as a cookie brings it back.
func throughJSON[T any](t *testing.T, v T) T {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var back T
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(v, back) {
		t.Errorf("%+v came back as %+v", v, back)
	}
	return back
}

// TestBegin shows what a browser is sent to the provider with, and what not.
func TestBegin(t *testing.T) {
	f := begin(t)
	address, pending, err := f.p.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	for name, want := range map[string]string{
		"response_type": "code", "client_id": "watchglass", "redirect_uri": redirect, "scope": "openid profile email groups offline_access",
		"state": pending.State, "nonce": pending.Nonce, "code_challenge_method": "S256",
	} {
		if query.Get(name) != want {
			t.Errorf("%s is %q, not %q", name, query.Get(name), want)
		}
	}
	if len(query) != 8 || strings.Contains(address, pending.Verifier) || len(pending.Verifier) < 43 || len(pending.State) < 26 || len(pending.Nonce) < 26 {
		t.Errorf("%s, %+v", address, pending)
	}
	_, other, err := f.p.Begin(t.Context())
	if err != nil || other.State == pending.State || other.Nonce == pending.Nonce || other.Verifier == pending.Verifier {
		t.Error("two sign-ins are alike", err)
	}
}

// TestScopes asks for what the provider lists, or for what it was told to.
func TestScopes(t *testing.T) {
	for name, c := range map[string]struct {
		given, listed []string
		want          string
	}{
		"all are listed":    {nil, []string{"openid", "groups", "email", "profile", "offline_access", "x"}, "openid profile email groups offline_access"},
		"some are listed":   {nil, []string{"openid", "email"}, "openid email"},
		"not even openid":   {nil, []string{"email"}, "openid email"},
		"none is listed":    {nil, nil, "openid profile email groups offline_access"},
		"given":             {[]string{"openid", "roles"}, []string{"openid"}, "openid roles"},
		"given, not openid": {[]string{"roles"}, nil, "openid roles"},
	} {
		f := begin(t, func(theirs *oidctest.Options, ours *Options) {
			ours.Scopes = c.given
			theirs.Answer = func(_ string, answer map[string]any) { answer["scopes_supported"] = c.listed }
		})
		address, _, err := f.p.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if u, err := url.Parse(address); err != nil || u.Query().Get("scope") != c.want {
			t.Errorf("%s: %v, %v", name, u.Query()["scope"], err)
		}
	}
}

// TestNames holds names and groups to what kube-apiserver's flags mean.
func TestNames(t *testing.T) {
	for name, c := range map[string]struct {
		options Options
		claims  map[string]any
		user    string
		groups  []string
		words   string
	}{
		"sub":                 {Options{}, nil, "ISSUER#u-ann", []string{"dev", "ops"}, ""},
		"prefix":              {Options{UsernamePrefix: "oidc:", GroupsPrefix: "oidc:"}, nil, "oidc:u-ann", []string{"oidc:dev", "oidc:ops"}, ""},
		"no prefix":           {Options{UsernamePrefix: "-", GroupsPrefix: "-"}, nil, "u-ann", []string{"-dev", "-ops"}, ""},
		"email":               {Options{UsernameClaim: "email"}, nil, "ann@example.com", []string{"dev", "ops"}, ""},
		"email, prefix":       {Options{UsernameClaim: "email", UsernamePrefix: "x-"}, nil, "x-ann@example.com", []string{"dev", "ops"}, ""},
		"unverified":          {Options{UsernameClaim: "email"}, map[string]any{"email_verified": false}, "", nil, "has not verified"},
		"verified as text":    {Options{UsernameClaim: "email"}, map[string]any{"email_verified": "true"}, "", nil, "has not verified"},
		"unverified, not it":  {Options{}, map[string]any{"email_verified": false}, "ISSUER#u-ann", []string{"dev", "ops"}, ""},
		"another claim":       {Options{UsernameClaim: "name"}, map[string]any{"name": "Ann"}, "ISSUER#Ann", []string{"dev", "ops"}, ""},
		"no such claim":       {Options{UsernameClaim: "name"}, nil, "", nil, `no name in the claim "name"`},
		"empty":               {Options{UsernameClaim: "name"}, map[string]any{"name": ""}, "", nil, `no name in the claim "name"`},
		"a number":            {Options{UsernameClaim: "name"}, map[string]any{"name": 7}, "", nil, `no name in the claim "name"`},
		"one group":           {Options{GroupsClaim: "role"}, map[string]any{"role": "admin"}, "ISSUER#u-ann", []string{"admin"}, ""},
		"no group":            {Options{GroupsClaim: "role"}, nil, "ISSUER#u-ann", nil, ""},
		"group is empty":      {Options{}, map[string]any{"groups": ""}, "ISSUER#u-ann", nil, ""},
		"groups of no text":   {Options{}, map[string]any{"groups": []any{1}}, "", nil, "neither a string nor a list of strings"},
		"another's":           {Options{}, map[string]any{"azp": "other"}, "", nil, "another client"},
		"of an empty subject": {Options{UsernameClaim: "email"}, map[string]any{"sub": ""}, "", nil, "no name in the claim"},
	} {
		t.Run(name, func(t *testing.T) {
			f := begin(t, func(theirs *oidctest.Options, ours *Options) {
				ours.UsernameClaim, ours.UsernamePrefix = c.options.UsernameClaim, c.options.UsernamePrefix
				ours.GroupsClaim, ours.GroupsPrefix = c.options.GroupsClaim, c.options.GroupsPrefix
				theirs.Draft = func(d *oidctest.Draft) {
					for k, v := range c.claims {
						d.Claims[k] = v
					}
				}
			})
			pending, query := f.sent(t)
			tokens, err := f.p.Finish(t.Context(), pending, query)
			if c.words != "" {
				f.refuses(t, err, ErrRefused, c.words)
				return
			}
			user := strings.ReplaceAll(c.user, "ISSUER", f.idp.Issuer())
			if err != nil || tokens.User != user || !reflect.DeepEqual(tokens.Groups, c.groups) {
				t.Errorf("%q %q, %v", tokens.User, tokens.Groups, err)
			}
		})
	}
}

// TestEndSession sends a browser to be signed out with no token in the address.
func TestEndSession(t *testing.T) {
	f := begin(t)
	tokens := f.signIn(t)
	address := f.p.EndSession(t.Context(), "https://wg.example.com/?a=b")
	u, err := url.Parse(address)
	if err != nil || u.Path != "/logout" || u.Query().Get("client_id") != "watchglass" || u.Query().Get("post_logout_redirect_uri") != "https://wg.example.com/?a=b" || len(u.Query()) != 2 {
		t.Errorf("%s, %v", address, err)
	}
	f.secrets.add(tokens.ID, tokens.Refresh)
	f.secrets.none(t, address)
	resp, err := f.browser.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if back := resp.Header.Get("Location"); back != "https://wg.example.com/?a=b" {
		t.Errorf("sent back to %q", back)
	}
	without := begin(t, func(theirs *oidctest.Options, _ *Options) {
		theirs.Answer = func(_ string, answer map[string]any) {
			delete(answer, "end_session_endpoint")
			delete(answer, "revocation_endpoint")
		}
	})
	if address := without.p.EndSession(t.Context(), "https://wg.example.com/"); address != "" {
		t.Errorf("sent to %q", address)
	}
	if err := without.p.Revoke(t.Context(), without.signIn(t)); err != nil || without.idp.Asked("/revoke") != 0 {
		t.Error(err, without.idp.Asked("/revoke"))
	}
}

// TestPage is the provider's own page, where a user is chosen by a link.
func TestPage(t *testing.T) {
	f := begin(t, func(theirs *oidctest.Options, _ *Options) { theirs.Page = true })
	f.idp.Set(oidctest.User{Subject: "bob"})
	address, pending, err := f.p.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	resp, err := f.browser.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || strings.Count(string(body), "<a href=") != 2 {
		t.Fatalf("%s, %v: %s", resp.Status, err, body)
	}
	tokens, err := f.p.Finish(t.Context(), pending, f.visit(t, address+"&user=bob"))
	if err != nil || tokens.Subject != "bob" {
		t.Errorf("%+v, %v", tokens, err)
	}
}
