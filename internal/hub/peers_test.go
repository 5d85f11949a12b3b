package hub

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"watchglass/internal/hub/list"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// TestPeers runs what broke other views of a cluster. Each name begins with the issue, as
// e2e/PEERS.md lists it.
func TestPeers(t *testing.T) {
	t.Run("headlamp-7139 ten pages of one list share its watch", testPages)
	t.Run("lens-8007 every cluster stays live, not only the newest", testClustersApart)
	t.Run("headlamp-7446 a list goes on after the connection dropped", testReconnect)
	t.Run("headlamp-6358 what is silent is not called live", testSilence)
	t.Run("octant-39 what the page costs the apiserver is counted", testInspect)
	t.Run("kubernetes-132926 a kind that comes as a Table is watched", testTables)
	t.Run("headlamp-7326 who may read some namespaces sees those", testDeniedInPart)
	t.Run("headlamp-4051 namespaces are chosen without a right to list them", testWanted)
	t.Run("freelens-2244 a column by JSONPath", testAddedColumn)
	t.Run("k9s-3758 what is wrong, over all kinds", testProblems)
	t.Run("headlamp-5660 a list of 1,200 pods is whole and live", testManyLive)
	t.Run("rancher-dashboard-18380 the counts of a large namespace are live", testCountsLive)
	t.Run("dashboard-2541 changes are pushed, not polled for", testPushed)
}

// crowd is a proxy with a number of running pods in one namespace.
func crowd(pods int) *proxy {
	p := &proxy{version: pods}
	for i := range pods {
		p.things = append(p.things, at(i+1, pod("a", fmt.Sprintf("web%04d", i), "Running")))
	}
	return p
}

// testManyLive changes, filters for and deletes pods that are far below what shows.
func testManyLive(t *testing.T) {
	onPods(t, crowd(1200), func(t *testing.T, b *fixture) {
		b.showList("pods", view.Query{Seq: 2, Limit: 10})
		if w := b.page.window; w.Total != 1200 || len(w.Rows) != 10 || b.now().Source.State != "live" {
			t.Errorf("%d of %d rows, %s", len(w.Rows), w.Total, b.now().Source.State)
		}
		b.wantAsked("watch pods")
		b.proxy.change(wire.Modified, pod("a", "web1199", "Failed"))
		b.showList("pods", view.Query{Seq: 3, Limit: 10, Text: "status:Failed"})
		b.wantRows("live", "a/web1199")
		b.proxy.change(wire.Deleted, pod("a", "web1199", "Failed"))
		b.wait(soon)
		b.wantRows("live", "")
		b.wantAsked("")
	})
}

// testCountsLive compares the counts beside a list with what changed in its namespace.
func testCountsLive(t *testing.T) {
	onPods(t, crowd(400), func(t *testing.T, b *fixture) {
		want := func(running, failed int) {
			t.Helper()
			counts := map[string]int{}
			for _, f := range b.page.window.Facets {
				for _, v := range f.Values {
					counts[v.Value] += v.Count
				}
			}
			if w := b.page.window; w.Total != running+failed || counts["Running"] != running || counts["Failed"] != failed {
				t.Errorf("%d rows, %v, want %d running and %d failed", w.Total, counts, running, failed)
			}
		}
		want(400, 0)
		for i := range 30 {
			b.proxy.change(wire.Modified, pod("a", fmt.Sprintf("web%04d", 10*i), "Failed"))
		}
		b.proxy.change(wire.Deleted, pod("a", "web0001", ""))
		b.wait(soon)
		want(369, 30)
	})
}

// testPushed leaves a page open for three minutes: nothing is asked for, and a change shows at once.
func testPushed(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.wantAsked("watch pods")
		b.page.in <- port.Presence{Visible: true, Online: true}
		b.wait(3 * time.Minute)
		b.wantAsked("")
		b.proxy.change(wire.Modified, pod("a", "web2", "Failed"))
		b.wait(list.Frame)
		rows := b.page.window.Rows
		if len(rows) != 3 || !strings.Contains(strings.Join(rows[1].Cells, " "), "Failed") {
			t.Errorf("%+v", rows)
		}
	})
}
