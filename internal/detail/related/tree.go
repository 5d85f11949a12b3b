package related

import "slices"

// Row is a row of a graph shown as a tree: a node, with its relations to the row's parent and to
// what that parent owns.
type Row struct {
	Depth int
	Node  int
	Edges []int // indexes of edges; the node is one end of each
}

// treeBuilder builds the rows.
type treeBuilder struct {
	g        Graph
	edges    [][]int // of each node
	placed   []bool  // of each edge: a row has it
	shown    []bool  // of each node: a row has it
	expanded []bool  // of each node: its children have been added
	lineage  []bool  // the focus, its owners and what it owns
	heads    []int   // of each node: the head of its group, or -1
	rows     []Row
}

// Tree returns the rows of a graph. First come the owners, each above what it owns; then the
// objects related to the focus; then all others, each above what it leads to. Each edge is in
// exactly one row, and a node appears at most once below a row. The members of a group are below its
// head.
func Tree(g Graph) []Row {
	n := len(g.Nodes)
	p := &treeBuilder{g: g, edges: make([][]int, n), placed: make([]bool, len(g.Edges)), shown: make([]bool, n), expanded: make([]bool, n), lineage: make([]bool, n), heads: g.memberships()}
	for i, e := range g.Edges {
		p.edges[e.From] = append(p.edges[e.From], i)
		if e.To != e.From {
			p.edges[e.To] = append(p.edges[e.To], i)
		}
	}
	roots := p.markOwners(0)
	p.markOwned(0, p.lineage)
	for _, root := range roots {
		if !p.expanded[root] {
			p.expanded[root] = true
			p.add(Row{Node: root})
			p.addChildren(root, 1, followLineage)
		}
	}
	p.addChildren(0, 0, followFocus)
	for _, first := range []bool{true, false} {
		for i := range g.Nodes {
			if member := p.heads[i] >= 0; member && first {
				continue // they come last
			}
			if !p.lineage[i] && (!first || !p.hasUnplacedInto(i)) && (!p.shown[i] || p.hasUnplaced(i) || p.heads[i] >= 0) {
				p.expanded[i] = true
				p.add(Row{Node: i})
				p.addChildren(i, 1, followAll)
			}
		}
	}
	return p.nest()
}

// nest moves the members of groups, each with the rows below it, from the end of the list to the
// first row of their head.
func (p *treeBuilder) nest() (out []Row) {
	members := make(map[int][]Row) // by head
	var rest []Row
	for i := 0; i < len(p.rows); {
		to := i + 1
		for to < len(p.rows) && p.rows[to].Depth > p.rows[i].Depth {
			to++
		}
		head := p.heads[p.rows[i].Node]
		if p.rows[i].Depth > 0 || head < 0 || p.rows[i].Edges != nil {
			rest, i = append(rest, p.rows[i]), i+1
			continue
		}
		members[head] = append(members[head], p.rows[i:to]...)
		i = to
	}
	var emit func(rows []Row, depth int)
	emit = func(rows []Row, depth int) {
		for _, row := range rows {
			row.Depth += depth
			out = append(out, row)
			below := members[row.Node]
			delete(members, row.Node)
			emit(below, row.Depth+1)
		}
	}
	emit(rest, 0)
	return out
}

func (p *treeBuilder) add(row Row) {
	p.rows = append(p.rows, row)
	p.shown[row.Node] = true
}

// markOwners marks a node and its owners, and returns the topmost ones.
func (p *treeBuilder) markOwners(i int) (roots []int) {
	if p.lineage[i] {
		return nil
	}
	p.lineage[i] = true
	top := true
	for _, n := range p.edges[i] {
		if e := p.g.Edges[n]; e.Verb == Owns && e.To == i && e.From != i {
			top = false
			roots = append(roots, p.markOwners(e.From)...)
		}
	}
	if top {
		return []int{i}
	}
	if i == 0 && len(roots) == 0 { // they own each other
		return []int{0}
	}
	return roots
}

// markOwned marks a node and what it owns.
func (p *treeBuilder) markOwned(i int, marks []bool) {
	marks[i] = true
	for _, n := range p.edges[i] {
		if e := p.g.Edges[n]; e.Verb == Owns && e.From == i && !marks[e.To] {
			p.markOwned(e.To, marks)
		}
	}
}

// followMode says which relations the rows below a node follow.
type followMode int

// The values of followMode. The rows below a neighbour of the focus follow all of its relations.
// Further down they follow only the outgoing ones; otherwise each node would list all pods that run
// on it.
const (
	followLineage followMode = iota
	followFocus
	followAll
	followOutgoing
)

// addChildren adds rows for a node's relations, and then the rows below those. All of the node's
// own rows come first, because a relation is shown only once and a deeper row might take it.
func (p *treeBuilder) addChildren(i, depth int, mode followMode) {
	owned := make([]bool, len(p.g.Nodes))
	p.markOwned(i, owned)
	var rows []Row
	var expand []bool
	for _, owns := range []bool{true, false} {
		for _, n := range p.edges[i] {
			e := p.g.Edges[n]
			if p.placed[n] || (e.Verb == Owns && e.From == i) != owns || mode == followLineage && !p.lineage[e.To] || (mode == followLineage || mode == followOutgoing) && e.From != i {
				continue
			}
			other := p.otherEnd(n, i)
			rows = append(rows, Row{Depth: depth, Node: other, Edges: p.takeEdges(other, i, owned)})
			expands := !p.expanded[other] && (owns || mode == followFocus || mode != followLineage && e.From == i)
			p.expanded[other] = p.expanded[other] || expands
			expand = append(expand, expands)
		}
	}
	if mode == followFocus || mode == followAll {
		mode++
	}
	for k, row := range rows {
		p.add(row)
		if expand[k] {
			p.addChildren(row.Node, depth+1, mode)
		}
	}
}

// takeEdges returns the edges between a node and its parent row. Then, unless the parent owns the
// node, it returns the edges between the node and what the parent owns.
func (p *treeBuilder) takeEdges(i, parent int, owned []bool) (edges []int) {
	for _, direct := range []bool{true, false} {
		for _, n := range p.edges[i] {
			far := p.otherEnd(n, i)
			if !p.placed[n] && (direct && far == parent || !direct && owned[far] && !owned[i]) {
				p.placed[n] = true
				edges = append(edges, n)
			}
		}
	}
	return edges
}

// otherEnd returns the other end of an edge.
func (p *treeBuilder) otherEnd(edge, end int) int {
	e := p.g.Edges[edge]
	if e.To == end {
		return e.From
	}
	return e.To
}

// hasUnplacedInto reports whether an edge that has no row yet leads to a node.
func (p *treeBuilder) hasUnplacedInto(i int) bool {
	return slices.ContainsFunc(p.edges[i], func(n int) bool { return !p.placed[n] && p.g.Edges[n].From != i })
}

func (p *treeBuilder) hasUnplaced(i int) bool {
	return slices.ContainsFunc(p.edges[i], func(n int) bool { return !p.placed[n] })
}
