package web

import (
	"fmt"

	"watchglass/web/facets"
	"watchglass/web/palette"
	"watchglass/web/past"
	"watchglass/web/route"
	"watchglass/web/ui"
)

// actionsOf merges the actions of all parts. It panics if two parts handle the same action.
func actionsOf(g *page, parts ...ui.Actor) map[ui.Action]func(string) {
	all := map[ui.Action]func(string){
		ui.Leave: ui.IgnoreValue(g.leave), Reload: ui.IgnoreValue(g.browser.Reload), ToggleTheme: ui.IgnoreValue(g.browser.Theme), ClearFilters: ui.IgnoreValue(g.clear), TogglePause: ui.IgnoreValue(g.togglePause), ChooseGroup: ui.IgnoreValue(func() { g.palette.Show(ui.Facets) }),
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

// Act runs an action's handler. A test checks that each action has one.
func (p *page) Act(action ui.Action, value string) {
	if f := p.actions[action]; f != nil {
		f(value)
	}
}

// ActByKey runs a key's action. An action for a row that has not arrived waits for it.
func (p *page) ActByKey(action ui.Action, value string) {
	if !p.list.Defer(action, value) {
		p.Act(action, value)
	}
}

// Act runs the action of a clicked element. A click refers to what is on screen, so it cancels a
// pending move of the mark.
func (p *Page) Act(action ui.Action, value string) {
	p.locked(func(g *page) {
		g.list.OnAction(action)
		if g.palette.Open() && action != palette.SearchAll { // one of its entries was clicked
			g.palette.Hide()
		}
		if !inPopover[action] {
			g.top.dismiss()
		}
		if d := g.dialogs.Open(); d != nil && !d.Keeps(action) && action != StopExport { // that is a notice's button
			if g.dialogs.Hide(); action == ui.Leave {
				return
			}
		}
		g.Act(action, value)
	})
}

// Typed reports the text of a field.
func (p *Page) Typed(field, value string) {
	p.locked(func(g *page) {
		switch field {
		case "filter":
			g.filter.Set(value)
		case "palette":
			g.palette.Typed(value)
		case "add-column":
			g.columns.Typed(value)
		case past.Field:
			g.past.Typed(value)
		case facets.SumField:
			g.facets.Groups.Sum(value)
		case facets.FindField:
			g.facets.Typed(value)
		default:
			if !g.dialogs.Typed(field, value) {
				g.drawer.typed(field, value)
			}
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
	case p.facets.Open():
		p.facets.Hide()
		p.browser.Focus("grid")
	case p.address.Selected != "" || p.drawer.isOpen():
		p.drawer.close()
	case p.list.Mark() != "" || p.list.Moving():
		p.list.Unmark()
	case p.past.Leave():
	case p.address.Group != "":
		p.facets.Groups.By("")
	case p.address.Filter != "":
		p.list.Rewind()
		p.Visit(true, func(a *route.Address) { a.Filter = "" })
		p.SetFields()
	}
}

// clear clears the filter, the labels and the namespaces.
func (p *page) clear() {
	p.list.Rewind()
	p.Visit(true, func(a *route.Address) { a.Filter, a.Labels, a.Namespaces = "", "", nil })
	p.SetFields()
}

// closePanes closes the panes over the list: the kinds and the facets.
func (p *page) closePanes() {
	p.sidebar.hide()
	p.facets.Hide()
}
