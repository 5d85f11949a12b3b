package web

import (
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail/related"
)

// relatedWords says how many related objects there are and how many of them are shown. A kind
// that may not be listed is a node, but not an object.
func relatedWords(nodes []related.Node) string {
	all, shown, unlisted := 0, 0, 0
	for _, n := range nodes[1:] {
		switch {
		case n.Presence == related.Unknown && n.Name == "":
			unlisted++
		case n.More > 0:
			all += n.More
		default:
			all, shown = all+1, shown+1
		}
	}
	words := Count(all) + " related"
	if all > shown {
		words += ", " + Count(shown) + " shown"
	}
	switch unlisted {
	case 0:
	case 1:
		words += ", 1 kind can't be listed"
	default:
		words += ", " + Count(unlisted) + " kinds can't be listed"
	}
	return words
}

// draw draws the controls above the graph.
func (rt *relatedTab) draw() app.UI {
	r := rt.shown
	if r == nil || len(r.Nodes) == 0 {
		return app.P().Class("hint").Text("Loading related objects…")
	}
	words, alone := relatedWords(r.Nodes), len(r.Nodes) == 1
	switch {
	case alone && r.Coming:
		words = "Loading related objects…"
	case alone:
		words = "No related objects"
	case r.Coming:
		words += ", loading…"
	}
	shape := func(action Action, is bool, text string) app.UI {
		return app.Button().Class("shape").DataSet("action", action).Attr("aria-pressed", is).Text(text)
	}
	zoom := func(value, text, title string) app.UI {
		return app.Button().Class("icon").Hidden(r.tree).DataSet("action", ZoomGraph).DataSet("value", value).Title(title).Attr("aria-label", title).Text(text)
	}
	kinds := searchedWords(r.Searched)
	return app.Div().Body(
		app.Div().Class("bar").Body(
			app.Span().Class("dim").Attr("role", "status").Text(words),
			app.Button().Class("shape").Hidden(kinds == "").DataSet("action", ShowKinds).Attr("aria-expanded", r.kinds).Attr("aria-controls", "unsearched").Title("Kinds that may contain owned objects").Text(kinds),
			zoom("80", "−", "Zoom out (-)"), zoom("125", "+", "Zoom in (+)"), zoom("0", "◻", "Zoom to fit (0)"),
			shape(ShapeGraph, !r.tree, "Graph"), shape(ShapeTree, r.tree, "List"),
		),
		app.Div().ID("unsearched").Class("unsearched").Hidden(!r.kinds || kinds == "").Body(drawSearched(r.Searched)...),
	)
}

// searchedWords summarizes which kinds were searched for owned objects; "" if all were.
func searchedWords(s related.Searched) string {
	switch missed := len(s.Unasked) + len(s.Failed); {
	case s.Sweeping:
		return "Searching all kinds…"
	case s.Coming > 0:
		return "Searching…"
	case missed > 0:
		return kindCount(missed) + " not searched"
	case s.Swept > 0:
		return "Searched once: " + kindCount(s.Swept)
	}
	return ""
}

func kindCount(n int) string { return countOf(n, "kind") }

// kindsNamed limits how many kinds are listed.
const kindsNamed = 300

// drawMissed names the kinds that were not searched, and those that could not be, with the reason: at most most of each.
func drawMissed(s related.Searched, most int) (all []app.UI) {
	if n := len(s.Unasked); n > 0 {
		named := strings.Join(s.Unasked[:min(n, most)], ", ")
		if n > most {
			named += " and " + Count(n-most) + " more"
		}
		all = append(all, app.P().Body(app.Elem("strong").Text("Not searched for owned objects: "), app.Span().Text(named)))
	}
	for _, f := range s.Failed[:min(len(s.Failed), most)] {
		all = append(all, app.P().Body(app.Elem("strong").Text(f.Resource+": "), app.Span().Text(f.Error)))
	}
	if more := len(s.Failed) - most; more > 0 {
		all = append(all, app.P().Text("and "+Count(more)+" more"))
	}
	return all
}

// drawSearched lists the kinds that were not searched for owned objects, and why.
func drawSearched(s related.Searched) (all []app.UI) {
	sweep := func(text string) app.UI {
		return app.Button().Class("way").DataSet("action", SweepKinds).Disabled(s.Sweeping).Text(text)
	}
	all = drawMissed(s, kindsNamed)
	if len(s.Unasked) > 0 {
		all = slices.Insert(all, 1, sweep("Search"))
	}
	if s.Swept > 0 {
		text := "Nothing found in " + kindCount(s.Swept) + " at " + clockTime(1000*s.SweptAt) + "."
		all = append(all, app.P().Text(text))
		if len(s.Unasked) == 0 {
			all = append(all, sweep("Search again"))
		}
	}
	return all
}
