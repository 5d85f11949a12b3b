package web

import (
	"encoding/json"
	"sync"

	"watchglass/internal/port"
	"watchglass/web/commands"
	"watchglass/web/dom"
	"watchglass/web/drawer"
	"watchglass/web/grid"
	"watchglass/web/list"
	"watchglass/web/overview"
	"watchglass/web/past"
	"watchglass/web/recording"
	"watchglass/web/session"
	"watchglass/web/share"
)

// Browser is what a Page needs from the browser: what its parts need, and what is of the page as a whole. Tests replace it.
type Browser interface {
	commands.Browser
	drawer.Browser
	list.Browser
	overview.Browser
	past.Browser
	recording.Browser
	session.Browser
	share.Browser
	// Push sets the address and adds a history entry; Replace changes the current entry.
	Push(address string)
	Replace(address string)
	// SetState sets the document's data-state and title.
	SetState(state, title string)
	// Theme toggles between light and dark, and stores the choice.
	Theme()
	// Reload loads the page again.
	Reload()
	// Renew renews the session; with doubt, the proxy checks it first. If the session has ended, the browser leaves the page.
	Renew(doubt bool)
}

// Page is the page of one tab: it holds the lock, and passes what the browser and the worker
// report to the parts. Its methods may be called from any goroutine.
type Page struct {
	mu   sync.Mutex
	page *page // reached through locked; only Takes and Modal, which must not wait, read it without

	mounted func(dom.Shell) // called once the shell is in the document
}

// NewPage returns a page at an address. Redraw is called when what the shell shows has changed.
func NewPage(p port.Port, b Browser, base, path, query string, redraw func()) *Page {
	out := new(Page)
	out.page = newPage(p, b, base, path, query)
	out.page.redraw = redraw
	out.page.locked = func(f func()) { out.locked(func(*page) { f() }) }
	out.page.reportInvalid(query)
	out.page.past.Begin()
	return out
}

// locked calls a function while it holds the lock.
func (p *Page) locked(f func(g *page)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f(p.page)
}

// Run handles the worker's messages until its port closes.
func (p *Page) Run() {
	for m := range p.page.port.Receive() {
		p.locked(func(g *page) { g.receive(m) })
	}
}

// Begin asks for the first rows before the page is drawn, so that both happen at once. An
// object in the address is asked for together with its list, in Attach.
func (p *Page) Begin() {
	p.locked(func(g *page) {
		if g.drawer.Focus().Name == "" {
			g.SendQueries()
		}
	})
}

// Attach gives the page the list to paint into. From then on it asks for rows.
func (p *Page) Attach(painter grid.Painter, height int) {
	p.locked(func(g *page) {
		g.list.Attach(painter, height)
		g.past.Start()
		if g.drawer.IsOpen() && g.address.Tab != "" { // an address that names a tab means its keys, too
			g.redraw()
			g.drawer.FocusTab()
		}
	})
}

// Fields writes the filter and the labels of the address into their fields.
func (p *Page) Fields() { p.locked((*page).SetFields) }

// AttachText gives the page the element that long texts are painted into.
func (p *Page) AttachText(painter grid.TextPainter) {
	p.locked(func(g *page) { g.drawer.AttachText(painter) })
}

// AttachGraph gives the page the element that graphs are painted into. On a narrow screen they
// begin as trees, unless the user has chosen otherwise.
func (p *Page) AttachGraph(painter grid.GraphPainter, narrow bool) {
	p.locked(func(g *page) { g.drawer.Related().Attach(painter, narrow) })
}

// Scrolled reports that the list was scrolled or its box resized.
func (p *Page) Scrolled(top, height int) { p.locked(func(g *page) { g.list.OnScroll(top, height) }) }

// Resized reports how wide the list is, and the characters in it, in pixels.
func (p *Page) Resized(width int, font grid.Font) {
	p.locked(func(g *page) { g.list.OnResize(width, font); g.drawer.RevealTab() })
}

// Pointed reports that the pointer has entered the list or moved in it, or has left it.
func (p *Page) Pointed(in bool) { p.locked(func(g *page) { g.list.OnPointer(in) }) }

// ClickedElsewhere reports a click that was not in the facets, nor on a button that opens them.
func (p *Page) ClickedElsewhere() { p.locked(func(g *page) { g.facets.Hide() }) }

// Clicked reports that a row was clicked.
func (p *Page) Clicked(key string) { p.locked(func(g *page) { g.list.OnClick(key) }) }

// Dismissed reports a click outside of the popovers.
func (p *Page) Dismissed() { p.locked(func(g *page) { g.top.dismiss() }) }

// Size sets a column's width while its edge is dragged; with done the address keeps it. A width
// of 0 is automatic.
func (p *Page) Size(name string, width int, done bool) {
	p.locked(func(g *page) { g.columns.Drag(name, width, done) })
}

// TextScrolled reports that the long text was scrolled or its box resized, and how many
// characters fit into a row.
func (p *Page) TextScrolled(top, height, columns int) {
	p.locked(func(g *page) { g.drawer.ScrolledText(top, height, columns) })
}

// GraphResized reports that the graph's element has another size, and whether the screen is narrow.
func (p *Page) GraphResized(narrow bool) {
	p.locked(func(g *page) { g.drawer.Related().Resize(narrow) })
}

// SizedDrawer reports how wide the drawer is after its edge was dragged.
func (p *Page) SizedDrawer(width int) { p.locked(func(g *page) { g.drawer.SetWidth(width) }) }

// DrawerWidth returns the width that the user gave the drawer; 0 is the style sheet's.
func (p *Page) DrawerWidth() (width int) {
	p.locked(func(g *page) { width = g.drawer.Width() })
	return width
}

// Presence reports whether the page is on screen, and whether there is a network.
func (p *Page) Presence(visible, online bool) {
	p.locked(func(g *page) {
		g.presence = &port.Presence{Visible: visible, Online: online}
		g.port.Send(*g.presence)
	})
}

// Moved reports that Back or Forward has changed the address.
func (p *Page) Moved(path, query string) { p.locked(func(g *page) { g.onMove(path, query) }) }

// Focused reports which element has the focus.
func (p *Page) Focused(id string) {
	p.locked(func(g *page) {
		g.palette.OnFocus(id)
		g.filter.OnFocus(id)
	})
}

// Renewed reports that the session was renewed, here or in another tab, by the renewal's ID.
func (p *Page) Renewed(id string) { p.page.port.Send(port.Renewed{ID: id}) }

// Lost reports that there is no session in another context anymore, and why.
func (p *Page) Lost(context, why string) {
	p.locked(func(g *page) { g.drawer.Compare().Lose(context, why) })
}

// OnHostMessage hands over a message of the page around the frame that this page is in.
func (p *Page) OnHostMessage(doc []byte) { p.locked(func(g *page) { g.frame.onHost(doc) }) }

// Stored reports that another tab has changed what the browser stores.
func (p *Page) Stored() {
	p.locked(func(g *page) {
		g.views.Recall()
		g.sidebar.Recall()
		g.redraw()
	})
}

// Import adds the views of a file; failed says why the file could not be read. A view replaces
// one of the same name.
func (p *Page) Import(text, failed string) {
	p.locked(func(g *page) { g.views.Import(text, failed) })
}

// Ask sends a request to the worker and waits for the answer.
func (p *Page) Ask(method string, args json.RawMessage) port.Answer {
	answer := make(chan port.Answer, 1)
	p.locked(func(g *page) { g.Ask(method, args, func(a port.Answer) { answer <- a }) })
	return <-answer
}

// On calls f for each event with a name, until off is called.
func (p *Page) On(event string, f func(json.RawMessage)) (off func()) {
	var id int
	p.locked(func(g *page) {
		if g.listeners[event] == nil {
			g.listeners[event] = make(map[int]func(json.RawMessage))
		}
		g.lastOn++
		id = g.lastOn
		g.listeners[event][id] = f
	})
	return func() { p.locked(func(g *page) { delete(g.listeners[event], id) }) }
}
