//go:build !js

//lint:file-ignore SA1019 as in socket.go

package main

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"nhooyr.io/websocket"

	"watchglass/internal/wire"
)

// piped is a listener with one unbuffered connection.
type piped struct {
	conns chan net.Conn
	once  sync.Once
}

func (l *piped) Accept() (net.Conn, error) {
	conn, ok := <-l.conns
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (l *piped) Close() error {
	l.once.Do(func() { close(l.conns) })
	return nil
}

func (l *piped) Addr() net.Addr { return &net.UnixAddr{} }

// slowConn is the end of a slow link. Each read takes a while.
type slowConn struct {
	net.Conn
	each time.Duration
}

func (c slowConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p[:min(len(p), 4<<10)])
	time.Sleep(c.each)
	return n, err
}

// sendOver writes a message to a tab over a link. It returns what the tab received, and the error
// of the write.
func sendOver(t *testing.T, each time.Duration, message []byte) (have []byte, wrote error) {
	t.Helper()
	near, far := net.Pipe()
	l := &piped{conns: make(chan net.Conn, 1)}
	l.conns <- near
	done := make(chan error, 1)
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			done <- err
			return
		}
		defer conn.CloseNow()
		done <- wsConn{Conn: conn}.Write(t.Context(), message)
	})}
	serving := make(chan struct{})
	go func() { _ = s.Serve(l); close(serving) }()
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return slowConn{far, each}, nil }}
	conn, _, err := websocket.Dial(t.Context(), "ws://h/", &websocket.DialOptions{HTTPClient: &http.Client{Transport: transport}})
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(wire.MaxFrame)
	if each < wire.GoneAfter {
		_, have, _ = conn.Read(t.Context())
	}
	wrote = <-done
	conn.CloseNow()
	s.Close()
	<-serving
	return have, wrote
}

// TestSlowTab checks that a message may take any time as long as its tab keeps reading.
func TestSlowTab(t *testing.T) {
	message := bytes.Repeat([]byte("0123456789abcdef"), wire.BatchBytes/16*5)
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		have, err := sendOver(t, time.Second, message)
		if err != nil || !bytes.Equal(have, message) {
			t.Errorf("%d bytes of %d came: %v", len(have), len(message), err)
		}
		if took := time.Since(began); took < 2*wire.GoneAfter {
			t.Errorf("the link was not slow: %v", took)
		}
	})
}

// TestStalledTab checks that a tab that reads nothing is disconnected, with a large or a small
// message.
func TestStalledTab(t *testing.T) {
	for _, size := range []int{wire.BatchBytes / 2, 5 * wire.BatchBytes} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			if _, err := sendOver(t, wire.GoneAfter, make([]byte, size)); err == nil {
				t.Error("all was written to nobody")
			}
			if took := time.Since(began); took > 3*wire.GoneAfter {
				t.Errorf("it took %v", took)
			}
		})
	}
}
