//go:build !js

package apiserver

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// two is a kubeconfig with two contexts, of which one is self-contained.
const two = `apiVersion: v1
kind: Config
current-context: dev
contexts:
- {name: prod, context: {cluster: p, user: ana, namespace: shop}}
- {name: dev, context: {cluster: d, user: bob}}
clusters:
- {name: p, cluster: {server: "https://prod.test:6443/k8s/"}}
- {name: d, cluster: {server: "http://dev.test"}}
users:
- {name: ana, user: {token: a}}
- {name: bob, user: {token: b}}
`

func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestLoad checks which configuration is used, and its names.
func TestLoad(t *testing.T) {
	for name, c := range map[string]struct {
		options                             Options
		base, context, cluster, user, space string
		narrow                              bool
	}{
		"as it is":    {Options{}, "http://dev.test", "dev", "d", "bob", "default", false},
		"context":     {Options{Context: "prod"}, "https://prod.test:6443/k8s/", "prod", "p", "ana", "shop", false},
		"cluster":     {Options{Cluster: "p"}, "https://prod.test:6443/k8s/", "dev", "p", "bob", "default", false},
		"user":        {Options{User: "ana"}, "http://dev.test", "dev", "d", "ana", "default", false},
		"namespace":   {Options{Context: "prod", Namespace: "lab"}, "https://prod.test:6443/k8s/", "prod", "p", "ana", "lab", true},
		"its own one": {Options{Context: "prod", Namespace: "shop"}, "https://prod.test:6443/k8s/", "prod", "p", "ana", "shop", true},
		"as another":  {Options{As: "eve", AsUID: "7", AsGroups: []string{"g"}}, "http://dev.test", "dev", "d", "eve", "default", false},
	} {
		t.Run(name, func(t *testing.T) {
			c.options.Kubeconfig = write(t, two)
			target, err := Load(c.options)
			if err != nil {
				t.Fatal(err)
			}
			if target.Base.String() != c.base || target.Namespace != c.space || target.Narrow != c.narrow {
				t.Errorf("%s, namespace %q, narrow %v", target.Base, target.Namespace, target.Narrow)
			}
			if target.Context != c.context || target.Cluster != c.cluster || target.User != c.user {
				t.Errorf("context %q, cluster %q, user %q", target.Context, target.Cluster, target.User)
			}
			if target.Origin != c.options.Kubeconfig || !slices.Equal(target.Contexts, []string{"dev", "prod"}) {
				t.Errorf("from %q, contexts %q", target.Origin, target.Contexts)
			}
		})
	}
}

// TestLoadErrors checks the errors for a kubeconfig that cannot be resolved.
func TestLoadErrors(t *testing.T) {
	for name, c := range map[string]struct {
		kubeconfig string
		options    Options
		want       string
	}{
		"no YAML":              {"a: [", Options{}, "read the kubeconfig: error loading config file"},
		"no such context":      {two, Options{Context: "x"}, `resolve the kubeconfig: context "x" does not exist; the kubeconfig has dev, prod`},
		"no such cluster":      {two, Options{Cluster: "x"}, `resolve the kubeconfig: cluster "x" does not exist`},
		"no such user":         {two, Options{User: "x"}, `resolve the kubeconfig: auth info "x" does not exist`},
		"user is gone":         {strings.Replace(two, "name: bob", "name: rob", 1), Options{}, `context "dev" names the user "bob", which is not in the kubeconfig`},
		"cluster is gone":      {strings.Replace(two, "name: d,", "name: x,", 1), Options{}, `context "dev" names the cluster "d", which is not in the kubeconfig`},
		"cluster of nothing":   {strings.Replace(two, `{server: "http://dev.test"}`, "{}", 1), Options{}, `no server found for cluster "d"`},
		"context of nothing":   {strings.Replace(two, "{cluster: d, user: bob}", "{}", 1), Options{}, `context "dev" names no cluster`},
		"no context chosen":    {strings.Replace(two, "current-context: dev", "", 1), Options{}, "choose one with --context (dev, prod)"},
		"no context at all":    {`{clusters: [{name: p, cluster: {server: "https://h"}}]}`, Options{}, "choose a cluster with --cluster"},
		"groups of nobody":     {two, Options{AsGroups: []string{"g"}}, "without impersonating a user"},
		"server of no scheme":  {strings.Replace(two, "http://dev.test", "http://dev.test:x", 1), Options{}, "the cluster's server is not a valid address"},
		"plugin of no version": {strings.Replace(two, "{token: a}", "{exec: {command: c, interactiveMode: Never}}", 1), Options{Context: "prod"}, "apiVersion must be specified"},
	} {
		t.Run(name, func(t *testing.T) {
			c.options.Kubeconfig = write(t, c.kubeconfig)
			if _, err := Load(c.options); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestLoadNothing checks the errors without a kubeconfig, outside a pod and in a pod without a
// service account.
func TestLoadNothing(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	t.Setenv("KUBECONFIG", none)
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	if _, err := Load(Options{}); !errors.Is(err, ErrNoConfig) || !strings.Contains(err.Error(), none) {
		t.Errorf("%v", err)
	}
	if _, err := Load(Options{Context: "x"}); err == nil || errors.Is(err, ErrNoConfig) {
		t.Errorf("a context of nothing: %v", err)
	}
	if _, err := os.Stat(podNamespace); err == nil {
		return // this is a pod
	}
	t.Setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
	t.Setenv("KUBERNETES_SERVICE_PORT", "1")
	if _, err := Load(Options{}); err == nil || !strings.Contains(err.Error(), "read the service account of the pod") {
		t.Errorf("%v", err)
	}
}

// TestTransport checks that the transport adds the target's identity, whatever the request
// contains, and that a response is a sign of life.
func TestTransport(t *testing.T) {
	for name := range http2Pings {
		t.Setenv(name, "") // to be as before when the test is over
	}
	var got http.Header
	server := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header }))
	defer server.Close()
	target, err := Load(Options{UserAgent: "watchglass/test", As: "eve", Kubeconfig: write(t, `{current-context: c,
contexts: [{name: c, context: {cluster: c, user: u}}], users: [{name: u, user: {token: t0ken}}],
clusters: [{name: c, cluster: {server: "`+server.URL+`", insecure-skip-tls-verify: true}}]}`)})
	if err != nil {
		t.Fatal(err)
	}
	if heard := target.Pulse.Heard(); heard.Unix() != 0 {
		t.Errorf("heard at %v, before anything was asked", heard)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target.Base.JoinPath("version").String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := target.Transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	for name, want := range map[string]string{"User-Agent": "watchglass/test", "Authorization": "Bearer t0ken", "Impersonate-User": "eve", "Accept-Encoding": ""} {
		if got.Get(name) != want {
			t.Errorf("%s: %q", name, got.Get(name))
		}
	}
	if len(req.Header) > 0 {
		t.Errorf("the request has learned %v", req.Header)
	}
	if target.Pulse.Heard().Unix() == 0 {
		t.Error("nothing was heard")
	}
	for name, want := range http2Pings {
		if os.Getenv(name) != want {
			t.Errorf("%s is %q", name, os.Getenv(name))
		}
	}
}

// TestForgetful checks that connections keep no table of sent headers, that idle ones are
// closed if IdleFor is set, and that the buffer of a response has the size of StreamBuffer.
func TestForgetful(t *testing.T) {
	for idle, want := range map[time.Duration]time.Duration{time.Second: time.Second, 0: 90 * time.Second} {
		target, err := Load(Options{Kubeconfig: write(t, two), Context: "prod", IdleFor: idle, StreamBuffer: int(idle / time.Millisecond)})
		if err != nil {
			t.Fatal(err)
		}
		rt := target.Transport
		for wrapper, ok := rt.(utilnet.RoundTripperWrapper); ok; wrapper, ok = rt.(utilnet.RoundTripperWrapper) {
			rt = wrapper.WrappedRoundTripper()
		}
		base, ok := rt.(*http.Transport)
		if !ok || base == http.DefaultTransport || base.HTTP2 == nil || base.HTTP2.MaxEncoderHeaderTableSize != 1 || base.HTTP2.MaxReceiveBufferPerStream != int(idle/time.Millisecond) || base.IdleConnTimeout != want {
			t.Errorf("%T %+v", rt, base)
		}
	}
}
