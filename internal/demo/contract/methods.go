//go:build !js

package contract

import (
	"net/http"
	"testing"
)

// notAllowed is the message for a method that a path does not support.
const notAllowed = "the server does not allow this method on the requested resource"

// methods checks that paths refuse unsupported methods. A writable server supports more than the
// demo; neither supports these.
func methods(t *testing.T, s Server) {
	for _, c := range [][2]string{
		{http.MethodPut, pods}, {http.MethodPatch, pods}, {http.MethodPost, "/api/v1/namespaces/default/pods/x"}, {http.MethodHead, pods}, {"FOO", pods},
		{http.MethodPost, "/version"}, {http.MethodDelete, "/api/v1"}, {http.MethodPut, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"},
		{http.MethodGet, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"}, {http.MethodPost, "/api/v1/namespaces/default/pods/x/status"},
	} {
		a := s.send(t, c[0], c[1], nil, nil, "")
		if c[0] == http.MethodHead {
			if a.code != http.StatusMethodNotAllowed {
				t.Errorf("%v: %d", c, a.code)
			}
			continue
		}
		if a.code != http.StatusMethodNotAllowed {
			t.Errorf("%v: %d %s", c, a.code, a.body)
			continue
		}
		a.status(t, http.StatusMethodNotAllowed, "MethodNotAllowed", notAllowed)
	}
	const nowhere = "the server could not find the requested resource"
	s.send(t, http.MethodDelete, "/api/v1/nodes/nope/foo", nil, nil, "").status(t, http.StatusNotFound, "NotFound", nowhere)
}
