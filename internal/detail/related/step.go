package related

import "sort"

// Direction is one of the four ways to move in a drawing.
type Direction int

// The values of Direction.
const (
	Left Direction = iota
	Up
	Right
	Down
)

// Step returns the node next to a node in a direction; the node itself if there is none. Along the
// drawing, that is a related one: against it an owner or another that leads here, with it one that
// the node owns or leads to. Across, it is the next one of the same layer, in the order in which
// they stand: shelf by shelf and column by column.
func (l *Layout) Step(g Graph, at int, way Direction) int {
	back, forth := Left, Right
	if l.Down {
		back, forth = Up, Down
	}
	switch way {
	case back:
		return l.along(g, at, false)
	case forth:
		return l.along(g, at, true)
	}
	var layer []int
	for i := range l.Nodes {
		if l.Layers[i] == l.Layers[at] {
			layer = append(layer, i)
		}
	}
	sort.Slice(layer, func(i, j int) bool {
		a, b := l.Nodes[layer[i]], l.Nodes[layer[j]]
		if l.Down {
			return a.Y < b.Y || a.Y == b.Y && a.X < b.X
		}
		return a.X < b.X || a.X == b.X && a.Y < b.Y
	})
	by := 1
	if way == Left || way == Up {
		by = -1
	}
	for i, node := range layer {
		if next := i + by; node == at && next >= 0 && next < len(layer) {
			return layer[next]
		}
	}
	return at
}

// along returns a node that a node, or its group, is related to: an owner, or what it owns, before
// others, and the nearest of those.
func (l *Layout) along(g Graph, at int, forth bool) int {
	best, least := at, 0
	from, head := l.Nodes[at], g.memberships()[at]
	for _, e := range g.Edges {
		near, far := e.To, e.From
		if forth {
			near, far = e.From, e.To
		}
		if near != at && (near != head || head < 0) || far == at {
			continue
		}
		to := l.Nodes[far]
		distance := max(to.X-from.X, from.X-to.X) + max(to.Y-from.Y, from.Y-to.Y)
		if e.Verb != Owns {
			distance += l.Width + l.Height
		}
		if best == at || distance < least {
			best, least = far, distance
		}
	}
	return best
}
