package related

import (
	"fmt"
	"testing"

	"watchglass/internal/object"
	"watchglass/internal/query"
	"watchglass/internal/wire"
)

// serviceWithPods returns an index of a service and many pods that it selects, on a few nodes.
func serviceWithPods(many int) *Index {
	x := NewIndex(object.Builtin)
	service := x.node(ID{services, "a", "web"}, "Service")
	service.object, service.selects = new(object.Object), true
	service.selector, _ = query.ParseSelector("")
	x.space(service).selecting[service] = struct{}{}
	for i := range many {
		pod := x.node(ID{pods, "a", fmt.Sprintf("web-%05d", i)}, "Pod")
		pod.object = new(object.Object)
		to := x.node(ID{nodes, "", fmt.Sprintf("node-%03d", i%100)}, "Node")
		pod.links = append(pod.links, link{verb: Runs, to: to})
		if to.linkedFrom == nil {
			to.linkedFrom = make(map[*node]struct{})
		}
		to.linkedFrom[pod] = struct{}{}
		x.space(pod).pods[pod] = struct{}{}
	}
	return x
}

// allMissing is a PresenceFunc of sources that have all loaded.
func allMissing(ID) (Presence, *wire.Status) { return Missing, nil }

// BenchmarkGraph builds the graph of a service with 10,000 pods.
func BenchmarkGraph(b *testing.B) {
	x := serviceWithPods(10_000)
	for b.Loop() {
		if g := x.Graph(ID{services, "a", "web"}, allMissing, MaxNodes); len(g.Nodes) < MaxNodes/2 {
			b.Fatal(len(g.Nodes))
		}
	}
}

// TestThrong checks that of thousands of objects some are in the graph and the others are counted,
// and that none appears twice.
func TestThrong(t *testing.T) {
	const many = 3000
	g := serviceWithPods(many).Graph(ID{services, "a", "web"}, allMissing, MaxNodes)
	seen, all := make(map[ID]bool), 0
	for _, n := range g.Nodes {
		switch {
		case n.More > 0:
			if n.Resource == pods {
				all += n.More
			}
		case seen[n.ID]:
			t.Errorf("%v is there twice", n.ID)
		case n.Resource == pods:
			all++
		}
		seen[n.ID] = true
	}
	if all != many || len(g.Nodes) > MaxNodes {
		t.Errorf("%d pods in %d nodes", all, len(g.Nodes))
	}
	lines := make(map[Edge]bool)
	for _, e := range g.Edges {
		if lines[e] {
			t.Errorf("%v is there twice", e)
		}
		lines[e] = true
	}
}
