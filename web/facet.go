package web

import (
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/view"
)

const (
	// namespacesShown is how many namespaces are listed; there may be thousands.
	namespacesShown = 200

	// valuesShown is how many values of any other facet are listed before somebody
	// asks for more.
	valuesShown = 6
)

// choice is what the query says of a value.
type choice int8

const (
	unchosen choice = iota
	included
	excluded
)

// facet is one facet with its values. It is drawn anew only when something in it has
// changed.
type facet struct {
	app.Compo
	Name   string
	Shut   bool
	All    bool // all values that there are to show
	Values []value
	More   int // values that are not to be had here
	Bare   bool
}

// value is one value of a facet, and how many objects a choice of it would leave.
type value struct {
	Text   string
	Count  string
	Choice choice
}

// facets are what can be chosen by, each with what a choice of it would leave.
func (g sight) facets() app.UI {
	namespaced := g.state.Source.Namespaced || g.state.Source.Kind == ""
	var parts []app.UI
	var namespaces []view.FacetValue
	for _, f := range g.window.Facets {
		if f.Name == view.NamespaceColumn {
			namespaces = f.Values
		} else if !g.panelled() {
			parts = append(parts, g.facet(f))
		}
	}
	if len(parts) > 0 {
		parts = append(parts, app.Button().Class("more dim").DataSet("action", ChooseColumns).Text("+ label or field"))
	}
	if namespaced {
		parts = append(g.namespaces(namespaces), parts...)
	}
	return app.Aside().Class("facets").Attr("aria-label", "Narrow by").Hidden(len(parts) == 0).Body(parts...)
}

// namespaces are the facet that is there from the beginning, and may be long.
func (g sight) namespaces(values []view.FacetValue) []app.UI {
	matching := slices.DeleteFunc(slices.Clone(values), func(v view.FacetValue) bool { return !strings.Contains(v.Value, strings.ToLower(g.find)) })
	list := facet{Name: view.NamespaceColumn, Bare: true, All: true}
	for _, v := range matching[:min(len(matching), namespacesShown)] {
		next := value{Text: v.Value, Count: Count(v.Count), Choice: choiceOf(g.filter, view.Field(view.NamespaceColumn), v.Value)}
		if slices.Contains(g.address.Namespaces, v.Value) {
			next.Choice = included
		}
		list.Values = append(list.Values, next)
	}
	more := ""
	if n := len(matching) - namespacesShown; n > 0 {
		more = Count(n) + " more: type to narrow"
	}
	return []app.UI{
		app.H2().Body(app.Span().Text("Namespace"), app.Span().Class("number").Text(number(len(values), !g.panelled()))),
		app.Input().ID("find").Type("search").DataSet("field", "find").Placeholder("find  n").Attr("aria-label", "Find a namespace").Attr("autocomplete", "off").Attr("spellcheck", "false"),
		&list,
		app.P().Class("dim").Text(more),
	}
}

// The marks of what is folded, beside the groups of the rail.
const (
	foldFacet = "facet "
	foldMore  = "values "
)

func (g sight) facet(f view.Facet) app.UI {
	out := facet{Name: f.Name, Shut: g.folded[foldFacet+f.Name], All: g.folded[foldMore+f.Name], More: f.More}
	for _, v := range f.Values {
		out.Values = append(out.Values, value{v.Value, Count(v.Count), choiceOf(g.filter, view.Field(f.Name), v.Value)})
	}
	return &out
}

// Render draws the facet. One that is shut shows no more than what is chosen.
func (f *facet) Render() app.UI {
	var items []app.UI
	for i, v := range f.Values {
		if v.Choice != unchosen || !f.Shut && (f.All || i < valuesShown) {
			items = append(items, f.draw(v))
		}
	}
	values := app.Div().Class("values").Attr("role", "group").Attr("aria-label", f.Name).Body(items...)
	if f.Bare {
		return values
	}
	return app.Section().Class("group").Body(
		app.H2().Body(app.Button().Class("fold").DataSet("action", ToggleGroup).DataSet("value", foldFacet+f.Name).Attr("aria-expanded", !f.Shut).Text(f.Name)),
		values,
		f.more(),
	)
}

// more is the way to the values that do not show.
func (f *facet) more() app.UI {
	switch hidden := len(f.Values) - valuesShown; {
	case f.Shut || hidden <= 0:
		return app.P().Class("dim").Hidden(true)
	case !f.All:
		return app.Button().Class("more dim").DataSet("action", ToggleGroup).DataSet("value", foldMore+f.Name).Text(Count(hidden+f.More) + " more")
	case f.More > 0:
		return app.P().Class("dim").Text(Count(f.More) + " more: filter by them")
	}
	return app.Button().Class("more dim").DataSet("action", ToggleGroup).DataSet("value", foldMore+f.Name).Text("fewer")
}

// checked is what a screen reader is told of a choice.
var checked = map[choice]string{unchosen: "false", included: "true", excluded: "mixed"}

func (f *facet) draw(v value) app.UI {
	name := app.Span().Class("name").Text(v.Text)
	if v.Text == "" {
		name = app.Span().Class("name dim").Text("none")
	}
	action, value := Pick, f.Name+":"+v.Text
	if f.Name == view.NamespaceColumn {
		action, value = Choose, v.Text
	}
	b := app.Button().Class("value").DataSet("action", action).DataSet("value", value).DataSet("facet", f.Name).Attr("role", "checkbox").Attr("aria-checked", checked[v.Choice]).Title(v.Text)
	if v.Choice == excluded {
		b = b.Attr("aria-label", "not "+v.Text)
	}
	return b.Body(app.Span().Class("box"), name, app.Span().Class("number").Text(v.Count))
}
