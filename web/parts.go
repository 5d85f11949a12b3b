package web

import (
	"cmp"
	"encoding/json"
	"time"

	"watchglass/internal/port"
	"watchglass/internal/wire"
	"watchglass/web/access"
	"watchglass/web/chart"
	"watchglass/web/columns"
	"watchglass/web/commands"
	"watchglass/web/dialog"
	"watchglass/web/drawer"
	"watchglass/web/facets"
	"watchglass/web/filter"
	"watchglass/web/inspector"
	"watchglass/web/list"
	"watchglass/web/notice"
	"watchglass/web/overview"
	"watchglass/web/palette"
	"watchglass/web/panel"
	"watchglass/web/past"
	"watchglass/web/recording"
	"watchglass/web/route"
	"watchglass/web/session"
	"watchglass/web/share"
	"watchglass/web/sidebar"
	"watchglass/web/tab/whocan"
	"watchglass/web/views"
)

// page has the parts of a page and what they share. Code that reaches it holds the lock of its
// Page: parts call each other freely and need no locks of their own.
type page struct {
	port    port.Port
	browser Browser
	base    string
	origin  string
	redraw  func()         // draws the shell, soon
	locked  func(f func()) // calls f with the lock; for callbacks from other goroutines

	address  route.Address
	typing   string         // the field being edited, whose text is the last history entry
	presence *port.Presence // as last reported; nil while the page was always on screen
	state    port.State
	served   *wire.Welcome   // the last of the live proxy; nil: none has answered
	synced   map[string]bool // resources whose first list was complete
	drawing  bool            // a redraw is planned

	asks      map[uint32]ask // without an answer yet
	lastAsk   uint32
	listeners map[string]map[int]func(json.RawMessage)
	lastOn    int
	emits     []scriptEvent // the first is with its listeners
	table     *table

	top      *topBar
	sidebar  *sidebar.Sidebar
	facets   *facets.Pane
	filter   *filter.Bar
	list     *list.List
	panel    *panel.Panel
	overview *overview.Overview
	drawer   *drawer.Drawer
	help     *helpPanel
	palette  *palette.Palette
	columns  *columns.Chooser
	views    *views.Views
	share    *share.Share
	commands *commands.Commands
	dialogs  *dialog.Dialogs
	notices  *notice.Notices
	access   *access.Access
	session  *session.Session
	frame    *frame
	bars     *chart.Bars
	timeline *chart.List
	chart    *chart.Chart // of the open object
	past     *past.Past
	recorder *recording.Recorder

	inspector *inspector.Inspector
}

func newPage(p port.Port, b Browser, base, path, query string) *page {
	g := &page{
		port: p, browser: b, base: base, origin: b.Origin(), address: route.Parse(base, path, query),
		synced: make(map[string]bool), asks: make(map[uint32]ask), listeners: make(map[string]map[int]func(json.RawMessage)),
	}
	g.top, g.facets, g.filter, g.help = &topBar{page: g}, facets.New(g, b), filter.New(g, b), &helpPanel{page: g}
	g.palette, g.columns, g.dialogs = palette.New(g, b), columns.New(g, b), dialog.New(g, b)
	g.share = share.New(g, b, g.dialogs)
	g.notices, g.access, g.past = notice.New(g), access.New(g, b), past.New(g, b)
	g.session = session.New(g, b, g.dialogs, g.past, g.access)
	g.frame, g.overview = &frame{page: g}, overview.New(g, b, base)
	g.views, g.commands = views.New(g, b, g.dialogs, base), commands.New(g, b, g.dialogs)
	g.sidebar = sidebar.New(g, b, g.views, base)
	g.list, g.panel = list.New(g, b), panel.New(g, g.past, g.access, g.filter, g.sidebar, g.overview, g.session)
	g.recorder = recording.New(g, b, g.past, g.dialogs)
	g.bars, g.chart = chart.NewBars(g.Redraw, g.barChartOf), chart.NewObject(g)
	g.timeline = chart.NewList(g, b, g.chart, g.bars)
	g.drawer = drawer.New(g, b, g.chart)
	g.inspector = inspector.New(g, g.dialogs)
	g.table = newTable(g.filter, g.facets, g.palette, g.sidebar, g.overview, g.list, g.drawer, g.commands, g.columns, g.facets.Groups, g, g.bars, g.timeline, g.past, g.recorder, g.views, g.share, g.help, g.top, g.access, g.session, g.frame, g.inspector)
	if route.IsBare(base, path, query) && g.address.Columns == "" {
		g.address.Columns = g.columns.SavedFor(g.address.Resource)
	}
	if to, last := g.overview.Start(); last {
		g.address = to
		b.Replace(g.Href(to))
	}
	g.overview.Keep()
	return g
}

// receive handles a message from the worker.
func (p *page) receive(m port.Message) {
	switch m := m.(type) {
	case port.Patch:
		p.list.OnPatch(m.Patch)
		p.frame.resized()
	case port.State:
		p.onState(m)
	case port.Answer:
		p.onAnswer(m)
	case port.Kinds:
		p.sidebar.OnKinds(m)
	case port.Counts:
		p.sidebar.OnCounts(m)
	case port.Rights:
		p.access.OnRights(m)
	case port.Detail:
		switch m.Part {
		case port.OverviewPart:
			p.overview.OnDetail(m)
		case port.TimelinePart:
			p.timeline.OnDetail(m)
			p.chart.OnDetail(m)
		default:
			p.drawer.OnDetail(m)
		}
	case port.Past:
		p.onPast(m)
	case port.Chunk:
		p.asks[m.ID].Receive(m)
	case port.Pull:
		p.asks[m.ID].Receive(m)
	case port.Due:
		if m.Context != "" {
			p.drawer.Compare().Renew(m.Context)
		} else {
			p.browser.Renew(m.Doubt)
		}
	case port.Reset:
		p.onReset()
	}
}

// onState handles a new state of the list's source.
func (p *page) onState(s port.State) {
	if p.past.Empty() {
		return // nothing connects, and nothing is missing
	}
	before := p.state
	if s.Proxy != nil && !s.Replayed {
		if p.served != nil && !s.Proxy.Same(*p.served) {
			p.browser.Reload() // it is another cluster or user
			return
		}
		p.served = s.Proxy
	}
	if s.Source.Resource != p.address.Resource && p.list.Asked().Seq > 0 {
		s.Source = before.Source // it is the state of the previous resource
	}
	p.state = s
	p.access.OnState(s.Source)
	p.list.Reveal()
	p.access.Recall(s.Proxy)
	p.sidebar.OnState(s.Source.State)
	if before.Source.Resource != s.Source.Resource || before.Source.State != s.Source.State || before.Source.Objects != s.Source.Objects {
		p.ShowState()
	}
	if s.Source.Synced && !p.synced[s.Source.Resource] {
		p.synced[s.Source.Resource] = true
		p.browser.Mark("watchglass:synced:" + s.Source.Resource)
	}
	if before.Source.ID != s.Source.ID || before.Source.Namespace != s.Source.Namespace || before.Proxy == nil && s.Proxy != nil {
		p.drawer.Follow() // its tab may not be one of the kind's, be about its namespaces, or compare with another context
	}
	if before.Source.State == s.Source.State {
		p.RedrawSoon()
		return
	}
	if !p.past.On() && !p.frame.only() {
		p.emitState()
	}
	p.redraw()
}

// onReset requests everything again from a new hub, since the previous one has ended, and shows a
// notice. What is on screen stays until the new hub has something to show.
func (p *page) onReset() {
	if p.presence != nil {
		p.port.Send(*p.presence)
	}
	p.top.seenDifferences = 0 // the next worker counts anew
	asks := p.asks
	p.asks = make(map[uint32]ask)
	p.access.OnReset()
	p.sidebar.OnReset()
	p.past.OnReset()
	p.recorder.OnReset()
	p.list.OnReset()
	p.overview.OnReset()
	p.timeline.OnReset()
	p.chart.OnReset()
	p.drawer.OnReset()
	p.Notify("The background worker stopped and was restarted. Data is reloading. The browser console shows the cause.")
	for id, a := range asks {
		p.port.Send(port.Cancel{ID: id}) // the new worker may have received it, and would wait for the page
		a.then(port.Answer{ID: id, Error: "the background worker stopped before it could answer; try again"})
	}
}

// ask is a request to the worker, which is also for something long if it has handlers for that.
type ask struct {
	port.Transfer
	then func(port.Answer)
}

// Ask sends a request to the worker, and calls then with the answer.
func (p *page) Ask(method string, args json.RawMessage, then func(port.Answer)) {
	p.Transfer(method, args, port.Transfer{}, then)
}

// Transfer sends a request for something long, to the page or from it. It calls then with the answer, which ends it, and
// returns the ID for Pulls and Chunks.
func (p *page) Transfer(method string, args json.RawMessage, t port.Transfer, then func(port.Answer)) (id uint32) {
	p.lastAsk++
	p.asks[p.lastAsk] = ask{t, then}
	p.port.Send(port.Ask{ID: p.lastAsk, List: list.ID, Object: drawer.ID, Method: method, Args: args})
	return p.lastAsk
}

// Cancel ends a request for something long, without an answer, unless it has ended.
func (p *page) Cancel(id uint32) {
	if _, open := p.asks[id]; open {
		delete(p.asks, id)
		p.port.Send(port.Cancel{ID: id})
	}
}

func (p *page) onAnswer(a port.Answer) {
	then := p.asks[a.ID].then
	delete(p.asks, a.ID)
	if then != nil {
		then(a)
	}
}

// scriptEvent is an event for the listeners of scripts.
type scriptEvent struct {
	event string
	doc   json.RawMessage
}

// emit calls the listeners of an event, after those of the events before, without holding the lock:
// they may call Ask.
func (p *page) emit(event string, value any) {
	doc, err := json.Marshal(value)
	if err != nil {
		return
	}
	if p.emits = append(p.emits, scriptEvent{event, doc}); len(p.emits) == 1 {
		go p.emitAll()
	}
}

// emitAll calls the listeners of all events that wait.
func (p *page) emitAll() {
	for more := true; more; {
		var now scriptEvent
		var call []func(json.RawMessage)
		p.locked(func() {
			now = p.emits[0]
			for _, f := range p.listeners[now.event] {
				call = append(call, f)
			}
		})
		for _, f := range call {
			f(now.doc)
		}
		p.locked(func() {
			p.emits = p.emits[1:]
			more = len(p.emits) > 0
		})
	}
}

// Opened tells scripts which object was opened; "" means that it was closed.
func (p *page) Opened(key string) {
	of := p.address.ObjectOf(key)
	if !p.address.Mixed() {
		of.Resource = p.Here()
	}
	p.emit("select", map[string]any{"key": of.Key(), "resource": of.Resource, "namespace": of.Namespace, "name": of.Name})
}

// redrawEvery is the minimum time between redraws for counts alone.
const redrawEvery = 200 * time.Millisecond

// RedrawSoon redraws the shell after redrawEvery. Further calls until then share that redraw.
func (p *page) RedrawSoon() {
	if p.drawing {
		return
	}
	p.drawing = true
	time.AfterFunc(redrawEvery, func() {
		p.locked(func() {
			p.drawing = false
			p.redraw()
		})
	})
}

// title returns the document's title.
func (p *page) title() string {
	if p.past.Empty() {
		return "Watchglass"
	}
	title := p.address.Name()
	if p.state.Proxy != nil && p.state.Proxy.Context != "" {
		title += " · " + p.state.Proxy.Context
	}
	if at := p.past.At(); !at.IsZero() {
		title = p.past.Clock(at) + " · " + title
	}
	return title + " · Watchglass"
}

// Here returns the resource on screen, or the one in the address until it is known.
func (p *page) Here() string {
	return cmp.Or(p.state.Source.ID, p.address.Resource)
}

// onMove applies the address that Back or Forward leads to.
func (p *page) onMove(path, query string) {
	was := p.address.At
	p.address, p.typing = route.Parse(p.base, path, query), ""
	if !p.list.Asks(p.address.Resource, p.address.Query()) {
		p.list.Rewind()
	}
	p.reportInvalid(query)
	p.past.OnMove(was)
	p.SetFields()
	p.Changed()
	p.drawer.OnMove()
}

// Navigate changes the address; with step, Back undoes the change. An object that is marked to compare
// with stays marked, also for links and saved views.
func (p *page) Navigate(step bool, change func(a *route.Address)) {
	with := p.address.With
	p.Edit(step, func(a *route.Address) {
		if change(a); a.With.Name == "" {
			a.With = with
		}
	})
}

// Edit is Navigate, but may also change which object is marked. A page in a frame stays one, and in the past
// it stays there, also for links and saved views; no other page becomes one.
func (p *page) Edit(step bool, change func(a *route.Address)) {
	p.past.CatchUp() // else the entry that is left would keep an earlier moment
	p.typing = ""
	form, hosted, at, before := p.address.Embed, p.address.Hosted, p.address.At, p.address.String(p.base)
	change(&p.address)
	p.address.Embed, p.address.Hosted, p.address.At = form, hosted, p.past.MomentFor(at)
	p.frame.keepForm()
	if p.frame.only() && p.address.Selected == "" {
		p.address.Embed = route.EmbedList
	}
	after := p.address.String(p.base)
	if after == before {
		return
	}
	if step && !p.frame.on() {
		p.browser.Push(after)
	} else {
		p.browser.Replace(after)
	}
	p.Changed()
	p.frame.moved()
}

// NavigateTyped changes the address to match a field. Everything typed in one go is one history
// entry.
func (p *page) NavigateTyped(field string, change func(a *route.Address)) {
	step, before := p.typing != field, p.address.String(p.base)
	p.Navigate(step, change)
	if !step || p.address.String(p.base) != before {
		p.typing = field
	}
}

// Changed requests, paints and redraws what the page shows, after the address has changed.
func (p *page) Changed() {
	p.overview.Keep()
	p.SendQueries()
	p.list.Paint()
	p.redraw()
}

// SetFields sets the fields from the address.
func (p *page) SetFields() {
	p.browser.SetField("filter", p.address.Filter)
	if p.drawer.Asked().Tab == route.AccessID {
		p.browser.SetField(whocan.Field, p.address.Access.Text)
	}
	p.facets.Groups.SetField()
}

// GoTo goes to another list, or to an object in it, as one history entry.
func (p *page) GoTo(to route.Address) {
	p.list.Rewind()
	p.closePanes()
	p.Navigate(true, func(a *route.Address) { *a = to })
	p.SetFields()
}

// Copy copies a text to the clipboard, and shows a notice.
func (p *page) Copy(text, said string) {
	p.browser.Copy(text, func(copied bool) {
		if !copied {
			said = "The browser blocked copying."
		}
		p.locked(func() { p.Notify(said) })
	})
}
