package web

import (
	"strings"
	"testing"

	"watchglass/internal/detail/rbac"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// TestAccessSpread checks that a number of namespaces is not said of one verb when it is that of several.
func TestAccessSpread(t *testing.T) {
	// get in a, list in b: what rbac.Answer gives is Some get|list, Spread 2
	h := holder(rbac.User, "ana", 0)
	h.Some, h.Spread = rbac.Get|rbac.List, 2
	if _, title := accessMark(h, rbac.Get); strings.Contains(title, "2 namespaces") {
		t.Errorf("ana can get in one namespace: %q", title)
	}
}

// TestAccessOnly checks that nothing is called the only verb while another is allowed in some namespaces.
func TestAccessOnly(t *testing.T) {
	// patch everywhere, update in one namespace too
	h := holder(rbac.User, "ana", rbac.Patch)
	h.Some, h.Spread, h.In = rbac.Update, 1, "a"
	if _, title := accessMark(h, rbac.Edit); strings.HasPrefix(title, "Only") {
		t.Errorf("%q", title)
	}
}

// TestNoMatchesInPart checks that there is no word of no matches while some namespaces are still to come.
func TestNoMatchesInPart(t *testing.T) {
	for _, rest := range []string{port.Syncing, port.Connecting} {
		t.Run(rest, func(t *testing.T) {
			onPage(t, "/pods?q=web", func(t *testing.T, w *tab) {
				w.setSource(port.Source{Resource: "pods", ID: "pods", Kind: "Pod", Namespaced: true, State: port.Denied, Namespace: "team-a,team-b", Denied: "team-b", Rest: rest, Objects: 500})
				w.page.list.window = view.Window{Columns: []view.Column{{Name: "Name"}}, Of: 500}
				drawn := draw(t, w.page)
				if got := find(t, drawn, "class", "panel").text; strings.Contains(got, "No matches") {
					t.Errorf("%s: %s", rest, got)
				}
				if got := find(t, drawn, "class", "list").attrs["aria-busy"]; got != "true" {
					t.Errorf("%s: busy %s", rest, got)
				}
			})
		})
	}
}

// TestLoadedInPart checks that the rows of one namespace stay while another can't be listed.
func TestLoadedInPart(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.setSource(port.Source{Resource: "pods", ID: "pods", Kind: "Pod", Namespaced: true, State: port.Connecting, Namespace: "team-a,team-b", Objects: 2, Cause: &wire.Status{Origin: wire.FromAPIServer, Code: 500, Message: "etcd is down"}})
		w.locked(func(g *page) {
			g.list.window = view.Window{Columns: []view.Column{{Name: "Name"}}, Of: 2, Total: 2}
		})
		drawn := draw(t, w.page)
		if got := find(t, drawn, "class", "panel").text; strings.Contains(got, "Nothing has loaded") || find(t, drawn, "class", "list").attrs["data-panel"] == "true" {
			t.Errorf("two pods of team-a have loaded: %s", got)
		}
	})
}
