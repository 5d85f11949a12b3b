//go:build !js

package api

import (
	"crypto/rand"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/internal/demo/store"
)

// Options describe what a server serves.
type Options struct {
	Store  *store.Store
	Custom []*Kind // in addition to the built-in kinds
	Now    func() time.Time
	// Log returns what a container writes.
	Log func(pod *corev1.Pod, container string) Log
}

// Server is an http.Handler that answers like kube-apiserver.
type Server struct {
	Options
	order  []*Kind
	kinds  map[string]*Kind // by resource.version.group
	groups map[string]bool
	pages  map[string]http.HandlerFunc
}

// New returns a server. It has no goroutines of its own.
func New(o Options) *Server {
	s := &Server{Options: o, kinds: map[string]*Kind{}, groups: map[string]bool{}, pages: map[string]http.HandlerFunc{}}
	s.order = append(append(s.order, builtin...), o.Custom...)
	for _, k := range s.order {
		s.kinds[k.Resource+"."+k.Version+"."+k.Group] = k
		s.groups[k.Group] = true
		o.Store.Resource(k.ID())
	}
	for _, r := range reviews {
		s.groups[r.group] = true
	}
	s.addPages()
	return s
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-cache, private")
	w.Header().Set("Audit-Id", rand.Text())
	p := s.routeOf(r.URL.Path)
	switch {
	case p.page != nil && r.Method != http.MethodGet && s.pages[r.URL.Path] != nil:
		writeStatus(w, r, notAllowed())
	case p.page != nil:
		p.page(w, r)
	case p.review != nil:
		s.review(w, r, p.review)
	case r.Method != http.MethodGet:
		writeStatus(w, r, notAllowed())
	default:
		if status := s.read(w, r, p); status != nil {
			writeStatus(w, r, status)
		}
	}
}

// read answers a GET of a kind's objects. It returns a status if it failed before it wrote
// anything.
func (s *Server) read(w http.ResponseWriter, r *http.Request, p route) *metav1.Status {
	if p.sub == "log" {
		return s.log(w, r, p)
	}
	if p.kind.Measured {
		return s.metrics(w, r, p)
	}
	f, status := negotiate(r, p.kind, s.Now)
	if status != nil {
		return status
	}
	q := request{route: p, form: f, resource: s.Store.Resource(p.kind.ID())}
	if p.name != "" {
		return s.get(w, r, q)
	}
	if status := q.parse(r.URL.Query()); status != nil {
		return status
	}
	if q.options.Watch {
		return s.watch(w, r, q)
	}
	return s.list(w, r, q)
}
