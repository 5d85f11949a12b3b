package web

import (
	"fmt"
	"strconv"
	"strings"

	"watchglass/internal/detail"
	"watchglass/internal/detail/related"
	"watchglass/web/grid"
)

// The margins of a graph, and of a frame around its nodes, in pixels.
const (
	graphMargin = 16
	frameMargin = 6
)

// itemOf returns a node as an item of the graph or the list.
func (rt *relatedTab) itemOf(r *relatedState, at int) grid.Item {
	n := r.Nodes[at]
	it := grid.Item{Kind: n.Kind, Name: n.Name, State: n.State, Tone: n.Tone}
	if it.Kind == "" {
		it.Kind = n.Resource
	}
	if at == 0 {
		it.Look = "focal"
	}
	switch n.Presence {
	case related.Missing:
		it.State, it.Tone, it.Look = "not found", grid.Warning, it.Look+" absent"
	case related.Unknown:
		it.State, it.Tone, it.Look = "unknown", grid.Pending, it.Look+" absent"
	case related.Coming:
		it.State, it.Tone = "…", grid.Pending
	}
	key := detail.Ref{Namespace: n.Namespace, Name: n.Name}.Key()
	it.Title = strings.TrimSpace(it.Kind + " " + key + "\n" + it.State)
	if n.Error != "" {
		it.Title += "\n" + n.Error
	}
	switch {
	case n.More > 0:
		it.Name, it.Look = "and "+Count(n.More)+" more", "counted"
		it.Href = countedAddress(rt.address, r.Graph, at).String(rt.base)
		it.Action, it.Value = string(GoCounted), strconv.Itoa(at)
	case n.Name == "":
		it.Name = "can't be listed"
	case at > 0 && rt.drawer.resourceOf(detail.Ref{Resource: n.Resource}) != "":
		it.Action, it.Value = string(GoRelated), n.Resource+" "+key
		it.Href = rt.relatedAddress(it.Value).String(rt.base)
	}
	return it
}

func nodeKey(n related.Node) string {
	key := n.Resource + " " + detail.Ref{Namespace: n.Namespace, Name: n.Name}.Key()
	if n.More > 0 {
		key = "more " + key + " of " + n.Of.Resource + " " + n.Of.Name
	}
	return key
}

// letters is how many characters fit into a node of the graph.
const letters = 23

func (rt *relatedTab) pictureGraph(r *relatedState) grid.Picture {
	const margin = graphMargin
	out := grid.Picture{Label: "Objects related to " + rt.drawer.headName(), Width: r.layout.Width + 2*margin, Height: r.layout.Height + 2*margin, Focus: nodeKey(r.Nodes[0]), Least: 100 * related.MinScale}
	focus := r.layout.Nodes[0]
	out.FocusX, out.FocusY = focus.X+margin+related.NodeWidth/2, focus.Y+margin+related.NodeHeight/2
	for i, n := range r.Nodes {
		it := rt.itemOf(r, i)
		at := r.layout.Nodes[i]
		it.Key, it.X, it.Y, it.Width = nodeKey(n), at.X+margin, at.Y+margin, related.NodeWidth
		if n.Resource == "nodes" && len(it.Name) > letters {
			it.Name, _, _ = strings.Cut(it.Name, ".") // all nodes share the domain
		}
		it.Name = grid.Cut(it.Name, letters)
		out.Items = append(out.Items, it)
	}
	for _, b := range r.layout.Blocks {
		out.Frames = append(out.Frames, grid.Frame{X: b.X + margin - frameMargin, Y: b.Y + margin - frameMargin, Width: b.W + 2*frameMargin, Height: b.H + 2*frameMargin})
	}
	for _, l := range r.layout.Lines {
		out.Strokes = append(out.Strokes, r.stroke(l, margin))
	}
	return out
}

// stroke draws a line from the right edge of one end to the left edge of the other or, in a
// vertical layout, from the bottom edge to the top edge.
func (r *relatedState) stroke(l related.Line, margin int) grid.Stroke {
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
	return grid.Stroke{Path: path, Look: "line " + strings.ReplaceAll(l.Verb.String(), " ", "-")}
}
