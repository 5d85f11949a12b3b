package web

import (
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/query"
	"watchglass/internal/view"
	"watchglass/web/columns"
	"watchglass/web/grid"
	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

const (
	// namespacesShown limits the namespaces listed; there may be thousands.
	namespacesShown = 200

	// valuesShown limits the values of any other facet until it is expanded.
	valuesShown = 6

	// headingMost is the most characters of a facet's name that fit in its heading.
	headingMost = 22
)

// choice says whether the query includes or excludes a value.
type choice int8

const (
	unchosen choice = iota
	included
	excluded
)

// facet draws one facet. It is a component of its own so that only changed facets are
// redrawn.
type facet struct {
	app.Compo
	Name   string
	Shut   bool
	All    bool    // expanded to all values
	By     bool    // the list is grouped by it
	Values []value // the visible ones
	Hidden int     // number of values that are hidden unless All
	More   int     // number of values that the worker did not send
	Bare   bool
}

// value is one value of a facet. Count is the number of rows that a click would leave.
type value struct {
	Text   string
	Count  string // or the sum
	About  string // the title of Count
	Choice choice
	Added  bool // by the user, who can remove it
}

// facetPane is the part with the namespaces and the other facets, which filter the list.
type facetPane struct {
	*page
	find string // filter of the namespace list
	open bool   // shown over the list, while the pane is folded beside a drawer or on a narrow screen
}

func (fp *facetPane) Actions() map[ui.Action]func(string) {
	return map[ui.Action]func(string){
		Choose: func(namespace string) { fp.choose(namespace, false) }, ui.ChooseOnly: func(namespace string) { fp.choose(namespace, true) },
		Pick: func(value string) {
			name := fp.facetOf(value)
			fp.pick(name, strings.TrimPrefix(value[len(name):], ":"))
		},
		ui.FocusNamespace: ui.IgnoreValue(func() {
			fp.show()
			fp.browser.Focus("find")
		}),
		ToggleFacets: ui.IgnoreValue(func() {
			if fp.open {
				fp.hide()
			} else {
				fp.show()
			}
		}),
	}
}

// show opens the folded pane over the list.
func (fp *facetPane) show() {
	fp.sidebar.hide()
	fp.open = true
	fp.redraw()
}

func (fp *facetPane) hide() {
	if fp.open {
		fp.open = false
		fp.redraw()
	}
}

// terms returns how many namespaces and values of facets the query includes or excludes.
func (fp *facetPane) terms() int {
	n, filter := len(fp.address.Namespaces), parsed(fp.address.Filter)
	for _, f := range fp.list.window.Facets {
		in, not := filter.Facet(view.Field(f.Name))
		n += len(in) + len(not)
	}
	return n
}

// draw draws the pane, which starts with the namespaces, and the strip that it folds into.
func (fp *facetPane) draw() (strip, pane app.UI) {
	namespaced := fp.state.Source.Namespaced || fp.state.Source.Kind == ""
	var parts []app.UI
	for _, f := range fp.list.window.Facets {
		if f.Name != view.NamespaceColumn && !fp.list.panelled() {
			parts = append(parts, fp.facet(f))
		}
	}
	if len(parts) > 0 && !fp.address.Mixed() { // problems have no labels
		parts = append(parts, app.Button().Class("more dim").DataSet("action", columns.Choose).Text("+ Add label or field"))
	}
	if namespaced {
		parts = append(fp.namespaces(), parts...)
	}
	if len(parts) > 0 {
		parts = append([]app.UI{fp.grouping.drawSum()}, parts...)
	}
	n, none := fp.terms(), len(parts) == 0
	strip = app.Button().ID("strip").Class("strip").DataSet("action", ToggleFacets).Attr("aria-expanded", fp.open).Attr("aria-controls", "facets").Title("Facets (n)").Hidden(none).Body(
		app.Span().Text("Facets"), app.Span().Class("number").Hidden(n == 0).Title(words.Count(n)+" active").Text(words.Count(n)),
	)
	return strip, app.Elem("aside").ID("facets").Class("facets").DataSet("open", fp.open).Attr("aria-label", "Facets").Hidden(none).Body(parts...)
}

// namespaceCounts returns the namespaces that have objects, with their counts.
func (fp *facetPane) namespaceCounts() []view.FacetValue {
	for _, f := range fp.list.window.Facets {
		if f.Name == view.NamespaceColumn {
			return f.Values
		}
	}
	return nil
}

// namespaces draws the namespace facet, which has a search field.
func (fp *facetPane) namespaces() []app.UI {
	known := fp.access.known()
	matching := slices.DeleteFunc(slices.Clone(known), func(name string) bool { return !strings.Contains(name, strings.ToLower(fp.find)) })
	list := facet{Name: view.NamespaceColumn, Bare: true, All: true}
	in, not := parsed(fp.address.Filter).Facet(view.Field(view.NamespaceColumn))
	count, about := fp.counts()
	if fp.address.Sum != "" {
		matching = fp.bySum(matching)
	}
	for _, name := range matching[:min(len(matching), namespacesShown)] {
		next := value{Text: name, Count: count[name], About: about[name], Choice: choiceIn(in, not, name), Added: fp.access.partialAccess() && slices.Contains(fp.access.rights.remembered, name)}
		if slices.Contains(fp.address.Namespaces, name) {
			next.Choice = included
		}
		list.Values = append(list.Values, next)
	}
	more := ""
	if n := len(matching) - namespacesShown; n > 0 {
		more = words.Count(n) + " more. Type to find one."
	}
	find := "Find namespace (n)"
	if fp.access.partialAccess() {
		find = "Find or add (n)"
	}
	return []app.UI{
		app.H2().Body(app.Span().Text("Namespace"), app.Span().Class("number").Text(words.Known(len(known), !fp.list.panelled())), drawButton(view.NamespaceColumn, fp.address.Group == view.NamespaceColumn)),
		app.Input().ID("find").Type("search").DataSet("field", "find").Placeholder(find).Attr("aria-label", "Find namespace").Attr("autocomplete", "off").Attr("spellcheck", "false"),
		fp.access.adding(),
		&list,
		app.P().Class("dim").Text(more),
	}
}

// bySum returns namespaces with those first that the facet has: it is sorted by sum.
func (fp *facetPane) bySum(names []string) (sorted []string) {
	left := make(map[string]bool)
	for _, name := range names {
		left[name] = true
	}
	for _, v := range fp.namespaceCounts() {
		if left[v.Value] {
			left[v.Value], sorted = false, append(sorted, v.Value)
		}
	}
	for _, name := range names {
		if left[name] {
			sorted = append(sorted, name)
		}
	}
	return sorted
}

// counts returns the number of objects in each namespace, or their sum, or "denied". Namespaces that
// are not listed have none.
func (fp *facetPane) counts() (count, about map[string]string) {
	count, about = make(map[string]string), make(map[string]string)
	for _, v := range fp.namespaceCounts() {
		if v.Count > 0 || !fp.access.partialAccess() { // otherwise it is here only because it is selected
			count[v.Value], about[v.Value] = fp.grouping.amountOf(v)
		}
	}
	w := &fp.list.window
	counted := fp.state.Source.Synced && (w.Facets != nil || w.Columns != nil && w.Of == 0)
	for _, name := range words.SplitList(fp.state.Source.Namespace) {
		if count[name] == "" && counted {
			count[name] = "0"
		}
	}
	for _, name := range fp.access.denied() {
		count[name], about[name] = "denied", ""
	}
	return count, about
}

// Prefixes of facets in the set of toggled groups.
const (
	foldFacet = "facet "
	foldMore  = "values "
)

// facet selects the values to show. A collapsed facet shows only the selected ones.
func (fp *facetPane) facet(f view.Facet) app.UI {
	out := facet{Name: f.Name, Shut: fp.sidebar.folded[foldFacet+f.Name], All: fp.sidebar.folded[foldMore+f.Name], By: fp.address.Group == f.Name, Hidden: len(f.Values) - valuesShown, More: f.More}
	in, not := parsed(fp.address.Filter).Facet(view.Field(f.Name))
	for i, v := range f.Values {
		if choice := choiceIn(in, not, v.Value); choice != unchosen || !out.Shut && (out.All || i < valuesShown) {
			text, about := fp.grouping.amountOf(v)
			out.Values = append(out.Values, value{v.Value, text, about, choice, false})
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
	return app.Elem("section").Class("group").Body(
		app.H2().Body(app.Button().Class("fold").DataSet("action", ToggleGroup).DataSet("value", foldFacet+f.Name).Attr("aria-expanded", !f.Shut).Title(f.Name).Body(
			app.Span().Class("name").Text(grid.Cut(f.Name, headingMost)),
		), drawButton(f.Name, f.By)),
		values,
		f.more(),
	)
}

// more draws the button or the hint below the values.
func (f *facet) more() app.UI {
	switch {
	case f.Shut || f.Hidden <= 0:
		return app.P().Class("dim").Hidden(true)
	case !f.All:
		return app.Button().Class("more dim").DataSet("action", ToggleGroup).DataSet("value", foldMore+f.Name).Text("Show " + words.Count(f.Hidden+f.More) + " more")
	case f.More > 0:
		return app.P().Class("dim").Text(words.Count(f.More) + " more. Use the filter to find them.")
	}
	return app.Button().Class("more dim").DataSet("action", ToggleGroup).DataSet("value", foldMore+f.Name).Text("Show fewer")
}

// checked maps a choice to aria-checked.
var checked = map[choice]string{unchosen: "false", included: "true", excluded: "mixed"}

func (f *facet) draw(v value) app.UI {
	name := app.Span().Class("name").Text(v.Text)
	switch stem, tail := words.ShortImage(v.Text); {
	case v.Text == "":
		name = app.Span().Class("name dim").Text("none")
	case f.Name == view.ImageFacet:
		name = app.Span().Class("name image").Body(app.Span().Class("stem").Text(stem), app.Span().Class("tail").Text(tail))
	}
	action, value := Pick, f.Name+":"+v.Text
	if f.Name == view.NamespaceColumn {
		action, value = Choose, v.Text
	}
	b := app.Button().Class("value").DataSet("action", action).DataSet("value", value).DataSet("facet", f.Name).Attr("role", "checkbox").Attr("aria-checked", checked[v.Choice]).Title(v.Text)
	if v.Choice == excluded {
		b = b.Attr("aria-label", "Excluded: "+v.Text)
	}
	b = b.Body(app.Span().Class("box"), name, app.Span().Class("number").Title(v.About).Text(v.Count))
	if !v.Added {
		return b
	}
	return app.Div().Class("added").Body(b, app.Button().Class("forget").DataSet("action", Forget).DataSet("value", v.Text).Attr("aria-label", "Remove "+v.Text).Title("Remove "+v.Text).Text("✕"))
}

// choose toggles a namespace. With alone, it is the only one selected.
func (fp *facetPane) choose(namespace string, alone bool) {
	fp.list.rewind()
	before := fp.address.Filter
	defer func() {
		if fp.address.Filter != before {
			fp.fields()
		}
	}()
	fp.visit(true, func(a *route.Address) {
		a.Filter = query.Clear(a.Filter, view.Field(view.NamespaceColumn), namespace) // a filter by namespace would conflict
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

// facetOf returns the facet's name in FACET:VALUE. Names may contain colons.
func (fp *facetPane) facetOf(value string) string {
	name, _, _ := strings.Cut(value, ":")
	for _, f := range fp.list.window.Facets {
		if len(f.Name) > len(name) && strings.HasPrefix(value, f.Name+":") {
			name = f.Name
		}
	}
	return name
}

// pick cycles a facet's value through included, excluded and neither.
func (fp *facetPane) pick(name, value string) {
	turn := map[choice]func(filter, field, value string) string{unchosen: query.Include, included: query.Exclude, excluded: query.Clear}
	field := view.Field(name)
	fp.list.rewind()
	fp.visit(true, func(a *route.Address) {
		a.Filter = turn[choiceOf(parsed(a.Filter), field, value)](a.Filter, field, value)
	})
	fp.fields()
}
