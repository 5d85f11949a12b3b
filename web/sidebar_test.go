package web

import (
	"fmt"
	"strings"
	"testing"

	"watchglass/internal/port"
	"watchglass/web/ui"
)

// TestWatchKindsOnce checks that the kinds are requested once, and only after the list is on
// screen.
func TestWatchKindsOnce(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		watches := func() (n int) {
			for _, m := range w.takeSent() {
				if _, ok := m.(port.WatchKinds); ok {
					n++
				}
			}
			return n
		}
		w.setSource(port.Source{Resource: "pods", State: "connecting"})
		w.setSource(port.Source{Resource: "pods", State: "syncing"})
		if n := watches(); n != 0 {
			t.Errorf("%d too early", n)
		}
		w.setSource(port.Source{Resource: "pods", State: "live"})
		w.setSource(port.Source{Resource: "pods", State: "stale"})
		w.setSource(port.Source{Resource: "pods", State: "live"})
		if n := watches(); n != 1 {
			t.Errorf("%d watches", n)
		}
	})
}

// names returns the kinds of a group.
func names(t *testing.T, g *page, of string) (out []string) {
	t.Helper()
	in := ""
	for _, e := range parts(t, g.sidebar.Draw()) {
		switch e.attrs["class"] {
		case "group":
			in = ""
		case "fold":
			in = e.text
		case "name":
			if in == of {
				out = append(out, e.text)
			}
		}
	}
	return out
}

// countOf returns the number beside a kind.
func countOf(t *testing.T, g *page, id, name string) string {
	t.Helper()
	return strings.TrimPrefix(strings.TrimPrefix(find(t, parts(t, g.sidebar.Draw()), "data-value", id).text, name), " ")
}

// TestRailKinds checks the group and order of kinds.
func TestRailKinds(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		for of, want := range map[string]string{
			"Custom": "[]",
			"Config": "[ConfigMaps Secrets HPAs PDBs ResourceQuotas LimitRanges PriorityClasses]",
			"Access": "[ServiceAccounts Roles RoleBindings ClusterRoles ClusterRoleBindings]",
		} {
			if got := fmt.Sprint(names(t, w.page, of)); got != want {
				t.Errorf("%s: %s, want %s, while nobody knows what there is", of, got, want)
			}
		}
		w.in <- port.Kinds{Kinds: []port.Kind{
			{ID: "pods", Name: "Pod"}, {ID: "zebras.zoo.example.com", Name: "Zebra", Custom: true}, {ID: "gears.acme.example.com", Name: "Gear", Custom: true},
			{ID: "apes.zoo.example.com", Name: "Ape", Custom: true}, {ID: "endpoints", Name: "Endpoints"},
			{ID: "clusterroles.rbac.authorization.k8s.io", Name: "ClusterRole"},
		}}
		w.in <- port.Counts{Kinds: []port.Count{{ID: "secrets", Objects: 1200}}}
		w.setSource(port.Source{Resource: "pods", ID: "pods", State: "live", Synced: true})
		g := w.page
		w.Act(ui.ToggleGroup, "Other")
		for of, want := range map[string]string{"Custom": "[Gear Ape Zebra]", "Other": "[Endpoints]", "Current": "[]", "Workloads": "[Pods]", "Access": "[ClusterRoles]", "Config": "[]"} {
			if got := fmt.Sprint(names(t, g, of)); got != want {
				t.Errorf("%s: %s, want %s", of, got, want)
			}
		}
		w.Act("star", "secrets")
		if got, e := countOf(t, g, "secrets", "Secrets"), find(t, parts(t, g.sidebar.Draw()), "data-value", "secrets"); got != "1,200" || e.attrs["aria-current"] != "false" {
			t.Errorf("%q, %v", got, e.attrs)
		}
	})
}

// TestCountOfKind checks that the number beside the current kind counts all objects that the user
// may list, not only those in the chosen namespaces.
func TestCountOfKind(t *testing.T) {
	for name, c := range map[string]struct{ address, listed, held, want string }{
		"the cluster":                  {"/pods", "", "", "1,000"},
		"a namespace of the cluster":   {"/pods?n=a", "", "", "1,000"},
		"all namespaces that may be":   {"/pods", "a,b", "", "1,000"},
		"a namespace of those":         {"/pods?n=a", "a", "", ""},
		"a namespace, all are counted": {"/pods?n=a", "a", "pods", "1,200"},
	} {
		onPage(t, c.address, func(t *testing.T, w *tab) {
			w.live()
			if c.held != "" {
				w.in <- port.Counts{Kinds: []port.Count{{ID: c.held, Objects: 1200}}}
			}
			w.setSource(port.Source{Resource: "pods", ID: "pods", State: "live", Synced: true, Namespaced: true, Namespace: c.listed})
			if got := countOf(t, w.page, "pods", "Pods"); got != c.want {
				t.Errorf("%s: %q, want %q", name, got, c.want)
			}
		})
	}
}

// TestFold folds and unfolds groups.
func TestFold(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		shut := func(name string) bool {
			return find(t, parts(t, w.page.sidebar.Draw()), "data-value", name).attrs["aria-expanded"] == "false"
		}
		w.Act(ui.ToggleGroup, "Workloads")
		w.Act(ui.ToggleGroup, "Network")
		w.want("remember rail Workloads, remember rail Network,Workloads")
		if !shut("Workloads") || !shut("Network") || shut("Config") {
			t.Error("others are folded")
		}
		w.Act(ui.ToggleGroup, "Workloads")
		w.want("remember rail Network")
		if shut("Workloads") {
			t.Error("it did not open")
		}
	})
}
