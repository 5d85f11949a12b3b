//go:build js && wasm

package dom

import (
	"math"
	"strconv"
	"strings"
	"syscall/js"
	"time"

	"watchglass/web/grid"
	"watchglass/web/ui"
)

// on adds an event listener that is never removed.
func on(target js.Value, event string, f func(e js.Value)) {
	target.Call("addEventListener", event, js.FuncOf(func(_ js.Value, args []js.Value) any {
		f(args[0])
		return nil
	}))
}

// attach connects the page to the document: list, fields and events.
func (b *Browser) attach(p Host) {
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
func (b *Browser) points(p Host) {
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
func (b *Browser) mayFocus() bool {
	return !b.framed || b.document.Call("hasFocus").Bool()
}

// pointer forwards clicks.
func (b *Browser) pointer(p Host) {
	on(b.document, "click", func(e js.Value) { b.click(p, e) })
	on(b.document, "mousedown", func(e js.Value) {
		if _, ok := closest(e, ".offer"); ok {
			e.Call("preventDefault") // keep the focus and the caret in the field
		}
	})
}

// keyboard forwards keys and input in fields.
func (b *Browser) keyboard(p Host) {
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
func (b *Browser) sizes(p Host) {
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
func (b *Browser) drawer(p Host) {
	b.text = b.document.Call("getElementById", "text")
	edge := b.document.Call("getElementById", "edge")
	scrolled := func(js.Value) {
		p.TextScrolled(b.text.Get("scrollTop").Int(), b.text.Get("clientHeight").Int(), b.textColumns())
	}
	p.AttachText(grid.NewTextDOM(b.text, ui.TextRowHeight))
	graph := b.document.Call("getElementById", "graph")
	narrow := func() bool { return b.window.Get("innerWidth").Int() < narrowWindow }
	p.AttachGraph(grid.NewGraphDOM(graph, b.document.Call("getElementById", "beyond"), string(ui.PanGraph)), narrow())
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
		width = min(max(width, ui.NarrowestDrawer), ui.WidestDrawer, b.window.Get("innerWidth").Int()-minimalList)
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
func (b *Browser) bars(p Host) {
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
func (b *Browser) textColumns() int {
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
func (b *Browser) measure(class string) float64 {
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
func (b *Browser) height() int {
	return max(b.list.Get("clientHeight").Int()-b.rowHeight-1, 0)
}

func (b *Browser) scrolled(p Host) {
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

func (b *Browser) click(p Host, e js.Value) {
	if e.Get("defaultPrevented").Bool() {
		return
	}
	if _, ok := closest(e, ".menu"); !ok {
		p.Dismissed()
	}
	if _, ok := closest(e, ".facets, [data-action="+string(ui.ToggleFacets)+"]"); !ok {
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
		p.Act(ui.SortBy, el.Get("dataset").Get("column").String())
		return
	}
	if el, ok := closest(e, ".grid .row[data-key]"); ok && b.window.Call("getSelection").Call("toString").String() == "" {
		p.Clicked(el.Get("dataset").Get("key").String())
	}
}

// editFilter puts the caret at the end of the filter.
func (b *Browser) editFilter() {
	field := b.document.Call("getElementById", "filter")
	field.Call("focus")
	field.Call("setSelectionRange", math.MaxInt32, math.MaxInt32)
}

func modified(e js.Value) bool {
	return e.Get("ctrlKey").Truthy() || e.Get("metaKey").Truthy() || e.Get("altKey").Truthy()
}

// press handles a key. Browsers and extensions send keydown events without a key, too: when an entry of a datalist is
// chosen, or a form is filled in.
func (b *Browser) press(p Host, e js.Value) {
	if e.Get("key").Type() != js.TypeString || e.Get("isComposing").Truthy() || e.Get("defaultPrevented").Bool() || !e.Get("target").Get("dataset").Truthy() {
		return
	}
	tag := e.Get("target").Get("tagName")
	k := ui.Key{Name: e.Get("key").String(), Command: modified(e), Typing: tag.Type() == js.TypeString && (tag.String() == "INPUT" && e.Get("target").Get("type").String() != "range" || tag.String() == "SELECT")}
	if field := e.Get("target").Get("dataset").Get("field"); field.Truthy() {
		k.Field = field.String()
	}
	if ui.HasBars(k.Field) && e.Get("shiftKey").Bool() && strings.HasPrefix(k.Name, "Arrow") {
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

// escaped moves the focus back into the modal dialog, and reports whether it had left it.
func (b *Browser) escaped(e js.Value) bool {
	modal := b.document.Call("querySelector", "[aria-modal=true]")
	if !modal.Truthy() || modal.Call("contains", e.Get("target")).Bool() {
		return false
	}
	modal.Call("querySelector", "input, button").Call("focus")
	return true
}
