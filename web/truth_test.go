package web

import (
	"strings"
	"testing"

	"watchglass/internal/detail/rbac"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// TestAccessSpread checks that a number of namespaces is not said of one verb when it is that of several.
func TestAccessSpread(t *testing.T) {
	// get in a, list in b: what rbac.Answer gives is Some get|list, Spread 2
	h := holder(rbac.User, "ana", 0)
	h.Some, h.Spread = rbac.Get|rbac.List, 2
	if _, title := words.AccessMark(h, rbac.Get); strings.Contains(title, "2 namespaces") {
		t.Errorf("ana can get in one namespace: %q", title)
	}
}

// TestAccessOnly checks that nothing is called the only verb while another is allowed in some namespaces.
func TestAccessOnly(t *testing.T) {
	// patch everywhere, update in one namespace too
	h := holder(rbac.User, "ana", rbac.Patch)
	h.Some, h.Spread, h.In = rbac.Update, 1, "a"
	if mark, title := words.AccessMark(h, rbac.Edit); mark != "patch" || strings.HasPrefix(title, "Only") {
		t.Errorf("%q: %q", mark, title)
	}
	// deletecollection everywhere, delete in one namespace: kubectl auth can-i delete says no in the others
	h.All, h.Some = rbac.DeleteCollection, rbac.Delete
	if mark, title := words.AccessMark(h, rbac.Delete|rbac.DeleteCollection); mark != "deletecollection" || !strings.Contains(title, "delete in 1 namespace") {
		t.Errorf("%q: %q", mark, title)
	}
}

// TestNotCounted checks that a namespace whose objects have not been counted has no count, rather than 0.
func TestNotCounted(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.limitedUser(port.Source{State: port.Live, Synced: true, Namespace: "a,b"}, wire.Welcome{Namespaces: "a,b"})
		for _, c := range []struct {
			facets []view.Facet
			b      string
		}{{nil, "b"}, {[]view.Facet{{Name: view.NamespaceColumn, Values: []view.FacetValue{{Value: "a", Count: 3}}}}, "b 0"}} {
			w.locked(func(g *page) {
				*g.list.Window() = view.Window{Columns: []view.Column{{Name: "Name"}}, Of: 3, Total: 3, Facets: c.facets}
				_, pane := g.facets.Draw()
				if got := find(t, parts(t, pane), "data-value", "b").text; got != c.b {
					t.Errorf("%q, want %q", got, c.b)
				}
			})
		}
	})
}

// TestSessionInPast checks that the session is not called unbound in the past, whose Welcome knows none.
func TestSessionInPast(t *testing.T) {
	for _, past := range []bool{false, true} {
		text := content(parts(t, still(func(g *page) {
			if past {
				g.receive(port.Past{At: noon})
			}
			g.state.Proxy = &wire.Welcome{Auth: "token"}
		}).session.Draw()))
		if strings.Contains(text, "Not bound") == past {
			t.Errorf("past %v: %s", past, text)
		}
	}
}

// TestStepTabNone checks that the keys for the next tab do nothing on a list whose kind has no tab without an object.
func TestStepTabNone(t *testing.T) {
	onPage(t, "/releases.helm.sh", func(t *testing.T, w *tab) {
		for range 2 {
			w.Press(ui.Key{Name: "]", InGrid: true})
			w.Press(ui.Key{Name: "[", InGrid: true})
			w.live()
		}
		if got := w.here(); got != "/releases.helm.sh" {
			t.Error(got)
		}
	})
}

// TestNoMatchesInPart checks that there is no word of no matches while some namespaces are still to come.
func TestNoMatchesInPart(t *testing.T) {
	for _, rest := range []string{port.Syncing, port.Connecting} {
		t.Run(rest, func(t *testing.T) {
			onPage(t, "/pods?q=web", func(t *testing.T, w *tab) {
				w.setSource(port.Source{Resource: "pods", ID: "pods", Kind: "Pod", Namespaced: true, State: port.Denied, Namespace: "team-a,team-b", Denied: "team-b", Rest: rest, Objects: 500})
				*w.page.list.Window() = view.Window{Columns: []view.Column{{Name: "Name"}}, Of: 500}
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
			*g.list.Window() = view.Window{Columns: []view.Column{{Name: "Name"}}, Of: 2, Total: 2}
		})
		drawn := draw(t, w.page)
		if got := find(t, drawn, "class", "panel").text; strings.Contains(got, "Nothing has loaded") || find(t, drawn, "class", "list").attrs["data-panel"] == "true" {
			t.Errorf("two pods of team-a have loaded: %s", got)
		}
	})
}
