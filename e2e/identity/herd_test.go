package identity

import (
	"context"
	"slices"
	"testing"
	"time"

	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
	"watchglass/internal/reflector"
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
	t.Cleanup(func() { // once the tabs are closed: what fails here must not fail the tests that follow
		if stage.Cluster.APIServerPID() == 0 {
			must(t, stage.Cluster.StartAPIServer(context.Background()))
		}
	})
	p := stage.Serve(t, proxy.Options{Args: []string{"--max-connections=10000", "--max-lists=100000"}})
	b, err := p.SignIn(t.Context(), nil)
	must(t, err)
	c := &crowd{T: t, failed: make(map[string]int)}
	c.open(b.Dial, herdTabs, herdKinds)
	c.awaitLive("the tabs are open")
	before := make(map[*followed]reflector.State)
	for _, f := range c.sources {
		before[f] = f.State(time.Now()).State
	}

	must(t, stage.Cluster.KillAPIServer())
	stage.WaitFor(t, "every tab knows", func() bool {
		return !slices.ContainsFunc(c.sources, func(f *followed) bool { return f.ails() == "" })
	})
	must(t, stage.Cluster.StartAPIServer(t.Context()))
	back := time.Now()
	c.awaitLive("the apiserver is back")
	took := time.Since(back)

	opened := make([]int64, len(c.sources))
	for i, f := range c.sources {
		opened[i] = f.opened.Load()
	}
	over := time.Duration(slices.Max(opened) - slices.Min(opened))
	if over < herdOver {
		t.Errorf("all watches returned within %v", over)
	}
	// A server that starts slowly may be silent a second time, which is an outage of its own: each is
	// followed by one question for its newest version.
	lists := func(f *followed) (lists, outages int) {
		was, is := before[f], f.State(time.Now())
		return is.Relists + is.Audits - was.Relists - was.Audits, max(1, is.Probes-was.Probes)
	}
	again := func(f *followed) bool { n, may := lists(f); return n > may }
	if stage.Within(comparesWithin, func() bool { return slices.ContainsFunc(c.sources, again) }) {
		f := c.sources[slices.IndexFunc(c.sources, again)]
		n, may := lists(f)
		t.Errorf("a source of %s fetched %d lists after %d outages: %+v", f.resource, n, may, f.State(time.Now()))
	}
	compared, most := 0, 0
	for _, f := range c.sources {
		n, outages := lists(f)
		compared, most = compared+n, max(most, outages)
	}
	t.Logf("%d watches are live %v after the apiserver is back, and returned over %v; they fetched %d lists, after at most %d outages", len(c.sources), took, over, compared, most)
}
