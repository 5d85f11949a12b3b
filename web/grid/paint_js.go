//go:build js && wasm

package grid

import (
	"strconv"
	"strings"
	"syscall/js"
)

// DOM paints into an element of the page. Only this file touches the list's
// elements; what is asked of it has been decided before.
type DOM struct {
	document, root, head, body js.Value
	rowHeight                  int
	columns                    []Column
	rows                       []rowElement
	generation                 int // of the columns
}

// rowElement is a row, with its cells at hand: looking them up costs more than
// changing them.
type rowElement struct {
	row, style js.Value
	cells      []cellElement
	generation int
	index      int
}

type cellElement struct {
	cell, text js.Value
	title      bool
	tone       Tone
}

var _ Painter = (*DOM)(nil)

// NewDOM makes a grid of an empty element.
func NewDOM(root js.Value, label string, rowHeight int) *DOM {
	d := &DOM{document: js.Global().Get("document"), root: root, rowHeight: rowHeight}
	attributes(root, "role", "grid", "tabindex", "0", "aria-label", label, "aria-readonly", "true")
	d.head = d.add(root, "div", "head", "role", "rowgroup")
	d.body = d.add(root, "div", "body", "role", "rowgroup")
	return d
}

func (d *DOM) add(parent js.Value, tag, class string, pairs ...string) js.Value {
	el := d.document.Call("createElement", tag)
	if class != "" {
		el.Set("className", class)
	}
	attributes(el, pairs...)
	parent.Call("appendChild", el)
	return el
}

func attributes(el js.Value, pairs ...string) {
	for i := 0; i < len(pairs); i += 2 {
		el.Call("setAttribute", pairs[i], pairs[i+1])
	}
}

// Head paints the columns.
func (d *DOM) Head(columns []Column, sort string, descending bool) {
	if !sameNames(columns, d.columns) {
		d.generation++
	}
	d.columns = columns
	d.head.Set("textContent", "")
	row := d.add(d.head, "div", "row", "role", "row", "aria-rowindex", "1")
	widths := make([]string, len(columns))
	for i, c := range columns {
		widths[i] = strconv.Itoa(c.Width) + "ch"
		if c.Wide {
			widths[i] = "minmax(" + widths[i] + ",1fr)"
		}
		cell := d.add(row, "div", class(c), "role", "columnheader", "aria-colindex", strconv.Itoa(i+1), "data-column", c.Name, "title", "Sort by "+c.Name)
		order := "none"
		if c.Name == sort {
			order = map[bool]string{false: "ascending", true: "descending"}[descending]
		}
		attributes(cell, "aria-sort", order)
		cell.Set("textContent", strings.ToUpper(c.Name))
	}
	d.root.Get("style").Call("setProperty", "--columns", strings.Join(widths, " "))
	attributes(d.root, "aria-colcount", strconv.Itoa(len(columns)))
}

func class(c Column) string {
	out := "cell"
	if c.Right {
		out += " right"
	}
	if c.Mono {
		out += " mono"
	}
	return out
}

// Length makes the list as high as its rows.
func (d *DOM) Length(rows int) {
	d.body.Get("style").Call("setProperty", "height", strconv.Itoa(rows*d.rowHeight)+"px")
	attributes(d.root, "aria-rowcount", strconv.Itoa(rows+1))
}

// Place shows a row in a slot.
func (d *DOM) Place(slot, index int, key, uid string) {
	for len(d.rows) <= slot {
		row := d.add(d.body, "div", "row", "role", "row", "id", "row-"+strconv.Itoa(len(d.rows)))
		d.rows = append(d.rows, rowElement{row: row, style: row.Get("style"), index: -1})
	}
	r := &d.rows[slot]
	if r.generation != d.generation {
		d.cells(r)
	}
	if r.index != index {
		r.index = index
		r.style.Set("transform", "translateY("+strconv.Itoa(index*d.rowHeight)+"px)")
		attributes(r.row, "aria-rowindex", strconv.Itoa(index+2))
		r.row.Get("classList").Call("toggle", "odd", index%2 == 1)
	}
	attributes(r.row, "data-key", key, "data-uid", uid)
	r.row.Set("hidden", false)
}

// cells makes a row's cells anew, for other columns.
func (d *DOM) cells(r *rowElement) {
	r.row.Set("textContent", "")
	r.cells, r.generation = r.cells[:0], d.generation
	for i, c := range d.columns {
		cell := d.add(r.row, "div", class(c), "role", "gridcell", "aria-colindex", strconv.Itoa(i+1), "data-column", c.Name)
		text := d.document.Call("createTextNode", "")
		cell.Call("appendChild", text)
		r.cells = append(r.cells, cellElement{cell: cell, text: text})
	}
}

// Cell paints one cell.
func (d *DOM) Cell(slot, column int, c Cell) {
	e := &d.rows[slot].cells[column]
	e.text.Set("data", c.Text)
	switch {
	case c.Title != "":
		attributes(e.cell, "title", c.Title)
		e.title = true
	case e.title:
		e.cell.Call("removeAttribute", "title")
		e.title = false
	}
	if c.Tone != e.tone {
		e.tone = c.Tone
		attributes(e.cell, "data-tone", string(c.Tone))
	}
	if c.Glow {
		e.cell.Call("animate", glow, glowTiming)
	}
}

// glow is how a change shows: once, and under a second. The style sheet sets its
// colour, and takes it away from who does not want motion.
var (
	glow       = []any{map[string]any{"backgroundColor": "var(--glow)"}, map[string]any{"backgroundColor": "transparent"}}
	glowTiming = map[string]any{"duration": 900, "easing": "ease-out"}
)

// Mark says whether a row is the active one, and whether it is selected.
func (d *DOM) Mark(slot int, active, selected bool) {
	row := d.rows[slot].row
	row.Get("classList").Call("toggle", "active", active)
	attributes(row, "aria-selected", strconv.FormatBool(selected))
	if active {
		attributes(d.root, "aria-activedescendant", "row-"+strconv.Itoa(slot))
	}
}

// Hide shows nothing in a slot.
func (d *DOM) Hide(slot int) {
	row := d.rows[slot].row
	row.Set("hidden", true)
	row.Call("removeAttribute", "data-key")
	row.Call("removeAttribute", "data-uid")
	row.Get("classList").Call("remove", "active")
	attributes(row, "aria-selected", "false")
}
