//go:build js && wasm

package dom

import (
	"strconv"
	"strings"
	"sync/atomic"
	"syscall/js"
	"time"

	"github.com/hack-pad/safejs"

	"watchglass/web/route"
	"watchglass/web/ui"
)

// Browser is what the page needs of the browser, as web.Browser documents it. It also passes the browser's events to the page.
type Browser struct {
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

	page    Host
	shell   Shell       // empty until the shell is in the document
	drawing atomic.Bool // a redraw is asked for
	focus   string      // the element that was last to get the focus
}

// New returns the browser.
func New() *Browser {
	window := js.Global()
	b := &Browser{rowHeight: ui.RowHeight, window: window, document: window.Get("document"), framed: !window.Get("parent").Equal(window)}
	b.root = b.document.Get("documentElement")
	return b
}

// Location returns where the page is: the path below which all of it is, its own path, and the query string.
func (b *Browser) Location() (base, path, query string) {
	location := b.window.Get("location")
	path = location.Get("pathname").String()
	base = b.root.Get("dataset").Get("base").String()
	if b.root.Call("hasAttribute", "data-copy").Bool() { // its web server knows one path only
		base = route.BaseOf(path)
	}
	return base, path, location.Get("search").String()
}

// Serve reports to a page from now on what scripts and the session do.
func (b *Browser) Serve(p Host) {
	b.page = p
	b.expose(p)
	b.session().Set("renewed", js.FuncOf(func(_ js.Value, args []js.Value) any {
		p.Renewed(args[0].String())
		return nil
	}))
	b.session().Set("lost", js.FuncOf(func(_ js.Value, args []js.Value) any {
		p.Lost(args[0].String(), args[1].String())
		return nil
	}))
}

// Mount connects the page to the document, which its shell is in from now on.
func (b *Browser) Mount(s Shell) {
	b.shell = s
	b.attach(b.page)
	b.fetch(b.page)
	b.Mark("watchglass:boot")
}

// Redraw draws the shell with the next frame.
func (b *Browser) Redraw() {
	if b.shell.Redraw != nil && b.drawing.CompareAndSwap(false, true) {
		b.shell.Redraw()
		b.drawing.Store(false)
	}
}

func (b *Browser) Push(address string) {
	b.flush()
	b.window.Get("history").Call("pushState", js.Null(), "", address)
}

// replaceEvery is the minimum time between two calls of replaceState. A held key makes many,
// and browsers ignore more than about twenty a second.
const replaceEvery = 100 * time.Millisecond

func (b *Browser) Replace(address string) {
	if b.address = address; b.replacing == nil {
		b.flush()
		b.replacing = time.AfterFunc(replaceEvery, func() {
			b.replacing = nil
			b.flush()
		})
	}
}

// flush writes the waiting address.
func (b *Browser) flush() {
	if b.address != "" {
		b.window.Get("history").Call("replaceState", js.Null(), "", b.address)
		b.address = ""
	}
}

func (b *Browser) Scroll(top int)     { b.list.Set("scrollTop", top) }
func (b *Browser) ScrollText(top int) { b.text.Set("scrollTop", top) }

// Focus draws the shell first, because the element may not exist yet. The focus has moved
// before the browser's next event, so the next key goes to that element. Of several calls in one
// event the last one counts, as when an entry of the palette opens a tab.
func (b *Browser) Focus(id string) {
	b.focus = id
	b.shell.WhenDrawn(func() {
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
func (b *Browser) Reveal(id string) {
	if b.shell.WhenDrawn == nil {
		return
	}
	b.shell.WhenDrawn(func() {
		if el := b.document.Call("getElementById", id); el.Truthy() {
			el.Call("scrollIntoView", map[string]any{"block": "nearest", "inline": "nearest"})
		}
	})
}

// SetField draws the shell first if it is about the slider of the past, which is not always drawn.
func (b *Browser) SetField(id, value string) {
	set := func() bool {
		el := b.document.Call("getElementById", id)
		if el.Truthy() && el.Get("value").String() != value {
			el.Set("value", value)
		}
		return el.Truthy()
	}
	if !set() && id == ui.TimeSlider && b.shell.WhenDrawn != nil {
		b.shell.WhenDrawn(func() { set() })
	}
}

func (b *Browser) SetState(state, title string) {
	b.root.Get("dataset").Set("state", state)
	b.document.Set("title", title)
}

func (b *Browser) Mark(name string) { b.window.Get("performance").Call("mark", name) }

// Theme toggles the theme and stores it if possible.
func (b *Browser) Theme() {
	dark := b.window.Call("matchMedia", "(prefers-color-scheme: dark)").Get("matches").Bool()
	if set := b.root.Get("dataset").Get("theme"); set.Truthy() {
		dark = set.String() == "dark"
	}
	theme := map[bool]string{true: "light", false: "dark"}[dark]
	b.root.Get("dataset").Set("theme", theme)
	b.Remember("theme", theme)
}

func (b *Browser) Remember(name, text string) bool {
	storage, err := safejs.Global().Get("localStorage")
	if err == nil {
		_, err = storage.Call("setItem", "watchglass:"+name, text)
	}
	return err == nil // else the storage is full or blocked
}

func (b *Browser) Recall(name string) string {
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

func (b *Browser) Alone() (alone, fetches bool) {
	name := b.root.Get("dataset").Get("recording")
	return !name.IsUndefined(), name.Truthy()
}

func (b *Browser) Origin() string { return b.window.Get("location").Get("origin").String() }

// Copy fails on pages served over plain HTTP from another host: browsers give them no clipboard.
func (b *Browser) Copy(text string, done func(copied bool)) {
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
func (b *Browser) Windows() bool {
	platform := b.window.Get("navigator").Get("platform")
	return platform.Type() == js.TypeString && strings.HasPrefix(platform.String(), "Win")
}

func (b *Browser) Switch(context, address string) {
	b.flush()
	b.session().Call("trust", context)
	b.window.Get("location").Call("assign", address)
}

func (b *Browser) Trusts(context string) bool {
	return b.session().Call("trusts", context).Bool()
}

func (b *Browser) User() string {
	if user := b.session().Get("user"); user.Type() == js.TypeString {
		return user.String()
	}
	return ""
}

func (b *Browser) Reach(context string, done func(why string)) {
	b.session().Call("trust", context)
	settles(b.session().Call("reach", context), done)
}

// session returns the object of session.js.
func (b *Browser) session() js.Value { return b.window.Get("watchglassSession") }

// Renew ignores errors: the badge already shows that the connection is down.
func (b *Browser) Renew(doubt bool) { fails(b.session().Call("renew", doubt), func(string) {}) }

func (b *Browser) SignOut(failed func(why string)) { fails(b.session().Call("signOut"), failed) }

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

func (b *Browser) SetRowHeight(pixels int) {
	b.rowHeight = pixels
	b.root.Get("style").Call("setProperty", "--row", strconv.Itoa(pixels)+"px")
}

func (b *Browser) Touch() bool {
	return b.window.Call("matchMedia", "(pointer: coarse)").Get("matches").Bool()
}

// Unsaved leaves the question to boot.js: the browser asks while whoever leaves the page holds its lock.
func (b *Browser) Unsaved(on bool) {
	if on {
		b.root.Get("dataset").Set("unsaved", "")
		return
	}
	b.root.Get("dataset").Delete("unsaved")
}

func (b *Browser) Reload() {
	b.flush()
	b.Unsaved(false)
	b.window.Get("location").Call("reload")
}
