package related

import (
	"cmp"
	"sort"
)

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
// they stand, and after the last one the first of the next layer: so keys lead everywhere.
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
	all := make([]int, len(l.Nodes))
	for i := range all {
		all[i] = i
	}
	sort.Slice(all, func(i, j int) bool {
		a, b := l.Nodes[all[i]], l.Nodes[all[j]]
		if l.Down {
			a, b = Point{a.Y, a.X}, Point{b.Y, b.X}
		}
		return cmp.Or(l.Layers[all[i]]-l.Layers[all[j]], a.X-b.X, a.Y-b.Y) < 0
	})
	by := 1
	if way == Left || way == Up {
		by = -1
	}
	for i, node := range all {
		if next := i + by; node == at && next >= 0 && next < len(all) {
			return all[next]
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
