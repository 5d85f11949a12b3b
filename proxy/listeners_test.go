//go:build !js

//lint:file-ignore SA1019 as in socket.go

package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"nhooyr.io/websocket"

	"watchglass/internal/apiserver"
	"watchglass/internal/edge/edgetest"
	"watchglass/internal/edge/session"
	"watchglass/internal/wire"
	"watchglass/web/static"
)

// TestHealth checks that health checks answer the same to everybody, under any host name, and
// contain nothing else.
func TestHealth(t *testing.T) {
	r := newRig(t, nil)
	ask := func(method, path, host string) (int, string, http.Header) {
		req, err := http.NewRequest(method, r.address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(body), resp.Header
	}
	_, _, standard := ask("GET", "/-/nonsense", "")
	r.eventually(t, func() bool { code, _, _ := ask("GET", "/-/readyz", ""); return code == 200 })
	for _, host := range []string{"", "10.0.0.7:8443", "evil.example", "[fe80::1]"} {
		for _, path := range []string{"/-/livez", "/-/readyz"} {
			code, body, header := ask("GET", path, host)
			if code != 200 || body != "ok\n" {
				t.Errorf("%s by %s: %d %q", path, host, code, body)
			}
			for name := range header {
				if len(standard.Values(name)) == 0 && name != "Cache-Control" {
					t.Errorf("%s: the header %s", path, name)
				}
			}
		}
		if code, _, _ := ask("GET", "/", host); (code == 200) != (host == "") {
			t.Errorf("the page by %q: %d", host, code)
		}
	}
	if code, _, _ := ask("POST", "/-/readyz", ""); code != 405 {
		t.Error(code)
	}
	r.s.condition.Store(draining)
	if code, body, _ := ask("GET", "/-/readyz", "10.0.0.7"); code != 503 || body != "draining\n" {
		t.Error(code, body)
	}
	if code, body, _ := ask("GET", "/-/livez", "10.0.0.7"); code != 200 || body != "ok\n" {
		t.Error(code, body)
	}
	r.s.condition.Store(starting)
	if code, body, _ := ask("GET", "/-/readyz", ""); code != 503 || body != "starting\n" {
		t.Error(code, body)
	}
}

// TestBeside checks what the listeners for operators serve, that the page's listener serves none
// of it, and that they are closed.
func TestBeside(t *testing.T) {
	o, err := parse([]string{"--metrics-listen", "127.0.0.1:0", "--debug-listen", "localhost:0"}, noEnv)
	if err != nil {
		t.Fatal(err)
	}
	var log lockedBuffer
	p, err := o.operate(t.Context(), o.logger(&log))
	if err != nil {
		t.Fatal(err)
	}
	address := func(what string) string {
		_, rest, _ := strings.Cut(log.String(), "name="+what+" address=")
		return "http://" + strings.Fields(rest)[0]
	}
	r := newRig(t, func(s *server) { s.operation = p })
	r.eventually(t, func() bool { return p.condition.Load() == ready })
	get := func(url, host string) (int, string) {
		req, err := http.NewRequest(http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0, err.Error()
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(body)
	}
	metrics, debug := address("metrics"), address("debug")
	for _, c := range []struct {
		url, host string
		code      int
		body      string
	}{
		{metrics + "/metrics", "10.1.1.1", 200, "watchglass_build_info"},
		{metrics + "/livez", "", 200, "ok"},
		{metrics + "/readyz", "", 200, "ok"},
		{metrics + "/debug/pprof/", "", 404, ""},
		{metrics + "/", "", 404, ""},
		{debug + "/debug/pprof/", "", 200, "goroutine"},
		{debug + "/debug/pprof/heap?debug=1", "", 200, "heap profile"},
		{debug + "/debug/pprof/heap", "rebound.example", 421, ""},
		{debug + "/metrics", "", 404, ""},
		{r.address + "/debug/pprof/", "", 404, ""},
		{r.address + "/debug/pprof/heap", "", 404, ""},
		{r.address + "/-/metrics", "", 404, ""},
		{r.address + "/-/debug/pprof/", "", 404, ""},
		{r.address + "/metrics", "", 200, "the page"}, // a kind that may be called so
	} {
		if code, body := get(c.url, c.host); code != c.code || !strings.Contains(body, c.body) || code != 200 && strings.Contains(body, "goroutine") {
			t.Errorf("%s as %q: %d %.200s", c.url, c.host, code, body)
		}
	}
	r.stop()
	r.wait()
	p.close()
	for _, url := range []string{metrics + "/livez", debug + "/debug/pprof/"} {
		if code, body := get(url, ""); code != 0 || !strings.Contains(body, "refused") {
			t.Errorf("%s: %d %s", url, code, body)
		}
	}
}

// TestOperateErrors checks the errors for invalid flags and files.
func TestOperateErrors(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for args, want := range map[string]string{
		"--metrics-listen " + taken.Addr().String():                                                 "--metrics-listen: listen tcp",
		"--debug-listen " + taken.Addr().String():                                                   "--debug-listen: listen tcp",
		"--metrics-listen 127.0.0.1:0 --tls-cert-file /nowhere/a --tls-private-key-file /nowhere/b": "--tls-cert-file: open /nowhere/a",
		"--debug-listen 0.0.0.0:6060":                                                               "so they are for this machine only",
		"--debug-listen :6060":                                                                      "so they are for this machine only",
		"--debug-listen 6060":                                                                       "missing port",
		"--metrics-listen 9090":                                                                     "missing port",
		"--tls-cert-file a":                                                                         "must be set together",
		"--tls-private-key-file a":                                                                  "must be set together",
		"--tls-min-version 1.1":                                                                     "must be 1.2 or 1.3",
		"--auth proxy --public-url https://a.example --front-ca-file /nowhere/a":                    "needs --tls-cert-file",
		"--auth proxy --public-url https://a.example --front-ca-file /nowhere/a --tls-cert-file b --tls-private-key-file c": "--front-ca-file: open /nowhere/a",
		"--drain -1s":   "must be from 0s to 1h",
		"--drain 2h":    "must be from 0s to 1h",
		"--drain 10":    "missing unit",
		"--audit=maybe": "must be on or off",
	} {
		o, err := parse(strings.Fields(args), noEnv)
		if err == nil {
			var p *operation
			if p, err = o.operate(t.Context(), slog.New(slog.DiscardHandler)); err == nil {
				p.close()
			}
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// pipes is a listener in memory, for tests with a fake clock.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
	stop  context.CancelFunc // of what serves on it
	ended chan error
}

type pipeAddr struct{}

func (pipeAddr) Network() string { return "tcp" }
func (pipeAddr) String() string  { return "127.0.0.1:7117" }

func (p *pipes) wait()          { p.ended <- <-p.ended }
func (p *pipes) Addr() net.Addr { return pipeAddr{} }
func (p *pipes) Close() error   { p.once.Do(func() { close(p.done) }); return nil }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.conns <- far:
		return near, nil
	case <-p.done:
		return nil, errors.New("refused")
	}
}

// inMemory serves on pipes. It is called in a synctest bubble.
func inMemory(t *testing.T, with func(*server)) (*pipes, string) {
	p := &pipes{conns: make(chan net.Conn), done: make(chan struct{}), ended: make(chan error, 1)}
	token := session.NewSecret()
	target := &apiserver.Target{Base: &url.URL{Scheme: "https", Host: "h"}, Pulse: new(apiserver.Pulse)}
	s := testProxy(t, p.Addr(), token, target, with)
	ctx, stop := context.WithCancel(t.Context())
	p.stop = stop
	go func() { p.ended <- s.serve(ctx, p) }()
	t.Cleanup(func() {
		stop()
		if err := <-p.ended; err != nil {
			t.Error(err)
		}
	})
	return p, token
}

// held returns how long the server keeps a connection on which text was sent, and its response.
func held(t *testing.T, p *pipes, text string) (time.Duration, string) {
	t.Helper()
	conn, err := p.dial(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	began := time.Now()
	go func() { _, _ = io.WriteString(conn, text) }() // it may be answered before it is read
	answer, _ := io.ReadAll(conn)
	return time.Since(began), string(answer)
}

// TestSlowClients checks the timeouts for clients that send too little. Its limits are not the product's constants, so
// that a constant that is far too long is found.
func TestSlowClients(t *testing.T) {
	const head = "POST /-/login HTTP/1.1\r\nHost: 127.0.0.1:7117\r\nOrigin: http://127.0.0.1:7117\r\nContent-Length: 43\r\n"
	for name, c := range map[string]struct {
		text   string
		within time.Duration
		answer string
	}{
		"nothing":       {"", 10 * time.Second, ""},
		"half a head":   {"GET / HTTP/1.1\r\nHost:", 10 * time.Second, ""},
		"half a login":  {head + "\r\nabc", 20 * time.Second, "HTTP/1.1 4"},
		"a second one":  {"GET /-/livez HTTP/1.1\r\nHost: x\r\n\r\n", 5 * time.Minute, "HTTP/1.1 200"},
		"a large head":  {"GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 2*maxHeader) + "\r\n\r\n", time.Second, "HTTP/1.1 431"},
		"a large login": {strings.Replace(head, "43", "9999999", 1) + "\r\n" + strings.Repeat("x", 20<<10), 20 * time.Second, "HTTP/1.1 4"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, _ := inMemory(t, nil)
				took, answer := held(t, p, c.text)
				if took > c.within || !strings.HasPrefix(answer, c.answer) || (answer == "") != (c.answer == "") {
					t.Errorf("held for %v, and answered %.200q", took, answer)
				}
			})
		})
	}
}

// TestDribble checks that a byte every second does not extend a timeout.
func TestDribble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := inMemory(t, nil)
		for text, within := range map[string]time.Duration{
			"GET / HTTP/1.1\r\nHost: 127.0.0.1:7117\r\nX-A: ":                                                                 headerWithin,
			"POST /-/login HTTP/1.1\r\nHost: 127.0.0.1:7117\r\nOrigin: http://127.0.0.1:7117\r\nContent-Length: 1000\r\n\r\n": readWithin,
		} {
			conn, err := p.dial(t.Context(), "", "")
			if err != nil {
				t.Fatal(err)
			}
			go func() { _, _ = io.Copy(io.Discard, conn) }()
			began := time.Now()
			for _, err = io.WriteString(conn, text); err == nil; _, err = io.WriteString(conn, "x") {
				time.Sleep(time.Second)
			}
			if took := time.Since(began); took > within+2*time.Second {
				t.Errorf("held for %v", took)
			}
			conn.Close()
		}
	})
}

// TestSilentClients checks that a thousand clients that send nothing block nobody, and are soon
// disconnected.
func TestSilentClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := inMemory(t, nil)
		began := time.Now()
		var silent sync.WaitGroup
		for range 1000 {
			conn, err := p.dial(t.Context(), "", "")
			if err != nil {
				t.Fatal(err)
			}
			silent.Go(func() { _, _ = io.ReadAll(conn); conn.Close() })
		}
		client := &http.Client{Transport: &http.Transport{DialContext: p.dial, DisableKeepAlives: true}}
		resp, err := client.Get("http://127.0.0.1:7117/-/files/boot.def.js")
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if string(body) != "boot" || time.Since(began) > 0 {
			t.Errorf("%q after %v", body, time.Since(began))
		}
		silent.Wait()
		if took := time.Since(began); took > headerWithin {
			t.Errorf("the last was held for %v", took)
		}
	})
}

// TestSlowReader checks that a page loads at 64 kbit/s, and that a client that does not read is
// disconnected.
func TestSlowReader(t *testing.T) {
	const page, line = 2_000_000, 64_000 / 8
	synctest.Test(t, func(t *testing.T) {
		site, err := static.Open(fstest.MapFS{
			"index.html": {}, "files/app.abc.wasm.br": {Data: make([]byte, page)}, "files/app.abc.wasm.gz": {Data: gzipped("")},
			"files/boot.def.js": {}, "files/boot.def.js.br": {},
		})
		if err != nil {
			t.Fatal(err)
		}
		p, _ := inMemory(t, func(s *server) { s.site = site })
		ask := func() net.Conn {
			conn, err := p.dial(t.Context(), "", "")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(conn, "GET /-/files/app.abc.wasm HTTP/1.1\r\nHost: 127.0.0.1:7117\r\nAccept-Encoding: br\r\nConnection: close\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			return conn
		}
		slow, got := ask(), 0
		for buf := make([]byte, line); err == nil; time.Sleep(time.Second) {
			var n int
			n, err = io.ReadFull(slow, buf)
			got += n
		}
		slow.Close()
		if got < page {
			t.Errorf("%d bytes came, %v", got, err)
		}
		frozen := ask()
		defer frozen.Close()
		const patience = 30 * time.Second
		time.Sleep(patience)
		if rest, _ := io.ReadAll(frozen); len(rest) > line {
			t.Errorf("%d bytes come after %v", len(rest), patience)
		}
	})
}

// TestSocketDeadlines checks that the timeouts of requests do not apply to sockets.
func TestSocketDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, token := inMemory(t, nil)
		r := &rig{address: "http://127.0.0.1:7117", token: token, key: edgetest.NewKey()}
		client := &http.Client{Transport: &http.Transport{DialContext: p.dial, DisableKeepAlives: true}}
		as, err := r.signIn(t.Context(), client)
		if err != nil {
			t.Fatal(err)
		}
		conn, err := r.dial(t.Context(), client, as)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.CloseNow()
		for began := time.Now(); time.Since(began) < 2*writeWithin; {
			if _, _, err := conn.Read(t.Context()); err != nil {
				t.Fatalf("after %v: %v", time.Since(began), err)
			}
			if err := conn.Write(t.Context(), websocket.MessageBinary, wire.BeatFrame(nil)); err != nil {
				t.Fatalf("after %v: %v", time.Since(began), err)
			}
		}
	})
}

// TestBesideIsBounded checks that many silent connections to a listener for operators do not block
// a scrape, and are limited.
func TestBesideIsBounded(t *testing.T) {
	for _, what := range []string{"metrics", "debug"} {
		o, err := parse([]string{"--" + what + "-listen", "127.0.0.1:0"}, noEnv)
		if err != nil {
			t.Fatal(err)
		}
		var log lockedBuffer
		p, err := o.operate(t.Context(), o.logger(&log))
		if err != nil {
			t.Fatal(err)
		}
		defer p.close()
		_, rest, _ := strings.Cut(log.String(), "name="+what+" address=")
		address := strings.Fields(rest)[0]
		gone := make(chan struct{}, maxOperators+1)
		for range maxOperators + 1 {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := io.WriteString(conn, "GET /none HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			if n, err := conn.Read(make([]byte, 4<<10)); n == 0 {
				t.Fatal("the newest is kept out:", err)
			}
			go func() {
				_, _ = io.Copy(io.Discard, conn) // until it is closed
				gone <- struct{}{}
			}()
		}
		select {
		case <-gone:
		case <-time.After(headerWithin):
			t.Errorf("%s: all are open still", what)
		}
		if p.beside[0].http.WriteTimeout == 0 {
			t.Errorf("%s: an answer may take any time", what)
		}
	}
}
