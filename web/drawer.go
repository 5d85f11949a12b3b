package web

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/internal/port"
	"watchglass/web/grid"
	"watchglass/web/route"
	tabs "watchglass/web/tab"
	"watchglass/web/tab/compare"
	"watchglass/web/tab/relations"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// drawer is the part that shows the open object beside the list, in tabs.
type drawer struct {
	page    *page
	asked   port.Focus   // the last focus sent
	begun   uint32       // seq of the first request for the object
	turned  uint32       // seq of the first request for the tab
	opening bool         // the tab is opening; its options are asked for once it is open
	head    *detail.Head // nil until it has arrived; immutable
	full    bool         // covers the list
	width   int          // in pixels; 0 for the style sheet's

	text *textView
	all  map[string]tabs.Tab // by their ids

	related *relations.Tab // gets the element that graphs are painted into
	compare *compare.Tab   // gets news of sessions in other contexts
}

func newDrawer(p *page) *drawer {
	d := &drawer{page: p}
	d.text = &textView{drawer: d, box: grid.Geometry{RowHeight: ui.TextRowHeight}}
	d.related, d.compare = relations.New(tabHost{p}), compare.New(tabHost{p}, p.browser)
	d.all = newTabs(d)
	d.width, _ = strconv.Atoi(p.browser.Recall("drawer"))
	return d
}

// The actions of the drawer.
const (
	NextTab     ui.Action = "next-tab"
	PreviousTab ui.Action = "previous-tab"
	ToggleFull  ui.Action = "full"
	CloseDrawer ui.Action = "close"
)

// Commands returns the commands of the drawer and those of its tabs.
func (d *drawer) Commands() []ui.Command {
	all := []ui.Command{{ID: ui.OpenTab, Run: func(id string) { d.openTab(d.page.list.Target(), id) }, OfTarget: true}}
	for _, t := range tabKinds {
		all = append(all, d.commandsOf(t)...)
	}
	return append(all, []ui.Command{
		{ID: NextTab, Keys: []string{"]"}, Title: "Next tab", Do: func() { d.stepTab(1) }},
		{ID: NextTab, Keys: []string{"ArrowRight"}, In: ui.InTabs},
		{ID: PreviousTab, Keys: []string{"["}, Title: "Previous tab", Do: func() { d.stepTab(-1) }},
		{ID: PreviousTab, Keys: []string{"ArrowLeft"}, In: ui.InTabs},
		{ID: ToggleFull, Keys: []string{"F"}, Title: "Toggle full width", Do: d.toggleFull},
		{ID: CloseDrawer, Do: d.close},
		{ID: ui.GoObject, Run: d.goObject},
		{ID: ui.GoFound, Run: d.goFound},
		{ID: ui.GoListing, Run: d.goListing},
		{ID: WhoCan, Title: "Who can…", Names: []string{"access", "rbac", "who can"}, Do: d.whoCan, Offer: d.offerWhoCan},
		{ID: WhoCanKind, Run: d.whoCanKind},
	}...)
}

// commandsOf returns the command that opens a tab, and those of the tab, which do nothing unless it is open.
func (d *drawer) commandsOf(t tabKind) []ui.Command {
	own := ui.Around(d.all[t.id].Commands(), func(run func()) {
		if d.isOpen() && d.asked.Tab == t.id {
			run()
		}
	})
	for i := range own {
		own[i].Tab = t.id
	}
	return append(own, ui.Command{ID: ui.OpenTab, Value: t.id, Keys: t.keys, Title: t.help, OfTarget: true, Offer: func(*ui.Offer) bool {
		return d.applies(d.resource(), t) && (d.page.list.Target() != "" || d.page.list.Moving())
	}})
}

// applies reports whether the objects of a resource have a tab. A short name in the address, like
// "cm", has them all until the server has said which kind it is.
func (d *drawer) applies(resource string, t tabKind) bool {
	kind := ""
	if s := d.page.state.Source; s.Resource == resource {
		kind = s.ID
	}
	if kind == "" && (strings.Contains(resource, ".") || slices.ContainsFunc(words.Kinds(), func(k words.Kind) bool { return k.ID == resource })) {
		kind = resource
	}
	if d.page.sidebar.Derived(kind) {
		return t.derived
	}
	return kind == "" || t.has == nil || t.has(kind)
}

// resource returns the resource of the object that keys act on.
func (d *drawer) resource() string { return d.page.address.ObjectOf(d.page.list.Target()).Resource }

// tabKinds returns the tabs that the open object has.
func (d *drawer) tabKinds() []tabKind {
	resource, kind := d.page.address.ObjectOf(d.page.address.Selected).Resource, d.page.address.Selected == ""
	return slices.DeleteFunc(slices.Clone(tabKinds), func(t tabKind) bool { return kind && !t.ofKind || !d.applies(resource, t) })
}

// name returns the tab that the address names, or the first one if the kind does not have it.
func (d *drawer) name() tabKind {
	if t := tabOf(d.page.address.Tab); d.applies(d.page.address.ObjectOf(d.page.address.Selected).Resource, t) {
		return t
	}
	return tabKinds[0]
}

// subject returns the open object.
func (d *drawer) subject() tabs.Subject {
	s := tabs.Subject{Ref: detail.Ref{Resource: d.asked.Resource, Namespace: d.asked.Namespace, Name: d.asked.Name}, Head: d.head}
	if d.head != nil {
		s.Kind = d.head.Kind
	}
	return s
}

// isOpen reports whether an object is open, or a kind as a whole, which has no name.
func (d *drawer) isOpen() bool { return d.asked.Resource != "" }

// tab returns the tab that is open; nil while no object is.
func (d *drawer) tab() tabs.Tab {
	if !d.isOpen() {
		return nil
	}
	return d.all[d.asked.Tab]
}

// focus returns the object that the address selects, or the kind if it names a tab that kinds have.
func (d *drawer) focus() port.Focus {
	of := d.page.address.ObjectOf(d.page.address.Selected)
	if of.Name == "" && (d.page.address.Selected != "" || d.page.address.Tab != route.AccessID || !d.ofKind()) {
		return port.Focus{}
	}
	return port.Focus{ID: objectID, Resource: of.Resource, Namespace: of.Namespace, Name: of.Name, Tab: d.name().id}
}

// follow requests what the address selects, if that has changed, and reports whether it is another
// object.
func (d *drawer) follow() (object bool) {
	next := d.focus()
	object = next.Resource != d.asked.Resource || next.Namespace != d.asked.Namespace || next.Name != d.asked.Name
	if object || next.Tab != d.asked.Tab {
		d.switchTo(next, object)
	}
	next.Options = d.options()
	if object || next.Tab != d.asked.Tab || d.turned > d.asked.Seq || !slices.Equal(next.Options, d.asked.Options) {
		next.Seq = d.asked.Seq + 1
		d.asked = next
		if !d.isOpen() {
			d.page.port.Send(port.Close{ID: objectID})
		} else {
			d.page.port.Send(next)
		}
	}
	return object
}

// switchTo closes the open tab and opens another, possibly for another object.
func (d *drawer) switchTo(next port.Focus, object bool) {
	if t := d.tab(); t != nil {
		t.Close()
	}
	if (next.Resource == "") == d.isOpen() {
		d.page.facets.Hide()
	}
	seq := d.asked.Seq
	if object {
		d.begun, d.head = seq+1, nil
	}
	next.Seq = seq
	d.asked, d.turned = next, seq+1
	if t := d.tab(); t != nil {
		d.opening = true
		t.Open()
		d.opening = false
	}
	d.revealTab()
	d.text.Paint()
}

// onReset requests the object from the new hub.
func (d *drawer) onReset() {
	if d.isOpen() {
		d.asked.Seq++
		d.page.port.Send(d.asked)
	}
}

// options returns what the open tab asks the worker with.
func (d *drawer) options() json.RawMessage {
	t := d.tab()
	if t == nil {
		return nil
	}
	options := t.Options()
	if options == nil {
		return nil
	}
	doc, _ := json.Marshal(options) // the structs are ours, and never fail to encode
	return doc
}

// onDetail handles a part of the object's detail.
func (d *drawer) onDetail(m port.Detail) {
	redraw := false
	switch {
	case !d.isOpen():
	case m.Part == port.HeadPart && m.Seq >= d.begun:
		var head detail.Head
		if json.Unmarshal(m.Doc, &head) == nil {
			d.head, redraw = &head, true
			d.page.frame.onHead()
		}
	case m.Part == d.asked.Tab && m.Seq >= d.turned:
		redraw = d.tab().OnDetail(m.Doc)
	}
	if redraw {
		d.page.redraw()
	}
}

// onMove tells the open tab that the address changed by Back or Forward.
func (d *drawer) onMove() {
	if t := d.tab(); t != nil {
		t.Moved()
	}
}

// offers returns the open tab's entries of the palette.
func (d *drawer) offers() []ui.Offer {
	if t := d.tab(); t != nil {
		return t.Offers()
	}
	return nil
}

// typed passes the text of a field to the open tab.
func (d *drawer) typed(field, value string) {
	if t := d.tab(); t != nil && t.Typed(field, value) {
		d.page.redraw()
	}
}

// toggleFull switches the drawer between full and normal width.
func (d *drawer) toggleFull() {
	d.full = !d.full
	d.page.redraw()
}

// openTab opens a tab of an object, or shows a notice if the kind does not have the tab.
func (d *drawer) openTab(key, id string) {
	if resource := d.page.address.ObjectOf(key).Resource; !d.applies(resource, tabOf(id)) {
		if !d.page.address.Mixed() {
			resource = d.page.Here()
		}
		d.page.notices.say(notice{text: "No " + strings.ToLower(tabOf(id).title) + " for " + d.page.sidebar.KindName(resource) + "."})
		return
	}
	if key == "" {
		return
	}
	opened := d.page.address.Selected != key
	d.page.Navigate(true, func(a *route.Address) {
		if a.Selected, a.Tab = key, tabOf(id).address(); opened {
			a.LeaveObject()
		}
	})
	if opened {
		d.page.Opened(key)
	}
	d.focusTab()
}

// close closes the drawer. The object's row stays marked.
func (d *drawer) close() {
	d.page.list.Select("", true)
	d.page.browser.Focus("grid")
}

// focusTab focuses the open tab.
func (d *drawer) focusTab() { d.page.browser.Focus("tab-" + d.name().id) }

// revealTab scrolls the tab bar to the open tab, since a narrow drawer does not have room for all.
func (d *drawer) revealTab() {
	if d.isOpen() {
		d.page.browser.Reveal("tab-" + d.name().id)
	}
}

// stepTab opens the tab that is some tabs further on. The list of a kind that the tab derives has none.
func (d *drawer) stepTab(by int) {
	names := d.tabKinds()
	if len(names) == 0 {
		return
	}
	at := slices.IndexFunc(names, func(t tabKind) bool { return t.id == d.name().id })
	d.openTab(d.page.address.Selected, names[(at+by+len(names))%len(names)].id)
}

// goObject goes to an object. Its value is the resource and the key, separated by a space.
func (d *drawer) goObject(value string) {
	resource, key, _ := strings.Cut(value, " ")
	d.page.GoTo(d.page.address.ToObject(resource, key))
}

// goFound goes to an object that was searched by its name. A filter that may hide its row is dropped.
func (d *drawer) goFound(value string) {
	resource, key, _ := strings.Cut(value, " ")
	to := d.page.address.ToObject(resource, key)
	if !d.page.list.Has(key) {
		to.Filter, to.Labels = "", ""
	}
	d.page.GoTo(to)
}

// goListing goes to a list: its resource, namespace, labels and filter, in lines. Empty lines at the end
// may be missing, since an attribute loses them.
func (d *drawer) goListing(value string) {
	parts := append(strings.SplitN(value, "\n", 4), "", "", "")
	d.page.GoTo(d.page.address.ToListing(detail.Listing{Resource: parts[0], Namespace: parts[1], Labels: parts[2], Filter: parts[3]}))
}

// setWidth stores the width that the user gave the drawer.
func (d *drawer) setWidth(width int) {
	d.width = width
	d.page.browser.Remember("drawer", strconv.Itoa(width))
}

// draw draws the open object. Its elements keep their places even when they are hidden,
// since the long text is painted into one of them outside of go-app.
func (d *drawer) draw() app.UI {
	open, t := d.isOpen(), tabOf(d.asked.Tab)
	edge := app.Div().ID("edge").Class("edge").Attr("role", "separator").Attr("aria-orientation", "vertical").Attr("aria-label", "Width of the detail pane").TabIndex(0).
		Attr("aria-valuenow", d.width).Attr("aria-valuemin", ui.NarrowestDrawer).Attr("aria-valuemax", ui.WidestDrawer)
	head, bar, body := app.UI(app.Elem("header")), app.UI(app.Div()), app.UI(app.Div())
	if open {
		head, bar, body = d.drawHead(), d.drawTabs(t), d.tab().Draw()
	}
	return app.Elem("aside").Class("drawer").Hidden(!open).DataSet("tab", t.id).DataSet("long", d.text.long() != nil).DataSet("state", d.subject().State()).Attr("aria-label", d.headName()).Body(
		edge, head, bar,
		app.Div().ID("pane").Class("pane").Attr("role", "tabpanel").Attr("aria-labelledby", "tab-"+t.id).Body(body),
		app.Div().ID("graph").Class("graph"),
		app.Div().ID("beyond").Class("beyond"),
		app.Div().ID("text").Class("text").Attr("aria-label", t.title),
	)
}

func (d *drawer) headName() string {
	kind := d.asked.Resource
	if d.head != nil {
		kind = d.head.Kind
	}
	if d.asked.Name == "" {
		return "Who can access " + d.page.sidebar.ListName(kind)
	}
	return kind + " " + d.asked.Name
}

func (d *drawer) drawHead() app.UI {
	f := d.asked
	kind := f.Resource
	switch {
	case d.head != nil:
		kind = d.head.Kind
	case d.page.state.Source.Resource == f.Resource && d.page.state.Source.Kind != "":
		kind = d.page.state.Source.Kind
	}
	commands := d.page.objectFor("").Tool() + " commands"
	var where, what app.UI = app.Span(), app.Span().Text(kind)
	if d.page.address.Mixed() { // to the list of its kind
		what = d.page.sidebar.Link(detail.Ref{Resource: f.Resource, Kind: kind, Namespace: f.Namespace, Name: f.Name}, kind)
	}
	title := f.Name
	if title == "" {
		title, what = d.kindTitle(), app.Span().Text("Who can access")
	}
	if f.Namespace != "" {
		where = d.page.sidebar.Link(detail.Ref{Resource: "namespaces", Kind: "Namespace", Name: f.Namespace}, f.Namespace)
	}
	return app.Elem("header").Class("head").Body(
		app.Div().Class("title").Body(
			app.P().Class("dim").Body(what, app.If(f.Namespace != "", app.Span().Text(" in "), where), ui.Span("then", d.page.past.AsOf())),
			app.H2().Class("name").Title(title).Text(title),
		),
		app.Button().Class("icon").Hidden(f.Name == "").DataSet("action", ui.Commands).Title(ui.Tip(commands, d.page.KeyOf(ui.Commands))).Attr("aria-label", commands).Text("›_"),
		app.Button().Class("icon roomy").DataSet("action", ToggleFull).Attr("aria-pressed", d.full).Title(ui.Tip("Full width", d.page.KeyOf(ToggleFull))).Attr("aria-label", "Full width").Text("⤢"),
		app.Button().Class("icon").DataSet("action", CloseDrawer).Title("Close (Esc)").Attr("aria-label", "Close").Text("×"),
		d.drawState(),
		app.P().ID("filtered-out").Class("standing out").DataSet("tone", "pending").Hidden(d.page.address.Selected == "" || !d.page.list.FilteredOut()).Body(
			app.Elem("strong").Text("Not in the list"), app.Span().Text("The filter excludes it."),
			ui.Way(ClearFilters, "Clear filter"),
		),
	)
}

// drawState describes the object's state if it is not live or is being deleted.
func (d *drawer) drawState() app.UI {
	state, ok := words.ObjectStates[d.subject().State()]
	if !ok {
		deleting := d.head != nil && d.head.Deleting
		return app.P().Class("standing").DataSet("tone", "warning").Hidden(!deleting).Body(app.Elem("strong").Text("Terminating"), app.Span().Text("Waiting for deletion to finish."))
	}
	said := ""
	if s := d.head.Said; s != nil {
		said = words.OriginWords[s.Origin] + ": " + s.Message
	}
	if at := d.head.Since; at > 0 {
		if state.Title += " since " + words.ClockTime(at); d.head.Version != "" {
			state.Means += " " + words.ObjectStates[detail.Deleted].Means
		}
	}
	if d.page.past.On() {
		state.Title, state.Means = d.page.past.StateWords(d.subject().State(), d.asked.Namespace, state.Title, state.Means)
	}
	return app.P().Class("standing").DataSet("tone", state.Tone).Attr("role", "status").Body(app.Elem("strong").Text(state.Title), app.Span().Text(state.Means), app.Span().Class("dim").Text(said))
}

func (d *drawer) drawTabs(open tabKind) app.UI {
	var all []app.UI
	for _, t := range d.tabKinds() {
		index := -1
		if t.id == open.id {
			index = 0
		}
		all = append(all, app.Button().ID("tab-"+t.id).Class("tab").Attr("role", "tab").Attr("aria-selected", t.id == open.id).Attr("aria-controls", "pane").TabIndex(index).
			DataSet("action", ui.OpenTab).DataSet("value", t.id).Title(t.title+" ("+t.key()+")").Text(t.title))
	}
	return app.Div().Class("tabs").Attr("role", "tablist").Body(all...)
}
