package relations

import (
	"slices"
	"strconv"

	"watchglass/internal/detail/related"
	"watchglass/web/grid"
)

// directions are those of the arrow keys.
var directions = map[string]related.Direction{"ArrowLeft": related.Left, "ArrowUp": related.Up, "ArrowRight": related.Right, "ArrowDown": related.Down}

// move moves the focus: with Home to the open object, with an arrow key along the relations of the
// graph, or through the list as through any tree.
func (t *Tab) move(key string) {
	if t.shown == nil || len(t.shown.Nodes) == 0 {
		return
	}
	items := t.shown.shown.Items
	at := slices.IndexFunc(items, func(i grid.Item) bool { return i.Reached })
	if at < 0 {
		return
	}
	switch {
	case key == "Home":
		at = slices.IndexFunc(items, func(i grid.Item) bool { return i.Current })
	case t.shown.tree:
		if closed := items[at].Expanded; closed == "false" && key == "ArrowRight" || closed == "true" && key == "ArrowLeft" {
			t.expand(items[at].Value)
			return
		}
		at = stepInList(items, at, key)
	default:
		r := t.shown
		to := r.layout.Step(r.graph, r.nodes[at], directions[key])
		at = slices.Index(r.nodes, to)
	}
	t.reach(at)
}

// stepInList returns the item of a list that an arrow key leads to: a line up or down, the item
// that this one is below, or the first one below it.
func stepInList(items []grid.Item, at int, key string) int {
	switch key {
	case "ArrowUp":
		return max(at-1, 0)
	case "ArrowDown":
		return min(at+1, len(items)-1)
	case "ArrowRight":
		if at+1 < len(items) && items[at+1].Level > items[at].Level {
			return at + 1
		}
	case "ArrowLeft":
		for i := at - 1; i >= 0; i-- {
			if items[i].Level < items[at].Level {
				return i
			}
		}
	}
	return at
}

// reach gives an item the focus.
func (t *Tab) reach(at int) {
	t.change(func(r *state) { r.at = r.shown.Items[at].Key })
	t.paint()
	t.Host.Browser().Focus("item-" + strconv.Itoa(at))
}

// pan moves what is beyond an edge into view, and gives the nearest of it the focus: the chip on
// the edge may be gone.
func (t *Tab) pan(value string) {
	edge, err := strconv.Atoi(value)
	if err != nil || t.shown == nil || t.graph == nil {
		return
	}
	key := t.graph.Pan(grid.Edge(edge))
	if at := slices.IndexFunc(t.shown.shown.Items, func(i grid.Item) bool { return i.Key == key }); at >= 0 {
		t.reach(at)
	}
}
