package hub

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"watchglass/internal/detail/related"
	"watchglass/internal/hub/cluster"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// asks returns the requests to the proxy since the last call, sorted.
func (b *fixture) asks() string {
	all := strings.Split(b.proxy.takeRequests(), ", ")
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// drawn returns the last picture that the page was sent.
func (b *fixture) drawn() related.Picture {
	b.t.Helper()
	all := decodedDocs[related.Picture](b, "related")
	if len(all) == 0 {
		b.t.Fatal("no picture was drawn")
	}
	return all[len(all)-1]
}

// TestRelatedPane checks that a pod opens the lists that the cluster's list on screen does not
// cover, in its namespace; that nothing is sent while nothing changes; and that the lists are
// released after the tab was left for linger.
func TestRelatedPane(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.wantAsked("watch pods")
		b.openTab("web1", "related")
		const lists = "endpointslices/a, horizontalpodautoscalers/a, ingresses/a, networkpolicies/a, poddisruptionbudgets/a, services/a"
		if got, want := b.asks(), "watch "+strings.ReplaceAll(lists, ", ", ", watch "); got != want {
			t.Errorf("asked %s, want %s", got, want)
		}
		if p := b.drawn(); p.Nodes[0].Name != "web1" || p.Nodes[0].Presence != related.Present || p.Nodes[0].State != "Running" {
			t.Errorf("%+v", p)
		}
		b.proxy.change(wire.Modified, pod("a", "web2", "Failed"))
		b.wait(soon)
		b.proxy.change(wire.Modified, pod("a", "web1", "Failed"))
		b.wait(soon)
		if p := b.drawn(); p.Nodes[0].State != "Failed" {
			t.Errorf("%+v", p.Nodes)
		}
		b.wait(5 * time.Second)
		b.page.mu.Lock()
		if n := len(b.page.details); n != 0 {
			t.Errorf("%d parts were told though nothing changed", n)
		}
		b.page.mu.Unlock()
		b.focus(port.Focus{Seq: 2})
		b.wait(cluster.Linger / 2)
		b.wantAsked("")
		b.wait(cluster.Linger)
		if got := b.asks(); strings.Count(got, "close watch") != strings.Count(lists, ",")+1 {
			t.Errorf("%s were let go", got)
		}
	})
}

// TestRelatedFails checks that a list that fails is named with the reason, not as still coming
// in, until it is there.
func TestRelatedFails(t *testing.T) {
	var down atomic.Bool
	down.Store(true)
	p := three()
	p.deny = func(r wire.Request) *wire.Status {
		if down.Load() && r.Resource == "services" {
			return broken
		}
		return nil
	}
	onPods(t, p, func(t *testing.T, b *fixture) {
		services := func(n related.Node) bool { return n.Resource == "services" }
		b.openTab("web1", "related")
		b.wait(time.Minute)
		drawn := b.drawn()
		at := slices.IndexFunc(drawn.Nodes, services)
		if at < 0 || drawn.Nodes[at].Presence != related.Unknown || drawn.Nodes[at].Error != broken.Message || drawn.Coming {
			t.Errorf("%+v", drawn)
		}
		down.Store(false)
		b.wait(2 * time.Minute)
		if drawn := b.drawn(); slices.ContainsFunc(drawn.Nodes, services) || drawn.Coming {
			t.Errorf("%+v", drawn)
		}
	})
}

// TestRelatedSyncing checks that a list on screen that is still coming in does not count as
// complete.
func TestRelatedSyncing(t *testing.T) {
	p := three()
	p.holdLists = true
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.openTab("web1", "related")
		if got := b.asks(); !strings.Contains(got, "watch pods/a where metadata.name=web1") {
			t.Errorf("asked %s", got)
		}
	})
}

// TestRelatedWide checks that a list of the whole cluster that is held with other columns is
// read, and that no other is opened for it.
func TestRelatedWide(t *testing.T) {
	onWidget(t, []string{"widgets"}, func(t *testing.T, b *fixture) {
		b.showList("pods", view.Query{Seq: 2, Columns: []string{"*", "{.metadata.name}"}})
		b.wait(2 * cluster.Linger)
		b.showList("widgets", view.Query{Seq: 3})
		b.proxy.change(wire.Added, owned("pods", "p", "widgets.example.com w"))
		b.proxy.takeRequests()
		b.relates("w")
		if got := b.asks(); got != "watch widgets/a where metadata.name=w whole" {
			t.Errorf("asked %s", got)
		}
	})
}

// TestEventsPane checks that a pod, which owns nothing, opens the events of its namespace and
// no other list.
func TestEventsPane(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.wantAsked("watch pods")
		b.openTab("web1", "events")
		b.wait(soon)
		if got := b.asks(); got != "watch events/a" {
			t.Errorf("asked %s", got)
		}
	})
}
