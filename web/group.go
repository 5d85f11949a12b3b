package web

import (
	"slices"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/view"
	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// grouping is the part that groups the list by a facet, and chooses what the facets sum.
type grouping struct {
	*page
	field string // what the field shows that chooses the sum
}

func (gr *grouping) Actions() map[ui.Action]func(string) {
	return map[ui.Action]func(string){
		GroupBy: gr.by, ChooseGroup: ui.IgnoreValue(func() { gr.palette.Show(ui.Facets) }),
	}
}

// by groups the list by a facet; by the same again, or by "", it no longer is.
func (gr *grouping) by(facet string) {
	gr.list.rewind()
	gr.visit(true, func(a *route.Address) {
		if a.Group == facet {
			facet = ""
		}
		a.Group, a.Sort, a.Descending = facet, "", false // their columns differ
		a.Selected, a.Tab, a.Container, a.Previous = "", "", "", false
	})
	gr.browser.Focus("grid")
}

// open shows the objects of a group.
func (gr *grouping) open(key string) {
	if groups := gr.address; gr.frame.on() {
		gr.frame.groups = &groups
	}
	gr.list.rewind()
	gr.visit(true, func(a *route.Address) { *a = a.Within(key) })
	gr.fields()
}

// sum has the facets show the sum of a column; "" is their counts.
func (gr *grouping) sum(column string) {
	gr.field = column
	gr.visit(true, func(a *route.Address) { a.Sum = column })
}

// setField writes the sum of the address into its field.
func (gr *grouping) setField() {
	if gr.field != gr.address.Sum {
		gr.field = gr.address.Sum
		gr.browser.SetField(sumField, gr.field)
	}
}

// known returns the facets to group by.
func (gr *grouping) known() (names []string) {
	for _, f := range gr.list.window.Facets {
		names = append(names, f.Name)
	}
	if g := gr.address.Group; g != "" && !slices.Contains(names, g) {
		names = append(names, g)
	}
	return names
}

// offers returns the palette's entries.
func (gr *grouping) offers() []ui.Offer {
	var all []ui.Offer
	if g := gr.address.Group; g != "" {
		all = append(all, ui.Offer{Action: GroupBy, Text: "Ungroup", Hint: g, Names: []string{"no group"}})
	}
	for _, name := range gr.known() {
		if name != gr.address.Group {
			all = append(all, ui.Offer{Action: GroupBy, Value: name, Text: "Group by " + name, Hint: "facet"})
		}
	}
	return all
}

// drawButton draws the button at a facet's heading that groups by it.
func drawButton(facet string, grouped bool) app.UI {
	title := "Group by " + facet
	if grouped {
		title = "Ungroup"
	}
	return app.Button().Class("by").DataSet("action", GroupBy).DataSet("value", facet).Title(title).Attr("aria-label", "Group by "+facet).Attr("aria-pressed", grouped).Body(
		app.Span().Attr("aria-hidden", "true").Text("☰"))
}

// sumField is the field that chooses what the facets sum.
const sumField = "sum"

// drawSum draws the field that chooses what the facets show. There is none if no column can be summed.
func (gr *grouping) drawSum() app.UI {
	option := func(value, text string) app.UI {
		return app.Elem("option").Attr("value", value).Attr("selected", value == gr.address.Sum).Text(text)
	}
	all, known, note := []app.UI{option("", "Count")}, gr.address.Sum == "", ""
	for _, c := range gr.list.window.Known {
		if c.Sums {
			all = append(all, option(c.Name, c.Name))
		}
		if c.Name == gr.address.Sum {
			known, note = c.Sums, gr.sidebar.noteOf(c.Gap)
		}
	}
	if !known {
		all = append(all, option(gr.address.Sum, gr.address.Sum))
	}
	return app.Div().Class("sum").Hidden(len(all) == 1).Body(
		app.Elem("label").Attr("for", sumField).Text("Show"),
		app.Elem("select").ID(sumField).DataSet("field", sumField).Attr("aria-label", "Show count or sum").Body(all...),
		app.P().Class("dim").Hidden(note == "").Text(note),
	)
}

// amountOf returns what a facet shows beside a value: its count, or its sum in brief, which title
// tells in full.
func (gr *grouping) amountOf(v view.FacetValue) (text, title string) {
	switch {
	case gr.address.Sum == "":
		return words.Count(v.Count), ""
	case v.Sum == "":
		return "–", "No value for " + gr.address.Sum
	}
	return words.Brief(v.Sum), gr.address.Sum + ": " + v.Sum
}
