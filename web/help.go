package web

import (
	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/web/chart"
	"watchglass/web/inspector"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// keysOf draws the rows of the help. Keys with the same help text share a row.
func keysOf(all []ui.Binding) app.UI {
	var rows, keys []app.UI
	for i, b := range all {
		if b.Help == "" {
			continue
		}
		for _, k := range b.Keys {
			keys = append(keys, app.Elem("kbd").Text(ui.KeyName(k)))
		}
		if i+1 < len(all) && all[i+1].Help == b.Help {
			continue
		}
		rows = append(rows, app.Div().Class("binding").Body(app.Span().Body(keys...), app.Span().Text(b.Help)))
		keys = nil
	}
	return app.Div().Class("bindings").Body(rows...)
}

// helpPanel lists the shortcuts and explains the filter.
type helpPanel struct {
	page *page
	open bool
}

func (hp *helpPanel) Actions() map[ui.Action]func(string) {
	return map[ui.Action]func(string){Help: ui.IgnoreValue(hp.toggle)}
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
	open := tabKind{}
	if hp.page.drawer.isOpen() {
		open = tabOf(hp.page.drawer.asked.Tab)
	}
	return app.Div().ID("help").Class("help").Attr("role", "dialog").Attr("aria-modal", "true").Attr("aria-label", "Keyboard shortcuts").TabIndex(-1).Body(
		app.H1().Text("Keyboard shortcuts"), keysOf(bindings),
		app.H1().Hidden(len(open.bindings) == 0).Text("Tab: "+open.title), keysOf(open.bindings),
		app.H1().Text("Histogram and timeline"), keysOf(append(ui.BarsKeys, chart.LanesKeys...)),
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
