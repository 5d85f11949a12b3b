package web

import (
	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/web/drawer"
	"watchglass/web/inspector"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// drawKeys draws the rows of the help. Keys with the same words share a row.
func drawKeys(all []*ui.Command) app.UI {
	var rows, keys []app.UI
	for i, c := range all {
		for _, k := range c.Keys {
			keys = append(keys, app.Elem("kbd").Text(ui.KeyName(k)))
		}
		if i+1 < len(all) && all[i+1].Title == c.Title {
			continue
		}
		rows = append(rows, app.Div().Class("binding").Body(app.Span().Body(keys...), app.Span().Text(c.Title)))
		keys = nil
	}
	return app.Div().Class("bindings").Body(rows...)
}

// helpPanel lists the shortcuts and explains the filter.
type helpPanel struct {
	page *page
	open bool
}

// Help shows the help, or hides it.
const Help ui.Action = "help"

func (hp *helpPanel) Commands() []ui.Command {
	return []ui.Command{{ID: Help, Keys: []string{"?"}, Title: "Show shortcuts", Do: hp.toggle, Offer: ui.Always}}
}

func (hp *helpPanel) toggle() {
	hp.open = !hp.open
	hp.page.redraw()
	hp.page.browser.Focus(map[bool]string{true: "help", false: "grid"}[hp.open])
}

func (hp *helpPanel) draw() app.UI {
	if !hp.open {
		return app.Div().Hidden(true)
	}
	open := drawer.Tab{}
	if hp.page.drawer.IsOpen() {
		open = drawer.TabOf(hp.page.drawer.Asked().Tab)
	}
	t := hp.page.table
	ofTab := t.help(func(c *ui.Command) bool { return c.Tab != "" && c.Tab == open.ID })
	return app.Div().ID("help").Class("help").Attr("role", "dialog").Attr("aria-modal", "true").Attr("aria-label", "Keyboard shortcuts").TabIndex(-1).Body(
		app.H1().Text("Keyboard shortcuts"), drawKeys(t.help(func(c *ui.Command) bool { return c.Tab == "" && c.In == "" })),
		app.H1().Hidden(len(ofTab) == 0).Text("Tab: "+open.Title), drawKeys(ofTab),
		app.H1().Text("Histogram and timeline"), drawKeys(t.help(func(c *ui.Command) bool { return c.Tab == "" && c.In != "" })),
		app.H1().Text("Filter syntax"), app.Div().Class("examples").Body(examples()...),
		app.Div().Class("ways").Body(
			ui.Way(Help, "Close"),
			ui.Way(inspector.Open, "Inspector"),
		),
	)
}

func examples() []app.UI {
	var rows []app.UI
	for _, e := range words.FilterExamples {
		rows = append(rows, app.Div().Class("example").Body(app.Elem("code").Text(e.Filter), app.Span().Text(e.Means)))
	}
	return rows
}
