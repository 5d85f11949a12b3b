package related

import "slices"

// Row is one of the lines that tell a graph as a tree: a node, and how it stands to the
// one that the row is below, if it does.
type Row struct {
	Depth int
	Node  int
	Edge  int // its place among the edges, or -1
	Out   bool
}

// planting makes the rows.
type planting struct {
	g     Graph
	edges [][]int // of each node
	told  []bool  // of each edge
	seen  []bool  // of each node
	line  []bool  // the focus, its owners and what it owns
	rows  []Row
}

// Tree are the rows of a graph. First come the owners, each with what it owns below it;
// then all others, each with what it has to do with those, and those before. Each edge is
// in one row.
func Tree(g Graph) []Row {
	p := &planting{g: g, edges: make([][]int, len(g.Nodes)), told: make([]bool, len(g.Edges)), seen: make([]bool, len(g.Nodes)), line: make([]bool, len(g.Nodes))}
	for i, e := range g.Edges {
		p.edges[e.From] = append(p.edges[e.From], i)
		if e.To != e.From {
			p.edges[e.To] = append(p.edges[e.To], i)
		}
	}
	roots := p.up(0)
	p.down(0)
	for _, root := range roots {
		if !p.seen[root] {
			p.grow(root, Row{Node: root, Edge: -1})
		}
	}
	var later []int
	for i := range g.Nodes {
		if p.line[i] {
			continue
		}
		if e := p.toFocus(i); e >= 0 {
			p.beside(i, e)
		} else {
			later = append(later, i)
		}
	}
	for _, i := range later {
		p.beside(i, -1)
	}
	return p.rows
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

// down marks what a node owns.
func (p *planting) down(i int) {
	for _, n := range p.edges[i] {
		if e := p.g.Edges[n]; e.Verb == Owns && e.From == i && !p.line[e.To] {
			p.line[e.To] = true
			p.down(e.To)
		}
	}
}

// grow adds a node and what it owns.
func (p *planting) grow(i int, row Row) {
	p.rows = append(p.rows, row)
	if p.seen[i] {
		return
	}
	p.seen[i] = true
	for _, owned := range []bool{true, false} {
		for _, n := range p.edges[i] {
			e := p.g.Edges[n]
			if e.From == i && p.line[e.To] && !p.told[n] && (e.Verb == Owns) == owned {
				p.told[n] = true
				next := Row{Depth: row.Depth + 1, Node: e.To, Edge: n, Out: true}
				if owned {
					p.grow(e.To, next)
				} else {
					p.rows = append(p.rows, next)
				}
			}
		}
	}
}

// toFocus is the edge between a node and the focus, or -1.
func (p *planting) toFocus(i int) int {
	at := slices.IndexFunc(p.edges[i], func(n int) bool {
		e := p.g.Edges[n]
		return e.From == 0 || e.To == 0
	})
	if at < 0 {
		return -1
	}
	return p.edges[i][at]
}

// beside adds a node that is not in line with the focus, by its edge to that if it has
// one, and its other edges below.
func (p *planting) beside(i, edge int) {
	row := Row{Node: i, Edge: edge}
	if edge >= 0 {
		p.told[edge], row.Out = true, p.g.Edges[edge].From == 0
	}
	p.rows = append(p.rows, row)
	for _, n := range p.edges[i] {
		if p.told[n] {
			continue
		}
		p.told[n] = true
		e := p.g.Edges[n]
		other := e.To
		if e.To == i {
			other = e.From
		}
		p.rows = append(p.rows, Row{Depth: 1, Node: other, Edge: n, Out: e.From == i})
	}
}
