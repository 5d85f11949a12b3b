package web

import (
	"slices"

	"watchglass/web/route"
	tabs "watchglass/web/tab"
	"watchglass/web/tab/changes"
	"watchglass/web/tab/events"
	"watchglass/web/tab/logs"
	"watchglass/web/tab/manifest"
	"watchglass/web/tab/summary"
	"watchglass/web/tab/whocan"
)

// tabKind is a tab that objects can have.
type tabKind struct {
	id, title string
	create    func(h tabs.Host) tabs.Tab
	keys      []string                 // that open it; the tab bar names the last
	help      string                   // of the keys
	has       func(id string) bool     // whether the objects of a kind have it; nil: all do
	derived   bool                     // objects that are not the server's, such as releases, have it
	ofKind    bool                     // a kind as a whole has it
	own       func(d *drawer) tabs.Tab // instead of create: the page asks the tab for more, or the other way round
}

// tabKinds are the tabs in their order. An address that names none means the first.
var tabKinds = []tabKind{
	{id: route.SummaryID, title: "Summary", create: summary.New, keys: []string{"d", "1"}, help: "View summary", derived: true},
	{id: route.YAMLID, title: "YAML", create: manifest.New, keys: []string{"y", "2"}, help: "View YAML"},
	{id: route.EventsID, title: "Events", create: events.New, keys: []string{"3"}, help: "View events"},
	{id: route.RelatedID, title: "Related", own: func(d *drawer) tabs.Tab { return d.related }, keys: []string{"4"}, help: "View related objects"},
	{id: route.LogsID, title: "Logs", create: logs.New, keys: []string{"l", "5"}, help: "View logs", has: logs.Has},
	{id: route.ChangesID, title: "Changes", create: changes.New, keys: []string{"6"}, help: "View changes", derived: true},
	{id: route.CompareID, title: "Compare", own: func(d *drawer) tabs.Tab { return d.compare }, keys: []string{"7"}, help: "Compare objects"},
	{id: route.AccessID, title: "Access", own: func(d *drawer) tabs.Tab { return whocan.New(tabHost{d.page}) }, keys: []string{"8"}, help: "View access", ofKind: true},
	{id: route.TimelineID, title: "Timeline", own: func(d *drawer) tabs.Tab { return d.page.times }, keys: []string{"9"}, help: "View timeline"},
}

// newTabs creates the tabs, and returns them by their ids.
func newTabs(d *drawer) map[string]tabs.Tab {
	all := make(map[string]tabs.Tab)
	for _, t := range tabKinds {
		if t.create != nil {
			all[t.id] = t.create(tabHost{d.page})
		} else {
			all[t.id] = t.own(d)
		}
	}
	return all
}

// tabOf returns the tab that an address means.
func tabOf(id string) tabKind {
	i := slices.IndexFunc(tabKinds, func(t tabKind) bool { return t.id == id })
	return tabKinds[max(i, 0)]
}

// key returns the key of the tab that the tab bar names.
func (t tabKind) key() string { return t.keys[len(t.keys)-1] }

// address returns the tab's name in addresses: "" for the first tab.
func (t tabKind) address() string {
	if t.id == tabKinds[0].id {
		return ""
	}
	return t.id
}
