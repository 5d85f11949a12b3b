//go:build !js

package main

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"watchglass/internal/apiserver"
)

// TestPeers runs what let strangers see a cluster through other views of it. Each name begins with
// the issue, as e2e/PEERS.md lists it.
func TestPeers(t *testing.T) {
	t.Run("headlamp-4282 nothing of one user reaches another", testTwoUsers)
	t.Run("headlamp-6868 a stranger learns nothing of the configuration", testStranger)
}

// testStranger asks for whatever may name the cluster, without a session.
func testStranger(t *testing.T) {
	target := &apiserver.Target{
		Base: &url.URL{Scheme: "https", Host: "apiserver-9f2c.example"}, Transport: http.DefaultTransport, Pulse: new(apiserver.Pulse),
		Context: "context-9f2c", Cluster: "cluster-9f2c", User: "user-9f2c", Namespace: "namespace-9f2c", Contexts: []string{"context-9f2c"},
	}
	address, _ := testServerOf(t, "", target)
	for _, path := range []string{
		"/", "/config", "/plugins", "/contexts", "/clusters", "/metrics", "/debug/pprof/", "/version", "/api/v1/pods", "/pods?c=context-9f2c", "/pods?c=none",
		"/-/", "/-/config", "/-/login", "/-/logout", "/-/signin", "/-/callback", "/-/socket", "/-/socket?c=context-9f2c", "/-/recording", "/-/livez", "/-/readyz", "/-/files/", "/-/embed/",
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodOptions} {
			req, err := http.NewRequestWithContext(t.Context(), method, address+path, strings.NewReader("token"))
			if err != nil {
				t.Fatal(err)
			}
			resp, err := http.DefaultTransport.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if said := fmt.Sprint(string(body), resp.Header); err != nil || strings.Contains(said, "9f2c") {
				t.Errorf("%s %s: %v %s", method, path, err, said)
			}
		}
	}
}
