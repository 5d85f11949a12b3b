package web

import (
	"maps"
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
	"watchglass/web/facets"
	"watchglass/web/route"
	"watchglass/web/sidebar"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// rights is what the page knows about what the user may list. Its slices are immutable.
type rights struct {
	of         *wire.Welcome // whose rights these are; nil until known
	remembered []string      // namespaces that the user added
	reported   port.Rights
	refused    map[string]view.Gap // what the lists that were read so far lack, by kind
}

// slot returns the key under which the browser stores the namespaces of a cluster and user.
func slot(w wire.Welcome) string {
	return "namespaces " + strings.Join([]string{w.Context, w.Cluster, w.Server, w.User}, " ")
}

// access is the part with the namespaces that the user may list, and those that the user added.
type access struct {
	page   *page
	rights rights
}

// Within shows some namespaces only. Its value is their names, with commas.
const Within ui.Action = "within"

func (ac *access) Commands() []ui.Command {
	return []ui.Command{{ID: facets.Add, Run: ac.add}, {ID: facets.Forget, Run: ac.forget}, {ID: Within, Run: ac.within}}
}

// onReset sends the user's namespaces to the new hub.
func (ac *access) onReset() {
	if ac.rights.of != nil {
		ac.page.port.Send(port.SavedNamespaces{Namespaces: ac.rights.remembered})
	}
}

// recall loads the namespaces that were added on an earlier visit and sends them to the worker,
// once the cluster and the user are known.
func (ac *access) recall(w *wire.Welcome) {
	if w == nil || ac.rights.of != nil {
		return
	}
	ac.rights.of, ac.rights.remembered = w, words.SplitList(ac.page.browser.Recall(slot(*w)))
	ac.page.port.Send(port.SavedNamespaces{Namespaces: ac.rights.remembered})
}

// remember stores the namespaces and sends them to the worker.
func (ac *access) remember(namespaces []string) {
	if ac.rights.of == nil {
		return
	}
	ac.rights.remembered = namespaces
	ac.page.browser.Remember(slot(*ac.rights.of), strings.Join(namespaces, ","))
	ac.page.port.Send(port.SavedNamespaces{Namespaces: namespaces})
}

// onRights stores what the user may list.
func (ac *access) onRights(r port.Rights) {
	ac.rights.reported = r
	ac.page.redraw()
}

// noteGaps notes which of the lists that the problems rest on may not be read.
func (ac *access) noteGaps(gaps []view.Gap) {
	if ac.page.past.On() {
		return
	}
	all := make(map[string]view.Gap)
	for _, g := range gaps {
		if words.GapOf(g).Refused {
			all[g.Resource] = g
		}
	}
	if !maps.Equal(all, ac.rights.refused) {
		ac.rights.refused = all
		ac.page.RedrawSoon()
	}
}

// noteState notes whether the list on screen may be read. A list of some namespaces shows that the kind is not
// denied altogether. It says nothing of other namespaces, so a gap that the problems reported there stays.
func (ac *access) noteState(s port.Source) {
	if s.ID == "" || s.ID == port.Problems || ac.page.past.On() { // what is not remembered is no right
		return
	}
	switch {
	case s.State == port.Denied && s.Rest == "" && (s.Cause == nil || !s.Cause.Unauthorized()):
		if ac.rights.refused == nil {
			ac.rights.refused = make(map[string]view.Gap)
		}
		ac.rights.refused[s.ID] = view.Gap{Resource: s.ID, State: port.Denied, Only: s.Namespace}
	case s.Synced && s.AsOf.IsZero() && (s.Namespace == "" || ac.rights.refused[s.ID].State == port.Denied):
		delete(ac.rights.refused, s.ID)
	}
}

// refused returns what may not be read of what is shown, by kind. Of a recording that is nothing: the noted
// rights are the user's in the live cluster, and somebody else may have made it.
func (ac *access) refused() map[string]view.Gap {
	if ac.page.past.Recorded() != nil {
		return nil
	}
	return ac.rights.refused
}

// limits returns what the user may not read, as far as it is known.
func (ac *access) limits() string {
	refused := ac.refused()
	var gaps []view.Gap
	for _, id := range slices.Sorted(maps.Keys(refused)) {
		gaps = append(gaps, refused[id])
	}
	var all []string
	for _, g := range ac.page.sidebar.Gaps(gaps) {
		all = append(all, g.Text(len(g.Names)))
	}
	return strings.Join(all, " ")
}

// merged returns the names of all lists, sorted and without duplicates.
func merged(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}

// add adds a namespace to those that are shown and remembered. Adding the first one also
// remembers the namespaces shown until then.
func (ac *access) add(namespace string) {
	if !ac.partialAccess() || !route.IsNamespace(namespace) {
		return
	}
	shown := words.Without(words.SplitList(ac.page.state.Source.Namespace), ac.denied())
	before := ac.rights.remembered
	if len(before) == 0 {
		before = shown
	}
	ac.page.facets.ClearFind()
	ac.remember(merged(before, []string{namespace}))
	ac.page.Navigate(true, func(a *route.Address) {
		if len(a.Namespaces) > 0 {
			a.Namespaces = merged(a.Namespaces, []string{namespace})
		} else if ac.rights.of.Namespaces != "" { // --namespaces overrides what is remembered
			a.Namespaces = merged(shown, []string{namespace})
		}
	})
	ac.page.redraw()
}

// forget removes a namespace from the remembered ones and from the view.
func (ac *access) forget(namespace string) {
	gone := []string{namespace}
	ac.remember(words.Without(ac.rights.remembered, gone))
	ac.page.Navigate(true, func(a *route.Address) { a.Namespaces = words.Without(a.Namespaces, gone) })
	ac.page.redraw()
}

// within shows the given namespaces only.
func (ac *access) within(list string) {
	ac.page.list.Rewind()
	ac.page.Navigate(true, func(a *route.Address) { a.Namespaces = words.SplitList(list) })
}

// partialAccess reports whether the page knows only some namespaces, because the user may not list
// the whole cluster.
func (ac *access) partialAccess() bool {
	s, w := ac.page.state.Source, ac.page.state.Proxy
	if w == nil || w.Narrow || !s.Namespaced || s.Cause != nil && s.Cause.Unauthorized() {
		return false
	}
	return s.Namespace != "" || s.State == port.Denied
}

// denied returns the namespaces of the source that the user may not list.
func (ac *access) denied() []string {
	s := ac.page.state.Source
	if s.State == port.Denied && s.Rest == "" {
		return words.SplitList(s.Namespace)
	}
	return words.SplitList(s.Denied)
}

// known returns all namespaces that the page has heard of.
func (ac *access) known() []string {
	counted := ac.page.facets.Namespaces()
	if !ac.partialAccess() {
		return counted
	}
	w := ac.page.state.Proxy
	return merged(counted, ac.rights.remembered, ac.rights.reported.Namespaces, ac.page.address.Namespaces, words.SplitList(w.Namespaces), words.SplitList(w.Namespace), words.SplitList(ac.page.state.Source.Namespace))
}

// waysShown limits how many alternatives are offered.
const waysShown = 8

// alternatives offers what the user may list instead of what is denied, as far as the apiserver
// reported it.
func (ac *access) alternatives() []app.UI {
	var offers []ui.Offer
	if in := ac.listable(ac.page.Here()); len(in) > 0 && !clusterWide[ac.page.Here()] && (ac.page.state.Source.Namespaced || ac.page.state.Source.Kind == "") {
		if len(in) > 1 {
			offers = append(offers, ui.Offer{Action: ui.GoIn, Value: ac.page.Here() + " " + strings.Join(in, ","), Text: ac.page.sidebar.Called(ac.page.Here()) + " in all " + words.Count(len(in)) + " namespaces"})
		}
		for _, namespace := range in {
			offers = append(offers, ui.Offer{Action: ui.GoIn, Value: ac.page.Here() + " " + namespace, Text: ac.page.sidebar.Called(ac.page.Here()) + " in " + namespace})
		}
	}
	for _, k := range sidebar.Common() {
		if in := ac.listable(k.ID); k.ID != ac.page.Here() && !ac.page.sidebar.Derived(k.ID) && !clusterWide[k.ID] && len(in) > 0 {
			offers = append(offers, ui.Offer{Action: ui.GoIn, Value: k.ID + " " + in[0], Text: k.Name + " in " + in[0]})
		}
	}
	offers = offers[:min(len(offers), waysShown)]
	if ac.partialAccess() {
		offers = append(offers, ui.Offer{Action: ui.FocusNamespace, Text: "Enter a namespace"})
	}
	if ac.page.address.Resource != route.Home && len(ac.rights.reported.In) == 0 {
		offers = append(offers, ui.Offer{Action: ui.GoTo, Value: route.Home, Text: "Go to pods"})
	}
	buttons := make([]app.UI, 0, len(offers))
	for _, o := range offers {
		buttons = append(buttons, ui.Way(o.Action, o.Text).DataSet("value", o.Value))
	}
	return buttons
}

// clusterWide are the sidebar's cluster-scoped kinds. The rules of a namespace do not cover
// them.
var clusterWide = map[string]bool{
	"persistentvolumes": true, "storageclasses.storage.k8s.io": true, "nodes": true, "namespaces": true,
	"ingressclasses.networking.k8s.io": true, "priorityclasses.scheduling.k8s.io": true, "customresourcedefinitions.apiextensions.k8s.io": true,
	"clusterroles.rbac.authorization.k8s.io": true, "clusterrolebindings.rbac.authorization.k8s.io": true,
}

// listable returns the namespaces where a kind may be listed. Namespaces that refused it are
// excluded, whatever the rules say.
func (ac *access) listable(id string) []string {
	var in []string
	for _, r := range ac.rights.reported.In {
		if r.May(ac.source(id)) && (id != ac.page.Here() || !slices.Contains(ac.denied(), r.Namespace)) {
			in = append(in, r.Namespace)
		}
	}
	return in
}

// source returns the kind whose objects are read for a list: Helm's releases are made of Secrets.
func (ac *access) source(id string) string {
	if ac.page.sidebar.Derived(id) {
		return "secrets"
	}
	return id
}
