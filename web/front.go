package web

import (
	"watchglass/web/facets"
	"watchglass/web/past"
	"watchglass/web/ui"
)

// front is a part that handles keys before the parts behind it.
type front interface {
	// Takes reports whether the part handles a key, and whether nothing behind the part gets any key.
	// It is called without the lock.
	Takes(k ui.Key) (takes, alone bool)
	// Press handles a key that the part takes.
	Press(k ui.Key)
}

// frontOf returns the part that handles a key, or nil. It needs no lock.
func (p *page) frontOf(k ui.Key) front {
	for _, f := range []front{p.palette, p.columns, p.dialogs, p.filter, shortcuts{p}} {
		switch takes, alone := f.Takes(k); {
		case takes:
			return f
		case alone:
			return nil
		}
	}
	return nil
}

// Takes reports whether the page handles a key. It does not wait for the lock: the browser handles
// the key itself unless the answer comes at once.
func (p *Page) Takes(k ui.Key) bool { return p.page.frontOf(k) != nil }

// Modal reports whether a dialog blocks the rest of the page. Like Takes, it does not wait.
func (p *Page) Modal() bool { return p.page.dialogs.Open() != nil || p.page.palette.Open() }

// Press handles a key, and reports whether the page handles it.
func (p *Page) Press(k ui.Key) bool {
	if !p.Takes(k) {
		return false
	}
	p.locked(func(g *page) {
		if f := g.frontOf(k); f != nil {
			f.Press(k)
		}
	})
	return true
}

// shortcuts is the part with the keys of the page, of the open tab and of fields. All other parts are in front of it.
type shortcuts struct{ page *page }

// Takes reports whether there is a shortcut.
func (s shortcuts) Takes(k ui.Key) (takes, alone bool) {
	return s.page.Bound(k) || k.Enters(facets.FindField) || k.Enters("filter"), true
}

// Press runs the action of a shortcut.
func (s shortcuts) Press(k ui.Key) {
	action, value := ActionOf(k)
	switch {
	case k.Enters(facets.FindField):
		s.page.facets.Enter()
	case action == ui.Leave && k.Field == past.Field:
		s.page.past.Leave()
	case k.Enters("filter"), action == ui.Leave && k.Typing:
		s.page.facets.Hide()
		s.page.browser.Focus("grid")
	default:
		s.page.bars.Focus(k.Field)
		s.page.ActByKey(action, value)
	}
}
