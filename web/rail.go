package web

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/port"
)

// railKind is a kind in the rail: how addresses name it, and how people do.
type railKind struct{ id, name string }

// railGroups are the kinds that most people look for, where they look for them.
// What the server does not have goes, once that is known. What else there is comes
// behind: kinds of the cluster's own, then the rest.
var railGroups = []struct {
	name  string
	kinds []railKind
}{
	{"Workloads", []railKind{
		{"pods", "Pods"}, {"deployments.apps", "Deployments"}, {"replicasets.apps", "ReplicaSets"}, {"statefulsets.apps", "StatefulSets"},
		{"daemonsets.apps", "DaemonSets"}, {"jobs.batch", "Jobs"}, {"cronjobs.batch", "CronJobs"},
	}},
	{"Network", []railKind{
		{"services", "Services"}, {"ingresses.networking.k8s.io", "Ingresses"}, {"ingressclasses.networking.k8s.io", "IngressClasses"},
		{"endpointslices.discovery.k8s.io", "EndpointSlices"}, {"networkpolicies.networking.k8s.io", "NetworkPolicies"},
	}},
	{"Config", []railKind{
		{"configmaps", "ConfigMaps"}, {"secrets", "Secrets"}, {"horizontalpodautoscalers.autoscaling", "Autoscalers"}, {"poddisruptionbudgets.policy", "Disruption budgets"},
		{"resourcequotas", "ResourceQuotas"}, {"limitranges", "LimitRanges"}, {"priorityclasses.scheduling.k8s.io", "PriorityClasses"},
	}},
	{"Storage", []railKind{
		{"persistentvolumeclaims", "Volume claims"}, {"persistentvolumes", "Volumes"}, {"storageclasses.storage.k8s.io", "StorageClasses"},
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

// The groups of what discovery tells of besides, and of what it does not know.
const (
	customGroup = "Custom"
	otherGroup  = "Other"
	hereGroup   = "Here"
)

// group is a part of the rail. It is drawn anew only when something in it has
// changed: a cluster may have hundreds of kinds.
type group struct {
	app.Compo
	Name  string
	Shut  bool
	Items []item
}

// item is a kind in a group.
type item struct {
	ID, Name, Count string
	Here, Starred   bool
}

// rail is the kinds, with counts of what is held.
func (g sight) rail() app.UI {
	groups := g.shelf()
	for _, part := range g.groups() {
		groups = append(groups, &part)
	}
	return app.Nav().Class("rail").Attr("aria-label", "Kinds").Body(groups...)
}

// groups are the groups in which there is something.
func (g sight) groups() []group {
	placed, served := make(map[string]bool), map[string]bool{g.here(): true}
	for _, k := range g.kinds {
		served[k.ID] = true
	}
	var out []group
	for _, part := range railGroups {
		next := group{Name: part.name, Shut: g.folded[part.name]}
		for _, k := range part.kinds {
			placed[k.id] = true
			if served[k.id] || len(g.kinds) == 0 {
				next.Items = append(next.Items, g.item(k.id, k.name))
			}
		}
		out = append(out, next)
	}
	custom := group{Name: customGroup, Shut: g.folded[customGroup]}
	other := group{Name: otherGroup, Shut: !g.folded[otherGroup]} // it begins shut
	for _, k := range g.kinds {
		if placed[k.ID] {
			continue
		}
		placed[k.ID] = true
		into := &other
		if k.Custom {
			into = &custom
		}
		into.Items = append(into.Items, g.item(k.ID, k.Name))
	}
	here := group{Name: hereGroup}
	if id := g.here(); !placed[id] {
		here.Items = []item{g.item(id, id)}
	}
	out = append(out, custom, other, here)
	return slices.DeleteFunc(out, func(part group) bool { return len(part.Items) == 0 })
}

// here is the kind on screen; what the address says, until it is known.
func (g sight) here() string {
	return cmp.Or(g.state.Source.ID, g.address.Resource)
}

func (g sight) item(id, name string) item {
	out := item{ID: id, Name: name, Here: id == g.here(), Starred: slices.Contains(g.starred, id)}
	n, held := g.held[id]
	if out.Here && (held || g.window.Of > 0) {
		n, held = g.window.Of, true
	}
	out.Count = number(n, held && !(out.Here && g.panelled()))
	return out
}

// Render draws the group. One that is shut shows no more of its kinds than the one
// on screen.
func (p *group) Render() app.UI {
	items := make([]app.UI, 0, len(p.Items))
	for _, k := range p.Items {
		if k.Here || !p.Shut {
			items = append(items, k.draw())
		}
	}
	return app.Section().Class("group").Hidden(len(p.Items) == 0).Body(
		app.H2().Body(app.Button().Class("fold").DataSet("action", ToggleGroup).DataSet("value", p.Name).Attr("aria-expanded", !p.Shut).Text(p.Name)),
		app.Div().Body(items...),
	)
}

func (k item) draw() app.UI {
	a := app.A().Class("item").Href(thePage.base+"/"+k.ID).DataSet("action", GoTo).DataSet("value", k.ID).Title(k.ID).Attr("aria-current", "false")
	if k.Here {
		a = a.Attr("aria-current", "page")
	}
	return app.Div().Class("entry").Body(
		a.Body(app.Span().Class("name").Text(k.Name), app.Span().Class("number").Text(k.Count)),
		k.starButton(),
	)
}

// foldGroup turns a group round: those that are remembered are not as they began.
func (p *Page) foldGroup(name string) {
	folded := maps.Clone(p.folded) // a sight may have it
	if folded[name] {
		delete(folded, name)
	} else {
		folded[name] = true
	}
	p.folded = folded
	p.browser.Remember("rail", strings.Join(slices.Sorted(maps.Keys(folded)), ","))
	p.redraw()
}

// foldedGroups reads what was remembered.
func foldedGroups(remembered string) map[string]bool {
	folded := make(map[string]bool)
	for name := range strings.SplitSeq(remembered, ",") {
		if name != "" {
			folded[name] = true
		}
	}
	return folded
}

// watchKindsAfter asks, once there is something on the screen, which kinds there are: until
// then others need the connection.
func (p *Page) watchKindsAfter(state string) {
	if state != "" && state != "connecting" && state != "syncing" {
		p.watchKinds()
	}
}

func (p *Page) watchKinds() {
	if !p.watchesKinds {
		p.watchesKinds = true
		p.port.Send(port.WatchKinds{})
	}
}

// served takes which kinds there are. Those of one group stand together.
func (p *Page) served(m port.Kinds) {
	kinds := slices.Clone(m.Kinds)
	sort.Sort(byGroup(kinds))
	p.mu.Lock()
	p.kinds = kinds
	p.mu.Unlock()
	p.redraw()
}

// byGroup is the order of API groups, and in them of names.
type byGroup []port.Kind

func (k byGroup) Len() int      { return len(k) }
func (k byGroup) Swap(i, j int) { k[i], k[j] = k[j], k[i] }
func (k byGroup) Less(i, j int) bool {
	_, a, _ := strings.Cut(k[i].ID, ".")
	_, b, _ := strings.Cut(k[j].ID, ".")
	return cmp.Or(strings.Compare(a, b), strings.Compare(k[i].Name, k[j].Name)) < 0
}

// holds takes how much is held.
func (p *Page) holds(m port.Counts) {
	held := make(map[string]int, len(m.Kinds))
	for _, l := range m.Kinds {
		held[l.ID] = l.Objects
	}
	p.mu.Lock()
	p.held = held
	p.mu.Unlock()
	p.redrawSoon()
}
