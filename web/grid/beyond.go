package grid

import (
	"sort"
	"strconv"
	"strings"
)

// Edge is an edge of a pane.
type Edge int

// The edges.
const (
	LeftEdge Edge = iota
	TopEdge
	RightEdge
	BottomEdge
	edges
)

// arrows point to what is beyond an edge.
var arrows = [edges]string{"◂", "▴", "▸", "▾"}

// Beyond describes what a graph has beyond an edge of its pane.
type Beyond struct {
	Text   string // "" if there is nothing
	Broken bool
}

// fromCentre returns the way from the centre of the pane to an item, in pixels.
func (c *Camera) fromCentre(i Item, now Pane) (way Vector) {
	off := c.offCentre(i.centre(), now)
	return Vector{-off[0] * c.scale * now.Size[0], -off[1] * c.scale * now.Size[1]}
}

// beyond returns the edge beyond which an item is, judging by its centre. Beyond a corner it is the
// edge that is further away.
func (c *Camera) beyond(i Item, now Pane) (edge Edge, ok bool) {
	way := c.fromCentre(i, now)
	axis := 0
	if abs(way[1])-now.Size[1]/2 > abs(way[0])-now.Size[0]/2 {
		axis = 1
	}
	edge = [2]Edge{LeftEdge, TopEdge}[axis]
	if way[axis] > 0 {
		edge += RightEdge - LeftEdge
	}
	return edge, abs(way[axis]) > now.Size[axis]/2
}

func abs(v float64) float64 { return max(v, -v) }

// Beyond describes what is beyond each edge of the pane.
func (c *Camera) Beyond(now Pane) (out [edges]Beyond) {
	if c.tree || now.hidden() || c.scale == 0 {
		return out
	}
	var counts [edges]tally
	for _, it := range c.items {
		if edge, ok := c.beyond(it, now); ok {
			counts[edge].add(it)
		}
	}
	for edge, t := range counts {
		if text := t.String(); text != "" {
			out[edge] = Beyond{Text: text + " " + arrows[edge], Broken: t.broken > 0}
			if Edge(edge) == LeftEdge {
				out[edge].Text = arrows[edge] + " " + text
			}
		}
	}
	return out
}

// Towards returns the nearest item beyond an edge, and the way from the centre of the pane to it,
// in pixels: a broken item if there is one.
func (c *Camera) Towards(edge Edge, now Pane) (key string, by Vector) {
	least, broken := 0.0, false
	for _, it := range c.items {
		if at, ok := c.beyond(it, now); !ok || at != edge {
			continue
		}
		way := c.fromCentre(it, now)
		far := abs(way[0]) + abs(way[1])
		if bad := it.Broken > 0; key == "" || bad && !broken || bad == broken && far < least {
			key, least, broken, by = it.Key, far, bad, way
		}
	}
	return key, by
}

// tally counts items by their names.
type tally struct {
	names  []string // their plurals
	counts map[string]int
	ones   map[string]string
	broken int
}

func (t *tally) add(i Item) {
	if i.Count == 0 {
		return
	}
	if t.counts == nil {
		t.counts, t.ones = make(map[string]int), make(map[string]string)
	}
	if t.counts[i.Many] == 0 {
		t.names, t.ones[i.Many] = append(t.names, i.Many), i.One
	}
	t.counts[i.Many] += i.Count
	t.broken += i.Broken
}

// tallied is how many names are in the text of a tally; the others are counted together.
const tallied = 2

// String returns the counts, the largest first: "12 pods, 1 node, 4 more · 2 failing".
func (t *tally) String() string {
	sort.SliceStable(t.names, func(i, j int) bool { return t.counts[t.names[i]] > t.counts[t.names[j]] })
	var words []string
	rest := 0
	for i, many := range t.names {
		switch n := t.counts[many]; {
		case i >= tallied:
			rest += n
		case n == 1:
			words = append(words, "1 "+t.ones[many])
		default:
			words = append(words, strconv.Itoa(n)+" "+many)
		}
	}
	if rest > 0 {
		words = append(words, strconv.Itoa(rest)+" more")
	}
	text := strings.Join(words, ", ")
	if t.broken > 0 {
		text += " · " + strconv.Itoa(t.broken) + " failing"
	}
	return text
}
