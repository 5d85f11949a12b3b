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
	GoRelated   Action = "related-object" // value: as GoObject's
	GoCounted   Action = "related-list"   // value: a place in the picture
	ShapeGraph  Action = "related-graph"
	ShapeTree   Action = "related-tree"
	ZoomGraph   Action = "related-zoom" // value: percent, or 0 for all
	MoveInGraph Action = "related-move" // value: an arrow
)

// relatives is what the tab knows. It is never written into.
type relatives struct {
	related.Picture
	tree  bool
	rows  []related.Row
	shown grid.Picture
	at    string // key of the item that keys move from
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
	if before == nil || json.Unmarshal(doc, &next.Picture) != nil || next.Layout == nil || len(next.Layout.Nodes) != len(next.Nodes) {
		return false
	}
	next.tree, next.at, next.rows = before.tree, before.at, related.Tree(next.Graph)
	p.drawer.related = &next
	p.paintGraph()
	return true
}

// paintGraph paints what belongs to the object.
func (p *Page) paintGraph() {
	r := p.drawer.related
	if p.graph == nil || r == nil || r.Layout == nil {
		return
	}
	next := *r
	if next.tree {
		next.shown = p.sight().pictureTree(r)
	} else {
		next.shown = p.sight().pictureGraph(r)
	}
	reached := max(slices.IndexFunc(next.shown.Items, func(i grid.Item) bool { return i.Key == next.at }), 0)
	next.shown.Items[reached].Reached = true
	p.drawer.related = &next
	p.graph.Show(next.shown)
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
	it := grid.Item{Kind: n.Kind, Name: n.Name, State: n.State, Tone: toneOf(n.State)}
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

// toneOf is the tone of what a list shows; of how many of how many, by whether it is all.
func toneOf(state string) grid.Tone {
	is, of, ok := strings.Cut(state, "/")
	if !ok {
		return grid.ToneOf(state)
	}
	a, err := strconv.Atoi(is)
	b, err2 := strconv.Atoi(of)
	switch {
	case err != nil || err2 != nil:
		return grid.ToneOf(state)
	case a < b:
		return grid.Warning
	case b == 0:
		return grid.Pending
	}
	return grid.OK
}

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
	const margin = 24
	out := grid.Picture{Label: "What belongs to " + g.headName(), Width: r.Layout.Width + 2*margin, Height: r.Layout.Height + 2*margin, Focus: nodeKey(r.Nodes[0])}
	for i, n := range r.Nodes {
		it := g.itemOf(r, i)
		at := r.Layout.Nodes[i]
		it.Key, it.X, it.Y, it.Width = nodeKey(n), at.X+margin, at.Y+margin, related.NodeWidth
		if n.Resource == "nodes" && len(it.Name) > letters {
			it.Name, _, _ = strings.Cut(it.Name, ".") // its domain is the others' too
		}
		it.Name = grid.Cut(it.Name, letters)
		out.Items = append(out.Items, it)
	}
	for _, b := range r.Layout.Blocks {
		out.Frames = append(out.Frames, grid.Frame{X: b.X + margin, Y: b.Y + margin, Width: b.W, Height: b.H})
	}
	for _, l := range r.Layout.Lines {
		out.Strokes = append(out.Strokes, r.stroke(l, margin))
	}
	return out
}

// stroke is a line from the right side of one end to the left side of the other.
func (r *relatives) stroke(l related.Line, margin int) grid.Stroke {
	box := func(end int) (x, y, w, h int) {
		if end < 0 {
			b := r.Layout.Blocks[-1-end]
			return b.X - 6, b.Y - 6, b.W + 12, b.H + 12
		}
		at := r.Layout.Nodes[end]
		return at.X, at.Y, related.NodeWidth, related.NodeHeight
	}
	x1, y1, w1, h1 := box(l.From)
	x2, y2, w2, h2 := box(l.To)
	from, to := x1+w1, x2
	bend := max((to-from)/2, 30)
	if x2 < from { // back, or in one column
		from, to = x1+w1, x2+w2
		if x2+w2 <= x1 {
			from, to = x1, x2+w2
			bend = -max((from-to)/2, 30)
		}
	}
	y1, y2 = y1+h1/2+margin, y2+h2/2+margin
	from, to = from+margin, to+margin
	end := to - bend
	if x2 < x1+w1 && x2+w2 > x1 {
		end = to + bend
	}
	return grid.Stroke{Path: fmt.Sprintf("M%d %dC%d %d %d %d %d %d", from, y1, from+bend, y1, end, y2, to, y2), Look: "line " + strings.ReplaceAll(l.Verb.String(), " ", "-")}
}

// The measures of a tree, in pixels.
const (
	treeRow    = 26
	treeIndent = 18
)

func (g sight) pictureTree(r *relatives) grid.Picture {
	out := grid.Picture{Tree: true, Label: "What belongs to " + g.headName(), Height: len(r.rows) * treeRow, Focus: nodeKey(r.Nodes[0])}
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
	if r == nil || r.Layout == nil {
		return app.P().Class("hint").Text("Looking for what belongs to it…")
	}
	words := relatedWords(r.Nodes)
	if len(r.Nodes) == 1 {
		words = "Nothing that is known here belongs to it."
	}
	if r.Coming {
		words += ", and some to come…"
	}
	shape := func(action Action, is bool, text string) app.UI {
		return app.Button().Class("shape").DataSet("action", action).Attr("aria-pressed", is).Text(text)
	}
	zoom := func(value, text, title string) app.UI {
		return app.Button().Class("icon").Hidden(r.tree).DataSet("action", ZoomGraph).DataSet("value", value).Title(title).Attr("aria-label", title).Text(text)
	}
	return app.Div().Class("bar").Body(
		app.Span().Class("dim").Attr("role", "status").Text(words),
		zoom("80", "−", "Smaller (-)"), zoom("125", "+", "Larger (+)"), zoom("0", "◻", "All of it (0)"),
		shape(ShapeGraph, !r.tree, "Graph"), shape(ShapeTree, r.tree, "List"),
	)
}
