package web

import (
	"cmp"
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
	GoRelated   Action = "related-object" // value: as GoObject's
	GoCounted   Action = "related-list"   // value: a place in the picture
	ShapeGraph  Action = "related-graph"
	ShapeTree   Action = "related-tree"
	ZoomGraph   Action = "related-zoom"  // value: percent, or 0 for all
	MoveInGraph Action = "related-move"  // value: an arrow
	ShowKinds   Action = "related-kinds" // that were not searched
	SweepKinds  Action = "related-sweep"
)

// relatives is what the tab knows. It is never written into.
type relatives struct {
	related.Picture
	tree   bool
	rows   []related.Row
	layout *related.Layout // of the picture if that is laid out, and else of the one before
	room   related.Room    // that the layout is for
	laid   bool
	shown  grid.Picture
	at     string // key of the item that keys move from
	kinds  bool   // those that were not searched are listed
	asked  related.Options
}

func relatedTab() drawerTab {
	keys := []binding{
		{keys: []string{"+", "="}, action: ZoomGraph, value: "125", help: "nearer", drawer: true},
		{keys: []string{"-"}, action: ZoomGraph, value: "80", help: "further away", drawer: true},
		{keys: []string{"0"}, action: ZoomGraph, value: "0", help: "all of the picture", drawer: true},
	}
	for _, arrow := range []string{"ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"} {
		keys = append(keys, binding{keys: []string{arrow}, action: MoveInGraph, value: arrow, help: "the object beside", drawer: true})
	}
	return drawerTab{
		id: "related", title: "Related", key: "4",
		draw: sight.drawRelated, take: (*Page).takeRelated, act: (*Page).actRelated,
		open: (*Page).openRelated, shut: (*Page).shutRelated, bindings: keys,
	}
}

// AttachGraph gives the page the element that graphs are painted into. On a narrow screen
// they are trees, unless somebody has said otherwise.
func (p *Page) AttachGraph(painter grid.GraphPainter, narrow bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.graph, p.treeFirst = painter, narrow
	if r := p.drawer.related; r != nil {
		next := *r
		next.tree = p.asTree()
		p.drawer.related = &next
	}
	p.paintGraph()
}

// asTree reports whether the picture begins as a tree.
func (p *Page) asTree() bool {
	shape := p.browser.Recall("related")
	return shape == "tree" || shape == "" && p.treeFirst
}

func (p *Page) openRelated() { p.drawer.related = &relatives{tree: p.asTree()} }

func (p *Page) shutRelated() {
	p.drawer.related = nil
	if p.graph != nil {
		p.graph.Show(grid.Picture{})
	}
}

func (p *Page) takeRelated(doc []byte) bool {
	before := p.drawer.related
	var next relatives
	if before == nil || json.Unmarshal(doc, &next.Picture) != nil || len(next.Nodes) == 0 {
		return false
	}
	next.tree, next.at, next.kinds, next.asked, next.layout = before.tree, before.at, before.kinds, before.asked, before.layout
	next.rows = related.Tree(next.Graph)
	p.drawer.related = &next
	p.paintGraph()
	return true
}

// paintGraph paints what belongs to the object.
func (p *Page) paintGraph() {
	r := p.drawer.related
	if p.graph == nil || r == nil || len(r.Nodes) == 0 {
		return
	}
	next := *r
	if next.tree {
		next.shown = p.sight().pictureTree(r)
	} else {
		next.arrange(p.graph.Room())
		next.shown = p.sight().pictureGraph(&next)
	}
	reached := max(slices.IndexFunc(next.shown.Items, func(i grid.Item) bool { return i.Key == next.at }), 0)
	next.shown.Items[reached].Reached = true
	p.drawer.related = &next
	p.graph.Show(next.shown)
}

// The space around a graph, and between a frame and what it is around, in pixels.
const (
	graphMargin = 16
	frameMargin = 6
)

// arrange lays the graph out for a room, unless it is.
func (r *relatives) arrange(width, height int) {
	room := related.Room{Width: width - 2*graphMargin, Height: height - 2*graphMargin}
	if r.layout == nil || !r.laid || room != r.room {
		r.layout, r.room, r.laid = related.Arrange(r.Graph, r.layout, room), room, true
	}
}

// GraphResized tells that there is more room for a graph, or less.
func (p *Page) GraphResized() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r := p.drawer.related; r != nil && !r.tree {
		p.paintGraph()
	}
}

func (p *Page) actRelated(action Action, value string) bool {
	r := p.drawer.related
	if r == nil {
		return false
	}
	switch action {
	case GoRelated:
		p.goRelated(value)
	case GoCounted:
		p.goCounted(value)
	case ShapeGraph, ShapeTree:
		next := *r
		next.tree = action == ShapeTree
		p.drawer.related = &next
		p.browser.Remember("related", map[bool]string{false: "graph", true: "tree"}[next.tree])
		p.paintGraph()
		p.redraw()
	case ZoomGraph:
		if percent, err := strconv.Atoi(value); err == nil && p.graph != nil && !r.tree {
			p.graph.Zoom(percent)
		}
	case MoveInGraph:
		p.moveInGraph(value)
	case ShowKinds:
		next := *r
		next.kinds = !r.kinds
		p.drawer.related = &next
		p.redraw()
	case SweepKinds:
		next := *r
		next.asked.Sweep++
		p.drawer.related = &next
		p.focusOptions(next.asked)
	default:
		return false
	}
	return true
}

// moveInGraph moves the focus to the nearest item in a direction: what is aside counts
// more than what is ahead. In a tree it goes from line to line.
func (p *Page) moveInGraph(arrow string) {
	r := *p.drawer.related
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
	p.drawer.related = &r
	p.paintGraph()
	p.browser.Focus("item-" + strconv.Itoa(best))
}

// goRelated goes to the same tab of another object, in one step.
func (p *Page) goRelated(value string) {
	next := p.sight().relatedAddress(value)
	p.rewind()
	p.sheet = ""
	p.visit(true, func(a *Address) { *a = next })
	p.fields()
	p.browser.Focus("tab-related")
}

// relatedAddress is where an object is shown with what belongs to it.
func (g sight) relatedAddress(value string) Address {
	resource, key, _ := strings.Cut(value, " ")
	a := g.addressOf(resource, key)
	a.Tab = "related"
	return a
}

// goCounted goes to the list of those that are only counted.
func (p *Page) goCounted(value string) {
	r := p.drawer.related
	at, err := strconv.Atoi(value)
	if err != nil || at < 0 || at >= len(r.Nodes) || r.Nodes[at].Of == nil {
		return
	}
	next := countedAddress(p.address, r.Graph, at)
	p.rewind()
	p.visit(true, func(a *Address) { *a = next })
	p.fields()
}

// countedAddress is the list of those that a node stands for, as nearly as a filter says:
// whom a service selects, or who uses a class, no filter does.
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

// itemOf is a node as both pictures have it.
func (g sight) itemOf(r *relatives, at int) grid.Item {
	n := r.Nodes[at]
	it := grid.Item{Kind: n.Kind, Name: n.Name, State: n.State, Tone: cmp.Or(grid.StateTone(n.Kind, n.State), conditionTones[n.Condition])}
	if it.Kind == "" {
		it.Kind = n.Resource
	}
	if at == 0 {
		it.Look = "focal"
	}
	switch n.Stand {
	case related.Missing:
		it.State, it.Tone, it.Look = "not there", grid.Warning, it.Look+" absent"
	case related.Unknown:
		it.State, it.Tone, it.Look = "unknown", grid.Pending, it.Look+" absent"
	case related.Coming:
		it.State, it.Tone = "…", grid.Pending
	}
	key := detail.Ref{Namespace: n.Namespace, Name: n.Name}.Key()
	it.Title = strings.TrimSpace(it.Kind + " " + key + "\n" + it.State)
	if n.Said != "" {
		it.Title += "\n" + n.Said
	}
	switch {
	case n.More > 0:
		it.Name, it.Look = "and "+Count(n.More)+" more", "counted"
		it.Href = countedAddress(g.address, r.Graph, at).String(g.base)
		it.Action, it.Value = string(GoCounted), strconv.Itoa(at)
	case n.Name == "":
		it.Name = "may not be listed"
	case at > 0 && g.resourceOf(detail.Ref{Resource: n.Resource}) != "":
		it.Action, it.Value = string(GoRelated), n.Resource+" "+key
		it.Href = g.relatedAddress(it.Value).String(g.base)
	}
	return it
}

// conditionTones are the tones of states that say no more than whether a condition is met.
var conditionTones = map[string]grid.Tone{"True": grid.OK, "False": grid.Warning, "Unknown": grid.Pending}

func nodeKey(n related.Node) string {
	key := n.Resource + " " + detail.Ref{Namespace: n.Namespace, Name: n.Name}.Key()
	if n.More > 0 {
		key = "more " + key + " of " + n.Of.Resource + " " + n.Of.Name
	}
	return key
}

// letters are how many have room in a node of the graph.
const letters = 23

func (g sight) pictureGraph(r *relatives) grid.Picture {
	const margin = graphMargin
	out := grid.Picture{Label: "Objects related to " + g.headName(), Width: r.layout.Width + 2*margin, Height: r.layout.Height + 2*margin, Focus: nodeKey(r.Nodes[0]), Least: 100 * related.Least}
	focus := r.layout.Nodes[0]
	out.FocusX, out.FocusY = focus.X+margin+related.NodeWidth/2, focus.Y+margin+related.NodeHeight/2
	for i, n := range r.Nodes {
		it := g.itemOf(r, i)
		at := r.layout.Nodes[i]
		it.Key, it.X, it.Y, it.Width = nodeKey(n), at.X+margin, at.Y+margin, related.NodeWidth
		if n.Resource == "nodes" && len(it.Name) > letters {
			it.Name, _, _ = strings.Cut(it.Name, ".") // its domain is the others' too
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

// stroke is a line from the far side of one end to the near side of the other: from the
// right to the left, or, in a drawing that goes down, from below to above.
func (r *relatives) stroke(l related.Line, margin int) grid.Stroke {
	box := func(end int) (at, size [2]int) { // along the drawing, and across it
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
	const least = 30 // pixels that a line goes straight on
	a, aSize := box(l.From)
	b, bSize := box(l.To)
	from, to := a[0]+aSize[0], b[0]
	bend := max((to-from)/2, least)
	end := to - bend
	switch {
	case b[0]+bSize[0] <= a[0]: // back
		from, to = a[0], b[0]+bSize[0]
		bend = -max((from-to)/2, least)
		end = to - bend
	case b[0] < from: // beside each other
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

// The measures of a tree, in pixels.
const (
	treeRow    = 26
	treeIndent = 18
)

func (g sight) pictureTree(r *relatives) grid.Picture {
	out := grid.Picture{Tree: true, Label: "Objects related to " + g.headName(), Height: len(r.rows) * treeRow, Focus: nodeKey(r.Nodes[0])}
	for i, row := range r.rows {
		it := g.itemOf(r, row.Node)
		it.Key, it.X, it.Y, it.Level = nodeKey(r.Nodes[row.Node]), row.Depth*treeIndent, i*treeRow, row.Depth+1
		r.tell(&it, row)
		out.Items = append(out.Items, it)
	}
	return out
}

// tell says how a row's node stands to the one that it is below, and, since the same is
// said of what that one owns, to whom else. That somebody owns what is below it goes
// without saying.
func (r *relatives) tell(it *grid.Item, row related.Row) {
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

// relatedWords is how many there are, and how many of them are shown.
func relatedWords(nodes []related.Node) string {
	all, shown := 0, 0
	for _, n := range nodes[1:] {
		if n.More > 0 {
			all += n.More
		} else {
			all, shown = all+1, shown+1
		}
	}
	if all > shown {
		return Count(all) + " related, of which " + Count(shown) + " are shown"
	}
	return Count(all) + " related"
}

// drawRelated draws what is above the picture.
func (g sight) drawRelated() app.UI {
	r := g.drawer.related
	if r == nil || len(r.Nodes) == 0 {
		return app.P().Class("hint").Text("Looking for related objects…")
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
			zoom("80", "−", "Smaller (-)"), zoom("125", "+", "Larger (+)"), zoom("0", "◻", "All of it (0)"),
			shape(ShapeGraph, !r.tree, "Graph"), shape(ShapeTree, r.tree, "List"),
		),
		app.Div().ID("unsearched").Class("unsearched").Hidden(!r.kinds || kinds == "").Body(drawSearched(r.Searched)...),
	)
}

// searchedWords say in short how far owned objects were looked for; nothing, if
// everywhere.
func searchedWords(s related.Searched) string {
	switch missed := len(s.Unasked) + len(s.Failed); {
	case s.Sweeping:
		return "Searching all kinds…"
	case s.Coming > 0:
		return "Searching…"
	case missed > 0:
		return "Not searched: " + kindCount(missed)
	case s.Swept > 0:
		return "Searched once: " + kindCount(s.Swept)
	}
	return ""
}

func kindCount(n int) string {
	if n == 1 {
		return "1 kind"
	}
	return Count(n) + " kinds"
}

// kindsNamed is how many kinds are named.
const kindsNamed = 300

// drawSearched draws which kinds were not searched for owned objects, and why.
func drawSearched(s related.Searched) (all []app.UI) {
	sweep := func(text string) app.UI {
		return app.Button().Class("way").DataSet("action", SweepKinds).Disabled(s.Sweeping).Text(text)
	}
	if n := len(s.Unasked); n > 0 {
		named := strings.Join(s.Unasked[:min(n, kindsNamed)], ", ")
		if n > kindsNamed {
			named += " and " + Count(n-kindsNamed) + " more"
		}
		all = append(all, app.P().Body(app.Strong().Text("Not searched for owned objects: "), app.Span().Text(named)), sweep("Search"))
	}
	for _, f := range s.Failed[:min(len(s.Failed), kindsNamed)] {
		all = append(all, app.P().Body(app.Strong().Text(f.Resource+": "), app.Span().Text(f.Said)))
	}
	if s.Swept > 0 {
		text := "Nothing found at " + clockTime(1000*s.SweptAt) + " in " + kindCount(s.Swept) + "."
		all = append(all, app.P().Text(text))
		if len(s.Unasked) == 0 {
			all = append(all, sweep("Search again"))
		}
	}
	return all
}
