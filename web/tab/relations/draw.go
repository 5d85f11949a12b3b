package relations

import (
	"slices"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail/related"
	"watchglass/web/tab"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// Draw draws the controls above the graph.
func (t *Tab) Draw() app.UI {
	r := t.shown
	if r == nil || len(r.Nodes) == 0 {
		return app.P().Class("hint").Text("Loading related objects…")
	}
	text, alone := words.Related(r.Nodes), len(r.Nodes) == 1
	switch {
	case alone && r.Coming:
		text = "Loading related objects…"
	case alone:
		text = "No related objects"
	case r.Coming:
		text += ", loading…"
	}
	shape := func(action ui.Action, is bool, text string) app.UI {
		return app.Button().Class("shape").DataSet("action", action).Attr("aria-pressed", is).Text(text)
	}
	zoom := func(value, text string) app.UI {
		title := t.Host.Tip(Zoom, value)
		return app.Button().Class("icon").Hidden(r.tree).DataSet("action", Zoom).DataSet("value", value).Title(title).Attr("aria-label", title).Text(text)
	}
	kinds := words.Searched(r.Searched)
	return app.Div().Body(
		app.Div().Class("bar").Body(
			app.Span().Class("dim").Attr("role", "status").Text(text),
			app.Button().Class("shape").Hidden(kinds == "").DataSet("action", ShowKinds).Attr("aria-expanded", r.kinds).Attr("aria-controls", "unsearched").Title("Kinds that may contain owned objects").Text(kinds),
			zoom("80", "−"), zoom("125", "+"), zoom("0", "◻"),
			shape(ShowGraph, !r.tree, "Graph"), shape(ShowList, r.tree, "List"),
		),
		app.Div().ID("unsearched").Class("unsearched").Hidden(!r.kinds || kinds == "").Body(drawSearched(r.Searched)...),
	)
}

// kindsNamed limits how many kinds are listed.
const kindsNamed = 300

// drawSearched lists the kinds that were not searched for owned objects, and why.
func drawSearched(s related.SearchProgress) (all []app.UI) {
	sweep := func(text string) app.UI {
		return ui.Way(Sweep, text).Disabled(s.Sweeping)
	}
	all = tab.DrawMissed(s, kindsNamed)
	if len(s.Unasked) > 0 {
		all = slices.Insert(all, 1, sweep("Search"))
	}
	if s.Swept > 0 {
		text := "Nothing found in " + words.CountOf(s.Swept, "kind") + " at " + words.ClockTime(1000*s.SweptAt) + "."
		all = append(all, app.P().Text(text))
		if len(s.Unasked) == 0 {
			all = append(all, sweep("Search again"))
		}
	}
	return all
}
