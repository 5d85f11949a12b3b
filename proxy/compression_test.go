//go:build !js

//lint:file-ignore SA1019 as in socket.go

package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"

	"nhooyr.io/websocket"

	"watchglass/internal/wire"
)

// counted is a listener that counts bytes sent to its clients, which can appear to be on another
// machine.
type counted struct {
	net.Listener
	far  bool
	sent atomic.Int64
}

func (l *counted) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return countedConn{c, l}, nil
}

type countedConn struct {
	net.Conn
	l *counted
}

func (c countedConn) RemoteAddr() net.Addr {
	if c.l.far {
		return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 7}
	}
	return c.Conn.RemoteAddr()
}

func (c countedConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.l.sent.Add(int64(n))
	return n, err
}

// burst answers with a watch that sends many events, and then none until it is closed.
type burst struct{}

func (burst) RoundTrip(r *http.Request) (*http.Response, error) {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-%d","namespace":"team-%d","labels":{"app":"web","tier":"front"}},"status":{"phase":"Running","podIP":"10.0.%d.%d"}}}`+"\n", i*7919, i%40, i/256, i%256)
	}
	// It ends the list, so that the next tab does not wait for its turn.
	b.WriteString(`{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"1000","annotations":{"k8s.io/initial-events-end":"true"}}}}` + "\n")
	pr, pw := io.Pipe()
	context.AfterFunc(r.Context(), func() { pw.CloseWithError(r.Context().Err()) })
	go func() { _, _ = io.WriteString(pw, b.String()) }() // ends with the context too
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: pr, Request: r}, nil
}

// inUse returns the memory in use by the process, without garbage.
func inUse() uint64 {
	debug.FreeOSMemory()
	debug.FreeOSMemory() // a pool lets go at the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

// idleTabs opens tabs that each get a list and then are idle. It returns the memory and the bytes
// sent per tab. The memory includes that of the client's end.
func idleTabs(t *testing.T, l *counted) (memory, bytes int64) {
	const tabs = 40
	r := newRigOn(t, l, func(s *server) { s.contexts.start.Transport = burst{} })
	before := inUse()
	for range tabs {
		tb := r.tab(t)
		tb.watch("pods")
		tb.events(1000)
		tb.send(wire.BeatFrame(nil))
	}
	// A heartbeat that is being compressed has a compressor, which is not idle memory.
	least := inUse()
	for still := 0; still < 3; still++ {
		if now := inUse(); now < least {
			least, still = now, 0
		}
	}
	memory = (int64(least) - int64(before)) / tabs
	return memory, l.sent.Load() / tabs
}

// TestCompression checks that frames to a tab on another machine are compressed and those to a
// local tab are not, and the memory of an idle tab in both cases.
func TestCompression(t *testing.T) {
	const most = 256 << 10
	sent := make(map[string]int64)
	for _, where := range []string{"here", "elsewhere"} {
		t.Run(where, func(t *testing.T) {
			tcp, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			l := &counted{Listener: tcp, far: where == "elsewhere"}
			memory, bytes := idleTabs(t, l)
			t.Logf("%d KB a tab, both ends; %d KB were sent to each", memory>>10, bytes>>10)
			if memory > most {
				t.Errorf("an idle tab takes %d KB", memory>>10)
			}
			sent[where] = bytes
		})
	}
	if sent["elsewhere"]*3 > sent["here"] {
		t.Errorf("%v bytes were sent", sent)
	}
}

// TestCompressionBehindFront checks that frames are compressed for a front on this machine, such as a sidecar or an end
// of a port-forward: it passes them on to browsers elsewhere.
func TestCompressionBehindFront(t *testing.T) {
	for _, auth := range []string{authLocal, authToken, authOIDC, authProxy} {
		for _, from := range []string{"127.0.0.1:7", "[::1]:7", "192.0.2.1:7"} {
			s := &server{options: &options{identity: identity{auth: auth}}}
			r := httptest.NewRequest(http.MethodGet, "/-/socket", nil)
			r.RemoteAddr = from
			got := s.compressed(new(websocket.AcceptOptions), r).CompressionMode != websocket.CompressionDisabled
			if want := auth != authLocal || from == "192.0.2.1:7"; got != want {
				t.Errorf("with --auth=%s, frames to %s are compressed: %v", auth, from, got)
			}
		}
	}
}
