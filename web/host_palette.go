package web

import (
	"slices"
	"strings"

	"watchglass/web/columns"
	"watchglass/web/inspector"
	"watchglass/web/list"
	"watchglass/web/palette"
	"watchglass/web/ui"
	"watchglass/web/views"
)

var _ palette.Host = (*page)(nil)

// Offers returns the entries of all parts, or only those that ui.Contexts, ui.Facets or ui.Kinds names.
func (p *page) Offers(only string) []ui.Offer {
	switch only {
	case ui.Contexts:
		return p.session.contextOffers()
	case ui.Facets:
		return p.facets.Groups.Offers()
	case ui.Kinds:
		return p.whoCanOffers()
	}
	all := slices.Concat(p.KindOffers(), p.views.Offers(), p.session.contextOffers())
	for _, name := range p.Namespaces() {
		all = append(all, ui.Offer{Action: ui.ChooseOnly, Value: name, Text: name, Hint: "namespace"})
	}
	return slices.Concat(all, p.commandOffers(), p.commands.Offers())
}

// KindOffers returns all kinds in the order of the sidebar.
func (p *page) KindOffers() []ui.Offer {
	var all []ui.Offer
	for _, part := range p.sidebar.groups() {
		for _, k := range part.Items {
			plural, _, _ := strings.Cut(k.ID, ".")
			o := ui.Offer{Action: ui.GoTo, Value: k.ID, Text: k.Name, Hint: k.ID, Names: []string{plural, k.ID}}
			for _, served := range p.sidebar.kinds {
				if served.ID == k.ID && served.Short != "" {
					o.Names = append(o.Names, strings.Split(served.Short, ",")...)
					o.Hint = served.Short + " · " + k.ID
				}
			}
			all = append(all, o)
		}
	}
	return all
}

// commandOffers returns the commands: those of shortcuts, the rest and sorting.
func (p *page) commandOffers() []ui.Offer {
	all := p.shortcutOffers()
	who := ui.Offer{Action: WhoCan, Text: whoCanWords, Names: []string{"access", "rbac", "who can"}}
	if p.drawer.ofKind() {
		who.Hint = p.sidebar.listName(p.Here())
	}
	all = append(all, who,
		ui.Offer{Action: ClearFilters, Text: "Clear all filters"},
		ui.Offer{Action: WhoAmI, Text: "Who am I", Hint: p.session.user()},
		ui.Offer{Action: inspector.Open, Text: "Inspector", Hint: "sources and traffic"})
	if p.session.signedIn() {
		all = append(all, ui.Offer{Action: SignOut, Text: "Sign out", Names: []string{"log out", "logout"}})
	}
	return slices.Concat(all, p.overview.startOffers(), p.share.offers(), p.past.Offers(), p.recorder.Offers(), p.drawer.offers(), p.facets.Groups.Offers(), p.list.SortOffers())
}

// shortcutOffers returns the commands of shortcuts that act here.
func (p *page) shortcutOffers() []ui.Offer {
	var all []ui.Offer
	for _, b := range bindings {
		switch b.Action {
		case columns.ToggleWide, ui.ChooseColumns, ChooseGroup, TogglePause, ToggleTheme, Help, ui.FocusFilter, ui.FocusNamespace, views.SaveAs, Star, CopyLink, Share, views.Undo, ui.Commands, list.First, list.Last:
		case ui.OpenTab:
			if !p.drawer.applies(p.drawer.resource(), tabOf(b.Value)) || p.list.Target() == "" && !p.list.Moving() {
				continue
			}
		default:
			continue
		}
		all = append(all, ui.Offer{Action: b.Action, Value: b.Value, Text: b.Help, Hint: ui.KeyName(b.Keys[0])})
	}
	return all
}

// Namespaces returns the namespaces that the page knows.
func (p *page) Namespaces() []string { return p.access.known() }

// ListName returns the name of a kind's list.
func (p *page) ListName(resource string) string { return p.sidebar.listName(resource) }

// WatchKinds requests the names of all kinds.
func (p *page) WatchKinds() { p.sidebar.watchKinds() }

// FocusOpen moves the focus to the tab of the open object, else to the list.
func (p *page) FocusOpen() {
	if p.drawer.isOpen() {
		p.drawer.focusTab()
	} else {
		p.browser.Focus("grid")
	}
}
