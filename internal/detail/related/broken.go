package related

// BrokenPaths returns which nodes and edges are on a way from the focus to something broken. Each
// broken node has one way: the shortest, along owners where there are several. A group is passed
// through any of its members.
func (g Graph) BrokenPaths() (nodes, edges []bool) {
	nodes, edges = make([]bool, len(g.Nodes)), make([]bool, len(g.Edges))
	if len(g.Nodes) == 0 {
		return nodes, edges
	}
	of := g.groupHeads()
	via, back := g.ways(of)
	for i := range g.Nodes {
		if !g.Nodes[i].Broken() {
			continue
		}
		for at := of[i]; via[at] >= 0 && !edges[via[at]]; {
			edges[via[at]] = true
			nodes[back[at]] = true
			at = of[back[at]]
			nodes[at] = true
		}
	}
	return nodes, edges
}

// ways returns for each node that is in no group, and for each head, the edge that leads towards
// the focus, and the node there; -1 if there is none.
func (g Graph) ways(of []int) (via, back []int) {
	next := make([][]int, len(g.Nodes))
	for _, owns := range []bool{true, false} {
		for i, e := range g.Edges {
			if from, to := of[e.From], of[e.To]; (e.Verb == Owns) == owns && from != to {
				next[from], next[to] = append(next[from], i), append(next[to], i)
			}
		}
	}
	via, back = make([]int, len(g.Nodes)), make([]int, len(g.Nodes))
	reached := make([]bool, len(g.Nodes))
	for i := range via {
		via[i] = -1
	}
	reached[0] = true
	for line := []int{0}; len(line) > 0; line = line[1:] {
		for _, i := range next[line[0]] {
			near, far := g.Edges[i].From, g.Edges[i].To
			if of[near] != line[0] {
				near, far = far, near
			}
			if to := of[far]; !reached[to] {
				reached[to], via[to], back[to] = true, i, near
				line = append(line, to)
			}
		}
	}
	return via, back
}
