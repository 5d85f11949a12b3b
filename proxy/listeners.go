//go:build !js

package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"watchglass/internal/edge"
)

// The limits of what a client may take its time with. A socket has none of them: once
// it is taken over its deadlines are cleared, and it has beats of its own.
const (
	// headerWithin is for a request's head, and for the TLS handshake before it.
	headerWithin = 5 * time.Second
	// readWithin is for a whole request: the only bodies are logins, of a few kB.
	readWithin = 10 * time.Second
	// writeWithin is for a whole answer. A file has more time than that, as long as it is
	// being read.
	writeWithin = time.Minute
	// refuseWithin is for what is answered before edge.Turns counts it: a head that is too
	// large.
	refuseWithin = 5 * time.Second
	idleFor      = 2 * time.Minute
)

// The limits of memory. Each connection may take as much as these allow before anybody has
// signed in.
const (
	// maxHeader is for the sessions of two contexts, each as large as it may be, or of many as
	// they usually are. HTTP/2 keeps a buffer of this size for a connection, and the heads that
	// are too large until their answer has been read.
	maxHeader = 28 << 10
	// maxStreams is how many requests an HTTP/2 connection may have open: a page loads some
	// ten files.
	maxStreams = 16
	// maxFrame is the largest frame of HTTP/2, which is read into one buffer: the smallest
	// limit that the protocol allows.
	maxFrame = 16 << 10
	// maxUnread and maxBody are the bytes of request bodies that an HTTP/2 connection and a
	// stream may send ahead. The only bodies are logins.
	maxUnread = 64 << 10
	maxBody   = 16 << 10
	// maxRequests is how many requests are in progress at once, and maxRequestsEach those of
	// one address. Hundreds of people behind one address may open the page at once.
	maxRequests     = 1024
	maxRequestsEach = maxRequests / 4
	// maxStrangers is how many connections of one address may stay open that have no session
	// and no request in progress.
	maxStrangers = 128
)

// web is the server of the page.
func (s *server) web() *http.Server {
	return &http.Server{
		Handler: edge.Turns{
			All: maxRequests, Each: maxRequestsEach, Fronts: s.options.fronts, Within: writeWithin, Refused: s.metrics.limited,
		}.Handler(s.handler()),
		ReadHeaderTimeout: headerWithin, ReadTimeout: readWithin, WriteTimeout: refuseWithin, IdleTimeout: idleFor, MaxHeaderBytes: maxHeader,
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: maxStreams, MaxReadFrameSize: maxFrame,
			MaxReceiveBufferPerConnection: maxUnread, MaxReceiveBufferPerStream: maxBody,
		},
		DisableGeneralOptionsHandler: true, // it answers before the door does
		ConnState:                    edge.ConnState,
		ConnContext:                  carry, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
}

// serveOn serves what comes to a listener: over TLS, if there is a certificate.
func (s *server) serveOn(h *http.Server, l net.Listener) error {
	l = edge.Forgetful(edge.Bound{
		All: s.options.limits.open, Each: (s.options.limits.open + 3) / 4, Strangers: maxStrangers, Fronts: s.options.fronts, Refused: s.metrics.limited,
	}.Listener(l))
	if s.certificate == nil {
		return h.Serve(l)
	}
	h.TLSConfig = s.certificate.TLS(tlsVersions[s.options.tlsLeast], s.front)
	return h.ServeTLS(l, "", "")
}

// scheme is how the page is reached.
func (s *server) scheme() string {
	if s.operation != nil && s.certificate != nil {
		return "https"
	}
	return "http"
}

// condition is what the proxy says of itself to whoever asks for its health.
type condition struct{ atomic.Int32 }

// The conditions.
const (
	starting int32 = iota
	ready
	draining
)

// live answers whoever asks whether the process lives. Neither this nor readiness is
// behind the door, since the kubelet asks an address and not a name: the answer is
// the same for all, and a word.
func (*condition) live(w http.ResponseWriter, r *http.Request) { tell(w, r, http.StatusOK, "ok") }

// readiness says whether new tabs should be sent here. It does not look at the
// apiserver: when that is away all replicas are alike, and the page says so better
// than a balancer without any.
func (c *condition) readiness(w http.ResponseWriter, r *http.Request) {
	switch c.Load() {
	case ready:
		tell(w, r, http.StatusOK, "ok")
	case draining:
		tell(w, r, http.StatusServiceUnavailable, "draining")
	default:
		tell(w, r, http.StatusServiceUnavailable, "starting")
	}
}

func tell(w http.ResponseWriter, r *http.Request, code int, word string) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		code, word = http.StatusMethodNotAllowed, "only GET"
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(code)
	fmt.Fprintln(w, word)
}

// beside is a server beside the page's, for operators.
type beside struct {
	http *http.Server
	done sync.WaitGroup
}

func (b *beside) close() {
	b.http.Close() // whoever asks asks again
	b.done.Wait()
}

// The limits of the listeners for operators.
const (
	// maxOperators is how many connections each has open: those that ask are few.
	maxOperators = 64
	// profileWithin is for a whole profile or trace, which lasts as long as is asked for.
	profileWithin = 10 * time.Minute
)

// listen opens the listeners that are asked for.
func (p *operation) listen(ctx context.Context, o *options, log *slog.Logger) error {
	if o.metricsListen != "" {
		if err := p.serve(ctx, "metrics", o.metricsListen, writeWithin, log, func(net.Addr) http.Handler { return p.measured(o.hosts) }); err != nil {
			return err
		}
	}
	if o.debugListen != "" {
		return p.serve(ctx, "debug", o.debugListen, profileWithin, log, profiled)
	}
	return nil
}

func (p *operation) serve(ctx context.Context, name, address string, within time.Duration, log *slog.Logger, handler func(net.Addr) http.Handler) error {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("--%s-listen: %w", name, err)
	}
	b := &beside{http: &http.Server{
		Handler: handler(l.Addr()), ReadHeaderTimeout: headerWithin, ReadTimeout: readWithin, WriteTimeout: within, IdleTimeout: idleFor, MaxHeaderBytes: maxHeader,
		ConnState: edge.ConnState, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}}
	bound := edge.Bound{All: maxOperators}
	p.beside = append(p.beside, b)
	b.done.Go(func() { _ = b.http.Serve(bound.Listener(l)) }) // until it is closed
	log.Info("operator listener", "name", name, "address", l.Addr().String())
	return nil
}

// maxScrapes is how many may ask for metrics at once: Prometheus asks alone.
const maxScrapes = 4

// measured is what the listener for metrics serves: to any name that is an address, since
// Prometheus finds pods by theirs, and to the names of --host. A page whose name was
// rebound to this machine comes by its own name.
func (p *operation) measured(hosts []string) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", http.TimeoutHandler(promhttp.HandlerFor(p.metrics.registry, promhttp.HandlerOpts{MaxRequestsInFlight: maxScrapes}), readWithin, "timed out"))
	mux.HandleFunc("/livez", p.condition.live)
	mux.HandleFunc("/readyz", p.condition.readiness)
	return forOperators(mux, func(r *http.Request) bool {
		host := edge.Hostname(r.Host)
		return host == "localhost" || net.ParseIP(host) != nil || slices.ContainsFunc(hosts, func(name string) bool { return edge.Hostname(name) == host })
	})
}

// forOperators keeps the pages of other sites out, which a browser on this machine or in
// this network may have open.
func forOperators(next http.Handler, meant func(*http.Request) bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		site := r.Header.Get("Sec-Fetch-Site")
		switch {
		case !meant(r):
			tell(w, r, http.StatusMisdirectedRequest, "wrong Host header: for metrics, allow this name with --host")
		case site != "" && site != "none" && site != "same-origin" || len(r.Header["Origin"]) > 0:
			tell(w, r, http.StatusForbidden, "requests from pages of other sites are refused")
		default:
			w.Header().Set("X-Content-Type-Options", "nosniff")
			w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
			next.ServeHTTP(w, r)
		}
	})
}

// profiled is what the listener for debugging serves: profiles, to this machine, and
// under its own name, since a page that has its name rebound to this machine would
// otherwise read them.
func profiled(address net.Addr) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return forOperators(mux, edge.NewHosts(address).Host)
}
