package relations

import (
	"encoding/json"
	"slices"
	"strconv"

	"watchglass/internal/detail/related"
	"watchglass/web/grid"
	"watchglass/web/tab"
	"watchglass/web/ui"
)

// The actions of the tab.
const (
	GoObject  ui.Action = "related-object" // value: as for ui.GoObject
	GoCounted ui.Action = "related-list"   // value: the index of a node
	ShowGraph ui.Action = "related-graph"
	ShowList  ui.Action = "related-tree"
	Expand    ui.Action = "related-expand" // value: the name of a group
	Zoom      ui.Action = "related-zoom"   // value: percent, or 0 to fit
	Move      ui.Action = "related-move"   // value: an arrow key, or Home
	ShowKinds ui.Action = "related-kinds"  // lists the kinds that were not searched
	Sweep     ui.Action = "related-sweep"
)

// state is the state of the Related tab. It is immutable.
type state struct {
	related.Picture
	graph  related.Graph // with like objects in groups
	tree   bool
	rows   []related.Row
	nodes  []int           // the node of each item that is shown
	layout *related.Layout // of this graph if laid is set, else of the previous one
	room   related.Room    // the layout's room
	laid   bool
	shown  grid.Picture
	at     string          // key of the focused item
	kinds  bool            // the kinds that were not searched are listed
	asked  related.Options // the searches of all kinds
}

// Tab shows the objects related to the object, as a graph or a tree.
type Tab struct {
	tab.Base
	shown     *state            // nil unless the tab is open; immutable
	graph     grid.GraphPainter // nil until its element is attached
	treeFirst bool              // show trees instead of graphs at first
}

// New returns the tab.
func New(h tab.Host) *Tab { return &Tab{Base: tab.Base{Host: h}} }

// Commands returns what can be done in the tab.
func (t *Tab) Commands() []ui.Command {
	return []ui.Command{
		{ID: Zoom, Run: t.zoom, Value: "125", Keys: []string{"+"}, Title: "Zoom in"},
		{ID: Zoom, Value: "80", Keys: []string{"-"}, Title: "Zoom out"},
		{ID: Zoom, Value: "0", Keys: []string{"0"}, Title: "Zoom to fit"},
		{ID: Move, Run: t.move, Value: "ArrowLeft", Keys: []string{"ArrowLeft"}, Title: "Move to owner"},
		{ID: Move, Value: "ArrowRight", Keys: []string{"ArrowRight"}, Title: "Move to owned object"},
		{ID: Move, Value: "ArrowUp", Keys: []string{"ArrowUp"}, Title: "Move to previous object"},
		{ID: Move, Value: "ArrowDown", Keys: []string{"ArrowDown"}, Title: "Move to next object"},
		{ID: Move, Value: "Home", Keys: []string{"Home"}, Title: "Move to open object"},
		{ID: GoObject, Run: t.goObject},
		{ID: GoCounted, Run: t.goCounted},
		{ID: Expand, Run: t.expand},
		{ID: ui.PanGraph, Run: t.pan},
		{ID: Sweep, Do: t.sweep},
		{ID: ShowKinds, Do: t.toggleKinds},
		{ID: ShowGraph, Do: func() { t.shape(false) }},
		{ID: ShowList, Do: func() { t.shape(true) }},
	}
}

// change replaces the state with a changed copy.
func (t *Tab) change(f func(r *state)) {
	next := *t.shown
	f(&next)
	t.shown = &next
}

// shape switches between tree and graph.
func (t *Tab) shape(tree bool) {
	t.change(func(r *state) { r.tree = tree })
	t.Host.Browser().Remember(t.shapeName(), map[bool]string{false: "graph", true: "tree"}[tree])
	t.paint()
	t.Host.Redraw()
}

func (t *Tab) zoom(value string) {
	if percent, err := strconv.Atoi(value); err == nil && t.graph != nil && !t.shown.tree {
		t.graph.Zoom(percent)
	}
}

// toggleKinds shows or hides the list of kinds that were not searched.
func (t *Tab) toggleKinds() {
	t.change(func(r *state) { r.kinds = !r.kinds })
	t.Host.Redraw()
}

// sweep requests a search of all kinds.
func (t *Tab) sweep() {
	t.change(func(r *state) { r.asked.Sweep++ })
	t.Host.Follow()
}

// Attach gives the tab the element that graphs are painted into. On a narrow screen they begin as trees, unless the user
// has chosen otherwise.
func (t *Tab) Attach(painter grid.GraphPainter, narrow bool) {
	t.graph, t.treeFirst = painter, narrow
	if t.shown != nil {
		t.change(func(r *state) { r.tree = t.asTree() })
	}
	t.paint()
}

// asTree reports whether the list is shown at first instead of the graph.
func (t *Tab) asTree() bool {
	shape := t.Host.Browser().Recall(t.shapeName())
	return shape == "tree" || shape == "" && t.treeFirst
}

// shapeName is the name under which the choice is remembered: narrow windows have their own.
func (t *Tab) shapeName() string {
	if t.treeFirst {
		return "related-narrow"
	}
	return "related"
}

// Open shows nothing until the relations have arrived.
func (t *Tab) Open() { t.shown = &state{tree: t.asTree()} }

// Close forgets the relations, and wipes the graph.
func (t *Tab) Close() {
	t.shown = nil
	if t.graph != nil {
		t.graph.Show(grid.Picture{})
	}
}

// Options returns which search of all kinds was requested, if any was.
func (t *Tab) Options() any {
	if r := t.shown; r != nil && r.asked.Sweep > 0 {
		return r.asked
	}
	return nil
}

// OnDetail shows the relations that the worker has found.
func (t *Tab) OnDetail(doc []byte) bool {
	before := t.shown
	var next state
	if before == nil || json.Unmarshal(doc, &next.Picture) != nil || len(next.Nodes) == 0 {
		return false
	}
	next.tree, next.at, next.kinds, next.asked, next.layout = before.tree, before.at, before.kinds, before.asked, before.layout
	t.fold(&next)
	t.shown = &next
	t.paint()
	return true
}

// paint paints the related objects, as a graph or a list. Tab reaches the item that had the focus
// last, or the open object.
func (t *Tab) paint() {
	r := t.shown
	if t.graph == nil || r == nil || len(r.Nodes) == 0 {
		return
	}
	next := *r
	if next.tree {
		next.shown, next.nodes = t.pictureTree(r)
	} else {
		next.arrange(t.graph.Room())
		next.shown, next.nodes = t.pictureGraph(&next)
	}
	next.shown.Loading = r.Coming
	reached := -1
	for _, same := range []func(i grid.Item) bool{
		func(i grid.Item) bool { return i.Key == next.at },
		func(i grid.Item) bool { return itemNode(i.Key) == itemNode(next.at) },
		func(i grid.Item) bool { return i.Current },
	} {
		if reached < 0 {
			reached = slices.IndexFunc(next.shown.Items, same)
		}
	}
	next.shown.Items[reached].Reached = true
	t.shown = &next
	t.graph.Show(next.shown)
}

// arrange lays out the graph for the given room, unless that is done.
func (r *state) arrange(width, height int) {
	room := related.Room{Width: width - 2*graphMargin, Height: height - 2*graphMargin}
	if r.layout == nil || !r.laid || room != r.room {
		r.layout, r.room, r.laid = related.Arrange(r.graph, r.layout, room), room, true
	}
}

// Resize lays the graph out for the room that it has now. A window that has become narrow, or
// wide, shows what was last chosen in such a window.
func (t *Tab) Resize(narrow bool) {
	if narrow != t.treeFirst {
		t.Attach(t.graph, narrow)
		t.Host.Redraw()
		return
	}
	if r := t.shown; r != nil && !r.tree {
		t.paint()
	}
}
