package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/internal/detail/related"
	"watchglass/internal/port"
	"watchglass/internal/wire"
)

// asks are what the proxy was asked since the last time, in the order of the alphabet.
func (b *bench) asks() string {
	all := strings.Split(b.proxy.said(), ", ")
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// drawn is the last picture that the page was told.
func (b *bench) drawn() related.Picture {
	b.t.Helper()
	all := told[related.Picture](b, "related")
	if len(all) == 0 {
		b.t.Fatal("no picture was drawn")
	}
	return all[len(all)-1]
}

// TestRelatedPane shows which lists are opened for a pod: those that the cluster's list
// on screen does not have, in its namespace; that nothing is drawn while nothing changes;
// and that they are let go a while after the tab is left.
func TestRelatedPane(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *bench) {
		b.wantAsked("watch pods")
		b.opens("web1", "related")
		const lists = "endpointslices/a, horizontalpodautoscalers/a, ingresses/a, networkpolicies/a, poddisruptionbudgets/a, services/a"
		if got, want := b.asks(), "watch "+strings.ReplaceAll(lists, ", ", ", watch "); got != want {
			t.Errorf("asked %s, want %s", got, want)
		}
		if p := b.drawn(); p.Nodes[0].Name != "web1" || p.Nodes[0].Stand != related.There || p.Nodes[0].State != "Running" || len(p.Layout.Nodes) != len(p.Nodes) {
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
		b.wait(linger / 2)
		b.wantAsked("")
		b.wait(linger)
		if got := b.asks(); strings.Count(got, "close watch") != strings.Count(lists, ",")+1 {
			t.Errorf("%s were let go", got)
		}
	})
}

// TestRelatedDenied shows that lists that may not be read, or that there are none of, are
// told of, with what was said.
func TestRelatedDenied(t *testing.T) {
	for _, status := range []*wire.Status{forbidden, {Origin: wire.FromAPIServer, Code: 404, Reason: wire.ReasonNotFound, Message: "no such resource"}} {
		p := three()
		p.deny = func(r wire.Request) *wire.Status {
			if r.Resource == "services" {
				return status
			}
			return nil
		}
		onPods(t, p, func(t *testing.T, b *bench) {
			b.opens("web1", "related")
			b.wait(5 * time.Second)
			drawn := b.drawn()
			at := slices.IndexFunc(drawn.Nodes, func(n related.Node) bool { return n.Resource == "services" })
			if at < 0 || drawn.Nodes[at].Stand != related.Unknown || !strings.Contains(drawn.Nodes[at].Said, status.Message) {
				t.Errorf("%+v", drawn.Nodes)
			}
		})
	}
}

// TestRelatedSyncing shows that a list on screen that is still coming in is not taken for
// all that there is.
func TestRelatedSyncing(t *testing.T) {
	p := three()
	p.unlisted = true
	onPods(t, p, func(t *testing.T, b *bench) {
		b.opens("web1", "related")
		if got := b.asks(); !strings.Contains(got, "watch pods/a where metadata.name=web1") {
			t.Errorf("asked %s", got)
		}
	})
}

// TestEventsPane shows that the events of the namespace are asked for, and no
// list else: a pod owns nothing.
func TestEventsPane(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *bench) {
		b.wantAsked("watch pods")
		b.opens("web1", "events")
		b.wait(soon)
		if got := b.asks(); got != "watch events/a" {
			t.Errorf("asked %s", got)
		}
	})
}

// TestRelatedSlow shows that what takes long to work out is done the more seldom: it
// takes a tenth of the time.
func TestRelatedSlow(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *bench) {
		b.wait(soon)
		pods, _ := b.desk.known("pods")
		p := newRelatedPane(t.Context(), b.desk, &focus{kind: pods, asked: port.Focus{Namespace: "a", Name: "web1"}}).(*relatedPane)
		needs := p.needs
		p.needs = func(g related.Graph) []related.Need {
			time.Sleep(100 * time.Millisecond)
			return needs(g)
		}
		began := time.Now()
		g := p.gathering
		_, first := g.gather(began)
		took := time.Since(began)
		if !first || g.every != gatherShare*took || took < 100*time.Millisecond {
			t.Errorf("%v after it took %v", g.every, took)
		}
		g.seen = "other"
		if _, again := g.gather(began.Add(g.every - time.Millisecond)); again {
			t.Error("it looked too soon")
		}
		if _, again := g.gather(began.Add(g.every)); !again {
			t.Error("it did not look when it was time")
		}
		g.close()
	})
}

// TestRelatedMany shows that no more are asked for by name than there is room for, and
// that of the others it is said that it is not known whether they are there.
func TestRelatedMany(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *bench) {
		b.wait(soon)
		pods, _ := b.desk.known("pods")
		g := newGathering(b.desk, &focus{kind: pods, asked: port.Focus{Namespace: "a", Name: "web1"}})
		g.needs = func(related.Graph) []related.Need { return nil }
		var graph related.Graph
		for i := range namedAll + 3 {
			graph.Nodes = append(graph.Nodes, related.Node{ID: related.ID{Resource: "secrets", Namespace: fmt.Sprint(i), Name: "s"}})
		}
		if n := len(g.named(graph)); n != namedAll {
			t.Errorf("%d are asked for", n)
		}
		first, _ := g.sight(time.Now())(graph.Nodes[0].ID)
		last, said := g.sight(time.Now())(graph.Nodes[namedAll].ID)
		if first != related.Coming || last != related.Unknown || said == nil || !strings.Contains(said.Message, "too many") {
			t.Errorf("%s, %s: %v", first, last, said)
		}
	})
}
