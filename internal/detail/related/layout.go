package related

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strings"
)

// The dimensions of a drawing, in pixels.
const (
	NodeWidth  = 210
	NodeHeight = 42
	gapAcross  = 10 // between columns of a block
	gapDown    = 6  // between rows of a block
	blockGap   = 22 // between blocks of a layer
	layerGap   = 88 // between layers side by side; the lines run there
	layerStep  = 52 // between layers one below the other
)

// Layout is the position of everything in a drawing.
type Layout struct {
	Nodes  []Point // the top left corner of each node, by its index in the graph
	Layers []int   // of each node: how far along the drawing it is
	Blocks []Block
	Lines  []Line
	Width  int
	Height int
	// Down is true if layers run from top to bottom, and false if they run from left to right.
	Down bool

	arrangement arrangement
	blocks      map[string]*block // by key, for the next layout
	slot        map[string]int    // each node's slot within its block, by the node's key
	layer       map[string]int
}

// Point is a position.
type Point struct{ X, Y int }

// Block is the frame around like nodes.
type Block struct{ X, Y, W, H int }

// Line is drawn for one relation, or for those of all nodes of a block. An end is the index of a
// node or, if negative, -1 minus the index of a block.
type Line struct {
	From, To int
	Verb     Verb
	Broken   bool // it leads to something broken
}

// block is a group of siblings of one kind.
type block struct {
	key        string
	layer      int
	members    []int // nodes, in the order of their slots
	rows, cols int
	order      float64 // position among the blocks of its layer
	x, y       int
}

func (b *block) width() int  { return b.cols*(NodeWidth+gapAcross) - gapAcross }
func (b *block) height() int { return b.rows*(NodeHeight+gapDown) - gapDown }

// drawing lays out a graph.
type drawing struct {
	g           Graph
	before      *Layout // may be nil
	room        Room
	arrangement arrangement
	layer       []int // of each node
	head        []int // of each node: that of its group, or the node itself
	parent      []int // of each node, or -1
	blocks      []*block
	ranked      []*block // by layer, and then by position in it
	of          []*block // of each node
	slots       []int    // of each node
}

// Arrange lays out a graph from left to right or from top to bottom, whichever shows more of it
// legibly in the room. It is deterministic. Nodes of the previous layout keep their places as far
// as possible.
func Arrange(g Graph, before *Layout, room Room) *Layout {
	d := &drawing{g: g, before: before, room: room, layer: make([]int, len(g.Nodes)), head: g.groupHeads(), parent: make([]int, len(g.Nodes)), of: make([]*block, len(g.Nodes)), slots: make([]int, len(g.Nodes))}
	d.layers()
	d.groupNodes()
	d.chooseArrangement()
	d.assignSlots()
	d.sort()
	d.place()
	return d.layout()
}

// layers assigns layers: each node comes after all that lead to it. A node that nothing leads to
// comes just before what it leads to. A group stays together.
func (d *drawing) layers() {
	n := len(d.g.Nodes)
	out, in := make([][]int, n), make([]int, n)
	for _, e := range d.forward() {
		out[e.From] = append(out[e.From], e.To)
		in[e.To]++
	}
	first := slices.Clone(in)
	var queue []int
	for i := range n {
		if in[i] == 0 {
			queue = append(queue, i)
		}
	}
	for at := 0; at < len(queue); at++ {
		for _, to := range out[queue[at]] {
			d.layer[to] = max(d.layer[to], d.layer[queue[at]]+1)
			if in[to]--; in[to] == 0 {
				queue = append(queue, to)
			}
		}
	}
	for i := range n {
		if first[i] == 0 && len(out[i]) > 0 {
			nearest := math.MaxInt
			for _, to := range out[i] {
				nearest = min(nearest, d.layer[to])
			}
			d.layer[i] = nearest - 1
		}
	}
	for i, head := range d.head {
		d.layer[i] = d.layer[head]
	}
}

// forward returns the edges between nodes and groups, without those that would close a cycle.
func (d *drawing) forward() (edges []Edge) {
	n := len(d.g.Nodes)
	out := make([][]Edge, n)
	for _, e := range d.g.Edges {
		if e.From, e.To = d.head[e.From], d.head[e.To]; e.From != e.To {
			out[e.From] = append(out[e.From], e)
		}
	}
	const visiting, done = 1, 2
	state := make([]int, n)
	var visit func(i int)
	visit = func(i int) {
		state[i] = visiting
		for _, e := range out[i] {
			if state[e.To] == visiting {
				continue
			}
			edges = append(edges, e)
			if state[e.To] == 0 {
				visit(e.To)
			}
		}
		state[i] = done
	}
	for i := range n {
		if state[i] == 0 {
			visit(i)
		}
	}
	return edges
}

// key returns a name for a node that stays the same across layouts.
func (d *drawing) key(i int) string {
	n := &d.g.Nodes[i]
	if n.Heads {
		return "\x00" + n.Group.Key
	}
	key := n.Resource + "\x00" + n.Namespace + "\x00" + n.Name
	if n.More > 0 {
		key += "\x00" + n.Of.Resource + "\x00" + n.Of.Name
	}
	return key
}

// groupNodes groups the nodes of one kind and layer that have the same parent. The parent is the
// owner, or otherwise the first related node.
func (d *drawing) groupNodes() {
	for i := range d.parent {
		d.parent[i] = -1
	}
	for _, verb := range []Verb{Owns, Routes, Selects, Scales, Mounts, Uses, Runs, Binds, Attaches} {
		for _, e := range d.g.Edges {
			if e.Verb == verb && d.parent[e.To] < 0 && e.From != e.To {
				d.parent[e.To] = e.From
			}
		}
	}
	byKey := make(map[string]*block)
	for i, n := range d.g.Nodes {
		key := n.Resource + "\x00" + string(rune('0'+d.layer[i]))
		if n.Group != nil {
			key += "\x00\x00" + n.Group.Key
		} else if p := d.parent[i]; p >= 0 && d.isOwner(p, i) {
			key += "\x00" + d.key(p)
		} else if i == 0 {
			key += "\x00\x00" // the focus has a block of its own
		}
		b := byKey[key]
		if b == nil {
			b = &block{key: key, layer: d.layer[i]}
			byKey[key] = b
			d.blocks = append(d.blocks, b)
		}
		b.members = append(b.members, i)
		d.of[i] = b
	}
}

func (d *drawing) isOwner(p, i int) bool {
	e := Edge{p, i, Owns}
	at := sort.Search(len(d.g.Edges), func(n int) bool { return !d.g.Edges[n].before(e) })
	return at < len(d.g.Edges) && d.g.Edges[at] == e
}

// assignSlots assigns a slot in its block to each member. Members keep the slots they had and new
// ones take free slots; a block that is half empty is filled again.
func (d *drawing) assignSlots() {
	for _, b := range d.blocks {
		sort.Slice(b.members, func(m, n int) bool {
			i, j := b.members[m], b.members[n]
			x, y := &d.g.Nodes[i], &d.g.Nodes[j]
			if x.Heads != y.Heads {
				return x.Heads
			}
			return cmp.Or(min(x.More, 1)-min(y.More, 1), x.ID.Compare(y.ID), strings.Compare(d.key(i), d.key(j))) < 0
		})
		var kept bool
		if b.rows, b.cols, kept = d.shape(b, d.arrangement); kept {
			d.keepSlots(b)
			continue
		}
		for at, i := range b.members {
			d.slots[i] = at
		}
	}
}

// keepSlots gives the members of a block their previous slots.
func (d *drawing) keepSlots(b *block) {
	taken := make([]bool, b.rows*b.cols)
	var rest []int
	for _, i := range b.members {
		if at, ok := d.before.slot[d.key(i)]; ok && at < len(taken) && !taken[at] && d.before.layer[d.key(i)] == b.layer {
			taken[at], d.slots[i] = true, at
		} else {
			rest = append(rest, i)
		}
	}
	for _, i := range rest {
		at := slices.Index(taken, false)
		taken[at], d.slots[i] = true, at
	}
}
