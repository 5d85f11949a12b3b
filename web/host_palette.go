package web

import (
	"slices"

	"watchglass/web/palette"
	"watchglass/web/ui"
)

var _ palette.Host = (*page)(nil)

// Offers returns the entries of all parts, or only those that ui.Contexts, ui.Facets or ui.Kinds names.
func (p *page) Offers(only string) []ui.Offer {
	switch only {
	case ui.Contexts:
		return p.session.Offers()
	case ui.Facets:
		return p.facets.Groups.Offers()
	case ui.Kinds:
		return p.drawer.WhoCanOffers()
	}
	all := slices.Concat(p.sidebar.Offers(), p.views.Offers(), p.session.Offers())
	for _, name := range p.Namespaces() {
		all = append(all, ui.Offer{Action: ui.ChooseOnly, Value: name, Text: name, Hint: "namespace"})
	}
	return slices.Concat(all, p.table.offers(), p.drawer.Offers(), p.facets.Groups.Offers(), p.list.SortOffers(), p.commands.Offers())
}

// KindOffers returns all kinds in the order of the sidebar.
func (p *page) KindOffers() []ui.Offer { return p.sidebar.Offers() }

// Namespaces returns the namespaces that the page knows.
func (p *page) Namespaces() []string { return p.access.Known() }

// ListName returns the name of a kind's list.
func (p *page) ListName(resource string) string { return p.sidebar.ListName(resource) }

// WatchKinds requests the names of all kinds.
func (p *page) WatchKinds() { p.sidebar.WatchKinds() }

// FocusOpen moves the focus to the tab of the open object, else to the list.
func (p *page) FocusOpen() {
	if p.drawer.IsOpen() {
		p.drawer.FocusTab()
	} else {
		p.browser.Focus("grid")
	}
}
