//go:build !js

package main

import (
	"context"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/apiserver"
	"watchglass/internal/socket"
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
	if len(c.known) != 2 {
		t.Errorf("%d contexts are kept", len(c.known))
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
			if got := said(unknown); !strings.Contains(got, "has no context") || loads != 0 || len(c.known) != 1 {
				t.Errorf("%.20s: %.80s; %d loads, %d kept", unknown, got, loads, len(c.known))
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

// TestDemoContexts checks that the page can switch between several demo clusters, and what it is told of one that there
// is not.
func TestDemoContexts(t *testing.T) {
	o := &options{demo: true, demos: apiserver.Demos{Pods: 3, Seed: 1, Contexts: 3}}
	start, err := o.target(noEnv, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := newContexts(t.Context(), start, o.switches(start))
	if all := c.names(); !slices.Equal(all, []string{"demo cluster 01", "demo cluster 02", "demo cluster 03"}) || start.Context != all[0] {
		t.Errorf("%q begins %q", start.Context, all)
	}
	if other := c.target("demo cluster 03"); !other.IsDemo() || other.Context != "demo cluster 03" || c.target("demo cluster 03") != other {
		t.Errorf("%+v", other)
	}
	_, err = c.target("demo cluster 04").Transport.RoundTrip(nil)
	if err == nil || !strings.HasSuffix(err.Error(), `the demo has no context "demo cluster 04"`) {
		t.Error(err)
	}
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

// TestContextsFollow checks which contexts are loaded again, and that a connection ends when another
// target replaces its own, but not because of anything else in the kubeconfig.
func TestContextsFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		users := map[string]string{"a": "ana", "b": "ben", "c": "cid"} // a name is missing: it cannot be loaded
		loads, replaced, stamp := map[string]int{}, []string(nil), "1"
		var mu sync.Mutex // guards all of these
		load := func(name string) (*apiserver.Target, error) {
			mu.Lock()
			defer mu.Unlock()
			loads[name]++
			if users[name] == "" {
				return nil, errors.New("no user " + name)
			}
			t := nowhere(name, "as "+users[name])
			t.User, t.Contexts = users[name], []string{"a", "b", "c"}
			return t, nil
		}
		start, _ := load("a")
		users["b"] = ""
		c := newContexts(ctx, start, load)
		stamped := func() string {
			mu.Lock()
			defer mu.Unlock()
			return stamp
		}
		go c.follow(ctx, stamped, load, func(t *apiserver.Target) {
			mu.Lock()
			defer mu.Unlock()
			replaced = append(replaced, t.User)
		})
		_, a, done := c.use("")
		defer done()
		_, b, bDone := c.use("b")
		c.target("c") // which nobody uses anymore
		look := func() {
			time.Sleep(failedFor)
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			clear(loads)
		}
		look() // the first look always loads

		steps := []struct {
			name     string
			change   func()
			loads    string // which, sorted
			replaced string
		}{
			{"nothing", func() {}, "b", ""},
			{"another entry of the file", func() { stamp = "2" }, "abc", ""},
			{"what was missing is there", func() { users["b"] = "bob" }, "b", "bob"},
			{"a loaded context that nobody uses", func() { stamp, users["c"] = "3", "cat" }, "abc", "cat"},
			{"half of a file", func() { stamp, users["a"] = "4", "" }, "abc", ""},
			{"the whole file", func() { stamp, users["a"] = "5", "amy" }, "abc", "amy"},
			{"no change, though a context could not be loaded now", func() { users["b"] = "" }, "", ""},
		}
		for _, s := range steps {
			mu.Lock()
			replaced = nil
			s.change()
			mu.Unlock()
			time.Sleep(failedFor)
			synctest.Wait()
			mu.Lock()
			if got := strings.Join(slices.Sorted(maps.Keys(loads)), ""); got != s.loads || strings.Join(replaced, " ") != s.replaced {
				t.Errorf("%s: loaded %q, replaced by %q", s.name, got, replaced)
			}
			clear(loads)
			mu.Unlock()
			if ended := b.Err() != nil; ended != (s.name != "nothing" && s.name != "another entry of the file") {
				t.Errorf("%s: the connections to the context that failed have ended: %v", s.name, ended)
			}
			if ended := a.Err() != nil; ended != (c.target("").User == "amy") {
				t.Errorf("%s: the connections to the first context have ended: %v", s.name, ended)
			}
		}
		if cause := context.Cause(a); !errors.Is(cause, errReplaced) {
			t.Errorf("ended because %v", cause)
		}
		bDone()
		if c.target("").User != "amy" || c.target("b").User != "bob" || c.target("c").User != "cat" {
			t.Error("a target is not the last one that could be loaded")
		}
	})
}

// TestContextListed checks that a context that is added to the kubeconfig can be opened.
func TestContextListed(t *testing.T) {
	names := []string{"a"}
	load := func(name string) (*apiserver.Target, error) {
		t := nowhere(name, "loaded")
		t.Contexts = names
		return t, nil
	}
	start, _ := load("a")
	c := newContexts(t.Context(), start, load)
	names = []string{"a", "b"}
	if c.has("b") {
		t.Error("b is there before it was read")
	}
	c.refresh(true, load, func(t *apiserver.Target) { panic(t.Context + " was replaced by itself") })
	if !c.has("b") || !slices.Equal(c.names(), names) {
		t.Errorf("%q", c.names())
	}
}

// TestReplaced checks that the tabs of a cluster that cannot be used reach the one that replaces
// it, without being opened again.
func TestReplaced(t *testing.T) {
	reachable := new(http.Transport)
	t.Cleanup(reachable.CloseIdleConnections)
	base := upstream(t)
	load := func(name string) (*apiserver.Target, error) {
		return &apiserver.Target{Base: base, Transport: reachable, Pulse: new(apiserver.Pulse), Context: name, User: "ana"}, nil
	}
	r := newRig(t, func(s *server) { s.contexts = newContexts(t.Context(), nowhere("", "the file is missing"), nil) })
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	defer func() { cancel(); running.Wait() }()
	client := socket.New(socket.Options{Dial: balanced(r)})
	running.Go(func() { _ = client.Run(ctx) })
	var seen atomic.Int32
	running.Go(func() {
		if err := follow(ctx, client, func(int, int) { seen.Add(1) }); err != nil {
			t.Error(err)
		}
	})
	r.eventually(t, func() bool { return client.Link().Connected })
	r.s.contexts.refresh(true, load, func(*apiserver.Target) {})
	r.eventually(t, func() bool { return seen.Load() > 0 })
	if link := client.Link(); link.Welcome.User != "ana" {
		t.Errorf("the tab was told %+v", link.Welcome)
	}
}
