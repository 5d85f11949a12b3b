package related

import (
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// Graph is what belongs to an object.
type Graph struct {
	Nodes []Node `json:"nodes"` // the focus is the first
	Edges []Edge `json:"edges"`
}

// Node is one of the objects, or some that are only counted.
type Node struct {
	ID
	Kind string `json:"kind,omitempty"`
	UID  string `json:"uid,omitempty"`
	// State is what the list of its kind shows of how it is.
	State string `json:"state,omitempty"`
	// Tone is the tone of its row in that list.
	Tone  object.Tone `json:"tone,omitempty"`
	Stand Standing    `json:"stand,omitempty"`
	Said  string      `json:"said,omitempty"` // why it is not known
	// More is how many further objects like its siblings there are that are not in the
	// graph: then it stands for these, and Of names whose they are.
	More int `json:"more,omitempty"`
	Of   *ID `json:"of,omitempty"`
}

// Standing is whether an object is there.
type Standing string

// The standings.
const (
	There   Standing = ""
	Coming  Standing = "coming"  // its source has not come in
	Missing Standing = "missing" // it is referred to, and not there
	Unknown Standing = "unknown" // its source may not be read
)

// Edge is a relation between two nodes, by their places.
type Edge struct {
	From int  `json:"from"`
	To   int  `json:"to"`
	Verb Verb `json:"verb"`
}

// Sight tells how well it is known whether an object that is not in the index is there:
// Missing, Coming, or Unknown with the reason.
type Sight func(id ID) (Standing, *wire.Status)

// Most is how many nodes a graph may have before some are counted instead.
const Most = 500

// onward is how the way goes on from what was reached: at a resource, along a verb, it
// goes along another. Out is the verb's own direction.
var onward = []struct {
	at  string
	by  Verb
	out bool
	on  Verb
	to  bool
}{
	{services, Selects, false, Routes, false}, // who leads to what selects the pods
	{services, Routes, false, Routes, false},
	{endpoints, Routes, false, Routes, false},
	{services, Routes, true, Selects, true}, // whom an ingress leads to
	{services, Routes, true, Routes, true},
	{pods, Selects, true, Runs, true},
	{pods, Routes, true, Runs, true},
	{claims, Mounts, true, Binds, true}, // what is behind a claim
	{claims, Mounts, true, Uses, true},
	{volumes, Binds, true, Uses, true},
	{claims, Binds, false, Mounts, false}, // who has what is in front of a volume
	{bindings, Binds, false, Binds, true}, // what is granted, and to whom
	{clusterBinds, Binds, false, Binds, true},
}

// step is a way from one node to another, with what others like it have in common.
type step struct {
	to   *node
	verb Verb
	out  bool
	like *likeness // one for all that have it
}

// likeness is what nodes have in common that are counted together.
type likeness struct {
	resource string
	owner    *node // if it owns them
	verb     Verb
	out      bool
}

// arrival is where the way came to, and how.
type arrival struct {
	at   *node
	verb Verb
	out  bool
}

// turn is how the way goes on from a node: the same one however it came there.
type turn struct {
	at  *node
	on  Verb
	out bool
}

// walk collects the ways from the focus to all that belongs to it.
type walk struct {
	x         *Index
	focus     *node
	ancestors map[*node]bool
	own       map[*node]bool // the focus, and what it owns
	order     []*node        // the same, and the ancestors behind
	edges     map[*node][]edge
	next      map[*node][]step
	likes     map[likeness]*likeness
}

// Graph is what belongs to the focus: its owners up to the first, what it owns down to
// the last, and what is one step from it or from what it owns; from some of these the
// way goes on, as from a service to an ingress. More than a number of nodes are counted.
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

// up goes to the owners.
func (w *walk) up(n *node) {
	for _, e := range w.of(n) {
		if e.verb == Owns && !e.out && e.to != w.focus && !w.ancestors[e.to] {
			w.ancestors[e.to] = true
			w.order = append(w.order, e.to)
			w.up(e.to)
		}
	}
}

// down goes to what is owned.
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

// step notes a step. No edge of a node is gone twice.
func (w *walk) step(n *node, e edge, like likeness) {
	one := w.likes[like]
	if one == nil {
		one = new(likeness)
		*one = like
		w.likes[like] = one
	}
	w.next[n] = append(w.next[n], step{e.to, e.verb, e.out, one})
}

// around goes a step from each, and on from some.
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
