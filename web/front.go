package web

import "watchglass/web/ui"

// onKey returns what a key does, or nil. The parts in front answer first: an open one may also say that nothing behind it
// gets any key. It needs no lock; what it returns does.
func (p *page) onKey(k ui.Key) func() {
	for _, part := range []func(ui.Key) (press func(), alone bool){p.palette.OnKey, p.columns.OnKey, p.dialogs.OnKey, p.filter.OnKey} {
		if press, alone := part(k); press != nil || alone {
			return press
		}
	}
	c := p.table.ofKey(k)
	if c == nil {
		return nil
	}
	value := c.Value
	if c.OfKind {
		value = k.Kind
	}
	return func() {
		p.bars.Focus(k.Field)
		p.run(c, value)
	}
}

// Takes reports whether the page handles a key. It does not wait for the lock: the browser handles
// the key itself unless the answer comes at once.
func (p *Page) Takes(k ui.Key) bool { return p.page.onKey(k) != nil }

// Modal reports whether a dialog blocks the rest of the page. Like Takes, it does not wait.
func (p *Page) Modal() bool { return p.page.dialogs.Open() != nil || p.page.palette.Open() }

// Press handles a key, and reports whether the page handles it.
func (p *Page) Press(k ui.Key) bool {
	if !p.Takes(k) {
		return false
	}
	p.locked(func(g *page) {
		if press := g.onKey(k); press != nil {
			press()
		}
	})
	return true
}
