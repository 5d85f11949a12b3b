//go:build js && wasm

package web

import (
	"encoding/json"
	"math"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall/js"
	"time"

	"github.com/hack-pad/safejs"
	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/port"
	"watchglass/web/chart"
	"watchglass/web/facets"
	"watchglass/web/grid"
	"watchglass/web/list"
	"watchglass/web/past"
	"watchglass/web/recording"
	"watchglass/web/route"
	"watchglass/web/tab/relations"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// browser implements Browser and forwards events to the page. It listens on the document and
// finds the action of an event in the attributes of its element.
type browser struct {
	window, document, root js.Value
	list                   js.Value // the element that scrolls the list
	text                   js.Value // the element that scrolls long texts
	rowHeight              int      // of the list, in pixels; it stays when the pointer changes
	// taken is the key that is down, if the page has handled it. Its character must not
	// be typed into a field that it has just focused.
	taken   string
	dragged bool // a column's edge has been dragged since the last pointerdown
	framed  bool // the page is in a frame of another page

	address   string      // address waiting to be written
	replacing *time.Timer // delays the next write

	shell   mount       // empty until the shell is in the document
	drawing atomic.Bool // a redraw is asked for
	focus   string      // the element that was last to get the focus
}

var _ Browser = (*browser)(nil)

// Run shows the page. It never returns.
func Run(p port.Port) {
	window := js.Global()
	b := &browser{rowHeight: list.RowHeight, window: window, document: window.Get("document"), framed: !window.Get("parent").Equal(window)}
	b.root = b.document.Get("documentElement")
	location := window.Get("location")
	base := b.root.Get("dataset").Get("base").String()
	if b.root.Call("hasAttribute", "data-copy").Bool() { // its web server knows one path only
		base = route.BaseOf(location.Get("pathname").String())
	}
	thePage = NewPage(p, b, base, location.Get("pathname").String(), location.Get("search").String(), b.redraw)
	thePage.mounted = func(m mount) {
		b.shell = m
		b.attach(thePage)
		b.fetch(thePage)
		b.Mark("watchglass:boot")
		go thePage.Run()
	}
	b.expose(thePage)
	b.session().Set("renewed", js.FuncOf(func(_ js.Value, args []js.Value) any {
		thePage.Renewed(args[0].String())
		return nil
	}))
	b.session().Set("lost", js.FuncOf(func(_ js.Value, args []js.Value) any {
		thePage.Lost(args[0].String(), args[1].String())
		return nil
	}))
	thePage.Begin()
	app.Route(app.Window().URL().Path, &shell{}) // the only route, at the current path: the page manages the history itself
	app.RunWhenOnBrowser()
}

// redraw draws the shell with the next frame.
func (b *browser) redraw() {
	if b.shell.redraw != nil && b.drawing.CompareAndSwap(false, true) {
		b.shell.redraw()
		b.drawing.Store(false)
	}
}

// on adds an event listener that is never removed.
func on(target js.Value, event string, f func(e js.Value)) {
	target.Call("addEventListener", event, js.FuncOf(func(_ js.Value, args []js.Value) any {
		f(args[0])
		return nil
	}))
}

// attach connects the page to the document: list, fields and events.
func (b *browser) attach(p *Page) {
	b.window.Set("onclick", js.Null()) // go-app would handle every link and Back
	b.window.Set("onpopstate", js.Null())
	b.list = b.document.Call("getElementById", "grid")
	p.Fields()
	font := grid.Font{Digit: b.measure(""), Mono: b.measure("mono")}
	p.Resized(b.list.Get("clientWidth").Int(), font)
	p.Attach(grid.NewDOM(b.list, "Objects"), b.height())
	b.pointer(p)
	b.keyboard(p)
	on(b.document, "change", func(e js.Value) {
		if files := e.Get("target").Get("files"); files.Truthy() && files.Length() > 0 {
			read(files.Index(0), p.Import)
			e.Get("target").Set("value", "") // so that the same file can be chosen again
		}
	})
	on(b.window, "storage", func(js.Value) { p.Stored() })
	on(b.document, "focusin", func(e js.Value) {
		if p.Modal() && b.escaped(e) {
			return
		}
		if _, ok := closest(e, ".grid a"); ok {
			b.list.Call("focus", map[string]any{"preventScroll": true}) // keys are the list's, whatever was clicked in it
			return
		}
		if id := e.Get("target").Get("id"); id.Type() == js.TypeString {
			p.Focused(id.String())
		}
	})
	on(b.window, "popstate", func(js.Value) {
		b.address = "" // it belongs to the history entry that was left
		l := b.window.Get("location")
		p.Moved(l.Get("pathname").String(), l.Get("search").String())
	})
	b.sizes(p)
	b.drawer(p)
	b.bars(p)
	b.drops(p)
	on(b.list, "scroll", func(js.Value) { b.scrolled(p) })
	b.points(p)
	visible := func() bool { return b.document.Get("visibilityState").String() != "hidden" }
	presence := func(js.Value) { p.Presence(visible(), b.window.Get("navigator").Get("onLine").Bool()) }
	on(b.window, "online", presence)
	on(b.window, "offline", presence)
	on(b.document, "visibilitychange", presence)
	on(b.window, "focus", presence) // the user is back, perhaps from signing in elsewhere
	if !visible() {
		presence(js.Null())
	}
	b.window.Get("ResizeObserver").New(js.FuncOf(func(js.Value, []js.Value) any {
		p.Resized(b.list.Get("clientWidth").Int(), font)
		b.scrolled(p)
		return nil
	})).Call("observe", b.list)
	if b.mayFocus() {
		b.list.Call("focus")
	}
}

// points tells the page whether the pointer is in the list, and when it moves there: once a second is enough.
func (b *browser) points(p *Page) {
	on(b.list, "pointerenter", func(js.Value) { p.Pointed(true) })
	var moved time.Time
	on(b.list, "pointermove", func(js.Value) {
		if now := time.Now(); now.Sub(moved) > time.Second {
			moved = now
			p.Pointed(true)
		}
	})
	on(b.list, "pointerleave", func(js.Value) { p.Pointed(false) })
}

// mayFocus reports whether the page may move the focus. In a frame it may not take the focus from
// the page around it.
func (b *browser) mayFocus() bool {
	return !b.framed || b.document.Call("hasFocus").Bool()
}

// pointer forwards clicks.
func (b *browser) pointer(p *Page) {
	on(b.document, "click", func(e js.Value) { b.click(p, e) })
	on(b.document, "mousedown", func(e js.Value) {
		if _, ok := closest(e, ".offer"); ok {
			e.Call("preventDefault") // keep the focus and the caret in the field
		}
	})
}

// keyboard forwards keys and input in fields.
func (b *browser) keyboard(p *Page) {
	on(b.document, "keydown", func(e js.Value) { b.press(p, e) })
	on(b.document, "keyup", func(js.Value) { b.taken = "" })
	on(b.document, "keypress", func(e js.Value) {
		if e.Get("key").String() == b.taken {
			e.Call("preventDefault")
		}
	})
	on(b.document, "input", func(e js.Value) {
		if field := e.Get("target").Get("dataset").Get("field"); field.Truthy() {
			p.Typed(field.String(), e.Get("target").Get("value").String())
		}
	})
}

// sizes lets the user drag the edges of columns. The click after a drag does not sort.
func (b *browser) sizes(p *Page) {
	var name string // column being resized
	var from, width int
	edge := func(e js.Value) (column js.Value, ok bool) {
		if _, ok = closest(e, ".sizer"); ok {
			column, ok = closest(e, "[role=columnheader]")
		}
		return column, ok
	}
	at := func(e js.Value) int { return width + e.Get("clientX").Int() - from }
	on(b.list, "pointerdown", func(e js.Value) {
		b.dragged = false
		if column, ok := edge(e); ok && e.Get("button").Int() == 0 {
			e.Call("preventDefault")
			name = column.Get("dataset").Get("column").String()
			from, width = e.Get("clientX").Int(), column.Get("offsetWidth").Int()
		}
	})
	end := func(e js.Value) {
		if name != "" && b.dragged {
			p.Size(name, at(e), true)
		}
		name = ""
	}
	on(b.document, "pointermove", func(e js.Value) {
		switch {
		case name == "":
		case e.Get("buttons").Int() == 0: // the button was released outside the page
			end(e)
		case at(e) != width:
			b.dragged = true
			p.Size(name, at(e), false)
		}
	})
	on(b.document, "pointerup", end)
	on(b.document, "pointercancel", end)
	on(b.list, "dblclick", func(e js.Value) {
		if column, ok := edge(e); ok {
			p.Size(column.Get("dataset").Get("column").String(), 0, true)
		}
	})
}

// drawer connects the drawer's long texts and graph, and lets pointer and keys move its edge.
func (b *browser) drawer(p *Page) {
	b.text = b.document.Call("getElementById", "text")
	edge := b.document.Call("getElementById", "edge")
	scrolled := func(js.Value) {
		p.TextScrolled(b.text.Get("scrollTop").Int(), b.text.Get("clientHeight").Int(), b.textColumns())
	}
	p.AttachText(grid.NewTextDOM(b.text, ui.TextRowHeight))
	graph := b.document.Call("getElementById", "graph")
	narrow := func() bool { return b.window.Get("innerWidth").Int() < narrowWindow }
	p.AttachGraph(grid.NewGraphDOM(graph, b.document.Call("getElementById", "beyond"), string(relations.Pan)), narrow())
	b.window.Get("ResizeObserver").New(js.FuncOf(func(js.Value, []js.Value) any {
		p.GraphResized(narrow())
		return nil
	})).Call("observe", graph)
	on(b.text, "scroll", scrolled)
	b.window.Get("ResizeObserver").New(js.FuncOf(func(js.Value, []js.Value) any {
		scrolled(js.Value{})
		return nil
	})).Call("observe", b.text)
	held := false
	size := func(width int, kept bool) {
		width = min(max(width, narrowestDrawer), widestDrawer, b.window.Get("innerWidth").Int()-minimalList)
		b.root.Get("style").Call("setProperty", "--drawer", strconv.Itoa(width)+"px")
		if kept {
			p.SizedDrawer(width)
		}
	}
	at := func(e js.Value) int { return b.window.Get("innerWidth").Int() - e.Get("clientX").Int() }
	if width := p.DrawerWidth(); width > 0 {
		size(width, false)
	}
	on(edge, "pointerdown", func(e js.Value) {
		if held = e.Get("button").Int() == 0; held {
			edge.Call("setPointerCapture", e.Get("pointerId"))
		}
	})
	on(edge, "pointermove", func(e js.Value) {
		if held {
			size(at(e), false)
		}
	})
	on(edge, "pointerup", func(e js.Value) {
		if held {
			size(at(e), true)
		}
		held = false
	})
	on(edge, "pointercancel", func(js.Value) { held = false })
	on(edge, "keydown", func(e js.Value) {
		step := map[string]int{"ArrowLeft": edgeStep, "ArrowRight": -edgeStep}[e.Get("key").String()]
		if step != 0 {
			e.Call("preventDefault")
			size(edge.Get("parentElement").Get("offsetWidth").Int()+step, true)
		}
	})
}

// bars lets the pointer show and select bars of histograms, and marks of lanes.
func (b *browser) bars(p *Page) {
	var bars js.Value // that are being selected
	var from int
	held := false
	report := func(e js.Value, phase ui.BrushPhase) {
		box := bars.Call("getBoundingClientRect")
		at := func(client, begins, size string) float64 {
			return (e.Get(client).Float() - box.Get(begins).Float()) / max(box.Get(size).Float(), 1)
		}
		p.Brushed(bars.Get("dataset").Get("field").String(), phase, at("clientX", "left", "width"), at("clientY", "top", "height"))
	}
	on(b.document, "pointerdown", func(e js.Value) {
		if el, ok := closest(e, ".histogram[data-field]"); ok && e.Get("button").Int() == 0 {
			bars, held, from = el, true, e.Get("clientX").Int()
			bars.Call("setPointerCapture", e.Get("pointerId"))
			report(e, ui.BrushBegins)
		}
	})
	on(b.document, "pointermove", func(e js.Value) {
		switch el, ok := closest(e, ".histogram[data-field], .names[data-field]"); {
		case held:
			report(e, ui.BrushMoves)
		case ok:
			bars = el
			report(e, ui.BrushPoints)
		case bars.Truthy():
			report(e, ui.BrushLeaves)
			bars = js.Value{}
		}
	})
	end := func(e js.Value, phase ui.BrushPhase) {
		if held {
			if dragged := e.Get("clientX").Int() - from; phase == ui.BrushEnds && dragged > -leastBrush && dragged < leastBrush {
				phase = ui.BrushClicks
			}
			held = false
			report(e, phase)
		}
	}
	on(b.document, "pointerup", func(e js.Value) { end(e, ui.BrushEnds) })
	on(b.document, "pointercancel", func(e js.Value) { end(e, ui.BrushLeaves) })
}

// leastBrush is how far the pointer is dragged at least to select bars, in pixels.
const leastBrush = 4

// narrowWindow is the width below which related objects are a list at first.
const narrowWindow = 700

// The width that the drawer leaves to the list at least, and how far a key moves its edge, in
// pixels.
const (
	minimalList = 120
	edgeStep    = 40
)

// textColumns returns how many characters fit in a row of a long text; 0 if it is hidden.
func (b *browser) textColumns() int {
	probe := b.text.Call("querySelector", ".probe")
	if !probe.Truthy() {
		probe = b.document.Call("createElement", "span")
		probe.Set("className", "probe")
		probe.Set("textContent", strings.Repeat("0", probed))
		b.text.Call("append", probe)
	}
	letter := probe.Call("getBoundingClientRect").Get("width").Float() / probed
	if letter == 0 {
		return 0 // hidden
	}
	return int(b.text.Get("clientWidth").Float() / letter)
}

// measure returns the width of a digit in the list, in pixels, in the font of a class.
func (b *browser) measure(class string) float64 {
	probe := b.document.Call("createElement", "span")
	probe.Set("className", class)
	probe.Get("classList").Call("add", "digits")
	b.document.Get("body").Call("append", probe)
	defer probe.Call("remove")
	return probe.Call("getBoundingClientRect").Get("width").Float() / probed
}

// probed is the number of characters measured, for precision: as in style.css.
const probed = 100

// height returns the height of the list without its header, which is a row with a border.
func (b *browser) height() int {
	return max(b.list.Get("clientHeight").Int()-b.rowHeight-1, 0)
}

func (b *browser) scrolled(p *Page) {
	p.Scrolled(b.list.Get("scrollTop").Int(), b.height())
}

// closest returns the event target's closest ancestor that matches a selector.
func closest(e js.Value, selector string) (js.Value, bool) {
	target := e.Get("target")
	if target.Get("closest").Type() != js.TypeFunction {
		return js.Value{}, false
	}
	el := target.Call("closest", selector)
	return el, el.Truthy()
}

func (b *browser) click(p *Page, e js.Value) {
	if e.Get("defaultPrevented").Bool() {
		return
	}
	if _, ok := closest(e, ".menu"); !ok {
		p.Dismissed()
	}
	if _, ok := closest(e, ".facets, [data-action="+string(facets.Toggle)+"]"); !ok {
		p.ClickedElsewhere()
	}
	if el, ok := closest(e, "[data-action]"); ok {
		if el.Get("className").String() == "code" && b.window.Call("getSelection").Call("toString").String() != "" {
			return // text was selected
		}
		if el.Get("tagName").String() == "A" && (modified(e) || e.Get("shiftKey").Bool() || e.Get("button").Int() != 0) {
			return // the browser opens a new tab or downloads
		}
		e.Call("preventDefault")
		value := ""
		if v := el.Get("dataset").Get("value"); v.Truthy() {
			value = v.String()
		}
		p.Act(ui.Action(el.Get("dataset").Get("action").String()), value)
		return
	}
	if _, ok := closest(e, ".chips"); ok {
		b.editFilter()
		return
	}
	if _, ok := closest(e, ".grid a"); ok {
		if modified(e) || e.Get("shiftKey").Bool() {
			return // a new tab or window: the browser's
		}
		e.Call("preventDefault") // a plain click is one on the row
	}
	if _, ok := closest(e, ".sizer"); ok || b.dragged {
		b.dragged = false
		return
	}
	if el, ok := closest(e, ".grid [role=columnheader]"); ok {
		p.Act(list.SortBy, el.Get("dataset").Get("column").String())
		return
	}
	if el, ok := closest(e, ".grid .row[data-key]"); ok && b.window.Call("getSelection").Call("toString").String() == "" {
		p.Clicked(el.Get("dataset").Get("key").String())
	}
}

// editFilter puts the caret at the end of the filter.
func (b *browser) editFilter() {
	field := b.document.Call("getElementById", "filter")
	field.Call("focus")
	field.Call("setSelectionRange", math.MaxInt32, math.MaxInt32)
}

func modified(e js.Value) bool {
	return e.Get("ctrlKey").Truthy() || e.Get("metaKey").Truthy() || e.Get("altKey").Truthy()
}

// press handles a key. Browsers and extensions send keydown events without a key, too: when an entry of a datalist is
// chosen, or a form is filled in.
func (b *browser) press(p *Page, e js.Value) {
	if e.Get("key").Type() != js.TypeString || e.Get("isComposing").Truthy() || e.Get("defaultPrevented").Bool() || !e.Get("target").Get("dataset").Truthy() {
		return
	}
	tag := e.Get("target").Get("tagName")
	k := ui.Key{Name: e.Get("key").String(), Command: modified(e), Typing: tag.Type() == js.TypeString && (tag.String() == "INPUT" && e.Get("target").Get("type").String() != "range" || tag.String() == "SELECT")}
	if field := e.Get("target").Get("dataset").Get("field"); field.Truthy() {
		k.Field = field.String()
	}
	if chart.HasBars(k.Field) && e.Get("shiftKey").Bool() && strings.HasPrefix(k.Name, "Arrow") {
		k.Name = "Shift+" + k.Name
	}
	if el, ok := closest(e, ".code[aria-expanded]"); ok && !k.Command && (k.Name == "Enter" || k.Name == " ") {
		e.Call("preventDefault")
		p.Act(ui.Action(el.Get("dataset").Get("action").String()), el.Get("dataset").Get("value").String())
		return
	}
	_, k.InGrid = closest(e, ".grid")
	_, k.OnTab = closest(e, ".tabs")
	_, k.OnText = closest(e, ".text")
	k.OnCanvas = e.Get("target").Get("id").Equal(js.ValueOf("graph"))
	if el, ok := closest(e, ".drawer"); ok && el.Get("dataset").Get("tab").Truthy() {
		k.Drawer = el.Get("dataset").Get("tab").String()
	}
	if el, ok := closest(e, ".rail [data-action="+string(ui.GoTo)+"]"); ok {
		k.Kind = el.Get("dataset").Get("value").String()
	}
	el, chip := closest(e, ".term button, button.term")
	switch {
	case chip && !k.Command && (k.Name == "Backspace" || k.Name == "Delete"):
		e.Call("preventDefault")
		el.Call("click")
	case p.Takes(k):
		b.taken = k.Name
		e.Call("preventDefault") // before Press, which may block
		p.Press(k)
	case b.taken == k.Name && e.Get("repeat").Bool():
		e.Call("preventDefault")
	default:
		b.taken = ""
	}
}

func (b *browser) Push(address string) {
	b.flush()
	b.window.Get("history").Call("pushState", js.Null(), "", address)
}

// replaceEvery is the minimum time between two calls of replaceState. A held key makes many,
// and browsers ignore more than about twenty a second.
const replaceEvery = 100 * time.Millisecond

func (b *browser) Replace(address string) {
	if b.address = address; b.replacing == nil {
		b.flush()
		b.replacing = time.AfterFunc(replaceEvery, func() {
			b.replacing = nil
			b.flush()
		})
	}
}

// flush writes the waiting address.
func (b *browser) flush() {
	if b.address != "" {
		b.window.Get("history").Call("replaceState", js.Null(), "", b.address)
		b.address = ""
	}
}
func (b *browser) Scroll(top int)     { b.list.Set("scrollTop", top) }
func (b *browser) ScrollText(top int) { b.text.Set("scrollTop", top) }

// Focus draws the shell first, because the element may not exist yet. The focus has moved
// before the browser's next event, so the next key goes to that element. Of several calls in one
// event the last one counts, as when an entry of the palette opens a tab.
func (b *browser) Focus(id string) {
	b.focus = id
	b.shell.whenDrawn(func() {
		if b.focus != id {
			return
		}
		el := b.document.Call("getElementById", id)
		if !el.Truthy() || el.Equal(b.document.Get("activeElement")) || !b.mayFocus() {
			return
		}
		el.Call("focus")
		if el.Get("select").Type() == js.TypeFunction {
			el.Call("select")
		}
	})
}

// Reveal draws the shell first, because the element may not exist yet. Before the shell is mounted
// there is nothing to scroll; the list's first size reveals the tab again.
func (b *browser) Reveal(id string) {
	if b.shell.whenDrawn == nil {
		return
	}
	b.shell.whenDrawn(func() {
		if el := b.document.Call("getElementById", id); el.Truthy() {
			el.Call("scrollIntoView", map[string]any{"block": "nearest", "inline": "nearest"})
		}
	})
}

// SetField draws the shell first if it is about the slider of the past, which is not always drawn.
func (b *browser) SetField(id, value string) {
	set := func() bool {
		el := b.document.Call("getElementById", id)
		if el.Truthy() && el.Get("value").String() != value {
			el.Set("value", value)
		}
		return el.Truthy()
	}
	if !set() && id == past.Field && b.shell.whenDrawn != nil {
		b.shell.whenDrawn(func() { set() })
	}
}

func (b *browser) SetState(state, title string) {
	b.root.Get("dataset").Set("state", state)
	b.document.Set("title", title)
}

func (b *browser) Mark(name string) { b.window.Get("performance").Call("mark", name) }

// Theme toggles the theme and stores it if possible.
func (b *browser) Theme() {
	dark := b.window.Call("matchMedia", "(prefers-color-scheme: dark)").Get("matches").Bool()
	if set := b.root.Get("dataset").Get("theme"); set.Truthy() {
		dark = set.String() == "dark"
	}
	theme := map[bool]string{true: "light", false: "dark"}[dark]
	b.root.Get("dataset").Set("theme", theme)
	b.Remember("theme", theme)
}

func (b *browser) Remember(name, text string) bool {
	storage, err := safejs.Global().Get("localStorage")
	if err == nil {
		_, err = storage.Call("setItem", "watchglass:"+name, text)
	}
	return err == nil // else the storage is full or blocked
}

func (b *browser) Recall(name string) string {
	storage, err := safejs.Global().Get("localStorage")
	if err != nil {
		return ""
	}
	if text, err := storage.Call("getItem", "watchglass:"+name); err == nil && text.Type() == safejs.TypeString {
		s, _ := text.String() // its type was checked
		return s
	}
	return ""
}

func (b *browser) Alone() (alone, fetches bool) {
	name := b.root.Get("dataset").Get("recording")
	return !name.IsUndefined(), name.Truthy()
}

// fetch reads the recording that was published with the page, if there is one.
func (b *browser) fetch(p *Page) {
	if _, fetches := b.Alone(); !fetches {
		return
	}
	name := b.root.Get("dataset").Get("recording").String()
	settlesWith(b.window.Get("watchglassFile"), func(v js.Value, failed string) { p.Fetched(name, jsFile{v}, failed) })
}

func (b *browser) Origin() string { return b.window.Get("location").Get("origin").String() }

// Copy fails on pages served over plain HTTP from another host: browsers give them no clipboard.
func (b *browser) Copy(text string, done func(copied bool)) {
	clipboard := b.window.Get("navigator").Get("clipboard")
	if !clipboard.Truthy() {
		go done(false)
		return
	}
	var yes, no js.Func
	settled := func(copied bool) js.Func {
		return js.FuncOf(func(js.Value, []js.Value) any {
			yes.Release()
			no.Release()
			done(copied)
			return nil
		})
	}
	yes, no = settled(true), settled(false)
	clipboard.Call("writeText", text).Call("then", yes, no)
}

// Windows uses navigator.platform: only Chromium has its replacement.
func (b *browser) Windows() bool {
	platform := b.window.Get("navigator").Get("platform")
	return platform.Type() == js.TypeString && strings.HasPrefix(platform.String(), "Win")
}

// savedWithin is how long the browser may take to start a download, in milliseconds.
const savedWithin = 60_000

// Save downloads the file.
func (b *browser) Save(name, mime string, pieces [][]byte) {
	parts := b.window.Get("Array").New()
	for _, piece := range pieces {
		bytes := b.window.Get("Uint8Array").New(len(piece))
		js.CopyBytesToJS(bytes, piece)
		parts.Call("push", bytes)
	}
	b.download(name, b.window.Get("Blob").New(parts, map[string]any{"type": mime}))
}

// download downloads a blob through a temporary link.
func (b *browser) download(name string, blob js.Value) {
	urls := b.window.Get("URL")
	address := urls.Call("createObjectURL", blob)
	link := b.document.Call("createElement", "a")
	link.Set("href", address)
	link.Set("download", name)
	link.Call("click")
	var forget js.Func
	forget = js.FuncOf(func(js.Value, []js.Value) any {
		forget.Release()
		urls.Call("revokeObjectURL", address)
		return nil
	})
	b.window.Call("setTimeout", forget, savedWithin)
}

// jsPacker compresses a file in the browser, which takes no time of the page.
type jsPacker struct {
	b            *browser
	writer, blob js.Value // the second is a promise
}

// Pack begins a file in gzip.
func (b *browser) Pack() (recording.Packer, string) {
	kind := b.window.Get("CompressionStream")
	if !kind.Truthy() {
		return nil, "this browser can't compress files"
	}
	stream := kind.New("gzip")
	return &jsPacker{b, stream.Get("writable").Call("getWriter"), b.window.Get("Response").New(stream.Get("readable")).Call("blob")}, ""
}

func (p *jsPacker) Write(chunk []byte, taken func()) {
	bytes := p.b.window.Get("Uint8Array").New(len(chunk))
	js.CopyBytesToJS(bytes, chunk)
	settles(p.writer.Call("write", bytes), func(string) { taken() })
}

func (p *jsPacker) Save(name string, done func(bytes int, failed string)) {
	settles(p.writer.Call("close"), func(string) {})
	settlesWith(p.blob, func(blob js.Value, failed string) {
		if failed != "" {
			done(0, failed)
			return
		}
		p.b.download(name, blob)
		done(blob.Get("size").Int(), "")
	})
}

// drops lets the user drop a recording anywhere on the page. While a file is dragged over it, the
// document has data-drop.
func (b *browser) drops(p *Page) {
	data := b.root.Get("dataset")
	over := func(e js.Value) {
		if from := e.Get("dataTransfer"); !b.framed && from.Truthy() && from.Get("types").Call("includes", "Files").Bool() {
			e.Call("preventDefault") // else the browser opens the file in place of the page
			data.Set("drop", "")
		}
	}
	on(b.document, "dragenter", over)
	on(b.document, "dragover", over)
	on(b.document, "dragleave", func(e js.Value) {
		if !e.Get("relatedTarget").Truthy() { // it left the window
			data.Delete("drop")
		}
	})
	on(b.document, "drop", func(e js.Value) {
		if data.Get("drop").IsUndefined() {
			return
		}
		e.Call("preventDefault")
		data.Delete("drop")
		if files := e.Get("dataTransfer").Get("files"); files.Length() > 0 {
			p.OpenFile(jsFile{files.Index(0)})
		}
	})
}

// PickFile opens the browser's dialog. The field is not in the document.
func (b *browser) PickFile() {
	field := b.document.Call("createElement", "input")
	field.Set("type", "file")
	on(field, "change", func(js.Value) { thePage.OpenFile(jsFile{field.Get("files").Index(0)}) })
	field.Call("click")
}

// jsFile is a file of the browser.
type jsFile struct{ v js.Value }

func (f jsFile) Name() string { return f.v.Get("name").String() }
func (f jsFile) Size() int    { return f.v.Get("size").Int() }

func (f jsFile) Read(from, to int, done func(data []byte, failed string)) {
	settlesWith(f.v.Call("slice", from, to).Call("arrayBuffer"), func(v js.Value, failed string) {
		if failed != "" {
			done(nil, "the file can't be read: "+failed)
			return
		}
		array := js.Global().Get("Uint8Array").New(v)
		data := make([]byte, array.Length())
		js.CopyBytesToGo(data, array)
		done(data, "")
	})
}

// largestFile is the maximum size of an imported file, in bytes.
const largestFile = 1 << 20

// read passes the text of a file to take, or why it could not be read.
func read(file js.Value, take func(text, failed string)) {
	if size := file.Get("size").Int(); size > largestFile {
		go take("", "the file has "+words.Count(size)+" bytes; the limit is "+words.Count(largestFile))
		return
	}
	var yes, no js.Func
	settled := func(f func(v js.Value)) js.Func {
		return js.FuncOf(func(_ js.Value, args []js.Value) any {
			yes.Release()
			no.Release()
			f(args[0])
			return nil
		})
	}
	yes = settled(func(v js.Value) { take(v.String(), "") })
	no = settled(func(v js.Value) { take("", "the file can't be read: "+v.Get("message").String()) })
	file.Call("text").Call("then", yes, no)
}

// escaped moves the focus back into the modal dialog, and reports whether it had left it.
func (b *browser) escaped(e js.Value) bool {
	modal := b.document.Call("querySelector", "[aria-modal=true]")
	if !modal.Truthy() || modal.Call("contains", e.Get("target")).Bool() {
		return false
	}
	modal.Call("querySelector", "input, button").Call("focus")
	return true
}

func (b *browser) Switch(context, address string) {
	b.flush()
	b.session().Call("trust", context)
	b.window.Get("location").Call("assign", address)
}

func (b *browser) Trusts(context string) bool {
	return b.session().Call("trusts", context).Bool()
}

func (b *browser) User() string {
	if user := b.session().Get("user"); user.Type() == js.TypeString {
		return user.String()
	}
	return ""
}

func (b *browser) Reach(context string, done func(why string)) {
	b.session().Call("trust", context)
	settles(b.session().Call("reach", context), done)
}

// session returns the object of session.js.
func (b *browser) session() js.Value { return b.window.Get("watchglassSession") }

// Renew ignores errors: the badge already shows that the connection is down.
func (b *browser) Renew(doubt bool) { fails(b.session().Call("renew", doubt), func(string) {}) }

func (b *browser) SignOut(failed func(why string)) { fails(b.session().Call("signOut"), failed) }

// fails calls failed with the message if a promise is rejected.
func fails(promise js.Value, failed func(why string)) {
	settles(promise, func(why string) {
		if why != "" {
			failed(why)
		}
	})
}

// settles calls done once a promise is fulfilled, or with the message if it is rejected.
func settles(promise js.Value, done func(why string)) {
	settlesWith(promise, func(_ js.Value, why string) { done(why) })
}

// settlesWith calls done with the value of a promise, or with the message if it is rejected.
func settlesWith(promise js.Value, done func(v js.Value, why string)) {
	var yes, no js.Func
	release := func() {
		yes.Release()
		no.Release()
	}
	yes = js.FuncOf(func(_ js.Value, args []js.Value) any {
		release()
		go done(args[0], "")
		return nil
	})
	no = js.FuncOf(func(_ js.Value, args []js.Value) any {
		release()
		go done(js.Undefined(), args[0].Get("message").String())
		return nil
	})
	promise.Call("then", yes, no)
}

func (b *browser) SetRowHeight(pixels int) {
	b.rowHeight = pixels
	b.root.Get("style").Call("setProperty", "--row", strconv.Itoa(pixels)+"px")
}

func (b *browser) Touch() bool {
	return b.window.Call("matchMedia", "(pointer: coarse)").Get("matches").Bool()
}

// Unsaved leaves the question to boot.js: the browser asks while whoever leaves the page holds its lock.
func (b *browser) Unsaved(on bool) {
	if on {
		b.root.Get("dataset").Set("unsaved", "")
		return
	}
	b.root.Get("dataset").Delete("unsaved")
}

func (b *browser) Reload() {
	b.flush()
	b.Unsaved(false)
	b.window.Get("location").Call("reload")
}

// expose sets window.watchglass, the API for scripts and tests.
func (b *browser) expose(p *Page) {
	tasks := b.longTasks()
	api := map[string]any{
		"version": version(),
		"on":      js.FuncOf(func(_ js.Value, args []js.Value) any { return b.listen(p, args) }),
		"inspect": b.promise(func(args string) (js.Value, string) {
			v, failed := b.ask(p, "inspect", args)
			if failed == "" {
				setOwn(v, args)
				v.Set("longTasks", tasks)
				v.Set("past", b.parse(p.Past()))
			}
			return v, failed
		}),
	}
	api["travel"] = b.promise(func(args string) (js.Value, string) {
		at, failed := momentOf([]byte(args))
		if failed != "" {
			return js.Undefined(), failed
		}
		doc, failed := p.Travel(at)
		if failed != "" {
			return js.Undefined(), failed
		}
		return b.parse(doc), ""
	})
	for _, method := range []string{"list", "snapshot", "rows", "facets"} {
		api[method] = b.promise(func(args string) (js.Value, string) { return b.ask(p, method, args) })
	}
	b.window.Set("watchglass", api)
	if host := b.window.Get("watchglassHost"); host.Truthy() {
		host.Call("run", api, js.FuncOf(func(_ js.Value, args []js.Value) any {
			if text, err := b.stringify(args[0]); err == nil {
				p.OnHostMessage([]byte(text))
			}
			return nil
		}))
	}
}

// listen calls a script's function with each event of a name, until the function that it returns is called. An error of
// the script is its own: it is logged, and the page goes on.
func (b *browser) listen(p *Page, args []js.Value) any {
	off := func() {}
	if len(args) < 2 || args[1].Type() != js.TypeFunction {
		b.logError(`watchglass.on: expected ("state" | "select", function)`)
	} else {
		f := safejs.Safe(args[1])
		off = p.On(args[0].String(), func(doc json.RawMessage) {
			if _, err := f.Invoke(b.parse(doc)); err != nil {
				b.logError("a listener of watchglass.on: " + err.Error())
			}
		})
	}
	return js.FuncOf(func(js.Value, []js.Value) any { off(); return nil })
}

func (b *browser) logError(text string) { b.window.Get("console").Call("error", text) }

// stringify returns a value as JSON. It may have none: a cycle, or a BigInt.
func (b *browser) stringify(v js.Value) (string, error) {
	text, err := safejs.Safe(b.window.Get("JSON")).Call("stringify", v)
	if err != nil {
		return "", err
	}
	return text.String()
}

// ask sends a request to the worker; the second result is the error message.
func (b *browser) ask(p *Page, method, args string) (js.Value, string) {
	a := p.Ask(method, json.RawMessage(args))
	if a.Error != "" {
		return js.Undefined(), a.Error
	}
	return b.parse(a.Value), ""
}

func (b *browser) parse(doc json.RawMessage) js.Value {
	return b.window.Get("JSON").Call("parse", string(doc))
}

// setOwn adds what the page's program uses to what the worker says of its own. With {gc: true}, garbage is
// collected first.
func setOwn(v js.Value, args string) {
	var options []struct{ GC bool }
	if err := json.Unmarshal([]byte(args), &options); err == nil && len(options) > 0 && options[0].GC {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	v.Get("memory").Set("page", float64(m.HeapAlloc))
	v.Get("goroutines").Set("page", runtime.NumGoroutine())
}

// promise returns a JavaScript function that returns a promise of f's result.
func (b *browser) promise(f func(args string) (value js.Value, failed string)) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		list := b.window.Get("Array").New()
		for _, a := range args {
			list.Call("push", a)
		}
		text, err := b.stringify(list)
		if err != nil {
			return b.window.Get("Promise").Call("reject", b.window.Get("Error").New(err.Error()))
		}
		var executor js.Func
		executor = js.FuncOf(func(_ js.Value, settle []js.Value) any {
			resolve, reject := settle[0], settle[1]
			go func() {
				defer executor.Release()
				if value, failed := f(text); failed != "" {
					reject.Invoke(b.window.Get("Error").New(failed))
				} else {
					resolve.Invoke(value)
				}
			}()
			return nil
		})
		return b.window.Get("Promise").New(executor)
	})
}

// longTasks collects the page's long tasks: {start, duration} in milliseconds.
func (b *browser) longTasks() js.Value {
	tasks := b.window.Get("Array").New()
	observer := b.window.Get("PerformanceObserver")
	if !observer.Truthy() {
		return tasks
	}
	observer.New(js.FuncOf(func(_ js.Value, args []js.Value) any {
		entries := args[0].Call("getEntries")
		for i := range entries.Length() {
			e := entries.Index(i)
			tasks.Call("push", map[string]any{"start": e.Get("startTime"), "duration": e.Get("duration")})
		}
		return nil
	})).Call("observe", map[string]any{"type": "longtask", "buffered": true})
	return tasks
}

// version returns the version and commit of the build.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	out := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			out += " " + s.Value[:min(len(s.Value), 12)]
		}
		if s.Key == "vcs.modified" && s.Value == strconv.FormatBool(true) {
			out += " modified"
		}
	}
	return out
}
