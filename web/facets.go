package web

import (
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/query"
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

// facetPane is the namespaces and the other facets, by which the list is narrowed.
type facetPane struct {
	*page
	find string // what the namespaces are narrowed by
}

func (fp *facetPane) actions() map[Action]func(string) {
	return map[Action]func(string){
		Choose: func(namespace string) { fp.choose(namespace, false) }, ChooseOnly: func(namespace string) { fp.choose(namespace, true) },
		Pick: func(value string) {
			name := fp.facetOf(value)
			fp.pick(name, strings.TrimPrefix(value[len(name):], ":"))
		},
		FocusNamespace: does(func() {
			fp.sheet = "facets"
			fp.redraw()
			fp.browser.Focus("find")
		}),
	}
}

// facets are what can be chosen by, each with what a choice of it would leave.
func (fp *facetPane) draw() app.UI {
	namespaced := fp.state.Source.Namespaced || fp.state.Source.Kind == ""
	var parts []app.UI
	for _, f := range fp.list.window.Facets {
		if f.Name != view.NamespaceColumn && !fp.list.panelled() {
			parts = append(parts, fp.facet(f))
		}
	}
	if len(parts) > 0 {
		parts = append(parts, app.Button().Class("more dim").DataSet("action", ChooseColumns).Text("+ label or field"))
	}
	if namespaced {
		parts = append(fp.namespaces(), parts...)
	}
	return app.Aside().Class("facets").Attr("aria-label", "Narrow by").Hidden(len(parts) == 0).Body(parts...)
}

// namespaceCounts are the namespaces in which there is something.
func (fp *facetPane) namespaceCounts() []view.FacetValue {
	for _, f := range fp.list.window.Facets {
		if f.Name == view.NamespaceColumn {
			return f.Values
		}
	}
	return nil
}

// namespaces are the facet that is there from the beginning, and may be long.
func (fp *facetPane) namespaces() []app.UI {
	known := fp.access.known()
	matching := slices.DeleteFunc(slices.Clone(known), func(name string) bool { return !strings.Contains(name, strings.ToLower(fp.find)) })
	list := facet{Name: view.NamespaceColumn, Bare: true, All: true}
	in, not := parsed(fp.address.Filter).Facet(view.Field(view.NamespaceColumn))
	count := fp.counts()
	for _, name := range matching[:min(len(matching), namespacesShown)] {
		next := value{Text: name, Count: count[name], Choice: choiceIn(in, not, name), Added: fp.access.few() && slices.Contains(fp.access.rights.remembered, name)}
		if slices.Contains(fp.address.Namespaces, name) {
			next.Choice = included
		}
		list.Values = append(list.Values, next)
	}
	more := ""
	if n := len(matching) - namespacesShown; n > 0 {
		more = Count(n) + " more: type to narrow"
	}
	find := "find  n"
	if fp.access.few() {
		find = "find or add  n"
	}
	return []app.UI{
		app.H2().Body(app.Span().Text("Namespace"), app.Span().Class("number").Text(number(len(known), !fp.list.panelled()))),
		app.Input().ID("find").Type("search").DataSet("field", "find").Placeholder(find).Attr("aria-label", "Find a namespace").Attr("autocomplete", "off").Attr("spellcheck", "false"),
		fp.access.adding(),
		&list,
		app.P().Class("dim").Text(more),
	}
}

// counts are how much is in each namespace, as far as that is known: of one that is
// not listed it is not.
func (fp *facetPane) counts() map[string]string {
	count := make(map[string]string)
	for _, v := range fp.namespaceCounts() {
		if v.Count > 0 || !fp.access.few() { // else it is there because it is chosen
			count[v.Value] = Count(v.Count)
		}
	}
	for _, name := range apart(fp.state.Source.Namespace) {
		if count[name] == "" && fp.state.Source.Synced {
			count[name] = "0"
		}
	}
	for _, name := range fp.access.denied() {
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
func (fp *facetPane) facet(f view.Facet) app.UI {
	out := facet{Name: f.Name, Shut: fp.sidebar.folded[foldFacet+f.Name], All: fp.sidebar.folded[foldMore+f.Name], Hidden: len(f.Values) - valuesShown, More: f.More}
	in, not := parsed(fp.address.Filter).Facet(view.Field(f.Name))
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

// choose puts a namespace among those shown or takes it away; alone shows no
// other.
func (fp *facetPane) choose(namespace string, alone bool) {
	fp.list.rewind()
	before := fp.address.Filter
	defer func() {
		if fp.address.Filter != before {
			fp.fields()
		}
	}()
	fp.visit(true, func(a *Address) {
		a.Filter = query.Clear(a.Filter, view.Field(view.NamespaceColumn), namespace) // it would be in the way
		chosen := slices.Clone(a.Namespaces)
		i := slices.Index(chosen, namespace)
		switch {
		case alone && i >= 0 && len(chosen) == 1:
			chosen = nil
		case alone:
			chosen = []string{namespace}
		case i >= 0:
			chosen = slices.Delete(chosen, i, i+1)
		default:
			chosen = append(chosen, namespace)
			slices.Sort(chosen)
		}
		a.Namespaces = chosen
	})
}

// facetOf is the facet of a value that is written as its name, a colon and the value:
// names may have colons in them.
func (fp *facetPane) facetOf(value string) string {
	name, _, _ := strings.Cut(value, ":")
	for _, f := range fp.list.window.Facets {
		if len(f.Name) > len(name) && strings.HasPrefix(value, f.Name+":") {
			name = f.Name
		}
	}
	return name
}

// pick turns a value of a facet on: to be shown, to be left out, and neither.
func (fp *facetPane) pick(name, value string) {
	turn := map[choice]func(filter, field, value string) string{unchosen: query.Include, included: query.Exclude, excluded: query.Clear}
	field := view.Field(name)
	fp.list.rewind()
	fp.visit(true, func(a *Address) {
		a.Filter = turn[choiceOf(parsed(a.Filter), field, value)](a.Filter, field, value)
	})
	fp.fields()
}
