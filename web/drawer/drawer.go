package drawer

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"watchglass/internal/detail"
	"watchglass/internal/port"
	"watchglass/web/grid"
	"watchglass/web/route"
	"watchglass/web/tab"
	"watchglass/web/tab/compare"
	"watchglass/web/tab/relations"
	"watchglass/web/tab/whocan"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// Drawer is the part that shows the open object beside the list, in tabs.
type Drawer struct {
	host    Host
	browser Browser
	asked   port.Focus   // the last focus sent
	begun   uint32       // seq of the first request for the object
	turned  uint32       // seq of the first request for the tab
	opening bool         // the tab is opening; its options are asked for once it is open
	head    *detail.Head // nil until it has arrived; immutable
	full    bool         // covers the list
	width   int          // in pixels; 0 for the style sheet's

	text *textView
	all  map[string]tab.Tab // by their ids

	related  *relations.Tab
	compare  *compare.Tab
	timeline *timelineTab
}

// New returns the drawer of a page. The Timeline tab has a chart.
func New(h Host, b Browser, c Chart) *Drawer {
	d := &Drawer{host: h, browser: b}
	d.text = &textView{tab: d.Tab, browser: b, box: grid.Geometry{RowHeight: ui.TextRowHeight}}
	d.related, d.compare = relations.New(h), compare.New(h, b)
	d.timeline = &timelineTab{Base: tab.Base{Host: h}, chart: c}
	d.all = newTabs(d)
	d.width, _ = strconv.Atoi(b.Recall("drawer"))
	return d
}

// newTabs creates the tabs that the drawer does not have yet, and returns all by their ids.
func newTabs(d *Drawer) map[string]tab.Tab {
	all := make(map[string]tab.Tab)
	for _, t := range tabs {
		switch t.ID {
		case route.RelatedID:
			all[t.ID] = d.related
		case route.CompareID:
			all[t.ID] = d.compare
		case route.AccessID:
			all[t.ID] = whocan.New(d.host)
		case route.TimelineID:
			all[t.ID] = d.timeline
		default:
			all[t.ID] = t.create(d.host)
		}
	}
	return all
}

// Text returns the view of the long text.
func (d *Drawer) Text() tab.Text { return d.text }

// FollowOptions asks the worker again if the open tab's options have changed. While the tab opens it does nothing: the
// drawer asks once it is open.
func (d *Drawer) FollowOptions() {
	if !d.opening {
		d.Follow()
	}
}

// Asked returns what the worker was asked for last. It has no resource if the drawer is closed.
func (d *Drawer) Asked() port.Focus { return d.asked }

// Full reports whether the drawer covers the list. Width returns the width that the user gave it, in pixels; 0 is the style
// sheet's.
func (d *Drawer) Full() bool { return d.full }
func (d *Drawer) Width() int { return d.width }

// Related and Compare are the tabs of which the page tells more than the other tabs need: the element that graphs are painted
// into, and news of sessions in other contexts.
func (d *Drawer) Related() *relations.Tab { return d.related }
func (d *Drawer) Compare() *compare.Tab   { return d.compare }

// FollowTimeline asks for the timeline of the open object.
func (d *Drawer) FollowTimeline() {
	if d.IsOpen() && d.asked.Tab == route.TimelineID {
		d.timeline.chart.ShowObject(ID, tabBars, objectLanes)
	}
}

// AttachText gives the drawer the element that long texts are painted into. ScrolledText reports that it was scrolled or
// resized, and how many characters fit into a row.
func (d *Drawer) AttachText(painter grid.TextPainter)   { d.text.attach(painter) }
func (d *Drawer) ScrolledText(top, height, columns int) { d.text.onScroll(top, height, columns) }

// ID is the hub's ID of the open object. IDs of lists and of the overview are others.
const ID = 2

// The actions of the drawer.
const (
	nextTab     ui.Action = "next-tab"
	previousTab ui.Action = "previous-tab"
	toggleFull  ui.Action = "full"
	closeDrawer ui.Action = "close"
)

// Commands returns the commands of the drawer, of its tabs and of the mark.
func (d *Drawer) Commands() []ui.Command {
	all := []ui.Command{{ID: ui.OpenTab, Run: func(id string) { d.openTab(d.host.TargetRow(), id) }, OfTarget: true}}
	for _, t := range tabs {
		all = append(all, d.commandsOf(t)...)
	}
	return slices.Concat(all, []ui.Command{
		{ID: nextTab, Keys: []string{"]"}, Title: "Next tab", Do: func() { d.stepTab(1) }},
		{ID: nextTab, Keys: []string{"ArrowRight"}, In: ui.InTabs},
		{ID: previousTab, Keys: []string{"["}, Title: "Previous tab", Do: func() { d.stepTab(-1) }},
		{ID: previousTab, Keys: []string{"ArrowLeft"}, In: ui.InTabs},
		{ID: toggleFull, Keys: []string{"F"}, Title: "Toggle full width", Do: d.toggleFull},
		{ID: closeDrawer, Do: d.Close},
		{ID: ui.GoObject, Run: d.goObject},
		{ID: ui.GoFound, Run: d.goFound},
		{ID: ui.GoListing, Run: d.goListing},
		{ID: WhoCan, Title: "Who can…", Names: []string{"access", "rbac", "who can"}, Do: d.whoCan, Offer: d.offerWhoCan},
		{ID: whoCanKind, Run: d.whoCanKind},
	}, d.markCommands())
}

// commandsOf returns the command that opens a tab, and those of the tab, which do nothing unless it is open.
func (d *Drawer) commandsOf(t Tab) []ui.Command {
	own := ui.Around(d.all[t.ID].Commands(), func(run func()) {
		if d.IsOpen() && d.asked.Tab == t.ID {
			run()
		}
	})
	for i := range own {
		own[i].Tab = t.ID
	}
	return append(own, ui.Command{ID: ui.OpenTab, Value: t.ID, Keys: t.keys, Title: t.help, OfTarget: true, Offer: func(*ui.Offer) bool {
		return d.applies(d.resource(), t) && (d.host.TargetRow() != "" || d.host.MovingRow())
	}})
}

// applies reports whether the objects of a resource have a tab. A short name in the address, like
// "cm", has them all until the server has said which kind it is.
func (d *Drawer) applies(resource string, t Tab) bool {
	kind := ""
	if s := d.host.State().Source; s.Resource == resource {
		kind = s.ID
	}
	if kind == "" && (strings.Contains(resource, ".") || slices.ContainsFunc(words.Kinds(), func(k words.Kind) bool { return k.ID == resource })) {
		kind = resource
	}
	if d.host.Derived(kind) {
		return t.derived
	}
	return kind == "" || t.has == nil || t.has(kind)
}

// resource returns the resource of the object that keys act on.
func (d *Drawer) resource() string { return d.host.Address().ObjectOf(d.host.TargetRow()).Resource }

// tabs returns the tabs that the open object has.
func (d *Drawer) tabs() []Tab {
	a := d.host.Address()
	resource, kind := a.ObjectOf(a.Selected).Resource, a.Selected == ""
	return slices.DeleteFunc(slices.Clone(tabs), func(t Tab) bool { return kind && !t.ofKind || !d.applies(resource, t) })
}

// name returns the tab that the address names, or the first one if the kind does not have it.
func (d *Drawer) name() Tab {
	a := d.host.Address()
	if t := TabOf(a.Tab); d.applies(a.ObjectOf(a.Selected).Resource, t) {
		return t
	}
	return tabs[0]
}

// Subject returns the open object.
func (d *Drawer) Subject() tab.Subject {
	s := tab.Subject{Ref: detail.Ref{Resource: d.asked.Resource, Namespace: d.asked.Namespace, Name: d.asked.Name}, Head: d.head}
	if d.head != nil {
		s.Kind = d.head.Kind
	}
	return s
}

// IsOpen reports whether an object is open, or a kind as a whole, which has no name.
func (d *Drawer) IsOpen() bool { return d.asked.Resource != "" }

// Tab returns the tab that is open; nil while no object is.
func (d *Drawer) Tab() tab.Tab {
	if !d.IsOpen() {
		return nil
	}
	return d.all[d.asked.Tab]
}

// Focus returns the object that the address selects, or the kind if it names a tab that kinds have.
func (d *Drawer) Focus() port.Focus {
	a := d.host.Address()
	of := a.ObjectOf(a.Selected)
	if of.Name == "" && (a.Selected != "" || a.Tab != route.AccessID || !d.ofKind()) {
		return port.Focus{}
	}
	return port.Focus{ID: ID, Resource: of.Resource, Namespace: of.Namespace, Name: of.Name, Tab: d.name().ID}
}

// Follow requests what the address selects, if that has changed, and reports whether it is another
// object.
func (d *Drawer) Follow() (object bool) {
	next := d.Focus()
	object = next.Resource != d.asked.Resource || next.Namespace != d.asked.Namespace || next.Name != d.asked.Name
	if object || next.Tab != d.asked.Tab {
		d.switchTo(next, object)
	}
	next.Options = d.options()
	if object || next.Tab != d.asked.Tab || d.turned > d.asked.Seq || !slices.Equal(next.Options, d.asked.Options) {
		next.Seq = d.asked.Seq + 1
		d.asked = next
		if !d.IsOpen() {
			d.host.Send(port.Close{ID: ID})
		} else {
			d.host.Send(next)
		}
	}
	return object
}

// switchTo closes the open tab and opens another, possibly for another object.
func (d *Drawer) switchTo(next port.Focus, object bool) {
	if t := d.Tab(); t != nil {
		t.Close()
	}
	if (next.Resource == "") == d.IsOpen() {
		d.host.HideFacets()
	}
	seq := d.asked.Seq
	if object {
		d.begun, d.head = seq+1, nil
	}
	next.Seq = seq
	d.asked, d.turned = next, seq+1
	if t := d.Tab(); t != nil {
		d.opening = true
		t.Open()
		d.opening = false
	}
	d.RevealTab()
	d.text.Paint()
}

// OnReset requests the object from the new hub.
func (d *Drawer) OnReset() {
	if d.IsOpen() {
		d.asked.Seq++
		d.host.Send(d.asked)
	}
}

// options returns what the open tab asks the worker with.
func (d *Drawer) options() json.RawMessage {
	t := d.Tab()
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

// OnDetail handles a part of the object's detail.
func (d *Drawer) OnDetail(m port.Detail) {
	redraw := false
	switch {
	case !d.IsOpen():
	case m.Part == port.HeadPart && m.Seq >= d.begun:
		var head detail.Head
		if json.Unmarshal(m.Doc, &head) == nil {
			d.head, redraw = &head, true
			d.host.OnHead()
		}
	case m.Part == d.asked.Tab && m.Seq >= d.turned:
		redraw = d.Tab().OnDetail(m.Doc)
	}
	if redraw {
		d.host.Redraw()
	}
}

// OnMove tells the open tab that the address changed by Back or Forward.
func (d *Drawer) OnMove() {
	if t := d.Tab(); t != nil {
		t.Moved()
	}
}

// Offers returns the open tab's entries of the palette.
func (d *Drawer) Offers() []ui.Offer {
	if t := d.Tab(); t != nil {
		return t.Offers()
	}
	return nil
}

// Typed passes the text of a field to the open tab.
func (d *Drawer) Typed(field, value string) {
	if t := d.Tab(); t != nil && t.Typed(field, value) {
		d.host.Redraw()
	}
}

// toggleFull switches the drawer between full and normal width.
func (d *Drawer) toggleFull() {
	d.full = !d.full
	d.host.Redraw()
}

// openTab opens a tab of an object, or shows a notice if the kind does not have the tab.
func (d *Drawer) openTab(key, id string) {
	a := d.host.Address()
	if resource := a.ObjectOf(key).Resource; !d.applies(resource, TabOf(id)) {
		if !a.Mixed() {
			resource = d.host.Here()
		}
		d.host.Notify("No " + strings.ToLower(TabOf(id).Title) + " for " + d.host.KindName(resource) + ".")
		return
	}
	if key == "" {
		return
	}
	opened := a.Selected != key
	d.host.Navigate(true, func(a *route.Address) {
		if a.Selected, a.Tab = key, TabOf(id).address(); opened {
			a.LeaveObject()
		}
	})
	if opened {
		d.host.Opened(key)
	}
	d.FocusTab()
}

// Close closes the drawer. The object's row stays marked.
func (d *Drawer) Close() {
	d.host.CloseObject()
	d.browser.Focus("grid")
}

// FocusTab focuses the open tab.
func (d *Drawer) FocusTab() { d.browser.Focus("tab-" + d.name().ID) }

// RevealTab scrolls the tab bar to the open tab, since a narrow drawer does not have room for all.
func (d *Drawer) RevealTab() {
	if d.IsOpen() {
		d.browser.Reveal("tab-" + d.name().ID)
	}
}

// stepTab opens the tab that is some tabs further on. The list of a kind that the tab derives has none.
func (d *Drawer) stepTab(by int) {
	names := d.tabs()
	if len(names) == 0 {
		return
	}
	at := slices.IndexFunc(names, func(t Tab) bool { return t.ID == d.name().ID })
	d.openTab(d.host.Address().Selected, names[(at+by+len(names))%len(names)].ID)
}

// goObject goes to an object. Its value is the resource and the key, separated by a space.
func (d *Drawer) goObject(value string) {
	resource, key, _ := strings.Cut(value, " ")
	d.host.GoTo(d.host.Address().ToObject(resource, key))
}

// goFound goes to an object that was searched by its name. A filter that may hide its row is dropped.
func (d *Drawer) goFound(value string) {
	resource, key, _ := strings.Cut(value, " ")
	to := d.host.Address().ToObject(resource, key)
	if !d.host.HasRow(key) {
		to.Filter, to.Labels = "", ""
	}
	d.host.GoTo(to)
}

// goListing goes to a list: its resource, namespace, labels and filter, in lines. Empty lines at the end
// may be missing, since an attribute loses them.
func (d *Drawer) goListing(value string) {
	parts := append(strings.SplitN(value, "\n", 4), "", "", "")
	d.host.GoTo(d.host.Address().ToListing(detail.Listing{Resource: parts[0], Namespace: parts[1], Labels: parts[2], Filter: parts[3]}))
}

// SetWidth stores the width that the user gave the drawer.
func (d *Drawer) SetWidth(width int) {
	d.width = width
	d.browser.Remember("drawer", strconv.Itoa(width))
}
