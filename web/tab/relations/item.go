package relations

import (
	"cmp"
	"strconv"
	"strings"

	"watchglass/internal/detail"
	"watchglass/internal/detail/related"
	"watchglass/web/grid"
	"watchglass/web/words"
)

// itemOf returns a node as an item of the graph or the list.
func (t *Tab) itemOf(r *state, at int) grid.Item {
	n := r.graph.Nodes[at]
	if n.Heads {
		return t.headItem(n)
	}
	state, tone := n.Shown()
	it := grid.Item{Kind: n.Kind, Name: n.Name, State: state, Tone: tone, Current: at == 0, Count: max(n.More, 1)}
	if it.Kind == "" {
		it.Kind = n.Resource
	}
	if at == 0 {
		it.Look = "focal"
	}
	if n.Presence == related.Missing || n.Presence == related.Unknown {
		it.Look += " absent"
	}
	if n.Broken() {
		it.Broken = 1
	}
	key := detail.Ref{Namespace: n.Namespace, Name: n.Name}.Key()
	it.Title = strings.TrimSpace(it.Kind + " " + key + "\n" + it.State)
	if n.Error != "" {
		it.Title += "\n" + n.Error
	}
	switch {
	case n.More > 0:
		it.Name, it.Look = "and "+words.Count(n.More)+" more", "counted"
		it.Href = t.Host.Href(countedAddress(t.Host.Address(), r.graph, at))
		it.Action, it.Value = string(GoCounted), strconv.Itoa(at)
	case n.Name == "":
		it.Name, it.Count = "can't be listed", 0
	case at > 0 && n.Resource != "":
		it.Action, it.Value = string(GoObject), n.Resource+" "+key
		it.Href = t.Host.Href(t.addressOf(it.Value))
	}
	return it
}

// highlights are what marks nodes of a graph.
type highlights struct {
	leads   []bool // to something broken
	lineage []bool // the open object and its owners
}

func (r *state) highlights() highlights {
	leads, _ := r.graph.BrokenPaths()
	return highlights{leads: leads, lineage: r.graph.Lineage()}
}

// relate says in an item how it is related to the row above it, and whether it is broken or leads to
// something that is. Beyond an edge, an owner of the open object is counted as such.
func (r *state) relate(it *grid.Item, row related.Row, on highlights) {
	n := r.graph.Nodes[row.Node]
	it.One, it.Many = strings.ToLower(n.Kind), words.PluralOf(n)
	if len(row.Edges) > 0 {
		e := r.graph.Edges[row.Edges[0]]
		how, other := e.Verb.String(), e.To
		if other == row.Node {
			how, other = e.Verb.Back(), e.From
		}
		it.Aside += ", " + how + " " + r.callNode(other)
	}
	if on.lineage[row.Node] && !it.Current {
		it.One, it.Many = "owner", "owners"
	}
	broken := n.Broken()
	switch {
	case it.Current:
		it.Aside += ", this object"
	case broken && n.Tone == grid.Warning:
		it.Look += " broken amber"
	case broken:
		it.Look += " broken"
	}
	if on.leads[row.Node] && !broken {
		it.Look += " leads"
		it.Aside += ", leads to a failing object"
	}
}

// callNode returns a node's kind and name.
func (r *state) callNode(at int) string {
	n := r.graph.Nodes[at]
	if n.Heads {
		return words.Count(n.Group.Count) + " " + words.PluralOf(n)
	}
	return n.Kind + " " + n.Name
}

func nodeKey(n related.Node) string {
	if n.Heads {
		return "group " + strings.ReplaceAll(n.Group.Key, "\x00", " ")
	}
	key := n.Resource + " " + detail.Ref{Namespace: n.Namespace, Name: n.Name}.Key()
	if n.More > 0 {
		key = "more " + key + " of " + n.Of.Resource + " " + n.Of.Name
	}
	return key
}

// itemNode returns the key of the node of an item: in the list, the keys of items name the relation
// to the row above, too.
func itemNode(key string) string {
	node, _, _ := strings.Cut(key, "|")
	return node
}

// label names what is drawn.
func (t *Tab) label() string {
	of := t.Host.Subject()
	called := cmp.Or(of.Kind, of.Resource) + " " + of.Name
	return "Objects related to " + called
}
