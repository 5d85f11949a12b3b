//go:build js && wasm

package grid

import "syscall/js"

// DOM paints into an element of the page. What has to be done is written down,
// and done in one call a frame: a js.Value for every cell would cost more than
// all the rest.
type DOM struct {
	script
	paint, root, head, body js.Value
}

var _ Painter = (*DOM)(nil)

// NewDOM makes a grid of an empty element. Its rows are as high as --row says.
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

// Paint does what was written down.
func (d *DOM) Paint() {
	if len(d.steps) > 0 {
		d.paint.Invoke(d.root, d.head, d.body, d.take())
	}
}

// TextDOM paints a long text into an element of the page, as DOM does a list.
type TextDOM struct {
	textScript
	paint, root, body js.Value
	rowHeight         int
}

var _ TextPainter = (*TextDOM)(nil)

// NewTextDOM makes a text of an empty element, which scrolls.
func NewTextDOM(root js.Value, rowHeight int) *TextDOM {
	body := js.Global().Get("document").Call("createElement", "div")
	body.Set("className", "lines")
	body.Call("setAttribute", "role", "list")
	root.Call("setAttribute", "tabindex", "0")
	root.Call("append", body)
	return &TextDOM{paint: js.Global().Get("watchglassText"), root: root, body: body, rowHeight: rowHeight}
}

// Paint does what was written down.
func (d *TextDOM) Paint() {
	if len(d.steps) > 0 {
		d.paint.Invoke(d.root, d.body, d.rowHeight, d.take())
	}
}

// GraphDOM paints pictures into an element of the page, and passes its camera every scroll,
// drag, turn of the wheel and change of size. Nothing is locked: the program has one thread,
// and nothing here waits.
type GraphDOM struct {
	graphScript
	paint, root js.Value
	camera      Camera
	held        *Vector // where the pointer was last, while it drags the picture
}

var _ GraphPainter = (*GraphDOM)(nil)

// NewGraphDOM paints into an empty element, which scrolls.
func NewGraphDOM(root js.Value) *GraphDOM {
	d := &GraphDOM{paint: js.Global().Get("watchglassGraph"), root: root}
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
	d.on("scroll", func(js.Value) { d.camera.Scrolled(d.pane()) })
	js.Global().Get("ResizeObserver").New(js.FuncOf(func(js.Value, []js.Value) any {
		d.place()
		return nil
	})).Call("observe", root)
	return d
}

// on listens for as long as the page is there.
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

// place puts the picture where the camera has it.
func (d *GraphDOM) place() {
	to, ok := d.camera.Place(d.pane())
	if !ok {
		return
	}
	d.graphScript.place(to)
	d.paint.Invoke(d.root, d.take())
	d.camera.Placed(d.pane())
}

// Show paints a picture: all of it is said, and what is as it was is left alone.
func (d *GraphDOM) Show(p Picture) {
	d.show(p, d.camera.Show(p, d.pane()))
	d.paint.Invoke(d.root, d.take())
	d.place()
}

// Room is the size of the element.
func (d *GraphDOM) Room() (width, height int) {
	return d.root.Get("clientWidth").Int(), d.root.Get("clientHeight").Int()
}

// Zoom makes the picture larger or smaller.
func (d *GraphDOM) Zoom(percent int) {
	d.camera.Zoom(float64(percent) / 100)
	d.place()
}
