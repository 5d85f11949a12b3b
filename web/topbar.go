package web

import (
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/view"
)

// topBar is the line at the top: where this is, whether it is true now, and what can be done.
type topBar struct{ *page }

func (tb *topBar) actions() map[Action]func(string) { return nil }

func (tb *topBar) draw() app.UI {
	return app.Header().Class("top").Body(
		app.Button().Class("icon narrow").DataSet("action", ToggleKinds).Attr("aria-label", "Kinds").Attr("aria-expanded", tb.sidebar.open).Text("☰"),
		app.Span().Class("who").Body(
			tb.session.drawContext(),
			tb.session.drawUser(),
		),
		tb.badge(),
		app.Div().Class("search").Attr("role", "search").Body(
			app.Div().Class("filter").Body(tb.filter.drawField(), tb.filter.drawBeneath()),
			app.Input().ID("labels").Type("search").DataSet("field", "labels").Placeholder("labels: app=web,tier!=db").Attr("aria-label", "Label selector").Attr("aria-invalid", tb.filter.wrong(view.PartLabels)).Attr("autocomplete", "off").Attr("spellcheck", "false"),
		),
		app.Span().ID("count").Class("count").Text(tb.count()),
		app.Button().Class("icon narrow").DataSet("action", ToggleFacets).Attr("aria-label", "Facets").Attr("aria-expanded", tb.facets.open).Text("⊟"),
		app.Button().Class("icon roomy").DataSet("action", KeepView).Attr("aria-pressed", tb.views.savedAs() != "").Title("Save view (v)").Attr("aria-label", "Save view").Text(map[bool]string{false: "☆", true: "★"}[tb.views.savedAs() != ""]),
		app.Button().Class("icon").DataSet("action", Share).Title("Share and export (e)").Attr("aria-label", "Share and export").Text("↗"),
		app.Button().Class("icon").DataSet("action", TogglePause).Attr("aria-pressed", tb.list.paused).Title("Pause updates (p)").Attr("aria-label", "Pause updates").Body(app.Span().Class("pause")),
		app.Button().Class("icon roomy").DataSet("action", ToggleWide).Attr("aria-pressed", tb.address.Wide()).Title("Wide columns (w)").Attr("aria-label", "Wide columns").Text("⇔"),
		app.Button().Class("icon roomy").DataSet("action", ChooseColumns).Attr("aria-expanded", tb.columns.chooser.Load() != nil).Title("Choose columns (c)").Attr("aria-label", "Choose columns").Text("▥"),
		app.Button().Class("icon roomy").DataSet("action", ToggleTheme).Title("Toggle light/dark theme (t)").Attr("aria-label", "Toggle light/dark theme").Text("◐"),
		app.Button().Class("icon").DataSet("action", OpenPalette).Title("Open command palette (:)").Attr("aria-label", "Open command palette").Text("⌘"),
		app.Button().ID("keys").Class("icon roomy").DataSet("action", Help).Title("Show shortcuts (?)").Attr("aria-label", "Show shortcuts").Text("?"),
	)
}

// badge shows how current the data is. A narrow page hides everything after the first dot.
func (tb *topBar) badge() app.UI {
	text, tone := Badge(tb.state), tb.state.Source.State
	if tb.list.paused {
		text, tone = Paused(tb.list.window.Waiting)+" · "+text, "paused"
	}
	word, more, _ := strings.Cut(text, " · ")
	if more != "" {
		more = "· " + more
	}
	return app.Span().ID("badge").Class("badge").DataSet("tone", tone).Title(tb.badgeTitle()).Body(
		app.Span().Text(word), app.Span().Class("more").Text(more),
	)
}

func (tb *topBar) badgeTitle() string {
	if tb.state.Source.State == "live" {
		return "Resource version " + tb.state.Source.Version + ". Last heard from the apiserver and the proxy " + seconds(tb.state.Source.Age) + " ago."
	}
	if w, ok := Explain(tb.state); ok {
		return w.Title + ". " + said(w)
	}
	return ""
}

func (tb *topBar) count() string {
	if tb.list.panelled() || tb.list.window.Columns == nil {
		return "" // not known
	}
	switch {
	case tb.list.window.Held:
		return "0 of " + Count(tb.list.window.Of)
	case tb.list.window.Total == tb.list.window.Of:
		return Count(tb.list.window.Of)
	}
	return Count(tb.list.window.Total) + " of " + Count(tb.list.window.Of)
}
