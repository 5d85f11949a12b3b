package related

// BrokenPaths returns which nodes and edges are on a way from the focus to something broken. Each
// broken node has one way: the shortest, along owners where there are several.
func (g Graph) BrokenPaths() (nodes, edges []bool) {
	nodes, edges = make([]bool, len(g.Nodes)), make([]bool, len(g.Edges))
	if len(g.Nodes) == 0 {
		return nodes, edges
	}
	via, heads := g.ways(), g.memberships()
	for i := range g.Nodes {
		if !g.Nodes[i].Broken() {
			continue
		}
		at := i
		if via[at] < 0 && heads[at] >= 0 { // its group leads to the focus
			at = heads[at]
		}
		for via[at] >= 0 && !edges[via[at]] {
			e := g.Edges[via[at]]
			edges[via[at]] = true
			at = e.From + e.To - at
			nodes[at] = true
		}
	}
	return nodes, edges
}

// ways returns for each node the edge that leads towards the focus; -1 if there is none.
func (g Graph) ways() []int {
	next := make([][]int, len(g.Nodes))
	for _, owns := range []bool{true, false} {
		for i, e := range g.Edges {
			if (e.Verb == Owns) == owns && e.From != e.To {
				next[e.From] = append(next[e.From], i)
				next[e.To] = append(next[e.To], i)
			}
		}
	}
	via, reached := make([]int, len(g.Nodes)), make([]bool, len(g.Nodes))
	for i := range via {
		via[i] = -1
	}
	reached[0] = true
	for line := []int{0}; len(line) > 0; line = line[1:] {
		for _, i := range next[line[0]] {
			if other := g.Edges[i].From + g.Edges[i].To - line[0]; !reached[other] {
				reached[other], via[other] = true, i
				line = append(line, other)
			}
		}
	}
	return via
}
