package relations

import (
	"fmt"
	"strings"

	"watchglass/internal/detail/related"
	"watchglass/web/grid"
)

// The margins of a graph, and of a frame around its nodes, in pixels.
const (
	graphMargin = 16
	frameMargin = 6
)

// letters is how many characters fit into a node of the graph that is not scaled. A smaller one has
// text of the same size.
const letters = 25

// pictureGraph returns the graph as a picture, and the node of each of its items. They are in the
// order of the list, in which they are read.
func (t *Tab) pictureGraph(r *state) (out grid.Picture, nodes []int) {
	const margin = graphMargin
	out = grid.Picture{Label: t.label(), Width: r.layout.Width + 2*margin, Height: r.layout.Height + 2*margin, Focus: nodeKey(r.graph.Nodes[0]), Least: 100 * related.MinScale}
	focus := r.layout.Nodes[0]
	out.FocusX, out.FocusY = focus.X+margin+related.NodeWidth/2, focus.Y+margin+related.NodeHeight/2
	most := int(letters * r.scale())
	on := r.highlights()
	shown := make([]bool, len(r.graph.Nodes))
	for _, row := range r.rows {
		n := r.graph.Nodes[row.Node]
		if shown[row.Node] {
			continue
		}
		shown[row.Node] = true
		it := t.itemOf(r, row.Node)
		r.relate(&it, row, on)
		at := r.layout.Nodes[row.Node]
		it.Key, it.X, it.Y, it.Width, it.Height, it.Level = nodeKey(n), at.X+margin, at.Y+margin, related.NodeWidth, related.NodeHeight, row.Depth+1
		if n.Resource == "nodes" && len(it.Name) > most {
			it.Name, _, _ = strings.Cut(it.Name, ".") // all nodes share the domain
		}
		it.Most, it.States = most, abbreviate(it.States, most)
		out.Items, nodes = append(out.Items, it), append(nodes, row.Node)
	}
	for _, b := range r.layout.Blocks {
		out.Frames = append(out.Frames, grid.Frame{X: b.X + margin - frameMargin, Y: b.Y + margin - frameMargin, Width: b.W + 2*frameMargin, Height: b.H + 2*frameMargin})
	}
	for _, l := range r.layout.Lines {
		out.Strokes = append(out.Strokes, r.stroke(l, margin))
	}
	return out, nodes
}

// scale returns the scale at which the graph is shown at first.
func (r *state) scale() float64 {
	if r.room.Width <= 0 || r.room.Height <= 0 {
		return 1
	}
	fits := min(float64(r.room.Width)/float64(r.layout.Width), float64(r.room.Height)/float64(r.layout.Height), 1)
	return max(fits, related.MinScale)
}

// stroke draws a line from the right edge of one end to the left edge of the other or, in a
// vertical layout, from the bottom edge to the top edge.
func (r *state) stroke(l related.Line, margin int) grid.Stroke {
	box := func(end int) (at, size [2]int) { // along the layout, and across it
		x, y, w, h := 0, 0, related.NodeWidth, related.NodeHeight
		if end < 0 {
			b := r.layout.Blocks[-1-end]
			x, y, w, h = b.X-frameMargin, b.Y-frameMargin, b.W+2*frameMargin, b.H+2*frameMargin
		} else {
			x, y = r.layout.Nodes[end].X, r.layout.Nodes[end].Y
		}
		if x, y = x+margin, y+margin; r.layout.Down {
			return [2]int{y, x}, [2]int{h, w}
		}
		return [2]int{x, y}, [2]int{w, h}
	}
	const least = 30 // pixels before the line bends
	a, aSize := box(l.From)
	b, bSize := box(l.To)
	from, to := a[0]+aSize[0], b[0]
	bend := max((to-from)/2, least)
	end := to - bend
	switch {
	case b[0]+bSize[0] <= a[0]: // backwards
		from, to = a[0], b[0]+bSize[0]
		bend = -max((from-to)/2, least)
		end = to - bend
	case b[0] < from: // side by side
		to = b[0] + bSize[0]
		end = to + bend
	}
	across, toAcross := a[1]+aSize[1]/2, b[1]+bSize[1]/2
	points := [8]int{from, across, from + bend, across, end, toAcross, to, toAcross}
	if r.layout.Down {
		for i := 0; i < len(points); i += 2 {
			points[i], points[i+1] = points[i+1], points[i]
		}
	}
	path := fmt.Sprintf("M%d %dC%d %d %d %d %d %d", points[0], points[1], points[2], points[3], points[4], points[5], points[6], points[7])
	look := "line " + strings.ReplaceAll(l.Verb.String(), " ", "-")
	if l.Broken {
		look += " broken"
	}
	return grid.Stroke{Path: path, Look: look}
}
