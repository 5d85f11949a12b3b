package relations

import (
	"slices"
	"strings"

	"watchglass/internal/detail/related"
	"watchglass/web/grid"
)

// The dimensions of the list, in pixels.
const (
	treeRow    = 26
	treeIndent = 18
)

// pictureTree returns the list as a picture, and the node of each of its rows.
func (t *Tab) pictureTree(r *state) (out grid.Picture, nodes []int) {
	on := r.highlights()
	out = grid.Picture{Tree: true, Label: t.label(), Height: len(r.rows) * treeRow, Focus: nodeKey(r.graph.Nodes[0])}
	for i, row := range r.rows {
		it := t.itemOf(r, row.Node)
		r.relate(&it, row, on)
		it.Key, it.X, it.Y, it.Level = nodeKey(r.graph.Nodes[row.Node]), row.Depth*treeIndent, i*treeRow, row.Depth+1
		r.labelRow(&it, row)
		out.Items, nodes = append(out.Items, it), append(nodes, row.Node)
	}
	return out, nodes
}

// labelRow says how a row's node relates to its parent row. The title lists the row's further
// relations. Plain ownership is left out, since the indentation shows it.
func (r *state) labelRow(it *grid.Item, row related.Row) {
	var edges, verbs []string
	for k, n := range row.Edges {
		e := r.graph.Edges[n]
		edges = append(edges, nodeKey(r.graph.Nodes[e.From])+"|"+e.Verb.String()+"|"+nodeKey(r.graph.Nodes[e.To]))
		verb, back, far := e.Verb.String(), e.Verb.Back(), e.From
		if far == row.Node {
			verb, back, far = back, verb, e.To
		}
		if k > 0 {
			it.Title += "\n" + back + " " + r.callNode(far)
		}
		if !slices.Contains(verbs, verb) && (len(row.Edges) > 1 || verb != related.Owns.String()) {
			verbs = append(verbs, verb)
		}
	}
	it.Edge, it.Verb = strings.Join(edges, "\n"), strings.Join(verbs, ", ")
	if it.Edge != "" {
		it.Key += "|" + it.Edge
	}
}
