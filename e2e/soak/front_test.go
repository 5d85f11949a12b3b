package soak

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"k8s.io/client-go/rest"

	"watchglass/e2e/stage"
)

// rule is what a front does to a request. The zero value passes it.
type rule struct {
	code int                     // the code of an answer of the front's own
	page string                  // its body: a page, or a Status of the apiserver
	drop func(event []byte) bool // the events of a watch that are lost
	list bool                    // a watch does not begin with the list, whatever it asks for
}

// front is a load balancer that ends TLS before the apiservers, as gates do not.
type front struct {
	*httptest.Server
	mu    sync.Mutex
	rules func(*http.Request) rule
	did   int // requests and events that a rule changed
}

// newFront starts one, which ends with the test. Its certificate is given; to dials an apiserver.
func newFront(t testing.TB, pair tls.Certificate, to http.RoundTripper) *front {
	t.Helper()
	target, err := url.Parse(stage.Cluster.URL())
	if err != nil {
		t.Fatal(err)
	}
	f := &front{}
	pass := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			if q := r.Out.URL.Query(); q.Has("sendInitialEvents") && f.rule(r.In).list {
				f.count()
				q.Del("sendInitialEvents")
				q.Del("resourceVersionMatch")
				r.Out.URL.RawQuery = q.Encode()
			}
		},
		Transport: to, FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0),
		ModifyResponse: f.modify,
	}
	f.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		one := f.rule(r)
		if one.code == 0 {
			pass.ServeHTTP(w, r)
			return
		}
		f.count()
		w.Header().Set("Content-Type", "text/html")
		if strings.HasPrefix(one.page, "{") {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Audit-Id", "of-a-test")
		}
		if one.code == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", "1")
		}
		w.WriteHeader(one.code)
		_, _ = io.WriteString(w, one.page) // who has gone does not read it
	}))
	f.Config.ErrorLog = log.New(io.Discard, "", 0)
	f.EnableHTTP2 = true
	f.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	f.StartTLS()
	t.Cleanup(func() {
		f.set(nil)
		f.CloseClientConnections()
		f.Close()
	})
	return f
}

// upstream is a transport to whatever dial reaches, without credentials of its own.
func upstream(t testing.TB, dial func() (net.Conn, error)) *http.Transport {
	t.Helper()
	config, err := rest.TLSConfigFor(stage.Cluster.Config())
	if err != nil {
		t.Fatal(err)
	}
	config.Certificates, config.GetClientCertificate = nil, nil // users bring their tokens
	return &http.Transport{
		TLSClientConfig: config, ForceAttemptHTTP2: true, DisableCompression: true,
		DialContext: func(context.Context, string, string) (net.Conn, error) { return dial() },
	}
}

func (f *front) set(rules func(*http.Request) rule) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rules, f.did = rules, 0
}

func (f *front) rule(r *http.Request) rule {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.rules == nil {
		return rule{}
	}
	return f.rules(r)
}

func (f *front) count() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.did++
}

// counted returns how often a rule changed something since set.
func (f *front) counted() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.did
}

// modify applies the rules of the moment to each event of a watch.
func (f *front) modify(resp *http.Response) error {
	if resp.Header.Get("Content-Type") == "application/vnd.kubernetes.protobuf;stream=watch" {
		resp.Body = &events{front: f, request: resp.Request, Closer: resp.Body, from: bufio.NewReaderSize(resp.Body, 64<<10)}
	}
	return nil
}

// events passes on a watch in protobuf, without the events that a rule drops.
type events struct {
	front   *front
	request *http.Request
	from    *bufio.Reader
	io.Closer
	ready bytes.Buffer // to be read
}

func (e *events) Read(into []byte) (int, error) {
	for e.ready.Len() == 0 {
		if err := e.pass(); err != nil {
			return 0, err
		}
	}
	for e.ready.Len() < len(into) && e.nextIsHere() { // one by one, each would be a record of TLS
		if err := e.pass(); err != nil {
			return 0, err
		}
	}
	return e.ready.Read(into)
}

// nextIsHere reports whether the next event is buffered as a whole, so that pass neither waits nor fails.
func (e *events) nextIsHere() bool {
	if e.from.Buffered() < 4 {
		return false
	}
	head, err := e.from.Peek(4)
	return err == nil && e.from.Buffered()-4 >= int(binary.BigEndian.Uint32(head))
}

// pass makes the next event ready, unless it is dropped.
func (e *events) pass() error {
	head := make([]byte, 4)
	if _, err := io.ReadFull(e.from, head); err != nil {
		return err
	}
	event := append(head, make([]byte, binary.BigEndian.Uint32(head))...)
	if _, err := io.ReadFull(e.from, event[4:]); errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	} else if err != nil {
		return err
	}
	if one := e.front.rule(e.request); one.drop != nil && one.drop(event) {
		e.front.count()
		return nil
	}
	e.ready.Write(event)
	return nil
}

// isEvent returns a rule's drop that matches events of a type: the first field of a WatchEvent.
func isEvent(kind string) func([]byte) bool {
	first := append([]byte{0x0a, byte(len(kind))}, kind...)
	return func(event []byte) bool { return bytes.HasPrefix(event[4:], first) }
}

// failure is a Status as the apiserver says it.
func failure(code int, reason, message string) string {
	return fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":%q,"reason":%q,"code":%d}`, message, reason, code)
}

// isWatch reports whether a request watches.
func isWatch(r *http.Request) bool { return r.URL.Query().Get("watch") != "" }

// TestEvents: however a watch arrives, exactly the events that no rule drops are passed, and then its error.
func TestEvents(t *testing.T) {
	event := func(kind string, size int) []byte {
		body := append([]byte{0x0a, byte(len(kind))}, kind...)
		body = append(body, make([]byte, size)...)
		return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
	}
	small, mark, large := event("ADDED", 10), event("BOOKMARK", 10), event("MODIFIED", 100<<10)
	sent := slices.Concat(mark, small, mark, large, small, mark)
	for name, c := range map[string]struct {
		sent []byte
		by   func(io.Reader) io.Reader
		want []byte
		err  error
	}{
		"at once":                {sent, func(r io.Reader) io.Reader { return r }, slices.Concat(small, large, small), nil},
		"byte by byte":           {sent, iotest.OneByteReader, slices.Concat(small, large, small), nil},
		"with its end":           {sent, iotest.DataErrReader, slices.Concat(small, large, small), nil},
		"it ends in an event":    {sent[:len(sent)-3], iotest.HalfReader, slices.Concat(small, large, small), io.ErrUnexpectedEOF},
		"it ends in a length":    {sent[:len(sent)-len(mark)+2], iotest.HalfReader, slices.Concat(small, large, small), io.ErrUnexpectedEOF},
		"it ends after a length": {sent[:len(sent)-len(mark)+4], iotest.HalfReader, slices.Concat(small, large, small), io.ErrUnexpectedEOF},
		"nothing passes":         {slices.Concat(mark, mark), iotest.OneByteReader, nil, nil},
	} {
		f := &front{}
		f.set(func(*http.Request) rule { return rule{drop: isEvent("BOOKMARK")} })
		e := &events{front: f, Closer: io.NopCloser(nil), from: bufio.NewReaderSize(c.by(bytes.NewReader(c.sent)), 64<<10)}
		have, err := io.ReadAll(e)
		if !bytes.Equal(have, c.want) || !errors.Is(err, c.err) {
			t.Errorf("%s: %d bytes, and not %d; %v", name, len(have), len(c.want), err)
		}
	}
}
