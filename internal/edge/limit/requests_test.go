//go:build !js

package limit

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// inMemory is a listener on pipes, for tests with a fake clock.
type inMemory struct {
	conns chan net.Conn
	done  chan struct{}
	close func()
}

func (m *inMemory) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8001} }
func (m *inMemory) Close() error   { m.close(); return nil }

func (m *inMemory) Accept() (net.Conn, error) {
	select {
	case c := <-m.conns:
		return c, nil
	case <-m.done:
		return nil, net.ErrClosed
	}
}

// connFrom is a connection from an address.
type connFrom struct {
	net.Conn
	address string
}

func (f connFrom) RemoteAddr() net.Addr {
	return &net.TCPAddr{IP: net.ParseIP(f.address), Port: 1}
}

func newInMemory() *inMemory {
	m := &inMemory{conns: make(chan net.Conn), done: make(chan struct{})}
	m.close = sync.OnceFunc(func() { close(m.done) })
	return m
}

// serve serves until the test ends.
func (*inMemory) serve(t *testing.T, s *http.Server, l net.Listener) {
	ended := make(chan error)
	go func() { ended <- s.Serve(l) }()
	t.Cleanup(func() {
		s.Close()
		<-ended
	})
}

// serveInMemory serves HTTP/2 until the test ends.
func serveInMemory(t *testing.T, h http.Handler) *inMemory {
	m := newInMemory()
	s := &http.Server{Handler: h, Protocols: new(http.Protocols), HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 100}}
	s.Protocols.SetUnencryptedHTTP2(true)
	m.serve(t, s, m)
	return m
}

// client returns a client with its own connection, which buffers nothing of a response.
func (m *inMemory) client(t *testing.T, address string) *http.Client {
	tr := &http.Transport{
		Protocols: new(http.Protocols), HTTP2: &http.HTTP2Config{MaxReceiveBufferPerStream: 1},
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			m.conns <- connFrom{far, address}
			return near, nil
		},
	}
	tr.Protocols.SetUnencryptedHTTP2(true)
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

// TestRequests checks that requests in progress are limited over HTTP/2, in total and per address. A
// response counts until its client has read it, even if its handler has returned. A new request
// replaces that of a stalled client.
func TestRequests(t *testing.T) {
	for name, flushes := range map[string]bool{"as the handler returns": false, "while the handler flushes": true} {
		t.Run(name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { stall(t, flushes) }) })
	}
}

// stall starts clients that read nothing of small responses, which wait in their handlers or after
// them.
func stall(t *testing.T, flushes bool) {
	refused := 0
	m := serveInMemory(t, Requests{All: 5, Each: 3, Refused: func() { refused++ }}.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/small" {
			_, _ = io.WriteString(w, "an answer that is kept until its handler has returned")
			if flushes {
				_ = http.NewResponseController(w).Flush()
			}
		}
	})))
	ask := func(c *http.Client, path string) *http.Response {
		resp, err := c.Get("http://h" + path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		return resp
	}
	a, b, c := m.client(t, "192.0.2.1"), m.client(t, "192.0.2.2"), m.client(t, "192.0.2.3")
	first := ask(a, "/small")
	for _, who := range []*http.Client{a, a, b, b} {
		time.Sleep(time.Millisecond)
		if got := ask(who, "/small"); got.StatusCode != http.StatusOK {
			t.Fatal(got.Status)
		}
	}
	synctest.Wait()
	for name, who := range map[string]*http.Client{"one too many of an address": a, "one too many of all": c} {
		if got := ask(who, "/none"); got.StatusCode != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" {
			t.Errorf("%s: %s", name, got.Status)
		}
	}
	if refused != 2 {
		t.Errorf("%d refusals are counted", refused)
	}
	time.Sleep(stallTimeout)
	if got := ask(c, "/none"); got.StatusCode != http.StatusOK {
		t.Errorf("with stalled requests in progress, another is answered %s", got.Status)
	}
	synctest.Wait()
	if _, err := io.ReadAll(first.Body); err == nil {
		t.Error("the request that stalled longest is still in progress")
	}
	if got := ask(a, "/none"); got.StatusCode != http.StatusOK {
		t.Errorf("the request that was replaced still counts: %s", got.Status)
	}
}

// TestRequestsOfFronts checks that only the total limit applies to a front, which has many clients.
func TestRequestsOfFronts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fronts := []netip.Prefix{netip.MustParsePrefix("2001:db8::7/128"), netip.MustParsePrefix("127.0.0.9/32")}
		m := serveInMemory(t, Requests{All: 8, Each: 1, Fronts: fronts}.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "an answer")
		})))
		for _, front := range []string{"2001:db8::7", "127.0.0.9"} {
			c := m.client(t, front)
			for range 3 {
				resp, err := c.Get("http://h/")
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				if resp.StatusCode != http.StatusOK {
					t.Errorf("%s: %s", front, resp.Status)
				}
			}
		}
	})
}

// TestRequestsEnd checks that a request counts until the client has read the response.
func TestRequestsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := serveInMemory(t, Requests{All: 1, Each: 1}.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, strings.Repeat("x", 5<<10))
		})))
		c := m.client(t, "192.0.2.1")
		for range 3 {
			resp, err := c.Get("http://h/")
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if len(body) != 5<<10 || err != nil {
				t.Fatal(resp.Status, len(body), err)
			}
			synctest.Wait()
		}
	})
}

// TestForgets checks that a request is cleared before its response is written, which may take
// long.
func TestForgets(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "/pods?c="+strings.Repeat("x", 1000), nil)
	r.Header.Set("Cookie", strings.Repeat("x", 1000))
	Requests{}.Handler(http.HandlerFunc(func(w http.ResponseWriter, got *http.Request) {
		if got.Header.Get("Cookie") == "" || got.URL.Path != "/pods" {
			t.Error("the handler does not see the request")
		}
		_, _ = io.WriteString(w, "x")
		if len(r.Header) > 0 || r.RequestURI != "" || r.URL.RawQuery != "" {
			t.Errorf("while it is answered there is still %v", r)
		}
	})).ServeHTTP(httptest.NewRecorder(), r)
}
