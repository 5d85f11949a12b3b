package web

import (
	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/web/dom"
	"watchglass/web/list"
	"watchglass/web/words"
)

// shell draws everything but the list. It has no state or handlers of its own: it draws the parts,
// and data attributes name the action of each element. The listeners on the document find the
// action by those attributes.
type shell struct {
	app.Compo
}

// thePage is the page that the shell draws. go-app creates components from nothing but their type,
// so this is a variable, the only one in the package that changes. It is set once, at the start.
var thePage *Page

// OnMount passes the shell to the page.
func (s *shell) OnMount(ctx app.Context) {
	m := dom.Shell{
		Redraw: func() { ctx.Dispatch(func(app.Context) {}) },
		WhenDrawn: func(then func()) {
			ctx.Dispatcher().Dispatch(app.Dispatch{Mode: app.Next, Source: s, Function: func(ctx app.Context) {
				if d, ok := ctx.Dispatcher().(app.ClientDispatcher); ok {
					d.Consume()
				}
				then()
			}})
		},
	}
	ctx.Defer(func(app.Context) { thePage.mounted(m) })
}

// Render draws the page.
func (s *shell) Render() (ui app.UI) {
	thePage.locked(func(g *page) { ui = g.draw() })
	return ui
}

// draw draws the parts.
func (p *page) draw() app.UI {
	if p.frame.on() {
		return p.drawFramed()
	}
	strip, pane := p.facets.Draw()
	drawer, overview := p.drawer.IsOpen(), p.address.Overview
	return app.Div().Class("shell").DataSet("start", p.past.Empty()).Body(
		p.past.DrawStart(),
		p.top.draw(),
		app.Div().Class("times").Body(p.past.Draw(), p.past.DrawFile()),
		p.panel.DrawBanner(),
		app.Div().Class("panes").DataSet("drawer", drawer).DataSet("overview", overview).DataSet("folded", drawer || overview).DataSet("full", p.drawer.Full()).Body(
			p.sidebar.Draw(), p.overview.DrawTotals(), strip, pane, p.drawList(), p.overview.DrawRollouts(), p.drawer.Draw()),
		p.help.draw(),
		p.palette.Draw(),
		p.columns.Draw(),
		p.dialogs.Draw(),
		app.Div().Class("unseen").Attr("role", "status").Text(p.panel.Announcement()),
		p.notices.Draw(),
		p.past.DrawDrop(),
	)
}

// drawFramed draws the parts that a page in a frame has.
func (p *page) drawFramed() app.UI {
	return app.Div().Class("shell embedded").DataSet("embed", p.address.Embed).Body(
		p.frame.draw(),
		app.Div().Class("times").Body(p.past.Draw(), p.past.DrawFile()),
		p.panel.DrawBanner(),
		app.Div().Class("panes").DataSet("drawer", p.drawer.IsOpen()).DataSet("full", p.drawer.Full()).Body(p.drawList(), p.drawer.Draw(), p.overview.DrawTotals()),
		p.help.draw(),
		p.palette.Draw(),
		p.columns.Draw(),
		p.dialogs.Draw(),
		app.Div().Class("unseen").Attr("role", "status").Text(p.panel.Announcement()),
		p.notices.Draw(),
	)
}

// drawList draws the list, or the panel that replaces it.
func (p *page) drawList() app.UI {
	busy := p.panel.Partial()
	return app.Elem("main").Class("list").Attr("aria-busy", busy).DataSet("panel", p.panel.ReplacesList()).DataSet("held", p.list.Window().Held || p.filter.Unfinished()).DataSet("rest", p.state.Source.Rest).DataSet("polled", p.state.Source.Polled > 0).Body(
		app.H1().Class("unseen").Text(p.address.Name()+" in "+p.session.Context()),
		p.timeline.Draw(),
		app.Div().ID("grid").Class("grid"),
		p.panel.Draw(),
		app.Button().Class("chip").DataSet("action", list.ToTop).Hidden(p.list.Above() == 0 || p.past.On()).Text(words.Count(p.list.Above())+" new above ↑"),
	)
}
