//go:build !js

package main

import (
	"context"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"watchglass/internal/apiserver"
	"watchglass/internal/wire"
)

// twoClusters writes a kubeconfig of two contexts, each with a server and a token of
// its own, and returns what the servers were asked with.
func twoClusters(t *testing.T) (file string, asked func() []string) {
	t.Helper()
	var seen []string
	var clusters, users, contexts strings.Builder
	for _, name := range []string{"one", "two"} {
		s := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			seen = append(seen, name+" "+r.Header.Get("Authorization"))
		}))
		t.Cleanup(s.Close)
		ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
		fmt.Fprintf(&clusters, "- {name: %s, cluster: {server: %q, certificate-authority-data: %s}}\n", name, s.URL, base64.StdEncoding.EncodeToString(ca))
		fmt.Fprintf(&users, "- {name: %s, user: {token: secret-%s}}\n", name, name)
		fmt.Fprintf(&contexts, "- {name: %s, context: {cluster: %s, user: %s, namespace: home-%s}}\n", name, name, name, name)
	}
	file = filepath.Join(t.TempDir(), "config")
	text := fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: one\nclusters:\n%susers:\n%scontexts:\n%s", &clusters, &users, &contexts)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, func() []string { return seen }
}

// TestContexts shows that each context has its own server and credentials, that it is
// made once, and what is said of one that is not there.
func TestContexts(t *testing.T) {
	file, asked := twoClusters(t)
	o := &options{cluster: apiserver.Options{Kubeconfig: file}}
	first, err := apiserver.Load(o.cluster)
	if err != nil {
		t.Fatal(err)
	}
	c := newContexts(t.Context(), first, o.switches(first))
	if got := c.names(); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("%q", got)
	}
	get := func(name string) error {
		target := c.target(name)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target.Base.String(), nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := target.Transport.RoundTrip(req)
		if err == nil {
			resp.Body.Close()
		}
		return err
	}
	for _, name := range []string{"", "two", "one", "two"} {
		if err := get(name); err != nil {
			t.Error(name, err)
		}
	}
	if want := []string{"one Bearer secret-one", "two Bearer secret-two", "one Bearer secret-one", "two Bearer secret-two"}; !slices.Equal(asked(), want) {
		t.Errorf("%q", asked())
	}
	if two := c.target("two"); two != c.target("two") || two.Namespace != "home-two" || two.User != "two" || c.target("one") != first {
		t.Errorf("%+v", two)
	}
	var said *wire.Status
	if err := get("three"); !errors.As(err, &said) || said.Origin != wire.FromProxy || !strings.Contains(said.Message, `"three"`) {
		t.Errorf("%v", err)
	}
	for name, want := range map[string]bool{"": true, "one": true, "two": true, "three": false} {
		if c.has(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
	if len(c.others) != 1 {
		t.Errorf("%d others are kept", len(c.others))
	}
}

// TestOneContext shows where there is nothing to switch to.
func TestOneContext(t *testing.T) {
	file, _ := twoClusters(t)
	for name, o := range map[string]*options{
		"a cluster": {cluster: apiserver.Options{Kubeconfig: file, Cluster: "one"}},
		"a user":    {cluster: apiserver.Options{Kubeconfig: file, User: "two"}},
	} {
		first, err := apiserver.Load(o.cluster)
		if err != nil {
			t.Fatal(err)
		}
		if o.switches(first) != nil {
			t.Errorf("%s of the flags is that of every context", name)
		}
	}
	demo := apiserver.Demo(1, 1)
	if new(options).switches(demo) != nil {
		t.Error("the demo cluster has others")
	}
	c := newContexts(context.Background(), demo, nil)
	if c.names() != nil || c.target("") != demo || c.target(demo.Context) != demo {
		t.Error("the demo cluster is not its own context")
	}
	_, err := c.target("prod").Transport.RoundTrip(nil)
	if err == nil || !strings.Contains(err.Error(), "has no context prod") {
		t.Error(err)
	}
}
