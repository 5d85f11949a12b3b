package relations

import (
	"testing"

	"watchglass/internal/detail/related"
	"watchglass/web/route"
)

// TestCountedAddress checks the list that counted objects lead to: never one that its filter
// empties.
func TestCountedAddress(t *testing.T) {
	counted := func(of related.Node, verb related.Verb, back bool) string {
		edge := related.Edge{From: 0, To: 1, Verb: verb}
		if back {
			edge = related.Edge{From: 1, To: 0, Verb: verb}
		}
		g := related.Graph{Nodes: []related.Node{of, {ID: related.ID{Resource: "pods", Namespace: "a"}, Kind: "Pod", More: 7, Of: &of.ID}}, Edges: []related.Edge{edge}}
		return countedAddress(route.Address{}, g, 1).String("")
	}
	node := func(resource, kind, name string) related.Node {
		return related.Node{ID: related.ID{Resource: resource, Name: name}, Kind: kind}
	}
	for got, want := range map[string]string{
		counted(node("jobs.batch", "Job", "web"), related.Owns, false):                                  `/pods?n=a&q=owner:%22Job/web%22`,
		counted(node("nodes", "Node", "n1"), related.Runs, true):                                        `/pods?n=a&q=node:n1`,
		counted(node("services", "Service", "web"), related.Selects, false):                             `/pods?n=a`,
		counted(node("priorityclasses.scheduling.k8s.io", "PriorityClass", "high"), related.Uses, true): `/pods?n=a`,
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
