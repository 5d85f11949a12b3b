package web

import (
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"
)

// keysOf draws the rows of the help. Keys with the same help text share a row.
func keysOf(all []binding) app.UI {
	var rows, keys []app.UI
	for i, b := range all {
		if b.help == "" {
			continue
		}
		for _, k := range b.keys {
			keys = append(keys, app.Elem("kbd").Text(keyName(k)))
		}
		if i+1 < len(all) && all[i+1].help == b.help {
			continue
		}
		rows = append(rows, app.Div().Class("binding").Body(app.Span().Body(keys...), app.Span().Text(b.help)))
		keys = nil
	}
	return app.Div().Class("bindings").Body(rows...)
}

// helpPanel lists the shortcuts and explains the filter.
type helpPanel struct {
	*page
	open bool
}

func (hp *helpPanel) actions() map[Action]func(string) {
	return map[Action]func(string){Help: ignoreValue(hp.toggle)}
}

func (hp *helpPanel) toggle() {
	hp.open = !hp.open
	hp.redraw()
	hp.browser.Focus(map[bool]string{true: "help", false: "grid"}[hp.open])
}

func (hp *helpPanel) draw() app.UI {
	if !hp.open {
		return app.Div().Hidden(true)
	}
	open := tabName{}
	if hp.drawer.isOpen() {
		open = tabOf(hp.drawer.asked.Tab)
	}
	return app.Div().ID("help").Class("help").Attr("role", "dialog").Attr("aria-modal", "true").Attr("aria-label", "Keyboard shortcuts").TabIndex(-1).Body(
		app.H1().Text("Keyboard shortcuts"), keysOf(bindings),
		app.H1().Hidden(len(open.bindings) == 0).Text("Tab: "+open.title), keysOf(open.bindings),
		app.H1().Text("Histogram and timeline"), keysOf(append(barsKeys, lanesKeys...)),
		app.H1().Text("Filter syntax"), app.Div().Class("examples").Body(examples()...),
		app.Div().Class("ways").Body(
			app.Button().Class("way").DataSet("action", Help).Text("Close"),
			app.Button().Class("way").DataSet("action", OpenInspector).Text("Inspector"),
		),
	)
}

func keyName(k string) string {
	if name, ok := map[string]string{"ArrowDown": "↓", "ArrowUp": "↑", "Escape": "Esc", "PageDown": "PgDn", "PageUp": "PgUp", "ArrowLeft": "←", "ArrowRight": "→", " ": "Space"}[k]; ok {
		return name
	}
	if plain, ok := strings.CutPrefix(k, "Shift+"); ok {
		return "⇧" + keyName(plain)
	}
	return k
}
