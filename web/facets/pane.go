package facets

import (
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/query"
	"watchglass/internal/view"
	"watchglass/web/grid"
	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// The actions of the pane.
const (
	Pick ui.Action = "pick" // value: FACET:VALUE
)

const (
	// namespacesShown limits the namespaces listed; there may be thousands.
	namespacesShown = 200

	// valuesShown limits the values of any other facet until it is expanded.
	valuesShown = 6

	// headingMost is the most characters of a facet's name that fit in its heading.
	headingMost = 22
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
	Bare   bool    // without a heading
}

// value is one value of a facet. Count is the number of rows that a click would leave.
type value struct {
	Text   string
	Count  string // or the sum
	About  string // the title of Count
	Choice choice
	Added  bool // by the user, who can remove it
}

// Pane is the part with the namespaces and the other facets, which filter the list.
type Pane struct {
	host    Host
	browser Browser
	Groups  *Groups
	find    string // filter of the namespace list
	open    bool   // shown over the list, while the pane is folded beside a drawer or on a narrow screen
}

// New returns the pane of a page, and what groups its list.
func New(h Host, b Browser) *Pane {
	return &Pane{host: h, browser: b, Groups: &Groups{host: h, browser: b, field: h.Address().Sum}}
}

// Commands returns the commands of the pane.
func (fp *Pane) Commands() []ui.Command {
	return []ui.Command{
		{ID: ui.FocusNamespace, Keys: []string{"n"}, Title: "Find namespace", Offer: ui.Always, Do: func() {
			fp.Show()
			fp.browser.Focus(FindField)
		}},
		{Keys: []string{"Enter"}, In: FindField, Do: fp.enter},
		{ID: ui.ChooseNamespace, Run: func(namespace string) { fp.choose(namespace, false) }},
		{ID: ui.ChooseOnly, Run: func(namespace string) { fp.choose(namespace, true) }},
		{ID: Pick, Run: func(value string) {
			name := fp.facetOf(value)
			fp.Pick(name, strings.TrimPrefix(value[len(name):], ":"))
		}},
		{ID: ui.ToggleFacets, Do: func() {
			if fp.open {
				fp.Hide()
			} else {
				fp.Show()
			}
		}},
	}
}

// Show opens the folded pane over the list.
func (fp *Pane) Show() {
	fp.host.HideKinds()
	fp.open = true
	fp.host.Redraw()
}

// Hide folds the pane again.
func (fp *Pane) Hide() {
	if fp.open {
		fp.open = false
		fp.host.Redraw()
	}
}

// terms returns how many namespaces and values of facets the query includes or excludes.
func (fp *Pane) terms() int {
	n, filter := len(fp.host.Address().Namespaces), query.Sound(fp.host.Address().Filter)
	for _, f := range fp.host.Window().Facets {
		in, not := filter.Facet(view.Field(f.Name))
		n += len(in) + len(not)
	}
	return n
}

// Draw draws the pane, which starts with the namespaces, and the strip that it folds into.
func (fp *Pane) Draw() (strip, pane app.UI) {
	namespaced := fp.host.State().Source.Namespaced || fp.host.State().Source.Kind == ""
	var parts []app.UI
	for _, f := range fp.host.Window().Facets {
		if f.Name != view.NamespaceColumn && !fp.host.ShowsPanel() {
			parts = append(parts, fp.facet(f))
		}
	}
	if len(parts) > 0 && !fp.host.Address().Mixed() { // problems have no labels
		parts = append(parts, app.Button().Class("more dim").DataSet("action", ui.ChooseColumns).Text("+ Add label or field"))
	}
	if namespaced {
		parts = append(fp.namespaces(), parts...)
	}
	if len(parts) > 0 {
		parts = append([]app.UI{fp.Groups.drawSum()}, parts...)
	}
	n, none := fp.terms(), len(parts) == 0
	strip = app.Button().ID("strip").Class("strip").DataSet("action", ui.ToggleFacets).Attr("aria-expanded", fp.open).Attr("aria-controls", "facets").Title(ui.Tip("Facets", fp.host.KeyOf(ui.FocusNamespace))).Hidden(none).Body(
		app.Span().Text("Facets"), app.Span().Class("number").Hidden(n == 0).Title(words.Count(n)+" active").Text(words.Count(n)),
	)
	return strip, app.Elem("aside").ID("facets").Class("facets").DataSet("open", fp.open).Attr("aria-label", "Facets").Hidden(none).Body(parts...)
}

// Open reports whether the folded pane is open over the list.
func (fp *Pane) Open() bool { return fp.open }

// Namespaces returns the namespaces that have objects.
func (fp *Pane) Namespaces() (names []string) {
	for _, v := range fp.namespaceCounts() {
		names = append(names, v.Value)
	}
	return names
}

// namespaceCounts returns the namespaces that have objects, with their counts.
func (fp *Pane) namespaceCounts() []view.FacetValue {
	for _, f := range fp.host.Window().Facets {
		if f.Name == view.NamespaceColumn {
			return f.Values
		}
	}
	return nil
}

// namespaces draws the namespace facet, which has a search field.
func (fp *Pane) namespaces() []app.UI {
	rights := fp.host.Rights()
	matching := slices.DeleteFunc(slices.Clone(rights.Known), func(name string) bool { return !strings.Contains(name, strings.ToLower(fp.find)) })
	list := facet{Name: view.NamespaceColumn, Bare: true, All: true}
	in, not := query.Sound(fp.host.Address().Filter).Facet(view.Field(view.NamespaceColumn))
	count, about := fp.counts(rights)
	if fp.host.Address().Sum != "" {
		matching = fp.bySum(matching)
	}
	for _, name := range matching[:min(len(matching), namespacesShown)] {
		next := value{Text: name, Count: count[name], About: about[name], Choice: choiceIn(in, not, name), Added: rights.Partial && slices.Contains(rights.Remembered, name)}
		if slices.Contains(fp.host.Address().Namespaces, name) {
			next.Choice = included
		}
		list.Values = append(list.Values, next)
	}
	more := ""
	if n := len(matching) - namespacesShown; n > 0 {
		more = words.Count(n) + " more. Type to find one."
	}
	find := "Find namespace"
	if rights.Partial {
		find = "Find or add"
	}
	return []app.UI{
		app.H2().Body(app.Span().Text("Namespace"), app.Span().Class("number").Text(words.Known(len(rights.Known), !fp.host.ShowsPanel())), drawButton(view.NamespaceColumn, fp.host.Address().Group == view.NamespaceColumn)),
		app.Input().ID(FindField).Type("search").DataSet("field", FindField).Placeholder(ui.Tip(find, fp.host.KeyOf(ui.FocusNamespace))).Attr("aria-label", "Find namespace").Attr("autocomplete", "off").Attr("spellcheck", "false"),
		fp.drawAdding(rights),
		&list,
		app.P().Class("dim").Text(more),
	}
}

// bySum returns namespaces with those first that the facet has: it is sorted by sum.
func (fp *Pane) bySum(names []string) (sorted []string) {
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
func (fp *Pane) counts(rights Rights) (count, about map[string]string) {
	count, about = make(map[string]string), make(map[string]string)
	for _, v := range fp.namespaceCounts() {
		if v.Count > 0 || !rights.Partial { // otherwise it is here only because it is selected
			count[v.Value], about[v.Value] = fp.Groups.amountOf(v)
		}
	}
	w := fp.host.Window()
	counted := fp.host.State().Source.Synced && (w.Facets != nil || w.Columns != nil && w.Of == 0)
	for _, name := range words.SplitList(fp.host.State().Source.Namespace) {
		if count[name] == "" && counted {
			count[name] = "0"
		}
	}
	for _, name := range rights.Denied {
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
func (fp *Pane) facet(f view.Facet) app.UI {
	out := facet{Name: f.Name, Shut: fp.host.Folded(foldFacet + f.Name), All: fp.host.Folded(foldMore + f.Name), By: fp.host.Address().Group == f.Name, Hidden: len(f.Values) - valuesShown, More: f.More}
	in, not := query.Sound(fp.host.Address().Filter).Facet(view.Field(f.Name))
	for i, v := range f.Values {
		if choice := choiceIn(in, not, v.Value); choice != unchosen || !out.Shut && (out.All || i < valuesShown) {
			text, about := fp.Groups.amountOf(v)
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
		app.H2().Body(app.Button().Class("fold").DataSet("action", ui.ToggleGroup).DataSet("value", foldFacet+f.Name).Attr("aria-expanded", !f.Shut).Title(f.Name).Body(
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
		return app.Button().Class("more dim").DataSet("action", ui.ToggleGroup).DataSet("value", foldMore+f.Name).Text("Show " + words.Count(f.Hidden+f.More) + " more")
	case f.More > 0:
		return app.P().Class("dim").Text(words.Count(f.More) + " more. Use the filter to find them.")
	}
	return app.Button().Class("more dim").DataSet("action", ui.ToggleGroup).DataSet("value", foldMore+f.Name).Text("Show fewer")
}

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
		action, value = ui.ChooseNamespace, v.Text
	}
	b := app.Button().Class("value").DataSet("action", action).DataSet("value", value).DataSet("facet", f.Name).Attr("role", "checkbox").Attr("aria-checked", checked[v.Choice]).Title(v.Text)
	if v.Choice == excluded {
		b = b.Attr("aria-label", "Excluded: "+v.Text)
	}
	b = b.Body(app.Span().Class("box"), name, app.Span().Class("number").Title(v.About).Text(v.Count))
	if !v.Added {
		return b
	}
	return app.Div().Class("added").Body(b, app.Button().Class("forget").DataSet("action", ui.ForgetNamespace).DataSet("value", v.Text).Attr("aria-label", "Remove "+v.Text).Title("Remove "+v.Text).Text("✕"))
}

// choose toggles a namespace. With alone, it is the only one selected.
func (fp *Pane) choose(namespace string, alone bool) {
	fp.host.Rewind()
	before := fp.host.Address().Filter
	defer func() {
		if fp.host.Address().Filter != before {
			fp.host.SetFields()
		}
	}()
	fp.host.Navigate(true, func(a *route.Address) {
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
func (fp *Pane) facetOf(value string) string {
	name, _, _ := strings.Cut(value, ":")
	for _, f := range fp.host.Window().Facets {
		if len(f.Name) > len(name) && strings.HasPrefix(value, f.Name+":") {
			name = f.Name
		}
	}
	return name
}

// Pick cycles a facet's value through included, excluded and neither.
func (fp *Pane) Pick(name, value string) {
	turn := map[choice]func(filter, field, value string) string{unchosen: query.Include, included: query.Exclude, excluded: query.Clear}
	field := view.Field(name)
	fp.host.Rewind()
	fp.host.Navigate(true, func(a *route.Address) {
		a.Filter = turn[choiceOf(query.Sound(a.Filter), field, value)](a.Filter, field, value)
	})
	fp.host.SetFields()
}
