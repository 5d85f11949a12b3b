package related

import (
	"watchglass/internal/object/tone"
	"watchglass/internal/wire"
)

// Graph is an object with its related objects.
type Graph struct {
	Nodes []Node `json:"nodes"` // the focus comes first
	Edges []Edge `json:"edges"`
}

// Node is one object, or a number of objects that are only counted.
type Node struct {
	ID
	Kind string `json:"kind,omitempty"`
	UID  string `json:"uid,omitempty"`
	// State is the object's state as the list of its kind shows it.
	State string `json:"state,omitempty"`
	// Tone is the tone of its row in that list.
	Tone     tone.Tone `json:"tone,omitempty"`
	Presence Presence  `json:"presence,omitempty"`
	Error    string    `json:"error,omitempty"` // why Presence is Unknown
	// More is the number of further objects like this node's siblings that are not in the graph.
	// If it is not zero, the node stands for these objects, and Of is the node they relate to.
	More int `json:"more,omitempty"`
	Of   *ID `json:"of,omitempty"`
	// Group is the group of like nodes that the node belongs to, in a folded graph. Heads is set if
	// the node stands for the group itself.
	Group *Group `json:"-"`
	Heads bool   `json:"-"`
}

// Presence says whether an object exists, as far as known.
type Presence string

// The values of Presence.
const (
	Present Presence = ""
	Coming  Presence = "coming"  // its source has not loaded
	Missing Presence = "missing" // referred to, but does not exist
	Unknown Presence = "unknown" // its source may not be read
)

// Edge is a relation between two nodes, given by their indexes.
type Edge struct {
	From int  `json:"from"`
	To   int  `json:"to"`
	Verb Verb `json:"verb"`
}

// PresenceFunc returns what is known about an object that is not in the index: Missing, Coming, or
// Unknown with the reason.
type PresenceFunc func(id ID) (Presence, *wire.Status)

// MaxNodes is the largest number of nodes in a graph; the rest are counted.
const MaxNodes = 500

// continueRules says how to continue from a node that was reached: at a resource, reached along a
// verb, continue along another verb. Out and to say whether in the verb's own direction.
var continueRules = []struct {
	resource  string
	via       Verb
	viaOut    bool
	follow    Verb
	followOut bool
}{
	{services, Selects, false, Routes, false}, // what routes to a service that selects the pods
	{services, Routes, false, Routes, false},
	{endpoints, Routes, false, Routes, false},
	{services, Routes, true, Selects, true}, // what the service behind an ingress selects
	{services, Routes, true, Routes, true},
	{pods, Selects, true, Runs, true},
	{pods, Routes, true, Runs, true},
	{claims, Mounts, true, Binds, true}, // the volume behind a claim
	{claims, Mounts, true, Uses, true},
	{volumes, Binds, true, Uses, true},
	{claims, Binds, false, Mounts, false}, // what mounts the claim of a volume
	{bindings, Binds, false, Binds, true}, // what a binding grants, and to whom
	{clusterBinds, Binds, false, Binds, true},
}

// step is a relation to follow from a node.
type step struct {
	to    *node
	verb  Verb
	out   bool
	group *nodeGroup // shared by all steps that are alike
}

// nodeGroup is what nodes have in common that are counted together.
type nodeGroup struct {
	resource string
	owner    *node // set if it owns them
	verb     Verb
	out      bool
}

// reachedNode is a node that was reached, and the relation it was reached by.
type reachedNode struct {
	node *node
	verb Verb
	out  bool
}

// continuation is a continuation from a node, independent of how the node was reached.
type continuation struct {
	node *node
	verb Verb
	out  bool
}

// walk collects the steps from the focus to all related objects.
type walk struct {
	x         *Index
	focus     *node
	ancestors map[*node]bool
	owned     map[*node]bool // the focus and what it owns
	order     []*node        // the same, and then the ancestors
	edges     map[*node][]edge
	next      map[*node][]step
	groups    map[nodeGroup]*nodeGroup
}

// Graph returns the focus with its owners up to the root, all that it owns, and what is one step
// away from the focus or from what it owns. From some of those it continues, as from a service to
// an ingress. Beyond most nodes, like ones are counted instead; the owners and at least one object
// of each group of like ones are always in the graph.
func (x *Index) Graph(focus ID, presence PresenceFunc, most int) Graph {
	n := x.nodes[focus]
	if n == nil {
		n = &node{id: focus, kind: x.target("", focus.Resource).kind}
	}
	w := &walk{x: x, focus: n, ancestors: make(map[*node]bool), owned: map[*node]bool{n: true}, edges: make(map[*node][]edge), next: make(map[*node][]step), groups: make(map[nodeGroup]*nodeGroup)}
	w.addOwners(n)
	w.addOwned(n)
	w.addRelated()
	kept, more := w.keep(most)
	return w.draw(kept, more, presence)
}

func (w *walk) of(n *node) []edge {
	all, ok := w.edges[n]
	if !ok {
		all = w.x.sorted(n)
		w.edges[n] = all
	}
	return all
}

// addOwners follows the owners.
func (w *walk) addOwners(n *node) {
	for _, e := range w.of(n) {
		if e.verb == Owns && !e.out && e.to != w.focus && !w.ancestors[e.to] {
			w.ancestors[e.to] = true
			w.order = append(w.order, e.to)
			w.addOwners(e.to)
		}
	}
}

// addOwned follows the owned objects.
func (w *walk) addOwned(n *node) {
	w.order = append(w.order, n)
	for _, e := range w.of(n) {
		if e.verb == Owns && e.out {
			w.step(n, e, nodeGroup{resource: e.to.id.Resource, owner: n})
			if !w.owned[e.to] && !w.ancestors[e.to] {
				w.owned[e.to] = true
				w.addOwned(e.to)
			}
		}
	}
}

// step records a step. Each edge of a node is recorded once.
func (w *walk) step(n *node, e edge, group nodeGroup) {
	one := w.groups[group]
	if one == nil {
		one = new(nodeGroup)
		*one = group
		w.groups[group] = one
	}
	w.next[n] = append(w.next[n], step{e.to, e.verb, e.out, one})
}

// addRelated takes one step from each owned node, and continues from some of the nodes it reaches.
func (w *walk) addRelated() {
	var reached []reachedNode
	seen := make(map[reachedNode]bool)
	visit := func(n *node, e edge) {
		if w.owned[e.to] || w.ancestors[e.to] {
			return
		}
		w.step(n, e, nodeGroup{resource: e.to.id.Resource, verb: e.verb, out: e.out})
		if a := (reachedNode{node: e.to, verb: e.verb, out: e.out}); !seen[a] {
			seen[a] = true
			reached = append(reached, a)
		}
	}
	for _, n := range w.order {
		for _, e := range w.of(n) {
			if w.owned[n] || e.verb == Scales && !e.out {
				visit(n, e)
			}
		}
	}
	followed := make(map[continuation]bool)
	for len(reached) > 0 {
		a := reached[0]
		reached = reached[1:]
		for _, o := range continueRules {
			t := continuation{a.node, o.follow, o.followOut}
			if o.resource != a.node.id.Resource || o.via != a.verb || o.viaOut != a.out || followed[t] {
				continue
			}
			followed[t] = true
			for _, e := range w.x.along(a.node, o.follow, o.followOut) {
				visit(a.node, e)
			}
		}
	}
}
