package related

import (
	"watchglass/internal/object"
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
	Tone  object.Tone `json:"tone,omitempty"`
	Stand Standing    `json:"stand,omitempty"`
	Said  string      `json:"said,omitempty"` // why Stand is Unknown
	// More is the number of further objects like this node's siblings that are not in the graph.
	// If it is not zero, the node stands for these objects, and Of is the node they relate to.
	More int `json:"more,omitempty"`
	Of   *ID `json:"of,omitempty"`
}

// Standing says whether an object exists, as far as known.
type Standing string

// The standings.
const (
	There   Standing = ""
	Coming  Standing = "coming"  // its source has not loaded
	Missing Standing = "missing" // referred to, but does not exist
	Unknown Standing = "unknown" // its source may not be read
)

// Edge is a relation between two nodes, given by their indexes.
type Edge struct {
	From int  `json:"from"`
	To   int  `json:"to"`
	Verb Verb `json:"verb"`
}

// Sight returns what is known about an object that is not in the index: Missing, Coming, or
// Unknown with the reason.
type Sight func(id ID) (Standing, *wire.Status)

// Most is the largest number of nodes in a graph; the rest are counted.
const Most = 500

// onward says how to continue from a node that was reached: at a resource, reached along a verb,
// continue along another verb. Out and to say whether in the verb's own direction.
var onward = []struct {
	at  string
	by  Verb
	out bool
	on  Verb
	to  bool
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
	to   *node
	verb Verb
	out  bool
	like *likeness // shared by all steps that are alike
}

// likeness is what nodes have in common that are counted together.
type likeness struct {
	resource string
	owner    *node // set if it owns them
	verb     Verb
	out      bool
}

// arrival is a node that was reached, and the relation it was reached by.
type arrival struct {
	at   *node
	verb Verb
	out  bool
}

// turn is a continuation from a node, independent of how the node was reached.
type turn struct {
	at  *node
	on  Verb
	out bool
}

// walk collects the steps from the focus to all related objects.
type walk struct {
	x         *Index
	focus     *node
	ancestors map[*node]bool
	own       map[*node]bool // the focus and what it owns
	order     []*node        // the same, and then the ancestors
	edges     map[*node][]edge
	next      map[*node][]step
	likes     map[likeness]*likeness
}

// Graph returns the focus with its owners up to the root, all that it owns, and what is one step
// away from the focus or from what it owns. From some of those it continues, as from a service to
// an ingress. Beyond most nodes, like ones are counted instead; the owners and at least one object
// of each group of like ones are always in the graph.
func (x *Index) Graph(focus ID, sight Sight, most int) Graph {
	n := x.nodes[focus]
	if n == nil {
		n = &node{id: focus, kind: x.target("", focus.Resource).kind}
	}
	w := &walk{x: x, focus: n, ancestors: make(map[*node]bool), own: map[*node]bool{n: true}, edges: make(map[*node][]edge), next: make(map[*node][]step), likes: make(map[likeness]*likeness)}
	w.up(n)
	w.down(n)
	w.around()
	kept, more := w.keep(most)
	return w.draw(kept, more, sight)
}

func (w *walk) of(n *node) []edge {
	all, ok := w.edges[n]
	if !ok {
		all = w.x.sorted(n)
		w.edges[n] = all
	}
	return all
}

// up follows the owners.
func (w *walk) up(n *node) {
	for _, e := range w.of(n) {
		if e.verb == Owns && !e.out && e.to != w.focus && !w.ancestors[e.to] {
			w.ancestors[e.to] = true
			w.order = append(w.order, e.to)
			w.up(e.to)
		}
	}
}

// down follows the owned objects.
func (w *walk) down(n *node) {
	w.order = append(w.order, n)
	for _, e := range w.of(n) {
		if e.verb == Owns && e.out {
			w.step(n, e, likeness{resource: e.to.id.Resource, owner: n})
			if !w.own[e.to] && !w.ancestors[e.to] {
				w.own[e.to] = true
				w.down(e.to)
			}
		}
	}
}

// step records a step. Each edge of a node is recorded once.
func (w *walk) step(n *node, e edge, like likeness) {
	one := w.likes[like]
	if one == nil {
		one = new(likeness)
		*one = like
		w.likes[like] = one
	}
	w.next[n] = append(w.next[n], step{e.to, e.verb, e.out, one})
}

// around takes one step from each owned node, and continues from some of the nodes it reaches.
func (w *walk) around() {
	var reached []arrival
	seen := make(map[arrival]bool)
	visit := func(n *node, e edge) {
		if w.own[e.to] || w.ancestors[e.to] {
			return
		}
		w.step(n, e, likeness{resource: e.to.id.Resource, verb: e.verb, out: e.out})
		if a := (arrival{at: e.to, verb: e.verb, out: e.out}); !seen[a] {
			seen[a] = true
			reached = append(reached, a)
		}
	}
	for _, n := range w.order {
		for _, e := range w.of(n) {
			if w.own[n] || e.verb == Scales && !e.out {
				visit(n, e)
			}
		}
	}
	gone := make(map[turn]bool)
	for len(reached) > 0 {
		a := reached[0]
		reached = reached[1:]
		for _, o := range onward {
			t := turn{a.at, o.on, o.to}
			if o.at != a.at.id.Resource || o.by != a.verb || o.out != a.out || gone[t] {
				continue
			}
			gone[t] = true
			for _, e := range w.x.along(a.at, o.on, o.to) {
				visit(a.at, e)
			}
		}
	}
}
