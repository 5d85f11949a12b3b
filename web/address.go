package web

import (
	"strings"

	"watchglass/internal/detail/yaml"
	"watchglass/web/grid"
	"watchglass/web/route"
	"watchglass/web/words"
)

// invalidIn returns the parameters of a query string that mean nothing, with their values, as the page shows them.
func invalidIn(query string) (all []string) {
	for _, p := range route.Invalid(query) {
		all = append(all, p.Name+"="+yaml.Visible(words.CutName(p.Value)))
	}
	return all
}

// reportInvalid says what the address asks for that the page does not show.
func (p *page) reportInvalid(query string) {
	if wrong := invalidIn(query); len(wrong) > 0 {
		p.Notify("Invalid in the address: " + strings.Join(wrong, ", ") + ".")
	}
}

// objectsOf returns what the list at an address shows. A row links to the same address that a click on it opens, be it
// an object or a group.
func objectsOf(a route.Address, kind, base string) grid.Objects {
	a.LeaveObject()
	a.Selected, a.Embed, a.Hosted = "", "", false
	return grid.Objects{Kind: kind, View: a.String(base), Address: func(key string) string {
		a := a
		if route.IsGroup(key) {
			return a.Within(key).String(base)
		}
		a.Selected = key
		return a.String(base)
	}}
}
