//go:build !js

package hub

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"watchglass/internal/hub/cluster"
	"watchglass/internal/port"
	"watchglass/internal/relay"
	"watchglass/internal/socket"
	"watchglass/internal/view"
	"watchglass/internal/wire"
	"watchglass/internal/wire/wiretest"
)

// apiserver answers the real relay. Each request for pods gets the next of its answers: a
// Status, or the beginning of a watch that then stays silent.
type apiserver struct {
	mu      sync.Mutex
	answers []any // int: a Status of that code; []byte: a watch
	reviews int   // the code of the answers to reviews; 0 is 404
	asked   []string
}

func (a *apiserver) RoundTrip(r *http.Request) (*http.Response, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.reviews != 0 && strings.HasSuffix(r.URL.Path, "reviews") {
		return refusal(r, a.reviews), nil
	}
	if !strings.HasPrefix(r.URL.Path, "/api/v1/") || strings.HasSuffix(r.URL.Path, "/kube-system") {
		return refusal(r, http.StatusNotFound), nil
	}
	if r.URL.Path == "/api/v1/namespaces" {
		return refusal(r, http.StatusForbidden), nil
	}
	q := r.URL.Query()
	q.Del("timeoutSeconds") // it is random
	a.asked = append(a.asked, r.URL.Path+"?"+q.Encode())
	if len(a.answers) == 0 {
		return nil, errors.New("the script is over")
	}
	next := a.answers[0]
	a.answers = a.answers[1:]
	if code, ok := next.(int); ok {
		return refusal(r, code), nil
	}
	return respond(r, http.StatusOK, "application/vnd.kubernetes.protobuf;stream=watch", next.([]byte), true), nil
}

func refusal(r *http.Request, code int) *http.Response {
	doc, _ := json.Marshal(map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": http.StatusText(code), "message": "the apiserver's own words"})
	return respond(r, code, "application/json", doc, false)
}

// respond returns a response that ends with its request if it stays open, like one of net/http.
func respond(r *http.Request, code int, contentType string, body []byte, open bool) *http.Response {
	pr, pw := io.Pipe()
	stop := context.AfterFunc(r.Context(), func() { pw.CloseWithError(r.Context().Err()) })
	go func() {
		if _, err := pw.Write(body); err == nil && !open {
			stop()
			pw.Close()
		}
	}()
	return &http.Response{StatusCode: code, Status: http.StatusText(code), Header: http.Header{"Content-Type": {contentType}}, Body: pr, Request: r}
}

// watched encodes a watch as the apiserver does, in protobuf.
func watched(events ...event) (out []byte) {
	for _, e := range events {
		types := map[wire.EventType]string{wire.Added: "ADDED", wire.Deleted: "DELETED", wire.Bookmark: "BOOKMARK"}
		payload := podBytes(e.testObject)
		raw := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), payload)
		msg := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), types[e.kind])
		msg = protowire.AppendBytes(protowire.AppendTag(msg, 2, protowire.BytesType), raw)
		out = append(binary.BigEndian.AppendUint32(out, uint32(len(msg))), msg...)
	}
	return out
}

var listed = event{wire.Bookmark, testObject{version: 5, end: true}}

// TestThroughRelay runs the hub against the relay itself: early adoption, a refusal in the
// apiserver's words, and a socket that breaks.
func TestThroughRelay(t *testing.T) {
	for name, c := range map[string]struct {
		answers []any
		look    view.Query
		breaks  bool
		state   string
		rows    string
		asked   []string
	}{
		"adopted": {
			answers: []any{watched(event{wire.Added, at(1, pod("a", "web1", "Running"))}, event{wire.Added, at(2, pod("b", "db1", "Pending"))}, listed)},
			state:   "live", rows: "a/web1 b/db1",
			asked: []string{"/api/v1/pods?allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&watch=true"},
		},
		"breaks": {
			answers: []any{
				watched(event{wire.Added, at(1, pod("a", "web1", "Running"))}, event{wire.Added, at(2, pod("b", "db1", "Pending"))}, listed),
				watched(event{wire.Deleted, at(6, pod("b", "db1", "Failed"))}, event{wire.Added, at(7, pod("b", "db2", "Pending"))}),
			},
			breaks: true, state: "live", rows: "a/web1 b/db2",
			asked: []string{
				"/api/v1/pods?allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&watch=true",
				"/api/v1/pods?allowWatchBookmarks=true&resourceVersion=5&watch=true",
			},
		},
		"refused": {
			answers: []any{403, 403, watched(event{wire.Added, at(1, pod("a", "web1", "Running"))}, listed)},
			look:    view.Query{Namespaces: []string{"a"}},
			state:   "live", rows: "a/web1",
			asked: []string{
				"/api/v1/pods?allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&watch=true",
				"/api/v1/pods?limit=500&resourceVersion=0",
				"/api/v1/namespaces/a/pods?allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&watch=true",
				"/api/v1/pods?allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&watch=true", // it lingers
			},
		},
		"refused, and no namespace": {answers: []any{403, 403, 403, 403, 403, 403}, state: "denied"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &apiserver{answers: c.answers}
				b, conns := throughRelay(t, a)
				b.showList("pods", c.look)
				if c.breaks {
					(*conns)[0].Close()
					b.wait(5 * time.Second)
				}
				b.wantRows(c.state, c.rows)
				if c.asked != nil && !slices.Equal(a.asked, c.asked) {
					t.Errorf("asked\n%s", strings.Join(a.asked, "\n"))
				}
				if s := b.now().Source; c.state == "denied" && (s.Cause == nil || s.Cause.Message != "the apiserver's own words" || s.Cause.Origin != wire.FromAPIServer) {
					t.Errorf("%+v", s.Cause)
				}
				for _, s := range b.inspected() {
					if s.Relists != 0 || c.breaks && s.Resumes != 1 {
						t.Errorf("%+v", s)
					}
				}
			})
		})
	}
}

// TestPausedThroughRelay checks that a list says that the permission could not be confirmed while the relay pauses its
// watch for that, not that the apiserver is silent.
func TestPausedThroughRelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &apiserver{answers: []any{watched(event{wire.Added, at(1, pod("a", "web1", "Running"))}, listed)}, reviews: http.StatusServiceUnavailable}
		b, _ := throughRelay(t, a)
		b.showList("pods", view.Query{})
		b.wantRows("live", "a/web1")
		b.wait(45 * time.Second)
		b.wantRows("stale", "a/web1")
		if c := b.now().Source.Cause; c == nil || c.Origin != wire.FromProxy || c.Message != "your permission to watch could not be confirmed" {
			t.Errorf("%+v", c)
		}
	})
}

// TestEarlyWaits checks that the early list stops after a screenful until the page paints, and
// then comes in completely. It does not wait long for a slow page.
func TestEarlyWaits(t *testing.T) {
	const all = 5000
	var events []event
	for i := range all {
		events = append(events, event{wire.Added, at(i+1, pod("a", fmt.Sprintf("web%d", i), strings.Repeat("x", 200)))})
	}
	answer := watched(append(events, event{wire.Bookmark, testObject{version: all, end: true}})...)
	for name, looks := range map[string]bool{"looks": true, "is slow": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, _ := throughRelay(t, &apiserver{answers: []any{answer}})
				b.wait(cluster.HoldEarly / 2)
				if s := b.inspected(); len(s) != 1 || s[0].State != "syncing" || s[0].Objects == 0 || s[0].Objects > all/2 {
					t.Errorf("before: %+v", s)
				}
				if looks {
					b.showList("pods", view.Query{Seq: 1})
				} else {
					b.wait(cluster.HoldEarly)
				}
				if s := b.inspected(); len(s) != 1 || s[0].State != "live" || s[0].Objects != all || s[0].Relists+s[0].Resumes > 0 {
					t.Errorf("then: %+v", s)
				}
			})
		})
	}
}

// throughRelay runs a hub whose sockets end in the relay, until the test ends. The first socket
// has already sent a hello, as worker.js does.
func throughRelay(t *testing.T, a *apiserver) (*fixture, *[]*wiretest.Conn) {
	b := &fixture{t: t, page: &page{in: make(chan port.Message, 256), answers: make(map[uint32]chan port.Answer)}}
	ctx, cancel := context.WithCancel(t.Context())
	var conns []*wiretest.Conn
	var running sync.WaitGroup
	b.hub = New(ctx, Options{Dial: func(context.Context, string) (socket.Connection, error) {
		near, far := wiretest.Pipe(256)
		conns = append(conns, near)
		running.Go(func() {
			_ = relay.Serve(ctx, far, relay.Options{Upstream: relay.Upstream{Base: &url.URL{Scheme: "https", Host: "h"}, Transport: a, Heard: time.Now}})
			far.Close()
		})
		greeted := len(conns) == 1
		if greeted {
			hello, _ := json.Marshal(wire.Hello{V: wire.Version, Large: true, Queue: true, Pause: true, Early: "pods"})
			_ = near.Write(ctx, hello)
		}
		return socket.Connection{Conn: near, Greeted: greeted}, nil
	}})
	running.Go(b.hub.Run)
	b.disconnect = b.hub.Connect(Connection{Port: b.page, Early: "pods"})
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	return b, &conns
}
