package web

import (
	"slices"
	"strings"
	"testing"

	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/web/columns"
	"watchglass/web/facets"
	"watchglass/web/route"
	"watchglass/web/ui"
)

// groups is a window of pods grouped by node, with what can be summed.
func groups() view.Patch {
	return view.Patch{
		Columns: []view.Column{{Name: "Node", Kind: 5}, {Name: view.ObjectsColumn, Kind: 6}, {Name: view.UnhealthyColumn, Kind: 6}, {Name: "Restarts", Kind: 6}, {Name: "CPU Requests", Kind: 6}},
		Known:   []view.Column{{Name: view.NamespaceColumn}, {Name: "Name", Kind: 5}, {Name: "Status"}, {Name: "Restarts", Kind: 3, Sums: true}, {Name: "CPU Requests", Kind: 6, Priority: -1, Sums: true, Gap: view.Gap{Resource: "pods", State: port.Denied}}},
		Group:   "Node", Total: 2, Matched: 5, Of: 9, Order: []int{-1, -1},
		Rows: []view.Row{{Key: "/n1", Cells: []string{"n1", "3", "1", "7", "1250m"}}, {Key: "/", Cells: []string{"<none>", "2", "0", "0", "0"}}},
		Facets: []view.Facet{
			{Name: view.NamespaceColumn, Values: []view.FacetValue{{Value: "a", Count: 1204, Sum: "3500m (4 of 5)"}, {Value: "b", Count: 2}}},
			{Name: "Node", Values: []view.FacetValue{{Value: "n1", Count: 3, Sum: "4300Mi"}, {Value: "", Count: 2, Sum: "0"}}},
			{Name: "Status", Values: []view.FacetValue{{Value: "Running", Count: 5}}},
		},
	}
}

// onGroups runs a test on a page that shows groups.
func onGroups(t *testing.T, address string, test func(t *testing.T, w *tab)) {
	onPage(t, address, func(t *testing.T, w *tab) {
		w.live().screen.takeCalls()
		test(t, w)
	})
}

// TestGroupLinks checks that the row of a group links to the list of its objects, and that of an object to the object in the
// same list.
func TestGroupLinks(t *testing.T) {
	a := route.Parse("", "/pods", "n=a&q=crash&group=Node&sum=Restarts&tab=yaml&embed=list")
	for key, want := range map[string]string{"/n1": "/pods?n=a&q=crash+node:n1&sum=Restarts&tab=yaml", "a/p1": "/pods?n=a&q=crash&group=Node&sum=Restarts&sel=a/p1&tab=yaml"} {
		if link := objectsOf(a, "Pod", "").Address(key); link != want {
			t.Errorf("the row %s links to %s, want %s", key, link, want)
		}
	}
}

// TestGroupOpens checks that a click on a group, or Enter, shows its objects, and that Back would lead
// to the groups; and that keys for objects do nothing on a group.
func TestGroupOpens(t *testing.T) {
	onGroups(t, "/pods?group=Node", func(t *testing.T, w *tab) {
		w.Clicked("/n1")
		w.want(`push /pods?q=node:n1, filter="node:n1"`)
		if l := w.looks(); len(l) == 0 || l[len(l)-1].Group != "" || l[len(l)-1].Text != "node:n1" {
			t.Errorf("%+v", l)
		}
	})
	onGroups(t, "/pods?group=Node", func(t *testing.T, w *tab) {
		w.press("j", "y", "x")
		w.want(`focus grid`)
		w.press("Enter")
		w.want(`push /pods?q=node:n1, filter="node:n1"`)
	})
}

// TestGroupBy checks that grouping keeps the filter, drops what belongs to other rows, and ends with
// the same button, with Escape and with the palette.
func TestGroupBy(t *testing.T) {
	onPage(t, "/pods?q=crash&sort=Age&sel=a/b&tab=yaml", func(t *testing.T, w *tab) {
		w.live().screen.takeCalls()
		w.Act(ui.GroupBy, "Node")
		w.want(`push /pods?q=crash&group=Node, focus grid`)
		w.Act(ui.GroupBy, "Status")
		w.want(`push /pods?q=crash&group=Status, focus grid`)
		w.Act(ui.GroupBy, "Status")
		w.want(`push /pods?q=crash, focus grid`)
		w.Act(ui.GroupBy, "Status")
		w.screen.takeCalls()
		w.press("Escape")
		w.want(`push /pods?q=crash, focus grid`)
	})
	onGroups(t, "/pods?group=Node", func(t *testing.T, w *tab) {
		w.press("b")
		var texts []string
		for _, o := range offers(w.page.palette, "") {
			texts = append(texts, o.Text)
		}
		if want := []string{"Ungroup", "Group by Namespace", "Group by Status"}; !slices.Equal(texts, want) {
			t.Errorf("%q, want %q", texts, want)
		}
		w.screen.takeCalls()
		w.press("ArrowDown", "ArrowDown", "Enter")
		if here := w.here(); here != "/pods?group=Status" {
			t.Error(here)
		}
	})
}

// TestSumField checks the field that chooses what the facets show, and what they then show.
func TestSumField(t *testing.T) {
	onGroups(t, "/pods?group=Node&sum=CPU+Requests", func(t *testing.T, w *tab) {
		_, pane := w.page.facets.Draw()
		all := parts(t, pane)
		var options, numbers []string
		for _, e := range all {
			switch {
			case e.tag == "option":
				options = append(options, e.text)
			case e.attrs["class"] == "number" && e.attrs["title"] != "":
				numbers = append(numbers, e.text+": "+e.attrs["title"])
			}
		}
		if want := []string{"Count", "Restarts", "CPU Requests"}; !slices.Equal(options, want) {
			t.Errorf("%q, want %q", options, want)
		}
		if want := []string{"3.5 (4): CPU Requests: 3500m (4 of 5)", "–: No value for CPU Requests", "4.2Gi: CPU Requests: 4300Mi", "0: CPU Requests: 0", "–: No value for CPU Requests"}; !slices.Equal(numbers, want) {
			t.Errorf("%q, want %q", numbers, want)
		}
		w.screen.takeCalls()
		w.Typed(facets.SumField, "Restarts")
		w.want("push /pods?group=Node&sum=Restarts")
		w.Typed(facets.SumField, "")
		w.want("push /pods?group=Node")
		w.Moved("/pods", "sum=Restarts")
		w.want(`filter="", sum="Restarts"`)
	})
}

// TestGroupSays checks what is said of a grouped list: how many groups of how many objects, the kubectl
// command, and which columns can be chosen.
func TestGroupSays(t *testing.T) {
	onGroups(t, "/pods?group=Node&sort=Restarts", func(t *testing.T, w *tab) {
		g := w.page
		if got := g.top.count(); got != "2 groups of 5" {
			t.Error(got)
		}
		g.state.Source = port.Source{Resource: "pods", ID: "pods", Kind: "Pod", Namespaced: true, State: port.Live}
		if c := g.ListCommand(); c.Text != "kubectl get pods -A" || !slices.Equal(c.Unsaid, []string{"grouping by Node"}) {
			t.Errorf("%+v", c)
		}
		w.screen.takeCalls()
		w.Act(ui.SortBy, "Status")
		if text := w.notice(); text != "No column Status in this list." {
			t.Error(text)
		}
		w.Act(columns.Toggle, "CPU Requests")
		if here := w.here(); here != "/pods?sort=Restarts&group=Node&cols=Namespace,Name,Status,Restarts" {
			t.Errorf("a sum that was there without being asked for does not go: %s", here)
		}
		w.Act(columns.Toggle, "CPU Requests")
		if here := w.here(); !strings.HasSuffix(here, "cols=Namespace,Name,Status,Restarts,CPU+Requests") {
			t.Error(here)
		}
	})
}
