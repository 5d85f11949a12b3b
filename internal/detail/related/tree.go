package related

import "slices"

// Row is a row of a graph shown as a tree: a node, with its relations to the row's parent and to
// what that parent owns.
type Row struct {
	Depth int
	Node  int
	Edges []int // indexes of edges; the node is one end of each
}

// planting builds the rows.
type planting struct {
	g     Graph
	edges [][]int // of each node
	told  []bool  // of each edge: a row has it
	shown []bool  // of each node: a row has it
	grown []bool  // of each node: its children have been added
	line  []bool  // the focus, its owners and what it owns
	rows  []Row
}

// Tree returns the rows of a graph. First come the owners, each above what it owns; then the
// objects related to the focus; then all others, each above what it leads to. Each edge is in
// exactly one row, and a node appears at most once below a row.
func Tree(g Graph) []Row {
	n := len(g.Nodes)
	p := &planting{g: g, edges: make([][]int, n), told: make([]bool, len(g.Edges)), shown: make([]bool, n), grown: make([]bool, n), line: make([]bool, n)}
	for i, e := range g.Edges {
		p.edges[e.From] = append(p.edges[e.From], i)
		if e.To != e.From {
			p.edges[e.To] = append(p.edges[e.To], i)
		}
	}
	roots := p.up(0)
	p.down(0, p.line)
	for _, root := range roots {
		if !p.grown[root] {
			p.grown[root] = true
			p.add(Row{Node: root})
			p.below(root, 1, inLine)
		}
	}
	p.below(0, 0, beside)
	for _, first := range []bool{true, false} {
		for i := range g.Nodes {
			if !p.line[i] && (!first || !p.ledTo(i)) && (!p.shown[i] || p.untold(i)) {
				p.grown[i] = true
				p.add(Row{Node: i})
				p.below(i, 1, allAround)
			}
		}
	}
	return p.rows
}

func (p *planting) add(row Row) {
	p.rows = append(p.rows, row)
	p.shown[row.Node] = true
}

// up marks a node and its owners, and returns the topmost ones.
func (p *planting) up(i int) (roots []int) {
	if p.line[i] {
		return nil
	}
	p.line[i] = true
	top := true
	for _, n := range p.edges[i] {
		if e := p.g.Edges[n]; e.Verb == Owns && e.To == i && e.From != i {
			top = false
			roots = append(roots, p.up(e.From)...)
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

// down marks a node and what it owns.
func (p *planting) down(i int, marks []bool) {
	marks[i] = true
	for _, n := range p.edges[i] {
		if e := p.g.Edges[n]; e.Verb == Owns && e.From == i && !marks[e.To] {
			p.down(e.To, marks)
		}
	}
}

// way says which relations the rows below a node follow.
type way int

// The ways. The rows below a neighbour of the focus follow all of its relations. Further down
// they follow only the outgoing ones; otherwise each node would list all pods that run on it.
const (
	inLine way = iota
	beside
	allAround
	forward
)

// below adds rows for a node's relations, and then the rows below those. All of the node's own
// rows come first, because a relation is shown only once and a deeper row might take it.
func (p *planting) below(i, depth int, to way) {
	owned := make([]bool, len(p.g.Nodes))
	p.down(i, owned)
	var rows []Row
	var on []bool
	for _, owns := range []bool{true, false} {
		for _, n := range p.edges[i] {
			e := p.g.Edges[n]
			if p.told[n] || (e.Verb == Owns && e.From == i) != owns || to == inLine && !p.line[e.To] || (to == inLine || to == forward) && e.From != i {
				continue
			}
			other := p.far(n, i)
			rows = append(rows, Row{Depth: depth, Node: other, Edges: p.ties(other, i, owned)})
			grows := !p.grown[other] && (owns || to == beside || to != inLine && e.From == i)
			p.grown[other] = p.grown[other] || grows
			on = append(on, grows)
		}
	}
	if to == beside || to == allAround {
		to++
	}
	for k, row := range rows {
		p.add(row)
		if on[k] {
			p.below(row.Node, depth+1, to)
		}
	}
}

// ties returns the edges between a node and its parent row. Then, unless the parent owns the
// node, it returns the edges between the node and what the parent owns.
func (p *planting) ties(i, parent int, owned []bool) (ties []int) {
	for _, direct := range []bool{true, false} {
		for _, n := range p.edges[i] {
			far := p.far(n, i)
			if !p.told[n] && (direct && far == parent || !direct && owned[far] && !owned[i]) {
				p.told[n] = true
				ties = append(ties, n)
			}
		}
	}
	return ties
}

// far returns the other end of an edge.
func (p *planting) far(edge, end int) int {
	e := p.g.Edges[edge]
	if e.To == end {
		return e.From
	}
	return e.To
}

// ledTo reports whether an edge that has no row yet leads to a node.
func (p *planting) ledTo(i int) bool {
	return slices.ContainsFunc(p.edges[i], func(n int) bool { return !p.told[n] && p.g.Edges[n].From != i })
}

func (p *planting) untold(i int) bool {
	return slices.ContainsFunc(p.edges[i], func(n int) bool { return !p.told[n] })
}
