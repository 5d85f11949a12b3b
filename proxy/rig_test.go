//go:build !js

//lint:file-ignore SA1019 as in socket.go

package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"nhooyr.io/websocket"

	"watchglass/internal/apiserver"
	"watchglass/internal/edge/edgetest"
	"watchglass/internal/edge/session"
	"watchglass/internal/wire"
)

// rig is a proxy on a real socket, with an apiserver whose watches keep sending events.
type rig struct {
	s              *server
	address, token string
	key            *edgetest.Key      // of the one browser
	stop           context.CancelFunc // as a signal does
	done           chan error
}

// upstream starts an apiserver. Its watches send an event every few milliseconds, with consecutive
// versions from the requested one.
func upstream(t *testing.T) *url.URL {
	t.Helper()
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("watch") == "" {
			fmt.Fprint(w, `{"kind":"X","apiVersion":"v1"}`)
			return
		}
		version, _ := strconv.Atoi(r.URL.Query().Get("resourceVersion")) // without one from the first
		for ticker := time.NewTicker(2 * time.Millisecond); ; {
			version++
			fmt.Fprintf(w, `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","resourceVersion":"%d"}}}`+"\n", version)
			if http.NewResponseController(w).Flush() != nil {
				return
			}
			select {
			case <-r.Context().Done():
				return
			case <-ticker.C:
			}
		}
	}))
	t.Cleanup(api.Close)
	u, err := url.Parse(api.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func newRig(t *testing.T, with func(*server)) *rig {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return newRigOn(t, l, with)
}

// testProxy returns a proxy in local mode.
func testProxy(t *testing.T, at net.Addr, token string, target *apiserver.Target, with func(*server)) *server {
	t.Helper()
	s := &server{
		options: &options{listen: at.String(), identity: identity{auth: authLocal}}, site: testSite(t), log: slog.New(slog.DiscardHandler),
		sessions: session.NewRegistry(session.Limits{}), contexts: newContexts(t.Context(), target, nil), operation: newOperation(),
	}
	if with != nil {
		with(s)
	}
	var err error
	if s.auth, err = s.newAuthenticator(at, token, session.NewKey()); err != nil {
		t.Fatal(err)
	}
	return s
}

func newRigOn(t *testing.T, l net.Listener, with func(*server)) *rig {
	t.Helper()
	base := upstream(t)
	r := &rig{token: session.NewSecret(), key: edgetest.NewKey(), address: "http://" + l.Addr().String(), done: make(chan error, 1)}
	transport := new(http.Transport)
	t.Cleanup(transport.CloseIdleConnections)
	target := &apiserver.Target{Base: base, Transport: transport, Pulse: new(apiserver.Pulse), User: "ana"}
	r.s = testProxy(t, l.Addr(), r.token, target, with)
	ctx, stop := context.WithCancel(t.Context())
	r.stop = stop
	go func() { r.done <- r.s.serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-r.done; err != nil {
			t.Error(err)
		}
	})
	return r
}

// wait waits until the proxy has ended. The cleanup still sees its result.
func (r *rig) wait() {
	r.done <- <-r.done
}

func (*rig) eventually(t *testing.T, met func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !met(); {
		if time.Now().After(deadline) {
			t.Fatal("not met within 10 s")
		}
		<-time.After(time.Millisecond)
	}
}

// signedIn is what a browser has after signing in.
type signedIn struct{ cookie *http.Cookie }

// signIn opens the address as a browser does.
func (r *rig) signIn(ctx context.Context, client *http.Client) (*signedIn, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.address+"/-/login", strings.NewReader(r.token))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Origin", r.address)
	r.key.Sign(req)
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || len(resp.Cookies()) != 1 {
		return nil, fmt.Errorf("signed in: %s, %w", resp.Status, err)
	}
	return &signedIn{resp.Cookies()[0]}, nil
}

// dial opens a socket as a page does, and sends the hello.
func (r *rig) dial(ctx context.Context, client *http.Client, as *signedIn) (*websocket.Conn, error) {
	header := http.Header{"Origin": {r.address}, "Cookie": {as.cookie.String()}}
	conn, _, err := websocket.Dial(ctx, r.address+"/-/socket", &websocket.DialOptions{HTTPClient: client, HTTPHeader: header, CompressionMode: websocket.CompressionNoContextTakeover})
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(wire.MaxFrame)
	return conn, conn.Write(ctx, websocket.MessageText, r.key.Hello(wire.Version, r.address, "", "", ""))
}

// browserTab is the browser's end of a socket.
type browserTab struct {
	t      *testing.T
	conn   *websocket.Conn
	cookie string
}

func (r *rig) tab(t *testing.T) *browserTab {
	t.Helper()
	as, err := r.signIn(t.Context(), http.DefaultClient)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := r.dial(t.Context(), http.DefaultClient, as)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.CloseNow() })
	tb := &browserTab{t, conn, as.cookie.Value}
	tb.until(wire.KindWelcome, 0)
	return tb
}

func (tb *browserTab) close() { tb.conn.CloseNow() }

func (tb *browserTab) send(frame []byte) {
	tb.t.Helper()
	if err := tb.conn.Write(tb.t.Context(), websocket.MessageBinary, frame); err != nil {
		tb.t.Fatal(err)
	}
}

// until reads until a given frame.
func (tb *browserTab) until(kind wire.Kind, stream uint32) wire.Frame {
	tb.t.Helper()
	for {
		_, msg, err := tb.conn.Read(tb.t.Context())
		if err != nil {
			tb.t.Fatal(err)
		}
		if f, err := wire.ParseFrame(msg); err != nil {
			tb.t.Fatal(err)
		} else if f.Kind == kind && f.Stream == stream {
			return f
		}
	}
}

// watch opens a watch as stream 2.
func (tb *browserTab) watch(resource string) {
	tb.t.Helper()
	tb.send(wire.JSONFrame(wire.KindOpen, 2, wire.Request{Verb: wire.Watch, Version: "v1", Resource: resource}))
	tb.until(wire.KindOpened, 2)
}

// events reads a number of events of the watch.
func (tb *browserTab) events(n int) {
	tb.t.Helper()
	for n > 0 {
		_, events, err := tb.until(wire.KindData, 2).Data(nil)
		if err != nil {
			tb.t.Fatal(err)
		}
		n -= len(events)
	}
}
