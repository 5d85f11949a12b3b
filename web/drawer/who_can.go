package drawer

import (
	"slices"

	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// The actions that open the Access tab for a kind as a whole.
const (
	WhoCan     ui.Action = "who-can"      // the kind on screen
	whoCanKind ui.Action = "who-can-kind" // value: its ID
)

// ofKind reports whether the Access tab can be opened for the kind on screen: it is one, and of the cluster.
func (d *Drawer) ofKind() bool {
	return !d.host.Address().Mixed() && d.applies(d.host.Address().Resource, TabOf(route.AccessID))
}

// whoCan opens the Access tab for the kind on screen. If what is on screen is no such kind, it asks for one.
func (d *Drawer) whoCan() {
	if !d.ofKind() {
		d.host.ChooseKind()
		return
	}
	d.host.Navigate(true, func(a *route.Address) {
		a.LeaveObject()
		a.Selected, a.Tab = "", route.AccessID
	})
	d.FocusTab()
}

// offerWhoCan offers to ask about the kind on screen, or about one to choose.
func (d *Drawer) offerWhoCan(o *ui.Offer) bool {
	if d.ofKind() {
		o.Hint = d.host.ListName(d.host.Here())
	}
	return true
}

// whoCanKind goes to a kind, and opens the Access tab for it.
func (d *Drawer) whoCanKind(id string) {
	d.host.GoKind(id)
	d.whoCan()
}

// WhoCanOffers returns the kinds to ask about.
func (d *Drawer) WhoCanOffers() []ui.Offer {
	all := slices.DeleteFunc(d.host.KindOffers(), func(o ui.Offer) bool {
		return (route.Address{Resource: o.Value}).Mixed() || o.Value == route.OverviewID || d.host.Derived(o.Value)
	})
	for i := range all {
		all[i].Action = whoCanKind
	}
	return all
}

// kindTitle names the kind that is open as a whole, and its namespaces.
func (d *Drawer) kindTitle() string {
	name := d.host.ListName(d.host.Here())
	switch in := d.host.ListNamespaces(); {
	case !d.host.State().Source.Namespaced:
		return name
	case len(in) == 0:
		return name + " in all namespaces"
	default:
		return name + " in " + words.FirstOf(in, words.GapsNamed)
	}
}
