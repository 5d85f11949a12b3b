package related

import "slices"

// Row is one of the lines that tell a graph as a tree: a node, and how it stands to the
// one that the row is below, and to what that one owns.
type Row struct {
	Depth int
	Node  int
	Edges []int // their places among the edges: each has the node as one of its ends
}

// planting makes the rows.
type planting struct {
	g     Graph
	edges [][]int // of each node
	told  []bool  // of each edge
	shown []bool  // of each node
	grown []bool  // of each node: what is below it stands there
	line  []bool  // the focus, its owners and what it owns
	rows  []Row
}

// Tree are the rows of a graph. First come the owners, each with what it owns below it;
// then who has to do with the focus, and then all others, each with what it leads to
// below. Each edge is in one row, and below a row a node is once at most.
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

// up marks a node and its owners, and returns the first of them.
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

// way is where rows lead.
type way int

// The ways. Below what was come to beside the focus is all around it; below that there is
// only what it leads to, or each node would have all pods below it that run there.
const (
	inLine way = iota
	beside
	allAround
	forward
)

// below adds rows for what a node has to do with, and what is below these. All of its own
// come before any of theirs, or these would tell what is its own.
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

// ties are the edges between a node and the one that it is below, and then, unless that
// owns it too, what that one owns.
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

// far is the other end of an edge.
func (p *planting) far(edge, end int) int {
	e := p.g.Edges[edge]
	if e.To == end {
		return e.From
	}
	return e.To
}

// ledTo reports whether something leads to a node that no row has told.
func (p *planting) ledTo(i int) bool {
	return slices.ContainsFunc(p.edges[i], func(n int) bool { return !p.told[n] && p.g.Edges[n].From != i })
}

func (p *planting) untold(i int) bool {
	return slices.ContainsFunc(p.edges[i], func(n int) bool { return !p.told[n] })
}
