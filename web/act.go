package web

import (
	"watchglass/web/facets"
	"watchglass/web/palette"
	"watchglass/web/route"
	"watchglass/web/ui"
)

// The actions of the page as a whole.
const (
	ToggleTheme ui.Action = "theme"
	ChooseGroup ui.Action = "choose-group" // in the palette
	TogglePause ui.Action = "pause"
	Reload      ui.Action = "reload"
)

// Commands returns the commands of the page as a whole.
func (p *page) Commands() []ui.Command {
	return []ui.Command{
		{ID: ui.Leave, Keys: []string{"Escape"}, Title: "Close, deselect or clear the filter", Do: p.leave},
		{Keys: []string{"Escape"}, In: ui.InField, Do: p.leaveField},
		{Keys: []string{"Enter"}, In: "filter", Do: p.leaveField},
		{ID: TogglePause, Keys: []string{"p"}, Title: "Pause updates; in the past: play or stop", Do: p.togglePause, Offer: ui.Always},
		{ID: ChooseGroup, Keys: []string{"b"}, Title: "Group rows by facet", Do: func() { p.palette.Show(ui.Facets) }, Offer: ui.Always},
		{ID: ToggleTheme, Keys: []string{"D"}, Title: "Toggle light/dark theme", Do: p.browser.Theme, Offer: ui.Always, KeepsPopover: true},
		{ID: ui.ClearFilters, Title: "Clear all filters", Do: p.clear, Offer: ui.Always},
		{ID: Reload, Do: p.browser.Reload},
	}
}

// ActByKey runs the action of an entry of the palette.
func (p *page) ActByKey(action ui.Action, value string) {
	if c := p.table.byID[action]; c != nil {
		p.run(c, value)
	}
}

// run runs a command that was not clicked. What is about a row that has not arrived waits for it.
func (p *page) run(c *ui.Command, value string) {
	if c.OfTarget {
		p.list.OnTarget(func() { c.Act(value) })
	} else {
		c.Act(value)
	}
}

// Act runs the action of a clicked element. A click refers to what is on screen, so it cancels a
// pending move of the mark.
func (p *Page) Act(action ui.Action, value string) {
	p.locked(func(g *page) {
		c := g.table.byID[action]
		if c == nil {
			return
		}
		if c.OfTarget {
			g.list.Stay()
		}
		if g.palette.Open() && action != palette.SearchAll { // one of its entries was clicked
			g.palette.Hide()
		}
		if !c.KeepsPopover {
			g.top.dismiss()
		}
		if g.dialogs.Open() != nil && !c.KeepsDialog {
			if g.dialogs.Hide(); action == ui.Leave {
				return
			}
		}
		c.Act(value)
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
		case ui.TimeSlider:
			g.past.Typed(value)
		case facets.SumField:
			g.facets.Groups.Sum(value)
		case facets.FindField:
			g.facets.Typed(value)
		default:
			if !g.dialogs.Typed(field, value) {
				g.drawer.Typed(field, value)
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
	case p.sidebar.Open():
		p.sidebar.Hide()
	case p.facets.Open():
		p.facets.Hide()
		p.browser.Focus("grid")
	case p.address.Selected != "" || p.drawer.IsOpen():
		p.drawer.Close()
	case p.list.Mark() != "" || p.list.Moving():
		p.list.Unmark()
	case p.past.Leave():
	case p.address.Group != "":
		p.facets.Groups.By("")
	case p.address.Filter != "":
		p.list.Rewind()
		p.Navigate(true, func(a *route.Address) { a.Filter = "" })
		p.SetFields()
	}
}

// leaveField moves the focus from a field to the list.
func (p *page) leaveField() {
	p.facets.Hide()
	p.browser.Focus("grid")
}

// clear clears the filter, the labels and the namespaces.
func (p *page) clear() {
	p.list.Rewind()
	p.Navigate(true, func(a *route.Address) { a.Filter, a.Labels, a.Namespaces = "", "", nil })
	p.SetFields()
}

// closePanes closes the panes over the list: the kinds and the facets.
func (p *page) closePanes() {
	p.sidebar.Hide()
	p.facets.Hide()
}
