package web

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/internal/port"
	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// frame is what differs when the page is shown in a frame of another page, its host: it has no
// sidebar, facets or top bar, adds nothing to the host's history, and tells the host what changes.
type frame struct {
	page   *page
	height int    // last reported; 0: none yet
	held   bool   // the host wants updates to be held back
	told   string // state of the one object, as the host was told last
	since  time.Time
	groups *route.Address // of the groups that the rows are one of; nil: none. Back leads elsewhere
}

// bar and header are the heights of what is above the rows in a frame, in pixels.
const (
	frameBar    = 32
	frameHeader = 30
)

// The height of the strip with the totals, and the width below which it has two rows, as in
// style.css and watch-glass.js.
const (
	stripHeight = 64
	stripWidth  = 640
)

// hostMessage is a message of the host.
type hostMessage struct {
	Type    string `json:"type"`
	Path    string `json:"path"`
	Query   string `json:"query"`
	On      bool   `json:"on"`
	Density string `json:"density"`
}

// onHost handles a message of the host. Unknown messages are ignored: they may be of a newer
// version.
func (f *frame) onHost(doc []byte) {
	var m hostMessage
	if json.Unmarshal(doc, &m) != nil {
		return
	}
	switch m.Type {
	case "go":
		f.onGo(m.Path, m.Query)
	case "pause":
		f.held = m.On
		f.pause(m.On)
	case "density":
		f.page.list.SetDensity(m.Density)
	}
}

// pause holds updates back, or shows them. The past has no updates: a pause stops playing, and
// nothing starts it, since the user has chosen the moment.
func (f *frame) pause(on bool) {
	changes := on != f.page.list.Paused()
	if f.page.past.On() {
		changes = on && f.page.past.Playing()
	}
	if changes {
		f.page.togglePause()
	}
}

// onGo shows what the host asks for. The context stays: the host loads the frame anew for another.
// A pause holds for the next list, too, which the page alone would end: the host decides.
func (f *frame) onGo(path, query string) {
	paused := f.page.list.Paused()
	to := route.Parse(f.page.base, path, query)
	to.Context, to.Hosted = f.page.address.Context, f.page.address.Hosted
	to.Embed = cmp.Or(to.Embed, f.page.address.Embed) // in frames there is no other form
	f.page.list.Rewind()
	f.page.closePanes()
	f.page.address, f.page.typing, f.groups = to, "", nil
	f.page.browser.Replace(to.String(f.page.base))
	f.page.reportInvalid(query)
	f.page.Changed()
	f.pause(paused)
}

// BackToGroups shows the groups again.
const BackToGroups ui.Action = "groups"

func (f *frame) Commands() []ui.Command { return []ui.Command{{ID: BackToGroups, Do: f.back}} }

// OpenGroup shows the objects of a group; in a frame, a button leads back to the groups.
func (p *page) OpenGroup(key string) {
	if groups := p.address; p.frame.on() {
		p.frame.groups = &groups
	}
	p.facets.Groups.Open(key)
}

// back shows the groups again that the rows are one of.
func (f *frame) back() {
	if to := f.groups; to != nil {
		f.groups = nil
		f.page.list.Rewind()
		f.page.Navigate(false, func(a *route.Address) { *a = *to })
	}
}

// drawBack draws the button that leads back to the groups.
func (f *frame) drawBack() app.UI {
	by := ""
	if f.groups != nil {
		by = f.groups.Group
	}
	return ui.Way(BackToGroups, "‹ By "+by).Hidden(f.groups == nil)
}

// on reports whether the page is in a frame.
func (f *frame) on() bool { return f.page.address.Embed != "" }

// keepForm keeps an address to what the form can show.
func (f *frame) keepForm() {
	switch {
	case f.page.address.Embed == route.EmbedOverview:
		f.page.address = route.Address{Resource: port.Problems, Overview: true, Context: f.page.address.Context, Embed: route.EmbedOverview, Hosted: f.page.address.Hosted}
	case f.on():
		f.page.address.Overview = false
	}
}

// only reports whether it shows one object and no list.
func (f *frame) only() bool { return f.page.address.Embed == route.EmbedObject }

// objectStates are the states of one object as those of lists, which is what hosts know.
var objectStates = map[detail.State]string{
	detail.Loading: port.Connecting, detail.Live: port.Live, detail.Stale: port.Stale, detail.Polled: port.Stale, detail.Unread: port.Stale,
	detail.Deleted: port.Gone, detail.Missing: port.Gone, detail.Denied: port.Denied,
}

// onHead shows and tells the state of the one object, whatever that of the list which nobody sees.
func (f *frame) onHead() {
	state := f.page.stateName()
	if !f.only() || state == f.told {
		return
	}
	f.told, f.since = state, time.Now()
	f.page.ShowState()
	f.page.emitState()
}

// drawStatus draws the badge: of the one object without the details, which are a list's.
func (f *frame) drawStatus() app.UI {
	if !f.only() || f.page.past.On() {
		return f.page.top.drawStatus()
	}
	text := "Connecting"
	if words, ok := words.ObjectStates[f.page.drawer.Subject().State()]; ok {
		text = words.Title
	} else if f.page.drawer.Subject().State() == detail.Live {
		text = "Live"
	}
	return app.Div().Class("menu").Body(app.Span().ID("badge").Class("badge").DataSet("tone", f.page.stateName()).Text(text))
}

// moved tells the host that the user has changed the view.
func (f *frame) moved() {
	if f.on() {
		f.page.emit("navigate", map[string]any{"address": f.whole()})
	}
}

// resized tells the host how high the list is, with all its rows, once it has any.
func (f *frame) resized() {
	if !f.page.address.Hosted || f.only() || f.page.list.Window().Columns == nil {
		return
	}
	height := frameBar + frameHeader + max(1, f.page.list.Window().Total)*f.page.list.Geometry().RowHeight
	if f.page.address.Overview {
		height = stripHeight
		if f.page.list.Room().Width < stripWidth {
			height *= 2 // two rows
		}
	}
	if height != f.height {
		f.height = height
		f.page.emit("size", map[string]any{"height": height})
	}
}

// whole returns the address of what is shown, as a page of its own.
func (f *frame) whole() string {
	a := f.page.address
	a.Embed, a.Hosted = "", false
	return f.page.origin + a.String(f.page.base)
}

// draw draws the line above a list: whether it is true now, how many rows there are, and the way
// out.
func (f *frame) draw() app.UI {
	return app.Elem("header").Class("top").Hidden(f.page.address.Overview).Body(
		f.drawStatus(),
		f.drawBack(),
		app.Span().ID("count").Class("count").Hidden(f.only()).Text(f.page.top.count()),
		app.A().Class("whole").Href(f.whole()).Target("_blank").Rel("noopener").Title("Open in Watchglass, in a new tab").Body(
			app.Span().Text("Open "), app.Span().Attr("aria-hidden", "true").Text("↗")),
	)
}
