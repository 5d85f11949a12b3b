//go:build !js

package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"

	"watchglass/internal/apiserver"
	"watchglass/internal/edge"
	"watchglass/internal/edge/session"
	"watchglass/web/static"
)

// server is a running proxy.
type server struct {
	options  *options
	contexts *contexts
	site     *static.Site
	replayed *recordingFile // shown instead of a cluster; nil if there is one
	auth     *edge.Authenticator
	sessions *session.Registry
	log      *slog.Logger
	ctx      context.Context // of the sockets
	*operation
}

// otherPorts is how many ports are tried after the requested one.
const otherPorts = 99

// listen listens on the address. If its port is in use, it tries the next ports, and reports
// the one that it got.
func listen(ctx context.Context, address string, others int, report func(asked, port int)) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	first, err := strconv.Atoi(port)
	if err != nil {
		return nil, fmt.Errorf("--listen %s: %q is not a port", address, port)
	}
	for n := first; n <= first+others; n++ {
		asked := n
		if first == 0 { // any
			asked = 0
		}
		l, err := bind(ctx, net.JoinHostPort(host, strconv.Itoa(asked)))
		switch {
		case err == nil && asked != first:
			report(first, n)
			return l, nil
		case err == nil:
			return l, nil
		case others == 0 || !portInUse(err):
			return nil, fmt.Errorf("listen: %w", err)
		}
	}
	return nil, fmt.Errorf("ports %d to %d are all in use: choose another with --listen", first, first+others)
}

// key returns the key of the cookies. Without a file to store it in, it is a new key.
func (o *options) key(log *slog.Logger) (session.Key, error) {
	if o.keyFile != "" {
		if o.local() {
			return session.LoadKey(o.keyFile)
		}
		return session.ReadSharedKey(o.keyFile) // a replica never creates one
	}
	if !o.local() {
		log.Warn("no --key-file: sessions do not survive a restart and are unknown to other replicas")
		return session.NewKey(), nil
	}
	file, err := o.keyPath()
	if err == nil {
		var k session.Key
		if k, err = session.LoadKey(file); err == nil {
			return k, nil
		}
	}
	log.Warn("cookie key not stored: --link won't work, and a restart signs you out", "error", err)
	return session.NewKey(), nil
}

// handler returns the handler of everything that is served.
func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	base := s.options.basePath
	mux.Handle(base+"/-/socket", s.metrics.sockets(s.tabs.count(s.auth.Socket(s.socket))))
	mux.Handle(base+"/-/login", s.auth.Login())
	mux.Handle(base+"/-/logout", s.auth.Logout())
	mux.Handle(base+"/-/signin", s.auth.SignIn())
	mux.Handle(base+"/-/callback", s.auth.Callback())
	mux.Handle(base+"/-/files/{name}", s.auth.Page(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.site.File(w, r, r.PathValue("name"))
	})))
	mux.Handle(base+"/-/embed/{name}", s.auth.Page(edge.Shared(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		static.Element(w, r, r.PathValue("name"))
	}))))
	if s.replayed != nil {
		mux.Handle(base+"/-/recording", s.auth.Proven(session.ForRecording, s.replayed))
	}
	mux.HandleFunc(base+"/-/livez", s.condition.live)
	mux.HandleFunc(base+"/-/readyz", s.condition.readiness)
	mux.Handle(base+"/-/", http.NotFoundHandler())
	page := s.auth.Page(s.options.embedders.Frame(s.site.Page()))
	mux.Handle(base+"/{resource}", page)
	mux.Handle(base+"/{$}", page)
	return edge.Strict(s.options.public != nil && s.options.public.Scheme == "https", edge.Plain(mux))
}

// narrow returns the namespace that a target is limited to, or "".
func narrow(t *apiserver.Target) string {
	if t.Narrow {
		return t.Namespace
	}
	return ""
}

// serve serves until the context ends, and then disconnects every tab.
func (s *server) serve(ctx context.Context, l net.Listener) error {
	if s.operation == nil {
		s.operation = newOperation()
	}
	var stop context.CancelFunc
	s.ctx, stop = context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	h := s.web()
	served := make(chan error, 1)
	go func() { served <- s.serveOn(h, l) }()
	s.condition.Store(ready)
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	s.finish(h, stop)
	return nil
}

// address returns the address to open.
func (s *server) address(l net.Listener, token string) string {
	if s.options.public != nil {
		return s.options.public.String() + s.options.basePath + "/"
	}
	host := l.Addr().String()
	named, _, _ := net.SplitHostPort(s.options.listen) // validated
	if _, port, err := net.SplitHostPort(host); err == nil && strings.EqualFold(named, "localhost") {
		host = net.JoinHostPort("localhost", port)
	}
	return s.scheme() + "://" + host + s.options.basePath + "/#token=" + token
}
