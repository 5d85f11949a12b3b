package web

import "watchglass/web/grid"

// TextRowHeight is the height of a row of a long text, in pixels.
const TextRowHeight = 18

// textual is a long text, of which the screen shows a part.
type textual interface {
	rows() int
	lines(offset, limit int) []grid.Line
}

// AttachText gives the page the element that long texts are painted into.
func (p *Page) AttachText(painter grid.TextPainter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = grid.NewText(painter)
	p.textBox.RowHeight = TextRowHeight
	p.paintText()
}

// TextScrolled tells that the long text was scrolled, or its box resized, and how many
// columns of letters have room in it.
func (p *Page) TextScrolled(top, height, columns int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.textBox.Scroll, p.textBox.Height = top, height
	if t := p.tab(); columns != p.textColumns {
		p.textColumns = columns
		if t.resized != nil && p.drawer.asked.Name != "" {
			t.resized(p)
		}
	}
	p.paintText()
}

// paintText paints what is in sight of the long text of the tab that is open.
func (p *Page) paintText() {
	if p.text == nil {
		return
	}
	t := tabOf(p.drawer.asked.Tab)
	if p.drawer.asked.Name == "" || t.text == nil {
		p.text.Show(0, 0, nil)
		return
	}
	shown := t.text(p)
	total := shown.rows()
	offset, limit := p.textBox.Window()
	offset = min(offset, max(total-1, 0))
	p.text.Show(total, offset, shown.lines(offset, min(limit, total-offset)))
}

// showText scrolls the long text so that a row is in sight.
func (p *Page) showText(row int) {
	p.textBox.Scroll = p.textBox.Reveal(row)
	p.browser.ScrollText(p.textBox.Scroll)
	p.paintText()
}
