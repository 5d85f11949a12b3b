package hub

import (
	"strings"
	"testing"
	"time"

	"watchglass/internal/hub/cluster"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// nodesWithPods returns a proxy with two nodes and a pod on one of them.
func nodesWithPods() *proxy {
	p := three()
	p.change(wire.Added, testObject{resource: "nodes", name: "n1", cpu: "4"})
	p.change(wire.Added, testObject{resource: "nodes", name: "n2", cpu: "2"})
	p.change(wire.Added, onNode("x", "n1", "1250m"))
	return p
}

func onNode(name, node, cpu string) testObject {
	o := pod("a", name, "Running")
	o.node, o.cpu = node, cpu
	return o
}

// byName shows the sums that a test looks at.
func byName(q view.Query) view.Query {
	q.Columns = []string{"Name", "Pods", "CPU Requests"}
	return q
}

// rows returns the cells on screen.
func (b *fixture) rows() string {
	b.page.mu.Lock()
	defer b.page.mu.Unlock()
	var rows []string
	for _, r := range b.page.window.Rows {
		rows = append(rows, strings.Join(r.Cells, " "))
	}
	return strings.Join(rows, ", ")
}

func (b *fixture) wantSums(want string) {
	b.t.Helper()
	if got := b.rows(); got != want {
		b.t.Errorf("%q, want %q", got, want)
	}
}

// gap returns what is missing of the last column, and what of the filter: "pods denied; pods denied".
func (b *fixture) gap() string {
	b.page.mu.Lock()
	defer b.page.mu.Unlock()
	text := func(g view.Gap) string { return strings.TrimSpace(g.Resource + " " + g.State + " " + g.Only) }
	of := []string{text(b.page.window.Columns[len(b.page.window.Columns)-1].Gap)}
	for _, g := range b.page.window.Gaps {
		of = append(of, text(g))
	}
	return strings.Join(of, "; ")
}

func (b *fixture) wantGap(want string) {
	b.t.Helper()
	if got := b.gap(); got != want {
		b.t.Errorf("missing %q, want %q", got, want)
	}
}

// TestSums checks that the pods are a source only while their sums are in use, and that the sums
// of nodes follow the pods.
func TestSums(t *testing.T) {
	onHub(t, nodesWithPods(), func(t *testing.T, b *fixture) {
		b.showList("nodes", view.Query{Seq: 1})
		b.wantRows("live", "n1 n2")
		b.wantAsked("watch nodes")
		b.showList("nodes", byName(view.Query{Seq: 2}))
		b.wantAsked("watch pods")
		b.wantSums("n1 1 1250m (31%), n2 0 0 (0%)")
		b.proxy.change(wire.Added, onNode("y", "n2", "1900m"))
		b.wait(soon)
		b.wantSums("n1 1 1250m (31%), n2 1 1900m (95%)")
		b.showList("nodes", byName(view.Query{Seq: 3, Sort: "CPU Requests", Descending: true}))
		b.wantRows("live", "n2 n1")
		b.showList("nodes", view.Query{Seq: 4, Text: "requested>90%"})
		b.wantRows("live", "n2")
		b.proxy.change(wire.Modified, onNode("y", "n1", "1900m"))
		b.wait(soon)
		b.wantRows("live", "")
		b.proxy.change(wire.Added, onNode("z", "n1", "500m"))
		b.wait(soon)
		b.wantRows("live", "n1")
		b.wantAsked("")
		b.showList("nodes", view.Query{Seq: 5, Text: "pods>=3"})
		b.wantRows("live", "n1")
		b.proxy.change(wire.Deleted, at(0, onNode("z", "n1", "500m")))
		b.wait(soon)
		b.wantRows("live", "")
		b.showList("nodes", view.Query{Seq: 6})
		b.wait(2 * cluster.Linger)
		b.wantRows("live", "n1 n2")
		b.wantAsked("close watch pods")
	})
}

// TestSumsLoading checks that sums are unknown, not 0, until all pods are in, and that they are
// said to be old when the pods are.
func TestSumsLoading(t *testing.T) {
	p := nodesWithPods()
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("nodes", view.Query{Seq: 1})
		p.startHoldingLists()
		b.showList("nodes", byName(view.Query{Seq: 2, Sort: "CPU Requests"}))
		b.wantSums("n1 … …, n2 … …")
		b.wantGap("pods syncing; pods syncing")
		b.showList("nodes", byName(view.Query{Seq: 3, Text: "cpu-requests<100"}))
		b.wantSums("")
		b.showList("nodes", view.Query{Seq: 4, Text: "cpu-requests<100"})
		b.wantGap("; pods syncing") // the column need not show
		b.showList("nodes", byName(view.Query{Seq: 5, Text: "cpu-requests<100"}))
		p.finish()
		b.wait(soon)
		b.wantSums("n1 1 1250m (31%), n2 0 0 (0%)")
		p.setAway(true)
		b.wait(time.Minute)
		b.wantSums("n1 1 1250m (31%), n2 0 0 (0%)")
		b.wantGap("pods stale; pods stale")
		p.setAway(false)
		b.wait(time.Minute)
		b.wantGap("")
	})
}

// TestSumsDenied checks that sums are empty if the pods may not be listed, and that they come
// when they may.
func TestSumsDenied(t *testing.T) {
	p := nodesWithPods()
	p.deny = forbids(func(r wire.Request) bool { return r.Resource == "pods" })
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("nodes", byName(view.Query{Seq: 1}))
		b.wait(time.Minute)
		b.wantSums("n1  , n2  ")
		b.wantRows("live", "n1 n2")
		b.wantGap("pods denied")
		b.showList("nodes", view.Query{Seq: 2, Text: "requested>10%"})
		b.wantRows("live", "")
		b.wantGap("; pods denied")
		b.showList("nodes", byName(view.Query{Seq: 3}))
		p.mu.Lock()
		p.deny = nil
		p.mu.Unlock()
		b.wait(10 * time.Minute)
		b.wantSums("n1 1 1250m (31%), n2 0 0 (0%)")
		b.wantGap("")
	})
}

// TestSumsNarrow checks that no sums are shown where the proxy serves only one namespace.
func TestSumsNarrow(t *testing.T) {
	p := nodesWithPods()
	p.welcome.Narrow, p.welcome.Namespace = true, "a"
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("nodes", byName(view.Query{Seq: 1}))
		b.wantSums("n1  , n2  ")
		b.wantGap("pods partial a")
	})
}
