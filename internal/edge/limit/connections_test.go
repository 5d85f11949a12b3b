//go:build !js

package limit

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// serveLimited starts a server with limits on pipes. A request for /known has a session; one for /slow
// never ends.
func serveLimited(t *testing.T, b Connections) *inMemory {
	m := newInMemory()
	s := &http.Server{
		Handler: Requests{}.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/known":
				Authenticated(r.Context())
			case "/slow":
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
			}
		})),
		ConnState: ConnState, ConnContext: ConnContext, IdleTimeout: time.Hour,
	}
	m.serve(t, s, ClearBuffers(b.Listener(m)))
	return m
}

// connection is a connection with one request.
type connection struct {
	net.Conn
	ended chan struct{}
}

func (m *inMemory) connect(t *testing.T, address, path string) *connection {
	near, far := net.Pipe()
	m.conns <- connFrom{far, address}
	c := &connection{near, make(chan struct{})}
	t.Cleanup(func() { near.Close() })
	answered := make(chan struct{})
	go func() {
		defer close(c.ended)
		r := bufio.NewReader(near)
		if line, err := r.ReadString('\n'); err == nil && strings.Contains(line, "200") {
			close(answered)
		}
		_, _ = io.Copy(io.Discard, r)
	}()
	_, _ = io.WriteString(near, "GET "+path+" HTTP/1.1\r\nHost: h\r\n\r\n")
	select {
	case <-answered:
	case <-c.ended:
	}
	synctest.Wait()
	return c
}

func (c *connection) open() bool {
	synctest.Wait()
	select {
	case <-c.ended:
		return false
	default:
		return true
	}
}

// TestConnectionsDisplaces checks that a client with all connections of an address, or of the listener,
// blocks nobody, and that active connections are not closed.
func TestConnectionsDisplaces(t *testing.T) {
	for name, b := range map[string]Connections{"of an address": {Each: 4}, "of all": {All: 4}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := serveLimited(t, b)
				const here = "192.0.2.1"
				busy := m.connect(t, here, "/known")
				if _, err := io.WriteString(busy, "GET /slow HTTP/1.1\r\nHost: h\r\n\r\n"); err != nil {
					t.Fatal(err)
				}
				synctest.Wait() // until the server has parsed what it has read: before that, the connection is idle
				known := m.connect(t, here, "/known")
				var strangers []*connection
				for range 20 {
					time.Sleep(time.Millisecond)
					strangers = append(strangers, m.connect(t, here, "/"))
				}
				newest := strangers[len(strangers)-1]
				if !busy.open() || !known.open() || !newest.open() || strangers[0].open() {
					t.Errorf("open: with a request %v, with a session %v, the newest %v, the oldest %v", busy.open(), known.open(), newest.open(), strangers[0].open())
				}
				for range 2 {
					m.connect(t, here, "/known")
				}
				if newest.open() || !busy.open() {
					t.Error("who has no session stays, or a request is cut off")
				}
			})
		})
	}
}

// TestConnectionsFull checks that active connections are not replaced.
func TestConnectionsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := 0
		m := serveLimited(t, Connections{Each: 1, Refused: func() { refused++ }})
		busy := m.connect(t, "192.0.2.1", "/known")
		if _, err := io.WriteString(busy, "GET /slow HTTP/1.1\r\nHost: h\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // until the server has parsed what it has read: before that, the connection is idle
		if m.connect(t, "192.0.2.1", "/").open() || !busy.open() || refused != 1 {
			t.Errorf("the one that does something is open: %v; refused %d", busy.open(), refused)
		}
		if !m.connect(t, "192.0.2.2", "/").open() {
			t.Error("another address is refused")
		}
	})
}

// TestAnonymous checks that idle connections without a session are closed soon, and sooner if
// there are many. Those with a session, and those of a front, are not.
func TestAnonymous(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := serveLimited(t, Connections{Anonymous: 3, Fronts: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}})
		known := m.connect(t, "192.0.2.1", "/known")
		front := m.connect(t, "10.0.0.1", "/")
		var many []*connection
		for range 6 {
			time.Sleep(time.Millisecond)
			many = append(many, m.connect(t, "192.0.2.1", "/"))
		}
		if !many[0].open() {
			t.Error("of many who come at once, the first is gone")
		}
		time.Sleep(anonymousLeast)
		for range 4 {
			time.Sleep(time.Millisecond)
			many = append(many, m.connect(t, "192.0.2.1", "/"))
		}
		left := ""
		for i, c := range many {
			if c.open() {
				left += " " + strconv.Itoa(i)
			}
		}
		if left != " 6 7 8 9" {
			t.Errorf("still open:%s", left)
		}
		busy := m.connect(t, "192.0.2.1", "/slow")
		for range 8 { // heads that never end
			time.Sleep(anonymousLeast)
			near, far := net.Pipe()
			defer near.Close()
			m.conns <- connFrom{far, "192.0.2.1"}
			_, _ = io.WriteString(near, "GET / HTTP/1.1\r\nHost:")
		}
		if many[9].open() || !busy.open() {
			t.Errorf("with more that say nothing whole: the last idle one %v, one with a request in progress %v", many[9].open(), busy.open())
		}
		last := m.connect(t, "192.0.2.1", "/")
		time.Sleep(anonymousIdle)
		if last.open() || !known.open() || !front.open() {
			t.Errorf("after %v: a stranger %v, with a session %v, a front %v", anonymousIdle, last.open(), known.open(), front.open())
		}
	})
}
