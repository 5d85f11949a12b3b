package web

import (
	"encoding/json"
	"slices"
	"strconv"

	"watchglass/internal/detail/related"
	"watchglass/web/grid"
	"watchglass/web/ui"
)

// The actions of the tab.
const (
	GoRelated   ui.Action = "related-object" // value: as for ui.GoObject
	GoCounted   ui.Action = "related-list"   // value: the index of a node
	ShapeGraph  ui.Action = "related-graph"
	ShapeTree   ui.Action = "related-tree"
	ExpandGroup ui.Action = "related-expand" // value: the name of a group
	ZoomGraph   ui.Action = "related-zoom"   // value: percent, or 0 to fit
	PanGraph    ui.Action = "related-pan"    // value: an edge
	MoveInGraph ui.Action = "related-move"   // value: an arrow key, or Home
	ShowKinds   ui.Action = "related-kinds"  // lists the kinds that were not searched
	SweepKinds  ui.Action = "related-sweep"
)

// relatedState is the state of the Related tab. It is immutable.
type relatedState struct {
	related.Picture
	graph  related.Graph // with like objects in groups
	tree   bool
	rows   []related.Row
	nodes  []int           // the node of each item that is shown
	layout *related.Layout // of this graph if laid is set, else of the previous one
	room   related.Room    // the layout's room
	laid   bool
	shown  grid.Picture
	at     string // key of the focused item
	kinds  bool   // the kinds that were not searched are listed
	asked  related.Options
}

// relatedKeys are the keys of the tab.
var relatedKeys = []ui.Binding{
	{Keys: []string{"+"}, Action: ZoomGraph, Value: "125", Help: "Zoom in", Drawer: true},
	{Keys: []string{"-"}, Action: ZoomGraph, Value: "80", Help: "Zoom out", Drawer: true},
	{Keys: []string{"0"}, Action: ZoomGraph, Value: "0", Help: "Zoom to fit", Drawer: true},
	{Keys: []string{"ArrowLeft"}, Action: MoveInGraph, Value: "ArrowLeft", Help: "Move to owner", Drawer: true},
	{Keys: []string{"ArrowRight"}, Action: MoveInGraph, Value: "ArrowRight", Help: "Move to owned object", Drawer: true},
	{Keys: []string{"ArrowUp"}, Action: MoveInGraph, Value: "ArrowUp", Help: "Move to previous object", Drawer: true},
	{Keys: []string{"ArrowDown"}, Action: MoveInGraph, Value: "ArrowDown", Help: "Move to next object", Drawer: true},
	{Keys: []string{"Home"}, Action: MoveInGraph, Value: "Home", Help: "Move to open object", Drawer: true},
}

// relatedTab shows the objects related to the object, as a graph or a tree.
type relatedTab struct {
	tabBase
	shown     *relatedState     // nil unless the tab is open; immutable
	graph     grid.GraphPainter // nil until its element is attached
	treeFirst bool              // show trees instead of graphs at first
}

func (rt *relatedTab) Actions() map[ui.Action]func(string) {
	return map[ui.Action]func(string){
		GoRelated: rt.goObject, GoCounted: rt.goCounted, ExpandGroup: rt.expand, ZoomGraph: rt.zoom, PanGraph: rt.pan, MoveInGraph: rt.move, SweepKinds: ui.IgnoreValue(rt.sweep), ShowKinds: ui.IgnoreValue(rt.toggleKinds),
		ShapeGraph: ui.IgnoreValue(func() { rt.shape(false) }), ShapeTree: ui.IgnoreValue(func() { rt.shape(true) }),
	}
}

// change replaces the state with a changed copy.
func (rt *relatedTab) change(f func(r *relatedState)) {
	next := *rt.shown
	f(&next)
	rt.shown = &next
}

// shape switches between tree and graph.
func (rt *relatedTab) shape(tree bool) {
	rt.change(func(r *relatedState) { r.tree = tree })
	rt.browser.Remember(rt.shapeName(), map[bool]string{false: "graph", true: "tree"}[tree])
	rt.paint()
	rt.redraw()
}

func (rt *relatedTab) zoom(value string) {
	if percent, err := strconv.Atoi(value); err == nil && rt.graph != nil && !rt.shown.tree {
		rt.graph.Zoom(percent)
	}
}

// toggleKinds shows or hides the list of kinds that were not searched.
func (rt *relatedTab) toggleKinds() {
	rt.change(func(r *relatedState) { r.kinds = !r.kinds })
	rt.redraw()
}

// sweep requests a search of all kinds.
func (rt *relatedTab) sweep() {
	rt.change(func(r *relatedState) { r.asked.Sweep++ })
	rt.drawer.Follow()
}

func (rt *relatedTab) attach(painter grid.GraphPainter, narrow bool) {
	rt.graph, rt.treeFirst = painter, narrow
	if rt.shown != nil {
		rt.change(func(r *relatedState) { r.tree = rt.asTree() })
	}
	rt.paint()
}

// asTree reports whether the list is shown at first instead of the graph.
func (rt *relatedTab) asTree() bool {
	shape := rt.browser.Recall(rt.shapeName())
	return shape == "tree" || shape == "" && rt.treeFirst
}

// shapeName is the name under which the choice is remembered: narrow windows have their own.
func (rt *relatedTab) shapeName() string {
	if rt.treeFirst {
		return "related-narrow"
	}
	return "related"
}

func (rt *relatedTab) Open() { rt.shown = &relatedState{tree: rt.asTree()} }

func (rt *relatedTab) Close() {
	rt.shown = nil
	if rt.graph != nil {
		rt.graph.Show(grid.Picture{})
	}
}

// Options returns which search of all kinds was requested, if any was.
func (rt *relatedTab) Options() any {
	if r := rt.shown; r != nil && r.asked.Sweep > 0 {
		return r.asked
	}
	return nil
}

func (rt *relatedTab) OnDetail(doc []byte) bool {
	before := rt.shown
	var next relatedState
	if before == nil || json.Unmarshal(doc, &next.Picture) != nil || len(next.Nodes) == 0 {
		return false
	}
	next.tree, next.at, next.kinds, next.asked, next.layout = before.tree, before.at, before.kinds, before.asked, before.layout
	rt.fold(&next)
	rt.shown = &next
	rt.paint()
	return true
}

// paint paints the related objects, as a graph or a list. Tab reaches the item that had the focus
// last, or the open object.
func (rt *relatedTab) paint() {
	r := rt.shown
	if rt.graph == nil || r == nil || len(r.Nodes) == 0 {
		return
	}
	next := *r
	if next.tree {
		next.shown, next.nodes = rt.pictureTree(r)
	} else {
		next.arrange(rt.graph.Room())
		next.shown, next.nodes = rt.pictureGraph(&next)
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
	rt.shown = &next
	rt.graph.Show(next.shown)
}

// arrange lays out the graph for the given room, unless that is done.
func (r *relatedState) arrange(width, height int) {
	room := related.Room{Width: width - 2*graphMargin, Height: height - 2*graphMargin}
	if r.layout == nil || !r.laid || room != r.room {
		r.layout, r.room, r.laid = related.Arrange(r.graph, r.layout, room), room, true
	}
}

// onResize lays the graph out for the room that it has now. A window that has become narrow, or
// wide, shows what was last chosen in such a window.
func (rt *relatedTab) onResize(narrow bool) {
	if narrow != rt.treeFirst {
		rt.attach(rt.graph, narrow)
		rt.redraw()
		return
	}
	if r := rt.shown; r != nil && !r.tree {
		rt.paint()
	}
}
