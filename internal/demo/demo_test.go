//go:build !js

package demo

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"watchglass/internal/demo/api"
	"watchglass/internal/demo/store"
)

// noon is when the clusters of the tests start.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func at(t time.Time) func() time.Time { return func() time.Time { return t } }

// sum returns a digest of everything in a cluster.
func sum(c *Cluster) string {
	var all hash.Hash = sha256.New()
	for _, k := range append(slices.Clone(api.Builtins()), databaseKind) {
		for o := range c.world.store.Resource(k.ID()).State().All() {
			fmt.Fprintln(all, k.ID(), o.Namespace, o.Name, o.Version)
			all.Write(o.Raw)
		}
	}
	return fmt.Sprintf("%x", all.Sum(nil))
}

// TestSame checks that a cluster depends only on its seed and the time, whether it gets there in
// one step or in many.
func TestSame(t *testing.T) {
	const pods = 300
	end := noon.Add(7 * time.Minute)
	one := New(Options{Pods: pods, Seed: 7, Now: at(noon)})
	two := New(Options{Pods: pods, Seed: 7, Now: at(noon)})
	if sum(one) != sum(two) {
		t.Fatal("two clusters of a seed differ from the beginning")
	}
	one.Advance(end)
	for now := noon; now.Before(end); now = now.Add(7700 * time.Millisecond) {
		two.Advance(now)
	}
	two.Advance(end)
	if sum(one) != sum(two) || one.world.store.Version() != two.world.store.Version() {
		t.Error("two clusters of a seed differ after a while")
	}
	if other := New(Options{Pods: pods, Seed: 8, Now: at(noon)}); sum(New(Options{Pods: pods, Seed: 7, Now: at(noon)})) == sum(other) {
		t.Error("two seeds make one cluster")
	}
}

// TestLife counts the events of an hour: every kind must occur, at about the requested pace.
func TestLife(t *testing.T) {
	c := New(Options{Now: at(noon), History: 1 << 20})
	before := c.world.store.Version()
	c.Advance(noon.Add(time.Hour))
	writes := c.world.store.Version() - before
	t.Logf("%.1f writes a second, of which %.1f leases", float64(writes)/3600, float64(len(c.world.nodes))/10)
	events, _, err := c.world.store.Resource("pods").Since(before)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of pods", len(events))
	reasons := map[string]int{}
	all, _, err := c.world.store.Resource("events").Since(before)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.Type == store.Added {
			ev, err := kindOf("events").Decode(e.Object)
			if err != nil {
				t.Fatal(err)
			}
			reasons[reasonOf(ev)]++
		}
	}
	for _, want := range []string{"Scheduled", "Started", "Killing", "ScalingReplicaSet", "SuccessfulRescale", "BackOff", "Failed", "Evicted", "NodeNotReady", "NodeReady", "TaintManagerEviction", "Completed", "Unhealthy", "DeploymentRollback"} {
		if reasons[want] == 0 {
			t.Errorf("nothing was %s in an hour", want)
		}
	}
	t.Log(slices.Sorted(maps.Keys(reasons)), c.world.running(), len(c.world.steps))
	if n := c.world.running(); n < 300 || n > 700 {
		t.Errorf("after an hour there are %d pods", n)
	}
}

// TestPods checks that the pods of each app are those in the store.
func TestPods(t *testing.T) {
	c := New(Options{Now: at(noon)})
	for minute := range 30 {
		c.Advance(noon.Add(time.Duration(minute) * time.Minute))
		state := c.world.store.Resource("pods").State()
		for _, a := range c.world.apps {
			for _, p := range a.pods {
				if state.Get(p.key()) == nil {
					t.Fatalf("%v is not there", p.key())
				}
			}
		}
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		New(Options{Pods: MaxPods, Now: at(noon)})
	}
}

// BenchmarkList reads 100,000 pods, as a list and as a watch-list.
func BenchmarkList(b *testing.B) {
	c := New(Options{Pods: MaxPods, Now: at(noon)})
	for name, query := range map[string]string{
		"list":      "",
		"watchlist": "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=-1",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, "/api/v1/pods"+query, nil)
				r.Header.Set("Accept", "application/vnd.kubernetes.protobuf")
				var w counter
				c.Handler().ServeHTTP(&w, r)
				b.SetBytes(w.n)
			}
		})
	}
}

// counter is a ResponseWriter that counts bytes.
type counter struct {
	header http.Header
	n      int64
}

func (c *counter) Header() http.Header {
	if c.header == nil {
		c.header = http.Header{}
	}
	return c.header
}
func (c *counter) WriteHeader(int) {}
func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}

// TestReplicas checks after some hours that no Deployment has gained or lost pods for good, which
// are evicted, replaced and lost while it rolls out.
func TestReplicas(t *testing.T) {
	for seed := range uint64(2) {
		c := New(Options{Now: at(noon), Seed: seed + 1})
		c.Advance(noon.Add(3 * time.Hour))
		for _, a := range c.world.apps {
			if a.kind != deployment || a.busy {
				continue
			}
			n := 0
			for _, p := range a.pods {
				if !p.dying {
					n++
				}
			}
			if n != a.replicas {
				t.Errorf("seed %d: %s/%s has %d pods of %d", seed+1, a.namespace, a.name, n, a.replicas)
			}
			for _, r := range append(slices.Clone(a.old), a.revision) {
				if r.replicas < 0 {
					t.Errorf("seed %d: %s wants %d pods", seed+1, r.name, r.replicas)
				}
			}
		}
	}
}
