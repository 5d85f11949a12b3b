package facets

import (
	"slices"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/view"
	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// Groups is the part that groups the list by a facet, and chooses what the facets sum.
type Groups struct {
	host    Host
	browser Browser
	field   string // what the field shows that chooses the sum
}

// Commands returns the handler of the action that groups.
func (gr *Groups) Commands() []ui.Command {
	return []ui.Command{{ID: ui.GroupBy, Run: gr.By}}
}

// By groups the list by a facet. The same facet again, or "", ungroups it.
func (gr *Groups) By(facet string) {
	gr.host.Rewind()
	gr.host.Navigate(true, func(a *route.Address) {
		if a.Group == facet {
			facet = ""
		}
		a.Group, a.Sort, a.Descending = facet, "", false // their columns differ
		a.Selected, a.Tab, a.Container, a.Previous = "", "", "", false
	})
	gr.browser.Focus("grid")
}

// Open shows the objects of a group.
func (gr *Groups) Open(key string) {
	gr.host.Rewind()
	gr.host.Navigate(true, func(a *route.Address) { *a = a.Within(key) })
	gr.host.SetFields()
}

// Sum makes the facets show the sum of a column; "" means counts.
func (gr *Groups) Sum(column string) {
	gr.field = column
	gr.host.Navigate(true, func(a *route.Address) { a.Sum = column })
}

// SetField writes the sum of the address into its field.
func (gr *Groups) SetField() {
	if gr.field != gr.host.Address().Sum {
		gr.field = gr.host.Address().Sum
		gr.browser.SetField(SumField, gr.field)
	}
}

// known returns the facets to group by.
func (gr *Groups) known() (names []string) {
	for _, f := range gr.host.Window().Facets {
		names = append(names, f.Name)
	}
	if g := gr.host.Address().Group; g != "" && !slices.Contains(names, g) {
		names = append(names, g)
	}
	return names
}

// Offers returns the palette's entries.
func (gr *Groups) Offers() []ui.Offer {
	var all []ui.Offer
	if g := gr.host.Address().Group; g != "" {
		all = append(all, ui.Offer{Action: ui.GroupBy, Text: "Ungroup", Hint: g, Names: []string{"no group"}})
	}
	for _, name := range gr.known() {
		if name != gr.host.Address().Group {
			all = append(all, ui.Offer{Action: ui.GroupBy, Value: name, Text: "Group by " + name, Hint: "facet"})
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
	return app.Button().Class("by").DataSet("action", ui.GroupBy).DataSet("value", facet).Title(title).Attr("aria-label", "Group by "+facet).Attr("aria-pressed", grouped).Body(
		app.Span().Attr("aria-hidden", "true").Text("☰"))
}

// SumField is the field that chooses what the facets sum.
const SumField = "sum"

// drawSum draws the field that chooses what the facets show. There is none if no column can be summed.
func (gr *Groups) drawSum() app.UI {
	option := func(value, text string) app.UI {
		return app.Elem("option").Attr("value", value).Attr("selected", value == gr.host.Address().Sum).Text(text)
	}
	all, known, note := []app.UI{option("", "Count")}, gr.host.Address().Sum == "", ""
	for _, c := range gr.host.Window().Known {
		if c.Sums {
			all = append(all, option(c.Name, c.Name))
		}
		if c.Name == gr.host.Address().Sum {
			known, note = c.Sums, gr.host.Note(c.Gap)
		}
	}
	if !known {
		all = append(all, option(gr.host.Address().Sum, gr.host.Address().Sum))
	}
	return app.Div().Class("sum").Hidden(len(all) == 1).Body(
		app.Elem("label").Attr("for", SumField).Text("Show"),
		app.Elem("select").ID(SumField).DataSet("field", SumField).Attr("aria-label", "Show count or sum").Body(all...),
		app.P().Class("dim").Hidden(note == "").Text(note),
	)
}

// amountOf returns what a facet shows beside a value: its count, or its sum in brief, which title
// tells in full.
func (gr *Groups) amountOf(v view.FacetValue) (text, title string) {
	switch {
	case gr.host.Address().Sum == "":
		return words.Count(v.Count), ""
	case v.Sum == "":
		return "–", "No value for " + gr.host.Address().Sum
	}
	return words.Brief(v.Sum), gr.host.Address().Sum + ": " + v.Sum
}
