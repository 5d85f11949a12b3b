package drawer

import (
	"watchglass/web/grid"
	"watchglass/web/tab"
	"watchglass/web/ui"
)

// textView shows the long text of the open tab. Only the rows in view are painted.
type textView struct {
	tab     func() tab.Tab // that is open; nil: none is
	browser Browser
	painted *grid.Text // nil until its element is attached
	box     grid.Geometry
	columns int // characters that fit into a row
}

func (v *textView) attach(painter grid.TextPainter) {
	v.painted = grid.NewText(painter)
	v.Paint()
}

// onScroll paints the visible rows, and fits the text into its box.
func (v *textView) onScroll(top, height, columns int) {
	v.box.Scroll, v.box.Height = top, height
	if columns != v.columns {
		v.columns = columns
		if t := v.tab(); t != nil {
			t.Fit()
		}
	}
	v.Paint()
}

// long returns the long text of the open tab, or nil.
func (v *textView) long() ui.LongText {
	if t := v.tab(); t != nil {
		return t.Long()
	}
	return nil
}

// Box returns where the text is scrolled to, and the height of the view.
func (v *textView) Box() grid.Geometry { return v.box }

// Columns returns how many characters fit into a row; 0 while that is not known.
func (v *textView) Columns() int { return v.columns }

// Paint paints the rows in view.
func (v *textView) Paint() {
	if v.painted == nil {
		return
	}
	shown := v.long()
	if shown == nil {
		v.painted.Show(0, 0, nil)
		return
	}
	total := shown.Rows()
	offset, limit := v.box.Window()
	offset = min(offset, max(total-1, 0))
	v.painted.Show(total, offset, shown.Lines(offset, min(limit, total-offset)))
}

// Show scrolls to a row, if it is out of view, and paints.
func (v *textView) Show(row int) {
	v.Scroll(v.box.Reveal(row))
	v.Paint()
}

// Scroll scrolls the text, and Scrolled notes that the browser has done so.
func (v *textView) Scroll(top int) {
	v.box.Scroll = top
	v.browser.ScrollText(top)
}

func (v *textView) Scrolled(top int) { v.box.Scroll = top }
