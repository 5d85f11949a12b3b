package web

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"watchglass/internal/port"
	"watchglass/internal/quote"
	"watchglass/internal/view"
	"watchglass/web/grid"
)

// Browser is what a Page needs of the browser. A test stands in for it.
type Browser interface {
	// Push and Replace set the address: a step that Back takes back, or not.
	Push(address string)
	Replace(address string)
	// Scroll moves the list to a place, in pixels.
	Scroll(top int)
	// ScrollText moves the long text of the drawer likewise.
	ScrollText(top int)
	// Focus puts the focus on an element, by its id; on none without one.
	Focus(id string)
	// SetField writes into a field, by its id.
	SetField(id, value string)
	// SetState sets the data-state of the document, and its title.
	SetState(state, title string)
	// Mark makes a performance mark.
	Mark(name string)
	// Theme changes between light and dark, and remembers it.
	Theme()
	Reload()
	// Renew sees to the session, and in doubt has it checked; where it is over, the
	// browser leaves the page. SignOut ends it, and tells why it could not.
	Renew(doubt bool)
	SignOut(failed func(why string))
	// Switch loads an address in another context, which the user has chosen: the browser
	// does not ask about it again.
	Switch(context, address string)
	// Remember keeps a text under a name, if the browser lets it; Recall has it,
	// or nothing.
	// It reports whether the text will be there when the page is opened anew.
	Remember(name, text string) bool
	Recall(name string) string
	// Origin is where the page comes from, as an address begins.
	Origin() string
	// Copy puts a text on the clipboard, and tells later whether it is there.
	Copy(text string, done func(copied bool))
	// Windows reports whether it runs there.
	Windows() bool
	// Save has the browser save a file.
	Save(name, mime string, pieces [][]byte)
}

// RowHeight is the height of a row in pixels.
const RowHeight = 28

// Page is all that the page knows. Its methods may be called from any
// goroutine.
type Page struct {
	port     port.Port
	presence *port.Presence // the last; nil while it is on screen and was always
	browser  Browser
	base     string
	origin   string
	redraw   func() // has the shell drawn again, soon

	mu       sync.Mutex
	address  Address
	window   view.Window
	state    port.State
	grid     *grid.Grid
	geometry grid.Geometry
	seq      uint32
	asked    port.Look // the last that was
	turned   uint32    // the first seq of what is asked for now, wherever its window is
	begun    uint32    // the first seq of the resource
	shown    uint32    // the seq that the window answers
	mark     mark
	located  uint32 // the first seq that asks where the marked row is
	pointed  bool   // the pointer is in the list
	above    int    // rows that came in above while the list was held
	drawing  bool   // the shell is going to be drawn
	help     bool
	paused   bool // what changes waits
	narrow   bool // the list is as narrow as on a telephone
	// palette, if it is open, and completion, what may be typed into the filter if
	// somebody types. They are written under mu.
	palette      atomic.Pointer[palette]
	chooser      atomic.Pointer[columnChooser]
	completion   atomic.Pointer[completion]
	dialog       atomic.Pointer[dialog] // if one is open; written under mu
	views        []keptView             // by name; never written into, like what is starred
	starred      []string               // kinds, as they were starred
	forgetful    bool                   // the browser keeps nothing
	removed      keptView               // the view that was removed last
	notice       notice
	typing       string                 // the field whose text is the last step; what is typed on changes that
	export       *export                // if one is under way
	sizing       grid.Sizes             // while a column's edge is dragged
	labels       map[string]labelCounts // by key; the names are under none
	sheet        string                 // the pane that is open on a narrow screen
	find         string                 // what the namespaces are narrowed by
	kinds        []port.Kind            // of the server; never written into, like the next two
	held         map[string]int         // objects, by kind
	folded       map[string]bool        // groups of the rail that are not as they began
	watchesKinds bool                   // the kinds have been asked for
	first        bool                   // rows have been seen
	synced       map[string]bool
	asks         map[uint32]func(port.Answer)
	lastAsk      uint32
	listeners    map[string]map[int]func(json.RawMessage)
	lastOn       int
	rights       rights
	drawer       drawer
	text         *grid.Text
	textBox      grid.Geometry
	graph        grid.GraphPainter
	quoteFor     quote.Shell // that commands are pasted into
	treeFirst    bool        // graphs begin as trees
	textColumns  int         // of letters, that have room in a row of a long text
}

// NewPage returns a page at an address. Redraw is called when what the shell
// shows has changed.
func NewPage(p port.Port, b Browser, base, path, query string, redraw func()) *Page {
	page := &Page{
		port: p, browser: b, base: base, origin: b.Origin(), redraw: redraw,
		address:   ParseAddress(base, path, query),
		geometry:  grid.Geometry{RowHeight: RowHeight},
		synced:    make(map[string]bool),
		asks:      make(map[uint32]func(port.Answer)),
		listeners: make(map[string]map[int]func(json.RawMessage)),
		folded:    foldedGroups(b.Recall("rail")),
		views:     recalledViews(b, base),
		starred:   recalledStarred(b, base),
		quoteFor:  recalledShell(b),
	}
	page.drawer.width, _ = strconv.Atoi(b.Recall("drawer"))
	if strings.Trim(strings.TrimPrefix(path, base), "/") == "" && page.address.Columns == "" { // who names no view has their own
		page.address.Columns = page.kept()[page.address.Resource]
	}
	return page
}

// Begin asks for the first rows before the page is drawn: they are on their way meanwhile. An
// object that the address opens is asked for with the page that shows it.
func (p *Page) Begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.focus().Name == "" {
		p.look()
	}
}

// Run takes the worker's messages, for as long as the page is there.
func (p *Page) Run() {
	for m := range p.port.Receive() {
		switch m := m.(type) {
		case port.Patch:
			p.patch(m.Patch)
		case port.State:
			p.told(m)
		case port.Answer:
			p.answered(m)
		case port.Kinds:
			p.served(m)
		case port.Counts:
			p.holds(m)
		case port.Rights:
			p.learned(m)
		case port.Detail:
			p.detailed(m)
		case port.Due:
			p.browser.Renew(m.Doubt)
		case port.Reset:
			p.reset()
		}
	}
}

// The IDs under which the page has its list and its open object in the hub.
const (
	listID   = 1
	objectID = 2
)

// reset opens everything again at another hub, since the one before ended, and says so. What
// is on screen stays until the new hub has something to show.
func (p *Page) reset() {
	p.mu.Lock()
	asks := p.asks
	if p.presence != nil {
		p.port.Send(*p.presence)
	}
	p.asks = make(map[uint32]func(port.Answer))
	if p.rights.of != nil {
		p.port.Send(port.Remembered{Namespaces: p.rights.remembered})
	}
	if p.watchesKinds {
		p.port.Send(port.WatchKinds{})
	}
	if p.asked.Seq > 0 {
		p.seq++
		p.asked.Seq = p.seq
		p.port.Send(p.asked)
	}
	if d := &p.drawer; d.asked.Name != "" {
		d.asked.Seq++
		p.port.Send(d.asked)
	}
	p.say(notice{text: "The background worker stopped and was restarted. Data is loading again; no action is needed. The browser console shows the cause."})
	p.mu.Unlock()
	for id, then := range asks {
		then(port.Answer{ID: id, Error: "the background worker stopped before it could answer; try again"})
	}
}

// Attach gives the page the list to paint into. From then on it asks.
func (p *Page) Attach(painter grid.Painter, height int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.grid = grid.New(painter)
	p.geometry.Height = height
	p.look()
	if p.drawer.asked.Name != "" && p.address.Tab != "" { // its keys are what was asked for
		p.redraw()
		p.focusTab()
	}
}

// firstRows is how many rows are painted at first: while the program is still
// being compiled on other threads, a whole screen at once would take long.
const firstRows = 14

// look asks the worker for what the address and the scroll say, if that is
// something else than before.
func (p *Page) look() {
	opened := p.attend()
	next := port.Look{ID: listID, Resource: p.address.Resource, Query: p.address.Query()}
	next.Paused, next.Typing = p.paused || p.export != nil, p.completion.Load().open()
	next.Offset, next.Limit = p.geometry.Window()
	if !p.first {
		next.Limit = min(next.Limit, firstRows)
	}
	if next.Resource != p.asked.Resource {
		p.begin(next.Resource)
	}
	p.followSelected(opened)
	if p.asked.Seq == 0 || !sameQuestion(next, p.asked) {
		p.turned = p.seq + 1
	}
	next.Anchor, next.Locate = p.anchor(), p.sought()
	if p.asked.Seq > 0 && same(next, p.asked) {
		return
	}
	p.seq++
	if next.Seq = p.seq; next.Locate != p.asked.Locate {
		p.located = p.seq
	}
	p.asked = next
	p.port.Send(next)
	p.busy()
}

// begin forgets what was shown of another resource: none of it, nor how it
// stood, is true of the one that is asked for.
func (p *Page) begin(resource string) {
	if p.begun = p.seq + 1; p.asked.Seq == 0 {
		return
	}
	p.window, p.labels, p.mark = view.Window{}, nil, mark{}
	p.state.Source = port.Source{Resource: resource, State: "connecting"}
	p.browser.SetState("connecting", p.title())
}

// sameQuestion reports that two looks differ in their window at most.
func sameQuestion(a, b port.Look) bool {
	return a.Resource == b.Resource && slices.Equal(a.Namespaces, b.Namespaces) && a.Labels == b.Labels && a.Text == b.Text && a.Typing == b.Typing &&
		a.Paused == b.Paused && a.Sort == b.Sort && a.Descending == b.Descending && a.Wide == b.Wide && slices.Equal(a.Columns, b.Columns)
}

func same(a, b port.Look) bool {
	return sameQuestion(a, b) && a.Offset == b.Offset && a.Limit == b.Limit && a.Anchor == b.Anchor && a.Locate == b.Locate
}

// anchor is the row that must not move: the uppermost in sight, while somebody
// points at the list or has chosen a row in it. What is asked for anew begins
// at its top, wherever the rows go that were in sight.
func (p *Page) anchor() string {
	if p.shown < p.turned || !p.state.Source.Synced || !p.pointed && p.address.Selected == "" && p.mark.key == "" {
		return ""
	}
	at := (p.geometry.Scroll+RowHeight-1)/RowHeight - p.window.Offset
	if at < 0 || at >= len(p.window.Rows) {
		return ""
	}
	return p.window.Rows[at].Key
}

// patch paints what changed, and tells that it has.
func (p *Page) patch(patch view.Patch) {
	p.mu.Lock()
	if patch.Seq < p.begun { // of another resource
		p.mu.Unlock()
		p.port.Send(port.Painted{ID: listID})
		return
	}
	before := p.window
	p.window, p.shown = p.window.Apply(patch), patch.Seq
	if patch.Facets != nil && patch.Seq >= p.turned { // not those of what was typed before
		p.recount()
	}
	if patch.Above != 0 {
		p.shift(patch.Above)
	}
	news := p.follow(patch)
	p.paint()
	p.reveal()
	p.busy()
	if !p.first && len(p.window.Rows) > 0 {
		p.first = true
		p.browser.Mark("watchglass:first-row")
	}
	p.look() // the anchor, or the scroll
	p.mu.Unlock()
	p.port.Send(port.Painted{ID: listID})
	switch {
	case news || patch.Above != 0 || before.Held != patch.Held || before.Problem != p.window.Problem || before.Columns != nil && (before.Total == 0) != (patch.Total == 0):
		p.redraw()
	case patch.Columns != nil || patch.Facets != nil || before.Total != patch.Total || before.Of != patch.Of || before.Waiting != patch.Waiting:
		p.redrawSoon()
	}
}

// redrawEvery is how often the shell is drawn for counts alone.
const redrawEvery = 200 * time.Millisecond

// redrawSoon has the shell drawn for what changes often: now if it has not been
// for a while, and else after it.
func (p *Page) redrawSoon() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawing {
		return
	}
	p.drawing = true
	time.AfterFunc(redrawEvery, func() {
		p.mu.Lock()
		p.drawing = false
		p.mu.Unlock()
		p.redraw()
	})
}

// shift moves the list along with its anchor.
func (p *Page) shift(rows int) {
	p.geometry.Scroll = max(p.geometry.Scroll+rows*RowHeight, 0)
	p.browser.Scroll(p.geometry.Scroll)
	if p.above += rows; p.above < 0 {
		p.above = 0
	}
}

// busy says whether what is shown is not yet what was asked for.
func (p *Page) busy() {
	if p.grid != nil {
		p.grid.Busy(p.shown < p.turned)
	}
}

func (p *Page) paint() {
	sizes := p.sizing
	if sizes == nil {
		sizes = p.address.sizes()
	}
	if p.grid != nil {
		p.grid.Show(p.window, p.address.Objects(p.state.Source.Kind, p.base), grid.Sort{Column: p.address.Sort, Descending: p.address.Descending}, grid.Marks{Active: p.mark.key, Selected: p.address.Selected}, grid.Room{Sizes: sizes, Narrow: p.narrow})
	}
}

// told takes the worker's word on how things stand.
func (p *Page) told(s port.State) {
	p.mu.Lock()
	before := p.state
	if before.Proxy != nil && s.Proxy != nil && !s.Proxy.Same(*before.Proxy) {
		p.mu.Unlock()
		p.browser.Reload() // nothing that is here is of what the proxy shows now
		return
	}
	if s.Source.Resource != p.address.Resource && p.asked.Seq > 0 {
		s.Source = before.Source // what it tells is of another resource
	}
	p.state = s
	p.reveal()
	p.recall(s.Proxy)
	p.watchKindsAfter(s.Source.State)
	if before.Source.Resource != s.Source.Resource || before.Source.State != s.Source.State || before.Source.Objects != s.Source.Objects {
		p.browser.SetState(s.Source.State, p.title())
	}
	if s.Source.Synced && !p.synced[s.Source.Resource] {
		p.synced[s.Source.Resource] = true
		p.browser.Mark("watchglass:synced:" + s.Source.Resource)
	}
	p.mu.Unlock()
	if before.Source.State == s.Source.State {
		p.redrawSoon()
		return
	}
	p.emit("state", map[string]any{"state": s.Source.State, "since": s.Source.Since})
	p.redraw()
}

func (p *Page) title() string {
	title := p.address.Resource
	if p.state.Proxy != nil && p.state.Proxy.Context != "" {
		title += " · " + p.state.Proxy.Context
	}
	return title + " · Watchglass"
}

// Scrolled tells that the list was scrolled, or its box resized.
func (p *Page) Scrolled(top, height int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if top != p.geometry.Scroll {
		p.mark.reveal = false // somebody looks elsewhere
	}
	p.geometry.Scroll, p.geometry.Height = top, height
	p.stray()
	if top == 0 && p.above != 0 {
		p.above = 0
		defer p.redraw()
	}
	p.look()
}

// narrowList is as wide as a list is on a telephone, in pixels.
const narrowList = 560

// Resized tells how wide the list is.
func (p *Page) Resized(width int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if narrow := width < narrowList; narrow != p.narrow {
		p.narrow = narrow
		p.paint()
	}
}

// Pointed tells whether the pointer is in the list.
func (p *Page) Pointed(in bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pointed = in
	p.look()
}

// Presence says whether the page is on screen, and whether there is a network.
func (p *Page) Presence(visible, online bool) {
	m := port.Presence{Visible: visible, Online: online}
	p.mu.Lock()
	p.presence = &m
	p.mu.Unlock()
	p.port.Send(m)
}

// Moved tells that the address has changed by itself: Back and Forward.
func (p *Page) Moved(path, query string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.address, p.typing = ParseAddress(p.base, path, query), ""
	if next := (port.Look{Resource: p.address.Resource, Query: p.address.Query()}); !sameQuestion(next, p.asked) {
		p.rewind()
	}
	p.fields()
	p.changed()
}

// Focused takes which element has the focus: suggestions are for who types.
func (p *Page) Focused(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	left := p.typing != "" && id != p.typing
	if left {
		p.typing = ""
	}
	if p.completion.Load() != nil && id != "filter" {
		p.completion.Store(nil)
		left = true
	}
	if left { // what was half typed is meant now
		p.look()
		p.redraw()
	}
}

// typed changes the address by what stands in a field. All that is typed there in one
// go is one step.
func (p *Page) typed(field string, change func(a *Address)) {
	step, before := p.typing != field, p.address.String(p.base)
	p.visit(step, change)
	if !step || p.address.String(p.base) != before {
		p.typing = field
	}
}

// fields writes into the fields what the address says.
func (p *Page) fields() {
	p.browser.SetField("filter", p.address.Filter)
	p.browser.SetField("labels", p.address.Labels)
}

// visit changes the address. A step is one that Back takes back.
func (p *Page) visit(step bool, change func(a *Address)) {
	p.typing = ""
	before := p.address.String(p.base)
	change(&p.address)
	after := p.address.String(p.base)
	if after == before {
		return
	}
	if step {
		p.browser.Push(after)
	} else {
		p.browser.Replace(after)
	}
	p.changed()
}

// changed asks and paints anew after the address has changed.
func (p *Page) changed() {
	p.look()
	p.paint()
	p.redraw()
}
