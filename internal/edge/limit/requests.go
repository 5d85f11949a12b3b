//go:build !js

package limit

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

// Requests limits the requests in progress, in total and per address. An HTTP/2 connection carries many
// requests, so a limit on connections alone does not limit memory. A request beyond the limit
// replaces one whose client has stalled, or is refused with 503. Open sockets do not count.
type Requests struct {
	All, Each int // 0: unlimited
	Fronts    []netip.Prefix
	// Within is the timeout for writing a response, unless its handler sets another. The server's
	// WriteTimeout applies to refused requests, and may be much shorter.
	Within time.Duration
	// Refused, if set, is called for each request that is refused.
	Refused func()
}

// stallTimeout is how long a client may stall, reading or sending nothing, before its request can be
// replaced. It is longer than 64 kB take at 128 kbit/s.
const stallTimeout = 5 * time.Second

// maxRefusing is the maximum of refused requests that wait for their client to read the 503. Beyond it, the
// stream or the HTTP/1 connection is aborted.
const maxRefusing = 64

// Handler limits the requests to next. It clears a request once its response is being written, and
// counts it until the client has read the whole response.
func (q Requests) Handler(next http.Handler) http.Handler {
	return &requestLimiter{Requests: q, next: next, active: newByAddress[*activeRequest]()}
}

type requestLimiter struct {
	Requests
	next http.Handler

	mu       sync.Mutex
	active   byAddress[*activeRequest]
	refusing int
}

func (l *requestLimiter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := &activeRequest{ResponseWriter: w, control: http.NewResponseController(w), request: r}
	a.client, a.front = clientOf(r, l.Fronts)
	a.remove = sync.OnceFunc(func() { l.remove(a) })
	if !l.add(a) {
		l.refuse(w)
		return
	}
	update(r.Context(), func(c *limitedConnection) { c.requests++ })
	defer update(r.Context(), func(c *limitedConnection) { c.requests--; c.since = time.Now() })
	defer a.end()
	if l.Within > 0 {
		_ = a.control.SetWriteDeadline(time.Now().Add(l.Within)) // a test recorder has none
	}
	if r.ContentLength != 0 {
		r.Body = body{r.Body, a}
	}
	l.next.ServeHTTP(a, r)
	a.finish()
}

// add counts a request, and reports whether the limits allow it. Beyond them, it replaces the request
// whose client has stalled longest.
func (l *requestLimiter) add(a *activeRequest) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	from := []map[*activeRequest]bool(nil)
	switch {
	case l.Each > 0 && len(l.active.of[a.client]) >= l.Each && !a.front:
		from = append(from, l.active.of[a.client])
	case l.All > 0 && l.active.total >= l.All:
		for _, all := range l.active.of {
			from = append(from, all)
		}
	}
	if from != nil {
		stalled := longestStalled(from, time.Now().Add(-stallTimeout))
		if stalled == nil {
			return false
		}
		l.active.remove(stalled.client, stalled)
		go stalled.abort() // it may block
	}
	l.active.add(a.client, a)
	return true
}

// longestStalled returns the request whose client has stalled longest, and since before a time, or nil.
func longestStalled(from []map[*activeRequest]bool, before time.Time) (stalled *activeRequest) {
	first := before.UnixNano()
	for _, all := range from {
		for a := range all {
			if since := a.waiting.Load(); since != 0 && since <= first {
				stalled, first = a, since
			}
		}
	}
	return stalled
}

// remove stops counting a request, if it is counted.
func (l *requestLimiter) remove(a *activeRequest) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.active.remove(a.client, a)
}

// refuse answers a request beyond the limits. The response has no body, which might wait for the
// client.
func (l *requestLimiter) refuse(w http.ResponseWriter) {
	if l.Refused != nil {
		l.Refused()
	}
	if !l.countRefusing(1) {
		panic(http.ErrAbortHandler)
	}
	defer l.countRefusing(-1)
	h := w.Header()
	h.Set("Retry-After", "1")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", "0")
	w.WriteHeader(http.StatusServiceUnavailable)
	_ = http.NewResponseController(w).Flush()
}

// countRefusing counts refused requests that wait for their client, and reports whether there may be as many.
func (l *requestLimiter) countRefusing(more int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refusing+more > maxRefusing {
		return false
	}
	l.refusing += more
	return true
}

// activeRequest is a request in progress, and its response writer.
type activeRequest struct {
	http.ResponseWriter
	control *http.ResponseController
	request *http.Request
	client  netip.Addr
	front   bool
	remove  func()
	waiting atomic.Int64 // since when it waits for its client, in Unix nanoseconds; 0: it does not

	mu    sync.Mutex
	ended bool
}

// Unwrap is for http.ResponseController.
func (a *activeRequest) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// Write clears the request before it waits for the client.
func (a *activeRequest) Write(b []byte) (int, error) {
	a.clearRequest()
	defer a.wait()()
	return a.ResponseWriter.Write(b)
}

// FlushError waits for the client as Write does: over HTTP/2 a small Write only fills a buffer.
func (a *activeRequest) FlushError() error {
	defer a.wait()()
	return a.control.Flush()
}

// wait records that the request waits for its client, until the returned function is called.
func (a *activeRequest) wait() func() {
	a.waiting.Store(time.Now().UnixNano())
	return func() { a.waiting.Store(0) }
}

// Hijack makes the request a socket, which is not counted.
func (a *activeRequest) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := a.control.Hijack()
	if err == nil {
		a.end()
	}
	return conn, rw, err
}

// finish waits until the client has the whole response. HTTP/2 buffers the rest until the client has
// room, and would otherwise do so when the request is no longer counted.
func (a *activeRequest) finish() {
	a.mu.Lock()
	ended := a.ended
	a.mu.Unlock()
	if ended { // hijacked, or aborted
		return
	}
	a.clearRequest()
	if a.request.ProtoMajor > 1 {
		_ = a.FlushError()
	}
}

// clearRequest clears the request, which the server keeps until it is answered.
func (a *activeRequest) clearRequest() {
	r := a.request
	clear(r.Header)
	clear(r.Trailer)
	r.RequestURI, r.Host, r.URL, r.Form = "", "", new(url.URL), nil
}

// end stops counting the request.
func (a *activeRequest) end() {
	a.mu.Lock()
	a.ended = true
	a.mu.Unlock()
	a.remove()
}

// abort ends a request that another one replaced.
func (a *activeRequest) abort() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.ended {
		past := time.Unix(1, 0)
		_ = a.control.SetReadDeadline(past)
		_ = a.control.SetWriteDeadline(past)
	}
}

// body is the body of a request. Reads count as waiting for the client.
type body struct {
	io.ReadCloser
	of *activeRequest
}

func (b body) Read(p []byte) (int, error) {
	defer b.of.wait()()
	return b.ReadCloser.Read(p)
}
