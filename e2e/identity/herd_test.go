package identity

import (
	"slices"
	"testing"
	"time"

	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// herdKinds are the sources of each tab of a herd.
var herdKinds = []string{"configmaps", "deployments", "endpoints", "events", "namespaces", "nodes", "pods", "replicasets", "secrets", "services"}

// herdTabs is how many connections the apiserver restarts under, and herdOver the least time over
// which their watches return.
const (
	herdTabs = 200
	herdOver = 5 * time.Second
	// comparesWithin is when the last of the comparisons that follow an outage has begun.
	comparesWithin = 3 * time.Second
)

// TestHerd kills the apiserver under 200 connections with ten watches each, and starts it again. The
// watches return over 5 s or more, and none fetches more than one list.
func TestHerd(t *testing.T) {
	p := stage.Serve(t, proxy.Options{Args: []string{"--max-connections=10000", "--max-lists=100000"}})
	b, err := p.SignIn(t.Context(), nil)
	must(t, err)
	c := &crowd{T: t, failed: make(map[string]int)}
	c.open(b, herdTabs, herdKinds)
	live := func(since string) {
		t.Helper()
		stage.WaitWithin(t, time.Minute, "every source is live since "+since, func() bool {
			return !slices.ContainsFunc(c.sources, func(f *followed) bool { return f.ails() != "" })
		})
	}
	live("the tabs are open")
	lists := func(f *followed) int { s := f.State(time.Now()); return s.Relists + s.Audits }
	before := make(map[*followed]int)
	for _, f := range c.sources {
		before[f] = lists(f)
	}

	must(t, stage.Cluster.KillAPIServer())
	stage.WaitFor(t, "every tab knows", func() bool {
		return !slices.ContainsFunc(c.sources, func(f *followed) bool { return f.ails() == "" })
	})
	must(t, stage.Cluster.StartAPIServer(t.Context()))
	back := time.Now()
	live("the apiserver is back")
	took := time.Since(back)

	opened := make([]int64, len(c.sources))
	for i, f := range c.sources {
		opened[i] = f.opened.Load()
	}
	over := time.Duration(slices.Max(opened) - slices.Min(opened))
	if over < herdOver {
		t.Errorf("all watches returned within %v", over)
	}
	again := func(f *followed) bool { return lists(f)-before[f] > 1 }
	if stage.Within(comparesWithin, func() bool { return slices.ContainsFunc(c.sources, again) }) {
		f := c.sources[slices.IndexFunc(c.sources, again)]
		t.Errorf("a source of %s fetched %d lists", f.resource, lists(f)-before[f])
	}
	compared := 0
	for _, f := range c.sources {
		compared += lists(f) - before[f]
	}
	t.Logf("%d watches are live %v after the apiserver is back, and returned over %v; they fetched %d lists", len(c.sources), took, over, compared)
}
