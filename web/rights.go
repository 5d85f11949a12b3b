package web

import (
	"fmt"
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/port"
	"watchglass/internal/wire"
)

// rights is what the page knows of what the user may list. Its lists are never
// written into.
type rights struct {
	of         *wire.Welcome // whose they are
	remembered []string      // namespaces that somebody added
	told       port.Rights
}

// slot is where the namespaces of a cluster and a user are remembered.
func slot(w wire.Welcome) string {
	return "namespaces " + strings.Join([]string{w.Context, w.Cluster, w.Server, w.User}, " ")
}

// recall reads, as soon as it is known whose they are, which namespaces were added
// at an earlier visit, and tells the worker.
func (p *Page) recall(w *wire.Welcome) {
	if w == nil || p.rights.of != nil {
		return
	}
	p.rights.of, p.rights.remembered = w, apart(p.browser.Recall(slot(*w)))
	p.port.Send(port.Remembered{Namespaces: p.rights.remembered})
}

// remember keeps the namespaces, and tells the worker.
func (p *Page) remember(namespaces []string) {
	if p.rights.of == nil {
		return
	}
	p.rights.remembered = namespaces
	p.browser.Remember(slot(*p.rights.of), strings.Join(namespaces, ","))
	p.port.Send(port.Remembered{Namespaces: namespaces})
}

// learned takes what the user may list.
func (p *Page) learned(r port.Rights) {
	p.mu.Lock()
	p.rights.told = r
	p.mu.Unlock()
	p.redraw()
}

// apart is what stands between commas.
func apart(list string) []string {
	return strings.FieldsFunc(list, func(c rune) bool { return c == ',' })
}

// merged are names in order, each once.
func merged(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}

// without are the names that are not among others.
func without(all, others []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(others, name) })
}

// add takes a namespace among those that are shown and remembered. The first to be
// remembered takes those along that were shown without it.
func (p *Page) add(namespace string) {
	g := p.sight()
	if !g.few() || !isName(namespace) {
		return
	}
	shown := without(apart(g.state.Source.Namespace), g.denied())
	before := p.rights.remembered
	if len(before) == 0 {
		before = shown
	}
	p.find = ""
	p.browser.SetField("find", "")
	p.remember(merged(before, []string{namespace}))
	p.visit(true, func(a *Address) {
		if len(a.Namespaces) > 0 {
			a.Namespaces = merged(a.Namespaces, []string{namespace})
		} else if p.rights.of.Namespaces != "" { // they go before what is remembered
			a.Namespaces = merged(shown, []string{namespace})
		}
	})
	p.redraw()
}

// forget takes a namespace away from those that are remembered, and from the view.
func (p *Page) forget(namespace string) {
	gone := []string{namespace}
	p.remember(without(p.rights.remembered, gone))
	p.visit(true, func(a *Address) { a.Namespaces = without(a.Namespaces, gone) })
	p.redraw()
}

// within shows some namespaces and no others.
func (p *Page) within(list string) {
	p.rewind()
	p.visit(true, func(a *Address) { a.Namespaces = apart(list) })
}

// enter does what Enter does behind a name that somebody looks for: it shows the one
// namespace that there is of it, or adds it where nobody knows which there are.
func (p *Page) enter() {
	g := p.sight()
	found := slices.DeleteFunc(g.known(), func(name string) bool { return !strings.Contains(name, g.find) })
	switch {
	case g.find == "":
	case slices.Contains(found, g.find):
		p.change(Choose, g.find)
	case g.few():
		p.add(g.find)
	case len(found) == 1:
		p.change(Choose, found[0])
	}
}

// isName reports whether a namespace may be called that.
func isName(s string) bool {
	wrong := strings.ContainsFunc(s, func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' })
	return s != "" && len(s) <= 63 && !wrong && !strings.HasPrefix(s, "-") && !strings.HasSuffix(s, "-")
}

// few reports that the user may not list the whole cluster, so that namespaces are
// what is known of them.
func (g sight) few() bool {
	s, w := g.state.Source, g.state.Proxy
	if w == nil || w.Narrow || !s.Namespaced || s.Cause != nil && s.Cause.Unauthorized() {
		return false
	}
	return s.Namespace != "" || s.State == "denied"
}

// denied are the namespaces of the source that may not be listed.
func (g sight) denied() []string {
	s := g.state.Source
	if s.State == "denied" && s.Rest == "" {
		return apart(s.Namespace)
	}
	return apart(s.Denied)
}

// known are all namespaces that there is a reason to name.
func (g sight) known() []string {
	var counted []string
	for _, v := range g.namespaceCounts() {
		counted = append(counted, v.Value)
	}
	if !g.few() {
		return counted
	}
	w := g.state.Proxy
	return merged(counted, g.rights.remembered, g.rights.told.Namespaces, g.address.Namespaces, apart(w.Namespaces), apart(w.Namespace), apart(g.state.Source.Namespace))
}

// adding is the way to add the namespace that is typed, or why there is none.
func (g sight) adding() app.UI {
	switch {
	case !g.few() || g.find == "" || slices.Contains(g.known(), g.find):
		return app.P().Class("dim").Hidden(true)
	case !isName(g.find):
		return app.P().Class("dim").Text("No namespace is called that.")
	}
	return app.Button().Class("more dim").DataSet("action", Add).DataSet("value", g.find).Text("add " + g.find + " ↵")
}

// waysShown is how many ways out are offered.
const waysShown = 8

// ways are where the user may go instead of what is denied, as far as the apiserver
// told.
func (g sight) ways() []app.UI {
	var offers []offer
	if in := g.listable(g.here()); len(in) > 0 {
		if len(in) > 1 {
			offers = append(offers, offer{action: GoIn, value: g.here() + " " + strings.Join(in, ","), text: g.called(g.here()) + " in all " + Count(len(in)) + " namespaces"})
		}
		for _, namespace := range in {
			offers = append(offers, offer{action: GoIn, value: g.here() + " " + namespace, text: g.called(g.here()) + " in " + namespace})
		}
	}
	for _, part := range railGroups {
		for _, k := range part.kinds {
			if in := g.listable(k.id); k.id != g.here() && !clusterWide[k.id] && len(in) > 0 {
				offers = append(offers, offer{action: GoIn, value: k.id + " " + in[0], text: k.name + " in " + in[0]})
			}
		}
	}
	offers = offers[:min(len(offers), waysShown)]
	if g.few() {
		offers = append(offers, offer{action: FocusNamespace, text: "Name a namespace"})
	}
	if g.address.Resource != home && len(g.rights.told.In) == 0 {
		offers = append(offers, offer{action: GoTo, value: home, text: "Go to the pods"})
	}
	buttons := make([]app.UI, 0, len(offers))
	for _, o := range offers {
		buttons = append(buttons, app.Button().Class("way").DataSet("action", o.action).DataSet("value", o.value).Text(o.text))
	}
	return buttons
}

// clusterWide are the kinds of the rail that have no namespace: rules of a namespace
// do not tell of them.
var clusterWide = map[string]bool{
	"persistentvolumes": true, "storageclasses.storage.k8s.io": true, "nodes": true, "namespaces": true,
	"ingressclasses.networking.k8s.io": true, "priorityclasses.scheduling.k8s.io": true, "customresourcedefinitions.apiextensions.k8s.io": true,
	"clusterroles.rbac.authorization.k8s.io": true, "clusterrolebindings.rbac.authorization.k8s.io": true,
}

// listable are the namespaces in which a kind may be listed; what was refused is not
// among them, whatever the rules say.
func (g sight) listable(id string) []string {
	var in []string
	for _, r := range g.rights.told.In {
		if r.May(id) && (id != g.here() || !slices.Contains(g.denied(), r.Namespace)) {
			in = append(in, r.Namespace)
		}
	}
	return in
}

// called is what people call a kind.
func (g sight) called(id string) string {
	for _, part := range railGroups {
		for _, k := range part.kinds {
			if k.id == id {
				return k.name
			}
		}
	}
	return id
}

// whoami says who the apiserver takes the user for.
func (g sight) whoami() string {
	switch {
	case g.user() == "":
		return ""
	case g.state.Groups == "":
		return fmt.Sprintf("You are %s.", g.user())
	}
	return fmt.Sprintf("You are %s, in the groups %s.", g.user(), strings.Join(apart(g.state.Groups), ", "))
}
