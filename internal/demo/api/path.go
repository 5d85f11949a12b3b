//go:build !js

package api

import (
	"net/http"
	"strings"
)

// route is what a path refers to.
type route struct {
	page      http.HandlerFunc // a page of its own; otherwise the route has a kind
	kind      *Kind
	review    *review
	namespace string
	name      string
	sub       string
}

// Unknown paths, answered in the two ways of a real server: by its mux for a path outside any
// API, and by the API for one inside it.
var (
	noPage     = route{page: http.NotFound}
	noResource = route{page: func(w http.ResponseWriter, r *http.Request) { writeStatus(w, r, notFound()) }}
)

// routeOf returns what a path refers to. A path may end with a slash.
func (s *Server) routeOf(path string) route {
	if page, ok := s.pages[path]; ok {
		return route{page: page}
	}
	parts := strings.Split(strings.TrimPrefix(strings.TrimSuffix(path, "/"), "/"), "/")
	switch {
	case parts[0] == "api" && len(parts) > 2:
		return s.resourceRoute("", parts[1], parts[2:])
	case parts[0] == "api" && len(parts) == 2:
		return noResource
	case parts[0] == "apis" && len(parts) > 2 && s.groups[parts[1]] && len(parts) > 3:
		return s.resourceRoute(parts[1], parts[2], parts[3:])
	case parts[0] == "apis" && len(parts) == 3 && s.groups[parts[1]]:
		return noResource
	}
	return noPage
}

// resourceRoute returns what is below a group and version:
// [namespaces/NAMESPACE/]RESOURCE[/NAME[/SUBRESOURCE]]
func (s *Server) resourceRoute(group, version string, parts []string) route {
	p := route{}
	if len(parts) > 2 && parts[0] == "namespaces" && !(group == "" && parts[2] == "status" && len(parts) == 3) {
		p.namespace, parts = parts[1], parts[2:]
	}
	for len(parts) < 3 {
		parts = append(parts, "")
	}
	resource := parts[0]
	p.name, p.sub = parts[1], parts[2]
	if r := reviews[resource]; r != nil && r.group == group && version == "v1" && p.namespace == "" && p.name == "" && len(parts) == 3 {
		p.review = r
		return p
	}
	p.kind = s.kinds[resource+"."+version+"."+group]
	if p.kind == nil || len(parts) > 3 || !p.fits() {
		return noResource
	}
	return p
}

// fits reports whether the kind has objects at such a path.
func (p route) fits() bool {
	switch {
	case p.namespace != "" && !p.kind.Namespaced:
		return false
	case p.name != "" && p.namespace == "" && p.kind.Namespaced:
		return false
	case p.sub == "":
		return true
	}
	for _, sub := range p.kind.Subresources {
		if sub == p.sub {
			return true
		}
	}
	return false
}
