//go:build !js

package oidc

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"watchglass/internal/edge/oidc/oidctest"
)

// TestNew refuses what cannot be right, and sends nothing.
func TestNew(t *testing.T) {
	good := Options{Issuer: "https://idp.example/realm", ClientID: "wg", Redirect: redirect}
	for name, c := range map[string]struct {
		edit  func(*Options)
		words string
	}{
		"good": {func(*Options) {}, ""},
		"this machine": {func(o *Options) {
			o.Issuer, o.Redirect = "http://127.0.0.1:5556", "http://localhost:8001/-/login/callback"
		}, ""},
		"this machine, IPv6": {func(o *Options) { o.Issuer = "http://[::1]:5556" }, ""},
		"http":               {func(o *Options) { o.Issuer = "http://idp.example" }, "must be https"},
		"looks like local":   {func(o *Options) { o.Issuer = "http://localhost.evil.example" }, "must be https"},
		"no issuer":          {func(o *Options) { o.Issuer = "" }, "is not a valid address"},
		"no host":            {func(o *Options) { o.Issuer = "https:///x" }, "is not a valid address"},
		"a query":            {func(o *Options) { o.Issuer += "?a=b" }, "must not have a query"},
		"a fragment":         {func(o *Options) { o.Issuer += "#a" }, "must not have a fragment"},
		"a user":             {func(o *Options) { o.Issuer = "https://a:secret@idp.example" }, "must not contain a user"},
		"no client":          {func(o *Options) { o.ClientID = "" }, "no client ID"},
		"redirect in http":   {func(o *Options) { o.Redirect = "http://wg.example.com/-/login/callback" }, "redirect address"},
		"no redirect":        {func(o *Options) { o.Redirect = "" }, "redirect address"},
		"a path as redirect": {func(o *Options) { o.Redirect = "/-/login/callback" }, "redirect address"},
		"no authority":       {func(o *Options) { o.CA = []byte("x") }, "no PEM certificate found"},
	} {
		o := good
		c.edit(&o)
		p, err := New(o)
		if (err == nil) != (c.words == "") || (p == nil) != (err != nil) || err != nil && (!strings.Contains(err.Error(), c.words) || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDiscovery tells what is wrong with a discovery document.
func TestDiscovery(t *testing.T) {
	for name, c := range map[string]struct {
		field string
		value any
		words string
	}{
		"issuer":        {"issuer", "https://evil.example", `calls itself "https://evil.example"`},
		"issuer, slash": {"issuer", "/", "calls itself"},
		"tokens":        {"token_endpoint", "http://idp.example/token", "token_endpoint"},
		"keys":          {"jwks_uri", "file:///etc/passwd", "jwks_uri"},
		"sign-in":       {"authorization_endpoint", "javascript:alert(1)", "authorization_endpoint"},
		"no sign-in":    {"authorization_endpoint", nil, "authorization_endpoint"},
		"revocation":    {"revocation_endpoint", "http://idp.example/revoke", "revocation_endpoint"},
		"sign-out":      {"end_session_endpoint", "//idp.example", "end_session_endpoint"},
		"a number":      {"token_endpoint", 7, "not understood"},
		"scopes":        {"scopes_supported", "openid", "discovery document is invalid"},
	} {
		f := begin(t)
		f.idp.Change(func(s *oidctest.Settings) {
			s.Answer = func(_ string, answer map[string]any) { answer[c.field] = c.value }
		})
		_, _, err := f.p.Begin(t.Context())
		t.Log(name, err)
		f.refuses(t, err, nil, c.words)
		if address := f.p.EndSession(t.Context(), "https://wg.example.com/"); address != "" {
			t.Errorf("%s: sent to %s", name, address)
		}
	}
}

// TestPlainEndpoints are not taken from a provider that is spoken to by TLS, not
// even on this machine.
func TestPlainEndpoints(t *testing.T) {
	f := begin(t, func(theirs *oidctest.Options, _ *Options) {
		theirs.TLS = true
		theirs.Answer = func(_ string, answer map[string]any) { answer["token_endpoint"] = "http://127.0.0.1:1/token" }
	})
	_, _, err := f.p.Begin(t.Context())
	f.refuses(t, err, nil, "token_endpoint")
}

// TestLater is a provider that is away at first, and comes.
func TestLater(t *testing.T) {
	f := begin(t, func(theirs *oidctest.Options, _ *Options) { theirs.Down = true })
	for range 2 {
		_, _, err := f.p.Begin(t.Context())
		f.refuses(t, err, nil, "no valid answer from the provider "+f.idp.Issuer()+": it closed the connection")
	}
	f.refuses(t, f.p.Revoke(t.Context(), Tokens{Refresh: "a CANARY of a token"}), nil, "no valid answer from the provider")
	tokens, err := f.p.Refresh(t.Context(), Tokens{ID: "CANARY.of.an-id", Refresh: "a CANARY of a token"})
	f.refuses(t, err, nil, "no valid answer from the provider")
	if tokens.Refresh == "" {
		t.Error("the tokens were not kept")
	}
	f.idp.Change(func(s *oidctest.Settings) { s.Down = false })
	f.signIn(t)
	asked := f.idp.Asked("/.well-known/openid-configuration")
	f.signIn(t)
	if again := f.idp.Asked("/.well-known/openid-configuration"); again != asked {
		t.Errorf("asked %d times, then %d", asked, again)
	}
}

// TestAtOnce asks for discovery once, for however many begin.
func TestAtOnce(t *testing.T) {
	f := begin(t)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			if _, _, err := f.p.Begin(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if asked := f.idp.Asked("/.well-known/openid-configuration"); asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}

// TestRotatedKeys needs no new start.
func TestRotatedKeys(t *testing.T) {
	f := begin(t)
	tokens := f.signIn(t)
	for range 2 {
		f.idp.Rotate()
		f.signIn(t)
	}
	if _, err := f.p.Refresh(t.Context(), tokens); err != nil {
		t.Fatal(err)
	}
	if asked := f.idp.Asked("/keys"); asked < 3 || asked > 6 { // once for each, and once more for a no
		t.Errorf("the keys were asked for %d times", asked)
	}
}

// TestNonsense is a provider that answers what the protocol does not know: it is
// told as trouble, which passes.
func TestNonsense(t *testing.T) {
	const page = "<html>CANARY of a page, which nobody may see</html>"
	for name, c := range map[string]struct {
		code  int
		body  string
		words string
	}{
		"500":         {500, page, "answered 500 Internal Server Error: try again later"},
		"503, JSON":   {503, `{"error":"invalid_grant"}`, "answered 503 Service Unavailable: try again later"},
		"429":         {429, `{"error":"slow_down"}`, "answered 429 Too Many Requests: try again later"},
		"a page":      {200, page, "answered 200 OK with something that is not JSON"},
		"empty":       {200, "", "answered 200 OK with something that is not JSON"},
		"huge":        {200, `"` + strings.Repeat("x", maxAnswer) + `"`, "answered 200 OK with more than 1 MiB"},
		"huge error":  {400, `"` + strings.Repeat("x", maxAnswer) + `"`, "answered 400 Bad Request"},
		"sent away":   {302, "", "answered 302 Found, a redirect, which is not allowed"},
		"sent on":     {307, "", "answered 307 Temporary Redirect, a redirect, which is not allowed"},
		"not found":   {404, page, "answered 404 Not Found"},
		"other JSON":  {200, `["CANARY of a list"]`, ""},
		"wrong types": {200, `{"access_token":"CANARY of a token","expires_in":"CANARY of a time","issuer":7,"keys":"CANARY of keys"}`, ""},
	} {
		for _, path := range []string{"/.well-known/openid-configuration", "/keys", "/token"} {
			t.Run(name+" "+path, func(t *testing.T) {
				f := begin(t)
				f.secrets.add("CANARY of a page", "CANARY of a token", "CANARY of a time", "CANARY of keys", "CANARY of a list")
				if path == "/token" || path == "/keys" {
					if _, _, err := f.p.Begin(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				f.idp.Change(func(s *oidctest.Settings) { s.Instead = broken(path, c.code, c.body) })
				if path == "/.well-known/openid-configuration" {
					_, _, err := f.p.Begin(t.Context())
					f.refuses(t, err, nil, c.words)
				} else {
					f.nonsense(t, path, c.words)
				}
				if f.idp.Asked("/elsewhere") != 0 {
					t.Error("a redirect was followed")
				}
				f.idp.Change(func(s *oidctest.Settings) { s.Instead = nil })
				again(t, func() error {
					pending, query := f.sent(t)
					_, err := f.p.Finish(t.Context(), pending, query)
					return err
				})
			})
		}
	}
}

// nonsense signs in at a provider that is broken: the keys that are JSON and
// none leave nothing to check a signature by.
func (f *fixture) nonsense(t *testing.T, path, words string) {
	t.Helper()
	pending, query := f.sent(t)
	_, err := f.p.Finish(t.Context(), pending, query)
	kind := error(nil)
	if path == "/keys" && words == "" {
		kind = ErrRefused
	}
	f.refuses(t, err, kind, words)
}

// broken answers one path with nonsense.
func broken(path string, code int, body string) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != path {
			return false
		}
		w.Header().Set("Location", "/elsewhere?CANARY-of-a-page")
		w.Header().Set("Content-Type", "text/html; x=\"CANARY of a page\"")
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
		return true
	}
}

// TestEcho is a provider that repeats, in whatever it answers, all that it was
// sent: no error holds any of it.
func TestEcho(t *testing.T) {
	quoted := func(s string) string { return fmt.Sprintf("%q", s) }
	for name, answer := range map[string]func(w http.ResponseWriter, all string){
		"description": func(w http.ResponseWriter, all string) {
			w.WriteHeader(400)
			fmt.Fprintf(w, `{"error":"invalid_grant","error_description":%s}`, quoted("no: "+all))
		},
		"code": func(w http.ResponseWriter, all string) { fmt.Fprintf(w, `{"error":%s}`, quoted(all)) },
		"tokens": func(w http.ResponseWriter, all string) {
			fmt.Fprintf(w, `{"id_token":%s,"access_token":"x"}`, quoted(all))
		},
		"both": func(w http.ResponseWriter, all string) {
			fmt.Fprint(w, `{"access_token":"CANARY-of-a-new-token","error":"x","error_description":"see CANARY-of-a-new-token"}`)
		},
		"number": func(w http.ResponseWriter, all string) {
			fmt.Fprintf(w, `{"access_token":"x","expires_in":%s}`, quoted(all))
		},
		"page":     func(w http.ResponseWriter, all string) { w.WriteHeader(400); fmt.Fprint(w, all) },
		"redirect": func(w http.ResponseWriter, all string) { w.Header().Set("Location", "/?"+all); w.WriteHeader(307) },
		"no HTTP": func(w http.ResponseWriter, all string) {
			if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
				fmt.Fprintf(conn, "%s\r\n\r\n", all)
				conn.Close()
			}
		},
		"status": func(w http.ResponseWriter, all string) {
			if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
				fmt.Fprintf(conn, "HTTP/1.1 400 %s\r\nContent-Length: 2\r\n\r\n{}", all)
				conn.Close()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := begin(t)
			f.secrets.add("CANARY-of-a-new-token")
			tokens := f.signIn(t)
			pending, query := f.sent(t)
			f.idp.Change(func(s *oidctest.Settings) {
				s.Instead = func(w http.ResponseWriter, r *http.Request) bool {
					_ = r.ParseForm() // what cannot be read is not repeated
					answer(w, r.PostForm.Encode()+" "+r.Header.Get("Authorization"))
					return true
				}
			})
			_, err := f.p.Finish(t.Context(), pending, query)
			f.secrets.shows(t, err)
			_, err = f.p.Refresh(t.Context(), tokens)
			f.secrets.shows(t, err)
			if err := f.p.Revoke(t.Context(), tokens); err != nil {
				f.secrets.shows(t, err)
			}
		})
	}
}

// shows holds that an error is one, and says nothing that it must not.
func (s *secrets) shows(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	t.Log(err)
	s.none(t, err.Error())
}

// TestGone says that nobody is there, and whose certificate is not known.
func TestGone(t *testing.T) {
	f := begin(t)
	f.idp.Close()
	_, _, err := f.p.Begin(t.Context())
	f.refuses(t, err, nil, "connection refused")
	f = begin(t, func(theirs *oidctest.Options, _ *Options) { theirs.TLS = true })
	o := f.p.options
	o.CA = nil
	_, _, err = f.client(t, o).Begin(t.Context())
	f.refuses(t, err, nil, "certificate")
	o = f.p.options
	plain := begin(t)
	o.Issuer = strings.Replace(plain.idp.Issuer(), "http:", "https:", 1)
	_, _, err = f.client(t, o).Begin(t.Context())
	f.refuses(t, err, nil, "it does not speak TLS")
}

// TestOldTLS does not speak what is broken.
func TestOldTLS(t *testing.T) {
	old := httptest.NewUnstartedServer(http.NotFoundHandler())
	old.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	old.Config.ErrorLog = log.New(io.Discard, "", 0)
	old.StartTLS()
	defer old.Close()
	f := begin(t, func(theirs *oidctest.Options, _ *Options) { theirs.TLS = true })
	o := f.p.options
	o.Issuer = old.URL
	_, _, err := f.client(t, o).Begin(t.Context())
	f.refuses(t, err, nil, "protocol version")
}

// TestSlow does not wait for a provider for ever, and nobody waits longer than
// he wants to.
func TestSlow(t *testing.T) {
	f := begin(t)
	asked, release := make(chan struct{}, 2), make(chan struct{})
	defer close(release)
	f.idp.Change(func(s *oidctest.Settings) {
		s.Instead = func(_ http.ResponseWriter, r *http.Request) bool {
			asked <- struct{}{}
			select {
			case <-r.Context().Done():
			case <-release:
			}
			return true
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	f.p.client.Timeout = time.Hour
	go func() {
		_, _, err := f.p.Begin(ctx)
		ended <- err
	}()
	<-asked
	cancel()
	err := <-ended
	f.refuses(t, err, nil, "no valid answer from the provider")
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	other := f.client(t, f.p.options)
	other.client.Timeout = 20 * time.Millisecond
	_, _, err = other.Begin(t.Context())
	f.refuses(t, err, nil, "did not answer in time")
}
