package web

// What the page is to all of its rooms.

// Redraw draws the shell soon.
func (p *page) Redraw() { p.redraw() }

// Notify shows a notice.
func (p *page) Notify(text string) { p.notices.say(notice{text: text}) }
