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
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/apiserver"
	"watchglass/internal/wire"
)

// twoClusters writes a kubeconfig with two contexts, each with its own server and token, and
// returns the credentials that the servers received.
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

// TestContexts checks that each context has its own server and credentials and is loaded once, and
// the error for a context that does not exist.
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

// TestContextFails checks that concurrent requests share a failure to load a context, which is
// retried after a while. Requests for other contexts do not wait. A context that did not exist at
// the start is never loaded.
func TestContextFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const slow = time.Second
		loads, broken := 0, true
		c := newContexts(t.Context(), &apiserver.Target{Context: "a", Contexts: []string{"a", "b", "c"}}, func(name string) (*apiserver.Target, error) {
			if name == "c" {
				return nil, errors.New("c is broken")
			}
			loads++
			time.Sleep(slow)
			if broken {
				return nil, errors.New("b is broken")
			}
			return nowhere("b", "but loaded"), nil
		})
		said := func(name string) string {
			_, err := c.target(name).Transport.RoundTrip(nil)
			return err.Error()
		}
		for _, unknown := range []string{"d", "a/../b", strings.Repeat("x", 8000)} {
			if got := said(unknown); !strings.Contains(got, "there was no context") || loads != 0 || len(c.others) != 0 {
				t.Errorf("%.20s: %.80s; %d loads, %d kept", unknown, got, loads, len(c.others))
			}
		}
		began := time.Now()
		var asking sync.WaitGroup
		for range 30 {
			asking.Go(func() {
				if got := said("b"); !strings.Contains(got, "b is broken") {
					t.Error(got)
				}
			})
		}
		synctest.Wait()
		if got := said("c"); !strings.Contains(got, "c is broken") || time.Since(began) > 0 {
			t.Errorf("who asks for another is told %q after %v", got, time.Since(began))
		}
		asking.Wait()
		if took := time.Since(began); loads != 1 || took > slow {
			t.Errorf("it was loaded %d times, in %v", loads, took)
		}
		broken = false
		time.Sleep(failedFor - time.Nanosecond)
		if said("b"); loads != 1 {
			t.Errorf("it was loaded %d times", loads)
		}
		time.Sleep(time.Nanosecond)
		if got := said("b"); loads != 2 || !strings.Contains(got, "but loaded") {
			t.Errorf("when it can be used: %q, loaded %d times", got, loads)
		}
	})
}

// TestOneContext checks when there are no other contexts.
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
