package access

import (
	"maps"
	"slices"
	"strings"

	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// slot returns the key under which the browser stores the namespaces of a cluster and user.
func slot(w wire.Welcome) string {
	return "namespaces " + strings.Join([]string{w.Context, w.Cluster, w.Server, w.User}, " ")
}

// Access is the part with the namespaces that the user may list, and those that the user added. Its slices are immutable.
type Access struct {
	host       Host
	browser    Browser
	of         *wire.Welcome // whose rights these are; nil until known
	remembered []string      // namespaces that the user added
	reported   port.Rights
	refused    map[string]view.Gap // what the lists that were read so far lack, by kind
}

// New returns an Access that knows nothing yet.
func New(h Host, b Browser) *Access { return &Access{host: h, browser: b} }

// Remembered returns the namespaces that the user added.
func (ac *Access) Remembered() []string { return ac.remembered }

// Commands returns the commands about namespaces.
func (ac *Access) Commands() []ui.Command {
	return []ui.Command{{ID: ui.AddNamespace, Run: ac.Add}, {ID: ui.ForgetNamespace, Run: ac.forget}, {ID: ui.Within, Run: ac.within}}
}

// OnReset sends the user's namespaces to the new hub.
func (ac *Access) OnReset() {
	if ac.of != nil {
		ac.host.Send(port.SavedNamespaces{Namespaces: ac.remembered})
	}
}

// Recall loads the namespaces that were added on an earlier visit and sends them to the worker,
// once the cluster and the user are known.
func (ac *Access) Recall(w *wire.Welcome) {
	if w == nil || ac.of != nil {
		return
	}
	ac.of, ac.remembered = w, words.SplitList(ac.browser.Recall(slot(*w)))
	ac.host.Send(port.SavedNamespaces{Namespaces: ac.remembered})
}

// remember stores the namespaces and sends them to the worker.
func (ac *Access) remember(namespaces []string) {
	if ac.of == nil {
		return
	}
	ac.remembered = namespaces
	ac.browser.Remember(slot(*ac.of), strings.Join(namespaces, ","))
	ac.host.Send(port.SavedNamespaces{Namespaces: namespaces})
}

// OnRights stores what the user may list.
func (ac *Access) OnRights(r port.Rights) {
	ac.reported = r
	ac.host.Redraw()
}

// NoteGaps notes which of the lists that the problems rest on may not be read.
func (ac *Access) NoteGaps(gaps []view.Gap) {
	if ac.host.InPast() {
		return
	}
	all := make(map[string]view.Gap)
	for _, g := range gaps {
		if words.GapOf(g).Refused {
			all[g.Resource] = g
		}
	}
	if !maps.Equal(all, ac.refused) {
		ac.refused = all
		ac.host.RedrawSoon()
	}
}

// OnState notes whether the list on screen may be read. A list of some namespaces shows that the kind is not
// denied altogether. It says nothing of other namespaces, so a gap that the problems reported there stays.
func (ac *Access) OnState(s port.Source) {
	if s.ID == "" || s.ID == port.Problems || ac.host.InPast() { // what is not remembered is no right
		return
	}
	switch {
	case s.State == port.Denied && s.Rest == "" && (s.Cause == nil || !s.Cause.Unauthorized()):
		if ac.refused == nil {
			ac.refused = make(map[string]view.Gap)
		}
		ac.refused[s.ID] = view.Gap{Resource: s.ID, State: port.Denied, Only: s.Namespace}
	case s.Synced && s.AsOf.IsZero() && (s.Namespace == "" || ac.refused[s.ID].State == port.Denied):
		delete(ac.refused, s.ID)
	}
}

// Refused returns what may not be read of what is shown, by kind. Of a recording that is nothing: the noted
// rights are the user's in the live cluster, and somebody else may have made it.
func (ac *Access) Refused() map[string]view.Gap {
	if ac.host.InRecording() {
		return nil
	}
	return ac.refused
}

// Limits returns what the user may not read, as far as it is known.
func (ac *Access) Limits() string {
	refused := ac.Refused()
	var gaps []view.Gap
	for _, id := range slices.Sorted(maps.Keys(refused)) {
		gaps = append(gaps, refused[id])
	}
	var all []string
	for _, g := range ac.host.NameGaps(gaps) {
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

// Add adds a namespace to those that are shown and remembered. Adding the first one also
// remembers the namespaces shown until then.
func (ac *Access) Add(namespace string) {
	if !ac.Partial() || !route.IsNamespace(namespace) {
		return
	}
	shown := words.Without(words.SplitList(ac.host.State().Source.Namespace), ac.Denied())
	before := ac.remembered
	if len(before) == 0 {
		before = shown
	}
	ac.host.ClearFind()
	ac.remember(merged(before, []string{namespace}))
	ac.host.Navigate(true, func(a *route.Address) {
		if len(a.Namespaces) > 0 {
			a.Namespaces = merged(a.Namespaces, []string{namespace})
		} else if ac.of.Namespaces != "" { // --namespaces overrides what is remembered
			a.Namespaces = merged(shown, []string{namespace})
		}
	})
	ac.host.Redraw()
}

// forget removes a namespace from the remembered ones and from the view.
func (ac *Access) forget(namespace string) {
	gone := []string{namespace}
	ac.remember(words.Without(ac.remembered, gone))
	ac.host.Navigate(true, func(a *route.Address) { a.Namespaces = words.Without(a.Namespaces, gone) })
	ac.host.Redraw()
}

// within shows the given namespaces only.
func (ac *Access) within(list string) {
	ac.host.Rewind()
	ac.host.Navigate(true, func(a *route.Address) { a.Namespaces = words.SplitList(list) })
}

// Partial reports whether the page knows only some namespaces, because the user may not list
// the whole cluster.
func (ac *Access) Partial() bool {
	s, w := ac.host.State().Source, ac.host.State().Proxy
	if w == nil || w.Narrow || !s.Namespaced || s.Cause != nil && s.Cause.Unauthorized() {
		return false
	}
	return s.Namespace != "" || s.State == port.Denied
}

// Denied returns the namespaces of the source that the user may not list.
func (ac *Access) Denied() []string {
	s := ac.host.State().Source
	if s.State == port.Denied && s.Rest == "" {
		return words.SplitList(s.Namespace)
	}
	return words.SplitList(s.Denied)
}

// Known returns all namespaces that the page has heard of.
func (ac *Access) Known() []string {
	counted := ac.host.CountedNamespaces()
	if !ac.Partial() {
		return counted
	}
	w := ac.host.State().Proxy
	return merged(counted, ac.remembered, ac.reported.Namespaces, ac.host.Address().Namespaces, words.SplitList(w.Namespaces), words.SplitList(w.Namespace), words.SplitList(ac.host.State().Source.Namespace))
}
