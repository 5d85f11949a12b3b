package web

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/internal/detail/related"
	"watchglass/web/grid"
)

// The actions of the tab.
const (
	GoRelated   Action = "related-object" // value: as for GoObject
	GoCounted   Action = "related-list"   // value: the index of a node
	ShapeGraph  Action = "related-graph"
	ShapeTree   Action = "related-tree"
	ZoomGraph   Action = "related-zoom"  // value: percent, or 0 to fit
	MoveInGraph Action = "related-move"  // value: an arrow key
	ShowKinds   Action = "related-kinds" // lists the kinds that were not searched
	SweepKinds  Action = "related-sweep"
)

// relatedState is the state of the Related tab. It is immutable.
type relatedState struct {
	related.Picture
	tree   bool
	rows   []related.Row
	layout *related.Layout // of this graph if laid is set, else of the previous one
	room   related.Room    // the layout's room
	laid   bool
	shown  grid.Picture
	at     string // key of the focused item
	kinds  bool   // the kinds that were not searched are listed
	asked  related.Options
}

// relatedKeys are the keys of the tab.
var relatedKeys = []binding{
	{keys: []string{"+"}, action: ZoomGraph, value: "125", help: "Zoom in", drawer: true},
	{keys: []string{"-"}, action: ZoomGraph, value: "80", help: "Zoom out", drawer: true},
	{keys: []string{"0"}, action: ZoomGraph, value: "0", help: "Zoom to fit", drawer: true},
	{keys: []string{"ArrowUp"}, action: MoveInGraph, value: "ArrowUp", help: "Move to nearest object", drawer: true},
	{keys: []string{"ArrowDown"}, action: MoveInGraph, value: "ArrowDown", help: "Move to nearest object", drawer: true},
	{keys: []string{"ArrowLeft"}, action: MoveInGraph, value: "ArrowLeft", help: "Move to nearest object", drawer: true},
	{keys: []string{"ArrowRight"}, action: MoveInGraph, value: "ArrowRight", help: "Move to nearest object", drawer: true},
}

// relatedTab shows the objects related to the object, as a graph or a tree.
type relatedTab struct {
	tabBase
	shown     *relatedState     // nil unless the tab is open; immutable
	graph     grid.GraphPainter // nil until its element is attached
	treeFirst bool              // show trees instead of graphs at first
}

func (rt *relatedTab) actions() map[Action]func(string) {
	return map[Action]func(string){
		GoRelated: rt.goObject, GoCounted: rt.goCounted, ZoomGraph: rt.zoom, MoveInGraph: rt.move, SweepKinds: ignoreValue(rt.sweep), ShowKinds: ignoreValue(rt.toggleKinds),
		ShapeGraph: ignoreValue(func() { rt.shape(false) }), ShapeTree: ignoreValue(func() { rt.shape(true) }),
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
	rt.drawer.setOptions(rt.shown.asked)
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

func (rt *relatedTab) open() { rt.shown = &relatedState{tree: rt.asTree()} }

func (rt *relatedTab) close() {
	rt.shown = nil
	if rt.graph != nil {
		rt.graph.Show(grid.Picture{})
	}
}

func (rt *relatedTab) onDetail(doc []byte) bool {
	before := rt.shown
	var next relatedState
	if before == nil || json.Unmarshal(doc, &next.Picture) != nil || len(next.Nodes) == 0 {
		return false
	}
	next.tree, next.at, next.kinds, next.asked, next.layout = before.tree, before.at, before.kinds, before.asked, before.layout
	next.rows = related.Tree(next.Graph)
	rt.shown = &next
	rt.paint()
	return true
}

// paint paints the related objects, as a graph or a list.
func (rt *relatedTab) paint() {
	r := rt.shown
	if rt.graph == nil || r == nil || len(r.Nodes) == 0 {
		return
	}
	next := *r
	if next.tree {
		next.shown = rt.pictureTree(r)
	} else {
		next.arrange(rt.graph.Room())
		next.shown = rt.pictureGraph(&next)
	}
	reached := max(slices.IndexFunc(next.shown.Items, func(i grid.Item) bool { return i.Key == next.at }), 0)
	next.shown.Items[reached].Reached = true
	rt.shown = &next
	rt.graph.Show(next.shown)
}

// The margins of a graph, and of a frame around its nodes, in pixels.
const (
	graphMargin = 16
	frameMargin = 6
)

// arrange lays out the graph for the given room, unless that is done.
func (r *relatedState) arrange(width, height int) {
	room := related.Room{Width: width - 2*graphMargin, Height: height - 2*graphMargin}
	if r.layout == nil || !r.laid || room != r.room {
		r.layout, r.room, r.laid = related.Arrange(r.Graph, r.layout, room), room, true
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

// move moves the focus to the nearest item in a direction. Sideways distance counts more
// than distance ahead. In a list it moves by lines.
func (rt *relatedTab) move(arrow string) {
	r := *rt.shown
	at := slices.IndexFunc(r.shown.Items, func(i grid.Item) bool { return i.Reached })
	if at < 0 {
		return
	}
	from, best, least := r.shown.Items[at], -1, 0
	for i, it := range r.shown.Items {
		dx, dy := it.X-from.X, it.Y-from.Y
		if r.tree {
			dx = 0
		}
		ahead, aside := dx, dy
		switch arrow {
		case "ArrowLeft":
			ahead = -dx
		case "ArrowUp":
			ahead, aside = -dy, dx
		case "ArrowDown":
			ahead, aside = dy, dx
		}
		if far := ahead + 3*max(aside, -aside); ahead > 0 && (best < 0 || far < least) {
			best, least = i, far
		}
	}
	if best < 0 {
		return
	}
	r.at = r.shown.Items[best].Key
	rt.shown = &r
	rt.paint()
	rt.browser.Focus("item-" + strconv.Itoa(best))
}

// goObject goes to the same tab of another object.
func (rt *relatedTab) goObject(value string) {
	rt.goTo(rt.relatedAddress(value))
	rt.browser.Focus("tab-related")
}

// relatedAddress returns the address of an object with the Related tab open.
func (rt *relatedTab) relatedAddress(value string) Address {
	resource, key, _ := strings.Cut(value, " ")
	a := rt.drawer.addressOf(resource, key)
	a.Tab = "related"
	return a
}

// goCounted goes to the list of objects that the graph only counts.
func (rt *relatedTab) goCounted(value string) {
	r := rt.shown
	at, err := strconv.Atoi(value)
	if err != nil || at < 0 || at >= len(r.Nodes) || r.Nodes[at].Of == nil {
		return
	}
	rt.goTo(countedAddress(rt.address, r.Graph, at))
}

// countedAddress returns the list of the objects that a node stands for, as closely as a filter
// can express it. No filter matches what a service selects or who uses a class.
func countedAddress(now Address, graph related.Graph, at int) Address {
	n := graph.Nodes[at]
	a := Address{Resource: n.Resource, Context: now.Context}
	if n.Namespace != "" {
		a.Namespaces = []string{n.Namespace}
	}
	for _, e := range graph.Edges {
		switch of := graph.Nodes[e.From]; {
		case e.To == at && e.Verb == related.Owns:
			a.Filter = `owner:"` + of.Kind + "/" + of.Name + `"`
		case e.From == at && e.Verb == related.Runs && n.Resource == "pods":
			a.Filter = "node:" + graph.Nodes[e.To].Name
		}
	}
	return a
}

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

// The dimensions of the list, in pixels.
const (
	treeRow    = 26
	treeIndent = 18
)

func (rt *relatedTab) pictureTree(r *relatedState) grid.Picture {
	out := grid.Picture{Tree: true, Label: "Objects related to " + rt.drawer.headName(), Height: len(r.rows) * treeRow, Focus: nodeKey(r.Nodes[0])}
	for i, row := range r.rows {
		it := rt.itemOf(r, row.Node)
		it.Key, it.X, it.Y, it.Level = nodeKey(r.Nodes[row.Node]), row.Depth*treeIndent, i*treeRow, row.Depth+1
		r.labelRow(&it, row)
		out.Items = append(out.Items, it)
	}
	return out
}

// labelRow says how a row's node relates to its parent row. The title lists the row's further
// relations. Plain ownership is left out, since the indentation shows it.
func (r *relatedState) labelRow(it *grid.Item, row related.Row) {
	var edges, verbs []string
	for k, n := range row.Edges {
		e := r.Edges[n]
		edges = append(edges, nodeKey(r.Nodes[e.From])+"|"+e.Verb.String()+"|"+nodeKey(r.Nodes[e.To]))
		verb, back, far := e.Verb.String(), e.Verb.Back(), e.From
		if far == row.Node {
			verb, back, far = back, verb, e.To
		}
		if k > 0 {
			it.Title += "\n" + back + " " + r.Nodes[far].Kind + " " + r.Nodes[far].Name
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

// relatedWords says how many related objects there are and how many of them are shown. A kind
// that may not be listed is a node, but not an object.
func relatedWords(nodes []related.Node) string {
	all, shown, unlisted := 0, 0, 0
	for _, n := range nodes[1:] {
		switch {
		case n.Presence == related.Unknown && n.Name == "":
			unlisted++
		case n.More > 0:
			all += n.More
		default:
			all, shown = all+1, shown+1
		}
	}
	words := Count(all) + " related"
	if all > shown {
		words += ", " + Count(shown) + " shown"
	}
	switch unlisted {
	case 0:
	case 1:
		words += ", 1 kind can't be listed"
	default:
		words += ", " + Count(unlisted) + " kinds can't be listed"
	}
	return words
}

// draw draws the controls above the graph.
func (rt *relatedTab) draw() app.UI {
	r := rt.shown
	if r == nil || len(r.Nodes) == 0 {
		return app.P().Class("hint").Text("Loading related objects…")
	}
	words := relatedWords(r.Nodes)
	if len(r.Nodes) == 1 {
		words = "No related objects"
	}
	if r.Coming {
		words += ", loading…"
	}
	shape := func(action Action, is bool, text string) app.UI {
		return app.Button().Class("shape").DataSet("action", action).Attr("aria-pressed", is).Text(text)
	}
	zoom := func(value, text, title string) app.UI {
		return app.Button().Class("icon").Hidden(r.tree).DataSet("action", ZoomGraph).DataSet("value", value).Title(title).Attr("aria-label", title).Text(text)
	}
	kinds := searchedWords(r.Searched)
	return app.Div().Body(
		app.Div().Class("bar").Body(
			app.Span().Class("dim").Attr("role", "status").Text(words),
			app.Button().Class("shape").Hidden(kinds == "").DataSet("action", ShowKinds).Attr("aria-expanded", r.kinds).Attr("aria-controls", "unsearched").Title("Kinds that may contain owned objects").Text(kinds),
			zoom("80", "−", "Zoom out (-)"), zoom("125", "+", "Zoom in (+)"), zoom("0", "◻", "Zoom to fit (0)"),
			shape(ShapeGraph, !r.tree, "Graph"), shape(ShapeTree, r.tree, "List"),
		),
		app.Div().ID("unsearched").Class("unsearched").Hidden(!r.kinds || kinds == "").Body(drawSearched(r.Searched)...),
	)
}

// searchedWords summarizes which kinds were searched for owned objects; "" if all were.
func searchedWords(s related.Searched) string {
	switch missed := len(s.Unasked) + len(s.Failed); {
	case s.Sweeping:
		return "Searching all kinds…"
	case s.Coming > 0:
		return "Searching…"
	case missed > 0:
		return kindCount(missed) + " not searched"
	case s.Swept > 0:
		return "Searched once: " + kindCount(s.Swept)
	}
	return ""
}

func kindCount(n int) string { return countOf(n, "kind") }

// kindsNamed limits how many kinds are listed.
const kindsNamed = 300

// drawSearched lists the kinds that were not searched for owned objects, and why.
func drawSearched(s related.Searched) (all []app.UI) {
	sweep := func(text string) app.UI {
		return app.Button().Class("way").DataSet("action", SweepKinds).Disabled(s.Sweeping).Text(text)
	}
	if n := len(s.Unasked); n > 0 {
		named := strings.Join(s.Unasked[:min(n, kindsNamed)], ", ")
		if n > kindsNamed {
			named += " and " + Count(n-kindsNamed) + " more"
		}
		all = append(all, app.P().Body(app.Elem("strong").Text("Not searched for owned objects: "), app.Span().Text(named)), sweep("Search"))
	}
	for _, f := range s.Failed[:min(len(s.Failed), kindsNamed)] {
		all = append(all, app.P().Body(app.Elem("strong").Text(f.Resource+": "), app.Span().Text(f.Error)))
	}
	if s.Swept > 0 {
		text := "Nothing found in " + kindCount(s.Swept) + " at " + clockTime(1000*s.SweptAt) + "."
		all = append(all, app.P().Text(text))
		if len(s.Unasked) == 0 {
			all = append(all, sweep("Search again"))
		}
	}
	return all
}
