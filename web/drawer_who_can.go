package web

import (
	"slices"

	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// The actions that open the Access tab for a kind as a whole.
const (
	WhoCan     ui.Action = "who-can"      // the kind on screen
	WhoCanKind ui.Action = "who-can-kind" // value: its ID
)

// ofKind reports whether the Access tab can be opened for the kind on screen: it is one, and of the cluster.
func (d *drawer) ofKind() bool {
	return !d.page.address.Mixed() && d.applies(d.page.address.Resource, tabOf(route.AccessID))
}

// whoCan opens the Access tab for the kind on screen. If what is on screen is no such kind, it asks for one.
func (d *drawer) whoCan() {
	if !d.ofKind() {
		d.page.palette.Show(ui.Kinds)
		return
	}
	d.page.Navigate(true, func(a *route.Address) {
		a.LeaveObject()
		a.Selected, a.Tab = "", route.AccessID
	})
	d.focusTab()
}

// offerWhoCan offers to ask about the kind on screen, or about one to choose.
func (d *drawer) offerWhoCan(o *ui.Offer) bool {
	if d.ofKind() {
		o.Hint = d.page.sidebar.ListName(d.page.Here())
	}
	return true
}

// whoCanKind goes to a kind, and opens the Access tab for it.
func (d *drawer) whoCanKind(id string) {
	d.page.sidebar.GoKind(id)
	d.whoCan()
}

// whoCanOffers returns the kinds to ask about.
func (p *page) whoCanOffers() []ui.Offer {
	all := slices.DeleteFunc(p.KindOffers(), func(o ui.Offer) bool {
		return (route.Address{Resource: o.Value}).Mixed() || o.Value == route.OverviewID || p.sidebar.Derived(o.Value)
	})
	for i := range all {
		all[i].Action = WhoCanKind
	}
	return all
}

// ListNamespaces returns the namespaces of the list on screen; none means all.
func (p *page) ListNamespaces() []string {
	if len(p.address.Namespaces) > 0 {
		return p.address.Namespaces
	}
	return words.SplitList(p.state.Source.Namespace)
}

// kindTitle names the kind that is open as a whole, and its namespaces.
func (d *drawer) kindTitle() string {
	name := d.page.sidebar.ListName(d.page.Here())
	switch in := d.page.ListNamespaces(); {
	case !d.page.state.Source.Namespaced:
		return name
	case len(in) == 0:
		return name + " in all namespaces"
	default:
		return name + " in " + words.FirstOf(in, words.GapsNamed)
	}
}
