//go:build !js

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"watchglass/internal/apiserver"
	"watchglass/internal/edge"
	"watchglass/internal/edge/edgetest"
	"watchglass/internal/edge/session"
	"watchglass/web/static"
)

// TestListen checks that the next port is used if one is in use, and that it is reported.
func TestListen(t *testing.T) {
	first, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	asked, got := 0, 0
	l, err := listen(t.Context(), first.Addr().String(), otherPorts, func(first, port int) { asked, got = first, port })
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if l.Addr().String() == first.Addr().String() || strconv.Itoa(asked) != port(first.Addr()) || strconv.Itoa(got) != port(l.Addr()) {
		t.Errorf("%s, %d, %d", l.Addr(), asked, got)
	}
	if _, err := listen(t.Context(), first.Addr().String(), 0, nil); !portInUse(err) {
		t.Errorf("another port where there is to be none: %v", err)
	}
	if _, err := listen(t.Context(), "127.0.0.1:http", otherPorts, nil); err == nil {
		t.Error("a port by name")
	}
}

// TestLoopback checks that no other user of the machine can receive requests to localhost: the
// proxy listens on both addresses, or does not use the port.
func TestLoopback(t *testing.T) {
	for mine, theirs := range map[string]string{"127.0.0.1": "::1", "::1": "127.0.0.1", "localhost": "::1"} {
		l, err := listen(t.Context(), net.JoinHostPort(mine, "0"), 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		at := net.JoinHostPort(theirs, port(l.Addr()))
		if taken, err := net.Listen("tcp", at); err == nil {
			t.Errorf("while we listen on %s, somebody else may on %s", l.Addr(), taken.Addr())
			taken.Close()
		}
		for _, host := range []string{mine, theirs} {
			served := make(chan error, 1)
			go func() {
				conn, err := l.Accept()
				if err == nil {
					err = conn.Close()
				}
				served <- err
			}()
			conn, err := net.Dial("tcp", net.JoinHostPort(host, port(l.Addr())))
			if err := errors.Join(err, <-served); err != nil {
				t.Fatal(err)
			}
			conn.Close()
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("after the end: %v", err)
		}
		taken, err := net.Listen("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := listen(t.Context(), net.JoinHostPort(mine, port(l.Addr())), 0, nil); !portInUse(err) {
			t.Errorf("%s is another's, and %s is listened on: %v", at, mine, err)
		}
		taken.Close()
	}
	l, err := listen(t.Context(), "127.0.0.7:0", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if otherHalf(l.Addr()).IsValid() {
		t.Error("127.0.0.7 has a name")
	}
}

func testSite(t *testing.T) *static.Site {
	t.Helper()
	site, err := testPage()
	if err != nil {
		t.Fatal(err)
	}
	return site
}

func testPage() (*static.Site, error) {
	return static.Open(fstest.MapFS{
		"index.html":            {Data: []byte("<!doctype html>the page")},
		"files/app.abc.wasm.br": {Data: []byte("brotli")},
		"files/app.abc.wasm.gz": {Data: gzipped("the program")},
		"files/boot.def.js":     {Data: []byte("boot")},
		"files/boot.def.js.br":  {Data: []byte("brotli boot")},
	})
}

// testServer serves on loopback below a base path.
func testServer(t *testing.T, base string) (address, token string) {
	t.Helper()
	return testServerOf(t, base, &apiserver.Target{Base: &url.URL{Scheme: "https", Host: "h"}, Transport: http.DefaultTransport, Pulse: new(apiserver.Pulse)})
}

// testServerOf serves a target.
func testServerOf(t *testing.T, base string, target *apiserver.Target) (address, token string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	token = session.NewSecret()
	s := &server{
		options: &options{listen: l.Addr().String(), basePath: base, identity: identity{auth: authLocal}}, site: testSite(t),
		sessions: session.NewRegistry(session.Limits{}), log: slog.New(slog.DiscardHandler),
		contexts: newContexts(t.Context(), target, nil),
	}
	if s.auth, err = s.newAuthenticator(l.Addr(), token, session.NewKey()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return "http://" + l.Addr().String(), token
}

// TestRoutes checks what each path serves, and that every response has the security headers.
func TestRoutes(t *testing.T) {
	for _, base := range []string{"", "/k8s"} {
		address, _ := testServer(t, base)
		for _, c := range []struct {
			method, path, accept string
			code                 int
			body, encoding       string
		}{
			{"GET", "/", "", 200, "the page", ""},
			{"GET", "/pods", "", 200, "the page", ""},
			{"GET", "/widgets.example.com?n=a", "", 200, "the page", ""},
			{"HEAD", "/pods", "", 200, "", ""},
			{"POST", "/pods", "", 405, "", ""},
			{"GET", "/pods/exec", "", 404, "", ""},
			{"GET", "/-/files/boot.def.js", "", 200, "boot", ""},
			{"GET", "/-/files/boot.def.js", "gzip, br;q=0.5", 200, "brotli boot", "br"},
			{"GET", "/-/files/boot.def.js", "br;q=0", 200, "boot", ""},
			{"GET", "/-/files/app.abc.wasm", "br", 200, "brotli", "br"},
			{"GET", "/-/files/app.abc.wasm", "", 200, "the program", ""},
			{"GET", "/-/files/index.html", "", 404, "", ""},
			{"GET", "/-/files/..%2findex.html", "", 404, "", ""},
			{"GET", "/-/files/%2e%2e", "", 404, "", ""},
			{"GET", "/-/livez", "", 200, "ok", ""},
			{"GET", "/-/nonsense", "", 404, "", ""},
			{"GET", "/-/socket", "", 403, "only pages of this server", ""},
			{"GET", "/-/login", "", 405, "", ""},
		} {
			req, err := http.NewRequest(c.method, address+base+c.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Accept-Encoding", c.accept)
			resp, err := http.DefaultTransport.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if resp.StatusCode != c.code || !strings.Contains(string(body), c.body) || resp.Header.Get("Content-Encoding") != c.encoding {
				t.Errorf("%s %s%s (%s): %d %q %s", c.method, base, c.path, c.accept, resp.StatusCode, body, resp.Header.Get("Content-Encoding"))
			}
			if resp.Header.Get("Content-Security-Policy") == "" {
				t.Errorf("%s: no policy", c.path)
			}
			if strings.Contains(c.path, "files/") && c.code == 200 && !strings.Contains(resp.Header.Get("Cache-Control"), "immutable") {
				t.Errorf("%s: %s", c.path, resp.Header.Get("Cache-Control"))
			}
		}
		if base != "" {
			resp, err := http.Get(address + "/pods")
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != 404 {
				t.Errorf("outside of the base: %d", resp.StatusCode)
			}
		}
	}
}

// TestLogin signs in as a browser does.
func TestLogin(t *testing.T) {
	address, token := testServer(t, "")
	key := edgetest.NewKey()
	post := func(body, origin string) *http.Response {
		req, err := http.NewRequest(http.MethodPost, address+"/-/login", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Origin", origin)
		key.Sign(req)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp
	}
	if resp := post(token, "http://evil.example"); resp.StatusCode != 403 || len(resp.Cookies()) > 0 {
		t.Error(resp.Status)
	}
	if resp := post("wrong", address); resp.StatusCode != 401 || len(resp.Cookies()) > 0 {
		t.Error(resp.Status)
	}
	resp := post(token, address)
	if resp.StatusCode != 200 || len(resp.Cookies()) != 1 {
		t.Fatal(resp.Status)
	}
	req, err := http.NewRequest(http.MethodGet, address+"/-/socket", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Origin", address)
	req.AddCookie(resp.Cookies()[0])
	resp, err = http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusUpgradeRequired {
		t.Errorf("behind the authenticator: %s", resp.Status)
	}
}

// TestRun starts the program as main does, and reads its first line.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	api := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if agent := r.Header.Get("User-Agent"); !strings.HasPrefix(agent, "watchglass/") {
			t.Errorf("User-Agent %q", agent)
		}
		fmt.Fprint(w, `{"gitVersion":"v1.36.3"}`)
	}))
	defer api.Close()
	kubeconfig := filepath.Join(dir, "config")
	if err := os.WriteFile(kubeconfig, fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Config","current-context":"c","contexts":[{"name":"c","context":{"cluster":"k","user":"u"}}],"clusters":[{"name":"k","cluster":{"server":%q,"insecure-skip-tls-verify":true}}],"users":[{"name":"u","user":{"token":"s3cret"}}]}`, api.URL), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	var errs lockedBuffer
	done := make(chan error, 1)
	go func() {
		done <- run(ctx, []string{"--kubeconfig", kubeconfig, "--listen", "127.0.0.1:0", "--key-file", filepath.Join(dir, "key")}, func(string) string { return "" }, testPage, in, &errs)
	}()
	line := make([]byte, 200)
	n, err := out.Read(line)
	if err != nil || !strings.HasPrefix(string(line[:n]), "Watchglass is at http://127.0.0.1:") || !strings.Contains(string(line[:n]), "/#token=") {
		t.Errorf("the first line is %q, %v", line[:n], err)
	}
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(errs.String(), "apiserver reached"); {
		if time.Now().After(deadline) {
			t.Fatalf("it does not say that it reaches the apiserver: %s", errs.String())
		}
		<-time.After(5 * time.Millisecond)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if strings.Contains(errs.String(), "s3cret") {
		t.Error("the token is in the log")
	}
}

// TestRunErrors checks the errors if there is nothing to serve.
func TestRunErrors(t *testing.T) {
	dir := t.TempDir()
	bad, good := filepath.Join(dir, "bad"), filepath.Join(dir, "good")
	if err := os.WriteFile(bad, []byte("{{{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(good, []byte(`{"apiVersion":"v1","kind":"Config","current-context":"c","contexts":[{"name":"c","context":{"cluster":"k"}}],"clusters":[{"name":"k","cluster":{"server":"https://h"}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"does not parse":    {[]string{"--kubeconfig", bad}, "read the kubeconfig: "},
		"does not exist":    {[]string{"--kubeconfig", filepath.Join(dir, "none")}, "no such file"},
		"no such context":   {[]string{"--kubeconfig", good, "--context", "nope"}, `context "nope" does not exist`},
		"no such cluster":   {[]string{"--kubeconfig", good, "--cluster", "nope"}, `cluster "nope" does not exist`},
		"no such user":      {[]string{"--kubeconfig", good, "--user", "nope"}, `auth info "nope" does not exist`},
		"no configuration":  {nil, "or show the demo cluster with --demo"},
		"beyond this place": {[]string{"--listen", "0.0.0.0:1"}, "for this machine only"},
	} {
		t.Setenv("KUBECONFIG", filepath.Join(dir, "nothing"))
		env := func(name string) string {
			if name == "KUBECONFIG" {
				return os.Getenv(name)
			}
			return ""
		}
		err := run(t.Context(), c.args, env, testPage, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	empty := func() (*static.Site, error) { return static.Open(fstest.MapFS{}) }
	if err := run(t.Context(), nil, noEnv, empty, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "make build") {
		t.Errorf("a page that was not built: %v", err)
	}
}

// TestWelcomeLimit checks that a tab is told what its user may list, so that it stays below.
func TestWelcomeLimit(t *testing.T) {
	cluster := &apiserver.Target{Base: &url.URL{Host: "h"}}
	o := &options{identity: identity{auth: authToken}}
	o.limits.lists = 20
	s := &server{options: o, site: testSite(t), auth: edge.NewToken(edge.Options{}, nil)}
	s.contexts = newContexts(t.Context(), cluster, nil)
	if w := s.welcome(cluster, session.Session{}); w.Lists != 20 || w.AtOnce != 201 {
		t.Errorf("%d lists, %d at once", w.Lists, w.AtOnce)
	}
}

// TestWelcomeReach checks that only a tab in local mode is told how kubectl reaches the cluster, since other
// users have their own kubeconfig, and that commands for the demo cluster name it in each mode.
func TestWelcomeReach(t *testing.T) {
	cluster := &apiserver.Target{Base: &url.URL{Host: "h"}, Context: "prod"}
	for auth, want := range map[string][]string{authLocal: {"--context=prod", "--cluster=staging", "--as=ana"}, authToken: nil, authOIDC: nil, authProxy: nil} {
		s := &server{options: &options{identity: identity{auth: auth}, cluster: apiserver.Options{Cluster: "staging", As: "ana"}}, site: testSite(t), auth: edge.NewToken(edge.Options{}, nil)}
		s.contexts = newContexts(t.Context(), cluster, nil)
		if w := s.welcome(cluster, session.Session{}); !slices.Equal(w.Reach, want) {
			t.Errorf("%s: %q, want %q", auth, w.Reach, want)
		}
		if w := s.welcome(apiserver.Demo(1, 1), session.Session{}); !slices.Equal(w.Reach, []string{"--context=demo cluster"}) {
			t.Errorf("%s: demo: %q", auth, w.Reach)
		}
	}
}

// TestWelcomeVisitKey checks that a tab gets no key for saved lists where they are forbidden.
func TestWelcomeVisitKey(t *testing.T) {
	target := &apiserver.Target{Base: &url.URL{Host: "h"}}
	for _, forbidden := range []bool{false, true} {
		s := &server{options: &options{noDisk: forbidden, identity: identity{auth: authLocal}}, contexts: newContexts(t.Context(), target, nil), site: testSite(t)}
		auth, err := s.newAuthenticator(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}, "", session.NewKey())
		if err != nil {
			t.Fatal(err)
		}
		s.auth = auth
		if w := s.welcome(target, session.Session{}); w.NoDiskHistory != forbidden || (w.VisitKey == "") != forbidden {
			t.Errorf("forbidden: %v, key: %v", w.NoDiskHistory, w.VisitKey != "")
		}
	}
}

// TestWelcomeNamespaces checks that a tab that is limited to one namespace gets no others, and
// that every tab gets the release.
func TestWelcomeNamespaces(t *testing.T) {
	for narrow, want := range map[bool]string{false: "a,b", true: ""} {
		target := &apiserver.Target{Base: &url.URL{Host: "h"}, Namespace: "c", Narrow: narrow}
		target.SetRelease("1.36")
		s := &server{options: &options{few: " a,b,a", identity: identity{auth: authLocal}}, contexts: newContexts(t.Context(), target, nil), site: testSite(t)}
		auth, err := s.newAuthenticator(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}, "", session.NewKey())
		if err != nil {
			t.Fatal(err)
		}
		s.auth = auth
		if w := s.welcome(target, session.Session{}); w.Namespaces != want || w.Namespace != "c" || w.Narrow != narrow || w.Release != "1.36" {
			t.Errorf("%+v", w)
		}
	}
}
