package web

import (
	"strings"
	"testing"

	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/web/route"
	"watchglass/web/ui"
)

// TestUnknownMatches checks that a list never says that nothing matches while that is not known: it
// names what is missing.
func TestUnknownMatches(t *testing.T) {
	metrics := "pods.metrics.k8s.io"
	for _, c := range []struct {
		gaps          []view.Gap
		panel, banner string
	}{
		{nil, "No matches None of 8 nodes match. Clear filter", ""},
		{[]view.Gap{{Resource: "pods", State: port.Denied, Cause: "pods is forbidden"}}, "Matches unknown Pods: no permission to list. pods is forbidden Ask a cluster admin for the list and watch verbs. Clear filter", "Incomplete Pods: no permission to list."},
		{[]view.Gap{{Resource: "pods", State: port.Syncing}}, "Matches unknown Pods: loading. Clear filter", "Incomplete Pods: loading."},
		{[]view.Gap{{Resource: "pods", State: port.Connecting, Cause: "boom"}}, "Matches unknown Pods: can't be listed. boom Clear filter", "Incomplete Pods: can't be listed."},
		{[]view.Gap{{Resource: "pods", State: port.Stale}, {Resource: metrics, State: port.Denied}}, "Matches unknown Pods: stale. Metrics: no permission to list. Ask a cluster admin for the list and watch verbs. Clear filter", "Incomplete Pods: stale. Metrics: no permission to list."},
		{[]view.Gap{{Resource: metrics, State: view.Partial}}, "Matches unknown Metrics: known only for namespaces on screen or chosen. Choose a namespace to filter by usage there. Clear filter", "Incomplete Metrics: known only for namespaces on screen or chosen."},
		{[]view.Gap{{Resource: "pods", State: view.Partial, Only: "a"}}, "Matches unknown Pods: only a could be read. Ask a cluster admin for the list and watch verbs. Clear filter", "Incomplete Pods: only a could be read."},
		{[]view.Gap{{Resource: "pods", State: view.Unread, Unread: 2}}, "Matches unknown Pods: 2 objects can't be read. Clear filter", "Incomplete Pods: 2 objects can't be read."},
		{[]view.Gap{{Resource: "pods", State: view.Unread, Unread: 1, Only: "a"}}, "Matches unknown Pods: 1 object can't be read, and only a could be. Ask a cluster admin for the list and watch verbs. Clear filter", "Incomplete Pods: 1 object can't be read, and only a could be."},
	} {
		g := still(func(g *page) {
			g.address = route.Address{Resource: "nodes", Filter: "requested>10%"}
			g.state.Source = port.Source{Resource: "nodes", State: port.Live, Synced: true}
			*g.list.Window() = view.Window{Columns: []view.Column{{Name: "Name"}}, Of: 8, Gaps: c.gaps}
		})
		all := draw(t, g)
		if got := find(t, all, "class", "panel").text; got != c.panel {
			t.Errorf("%v: %q", c.gaps, got)
		}
		if got, known := g.top.count(), len(c.gaps) == 0; known != (got == "0 of 8") || !known && got != "" {
			t.Errorf("%v: counts %q", c.gaps, got)
		}
		g.list.Window().Total = 3
		if got := find(t, draw(t, g), "class", "banner").text; got != c.banner {
			t.Errorf("%v: with rows %q", c.gaps, got)
		}
	}
}

// TestUnreadGap checks that a list whose objects could not all be read says so, with rows and without.
func TestUnreadGap(t *testing.T) {
	for unread, want := range map[int][2]string{
		0: {"No matches None of 8 nodes match. Clear filter", ""},
		1: {"Matches unknown Nodes: 1 object can't be read. Clear filter", "Incomplete Nodes: 1 object can't be read."},
	} {
		g := still(func(g *page) {
			g.address = route.Address{Resource: "nodes", Filter: "x"}
			g.state.Source = port.Source{Resource: "nodes", ID: "nodes", State: port.Live, Synced: true, Unread: unread}
			*g.list.Window() = view.Window{Columns: []view.Column{{Name: "Name"}}, Of: 8}
		})
		if got := find(t, draw(t, g), "class", "panel").text; got != want[0] {
			t.Errorf("%d: %q", unread, got)
		}
		g.list.Window().Total = 3
		if got := find(t, draw(t, g), "class", "banner").text; got != want[1] {
			t.Errorf("%d: with rows %q", unread, got)
		}
	}
}

// TestColumnGaps checks what is said of columns on screen whose cells are empty or old.
func TestColumnGaps(t *testing.T) {
	for state, want := range map[string]string{
		port.Denied: "Pods: no permission to list.", port.Stale: "Pods: stale.", port.Throttled: "Pods: throttled.", port.Syncing: "", "": "", view.Partial: "",
	} {
		g := still(func(g *page) {
			g.address = route.Address{Resource: "nodes"}
			g.state.Source = port.Source{Resource: "nodes", State: port.Live, Synced: true}
			*g.list.Window() = view.Window{Columns: []view.Column{{Name: "Name"}, {Name: "Pods", Kind: uint8(object.AmountCell), Gap: view.Gap{Resource: "pods", State: state}}}, Total: 8, Of: 8}
		})
		if got := strings.TrimPrefix(find(t, draw(t, g), "class", "banner").text, "Incomplete "); got != want {
			t.Errorf("%s: %q", state, got)
		}
		if got := g.panel.Notes()["Pods"]; got != want {
			t.Errorf("%s: the heading says %q", state, got)
		}
	}
}

// TestLimitsWithin checks that a kind is marked as denied only while its list is, in all namespaces that are shown:
// not once another namespace is read, or the same one after its right was granted.
func TestLimitsWithin(t *testing.T) {
	const denied = "Pods: no permission to list in default."
	of := func(state, namespace string, s port.Source) port.Source {
		s.Resource, s.ID, s.Kind, s.Namespaced, s.State, s.Namespace = "pods", "pods", "Pod", true, state, namespace
		return s
	}
	for _, c := range []struct {
		name   string
		then   port.Source
		limits string
	}{
		{"another namespace is live", of(port.Live, "team-a", port.Source{Synced: true}), ""},
		{"the same is live", of(port.Live, "default", port.Source{Synced: true}), ""},
		{"another is live beside it", of(port.Denied, "default,team-a", port.Source{Denied: "default", Rest: port.Live, Synced: true}), ""},
		{"another is polled", of(port.Stale, "team-a", port.Source{Polled: 5000, Synced: true}), ""},
		{"all are polled", of(port.Stale, "", port.Source{Polled: 5000, Synced: true}), ""},
		{"another is loading beside it", of(port.Denied, "default,team-a", port.Source{Denied: "default", Rest: port.Syncing}), denied},
		{"another is as of the last visit", of(port.Connecting, "team-a", port.Source{Synced: true, AsOf: noon}), denied},
	} {
		t.Run(c.name, func(t *testing.T) {
			onPage(t, "/pods", func(t *testing.T, w *tab) {
				count := func() string { return find(t, draw(t, w.page), "data-value", "pods").text }
				w.setSource(of(port.Denied, "default", port.Source{}))
				if got := w.page.access.Limits(); got != denied || !strings.HasSuffix(count(), " denied") {
					t.Fatalf("%q, %q", got, count())
				}
				w.setSource(c.then)
				if got := w.page.access.Limits(); got != c.limits || strings.HasSuffix(count(), " denied") != (c.limits != "") {
					t.Errorf("%q, %q", got, count())
				}
			})
		})
	}
}

// TestLimitsElsewhere checks that a list of one namespace does not take back what the problems could not read of its kind.
func TestLimitsElsewhere(t *testing.T) {
	onPage(t, "/", func(t *testing.T, w *tab) {
		w.problems()
		w.told(port.Overview{Gaps: []view.Gap{{Resource: "pods", State: view.Partial, Only: "a,b"}}})
		w.Act(ui.GoTo, "pods")
		for _, c := range []struct{ namespace, limits string }{{"a", "Pods: only a, b could be read."}, {"", ""}} {
			w.setSource(port.Source{Resource: "pods", ID: "pods", Kind: "Pod", Namespaced: true, State: port.Live, Synced: true, Namespace: c.namespace})
			if got := w.page.access.Limits(); got != c.limits {
				t.Errorf("after the list of %q: %q", c.namespace, got)
			}
		}
	})
}

// TestLimits checks that the sidebar marks what may not be read, that the current user's details name
// it, and that nodes are not offered in namespaces.
func TestLimits(t *testing.T) {
	onPage(t, "/", func(t *testing.T, w *tab) {
		w.problems()
		w.told(port.Overview{Gaps: []view.Gap{
			{Resource: "nodes", State: port.Denied}, {Resource: "pods", State: view.Partial, Only: "a"}, {Resource: "jobs.batch", State: port.Syncing},
		}})
		marked := func(kind string) bool {
			all := draw(t, w.page)
			return find(t, all, "data-value", kind).text != "" && strings.HasSuffix(find(t, all, "data-value", kind).text, " denied")
		}
		if !marked("nodes") || marked("pods") || marked("jobs.batch") {
			t.Error("other kinds than nodes are marked")
		}
		if got := w.page.access.Limits(); got != "Nodes: no permission to list. Pods: only a could be read." {
			t.Errorf("%q", got)
		}
		w.Act(ui.GoTo, "nodes")
		w.setSource(port.Source{Resource: "nodes", ID: "nodes", Kind: "Node", State: port.Live, Synced: true})
		if marked("nodes") {
			t.Error("nodes are marked although they are read")
		}
		w.page.access.OnRights(port.Rights{In: []port.Right{{Namespace: "catalog", Lists: []string{"*.*"}}, {Namespace: "shop", Lists: []string{"*.*"}}}})
		w.setSource(port.Source{Resource: "nodes", ID: "nodes", Kind: "Node", State: port.Denied})
		if all := draw(t, w.page); !marked("nodes") || strings.Contains(find(t, all, "class", "panel").text, "Nodes in") {
			t.Error(find(t, all, "class", "panel").text)
		}
	})
}
