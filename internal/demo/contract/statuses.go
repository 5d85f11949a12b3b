//go:build !js

package contract

import (
	"net/http"
	"strings"
	"testing"
)

// statuses checks the Status for an object or path that does not exist.
func statuses(t *testing.T, s Server) {
	for _, c := range []struct{ path, message, name, group, kind string }{
		{"/api/v1/namespaces/default/pods/nope", `pods "nope" not found`, "nope", "", "pods"},
		{"/api/v1/namespaces/default/pods/nope/status", `pods "nope" not found`, "nope", "", "pods"},
		{"/api/v1/namespaces/default/pods/A_b", `pods "A_b" not found`, "A_b", "", "pods"},
		{"/api/v1/namespaces/nope", `namespaces "nope" not found`, "nope", "", "namespaces"},
		{"/api/v1/nodes/nope", `nodes "nope" not found`, "nope", "", "nodes"},
		{"/apis/apps/v1/namespaces/default/deployments/nope", `deployments.apps "nope" not found`, "nope", "apps", "deployments"},
	} {
		o := s.get(t, c.path).status(t, 404, "NotFound", c.message)
		if o.Details == nil || o.Details.Name != c.name || o.Details.Group != c.group || o.Details.Kind != c.kind {
			t.Errorf("%s: %+v", c.path, o.Details)
		}
	}
	for _, path := range []string{
		"/api/v1/foos", "/api/v2", "/api/v2/pods", "/apis/apps/v1/foos", "/apis/apps/v9/deployments", "/api/v1/namespaces/default/nodes", "/api/v1/pods/nope",
		"/api/v1/namespaces/default/pods/nope/foo", "/api/v1/namespaces/default/pods/nope/log/foo",
	} {
		s.get(t, path).status(t, 404, "NotFound", "the server could not find the requested resource")
	}
	for _, path := range []string{"/foo", "/apis/nope/v1/foos", "/apis/nope.example.com/v1", "//api/v1/pods"} {
		if a := s.get(t, path); a.code != 404 || a.contentType != "text/plain; charset=utf-8" || string(a.body) != "404 page not found\n" || a.header.Get("Audit-Id") == "" {
			t.Errorf("%s: %d %s %q %v", path, a.code, a.contentType, a.body, a.header)
		}
	}
	l := s.get(t, pods, "limit", "1").ok(t)
	o := l.Items[0]
	one := "/api/v1/namespaces/" + o.Metadata.Namespace + "/pods/" + o.Metadata.Name
	if got := s.get(t, one).ok(t); got.Kind != "Pod" || got.APIVersion != "v1" || got.Metadata.UID != o.Metadata.UID {
		t.Errorf("%+v", got.Metadata)
	}
	if got := s.get(t, one+"/status").ok(t); got.Metadata.UID != o.Metadata.UID {
		t.Errorf("%+v", got.Metadata)
	}
	if got := s.get(t, one, "resourceVersion", text(number(t, l.Metadata.ResourceVersion)+100_000_000)); got.code != http.StatusGatewayTimeout {
		t.Errorf("%d %s", got.code, got.body)
	}
	if a := s.get(t, pods+"/", "limit", "1"); a.code != 200 || !strings.HasPrefix(string(a.body), `{"kind":"PodList"`) {
		t.Errorf("with a slash at its end: %d %.100s", a.code, a.body)
	}
}
