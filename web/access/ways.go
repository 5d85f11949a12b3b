package access

import (
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// waysShown limits how many alternatives are offered.
const waysShown = 8

// Alternatives offers what the user may list instead of what is denied, as far as the apiserver
// reported it.
func (ac *Access) Alternatives() []app.UI {
	here, source := ac.host.Here(), ac.host.State().Source
	var offers []ui.Offer
	if in := ac.listable(here); len(in) > 0 && !clusterWide[here] && (source.Namespaced || source.Kind == "") {
		if len(in) > 1 {
			offers = append(offers, ui.Offer{Action: ui.GoIn, Value: here + " " + strings.Join(in, ","), Text: ac.host.Called(here) + " in all " + words.Count(len(in)) + " namespaces"})
		}
		for _, namespace := range in {
			offers = append(offers, ui.Offer{Action: ui.GoIn, Value: here + " " + namespace, Text: ac.host.Called(here) + " in " + namespace})
		}
	}
	for _, k := range words.Kinds() {
		if in := ac.listable(k.ID); k.ID != here && !ac.host.Derived(k.ID) && !clusterWide[k.ID] && len(in) > 0 {
			offers = append(offers, ui.Offer{Action: ui.GoIn, Value: k.ID + " " + in[0], Text: k.Name + " in " + in[0]})
		}
	}
	offers = offers[:min(len(offers), waysShown)]
	if ac.Partial() {
		offers = append(offers, ui.Offer{Action: ui.FocusNamespace, Text: "Enter a namespace"})
	}
	if ac.host.Address().Resource != route.Home && len(ac.reported.In) == 0 {
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
func (ac *Access) listable(id string) []string {
	var in []string
	for _, r := range ac.reported.In {
		if r.May(ac.Source(id)) && (id != ac.host.Here() || !slices.Contains(ac.Denied(), r.Namespace)) {
			in = append(in, r.Namespace)
		}
	}
	return in
}

// Source returns the kind whose objects are read for a list: Helm's releases are made of Secrets.
func (ac *Access) Source(id string) string {
	if ac.host.Derived(id) {
		return "secrets"
	}
	return id
}
