//go:build !js

//lint:file-ignore SA1019 as in socket.go

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"nhooyr.io/websocket"

	"watchglass/internal/edge/edgetest"
	"watchglass/internal/edge/oidc/oidctest"
	"watchglass/internal/wire"
)

// program is the whole proxy as main runs it, in this process.
type program struct {
	mode    string
	listens string // host:port
	public  *url.URL
	first   string // the line that it printed first
	options *options
	logged  lockedBuffer
	cluster *cluster
	at      *oidctest.Provider // of oidc mode
}

// publicly is the public address of a proxy that is not in local mode.
const publicly = "https://wg.example.com"

// freePort returns a port that was free a moment ago.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// launch runs the program in a mode, with the options that these tests share.
func launch(t *testing.T, mode string, args ...string) *program {
	t.Helper()
	c := newCluster(t)
	return launchFor(t, c, kubeconfig(t, map[string]*cluster{"one": c}, "one"), mode, args...)
}

func launchFor(t *testing.T, c *cluster, config, mode string, args ...string) *program {
	t.Helper()
	p := &program{mode: mode, listens: freePort(t), cluster: c}
	p.public, _ = url.Parse("http://" + p.listens)
	args = append([]string{"--kubeconfig", config, "--listen", p.listens, "--drain", "0s"}, args...)
	if mode != authLocal {
		p.public, _ = url.Parse(publicly)
		args = append(args, "--auth", mode, "--public-url", publicly)
	}
	switch mode {
	case authProxy:
		args = append(args, "--front-cidr", "127.0.0.0/8", "--front-group-header", "X-Forwarded-Groups")
	case authOIDC:
		p.at = oidctest.New(oidctest.Options{Algorithm: "ES256", Settings: oidctest.Settings{Redirects: []string{publicly + "/-/callback"}}})
		t.Cleanup(p.at.Close)
		p.at.Set(oidctest.User{Subject: "ana"})
		p.at.Set(oidctest.User{Subject: "bob"})
		args = append(args, "--oidc-issuer-url", p.at.Issuer(), "--oidc-client-id", "watchglass")
	}
	p.run(t, args)
	return p
}

// run runs the program until the test ends.
func (p *program) run(t *testing.T, args []string) {
	t.Helper()
	o, err := parse(args, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	p.options = o
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	done := make(chan error, 1)
	collecting := func(name string) string { return map[string]string{"GOGC": "100"}[name] }
	go func() { done <- o.run(ctx, testSite(t), collecting, in, o.logger(&p.logged)) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	if p.first, err = bufio.NewReader(out).ReadString('\n'); err != nil || strings.Contains(p.logged.String(), "port in use") {
		t.Fatal(err, p.logged.String())
	}
}

// browser is the browser of one user. It keeps cookies, has a key, and sends what browsers send.
type browser struct {
	t       *testing.T
	program *program
	user    string
	token   string // of the user, in token mode
	cookies map[string]string
	key     *edgetest.Key
	session string // its name, once a login was answered
	proof   string // the last that it gave
	context string
	client  *http.Client
}

func (p *program) browser(t *testing.T, user string) *browser {
	t.Helper()
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", p.listens)
	}
	transport := &http.Transport{DialContext: dial}
	t.Cleanup(transport.CloseIdleConnections)
	return &browser{
		t: t, program: p, user: user, cookies: make(map[string]string), key: edgetest.NewKey(),
		client: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
}

// origin returns the origin of the page.
func (p *program) origin() string { return p.public.Scheme + "://" + p.public.Host }

// header returns the header of each request. In proxy mode it includes the user, which the front
// adds.
func (b *browser) header(path string) http.Header {
	b.proof = b.key.Prove(strings.TrimPrefix(path, "/-/"), b.program.origin(), "", b.context, time.Now())
	h := http.Header{"Origin": {b.program.origin()}, "Watchglass-Key": {b.key.Public()}, "Watchglass-Proof": {b.proof}}
	if b.program.mode == authProxy {
		h.Set("X-Forwarded-User", b.user)
		h.Set("X-Forwarded-Groups", "dev")
	}
	var cookies []string
	for name, value := range b.cookies {
		cookies = append(cookies, name+"="+value)
	}
	slices.Sort(cookies)
	if len(cookies) > 0 {
		h.Set("Cookie", strings.Join(cookies, "; "))
	}
	return h
}

// send sends a request, and returns the response and its body. It keeps cookies.
func (b *browser) send(method, path, body string) (*http.Response, string, error) {
	req, err := http.NewRequestWithContext(b.t.Context(), method, "http://"+b.program.public.Host+path, strings.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	if req.Header = b.header(req.URL.Path); body == "" {
		req.Body = nil
	}
	resp, err := b.client.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	for _, c := range resp.Cookies() {
		b.cookies[c.Name] = c.Value
		if c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		}
	}
	return resp, string(text), err
}

// query returns the query that names the context.
func (b *browser) query() string {
	if b.context == "" {
		return ""
	}
	return "?" + url.Values{"c": {b.context}}.Encode()
}

// login signs in with the given text, or renews.
func (b *browser) login(given string) (code int, text string, err error) {
	resp, text, err := b.send(http.MethodPost, "/-/login"+b.query(), given)
	if err != nil {
		return 0, "", err
	}
	if resp.StatusCode == http.StatusOK {
		var answer struct{ Session string }
		err = json.Unmarshal([]byte(text), &answer)
		b.session = answer.Session
	}
	return resp.StatusCode, text, err
}

// signIn signs in, as the mode requires.
func (b *browser) signIn() {
	b.t.Helper()
	given := b.token
	switch b.program.mode {
	case authOIDC:
		b.atProvider()
		return
	case authLocal:
		given = b.given()
	case authToken:
		b.program.cluster.knows(b.token, b.user)
	}
	if code, text, err := b.login(given); code != http.StatusOK || err != nil {
		b.t.Fatalf("%s signs in: %d %s %v", b.user, code, text, err)
	}
}

// atProvider signs in at the provider.
func (b *browser) atProvider() {
	b.t.Helper()
	resp, text, err := b.send(http.MethodPost, "/-/signin", "")
	var answer struct{ To string }
	if err = errors.Join(err, json.Unmarshal([]byte(text), &answer)); err != nil || resp.StatusCode != http.StatusOK {
		b.t.Fatal(resp, text, err)
	}
	direct := http.Client{CheckRedirect: b.client.CheckRedirect}
	back, err := direct.Get(answer.To + "&user=" + b.user)
	if err != nil {
		b.t.Fatal(err)
	}
	back.Body.Close()
	to, err := back.Location()
	if err != nil {
		b.t.Fatal(err)
	}
	resp, text, err = b.send(http.MethodPost, to.RequestURI(), "")
	if err != nil || resp.StatusCode != http.StatusOK {
		b.t.Fatal(resp, text, err)
	}
	if code, text, err := b.login(""); code != http.StatusOK || err != nil {
		b.t.Fatal(code, text, err)
	}
}

// hello is the page's first message.
func (b *browser) hello() []byte {
	return b.key.Hello(wire.Version, b.program.origin(), "", b.context, "")
}

// dial opens a socket and sends the hello. The caller reads the answer.
func (b *browser) dial(ctx context.Context) (*websocket.Conn, int, error) {
	conn, resp, err := websocket.Dial(ctx, "ws://"+b.program.public.Host+"/-/socket"+b.query(), &websocket.DialOptions{HTTPClient: b.client, HTTPHeader: b.header("/-/socket")})
	code := 0
	if resp != nil {
		code = resp.StatusCode
	}
	if err != nil {
		return nil, code, err
	}
	conn.SetReadLimit(wire.MaxFrame)
	return conn, code, conn.Write(ctx, websocket.MessageText, b.hello())
}

// page is an open socket.
type page struct {
	t    *testing.T
	conn *websocket.Conn
	next uint32
	seen bytes.Buffer // all that came
}

// open opens a socket, and reads the welcome.
func (b *browser) open() *page {
	b.t.Helper()
	conn, code, err := b.dial(b.t.Context())
	if err != nil {
		b.t.Fatal(code, err)
	}
	b.t.Cleanup(func() { conn.CloseNow() })
	p := &page{t: b.t, conn: conn, next: wire.EarlyStream + 1}
	if f := p.read(); f.Kind != wire.KindWelcome {
		b.t.Fatalf("%s is not welcome: %s", b.user, f.Body)
	}
	return p
}

func (p *page) read() wire.Frame {
	p.t.Helper()
	for {
		_, msg, err := p.conn.Read(p.t.Context())
		if err != nil {
			p.t.Fatal(err)
		}
		p.seen.Write(msg)
		f, err := wire.ParseFrame(msg)
		if err != nil {
			p.t.Fatal(err)
		}
		if f.Kind != wire.KindBeat {
			return f
		}
	}
}

// ask sends a request, and returns the frames until its first data or its end.
func (p *page) ask(r wire.Request) string {
	p.t.Helper()
	stream := p.next
	p.next++
	if err := p.conn.Write(p.t.Context(), websocket.MessageBinary, wire.JSONFrame(wire.KindOpen, stream, r)); err != nil {
		p.t.Fatal(err)
	}
	for {
		if f := p.read(); f.Stream == stream && (f.Kind == wire.KindData || f.Kind == wire.KindEnd) {
			return string(f.Body)
		}
	}
}

// someSecrets returns a request for a list of Secrets.
func someSecrets() wire.Request {
	return wire.Request{Verb: wire.List, Version: "v1", Resource: "secrets"}
}
