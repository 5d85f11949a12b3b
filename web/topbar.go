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
		app.Button().Class("icon narrow").DataSet("action", ToggleSheet).DataSet("value", "kinds").Attr("aria-label", "Kinds").Attr("aria-expanded", tb.sheet == "kinds").Text("☰"),
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
		app.Button().Class("icon narrow").DataSet("action", ToggleSheet).DataSet("value", "facets").Attr("aria-label", "Narrow by").Attr("aria-expanded", tb.sheet == "facets").Text("⊟"),
		app.Button().Class("icon roomy").DataSet("action", KeepView).Attr("aria-pressed", tb.views.savedAs() != "").Title("Keep this view (v)").Attr("aria-label", "Keep this view").Text(map[bool]string{false: "☆", true: "★"}[tb.views.savedAs() != ""]),
		app.Button().Class("icon").DataSet("action", Share).Title("Share and export (e)").Attr("aria-label", "Share and export").Text("↗"),
		app.Button().Class("icon").DataSet("action", TogglePause).Attr("aria-pressed", tb.list.paused).Title("Pause (p)").Attr("aria-label", "Pause").Body(app.Span().Class("pause")),
		app.Button().Class("icon roomy").DataSet("action", ToggleWide).Attr("aria-pressed", tb.address.Wide()).Title("More columns (w)").Attr("aria-label", "More columns").Text("⇔"),
		app.Button().Class("icon roomy").DataSet("action", ChooseColumns).Attr("aria-expanded", tb.columns.chooser.Load() != nil).Title("Columns (c)").Attr("aria-label", "Columns").Text("▥"),
		app.Button().Class("icon roomy").DataSet("action", ToggleTheme).Title("Light or dark (t)").Attr("aria-label", "Light or dark").Text("◐"),
		app.Button().Class("icon").DataSet("action", OpenPalette).Title("Go to, or do (:)").Attr("aria-label", "Go to, or do").Text("⌘"),
		app.Button().ID("keys").Class("icon roomy").DataSet("action", Help).Title("Keys (?)").Attr("aria-label", "Keys").Text("?"),
	)
}

// badge says whether it is true now; what is behind the first dot has no room on a
// narrow page.
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
		return "Version " + tb.state.Source.Version + ". The apiserver and the proxy were last heard " + seconds(tb.state.Source.Age) + " ago."
	}
	if w, ok := Explain(tb.state); ok {
		return w.Title + ". " + said(w)
	}
	return ""
}

func (tb *topBar) count() string {
	if tb.list.panelled() || tb.list.window.Columns == nil {
		return "" // nobody knows
	}
	switch {
	case tb.list.window.Held:
		return "0 of " + Count(tb.list.window.Of)
	case tb.list.window.Total == tb.list.window.Of:
		return Count(tb.list.window.Of)
	}
	return Count(tb.list.window.Total) + " of " + Count(tb.list.window.Of)
}
