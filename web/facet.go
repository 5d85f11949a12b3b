package web

import (
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/view"
	"watchglass/web/grid"
)

const (
	// namespacesShown is how many namespaces are listed; there may be thousands.
	namespacesShown = 200

	// valuesShown is how many values of any other facet are listed before somebody
	// asks for more.
	valuesShown = 6

	// headingMost is how much of a facet's name has room above its values.
	headingMost = 22
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
	All    bool    // all values that there are to show
	Values []value // that show: there may be a hundred besides, of each facet
	Hidden int     // values beyond those that show at first
	More   int     // values that are not to be had here
	Bare   bool
}

// value is one value of a facet, and how many objects a choice of it would leave.
type value struct {
	Text   string
	Count  string
	Choice choice
	Added  bool // by somebody, who may forget it
}

// facets are what can be chosen by, each with what a choice of it would leave.
func (g sight) facets() app.UI {
	namespaced := g.state.Source.Namespaced || g.state.Source.Kind == ""
	var parts []app.UI
	for _, f := range g.window.Facets {
		if f.Name != view.NamespaceColumn && !g.panelled() {
			parts = append(parts, g.facet(f))
		}
	}
	if len(parts) > 0 {
		parts = append(parts, app.Button().Class("more dim").DataSet("action", ChooseColumns).Text("+ label or field"))
	}
	if namespaced {
		parts = append(g.namespaces(), parts...)
	}
	return app.Aside().Class("facets").Attr("aria-label", "Narrow by").Hidden(len(parts) == 0).Body(parts...)
}

// namespaceCounts are the namespaces in which there is something.
func (g sight) namespaceCounts() []view.FacetValue {
	for _, f := range g.window.Facets {
		if f.Name == view.NamespaceColumn {
			return f.Values
		}
	}
	return nil
}

// namespaces are the facet that is there from the beginning, and may be long.
func (g sight) namespaces() []app.UI {
	known := g.known()
	matching := slices.DeleteFunc(slices.Clone(known), func(name string) bool { return !strings.Contains(name, strings.ToLower(g.find)) })
	list := facet{Name: view.NamespaceColumn, Bare: true, All: true}
	in, not := g.filter.Facet(view.Field(view.NamespaceColumn))
	count := g.counts()
	for _, name := range matching[:min(len(matching), namespacesShown)] {
		next := value{Text: name, Count: count[name], Choice: choiceIn(in, not, name), Added: g.few() && slices.Contains(g.rights.remembered, name)}
		if slices.Contains(g.address.Namespaces, name) {
			next.Choice = included
		}
		list.Values = append(list.Values, next)
	}
	more := ""
	if n := len(matching) - namespacesShown; n > 0 {
		more = Count(n) + " more: type to narrow"
	}
	find := "find  n"
	if g.few() {
		find = "find or add  n"
	}
	return []app.UI{
		app.H2().Body(app.Span().Text("Namespace"), app.Span().Class("number").Text(number(len(known), !g.panelled()))),
		app.Input().ID("find").Type("search").DataSet("field", "find").Placeholder(find).Attr("aria-label", "Find a namespace").Attr("autocomplete", "off").Attr("spellcheck", "false"),
		g.adding(),
		&list,
		app.P().Class("dim").Text(more),
	}
}

// counts are how much is in each namespace, as far as that is known: of one that is
// not listed it is not.
func (g sight) counts() map[string]string {
	count := make(map[string]string)
	for _, v := range g.namespaceCounts() {
		if v.Count > 0 || !g.few() { // else it is there because it is chosen
			count[v.Value] = Count(v.Count)
		}
	}
	for _, name := range apart(g.state.Source.Namespace) {
		if count[name] == "" && g.state.Source.Synced {
			count[name] = "0"
		}
	}
	for _, name := range g.denied() {
		count[name] = "denied"
	}
	return count
}

// The marks of what is folded, beside the groups of the rail.
const (
	foldFacet = "facet "
	foldMore  = "values "
)

// facet is what shows of one: of one that is shut no more than what is chosen.
func (g sight) facet(f view.Facet) app.UI {
	out := facet{Name: f.Name, Shut: g.folded[foldFacet+f.Name], All: g.folded[foldMore+f.Name], Hidden: len(f.Values) - valuesShown, More: f.More}
	in, not := g.filter.Facet(view.Field(f.Name))
	for i, v := range f.Values {
		if choice := choiceIn(in, not, v.Value); choice != unchosen || !out.Shut && (out.All || i < valuesShown) {
			out.Values = append(out.Values, value{v.Value, Count(v.Count), choice, false})
		}
	}
	return &out
}

// Render draws the facet.
func (f *facet) Render() app.UI {
	var items []app.UI
	for _, v := range f.Values {
		items = append(items, f.draw(v))
	}
	values := app.Div().Class("values").Attr("role", "group").Attr("aria-label", f.Name).Body(items...)
	if f.Bare {
		return values
	}
	return app.Section().Class("group").Body(
		app.H2().Body(app.Button().Class("fold").DataSet("action", ToggleGroup).DataSet("value", foldFacet+f.Name).Attr("aria-expanded", !f.Shut).Title(f.Name).Body(
			app.Span().Class("name").Text(grid.Cut(f.Name, headingMost)),
		)),
		values,
		f.more(),
	)
}

// more is the way to the values that do not show.
func (f *facet) more() app.UI {
	switch {
	case f.Shut || f.Hidden <= 0:
		return app.P().Class("dim").Hidden(true)
	case !f.All:
		return app.Button().Class("more dim").DataSet("action", ToggleGroup).DataSet("value", foldMore+f.Name).Text(Count(f.Hidden+f.More) + " more")
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
	b = b.Body(app.Span().Class("box"), name, app.Span().Class("number").Text(v.Count))
	if !v.Added {
		return b
	}
	return app.Div().Class("added").Body(b, app.Button().Class("forget").DataSet("action", Forget).DataSet("value", v.Text).Attr("aria-label", "Forget "+v.Text).Title("Forget "+v.Text).Text("✕"))
}
