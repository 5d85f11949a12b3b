package sidebar

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"watchglass/internal/detail"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/web/route"
	"watchglass/web/words"
)

// starts are the entries above the kinds.
var starts = words.KindGroup{Kinds: []words.Kind{
	{ID: route.OverviewID, Name: "Overview"}, {ID: port.Problems, Name: "Problems"}, {ID: route.TimelineID, Name: "Timeline"},
}}

// OnState requests the kinds once the list has loaded, by its state; until then the list needs the connection.
func (s *Sidebar) OnState(state string) {
	if state != "" && state != port.Throttled && state != port.Connecting && state != port.Syncing {
		s.WatchKinds()
	}
}

// WatchKinds requests the kinds, once.
func (s *Sidebar) WatchKinds() {
	if !s.watchesKinds {
		s.watchesKinds = true
		s.host.Send(port.WatchKinds{})
	}
}

// OnKinds sets the kinds of the cluster, sorted by API group.
func (s *Sidebar) OnKinds(m port.Kinds) {
	s.kinds = slices.Clone(m.Kinds)
	sort.Sort(byGroup(s.kinds))
	s.host.Redraw()
}

// byGroup sorts kinds by API group, then by name.
type byGroup []port.Kind

func (k byGroup) Len() int      { return len(k) }
func (k byGroup) Swap(i, j int) { k[i], k[j] = k[j], k[i] }
func (k byGroup) Less(i, j int) bool {
	_, a, _ := strings.Cut(k[i].ID, ".")
	_, b, _ := strings.Cut(k[j].ID, ".")
	return cmp.Or(strings.Compare(a, b), strings.Compare(k[i].Name, k[j].Name)) < 0
}

// Derived reports whether the hub makes the objects of a kind: the server has none of its name, as far as
// it has said.
func (s *Sidebar) Derived(id string) bool {
	i := slices.IndexFunc(s.kinds, func(k port.Kind) bool { return k.ID == id })
	return id == detail.Releases && (i < 0 || s.kinds[i].Derived)
}

// Called returns the display name of a kind.
func (s *Sidebar) Called(id string) string {
	for _, k := range append(words.Kinds(), starts.Kinds...) {
		if k.ID == id {
			return k.Name
		}
	}
	return id
}

// Note returns what is missing of a column; "" is nothing.
func (s *Sidebar) Note(g view.Gap) (text string) {
	if g.State != "" {
		text = s.Gaps([]view.Gap{g})[0].Text(1)
	}
	return text
}

// Gaps returns gaps with the names of their lists.
func (s *Sidebar) Gaps(gaps []view.Gap) []words.Gap {
	var all []words.Gap
	for _, g := range gaps {
		next := words.GapOf(g)
		switch {
		case !s.host.InPast(), g.State == view.Unread:
		case next.Refused:
			next.Words, next.Refused = words.NotInHistory, false
		case g.Unread > 0:
			next.Words, next.Comes = words.CountOf(g.Unread, "object")+" "+words.NotInHistory, false
		}
		at := slices.IndexFunc(all, func(other words.Gap) bool { return other.Words == next.Words })
		if at < 0 {
			at, all = len(all), append(all, next)
		}
		all[at].Names = append(all[at].Names, s.ListName(g.Resource))
	}
	return all
}

// Served returns the kind of a resource, or its ID until the server's kinds are known.
func (s *Sidebar) Served(id string) string {
	for _, k := range s.kinds {
		if k.ID == id {
			return k.Name
		}
	}
	return id
}

// ListName returns the name of a kind, or its ID until the server's kinds are known.
func (s *Sidebar) ListName(id string) string {
	if strings.HasSuffix(id, ".metrics.k8s.io") {
		return "Metrics"
	}
	for _, k := range s.kinds {
		if k.ID == id && s.Called(id) == id {
			if plural, _, _ := strings.Cut(id, "."); strings.HasPrefix(plural, strings.ToLower(k.Name)) {
				return k.Name + plural[len(k.Name):]
			}
			return k.Name
		}
	}
	return s.Called(id)
}
