package web

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/internal/port"
)

// drawer is the object that is open beside the list, and the tab of it. It is under
// the page's lock.
type drawer struct {
	asked   port.Focus      // the last
	options json.RawMessage // of the tab
	begun   uint32          // the first seq of the object
	turned  uint32          // and of the tab
	opening bool            // the tab is, and asks for its options
	head    *detail.Head    // nil until it is told; never written into
	full    bool            // it takes the list's place
	width   int             // in pixels; 0 is the style sheet's
	logs    *logs           // never written into
	yaml    yamlState
	changes changesState
	related *relatives   // what belongs to the object
	events  *happenings  // and what is told of it
	summary *summaryView // of the tab of that name; never written into
}

// drawerTab is one of the drawer's tabs. What it keeps is in the drawer.
type drawerTab struct {
	id, title, key string
	// draw draws what is under the tabs.
	draw func(g sight) app.UI
	// take takes what the worker has to show, and reports whether the shell is to be
	// drawn for it. The page is locked, as it is for what follows.
	take func(p *Page, doc []byte) (redraw bool)
	// act does what is the tab's own, and reports whether it was.
	act func(p *Page, action Action, value string) bool
	// typed takes what stands in a field of the tab.
	typed func(p *Page, field, value string) bool
	// open and shut are called when the tab comes on screen and leaves it, or when the
	// object does.
	open, shut func(p *Page)
	// text is the long text that the tab shows, if it does, and resized tells it that
	// there is room for more columns, or for fewer.
	text    func(p *Page) textual
	resized func(p *Page)
	// bindings are keys while the drawer has the focus, before all others.
	bindings []binding
}

// tabs are those that there are.
func tabs() []drawerTab {
	return []drawerTab{summaryTab(), yamlTab(), eventsTab(), relatedTab(), logsTab(), changesTab()}
}

// tabOf is the tab of an address.
func tabOf(id string) drawerTab {
	all := tabs()
	i := slices.IndexFunc(all, func(t drawerTab) bool { return t.id == id })
	return all[max(i, 0)]
}

func (p *Page) tab() drawerTab { return tabOf(p.address.Tab) }

// focus is the object that the address selects.
func (p *Page) focus() port.Focus {
	namespace, name, ok := strings.Cut(p.address.Selected, "/")
	if !ok {
		namespace, name = "", p.address.Selected
	}
	if name == "" {
		return port.Focus{}
	}
	return port.Focus{ID: objectID, Resource: p.address.Resource, Namespace: namespace, Name: name, Tab: p.tab().id}
}

// attend asks the worker for what the drawer shows, if that is something else than
// before. It reports whether that is another object.
func (p *Page) attend() (object bool) {
	d, next := &p.drawer, p.focus()
	object = next.Resource != d.asked.Resource || next.Namespace != d.asked.Namespace || next.Name != d.asked.Name
	if object || next.Tab != d.asked.Tab {
		p.turn(next, object)
	}
	next.Options = d.options
	if object || next.Tab != d.asked.Tab || d.turned > d.asked.Seq || !slices.Equal(next.Options, d.asked.Options) {
		next.Seq = d.asked.Seq + 1
		d.asked = next
		if next.Name == "" {
			p.port.Send(port.Close{ID: objectID})
		} else {
			p.port.Send(next)
		}
	}
	return object
}

// turn shuts the tab that was, and opens another, maybe of another object.
func (p *Page) turn(next port.Focus, object bool) {
	d := &p.drawer
	if before := tabOf(d.asked.Tab); d.asked.Name != "" && before.shut != nil {
		before.shut(p)
	}
	seq := d.asked.Seq
	if object {
		*d = drawer{begun: seq + 1, full: d.full, width: d.width, summary: d.summary}
	}
	next.Seq = seq
	d.asked, d.options, d.turned, d.opening = next, nil, seq+1, true
	if next.Name != "" {
		if t := tabOf(next.Tab); t.open != nil {
			t.open(p)
		}
	}
	d.opening = false
	p.paintText()
}

// focusOptions tells the worker the options of the tab that is open.
func (p *Page) focusOptions(options any) {
	doc, err := json.Marshal(options)
	if err != nil {
		return // of our own structs: it does not happen
	}
	p.drawer.options = doc
	if !p.drawer.opening {
		p.attend()
	}
}

// detailed takes a part of the detail.
func (p *Page) detailed(m port.Detail) {
	p.mu.Lock()
	d, redraw := &p.drawer, false
	switch {
	case d.asked.Name == "":
	case m.Part == port.HeadPart && m.Seq >= d.begun:
		var head detail.Head
		if json.Unmarshal(m.Doc, &head) == nil {
			d.head, redraw = &head, true
		}
	case m.Part == d.asked.Tab && m.Seq >= d.turned:
		redraw = tabOf(m.Part).take(p, m.Doc)
	}
	p.mu.Unlock()
	if redraw {
		p.redraw()
	}
}

// actInDrawer does what is done in the drawer, and reports whether it was that.
func (p *Page) actInDrawer(action Action, value string) bool {
	switch action {
	case OpenTab:
		p.openTab(p.target(), value)
	case NextTab, PreviousTab:
		p.stepTab(action)
	case ToggleFull:
		p.drawer.full = !p.drawer.full
		p.redraw()
	case CloseDrawer:
		p.closeObject()
	case GoObject:
		p.goObject(value)
	case GoListing:
		p.goListing(value)
	case Commands:
		p.openCommands()
	case TakeCommand:
		p.takeCommand(value)
	case PickShell:
		p.pickShell(value)
	case CopyText:
		p.copyOut(value, "Copied: "+value)
	default:
		t := p.tab()
		return p.address.Selected != "" && t.act != nil && t.act(p, action, value)
	}
	return true
}

// openTab opens a tab of an object.
func (p *Page) openTab(key, id string) {
	if key == "" {
		return
	}
	opened := p.address.Selected != key
	p.visit(true, func(a *Address) {
		if a.Selected, a.Tab = key, tabOf(id).address(); opened {
			a.Container, a.Previous = "", false
		}
	})
	if opened {
		p.emit("select", map[string]any{"key": key})
	}
	p.focusTab()
}

// closeObject closes the drawer. Its row stays marked.
func (p *Page) closeObject() {
	p.selectRow("", true)
	p.browser.Focus("grid")
}

// focusTab puts the focus on the tab that is open.
func (p *Page) focusTab() { p.browser.Focus("tab-" + p.tab().id) }

// address is the tab as an address has it: the first needs no name.
func (t drawerTab) address() string {
	if t.id == tabs()[0].id {
		return ""
	}
	return t.id
}

// stepTab opens the tab beside the one that is open.
func (p *Page) stepTab(action Action) {
	all, step := tabs(), 1
	if action == PreviousTab {
		step = len(all) - 1
	}
	at := slices.IndexFunc(all, func(t drawerTab) bool { return t.id == p.tab().id })
	p.openTab(p.address.Selected, all[(at+step)%len(all)].id)
}

// goObject goes to an object: its resource, a space, its key.
func (p *Page) goObject(value string) {
	resource, key, _ := strings.Cut(value, " ")
	p.rewind()
	p.sheet = ""
	p.visit(true, func(a *Address) { *a = p.sight().addressOf(resource, key) })
	p.fields()
}

// addressOf is where an object is shown: in the list of its kind, which is left as it
// is if that is the one on screen.
func (g sight) addressOf(resource, key string) Address {
	a := g.address
	if resource != a.Resource {
		a = Address{Resource: resource, Context: a.Context, Namespaces: a.Namespaces}
	}
	if namespace, _, ok := strings.Cut(key, "/"); ok && !slices.Contains(a.Namespaces, namespace) {
		a.Namespaces = nil
	}
	a.Selected, a.Tab, a.Container, a.Previous = key, "", "", false
	return a
}

// SizedDrawer tells that the drawer's edge was dragged: how wide it is now.
func (p *Page) SizedDrawer(width int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drawer.width = width
	p.browser.Remember("drawer", strconv.Itoa(width))
}

// resourceOf is the kind of a reference as addresses name it, or nothing.
func (g sight) resourceOf(r detail.Ref) string {
	if r.Resource != "" {
		return r.Resource
	}
	if id := detail.ResourceOf(r.Group, r.Kind); id != "" {
		return id
	}
	for _, k := range g.kinds {
		if _, group, _ := strings.Cut(k.ID, "."); k.Name == r.Kind && group == r.Group {
			return k.ID
		}
	}
	return ""
}

// refLink is a link to an object; a text alone, where it is not known what it is.
func refLink(g sight, r detail.Ref, text string) app.UI {
	resource := g.resourceOf(r)
	if resource == "" || r.Name == "" {
		return app.Span().Text(text)
	}
	return app.A().Class("ref").Href(g.addressOf(resource, r.Key()).String(g.base)).DataSet("action", GoObject).DataSet("value", resource+" "+r.Key()).Title(r.Kind + " " + r.Key()).Text(text)
}

// listLink is a link to a list.
func (g sight) listLink(l detail.Listing, text string) app.UI {
	return app.A().Class("ref").Href(addressOfListing(g.address, l).String(g.base)).DataSet("action", GoListing).
		DataSet("value", strings.Join([]string{l.Resource, l.Namespace, l.Labels, l.Filter}, "\n")).Text(text)
}

// drawDrawer draws the object that is open. What is in it stands where it stands, shown
// or not: the long text is painted outside of what is drawn here.
func (g sight) drawDrawer() app.UI {
	open, t := g.drawer.asked.Name != "", tabOf(g.drawer.asked.Tab)
	edge := app.Div().ID("edge").Class("edge").Attr("role", "separator").Attr("aria-orientation", "vertical").Attr("aria-label", "Width of the detail").TabIndex(0).
		Attr("aria-valuenow", g.drawer.width).Attr("aria-valuemin", narrowestDrawer).Attr("aria-valuemax", widestDrawer)
	head, bar, body := app.UI(app.Header()), app.UI(app.Div()), app.UI(app.Div())
	if open {
		head, bar, body = g.drawHead(), g.drawTabs(t), t.draw(g)
	}
	return app.Aside().Class("drawer").Hidden(!open).DataSet("tab", t.id).DataSet("long", t.text != nil).DataSet("state", g.headState()).Attr("aria-label", g.headName()).Body(
		edge, head, bar,
		app.Div().ID("pane").Class("pane").Attr("role", "tabpanel").Attr("aria-labelledby", "tab-"+t.id).Body(body),
		app.Div().ID("graph").Class("graph"),
		app.Div().ID("text").Class("text").Attr("aria-label", t.title),
	)
}

// The drawer is at least and at most as wide, in pixels.
const (
	narrowestDrawer = 320
	widestDrawer    = 1600
)

func (g sight) headName() string {
	kind := g.drawer.asked.Resource
	if g.drawer.head != nil {
		kind = g.drawer.head.Kind
	}
	return kind + " " + g.drawer.asked.Name
}

func (g sight) headState() detail.State {
	if g.drawer.head == nil {
		return detail.Loading
	}
	return g.drawer.head.State
}

func (g sight) drawHead() app.UI {
	f := g.drawer.asked
	kind := f.Resource
	switch {
	case g.drawer.head != nil:
		kind = g.drawer.head.Kind
	case g.state.Source.Resource == f.Resource && g.state.Source.Kind != "":
		kind = g.state.Source.Kind
	}
	var where app.UI = app.Span()
	if f.Namespace != "" {
		where = refLink(g, detail.Ref{Resource: "namespaces", Kind: "Namespace", Name: f.Namespace}, f.Namespace)
	}
	return app.Header().Class("head").Body(
		app.Div().Class("title").Body(
			app.P().Class("dim").Body(app.Span().Text(kind), app.If(f.Namespace != "", app.Span().Text(" in "), where)),
			app.H2().Class("name").Title(f.Name).Text(f.Name),
		),
		app.Button().Class("icon").DataSet("action", Commands).Title("kubectl commands (x)").Attr("aria-label", "kubectl commands").Text("›_"),
		app.Button().Class("icon roomy").DataSet("action", ToggleFull).Attr("aria-pressed", g.drawer.full).Title("Over the whole width (F)").Attr("aria-label", "Over the whole width").Text("⤢"),
		app.Button().Class("icon").DataSet("action", CloseDrawer).Title("Close (Esc)").Attr("aria-label", "Close").Text("×"),
		g.drawState(),
		app.P().ID("filtered-out").Class("standing out").DataSet("tone", "pending").Hidden(g.address.Selected == "" || g.mark.place != hidden).Body(
			app.Strong().Text("Not in the list"), app.Span().Text("The filter excludes it."),
			app.Button().Class("way").DataSet("action", ClearFilters).Text("Clear filter"),
		),
	)
}

// stateWords are what is said of an object that is not live.
var stateWords = map[detail.State]struct{ tone, title, means string }{
	detail.Stale:   {"warning", "Stale", "What shows may be old."},
	detail.Polled:  {"warning", "Not watched", "Polled: changes show late."},
	detail.Deleted: {"failed", "Deleted", "This is how it last was."},
	detail.Missing: {"pending", "Not there", "There is none of this name now. When there is, it appears by itself."},
	detail.Denied:  {"failed", "Denied", "You may not get it."},
}

// drawState says how the object stands, if it is not as it should be.
func (g sight) drawState() app.UI {
	words, ok := stateWords[g.headState()]
	if !ok {
		deleting := g.drawer.head != nil && g.drawer.head.Deleting
		return app.P().Class("standing").DataSet("tone", "warning").Hidden(!deleting).Body(app.Strong().Text("Terminating"), app.Span().Text("It waits to be deleted."))
	}
	said := ""
	if s := g.drawer.head.Said; s != nil {
		said = speakers[s.Origin] + " said: " + s.Message
	}
	return app.P().Class("standing").DataSet("tone", words.tone).Attr("role", "status").Body(app.Strong().Text(words.title), app.Span().Text(words.means), app.Span().Class("dim").Text(said))
}

func (g sight) drawTabs(open drawerTab) app.UI {
	var all []app.UI
	for _, t := range tabs() {
		index := -1
		if t.id == open.id {
			index = 0
		}
		all = append(all, app.Button().ID("tab-"+t.id).Class("tab").Attr("role", "tab").Attr("aria-selected", t.id == open.id).Attr("aria-controls", "pane").TabIndex(index).
			DataSet("action", OpenTab).DataSet("value", t.id).Title(t.title+" ("+t.key+")").Text(t.title))
	}
	return app.Div().Class("tabs").Attr("role", "tablist").Body(all...)
}
