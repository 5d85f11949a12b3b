package drawer

import (
	"slices"

	"watchglass/web/route"
	"watchglass/web/tab"
	"watchglass/web/tab/changes"
	"watchglass/web/tab/events"
	"watchglass/web/tab/logs"
	"watchglass/web/tab/manifest"
	"watchglass/web/tab/summary"
)

// Tab is a tab that objects can have.
type Tab struct {
	ID, Title string
	create    func(h tab.Host) tab.Tab // nil: the drawer has the tab, since the page asks it for more
	keys      []string                 // that open it; the tab bar names the last
	help      string                   // of the keys
	has       func(id string) bool     // whether the objects of a kind have it; nil: all do
	derived   bool                     // objects that are not the server's, such as releases, have it
	ofKind    bool                     // a kind as a whole has it
}

// tabs are the tabs in their order. An address that names none means the first.
var tabs = []Tab{
	{ID: route.SummaryID, Title: "Summary", create: summary.New, keys: []string{"d", "1"}, help: "View summary", derived: true},
	{ID: route.YAMLID, Title: "YAML", create: manifest.New, keys: []string{"y", "2"}, help: "View YAML"},
	{ID: route.EventsID, Title: "Events", create: events.New, keys: []string{"3"}, help: "View events"},
	{ID: route.RelatedID, Title: "Related", keys: []string{"4"}, help: "View related objects"},
	{ID: route.LogsID, Title: "Logs", create: logs.New, keys: []string{"l", "5"}, help: "View logs", has: logs.Has},
	{ID: route.ChangesID, Title: "Changes", create: changes.New, keys: []string{"6"}, help: "View changes", derived: true},
	{ID: route.CompareID, Title: "Compare", keys: []string{"7"}, help: "Compare objects"},
	{ID: route.AccessID, Title: "Access", keys: []string{"8"}, help: "View access", ofKind: true},
	{ID: route.TimelineID, Title: "Timeline", keys: []string{"9"}, help: "View timeline"},
}

// TabOf returns the tab that an address means.
func TabOf(id string) Tab {
	i := slices.IndexFunc(tabs, func(t Tab) bool { return t.ID == id })
	return tabs[max(i, 0)]
}

// key returns the key of the tab that the tab bar names.
func (t Tab) key() string { return t.keys[len(t.keys)-1] }

// address returns the tab's name in addresses: "" for the first tab.
func (t Tab) address() string {
	if t.ID == tabs[0].ID {
		return ""
	}
	return t.ID
}
