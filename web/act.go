package web

import (
	"fmt"
	"strings"

	"watchglass/web/palette"
	"watchglass/web/past"
	"watchglass/web/route"
	"watchglass/web/ui"
)

// actionsOf merges the actions of all parts. It panics if two parts handle the same action.
func actionsOf(g *page, parts ...ui.Actor) map[ui.Action]func(string) {
	all := map[ui.Action]func(string){
		ui.Leave: ui.IgnoreValue(g.leave), Reload: ui.IgnoreValue(g.browser.Reload), ToggleTheme: ui.IgnoreValue(g.browser.Theme), ClearFilters: ui.IgnoreValue(g.clear),
	}
	for _, part := range parts {
		for action, f := range part.Actions() {
			if all[action] != nil {
				panic(fmt.Sprintf("two parts handle %q", action))
			}
			all[action] = f
		}
	}
	return all
}

// act runs an action's handler. A test checks that each action has one.
func (p *page) act(action ui.Action, value string) {
	if f := p.actions[action]; f != nil {
		f(value)
	}
}

// ActByKey runs a key's action. An action for a row that has not arrived waits for it.
func (p *page) ActByKey(action ui.Action, value string) {
	if p.list.mark.coming && ofTarget(action) {
		p.list.mark.then = pendingAction{action, value}
		return
	}
	p.act(action, value)
}

// Act runs the action of a clicked element. A click refers to what is on screen, so it cancels a
// pending move of the mark.
func (p *Page) Act(action ui.Action, value string) {
	p.locked(func(g *page) {
		if ofTarget(action) {
			g.list.stay()
		}
		if g.palette.Open() && action != palette.SearchAll { // one of its entries was clicked
			g.palette.Hide()
		}
		if !inPopover[action] {
			g.top.dismiss()
		}
		if g.dialogs.open.Load() != nil && !inDialog[action] {
			if g.dialogs.hide(); action == ui.Leave {
				return
			}
		}
		g.act(action, value)
	})
}

// Takes reports whether the page handles a key. It does not wait for the lock: the browser handles
// the key itself unless the answer comes at once.
func (p *Page) Takes(k ui.Key) bool {
	g := p.page
	if takes, open := g.palette.Takes(k); open {
		return takes
	}
	if g.columns.Open() {
		return g.columns.Takes(k)
	}
	if d := g.dialogs.open.Load(); d != nil {
		return d.takes(k)
	}
	action, _ := ActionOf(k)
	return action != ui.NoAction || k.Enters("find") || k.Enters("filter") || g.filter.completion.Load().takes(k)
}

// Modal reports whether a dialog blocks the rest of the page. Like Takes, it does not wait.
func (p *Page) Modal() bool {
	return p.page.dialogs.open.Load() != nil || p.page.palette.Open()
}

// Press handles a key, and reports whether the page handles it.
func (p *Page) Press(k ui.Key) bool {
	if !p.Takes(k) {
		return false
	}
	p.locked(func(g *page) { g.press(k) })
	return true
}

// press passes a key to the part in front.
func (p *page) press(k ui.Key) {
	action, value := ActionOf(k)
	switch {
	case p.palette.Open():
		p.palette.Press(k)
	case p.columns.Open():
		p.columns.Press(k)
	case p.dialogs.open.Load() != nil:
		p.dialogs.press(k)
	case p.filter.completion.Load().takes(k):
		p.filter.press(k)
	case k.Enters("find"):
		p.access.enter()
	case action == ui.Leave && k.Field == past.Field:
		p.past.Leave()
	case k.Enters("filter"), action == ui.Leave && k.Typing:
		p.facets.hide()
		p.browser.Focus("grid")
	default:
		if p.bars.of = nil; keysIn(k.Field) != nil {
			p.bars.of = p.bars.ofField(k.Field)
		}
		p.ActByKey(action, value)
	}
}

// Typed reports the text of a field.
func (p *Page) Typed(field, value string) {
	p.locked(func(g *page) {
		switch field {
		case "filter":
			g.filter.set(value)
		case "palette":
			g.palette.Typed(value)
		case "add-column":
			g.columns.Typed(value)
		case "view-name":
			g.dialogs.typed(value)
		case past.Field:
			g.past.Typed(value)
		case sumField:
			g.grouping.sum(value)
		case "find":
			g.facets.find = strings.TrimSpace(value)
			g.redraw()
		default:
			g.drawer.typed(field, value)
		}
	})
}

// leave closes the innermost open part, else unmarks the row, else clears the filter.
// Closing an object leaves its row marked, so keys continue from there.
func (p *page) leave() {
	switch {
	case p.top.dismiss():
	case p.help.open:
		p.help.toggle()
	case p.sidebar.open:
		p.sidebar.hide()
	case p.facets.open:
		p.facets.hide()
		p.browser.Focus("grid")
	case p.address.Selected != "" || p.drawer.isOpen():
		p.drawer.close()
	case p.list.mark.key != "" || p.list.mark.coming:
		p.list.unmark()
	case p.past.Leave():
	case p.address.Group != "":
		p.grouping.by("")
	case p.address.Filter != "":
		p.list.rewind()
		p.visit(true, func(a *route.Address) { a.Filter = "" })
		p.fields()
	}
}

// clear clears the filter, the labels and the namespaces.
func (p *page) clear() {
	p.list.rewind()
	p.visit(true, func(a *route.Address) { a.Filter, a.Labels, a.Namespaces = "", "", nil })
	p.fields()
}

// closeOverlays closes the panes over the list: the kinds and the facets.
func (p *page) closeOverlays() {
	p.sidebar.hide()
	p.facets.hide()
}
