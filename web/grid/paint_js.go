//go:build js && wasm

package grid

import (
	"strconv"
	"syscall/js"
)

// DOM paints into an element of the page. It collects the steps and carries them out in one call
// per frame: a js.Value for every cell would cost more than everything else.
type DOM struct {
	script
	paint, root, head, body js.Value
}

var _ Painter = (*DOM)(nil)

// NewDOM returns a painter for an empty element. The row height is the CSS variable --row.
func NewDOM(root js.Value, label string) *DOM {
	d := &DOM{paint: js.Global().Get("watchglassPaint"), root: root}
	for name, value := range map[string]string{"role": "grid", "tabindex": "0", "aria-label": label, "aria-readonly": "true"} {
		root.Call("setAttribute", name, value)
	}
	d.head, d.body = group(root, "head"), group(root, "body")
	return d
}

func group(root js.Value, class string) js.Value {
	el := js.Global().Get("document").Call("createElement", "div")
	el.Set("className", class)
	el.Call("setAttribute", "role", "rowgroup")
	root.Call("append", el)
	return el
}

// Paint carries out the collected steps.
func (d *DOM) Paint() {
	if len(d.steps) > 0 {
		d.paint.Invoke(d.root, d.head, d.body, d.take())
	}
}

// TextDOM paints a long text into an element of the page, in the way of DOM.
type TextDOM struct {
	textScript
	paint, root, body js.Value
	rowHeight         int
}

var _ TextPainter = (*TextDOM)(nil)

// NewTextDOM returns a painter for an empty element that scrolls.
func NewTextDOM(root js.Value, rowHeight int) *TextDOM {
	body := js.Global().Get("document").Call("createElement", "div")
	body.Set("className", "lines")
	body.Call("setAttribute", "role", "list")
	root.Call("setAttribute", "tabindex", "0")
	root.Call("append", body)
	return &TextDOM{paint: js.Global().Get("watchglassText"), root: root, body: body, rowHeight: rowHeight}
}

// Paint carries out the collected steps.
func (d *TextDOM) Paint() {
	if len(d.steps) > 0 {
		d.paint.Invoke(d.root, d.body, d.rowHeight, d.take())
	}
}

// GraphDOM paints pictures into an element of the page, and passes scrolling, dragging, wheel and
// resize events to its camera. It needs no lock: the program has one thread, and nothing here
// blocks.
type GraphDOM struct {
	graphScript
	paint, root js.Value
	camera      Camera
	held        *Vector         // last pointer position while the picture is dragged
	chips       [edges]js.Value // over the edges of the element
	beyond      [edges]Beyond   // what they say
}

var _ GraphPainter = (*GraphDOM)(nil)

// NewGraphDOM returns a painter for an empty element that scrolls. A click on one of the chips, which
// lie over its edges in another element, is the given action with the number of the edge.
func NewGraphDOM(root, over js.Value, action string) *GraphDOM {
	d := &GraphDOM{paint: js.Global().Get("watchglassGraph"), root: root}
	root.Set("tabIndex", -1) // a click on the canvas gives it the arrow keys
	for i, edge := range [edges]string{"left", "top", "right", "bottom"} {
		chip := js.Global().Get("document").Call("createElement", "button")
		for name, value := range map[string]string{"data-edge": edge, "data-action": action, "data-value": strconv.Itoa(i), "hidden": ""} {
			chip.Call("setAttribute", name, value)
		}
		over.Call("append", chip)
		d.chips[i] = chip
	}
	d.on("pointerdown", func(e js.Value) {
		onLink := e.Get("target").Call("closest", "a").Truthy()
		if e.Get("button").Int() == 0 && !d.camera.tree && !onLink {
			d.held = pointer(e)
		}
	})
	d.on("pointermove", func(e js.Value) {
		if d.held != nil {
			from, to := d.held, pointer(e)
			d.root.Call("scrollBy", from[0]-to[0], from[1]-to[1])
			d.held = to
		}
	})
	for _, end := range []string{"pointerup", "pointerleave", "pointercancel"} {
		d.on(end, func(js.Value) { d.held = nil })
	}
	d.on("wheel", func(e js.Value) {
		if e.Get("ctrlKey").Bool() && !d.camera.tree {
			e.Call("preventDefault")
			d.camera.Wheel(e.Get("deltaY").Float())
			d.place()
		}
	})
	d.on("scroll", func(js.Value) {
		now := d.pane()
		d.camera.Scrolled(now)
		d.label(now)
	})
	js.Global().Get("ResizeObserver").New(js.FuncOf(func(js.Value, []js.Value) any {
		d.place()
		return nil
	})).Call("observe", root)
	return d
}

// on adds a listener that is never removed.
func (d *GraphDOM) on(event string, f func(e js.Value)) {
	d.root.Call("addEventListener", event, js.FuncOf(func(_ js.Value, args []js.Value) any {
		f(args[0])
		return nil
	}), map[string]any{"passive": event != "wheel"})
}

func pointer(e js.Value) *Vector {
	return &Vector{e.Get("clientX").Float(), e.Get("clientY").Float()}
}

// pane measures the element.
func (d *GraphDOM) pane() Pane {
	get := func(across, down string) Vector {
		return Vector{d.root.Get(across).Float(), d.root.Get(down).Float()}
	}
	return Pane{Size: get("clientWidth", "clientHeight"), Scroll: get("scrollLeft", "scrollTop"), Extent: get("scrollWidth", "scrollHeight")}
}

// place moves the picture to where the camera has it.
func (d *GraphDOM) place() {
	to, ok := d.camera.Place(d.pane())
	if !ok {
		return
	}
	d.graphScript.place(to)
	d.paint.Invoke(d.root, d.take())
	now := d.pane()
	d.camera.Placed(now)
	d.label(now)
}

// label writes on the chips what is beyond the edges. Only what has changed is written: it is called
// whenever the element scrolls.
func (d *GraphDOM) label(now Pane) {
	next := d.camera.Beyond(now)
	for i, b := range next {
		if b == d.beyond[i] {
			continue
		}
		chip, tone := d.chips[i], Plain
		if b.Broken {
			tone = Failed
		}
		chip.Set("hidden", b.Text == "")
		chip.Set("textContent", b.Text)
		chip.Get("dataset").Set("tone", string(tone))
	}
	d.beyond = next
}

// Pan scrolls to the nearest item beyond an edge.
func (d *GraphDOM) Pan(edge Edge) string {
	key, by := d.camera.Towards(edge, d.pane())
	if key != "" {
		d.root.Call("scrollBy", by[0], by[1])
	}
	return key
}

// Show paints a picture. It passes everything; paint.js leaves unchanged elements alone.
func (d *GraphDOM) Show(p Picture) {
	d.show(p, d.camera.Show(p, d.pane()))
	d.paint.Invoke(d.root, d.take())
	d.place()
}

// Room returns the size of the element.
func (d *GraphDOM) Room() (width, height int) {
	return d.root.Get("clientWidth").Int(), d.root.Get("clientHeight").Int()
}

// Zoom scales the picture by a percentage.
func (d *GraphDOM) Zoom(percent int) {
	d.camera.Zoom(float64(percent) / 100)
	d.place()
}
