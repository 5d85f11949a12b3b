package pane

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"watchglass/internal/detail/related"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

func three() *server {
	return newServer(pod("a", "web1", "Running"), pod("a", "web2", "Pending"), pod("b", "db1", "Running"))
}

// onPods runs a test with three pods whose list a view holds.
func onPods(t *testing.T, served []string, test func(t *testing.T, h *host)) {
	t.Helper()
	onHost(t, three(), served, func(t *testing.T, h *host) {
		h.views("pods")
		test(t, h)
	})
}

// podLists are the lists that show what is related to a pod, besides the pods themselves.
const podLists = "endpointslices/a, horizontalpodautoscalers/a, ingresses/a, networkpolicies/a, poddisruptionbudgets/a, services/a"

func watches(lists string) string { return "watch " + strings.ReplaceAll(lists, ", ", ", watch ") }

func named(p related.Picture, resource string) int {
	return slices.IndexFunc(p.Nodes, func(n related.Node) bool { return n.Resource == resource })
}

// TestRelated checks that a pod opens the lists that the held list of all pods does not
// cover; that nothing is sent while nothing related changes; and that the lists are released.
func TestRelated(t *testing.T) {
	onPods(t, nil, func(t *testing.T, h *host) {
		h.opens(NewRelated, "pods", "a", "web1", nil)
		h.Wait(soon)
		h.wantAsked(watches(podLists))
		if p := last[related.Picture](h); p.Nodes[0].Name != "web1" || p.Nodes[0].Presence != related.Present || p.Nodes[0].State != "Running" || p.Coming {
			t.Errorf("%+v", p)
		}
		h.server.change(wire.Modified, pod("a", "web2", "Failed"))
		h.Wait(soon)
		h.wantShown(0)
		h.server.change(wire.Modified, pod("a", "web1", "Failed"))
		h.Wait(soon)
		if p := last[related.Picture](h); p.Nodes[0].State != "Failed" {
			t.Errorf("%+v", p.Nodes)
		}
		h.Wait(5 * time.Second)
		h.wantShown(0)
		h.Close()
		h.Wait(linger / 2)
		h.wantAsked("")
		h.Wait(linger)
		h.wantAsked(strings.ReplaceAll(watches(podLists), "watch", "close watch"))
	})
}

// TestRelatedCoalesced checks that an object that came and went between two looks leaves no
// trace: Before of a change is the version that the index has.
func TestRelatedCoalesced(t *testing.T) {
	onPods(t, nil, func(t *testing.T, h *host) {
		h.opens(NewRelated, "pods", "a", "web1", nil)
		h.Wait(soon)
		for i := range 3 {
			h.server.change(wire.Deleted, pod("a", "web1", ""))
			h.server.change(wire.Added, pod("a", "web1", fmt.Sprint("Step", i)))
		}
		h.server.change(wire.Added, pod("a", "web3", "Running"))
		h.server.change(wire.Deleted, pod("a", "web3", ""))
		h.Wait(soon)
		if p := last[related.Picture](h); p.Nodes[0].State != "Step2" {
			t.Errorf("%+v", p.Nodes[0])
		}
		h.server.change(wire.Deleted, pod("a", "web1", ""))
		h.Wait(soon)
		if p := last[related.Picture](h); p.Nodes[0].Presence != related.Missing {
			t.Errorf("%+v", p.Nodes[0])
		}
	})
}

// TestRelatedUnread checks that an object that can't be read, or that may be one of those, is not taken for missing.
func TestRelatedUnread(t *testing.T) {
	onPods(t, nil, func(t *testing.T, h *host) {
		h.opens(NewRelated, "pods", "a", "web1", nil)
		h.Wait(soon)
		unreadable := pod("a", "web1", "")
		unreadable.version = 90
		unreadable.raw = packed("v1", "Pod", field(field(nil, 1, string(unreadable.meta())), 2, "\x12\x09"))
		h.server.change(wire.Modified, unreadable)
		h.Wait(soon)
		if n := last[related.Picture](h).Nodes[0]; n.Presence != related.Unknown || !strings.Contains(n.Error, "can't be read") {
			t.Errorf("%+v", n)
		}
		h.server.change(wire.Deleted, pod("a", "web1", ""))
		h.Wait(soon)
		if n := last[related.Picture](h).Nodes[0]; n.Presence != related.Missing {
			t.Errorf("%+v", n)
		}
	})
}

// TestRelatedDenied checks that lists that may not be read, or that the server does not have,
// are named with the server's message.
func TestRelatedDenied(t *testing.T) {
	for _, status := range []*wire.Status{forbidden, missing} {
		onPods(t, nil, func(t *testing.T, h *host) {
			h.server.deny = denies("services", status)
			h.opens(NewRelated, "pods", "a", "web1", nil)
			h.Wait(5 * time.Second)
			p := last[related.Picture](h)
			if at := named(p, "services"); at < 0 || p.Nodes[at].Presence != related.Unknown || p.Nodes[at].Error != status.Message || p.Nodes[at].Kind != "Service" {
				t.Errorf("%+v", p.Nodes)
			}
		})
	}
}

// TestRelatedWithoutSets checks that a Deployment leads to its pods where ReplicaSets may not be listed,
// and that its events are those of its pods, too.
func TestRelatedWithoutSets(t *testing.T) {
	of := pod("a", "web-5d9c-x", "Running")
	of.labels, of.owner, of.controlled = map[string]string{"pod-template-hash": "5d9c"}, "replicasets.apps web-5d9c", true
	other := pod("a", "other-x", "Running")
	other.labels, other.owner, other.controlled = of.labels, "replicasets.apps other", true
	s := newServer(of, other, testObject{resource: "events", namespace: "a", name: "e", status: "it is slow", about: "u-web-5d9c-x"})
	s.deny = denies("replicasets", forbidden)
	onHost(t, s, nil, func(t *testing.T, h *host) {
		h.opens(NewRelated, "deployments.apps", "a", "web", nil)
		h.Wait(5 * time.Second)
		p := last[related.Picture](h)
		if at := named(p, "pods"); at < 0 || p.Nodes[at].Name != "web-5d9c-x" {
			t.Errorf("%+v", p.Nodes)
		}
		if slices.ContainsFunc(p.Nodes, func(n related.Node) bool { return n.Name == "other-x" }) {
			t.Errorf("%+v", p.Nodes)
		}
		h.Close()
		h.opens(NewEvents, "deployments.apps", "a", "web", nil)
		h.Wait(5 * time.Second)
		if all := last[related.EventList](h).Events; len(all) != 1 || all[0].Message != "it is slow" {
			t.Errorf("%+v", all)
		}
	})
}

// TestRelatedFails checks that a list that fails is named with the reason, not as still coming
// in, until it is there.
func TestRelatedFails(t *testing.T) {
	onPods(t, nil, func(t *testing.T, h *host) {
		var down atomic.Bool
		down.Store(true)
		h.server.deny = func(r wire.Request) *wire.Status {
			if down.Load() && r.Resource == "services" {
				return broken
			}
			return nil
		}
		h.opens(NewRelated, "pods", "a", "web1", nil)
		h.Wait(time.Minute)
		p := last[related.Picture](h)
		if at := named(p, "services"); at < 0 || p.Nodes[at].Presence != related.Unknown || p.Nodes[at].Error != broken.Message || p.Coming {
			t.Errorf("%+v", p)
		}
		down.Store(false)
		h.Wait(2 * time.Minute)
		if p := last[related.Picture](h); named(p, "services") >= 0 || p.Coming {
			t.Errorf("%+v", p)
		}
	})
}

// TestRelatedByName checks that an object that is in no list is watched by its name.
func TestRelatedByName(t *testing.T) {
	onHost(t, three(), nil, func(t *testing.T, h *host) {
		h.opens(NewRelated, "pods", "a", "web1", nil)
		h.Wait(soon)
		h.wantAsked(watches("endpointslices/a, horizontalpodautoscalers/a, ingresses/a, networkpolicies/a, poddisruptionbudgets/a, pods/a where metadata.name=web1, services/a"))
		if p := last[related.Picture](h); p.Nodes[0].Presence != related.Present {
			t.Errorf("%+v", p.Nodes[0])
		}
	})
}

// TestRelatedNode checks that the pods of a node are taken from the list of all pods as they
// arrive on the node, and are requested by node if no view holds that list.
func TestRelatedNode(t *testing.T) {
	on := func(name, node string) testObject {
		o := pod("a", name, "Running")
		o.node = node
		return o
	}
	for _, held := range []bool{true, false} {
		onHost(t, newServer(on("p1", "n1"), on("p2", "n2")), nil, func(t *testing.T, h *host) {
			if held {
				h.views("pods")
			}
			h.opens(NewRelated, "nodes", "", "n1", nil)
			h.Wait(soon)
			if got := h.server.asks(); strings.Contains(got, "watch pods where spec.nodeName=n1") == held || strings.Contains(got, "metadata.name=p") {
				t.Errorf("held %v: asked %s", held, got)
			}
			h.wantNames("pods p1")
			if !held {
				return
			}
			h.server.change(wire.Added, on("p3", "n1"))
			h.server.change(wire.Deleted, on("p1", "n1"))
			h.Wait(soon)
			h.wantNames("pods p3")
		})
	}
}

// wantNames checks which objects are in the last picture, besides the focus, and returns it.
func (h *host) wantNames(want string) related.Picture {
	h.t.Helper()
	p := last[related.Picture](h)
	var all []string
	for _, n := range p.Nodes[1:] {
		all = append(all, n.Resource+" "+n.Name)
	}
	if got := sorted(all); got != want {
		h.t.Errorf("related are %s, want %s", got, want)
	}
	return p
}

// TestRelatedBodiesLost checks that a view's list whose objects have lost their bytes is
// replaced by a list of its own.
func TestRelatedBodiesLost(t *testing.T) {
	onPods(t, nil, func(t *testing.T, h *host) {
		h.Do(func() {
			pods, _ := h.Kinds().Find("pods")
			lease := h.LeaseHeld(pods)
			for _, o := range lease.Store().List() {
				object.NewBudget(0).Keep(o)
			}
			lease.Release()
		})
		h.opens(NewRelated, "services", "a", "s", nil)
		h.Wait(soon)
		if got := h.server.asks(); !strings.Contains(got, "watch pods/a") {
			t.Errorf("asked %s", got)
		}
	})
}

// TestRelatedPause checks that a slow look is repeated less often: looks take a tenth of the
// time.
func TestRelatedPause(t *testing.T) {
	onPods(t, nil, func(t *testing.T, h *host) {
		kind, _ := h.Kinds().Find("pods")
		n := NewRelated(h, Subject{Kind: kind, Namespace: "a", Name: "web1"}).(*relatedPane).near
		needs := n.needs
		n.needs = func(g related.Graph) []related.Need {
			time.Sleep(100 * time.Millisecond) // of the bubble's clock: what a slow look takes
			return needs(g)
		}
		h.Do(func() {
			began := time.Now()
			_, first := n.update(began)
			took := time.Since(began)
			pause := lookShare * took
			if !first || took < 100*time.Millisecond {
				t.Errorf("it took %v", took)
			}
			n.seen = "other"
			if _, again := n.update(began.Add(pause - time.Millisecond)); again {
				t.Error("it looked too soon")
			}
			if _, again := n.update(began.Add(pause)); !again {
				t.Error("it did not look when it was time")
			}
			n.close()
		})
	})
}

// TestRelatedMany checks that no more than namedAll objects are watched by name, and that the
// others are shown as unknown. If there are many of one kind, the list of the kind is watched.
func TestRelatedMany(t *testing.T) {
	onPods(t, nil, func(t *testing.T, h *host) {
		kind, _ := h.Kinds().Find("pods")
		n := newNeighbours(h, Subject{Kind: kind, Namespace: "a", Name: "web1"})
		graph := func(nodes int, namespaced bool) (g related.Graph) {
			for i := range nodes {
				id := related.ID{Resource: "secrets", Namespace: "a", Name: fmt.Sprint("s", i)}
				if namespaced {
					id.Namespace = fmt.Sprint(i)
				}
				g.Nodes = append(g.Nodes, related.Node{ID: id})
			}
			return g
		}
		g := graph(namedAll+3, true)
		if n := len(n.byName(g, nil)); n != namedAll {
			t.Errorf("%d are asked for", n)
		}
		first, _ := n.presence(time.Now())(g.Nodes[0].ID)
		beyond, said := n.presence(time.Now())(g.Nodes[namedAll].ID)
		if first != related.Coming || beyond != related.Unknown || said == nil || !strings.Contains(said.Message, "too many") {
			t.Errorf("%s, %s: %v", first, beyond, said)
		}
		if needs := n.byName(graph(namedMost, false), nil); len(needs) != namedMost {
			t.Errorf("%+v", needs)
		}
		if needs := n.byName(graph(namedMost+1, false), nil); len(needs) != 1 || needs[0] != (related.Need{Resource: "secrets", Namespace: "a"}) {
			t.Errorf("%+v", needs)
		}
	})
}

// TestRelatedLarge checks that a list with more changes than are read at once is read to its
// end, and that a part of it is not shown as all of it.
func TestRelatedLarge(t *testing.T) {
	const pods = (lookRounds+3)*readMost + 1
	s := newServer()
	for i := range pods {
		s.things = append(s.things, testObject{resource: "pods", namespace: "a", name: fmt.Sprint("p", i), node: "n1", version: i})
	}
	onHost(t, s, nil, func(t *testing.T, h *host) {
		h.views("pods")
		h.opens(NewRelated, "nodes", "", "n1", nil)
		h.Wait(soon)
		all := read[related.Picture](h)
		counted := func(p related.Picture) int {
			n := 0
			for _, node := range p.Nodes {
				if n++; node.More > 0 {
					n += node.More - 1
				}
			}
			return n
		}
		if n := counted(all[len(all)-1]); n != pods+1 {
			t.Errorf("%d objects are shown, want %d", n, pods+1)
		}
		if len(all) > 3 {
			t.Errorf("%d documents were sent while the list was read", len(all))
		}
	})
}

// TestNeighboursRead checks that no more than readMost changes are read at once, over all
// lists, and that no graph is built before the last one is read.
func TestNeighboursRead(t *testing.T) {
	s := newServer()
	for i := range readMost + 1 {
		s.things = append(s.things, testObject{resource: "pods", namespace: []string{"a", "b"}[i%2], name: fmt.Sprint("p", i), version: i})
	}
	onHost(t, s, nil, func(t *testing.T, h *host) {
		h.views("pods")
		h.Do(func() {
			pods, _ := h.Kinds().Find("pods")
			n := newNeighbours(h, Subject{Kind: pods, Namespace: "a", Name: "p0"})
			defer n.close()
			n.needs = func(related.Graph) []related.Need { return nil }
			n.open([]related.Need{{Resource: "pods", Namespace: "a"}, {Resource: "pods", Namespace: "b"}})
			_, changed := n.update(time.Now())
			read := 0
			for _, l := range n.lists {
				read += len(l.indexed)
			}
			if changed || read != readMost || !h.Stirred() {
				t.Errorf("changed %v, %d read, stirred %v", changed, read, h.Stirred())
			}
			if g, changed := n.update(time.Now()); !changed || len(g.Nodes) == 0 || g.Nodes[0].Presence != related.Present {
				t.Errorf("changed %v: %+v", changed, g.Nodes)
			}
		})
	})
}

// TestRelatedUnknown checks that an object that is watched by its name but may not be read is
// shown as unknown, and that no list is named for it.
func TestRelatedUnknown(t *testing.T) {
	onHost(t, three(), nil, func(t *testing.T, h *host) {
		h.server.deny = denies("pods", forbidden)
		h.opens(NewRelated, "pods", "a", "web1", nil)
		h.Wait(5 * soon)
		p := last[related.Picture](h)
		if n := p.Nodes[0]; n.Name != "web1" || n.Presence != related.Unknown || n.Error != forbidden.Message || len(p.Nodes) != 1 {
			t.Errorf("%+v", p.Nodes)
		}
	})
}

// TestRelatedComing checks that the picture says when a list is still coming in.
func TestRelatedComing(t *testing.T) {
	onPods(t, nil, func(t *testing.T, h *host) {
		h.server.endless = "services"
		h.opens(NewRelated, "pods", "a", "web1", nil)
		h.Wait(soon)
		if p := last[related.Picture](h); !p.Coming {
			t.Errorf("%+v", p)
		}
		h.Wait(time.Minute) // it is listed without a watch
		if p := last[related.Picture](h); p.Coming {
			t.Errorf("%+v", p)
		}
	})
}

// TestRelatedRefused checks that a list that is refused, and then lost with the connection, is coming in until it is there
// again, also if nothing of it is related.
func TestRelatedRefused(t *testing.T) {
	onPods(t, nil, func(t *testing.T, h *host) {
		h.opens(NewRelated, "pods", "a", "web1", nil)
		h.Wait(soon)
		for _, c := range []struct {
			status          *wire.Status
			refused, coming bool
		}{{forbidden, true, false}, {informer.Unreachable(nil), false, true}, {nil, false, false}} {
			h.server.refuse(denies("services", c.status))
			h.Wait(2 * time.Minute)
			if p := last[related.Picture](h); named(p, "services") >= 0 != c.refused || p.Coming != c.coming {
				t.Errorf("%v: %+v", c.status, p)
			}
		}
	})
}

// TestRelatedReopened checks that the objects of a list leave the index with the list: an object
// that is later in another list, and is deleted there, is then missing.
func TestRelatedReopened(t *testing.T) {
	on := func(node string) testObject {
		o := pod("a", "p", "Running")
		o.node = node
		return o
	}
	s := newServer(on("n1"), testObject{resource: "nodes", name: "n1"}, testObject{resource: "nodes", name: "n2"})
	onHost(t, s, nil, func(t *testing.T, h *host) {
		h.opens(NewRelated, "pods", "a", "p", nil)
		h.Wait(soon)
		h.wantNames("nodes n1")
		for _, node := range []string{"n2", "n1"} {
			s.change(wire.Modified, on(node))
			h.Wait(2 * linger)
			h.wantNames("nodes " + node)
		}
		s.change(wire.Deleted, testObject{resource: "nodes", name: "n1"})
		h.Wait(soon)
		if p := h.wantNames("nodes n1"); p.Nodes[1].Presence != related.Missing {
			t.Errorf("%+v", p.Nodes[1])
		}
	})
}

// TestNeighbourList checks how many changes are read at once.
func TestNeighbourList(t *testing.T) {
	onPods(t, nil, func(t *testing.T, h *host) {
		pods, _ := h.Kinds().Find("pods")
		h.Do(func() {
			l := newNeighbourList(h, pods, related.Need{Resource: "pods"}, true)
			defer l.Close()
			for _, c := range []struct{ most, read, pending int }{{0, 0, 3}, {-1, 0, 3}, {2, 2, 1}, {2, 1, 0}, {2, 0, 0}} {
				if read, changes := l.read(c.most); read != c.read || len(changes) != c.read || l.Pending() != c.pending {
					t.Errorf("%+v: read %d, %d changes, %d pending", c, read, len(changes), l.Pending())
				}
			}
		})
	})
}
