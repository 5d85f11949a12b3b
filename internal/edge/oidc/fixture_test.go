//go:build !js

package oidc

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode"

	"watchglass/internal/edge/oidc/oidctest"
)

const redirect = "https://wg.example.com/-/login/callback"

var ann = oidctest.User{Subject: "u-ann", Email: "ann@example.com", Groups: []string{"dev", "ops"}}

// fixture is a provider, its client, a browser, and a clock for all of them.
type fixture struct {
	idp     *oidctest.Provider
	p       *Provider
	browser *http.Client
	secrets *secrets
	ahead   atomic.Int64 // of the clock
}

// begin starts a provider that knows one user. Each edit may change what the
// two sides are made with.
func begin(t *testing.T, edits ...func(*oidctest.Options, *Options)) *fixture {
	t.Helper()
	f := &fixture{secrets: &secrets{}}
	now := func() time.Time { return time.Now().Add(time.Duration(f.ahead.Load())) }
	theirs := oidctest.Options{ClientSecret: "a secret of the client, CANARY", Algorithm: "ES256", Now: now}
	theirs.Redirects = []string{redirect}
	ours := Options{ClientID: "watchglass", Redirect: redirect, Now: now}
	for _, edit := range edits {
		edit(&theirs, &ours)
	}
	f.idp = oidctest.New(theirs)
	t.Cleanup(f.idp.Close)
	f.idp.Set(ann)
	ours.Issuer, ours.ClientSecret = f.idp.Issuer(), theirs.ClientSecret
	transport := &http.Transport{}
	if theirs.TLS {
		ours.CA = f.idp.CA()
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(ours.CA)
		transport.TLSClientConfig = &tls.Config{RootCAs: pool}
	}
	f.browser = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	t.Cleanup(f.browser.CloseIdleConnections)
	f.p = f.client(t, ours)
	return f
}

// client makes a client of the provider whose secrets are noted.
func (f *fixture) client(t *testing.T, o Options) *Provider {
	t.Helper()
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	f.secrets.add(o.ClientSecret)
	inner := p.client.Transport.(answers).next
	t.Cleanup(inner.(*http.Transport).CloseIdleConnections)
	p.client.Transport = answers{listener{inner, f.secrets}}
	return p
}

func (f *fixture) pass(d time.Duration) { f.ahead.Add(int64(d)) }

// sent begins a sign-in, and returns what the browser is sent back with.
func (f *fixture) sent(t *testing.T) (Pending, url.Values) {
	t.Helper()
	address, pending, err := f.p.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f.secrets.add(pending.State, pending.Nonce, pending.Verifier)
	return pending, f.visit(t, address)
}

func (f *fixture) visit(t *testing.T, address string) url.Values {
	t.Helper()
	resp, err := f.browser.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	back, err := resp.Location()
	if err != nil || !strings.HasPrefix(back.String(), redirect+"?") {
		t.Fatalf("%s: sent to %v, %v", resp.Status, back, err)
	}
	f.secrets.add(back.Query().Get("code"))
	return back.Query()
}

func (f *fixture) signIn(t *testing.T) Tokens {
	t.Helper()
	pending, query := f.sent(t)
	tokens, err := f.p.Finish(t.Context(), pending, query)
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

// again does what has failed until it succeeds: go-oidc answers with its last
// failure for a moment longer.
func again(t *testing.T, do func() error) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; runtime.Gosched() {
		err := do()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// refuses holds that an error is of a kind, says what it has to, and nothing
// that it must not. Trouble with the provider is of no kind: nil.
func (f *fixture) refuses(t *testing.T, err, kind error, words string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, not %q", words)
	}
	if errors.Is(err, ErrRefused) != (kind == ErrRefused) || errors.Is(err, ErrEnded) != (kind == ErrEnded) || !strings.Contains(err.Error(), words) {
		t.Errorf("%q is not %v with %q", err, kind, words)
	}
	f.secrets.none(t, err.Error())
}

// secrets are what must be in no text.
type secrets struct {
	mu  sync.Mutex
	all []string
}

func (s *secrets) add(more ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, secret := range more {
		if len(secret) >= partOfSecret {
			s.all = append(s.all, secret)
		}
	}
}

// none holds that a text is fit to be shown: no part of a secret, no control
// character, and not long.
func (s *secrets) none(t *testing.T, text string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, secret := range s.all {
		for i := 0; i+12 <= len(secret); i++ {
			if strings.Contains(text, secret[i:i+12]) {
				t.Fatalf("%q holds a part of the secret %q", text, secret)
			}
		}
		if strings.Contains(text, secret) {
			t.Fatalf("%q holds the secret %q", text, secret)
		}
	}
	if len(text) > 3000 || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Errorf("%q is not fit to be shown", text)
	}
}

// listener notes the secrets in all that is sent and answered.
type listener struct {
	next    http.RoundTripper
	secrets *secrets
}

func (l listener) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		form, err := url.ParseQuery(string(body))
		if err != nil {
			return nil, err
		}
		for _, name := range []string{"code", "code_verifier", "refresh_token", "client_secret", "token"} {
			l.secrets.add(form.Get(name))
		}
		l.secrets.add(strings.TrimPrefix(r.Header.Get("Authorization"), "Basic "))
	}
	resp, err := l.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 2*maxAnswer))
	resp.Body = io.NopCloser(bytes.NewReader(body))
	var came map[string]any
	if json.Unmarshal(body, &came) == nil {
		for _, name := range []string{"access_token", "refresh_token", "id_token"} {
			if secret, ok := came[name].(string); ok {
				l.secrets.add(secret)
			}
		}
	}
	return resp, err
}
