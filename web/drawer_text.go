package web

import (
	"watchglass/web/grid"
	"watchglass/web/ui"
)

func (d *drawer) attachText(painter grid.TextPainter) {
	d.text = grid.NewText(painter)
	d.paintText()
}

// onTextScroll paints the visible rows, and fits the text into its box.
func (d *drawer) onTextScroll(top, height, columns int) {
	d.textBox.Scroll, d.textBox.Height = top, height
	if columns != d.textColumns {
		d.textColumns = columns
		if t := d.tab(); t != nil {
			t.fit()
		}
	}
	d.paintText()
}

// longText returns the long text of the open tab, or nil.
func (d *drawer) longText() ui.LongText {
	if t := d.tab(); t != nil {
		return t.long()
	}
	return nil
}

// paintText paints the visible rows of the open tab's long text.
func (d *drawer) paintText() {
	if d.text == nil {
		return
	}
	shown := d.longText()
	if shown == nil {
		d.text.Show(0, 0, nil)
		return
	}
	total := shown.Rows()
	offset, limit := d.textBox.Window()
	offset = min(offset, max(total-1, 0))
	d.text.Show(total, offset, shown.Lines(offset, min(limit, total-offset)))
}

// showText scrolls the long text to a row.
func (d *drawer) showText(row int) {
	d.textBox.Scroll = d.textBox.Reveal(row)
	d.browser.ScrollText(d.textBox.Scroll)
	d.paintText()
}
