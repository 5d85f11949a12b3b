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

// Turns bounds how many requests are in progress at once: in all, and from one address. Over
// HTTP/2 a connection carries many, so a bound of connections alone bounds no memory. A
// request beyond the bound takes the turn of one whose client has stalled, or is refused
// with 503. An open socket is no request in progress.
type Turns struct {
	All, Each int // 0: unlimited
	Fronts    []netip.Prefix
	// Within is how long an answer may take to write, unless its handler says otherwise. The
	// server's own WriteTimeout is for requests that get no turn, and may be much shorter.
	Within time.Duration
	// Refused, if set, is called for each request that is refused.
	Refused func()
}

// patience is how long a client may stall, reading nothing or sending nothing, before
// another may take its turn. It is longer than 64 kB take on a line of 128 kbit/s.
const patience = 5 * time.Second

// maxTold is how many refused requests may wait at once for their client to read the 503.
// Beyond that a stream, or an HTTP/1 connection, is cut off.
const maxTold = 64

// Handler bounds the requests to next. It drops what a request said once it is being
// answered, and counts an answer until the client has taken all of it.
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
		_ = t.control.SetWriteDeadline(time.Now().Add(ts.Within)) // a recorder has none
	}
	if r.ContentLength != 0 {
		r.Body = body{r.Body, t}
	}
	ts.next.ServeHTTP(t, r)
	t.finish()
}

// enter takes a turn; if there is none, that of whoever has stalled longest.
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
		go stalled.cut() // its connection may be slow to hear of it
	}
	ts.crowd.add(t.client, t)
	return true
}

// longest is the turn whose client has stalled longest, since before a time; nil if there
// is none.
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

// refuse answers a request that gets no turn. The answer is a head alone, since a body may
// wait for the client.
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

// turn is a request in progress, as its handler answers it.
type turn struct {
	http.ResponseWriter
	control *http.ResponseController
	request *http.Request
	client  netip.Addr
	front   bool
	leave   func()
	waiting atomic.Int64 // since when for its client, in nanoseconds; 0: it is not

	mu   sync.Mutex
	over bool
}

// Unwrap is what http.ResponseController looks for.
func (t *turn) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// Write drops what the request said before it waits for the client.
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

// wait begins to wait for the client, and returns what ends it.
func (t *turn) wait() func() {
	t.waiting.Store(time.Now().UnixNano())
	return func() { t.waiting.Store(0) }
}

// Hijack makes a socket of the request, which needs no turn any more.
func (t *turn) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := t.control.Hijack()
	if err == nil {
		t.end()
	}
	return conn, rw, err
}

// finish sees the rest of an answer out. HTTP/2 keeps it until the client has room for it,
// and would otherwise do so after the turn has ended.
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

// forget drops what the request said: the server keeps a request until it is answered.
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

// cut ends a request whose turn another has taken.
func (t *turn) cut() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.over {
		past := time.Unix(1, 0)
		_ = t.control.SetReadDeadline(past)
		_ = t.control.SetWriteDeadline(past)
	}
}

// body is a request's, whose client may be slow to send it.
type body struct {
	io.ReadCloser
	of *turn
}

func (b body) Read(p []byte) (int, error) {
	defer b.of.wait()()
	return b.ReadCloser.Read(p)
}
