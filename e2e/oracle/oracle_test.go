// Package oracle holds the informer to a real apiserver while everything breaks:
// what the store has at a version is what the apiserver lists at exactly that
// version, at a thousand versions, and what subscribers are told adds up to it.
package oracle

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"

	"watchglass/e2e/cluster"
)

const (
	podsSeeded = 200
	tabsOpen   = 4

	// perSecond is the pace of the writes to pods, and leastPerSecond what has to
	// come of it, with the times at which there is no server to write to.
	perSecond      = 200
	leastPerSecond = 100

	// healWithin is how long after the server is back a store may differ from it,
	// where an apiserver starts within startsWithin: a machine that is busy
	// with something else has as much more time as its apiserver takes.
	healWithin   = 10 * time.Second
	auditWithin  = 5 * time.Second // more, where only a comparison of everything tells
	startsWithin = 2 * time.Second
)

// viewer is who looks, with the rights that RBAC gives.
var viewer = cluster.User{Name: "vera", Token: "vera-token"}

// checkpoints is how many versions are compared: more when there is time for them.
func checkpoints() int64 {
	if os.Getenv("SOAK") != "" {
		return 10_000
	}
	return 1000
}

// run is one run of the oracle.
type run struct {
	*testing.T
	ctx     context.Context
	cluster *cluster.Cluster
	admin   *kubernetes.Clientset
	tabs    []*tab
	began   time.Time
	starts  time.Duration // of the apiserver: how long the last took
	writes  writes

	// history is that of the server, which a restore changes. While it is odd
	// nobody can tell yet which one a store is of.
	history atomic.Int64

	compared, heard, uncompared atomic.Int64

	mu     sync.Mutex
	faults map[string]int
}

// TestOracle breaks one thing after the other, and compares all the while.
func TestOracle(t *testing.T) {
	r := start(t)
	ctx, stop := context.WithCancel(r.ctx)
	var checking sync.WaitGroup
	for _, b := range r.tabs {
		for _, f := range b.followers() {
			checking.Go(func() { r.check(ctx, f) })
		}
	}
	faults := []func(){func() {}, r.killAPIServer, r.expireToken, r.takeAway, r.restore, r.overtake}
	for _, fault := range faults {
		fault()
		r.compareTo(r.compared.Load() + checkpoints()/8)
	}
	r.compareTo(checkpoints())
	r.heal("all that", healWithin)
	stop()
	checking.Wait()
	r.report()
}

// check compares what a store has with the truth, at each version it can.
func (r *run) check(ctx context.Context, f *follower) {
	q, err := newTruth(r.cluster.Config())
	if err != nil {
		r.Error(err)
		return
	}
	for last := ""; ; {
		select {
		case <-ctx.Done():
			return
		case <-f.stirred:
		}
		history := r.history.Load()
		if history%2 == 1 {
			continue
		}
		objects, version, err := f.informer.Store().Snapshot(ctx)
		if err != nil || version == last {
			continue
		}
		last = version
		drained, wrong := f.hears(ctx, objects, version)
		if wrong != "" {
			r.Errorf("%s at %s: subscribers were told otherwise: %s", f.kind.Resource, version, wrong)
		}
		want, _, err := q.at(ctx, f.kind, version, history)
		if r.history.Load() != history {
			continue // it is a version of nothing
		}
		if err != nil { // it was compacted, or there is no server
			r.uncompared.Add(1)
			continue
		}
		if wrong := difference(stored(f.kind, objects), want); wrong != "" {
			r.Errorf("%s at %s: %s", f.kind.Resource, version, wrong)
		}
		r.compared.Add(1)
		if drained {
			r.heard.Add(1)
		}
	}
}

// calm says whether connections are left alone.
func (r *run) calm(yes bool) {
	for _, b := range r.tabs {
		b.cutter.set(yes, false)
	}
}

// compareTo has connections cut, and etcd compacted once, until so many checkpoints
// were compared.
func (r *run) compareTo(n int64) {
	r.Helper()
	r.calm(false)
	defer r.calm(true)
	half, compacted := (r.compared.Load()+n)/2, false
	r.await(10*time.Minute, "enough checkpoints", func() string {
		have := r.compared.Load()
		switch {
		case have >= n:
			return ""
		case have >= half && !compacted:
			compacted = true
			r.must(r.cluster.Compact(r.ctx))
			r.count("compaction")
		}
		return fmt.Sprintf("%d of %d", have, n)
	})
}

// await waits until nothing is missing, or something differs.
func (r *run) await(within time.Duration, what string, missing func() string) {
	r.Helper()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(within); ; {
		lacks := missing()
		if r.Failed() {
			r.FailNow()
		}
		if lacks == "" {
			return
		}
		if time.Now().After(deadline) {
			r.Fatalf("%s not within %s: %s", what, within, lacks)
		}
		<-ticker.C
	}
}

// heal waits until every store is live and as the server is, and holds it to the
// time it may take.
func (r *run) heal(after string, within time.Duration) {
	r.Helper()
	begin := time.Now()
	q, err := newTruth(r.cluster.Config())
	r.must(err)
	ailed := ""
	for _, b := range r.tabs {
		for _, f := range b.followers() {
			_, newest, err := q.at(r.ctx, f.kind, "", r.history.Load())
			r.must(err)
			r.await(2*time.Minute, fmt.Sprintf("after %s: %s as the server has them", after, f.kind.Resource), func() string {
				ails := r.ails(q, f, newest)
				if ails != "" {
					ailed = f.kind.Resource + ": " + ails
				}
				return ails
			})
		}
	}
	took := time.Since(begin).Round(10 * time.Millisecond)
	may := time.Duration(float64(within) * max(1, r.starts.Seconds()/startsWithin.Seconds()))
	if r.Logf("healed after %s in %s", after, took); took > may {
		r.Errorf("after %s it took %s until the stores were as the server is, and not %s; the last that was not: %s", after, took, may, ailed)
	}
}

// ails says how a store is not what the server has: now, or at a version since some
// other.
func (r *run) ails(q *truth, f *follower, since string) string {
	fresh, cause := f.freshness()
	if fresh != "live" {
		return fmt.Sprint(fresh, " ", cause)
	}
	ctx, cancel := context.WithTimeout(r.ctx, time.Second)
	defer cancel()
	objects, version, err := f.informer.Store().Snapshot(ctx)
	if err != nil {
		return err.Error()
	}
	at := version
	if number(version) < number(since) {
		at = ""
	}
	want, _, err := q.at(r.ctx, f.kind, at, r.history.Load())
	if err != nil {
		return err.Error()
	}
	if wrong := difference(stored(f.kind, objects), want); wrong != "" {
		return fmt.Sprintf("at %s: %s", version, wrong)
	}
	return ""
}

// count counts a fault.
func (r *run) count(fault string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults[fault]++
}

// must ends the test at an error.
func (r *run) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// report holds the run to what it has to have shown, and says it in a line.
func (r *run) report() {
	took := time.Since(r.began)
	written := r.writes.count()
	relists, resumes, cuts := 0, 0, 0
	for _, b := range r.tabs {
		cuts += b.cutter.count()
		for _, f := range b.followers() {
			s := f.informer.State(time.Now())
			relists, resumes = relists+s.Relists, resumes+s.Resumes
		}
	}
	pace := float64(written) / took.Seconds()
	r.Logf("%d checkpoints equal LIST (%d with their subscribers; %d versions could not be listed), %d writes (%.0f/s), faults: %d cuts %v, %d relists, %d resumes, in %s",
		r.compared.Load(), r.heard.Load(), r.uncompared.Load(), written, pace, cuts, r.faults, relists, resumes, took.Round(time.Second))
	if pace < leastPerSecond {
		r.Errorf("%.0f writes/s are too few", pace)
	}
	if r.heard.Load() < r.compared.Load()/4 {
		r.Errorf("what subscribers were told was compared at %d checkpoints of %d only", r.heard.Load(), r.compared.Load())
	}
	if cuts < 4*len(r.tabs) {
		r.Errorf("only %d connections were cut", cuts)
	}
}
