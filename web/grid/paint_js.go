//go:build js && wasm

package grid

import (
	"strconv"
	"syscall/js"
)

// DOM paints into an element of the page. What has to be done is written down,
// and done in one call a frame: a js.Value for every cell would cost more than
// all the rest.
type DOM struct {
	script
	paint, root, head, body js.Value
	rowHeight               int
}

var _ Painter = (*DOM)(nil)

// NewDOM makes a grid of an empty element.
func NewDOM(root js.Value, label string, rowHeight int) *DOM {
	d := &DOM{paint: js.Global().Get("watchglassPaint"), root: root, rowHeight: rowHeight}
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
		d.paint.Invoke(d.root, d.head, d.body, d.rowHeight, d.take())
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

// GraphDOM paints pictures into an element of the page.
type GraphDOM struct {
	graphScript
	paint, root js.Value
}

var _ GraphPainter = (*GraphDOM)(nil)

// NewGraphDOM paints into an empty element, which scrolls.
func NewGraphDOM(root js.Value) *GraphDOM {
	return &GraphDOM{paint: js.Global().Get("watchglassGraph"), root: root}
}

// Show paints a picture: all of it is said, and what is as it was is left alone.
func (d *GraphDOM) Show(p Picture) {
	d.show(p)
	d.paint.Invoke(d.root, d.take())
}

// Room is the size of the element.
func (d *GraphDOM) Room() (width, height int) {
	return d.root.Get("clientWidth").Int(), d.root.Get("clientHeight").Int()
}

// Zoom makes the picture larger or smaller.
func (d *GraphDOM) Zoom(percent int) {
	d.step("zoom", strconv.Itoa(percent))
	d.paint.Invoke(d.root, d.take())
}
