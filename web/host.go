package web

// What the page is to all of its rooms.

// Redraw draws the shell soon.
func (p *page) Redraw() { p.redraw() }

// ClearTheWay closes what a dialog would cover.
func (p *page) ClearTheWay() {
	p.closeOverlays()
	p.help.open = false
}

// Notify shows a notice.
func (p *page) Notify(text string) { p.notices.say(notice{text: text}) }
