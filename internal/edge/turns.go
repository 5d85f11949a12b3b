//go:build !js

package edge

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// Turns limits the requests in progress, in total and per address. An HTTP/2 connection carries many
// requests, so a limit on connections alone does not limit memory. A request beyond the limit
// replaces one whose client has stalled, or is refused with 503. Open sockets do not count.
type Turns struct {
	All, Each int // 0: unlimited
	Fronts    []netip.Prefix
	// Within is the timeout for writing a response, unless its handler sets another. The server's
	// WriteTimeout applies to requests without a turn, and may be much shorter.
	Within time.Duration
	// Refused, if set, is called for each request that is refused.
	Refused func()
}

// patience is how long a client may stall, reading or sending nothing, before its request can be
// replaced. It is longer than 64 kB take at 128 kbit/s.
const patience = 5 * time.Second

// maxTold is the maximum of refused requests that wait for their client to read the 503. Beyond it, the
// stream or the HTTP/1 connection is aborted.
const maxTold = 64

// Handler limits the requests to next. It clears a request once its response is being written, and
// counts it until the client has read the whole response.
func (t Turns) Handler(next http.Handler) http.Handler {
	return &turns{Turns: t, next: next, crowd: newCrowd[*turn]()}
}

type turns struct {
	Turns
	next http.Handler

	mu    sync.Mutex
	crowd crowd[*turn]
	told  int
}

func (ts *turns) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t := &turn{ResponseWriter: w, control: http.NewResponseController(w), request: r}
	t.client, t.front = clientOf(r, ts.Fronts)
	t.leave = sync.OnceFunc(func() { ts.leave(t) })
	if !ts.enter(t) {
		ts.refuse(w)
		return
	}
	note(r.Context(), func(c *counted) { c.turns++ })
	defer note(r.Context(), func(c *counted) { c.turns--; c.since = time.Now() })
	defer t.end()
	if ts.Within > 0 {
		_ = t.control.SetWriteDeadline(time.Now().Add(ts.Within)) // a test recorder has none
	}
	if r.ContentLength != 0 {
		r.Body = body{r.Body, t}
	}
	ts.next.ServeHTTP(t, r)
	t.finish()
}

// enter gives a request a turn. If there is none left, it takes that of the client that has stalled
// longest.
func (ts *turns) enter(t *turn) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	from := []map[*turn]bool(nil)
	switch {
	case ts.Each > 0 && len(ts.crowd.of[t.client]) >= ts.Each && !t.front:
		from = append(from, ts.crowd.of[t.client])
	case ts.All > 0 && ts.crowd.all >= ts.All:
		for _, all := range ts.crowd.of {
			from = append(from, all)
		}
	}
	if from != nil {
		stalled := longest(from, time.Now().Add(-patience))
		if stalled == nil {
			return false
		}
		ts.crowd.remove(stalled.client, stalled)
		go stalled.cut() // it may block
	}
	ts.crowd.add(t.client, t)
	return true
}

// longest returns the turn whose client has stalled longest, and since before a time, or nil.
func longest(from []map[*turn]bool, before time.Time) (stalled *turn) {
	first := before.UnixNano()
	for _, all := range from {
		for t := range all {
			if since := t.waiting.Load(); since != 0 && since <= first {
				stalled, first = t, since
			}
		}
	}
	return stalled
}

func (ts *turns) leave(t *turn) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.crowd.remove(t.client, t)
}

// refuse answers a request without a turn. The response has no body, which might wait for the
// client.
func (ts *turns) refuse(w http.ResponseWriter) {
	if ts.Refused != nil {
		ts.Refused()
	}
	if !ts.tell(1) {
		panic(http.ErrAbortHandler)
	}
	defer ts.tell(-1)
	h := w.Header()
	h.Set("Retry-After", "1")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", "0")
	w.WriteHeader(http.StatusServiceUnavailable)
	_ = http.NewResponseController(w).Flush()
}

func (ts *turns) tell(more int) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.told+more > maxTold {
		return false
	}
	ts.told += more
	return true
}

// turn is a request in progress, and its response writer.
type turn struct {
	http.ResponseWriter
	control *http.ResponseController
	request *http.Request
	client  netip.Addr
	front   bool
	leave   func()
	waiting atomic.Int64 // since when it waits for its client, in Unix nanoseconds; 0: it does not

	mu   sync.Mutex
	over bool
}

// Unwrap is for http.ResponseController.
func (t *turn) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// Write clears the request before it waits for the client.
func (t *turn) Write(b []byte) (int, error) {
	t.forget()
	defer t.wait()()
	return t.ResponseWriter.Write(b)
}

// FlushError waits for the client as Write does: over HTTP/2 a small Write only fills a buffer.
func (t *turn) FlushError() error {
	defer t.wait()()
	return t.control.Flush()
}

// wait records that the request waits for its client, until the returned function is called.
func (t *turn) wait() func() {
	t.waiting.Store(time.Now().UnixNano())
	return func() { t.waiting.Store(0) }
}

// Hijack turns the request into a socket, which needs no turn.
func (t *turn) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := t.control.Hijack()
	if err == nil {
		t.end()
	}
	return conn, rw, err
}

// finish waits until the client has the whole response. HTTP/2 buffers the rest until the client has
// room, and would otherwise do so after the turn has ended.
func (t *turn) finish() {
	t.mu.Lock()
	over := t.over
	t.mu.Unlock()
	if over { // hijacked, or cut
		return
	}
	t.forget()
	if t.request.ProtoMajor > 1 {
		_ = t.FlushError()
	}
}

// forget clears the request, which the server keeps until it is answered.
func (t *turn) forget() {
	r := t.request
	clear(r.Header)
	clear(r.Trailer)
	r.RequestURI, r.Host, r.URL, r.Form = "", "", new(url.URL), nil
}

func (t *turn) end() {
	t.mu.Lock()
	t.over = true
	t.mu.Unlock()
	t.leave()
}

// cut aborts a request whose turn was taken.
func (t *turn) cut() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.over {
		past := time.Unix(1, 0)
		_ = t.control.SetReadDeadline(past)
		_ = t.control.SetWriteDeadline(past)
	}
}

// body is the body of a request. Reads count as waiting for the client.
type body struct {
	io.ReadCloser
	of *turn
}

func (b body) Read(p []byte) (int, error) {
	defer b.of.wait()()
	return b.ReadCloser.Read(p)
}
