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
	"watchglass/internal/edge/limit"
)

// Timeouts for clients. They do not apply to sockets: after the upgrade, deadlines are cleared,
// and heartbeats take over.
const (
	// headerWithin is for a request's header, and for the TLS handshake before it.
	headerWithin = 5 * time.Second
	// readWithin is for a whole request: the only bodies are logins, of a few kB.
	readWithin = 10 * time.Second
	// writeWithin is for a whole response. Files may take longer, as long as the client keeps
	// reading.
	writeWithin = time.Minute
	// refuseWithin is for responses that limit.Requests does not count, such as to a header that is
	// too large.
	refuseWithin = 5 * time.Second
	idleFor      = 2 * time.Minute
)

// Memory limits. A connection can use this much before its user has signed in.
const (
	// maxHeader leaves room for the sessions of two contexts of maximum size, or of many of the
	// usual size. HTTP/2 keeps a buffer of this size per connection. It also keeps headers that
	// are too large until their response has been read.
	maxHeader = 28 << 10
	// maxStreams is the maximum of concurrent requests on an HTTP/2 connection. A page loads
	// about ten files.
	maxStreams = 16
	// maxFrame is the maximum size of an HTTP/2 frame, which is read into one buffer. It is the
	// smallest limit that the protocol allows.
	maxFrame = 16 << 10
	// maxUnread and maxBody are the flow control windows of an HTTP/2 connection and of a
	// stream. The only request bodies are logins.
	maxUnread = 64 << 10
	maxBody   = 16 << 10
	// maxRequests and maxRequestsEach are the maximum of requests in progress, in total and per
	// address. Hundreds of people behind one address may open the page at once.
	maxRequests     = 1024
	maxRequestsEach = maxRequests / 4
	// maxAnonymous is the maximum of open connections per address that have neither a session
	// nor a request in progress.
	maxAnonymous = 128
)

// web returns the server of the page.
func (s *server) web() *http.Server {
	return &http.Server{
		Handler: limit.Requests{
			All: maxRequests, Each: maxRequestsEach, Fronts: s.options.fronts, Within: writeWithin, Refused: s.metrics.limited,
		}.Handler(s.handler()),
		ReadHeaderTimeout: headerWithin, ReadTimeout: readWithin, WriteTimeout: refuseWithin, IdleTimeout: idleFor, MaxHeaderBytes: maxHeader,
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: maxStreams, MaxReadFrameSize: maxFrame,
			MaxReceiveBufferPerConnection: maxUnread, MaxReceiveBufferPerStream: maxBody,
		},
		DisableGeneralOptionsHandler: true, // it answers before the authenticator does
		ConnState:                    limit.ConnState,
		ConnContext:                  carry, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
}

// serveOn serves a listener, with TLS if there is a certificate.
func (s *server) serveOn(h *http.Server, l net.Listener) error {
	l = limit.ClearBuffers(limit.Connections{
		All: s.options.limits.open, Each: (s.options.limits.open + 3) / 4, Anonymous: maxAnonymous, Fronts: s.options.fronts, Refused: s.metrics.limited,
	}.Listener(l))
	if s.certificate == nil {
		return h.Serve(l)
	}
	h.TLSConfig = s.certificate.TLS(tlsVersions[s.options.tlsLeast], s.front)
	return h.ServeTLS(l, "", "")
}

// scheme returns the scheme of the page's address.
func (s *server) scheme() string {
	if s.operation != nil && s.certificate != nil {
		return "https"
	}
	return "http"
}

// condition is what the health checks report.
type condition struct{ atomic.Int32 }

// The conditions.
const (
	starting int32 = iota
	ready
	draining
)

// live answers the liveness check. Health checks are not authenticated, since the kubelet
// uses an address as the Host. Their answer is one word, and the same for everybody.
func (*condition) live(w http.ResponseWriter, r *http.Request) { tell(w, r, http.StatusOK, "ok") }

// readiness reports whether new tabs should be sent here. It does not depend on the apiserver:
// if that is unreachable, it is so for all replicas, and the page says so better than a load
// balancer without backends.
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

// beside is a server for operators, next to the one of the page.
type beside struct {
	http *http.Server
	done sync.WaitGroup
}

func (b *beside) close() {
	b.http.Close() // clients retry
	b.done.Wait()
}

// The limits of the listeners for operators.
const (
	// maxOperators is the maximum of open connections of each. There are few clients.
	maxOperators = 64
	// profileWithin is for a whole profile or trace, whose duration is a parameter.
	profileWithin = 10 * time.Minute
)

// listen opens the listeners that the flags name.
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
		ConnState: limit.ConnState, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}}
	bound := limit.Connections{All: maxOperators}
	p.beside = append(p.beside, b)
	b.done.Go(func() { _ = b.http.Serve(bound.Listener(l)) }) // until it is closed
	log.Info("operator listener", "name", name, "address", l.Addr().String())
	return nil
}

// maxScrapes is the maximum of concurrent scrapes. Prometheus makes one at a time.
const maxScrapes = 4

// measured returns the handler of the metrics listener. It accepts any IP address as the Host,
// since Prometheus finds pods by address, and the names in --host. A page whose name was
// rebound to this machine sends its own name, which is refused.
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

// forOperators refuses requests from pages of other sites, which a browser on this machine or
// in this network may have open.
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

// profiled returns the handler of the debug listener. It accepts only its own address as the
// Host. Otherwise a page whose name was rebound to this machine could read profiles.
func profiled(address net.Addr) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return forOperators(mux, edge.NewHosts(address).Host)
}
