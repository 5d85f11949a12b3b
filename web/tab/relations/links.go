package relations

import (
	"strconv"
	"strings"

	"watchglass/internal/detail/related"
	"watchglass/web/route"
)

// goObject goes to the same tab of another object.
func (t *Tab) goObject(value string) {
	t.Host.GoTo(t.addressOf(value))
	t.Host.Browser().Focus("tab-related")
}

// addressOf returns the address of an object with the Related tab open.
func (t *Tab) addressOf(value string) route.Address {
	resource, key, _ := strings.Cut(value, " ")
	a := t.Host.Address().ToObject(resource, key)
	a.Tab = route.RelatedID
	return a
}

// goCounted goes to the list of objects that the graph only counts.
func (t *Tab) goCounted(value string) {
	r := t.shown
	at, err := strconv.Atoi(value)
	if err != nil || at < 0 || at >= len(r.graph.Nodes) || r.graph.Nodes[at].Of == nil {
		return
	}
	t.Host.GoTo(countedAddress(t.Host.Address(), r.graph, at))
}

// countedAddress returns the list of the objects that a node stands for, as closely as a filter
// can express it. No filter matches what a service selects or who uses a class.
func countedAddress(now route.Address, graph related.Graph, at int) route.Address {
	n := graph.Nodes[at]
	a := route.Address{Resource: n.Resource, Context: now.Context}
	if n.Namespace != "" {
		a.Namespaces = []string{n.Namespace}
	}
	for _, e := range graph.Edges {
		switch of := graph.Nodes[e.From]; {
		case e.To == at && e.Verb == related.Owns:
			a.Filter = `owner:"` + of.Kind + "/" + of.Name + `"`
		case e.From == at && e.Verb == related.Runs && n.Resource == "pods":
			a.Filter = "node:" + graph.Nodes[e.To].Name
		}
	}
	return a
}
