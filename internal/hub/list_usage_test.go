package hub

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/list"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// measured returns what a pod uses, now.
func measured(namespace, name, cpu string) testObject {
	return testObject{resource: "pods.metrics.k8s.io", namespace: namespace, name: name, body: fmt.Sprintf(`"timestamp":%q,"containers":[{"name":"main","usage":{"cpu":%q,"memory":"1024Ki"}},{"name":"side","usage":{"cpu":"1m","memory":"1024Ki"}}],`, time.Now().UTC().Format(time.RFC3339), cpu)}
}

// withMetrics returns a proxy with three pods, of which one is not measured.
func withMetrics() *proxy {
	p := three()
	p.extraKinds, p.unwatchable = []string{"pods.metrics.k8s.io"}, []string{"pods"}
	p.change(wire.Added, measured("a", "web1", "100000001n"))
	p.change(wire.Added, measured("b", "db1", "2"))
	return p
}

// showUsage shows the pods with what they use.
func (b *fixture) showUsage(q view.Query) {
	b.page.in <- port.WatchKinds{}
	b.wait(soon)
	q.Columns = []string{"Name", "CPU", "Memory"}
	b.showList("pods", q)
}

// TestUsage checks that metrics are polled only while they are in use, and that what is not
// measured is empty, which is neither 0 nor a match.
func TestUsage(t *testing.T) {
	p := withMetrics()
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("pods", view.Query{Seq: 1})
		b.proxy.takeRequests()
		b.wait(time.Minute)
		if got := b.proxy.takeOpened(); strings.Contains(got, "whole") {
			t.Errorf("asked %q", got)
		}
		b.showUsage(view.Query{Seq: 2, Sort: "CPU", Descending: true})
		b.wantSums("db1 2001m 2Mi, web1 102m 2Mi, web2  ")
		p.change(wire.Modified, measured("a", "web1", "3"))
		p.change(wire.Added, measured("a", "web2", "5"))
		b.wait(time.Minute)
		b.wantSums("web2 5001m 2Mi, web1 3001m 2Mi, db1 2001m 2Mi")
		p.change(wire.Deleted, measured("a", "web2", ""))
		b.wait(time.Minute)
		b.showUsage(view.Query{Seq: 3, Text: "cpu<1000"})
		b.wantSums("web1 3001m 2Mi, db1 2001m 2Mi")
		b.showList("pods", view.Query{Seq: 4})
		b.wait(2 * cluster.Linger)
		b.proxy.takeRequests()
		b.wait(2 * time.Minute)
		if got := b.proxy.takeOpened(); strings.Contains(got, "whole") {
			t.Errorf("asked %q", got)
		}
	})
}

// TestUsageNotKnown checks that columns with usage are waited for until the server has said whether it
// has metrics, and that they are missed if it has not.
func TestUsageNotKnown(t *testing.T) {
	for _, q := range []view.Query{{Columns: []string{"Name", "CPU"}}, {Sort: "Memory"}, {Text: "cpu>1"}} {
		for _, served := range []bool{true, false} {
			p := withMetrics()
			if !served {
				p.extraKinds = nil
			}
			var known atomic.Bool
			p.deny = func(r wire.Request) *wire.Status {
				if r.Verb == wire.Discover && !known.Load() {
					return broken
				}
				return nil
			}
			onHub(t, p, func(t *testing.T, b *fixture) {
				b.page.in <- port.WatchKinds{}
				q.Seq = 1
				b.showList("pods", q)
				if got := b.page.window.Problems; len(got) > 0 {
					t.Errorf("%+v: %+v before anything is known", q, got)
				}
				known.Store(true)
				b.wait(11 * time.Minute)
				if got := b.page.window.Problems; (len(got) == 0) != served {
					t.Errorf("%+v: %+v, served %v", q, got, served)
				}
			})
		}
	}
}

// TestUsageOfMany checks that only the namespaces on screen are polled if there are many pods.
func TestUsageOfMany(t *testing.T) {
	defer func(n int) { list.MostMetered = n }(list.MostMetered)
	list.MostMetered = 2
	p := withMetrics()
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showUsage(view.Query{Seq: 2, Limit: 1})
		b.wait(soon)
		b.wantSums("web1 102m 2Mi")
		b.proxy.takeRequests()
		b.wait(11 * time.Second)
		if got := b.proxy.takeOpened(); strings.Contains(got, "list pods whole") || !strings.Contains(got, "list pods/a whole") {
			t.Errorf("asked %q", got)
		}
		b.showUsage(view.Query{Seq: 3, Limit: 1, Offset: 2})
		b.wait(soon)
		b.wantSums("db1 2001m 2Mi")
	})
}

// TestUsageDenied checks that usage is empty, and why, if metrics may not be listed.
func TestUsageDenied(t *testing.T) {
	p := withMetrics()
	p.deny = forbids(func(r wire.Request) bool { return r.Group == "metrics.k8s.io" })
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showUsage(view.Query{Seq: 1})
		b.wait(time.Minute)
		b.wantSums("web1  , web2  , db1  ")
		b.wantGap("pods.metrics.k8s.io denied")
		b.showList("pods", view.Query{Seq: 2, Text: "cpu>1"})
		b.wantRows("live", "")
		b.wantGap("; pods.metrics.k8s.io denied")
	})
}

// TestUsageFailing checks that nothing is said to match, or not to, while metrics cannot be read.
func TestUsageFailing(t *testing.T) {
	p := withMetrics()
	p.deny = func(r wire.Request) *wire.Status {
		if r.Group == "metrics.k8s.io" {
			return &wire.Status{Origin: wire.FromAPIServer, Code: 503, Message: "no endpoints"}
		}
		return nil
	}
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("pods", view.Query{Seq: 1, Text: "cpu>1"})
		b.wantRows("live", "")
		b.wait(time.Minute)
		b.wantRows("live", "")
		b.wantGap("; pods.metrics.k8s.io connecting")
		if got := b.page.window.Gaps[0].Cause; got != "no endpoints" {
			t.Errorf("%q", got)
		}
		p.mu.Lock()
		p.deny = nil
		p.mu.Unlock()
		b.wait(5 * time.Minute)
		b.wantRows("live", "b/db1")
		b.wantGap("")
	})
}

// TestUsageNotServed checks that a filter by usage is wrong where there are no metrics, once that is
// known.
func TestUsageNotServed(t *testing.T) {
	p := three()
	p.extraKinds = []string{"widgets"}
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("pods", view.Query{Seq: 1, Text: "cpu>1"})
		b.wait(soon)
		b.wantGap("")
		if len(b.page.window.Problems) == 0 {
			t.Error("nothing is said about the filter")
		}
	})
}

// TestUsageFilterOfMany checks that a filter by usage says if it knows of some namespaces only, and that
// those that are chosen are polled though no row shows.
func TestUsageFilterOfMany(t *testing.T) {
	defer func(n int) { list.MostMetered = n }(list.MostMetered)
	list.MostMetered = 2
	onHub(t, withMetrics(), func(t *testing.T, b *fixture) {
		b.page.in <- port.WatchKinds{}
		b.wait(soon)
		b.showList("pods", view.Query{Seq: 1, Text: "cpu>1"})
		b.wantRows("live", "")
		b.wantGap("; pods.metrics.k8s.io partial")
		b.showList("pods", view.Query{Seq: 2, Text: "cpu>1", Namespaces: []string{"b"}})
		b.wantRows("live", "b/db1")
		b.wantGap("")
	})
}

// TestUsageScrolled scrolls through the namespaces of a large list: those that have left the screen are
// not polled on.
func TestUsageScrolled(t *testing.T) {
	defer func(n int) { list.MostMetered = n }(list.MostMetered)
	list.MostMetered = 2
	p := withMetrics()
	for i := range 40 {
		ns := fmt.Sprintf("n%03d", i)
		p.change(wire.Added, pod(ns, "w", "Running"))
		p.change(wire.Added, measured(ns, "w", "1"))
	}
	polled := make(map[string]int)
	p.deny = func(r wire.Request) *wire.Status {
		if r.Group == "metrics.k8s.io" && r.Verb == wire.List {
			polled[r.Namespace]++
		}
		return nil
	}
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showUsage(view.Query{Seq: 2, Limit: 10})
		for at := range 4 {
			b.page.in <- port.ListQuery{ID: listID, Resource: "pods", Query: view.Query{Seq: uint32(3 + at), Columns: []string{"Name", "CPU", "Memory"}, Offset: 10 * at, Limit: 10}}
			b.wait(time.Second)
		}
		p.mu.Lock()
		clear(polled)
		p.mu.Unlock()
		b.wait(30 * time.Second)
		p.mu.Lock()
		defer p.mu.Unlock()
		if len(polled) != 10 || polled["n036"] == 0 {
			t.Errorf("polled: %v", polled)
		}
	})
}

// TestUsageOfNoneOfMany filters a large list of namespaces until no row shows: the metrics of the whole
// cluster are requested once at most, not again and again.
func TestUsageOfNoneOfMany(t *testing.T) {
	defer func(n int) { list.MostMetered = n }(list.MostMetered)
	list.MostMetered = 1
	p := withMetrics()
	for _, name := range []string{"a", "b"} {
		p.change(wire.Added, testObject{resource: "namespaces", name: name})
	}
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.WatchKinds{}
		b.wait(soon)
		b.showList("namespaces", view.Query{Seq: 1, Columns: []string{"Name", "CPU"}, Text: "nothing"})
		b.wait(5 * time.Minute)
		if n := strings.Count(b.proxy.takeOpened(), "list pods whole"); n != 1 {
			t.Errorf("asked %d times for all metrics", n)
		}
		b.showList("namespaces", view.Query{Seq: 2, Columns: []string{"Name", "CPU"}})
		b.wait(soon)
		b.wantSums("a 102m, b 2001m")
	})
}

// TestUsageRefusedInOne refuses the metrics of one of two namespaces: the others are shown, and the
// refused one is named.
func TestUsageRefusedInOne(t *testing.T) {
	p := withMetrics()
	p.deny = forbids(func(r wire.Request) bool {
		return r.Resource == "pods" && (r.Namespace == "" || r.Group != "" && r.Namespace == "b")
	})
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.WatchKinds{}
		b.wait(soon)
		b.page.in <- port.ListQuery{ID: listID, Resource: "pods", Query: view.Query{Seq: 1, Limit: 10, Namespaces: []string{"a", "b"}, Columns: []string{"Name", "CPU"}}}
		b.wait(time.Minute)
		b.wantSums("web1 102m, web2 , db1 ")
		b.wantGap("pods.metrics.k8s.io denied b")
		if gap := b.page.window.Columns[1].Gap; gap.Cause == "" {
			t.Errorf("%+v", gap)
		}
	})
}
