//go:build !js

package relay

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"watchglass/internal/wire"
)

// TestPeers runs what broke other proxies of an apiserver. Each name begins with the issue, as
// e2e/PEERS.md lists it.
func TestPeers(t *testing.T) {
	t.Run("rancher-dashboard-10540 a version that is too old is reported as the apiserver said it", testErrorEvent)
	t.Run("gitlab-agent-541 an object has a maximum size", testTooLarge)
	t.Run("gitlab-agent-541 an object that is too large ends no other stream", testTooLargeAlone)
	t.Run("teleport-64188 the filter of Secrets passes the bookmark that ends a list", testSecretsEnd)
	t.Run("kubernetes-136550 no request runs anything on a node", testNoNodeProxy)
	t.Run("headlamp-6895 no request goes to another server", testNoOtherServer)
}

// letters is a reader of one letter, without an end.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// testTooLargeAlone sends an object that is too large on a connection which another watch shares. Its own
// stream ends with the limit, and with the size where that is known; the other one goes on.
func testTooLargeAlone(t *testing.T) {
	const protobuf = "application/vnd.kubernetes.protobuf;stream=watch"
	for name, c := range map[string]struct {
		contentType, says string
		body              func(*http.Request) io.Reader
	}{
		"protobuf": {protobuf, "an object is too large: 67108864 bytes (maximum 8 MiB)", func(r *http.Request) io.Reader {
			return io.MultiReader(strings.NewReader("\x04\x00\x00\x00"), quiet(r))
		}},
		"JSON": {"application/json", "an object is too large (maximum 8 MiB)", func(*http.Request) io.Reader {
			return io.MultiReader(strings.NewReader(`{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"`), letters{})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				changes, change := io.Pipe()
				tb := start(t, func(r *http.Request) (*http.Response, error) {
					if strings.HasSuffix(r.URL.Path, "/nodes") {
						return answer(r, 200, "application/json", changes), nil
					}
					return answer(r, 200, c.contentType, c.body(r)), nil
				}, Options{})
				tb.write([]byte(hello))
				tb.expect(wire.KindWelcome, 0, "")
				tb.write(wire.JSONFrame(wire.KindOpen, 2, wire.Request{Verb: wire.Watch, Version: "v1", Resource: "nodes"}))
				tb.expect(wire.KindOpened, 2, "")
				tb.write(wire.JSONFrame(wire.KindOpen, 3, podsWatch))
				tb.expect(wire.KindOpened, 3, "")
				tb.expect(wire.KindEnd, 3, `{"status":{"origin":"proxy","reason":"TooLarge","message":"`+c.says+`"}}`)
				for range 2 {
					if _, err := io.WriteString(change, jsonEvents(1)); err != nil {
						t.Fatal(err)
					}
					tb.expect(wire.KindData, 2, "")
				}
				change.Close()
				tb.expect(wire.KindEnd, 2, "{}")
			})
		})
	}
}

// testNoNodeProxy asks for what runs a command, or speaks to a kubelet, by each verb there is.
func testNoNodeProxy(t *testing.T) {
	for _, verb := range []wire.Verb{wire.Get, wire.List, wire.Watch, wire.Log, wire.Discover, wire.Review} {
		for _, sub := range []string{"proxy", "exec", "attach", "portforward", "run", "proxy/run", "eviction", "binding", "ephemeralcontainers", "token"} {
			for _, r := range []wire.Request{
				{Verb: verb, Version: "v1", Resource: "nodes", Name: "n", Subresource: sub},
				{Verb: verb, Version: "v1", Resource: "pods", Namespace: "a", Name: "b", Subresource: sub},
				{Verb: verb, Version: "v1", Resource: "nodes/n/" + sub},
				{Verb: verb, Version: "v1", Resource: "nodes", Name: "n/" + sub},
			} {
				req, status := Build(t.Context(), base(t, "https://h"), r)
				if status == nil && req.URL.Path != "/api" { // what may be read does not depend on the object
					t.Errorf("%s of %s %s %s passed as %s", verb, r.Resource, r.Name, sub, req.URL)
				}
			}
		}
	}
}

// testNoOtherServer writes other servers into each part of a request. What passes goes to the
// apiserver all the same.
func testNoOtherServer(t *testing.T) {
	for _, text := range []string{"evil.example", "//evil.example", "https://evil.example", "@evil.example", "h@evil.example", "evil.example:443", "/../../evil.example", `\\evil.example`, "h.evil.example", "..@evil.example/"} {
		for _, r := range []wire.Request{
			{Verb: wire.Get, Version: "v1", Resource: "pods", Namespace: text, Name: "b"},
			{Verb: wire.Get, Version: "v1", Resource: "pods", Namespace: "a", Name: text},
			{Verb: wire.List, Version: "v1", Resource: text},
			{Verb: wire.List, Group: text, Version: "v1", Resource: "pods"},
			{Verb: wire.List, Version: text, Resource: "pods"},
			{Verb: wire.Discover, Group: text},
			{Verb: wire.List, Version: "v1", Resource: "pods", ListOptions: wire.ListOptions{Continue: text, LabelSelector: text}},
		} {
			req, status := Build(t.Context(), base(t, "https://h"), r)
			if status == nil && (req.URL.Host != "h" || req.URL.Scheme != "https" || req.URL.User != nil || req.Host != "" && req.Host != "h") {
				t.Errorf("%+v goes to %s as %q", r, req.URL, req.Host)
			}
		}
	}
}
