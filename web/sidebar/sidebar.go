package sidebar

import (
	"maps"
	"slices"
	"strings"

	"watchglass/internal/port"
	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// Sidebar is the part with the kinds, and above them the user's favourites and saved views.
type Sidebar struct {
	host         Host
	browser      Browser
	views        Views
	base         string          // of the page's addresses
	kinds        []port.Kind     // of the server
	held         map[string]int  // how many objects of a kind the worker holds
	folded       map[string]bool // groups that are not in their default state
	starred      []string        // favourite kinds, as they were added
	watchesKinds bool            // kinds have been requested
	open         bool            // over the list, on a narrow screen
}

// New returns the sidebar of a page below a base path.
func New(h Host, b Browser, v Views, base string) *Sidebar {
	return &Sidebar{host: h, browser: b, views: v, base: base, folded: foldedGroups(b.Recall("rail")), starred: recalledStarred(b, base)}
}

// Open reports whether the sidebar is open over the list. Folded reports whether a group's default, open or folded, was
// changed.
func (s *Sidebar) Open() bool               { return s.open }
func (s *Sidebar) Folded(group string) bool { return s.folded[group] }

// The actions of the sidebar.
const (
	Toggle ui.Action = "kinds" // on a narrow screen
	star   ui.Action = "star"  // value: resource; none: the current kind
)

// Commands returns the commands of the sidebar.
func (s *Sidebar) Commands() []ui.Command {
	return []ui.Command{
		{ID: ui.GoTo, Keys: []string{"H"}, Value: route.OverviewID, Title: "Go to overview", Run: s.GoKind},
		{ID: ui.GoTo, Keys: []string{"T"}, Value: route.TimelineID, Title: "Go to timeline"},
		{ID: star, Keys: []string{"f"}, Title: "Toggle favourite", Run: s.star, Offer: ui.Always, OfKind: true},
		{ID: ui.GoIn, Run: s.goIn},
		{ID: ui.ToggleGroup, Run: s.foldGroup},
		{ID: Toggle, Do: s.toggle},
	}
}

// toggle opens the kinds over the list of a narrow screen, or closes them.
func (s *Sidebar) toggle() {
	s.host.HideFacets()
	s.open = !s.open
	s.host.Redraw()
}

// Hide hides the sidebar, if it is open over the list.
func (s *Sidebar) Hide() {
	if s.open {
		s.open = false
		s.host.Redraw()
	}
}

// GoKind goes to the list of a kind, in the namespaces on screen and with the user's columns.
func (s *Sidebar) GoKind(id string) {
	s.host.Resume()
	to := s.addressOf(id)
	to.Namespaces, to.Columns = s.host.Address().Namespaces, s.host.SavedColumns(to.Resource)
	s.host.GoTo(to)
}

// addressOf returns the address of an entry.
func (s *Sidebar) addressOf(id string) route.Address {
	if id == route.OverviewID {
		return route.Address{Resource: port.Problems, Overview: true, Context: s.host.Address().Context}
	}
	return route.Address{Resource: id, Context: s.host.Address().Context}
}

// current returns the entry of what is on screen.
func (s *Sidebar) current() string {
	if s.host.Address().Overview {
		return route.OverviewID
	}
	return s.host.Here()
}

// goIn goes to the list of a kind in some namespaces: resource, a space, names with commas.
func (s *Sidebar) goIn(value string) {
	resource, namespaces, _ := strings.Cut(value, " ")
	s.GoKind(resource)
	s.host.Navigate(true, func(a *route.Address) { a.Namespaces = words.SplitList(namespaces) })
}

// OnReset requests the kinds from the new hub.
func (s *Sidebar) OnReset() {
	if s.watchesKinds {
		s.host.Send(port.WatchKinds{})
	}
}

// foldGroup toggles a group and stores which groups have been toggled.
func (s *Sidebar) foldGroup(name string) {
	if s.folded[name] {
		delete(s.folded, name)
	} else {
		s.folded[name] = true
	}
	s.browser.Remember("rail", strings.Join(slices.Sorted(maps.Keys(s.folded)), ","))
	s.host.Redraw()
}

// foldedGroups parses the stored names of toggled groups.
func foldedGroups(remembered string) map[string]bool {
	folded := make(map[string]bool)
	for name := range strings.SplitSeq(remembered, ",") {
		if name != "" {
			folded[name] = true
		}
	}
	return folded
}

// OnCounts sets how many objects of each kind are in memory.
func (s *Sidebar) OnCounts(m port.Counts) {
	held := make(map[string]int, len(m.Kinds))
	for _, l := range m.Kinds {
		held[l.ID] = l.Objects
	}
	s.held = held
	s.host.RedrawSoon()
}
