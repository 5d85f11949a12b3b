//go:build !js

package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
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
	// writeWithin is for a whole answer. The page is one file of 2 MB at most, which
	// takes 250 s over a line of 64 kbit/s; somebody who does not read at all costs a
	// connection and its buffers for as long, and no more.
	writeWithin = 5 * time.Minute
	idleFor     = 2 * time.Minute
	maxHeader   = 48 << 10 // the sessions of four contexts, each as large as it may be
)

// web is the server of the page.
func (s *server) web() *http.Server {
	return &http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: headerWithin, ReadTimeout: readWithin, WriteTimeout: writeWithin, IdleTimeout: idleFor, MaxHeaderBytes: maxHeader,
		DisableGeneralOptionsHandler: true, // it answers before the door does
		ConnContext:                  carry, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
}

// serveOn serves what comes to a listener: over TLS, if there is a certificate.
func (s *server) serveOn(h *http.Server, l net.Listener) error {
	l = edge.Forgetful(l)
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

// listen opens the listeners that are asked for.
func (p *operation) listen(ctx context.Context, o *options, log *slog.Logger) error {
	if o.metricsListen != "" {
		if err := p.serve(ctx, "metrics", o.metricsListen, log, func(net.Addr) http.Handler { return p.measured() }); err != nil {
			return err
		}
	}
	if o.debugListen != "" {
		return p.serve(ctx, "debug", o.debugListen, log, profiled)
	}
	return nil
}

func (p *operation) serve(ctx context.Context, name, address string, log *slog.Logger, handler func(net.Addr) http.Handler) error {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("--%s-listen: %w", name, err)
	}
	b := &beside{http: &http.Server{
		Handler: handler(l.Addr()), ReadHeaderTimeout: headerWithin, ReadTimeout: readWithin, IdleTimeout: idleFor, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}}
	p.beside = append(p.beside, b)
	b.done.Go(func() { _ = b.http.Serve(l) }) // until it is closed
	log.Info("listening for operators", "what", name, "address", l.Addr().String())
	return nil
}

// maxScrapes is how many may ask for metrics at once: Prometheus asks alone.
const maxScrapes = 4

// measured is what the listener for metrics serves.
func (p *operation) measured() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", http.TimeoutHandler(promhttp.HandlerFor(p.metrics.registry, promhttp.HandlerOpts{MaxRequestsInFlight: maxScrapes}), readWithin, "that took too long"))
	mux.HandleFunc("/livez", p.condition.live)
	mux.HandleFunc("/readyz", p.condition.readiness)
	return mux
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
	hosts := edge.NewHosts(address)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !hosts.Host(r) {
			tell(w, r, http.StatusMisdirectedRequest, "another host was meant")
			return
		}
		mux.ServeHTTP(w, r)
	})
}
