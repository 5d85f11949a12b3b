package web

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// railKind is a kind in the sidebar: its name in addresses and the name shown.
type railKind struct{ id, name string }

// railGroup is a group of common kinds.
type railGroup struct {
	name  string
	kinds []railKind
}

// railGroups are the common kinds by group. Once the served kinds are known, the others are
// removed. Custom resources and all other kinds follow below.
var railGroups = []railGroup{
	{"Workloads", []railKind{
		{"pods", "Pods"}, {"deployments.apps", "Deployments"}, {"replicasets.apps", "ReplicaSets"}, {"statefulsets.apps", "StatefulSets"},
		{"daemonsets.apps", "DaemonSets"}, {"jobs.batch", "Jobs"}, {"cronjobs.batch", "CronJobs"}, {detail.Releases, "Helm releases"},
	}},
	{"Network", []railKind{
		{"services", "Services"}, {"ingresses.networking.k8s.io", "Ingresses"}, {"ingressclasses.networking.k8s.io", "IngressClasses"},
		{"endpointslices.discovery.k8s.io", "EndpointSlices"}, {"networkpolicies.networking.k8s.io", "NetworkPolicies"},
	}},
	{"Config", []railKind{
		{"configmaps", "ConfigMaps"}, {"secrets", "Secrets"}, {"horizontalpodautoscalers.autoscaling", "HPAs"}, {"poddisruptionbudgets.policy", "PDBs"},
		{"resourcequotas", "ResourceQuotas"}, {"limitranges", "LimitRanges"}, {"priorityclasses.scheduling.k8s.io", "PriorityClasses"},
	}},
	{"Storage", []railKind{
		{"persistentvolumeclaims", "PVCs"}, {"persistentvolumes", "PVs"}, {"storageclasses.storage.k8s.io", "StorageClasses"},
	}},
	{"Access", []railKind{
		{"serviceaccounts", "ServiceAccounts"}, {"roles.rbac.authorization.k8s.io", "Roles"}, {"rolebindings.rbac.authorization.k8s.io", "RoleBindings"},
		{"clusterroles.rbac.authorization.k8s.io", "ClusterRoles"}, {"clusterrolebindings.rbac.authorization.k8s.io", "ClusterRoleBindings"},
	}},
	{"Cluster", []railKind{
		{"nodes", "Nodes"}, {"namespaces", "Namespaces"}, {"events", "Events"}, {"leases.coordination.k8s.io", "Leases"},
		{"customresourcedefinitions.apiextensions.k8s.io", "CRDs"},
	}},
}

// starts are the entries above the kinds.
var starts = railGroup{"", []railKind{{route.OverviewID, "Overview"}, {port.Problems, "Problems"}, {route.TimelineID, "Timeline"}}}

// The groups of custom resources, of other kinds, and of an unknown kind in the address.
const (
	customGroup = "Custom"
	otherGroup  = "Other"
	hereGroup   = "Current"
)

// group is a group of the sidebar. It is a component of its own so that only changed groups
// are redrawn: a cluster may have hundreds of kinds.
type group struct {
	app.Compo
	Name  string
	Shut  bool
	Items []item
}

// item is a kind in a group.
type item struct {
	ID, Name, Count string
	Href            string
	Here, Starred   bool
}

// sidebar is the part with the kinds, and above them the user's favourites and saved views.
type sidebar struct {
	page         *page
	kinds        []port.Kind     // of the server
	held         map[string]int  // how many objects of a kind the worker holds
	folded       map[string]bool // groups that are not in their default state
	starred      []string        // favourite kinds, as they were added
	watchesKinds bool            // kinds have been requested
	open         bool            // over the list, on a narrow screen
}

func newSidebar(p *page) *sidebar {
	return &sidebar{page: p, folded: foldedGroups(p.browser.Recall("rail")), starred: recalledStarred(p.browser, p.base)}
}

// The actions of the sidebar.
const (
	ToggleKinds ui.Action = "kinds" // on a narrow screen
	Star        ui.Action = "star"  // value: resource; none: the current kind
)

func (s *sidebar) Commands() []ui.Command {
	return []ui.Command{
		{ID: ui.GoTo, Keys: []string{"H"}, Value: route.OverviewID, Title: "Go to overview", Run: s.goKind},
		{ID: ui.GoTo, Keys: []string{"T"}, Value: route.TimelineID, Title: "Go to timeline"},
		{ID: Star, Keys: []string{"f"}, Title: "Toggle favourite", Run: s.star, Offer: ui.Always, OfKind: true},
		{ID: ui.GoIn, Run: s.goIn},
		{ID: ui.ToggleGroup, Run: s.foldGroup},
		{ID: ToggleKinds, Do: s.toggle},
	}
}

// toggle opens the kinds over the list of a narrow screen, or closes them.
func (s *sidebar) toggle() {
	s.page.facets.Hide()
	s.open = !s.open
	s.page.redraw()
}

func (s *sidebar) hide() {
	if s.open {
		s.open = false
		s.page.redraw()
	}
}

// goKind goes to the list of a kind, in the namespaces on screen and with the user's columns.
func (s *sidebar) goKind(id string) {
	s.page.list.Resume()
	to := s.addressOf(id)
	to.Namespaces, to.Columns = s.page.address.Namespaces, s.page.columns.SavedFor(to.Resource)
	s.page.GoTo(to)
}

// addressOf returns the address of an entry.
func (s *sidebar) addressOf(id string) route.Address {
	if id == route.OverviewID {
		return route.Address{Resource: port.Problems, Overview: true, Context: s.page.address.Context}
	}
	return route.Address{Resource: id, Context: s.page.address.Context}
}

// current returns the entry of what is on screen.
func (s *sidebar) current() string {
	if s.page.address.Overview {
		return route.OverviewID
	}
	return s.page.Here()
}

// goIn goes to the list of a kind in some namespaces: resource, a space, names with commas.
func (s *sidebar) goIn(value string) {
	resource, namespaces, _ := strings.Cut(value, " ")
	s.goKind(resource)
	s.page.Navigate(true, func(a *route.Address) { a.Namespaces = words.SplitList(namespaces) })
}

// onReset requests the kinds from the new hub.
func (s *sidebar) onReset() {
	if s.watchesKinds {
		s.page.port.Send(port.WatchKinds{})
	}
}

// draw draws the sidebar: the start page and the problems, favourites, saved views and kinds with
// their counts.
func (s *sidebar) draw() app.UI {
	all := s.groups()
	groups := append([]app.UI{&all[0]}, s.drawFavourites()...)
	for _, part := range all[1:] {
		groups = append(groups, &part)
	}
	return app.Elem("nav").Class("rail").DataSet("open", s.open).Attr("aria-label", "Kinds").Body(groups...)
}

// groups returns the groups that are not empty, the starts first.
func (s *sidebar) groups() []group {
	placed, served := make(map[string]bool), map[string]bool{s.page.Here(): true}
	for _, k := range s.kinds {
		served[k.ID] = true
	}
	var out []group
	for _, part := range append([]railGroup{starts}, railGroups...) {
		next := group{Name: part.name, Shut: s.folded[part.name]}
		for _, k := range part.kinds {
			placed[k.id] = true
			if served[k.id] || len(s.kinds) == 0 || part.name == "" {
				next.Items = append(next.Items, s.item(k.id, k.name))
			}
		}
		out = append(out, next)
	}
	custom := group{Name: customGroup, Shut: s.folded[customGroup]}
	other := group{Name: otherGroup, Shut: !s.folded[otherGroup]} // collapsed by default
	for _, k := range s.kinds {
		if placed[k.ID] {
			continue
		}
		placed[k.ID] = true
		into := &other
		if k.Custom {
			into = &custom
		}
		into.Items = append(into.Items, s.item(k.ID, k.Name))
	}
	here := group{Name: hereGroup}
	if id := s.page.Here(); id != "" && !placed[id] {
		here.Items = []item{s.item(id, id)}
	}
	out = append(out, custom, other, here)
	return slices.DeleteFunc(out, func(part group) bool { return len(part.Items) == 0 })
}

func (s *sidebar) item(id, name string) item {
	out := item{ID: id, Name: name, Href: s.addressOf(id).String(s.page.base), Here: id == s.current(), Starred: slices.Contains(s.starred, id)}
	shown := id == s.page.Here()
	n, held := s.held[id]
	chosen := s.page.state.Source.Namespace != "" && len(s.page.address.Namespaces) > 0 // the list is part of what the user may list
	if shown && !chosen && (held || s.page.list.Window().Of > 0) {
		n, held = s.page.list.Window().Of, true
	}
	if id == port.Problems && n == 0 {
		held = s.page.overview.clear() // else there may be some
	}
	if out.Count = words.Known(n, held && !(shown && s.page.panel.replacesList())); s.page.access.refused()[id].State == port.Denied {
		out.Count = "denied"
	}
	return out
}

// Render draws the group. A collapsed group shows only the current kind.
func (p *group) Render() app.UI {
	items := make([]app.UI, 0, len(p.Items))
	for _, k := range p.Items {
		if k.Here || !p.Shut {
			items = append(items, k.draw())
		}
	}
	heading := app.UI(app.Div().Hidden(true))
	if p.Name != "" {
		heading = app.H2().Body(app.Button().Class("fold").DataSet("action", ui.ToggleGroup).DataSet("value", p.Name).Attr("aria-expanded", !p.Shut).Text(p.Name))
	}
	return app.Elem("section").Class("group").Hidden(len(p.Items) == 0).Body(
		heading,
		app.Div().Body(items...),
	)
}

func (k item) draw() app.UI {
	a := app.A().Class("item").Href(k.Href).DataSet("action", ui.GoTo).DataSet("value", k.ID).Title(k.ID).Attr("aria-current", "false")
	if k.Here {
		a = a.Attr("aria-current", "page")
	}
	return app.Div().Class("entry").Body(
		a.Body(app.Span().Class("name").Text(k.Name), app.Span().Class("number").Text(k.Count)),
		k.starButton(),
	)
}

// foldGroup toggles a group and stores which groups have been toggled.
func (s *sidebar) foldGroup(name string) {
	if s.folded[name] {
		delete(s.folded, name)
	} else {
		s.folded[name] = true
	}
	s.page.browser.Remember("rail", strings.Join(slices.Sorted(maps.Keys(s.folded)), ","))
	s.page.redraw()
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

// watchKindsAfter requests the kinds once the list has loaded; until then the list needs the
// connection.
func (s *sidebar) watchKindsAfter(state string) {
	if state != "" && state != port.Throttled && state != port.Connecting && state != port.Syncing {
		s.watchKinds()
	}
}

func (s *sidebar) watchKinds() {
	if !s.watchesKinds {
		s.watchesKinds = true
		s.page.port.Send(port.WatchKinds{})
	}
}

// onKinds sets the kinds of the cluster, sorted by API group.
func (s *sidebar) onKinds(m port.Kinds) {
	s.kinds = slices.Clone(m.Kinds)
	sort.Sort(byGroup(s.kinds))
	s.page.redraw()
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

// derived reports whether the hub makes the objects of a kind: the server has none of its name, as far as
// it has said.
func (s *sidebar) derived(id string) bool {
	i := slices.IndexFunc(s.kinds, func(k port.Kind) bool { return k.ID == id })
	return id == detail.Releases && (i < 0 || s.kinds[i].Derived)
}

// onCounts sets how many objects of each kind are in memory.
func (s *sidebar) onCounts(m port.Counts) {
	held := make(map[string]int, len(m.Kinds))
	for _, l := range m.Kinds {
		held[l.ID] = l.Objects
	}
	s.held = held
	s.page.RedrawSoon()
}

// noteOf returns what is missing of a column; "" is nothing.
func (s *sidebar) noteOf(g view.Gap) (text string) {
	if g.State != "" {
		text = s.named([]view.Gap{g})[0].Text(1)
	}
	return text
}

// named returns gaps with the names of their lists.
func (s *sidebar) named(gaps []view.Gap) []words.Gap {
	var all []words.Gap
	for _, g := range gaps {
		next := words.GapOf(g)
		switch {
		case !s.page.past.On(), g.State == view.Unread:
		case next.Refused:
			next.Words, next.Refused = words.NotInHistory, false
		case g.Unread > 0:
			next.Words, next.Comes = words.CountOf(g.Unread, "object")+" "+words.NotInHistory, false
		}
		at := slices.IndexFunc(all, func(other words.Gap) bool { return other.Words == next.Words })
		if at < 0 {
			at, all = len(all), append(all, next)
		}
		all[at].Names = append(all[at].Names, s.listName(g.Resource))
	}
	return all
}

// listName returns the name of a kind, or its ID until the server's kinds are known.
func (s *sidebar) listName(id string) string {
	if strings.HasSuffix(id, ".metrics.k8s.io") {
		return "Metrics"
	}
	for _, k := range s.kinds {
		if k.ID == id && s.called(id) == id {
			if plural, _, _ := strings.Cut(id, "."); strings.HasPrefix(plural, strings.ToLower(k.Name)) {
				return k.Name + plural[len(k.Name):]
			}
			return k.Name
		}
	}
	return s.called(id)
}
