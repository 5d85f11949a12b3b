package web

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
	"watchglass/web/columns"
	"watchglass/web/filter"
	"watchglass/web/grid"
	"watchglass/web/list"
	"watchglass/web/sidebar"
	"watchglass/web/ui"
)

// TestFirstLook checks the first request of a page: everything in its address, and few rows.
func TestFirstLook(t *testing.T) {
	onPage(t, "/Deployments.apps?n=a,b&l=app=web&q=crash&sort=-Age&cols=wide&sel=a/p3", func(t *testing.T, w *tab) {
		want := port.ListQuery{ID: list.ID, Resource: "deployments.apps", Query: view.Query{
			Seq: 1, Namespaces: []string{"a", "b"}, Labels: "app=web", Text: "crash", Sort: "Age", Descending: true, Wide: true, Limit: 14, Locate: "a/p3",
		}}
		if got := w.looks(); len(got) != 1 || !reflect.DeepEqual(got[0], want) {
			t.Fatalf("want %+v, got %+v", want, got)
		}
		w.sendPatch(w.window(want))
		w.want("mark watchglass:first-row")
		if m := w.takeSent(); len(m) != 2 || m[0].(port.ListQuery).Limit <= 20 || m[1] != (port.Painted{ID: list.ID}) {
			t.Fatalf("after the first rows: %+v", m)
		}
		w.sendPatch(w.window(w.page.list.Asked()))
		w.want("")
		if m := w.takeSent(); len(m) != 1 || m[0] != (port.Painted{ID: list.ID}) {
			t.Fatalf("nothing else is asked for, but %+v", m)
		}
		w.wantMarked("active a/p3, selected a/p3")
		if w.paper.sort != "Age true" {
			t.Error(w.paper.sort)
		}
	})
}

// TestSteps checks how each action changes the address, the requests and the fields, and whether
// Back undoes it.
func TestSteps(t *testing.T) {
	for name, c := range map[string]struct {
		at    string
		do    func(w *tab)
		steps string // the calls to the browser
		asks  bool   // it changes the query
	}{
		"filter":                  {"/pods", func(w *tab) { w.Typed("filter", " crash ") }, "push /pods?q=crash", true},
		"filter, a space":         {"/pods?q=a", func(w *tab) { w.Typed("filter", "a ") }, "", false},
		"no labels":               {"/pods?l=app=web&q=a", func(w *tab) { w.Act(filter.ClearLabels, "") }, "push /pods?q=a", true},
		"no filter any more":      {"/pods?q=a", func(w *tab) { w.Typed("filter", "") }, "push /pods", true},
		"find":                    {"/pods", func(w *tab) { w.Typed("find", "kube") }, "", false},
		"some other field":        {"/pods", func(w *tab) { w.Typed("password", "x") }, "", false},
		"sort":                    {"/pods", func(w *tab) { w.Act(ui.SortBy, "Age") }, "push /pods?sort=Age", true},
		"sort the other way":      {"/pods?sort=Age", func(w *tab) { w.Act(ui.SortBy, "Age") }, "push /pods?sort=-Age", true},
		"sort no more":            {"/pods?sort=-Age", func(w *tab) { w.Act(ui.SortBy, "Age") }, "push /pods", true},
		"sort by another":         {"/pods?sort=-Age", func(w *tab) { w.Act(ui.SortBy, "Name") }, "push /pods?sort=Name", true},
		"choose":                  {"/pods?n=c", func(w *tab) { w.Act(ui.ChooseNamespace, "a") }, "push /pods?n=a,c", true},
		"choose what is left out": {"/pods?q=web+!ns:a", func(w *tab) { w.Act(ui.ChooseNamespace, "a") }, `push /pods?n=a&q=web, filter="web"`, true},
		"unchoose":                {"/pods?n=a,c", func(w *tab) { w.Act(ui.ChooseNamespace, "a") }, "push /pods?n=c", true},
		"unchoose the last":       {"/pods?n=a", func(w *tab) { w.Act(ui.ChooseNamespace, "a") }, "push /pods", true},
		"only":                    {"/pods?n=a,c", func(w *tab) { w.Act(ui.ChooseOnly, "b") }, "push /pods?n=b", true},
		"only, of many":           {"/pods?n=a,c", func(w *tab) { w.Act(ui.ChooseOnly, "a") }, "push /pods?n=a", true},
		"only, again":             {"/pods?n=b", func(w *tab) { w.Act(ui.ChooseOnly, "b") }, "push /pods", true},
		"wide":                    {"/pods", func(w *tab) { w.Act(columns.ToggleWide, "") }, "push /pods?cols=wide, remember columns {\"pods\":\"wide\"}", true},
		"no longer wide":          {"/pods?cols=wide", func(w *tab) { w.Act(columns.ToggleWide, "") }, "push /pods, remember columns {}", true},
		"clear":                   {"/pods?n=a&l=b&q=c&sort=Age", func(w *tab) { w.Act(ui.ClearFilters, "") }, `push /pods?sort=Age, filter=""`, true},
		"another kind":            {"/pods?c=k&n=a&l=b&q=c&sort=Age&sel=a/b", func(w *tab) { w.Act(ui.GoTo, "jobs.batch") }, `state connecting jobs.batch · Watchglass, push /jobs.batch?c=k&n=a, filter=""`, true},
		"the same kind":           {"/pods", func(w *tab) { w.Act(ui.GoTo, "pods") }, `filter=""`, false},
		"leave a filter":          {"/pods?q=c&l=x", func(w *tab) { w.Act(ui.Leave, "") }, `push /pods?l=x, filter=""`, true},
		"leave nothing":           {"/pods", func(w *tab) { w.Act(ui.Leave, "") }, "", false},
		"click":                   {"/pods", func(w *tab) { w.Clicked("a/p1") }, "push /pods?sel=a/p1", true},
		"click what is chosen":    {"/pods?sel=a/p1", func(w *tab) { w.Clicked("a/p1") }, "push /pods", false},
		"unselect":                {"/pods?sel=a/p1&q=x", func(w *tab) { w.Act(ui.Leave, "") }, "push /pods?q=x, focus grid", false},
		"theme":                   {"/pods", func(w *tab) { w.Act(ToggleTheme, "") }, "theme", false},
		"reload":                  {"/pods", func(w *tab) { w.Act(Reload, "") }, "reload", false},
		"no such action":          {"/pods", func(w *tab) { w.Act("fly", "") }, "", false},
		"Back":                    {"/pods?q=a", func(w *tab) { w.Moved("/pods", "?q=b&l=c") }, `filter="b"`, true},
		"Back to another kind":    {"/pods?q=a", func(w *tab) { w.Moved("/nodes", "") }, `filter="", state connecting nodes · Watchglass`, true},
	} {
		t.Run(name, func(t *testing.T) {
			onPage(t, c.at, func(t *testing.T, w *tab) {
				w.live()
				c.do(w)
				asked := len(w.looks()) > 0
				got := w.screen.takeCalls()
				// The query is sent in the middle of a step; the order does not matter.
				if sorted(got) != sorted(c.steps) || asked != c.asks {
					t.Errorf("told %q, asked %v; want %q, %v", got, asked, c.steps, c.asks)
				}
			})
		})
	}
}

// TestTypedSteps checks that text typed in one go is one step for Back.
func TestTypedSteps(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		steps := func(want string) {
			t.Helper()
			if got := w.screen.takeCalls(); got != want {
				t.Errorf("told %q, want %q", got, want)
			}
		}
		w.Typed("filter", " ") // changes no query
		w.Typed("filter", "c")
		w.Typed("filter", "cr")
		steps("push /pods?q=c, replace /pods?q=cr")
		w.Focused("grid")
		w.Focused("filter")
		w.Typed("filter", "cra")
		steps("push /pods?q=cra")
		w.Moved("/pods", "q=c")
		w.screen.takeCalls()
		w.Typed("filter", "cd")
		w.Act(ui.SortBy, "Name")
		w.Typed("filter", "cde")
		steps("push /pods?q=cd, push /pods?q=cd&sort=Name, push /pods?q=cde&sort=Name")
	})
}

// TestBegins checks that a new query starts at the top, with nothing left of the previous position.
func TestBegins(t *testing.T) {
	for name, do := range map[string]func(w *tab){
		"filter": func(w *tab) { w.Typed("filter", "x") }, "labels": func(w *tab) { w.Act(filter.ClearLabels, "") },
		"sort": func(w *tab) { w.Act(ui.SortBy, "Age") }, "choose": func(w *tab) { w.Act(ui.ChooseNamespace, "b") },
		"clear": func(w *tab) { w.Act(ui.ClearFilters, "") }, "another kind": func(w *tab) { w.Act(ui.GoTo, "nodes") },
		"Back": func(w *tab) { w.Moved("/pods", "q=y") },
	} {
		t.Run(name, func(t *testing.T) {
			onPage(t, "/pods?l=app%3Dweb&q=a", func(t *testing.T, w *tab) {
				w.live().Pointed(true)
				if w.Press(ui.Key{Name: "End", InGrid: true}); !w.page.list.Moving() { // its answer has not arrived
					t.Fatal("the last row is here already")
				}
				w.looks()
				w.screen.takeCalls()
				do(w)
				got := w.looks()
				if len(got) != 1 || got[0].Offset != 0 || got[0].Anchor != "" || !w.paper.busy {
					t.Fatalf("asked for %+v, busy %t", got, w.paper.busy)
				}
				w.sendPatch(w.window(got[0]))
				w.answer()
				if w.paper.busy {
					t.Error("busy, though it was answered")
				}
				w.wantMarked("")
				if w.Press(ui.Key{Name: "j", InGrid: true}); w.page.list.Mark() != "a/p0" {
					t.Errorf("the first row is not the next one, but %q", w.page.list.Mark())
				}
			})
		})
	}
}

// TestBackKeepsItsPlace checks that Back to the same rows does not move them.
func TestBackKeepsItsPlace(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live().Scrolled(100*ui.RowHeight, 20*ui.RowHeight)
		w.answer()
		w.Clicked("a/p103")
		w.answer()
		w.screen.takeCalls()
		w.Moved("/pods", "")
		w.want(`filter=""`)
		if w.page.list.Geometry().Scroll != 100*ui.RowHeight {
			t.Error(w.page.list.Geometry().Scroll)
		}
	})
}

// TestKeysMove checks which row each key makes active.
func TestKeysMove(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		for _, c := range []struct{ key, active, scroll string }{
			{"j", "a/p0", ""}, {"ArrowDown", "a/p1", ""}, {"k", "a/p0", ""}, {"ArrowUp", "a/p0", ""},
			{"PageDown", "a/p20", ", scroll 28"}, {"PageDown", "a/p40", ", scroll 588"}, {"PageUp", "a/p20", ", scroll 560"},
			{"End", "a/p999", ", scroll 27440"}, {"j", "a/p999", ""}, {"Home", "a/p0", ", scroll 0"},
			{"G", "a/p999", ", scroll 27440"}, {"g", "a/p0", ", scroll 0"},
		} {
			w.press(c.key)
			w.want("focus grid" + c.scroll)
			w.wantMarked("active " + c.active)
		}
		w.press("j", "Enter")
		w.want("focus grid, push /pods?sel=a/p1")
		w.wantMarked("active a/p1, selected a/p1")
		w.press("Enter")
		w.want("push /pods")
		w.press("Escape")
		w.wantMarked("")
		if w.page.list.Asked().Anchor != "" {
			t.Error("nothing is chosen, and still a row is held")
		}
	})
}

// TestClickWhileComing checks that a click overrides a pending key.
func TestClickWhileComing(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		w.Press(ui.Key{Name: "End", InGrid: true})
		w.Clicked("a/p3")
		w.answer()
		if w.page.list.Mark() != "a/p3" || w.here() != "/pods?sel=a/p3" {
			t.Fatal(w.page.list.Mark(), w.here())
		}
	})
}

// TestMoveWithoutRows checks that keys do nothing in an empty list.
func TestMoveWithoutRows(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.total = 0
		w.live()
		for _, k := range []string{"j", "k", "Home", "End", "PageDown", "PageUp", "Enter"} {
			w.press(k)
		}
		w.want("")
		w.wantMarked("")
	})
}

// TestMoveFromSight checks that the first key starts from the visible rows.
func TestMoveFromSight(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live().Scrolled(500*ui.RowHeight-10, 20*ui.RowHeight)
		w.answer()
		w.press("j")
		w.wantMarked("active a/p500")
	})
}

// TestKeys checks keys outside the list and in a field.
func TestKeys(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		for _, c := range []struct {
			key   ui.Key
			ours  bool
			steps string
		}{
			{ui.Key{Name: "/"}, true, "focus filter"},
			{ui.Key{Name: "/", Typing: true}, false, ""},
			{ui.Key{Name: "n"}, true, "focus find"},
			{ui.Key{Name: "Escape"}, true, "focus grid"}, // closes the namespaces again
			{ui.Key{Name: "Escape", Typing: true}, true, "focus grid"},
			{ui.Key{Name: "j", Typing: true}, false, ""},
			{ui.Key{Name: "j"}, true, "focus grid"},
			{ui.Key{Name: "ArrowDown"}, false, ""},
			{ui.Key{Name: "Home"}, false, ""},
			{ui.Key{Name: "PageDown"}, false, ""},
			{ui.Key{Name: "Enter"}, false, ""},
			{ui.Key{Name: "g"}, true, "focus grid"},
			{ui.Key{Name: "W", Command: true}, false, ""},
			{ui.Key{Name: "D"}, true, "theme"},
			{ui.Key{Name: "t"}, false, ""},
			{ui.Key{Name: "?"}, true, "focus help"},
			{ui.Key{Name: "?"}, true, "focus grid"},
			{ui.Key{Name: "?"}, true, "focus help"},
			{ui.Key{Name: "Escape"}, true, "focus grid"},
			{ui.Key{Name: "N"}, true, "push /pods?sort=Name"},
			{ui.Key{Name: "S"}, true, "push /pods?sort=Status"},
			{ui.Key{Name: "A"}, true, "push /pods?sort=Age"},
			{ui.Key{Name: "W"}, true, "push /pods?sort=Age&cols=wide, remember columns {\"pods\":\"wide\"}"},
			{ui.Key{Name: "q"}, false, ""},
			{ui.Key{Name: ""}, false, ""},
		} {
			if ours := w.Press(c.key); ours != c.ours {
				t.Errorf("%+v: ours %v", c.key, ours)
			}
			w.want(c.steps)
			w.answer()
		}
		if g := w.page; g.help.open || g.sidebar.Open() || g.facets.Open() {
			t.Errorf("%+v", g)
		}
	})
}

// TestBindings checks that every key has one meaning and one help text.
func TestBindings(t *testing.T) {
	seen := map[string]bool{}
	g := still()
	for _, b := range shortcutsOf(g, "") {
		if b.Title == "" || b.ID == ui.NoAction || len(b.Keys) == 0 {
			t.Errorf("%+v", b)
		}
		for _, k := range b.Keys {
			if seen[k] {
				t.Errorf("%s twice", k)
			}
			seen[k] = true
			if c := g.table.ofKey(ui.Key{Name: k, InGrid: true}); c.ID != b.ID || c.Value != b.Value {
				t.Errorf("%s does %s %s", k, c.ID, c.Value)
			}
		}
	}
}

// restsAfter is how long a pointer that does not move holds the rows.
const restsAfter = 5 * time.Second

// TestPointerRests checks that a pointer that was left lying over the top of a list holds its rows for some
// seconds only, and where the user has scrolled to for as long as it is there.
func TestPointerRests(t *testing.T) {
	comes := func(w *tab, rows int) {
		p := w.window(w.page.list.Asked())
		p.Above, p.Offset, p.Total = rows, p.Offset+rows, p.Total+rows
		w.sendPatch(p)
		w.answer()
	}
	onPage(t, "/events", func(t *testing.T, w *tab) {
		w.live().Pointed(true)
		w.answer()
		comes(w, 12)
		w.sleep(restsAfter - 1)
		w.Pointed(true) // it moves
		comes(w, 3)
		w.sleep(restsAfter - 1)
		synctest.Wait()
		if l := w.page.list; l.Above() != 15 || l.Asked().Anchor == "" {
			t.Fatalf("a pointer that moved holds %q, with %d above", l.Asked().Anchor, l.Above())
		}
		w.screen.takeCalls()
		w.sleep(time.Nanosecond)
		synctest.Wait()
		w.want("scroll 0")
		if l := w.page.list; l.Above() != 0 || l.Asked().Anchor != "" || l.Asked().Offset != 0 {
			t.Errorf("a pointer at rest holds %q, with %d above", l.Asked().Anchor, l.Above())
		}
		w.answer()
		if w.Pointed(true); w.page.list.Asked().Anchor == "" {
			t.Error("a pointer that moves again holds nothing")
		}
	})
	for name, act := range map[string]func(w *tab){
		"scrolled": func(w *tab) { w.Scrolled(100*ui.RowHeight, 20*ui.RowHeight); w.answer() }, "marked": func(w *tab) { w.press("j") },
	} {
		onPage(t, "/events", func(t *testing.T, w *tab) {
			w.live()
			act(w)
			w.Pointed(true)
			w.answer()
			comes(w, 12)
			w.sleep(2 * restsAfter)
			synctest.Wait()
			if l := w.page.list; l.Above() != 12 || l.Asked().Anchor == "" {
				t.Errorf("%s: it holds %q, with %d above", name, l.Asked().Anchor, l.Above())
			}
		})
	}
}

// TestAnchor checks that the first visible row does not move while the user points at the list or
// has selected a row, and that rows added above it are counted.
func TestAnchor(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live().Scrolled(100*ui.RowHeight-1, 20*ui.RowHeight)
		w.answer()
		if w.page.list.Asked().Anchor != "" {
			t.Fatal("nobody points, and it is held")
		}
		w.Pointed(true)
		if l := w.looks(); len(l) != 1 || l[0].Anchor != "a/p100" {
			t.Fatalf("%+v", l)
		}
		w.screen.takeCalls()
		p := w.window(w.page.list.Asked())
		p.Above, p.Offset = 12, p.Offset+12
		p.Total += 12
		before := w.redrawn.Load()
		w.sendPatch(p)
		w.want("scroll 3135")
		if w.redrawn.Load() == before || w.page.list.Above() != 12 {
			t.Fatalf("%d above", w.page.list.Above())
		}
		if l := w.looks(); len(l) != 1 || l[0].Anchor != "a/p100" || l[0].Offset != 111-6 {
			t.Fatalf("%+v", l)
		}
		p.Above, p.Seq = -20, w.page.list.Asked().Seq
		w.sendPatch(p)
		if w.page.list.Above() != 0 {
			t.Fatal("fewer than none came in")
		}
		w.Pointed(false)
		if w.page.list.Asked().Anchor != "" {
			t.Fatal("the pointer has gone, and it is held")
		}
	})
}

// TestToTop checks both ways to get to the new rows.
func TestToTop(t *testing.T) {
	for name, up := range map[string]func(w *tab){
		"chip":   func(w *tab) { w.Act(list.ToTop, "") },
		"scroll": func(w *tab) { w.Scrolled(0, 20*ui.RowHeight) },
	} {
		t.Run(name, func(t *testing.T) {
			onPage(t, "/pods?sel=a/p0", func(t *testing.T, w *tab) {
				w.live()
				p := w.window(w.page.list.Asked())
				p.Above = 3
				w.sendPatch(p)
				if w.page.list.Above() != 3 || w.page.list.Geometry().Scroll != 3*ui.RowHeight {
					t.Fatal(w.page.list.Above(), w.page.list.Geometry().Scroll)
				}
				w.answer()
				up(w)
				w.answer()
				if w.page.list.Above() != 0 || w.page.list.Geometry().Scroll != 0 || w.page.list.Asked().Offset != 0 {
					t.Fatal(w.page.list.Above(), w.page.list.Geometry().Scroll, w.page.list.Asked())
				}
			})
		})
	}
}

// TestTurnWhilePointed checks that a click on a column's heading does not follow the row that was
// first, while answers to the earlier query still arrive.
func TestTurnWhilePointed(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live().Pointed(true)
		before := w.window(w.page.list.Asked())
		w.looks()
		w.Act(ui.SortBy, "Age")
		sorted := w.looks()
		w.sendPatch(before) // it was on its way
		if l := w.looks(); len(sorted) != 1 || sorted[0].Anchor != "" || len(l) != 0 {
			t.Fatalf("%+v %+v", sorted, l)
		}
		w.sendPatch(w.window(sorted[0]))
		if l := w.looks(); len(l) != 1 || l[0].Anchor != "a/p0" {
			t.Fatalf("the new order is not held: %+v", l)
		}
	})
}

// TestAnotherKind checks that nothing of one kind is shown for another: rows, counts or the live
// state.
func TestAnotherKind(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		late := w.window(w.page.list.Asked())
		w.Act(ui.GoTo, "nodes")
		if g := w.page; g.state.Source.State != "connecting" || g.list.Window().Of != 0 || len(g.list.Window().Rows) != 0 || len(w.paper.rows) != 0 {
			t.Fatalf("%+v", g)
		}
		asked := w.looks()
		w.screen.takeCalls()
		w.sendPatch(late)
		if m := w.takeSent(); len(w.paper.rows) != 0 || len(m) != 1 || m[0] != (port.Painted{ID: list.ID}) {
			t.Fatalf("pods are painted as nodes, %+v", m)
		}
		w.in <- port.State{Source: port.Source{Resource: "pods", State: "live", Synced: true}, User: "ana"}
		synctest.Wait()
		if g := w.page; g.state.Source.State != "connecting" || g.state.User != "ana" {
			t.Fatalf("%+v", g.state)
		}
		w.want("")
		w.prefix = "n"
		w.sendPatch(w.window(asked[0]))
		w.setSource(port.Source{Resource: "nodes", State: "live", Synced: true, Kind: "Node"})
		w.want("state live nodes · Watchglass, mark watchglass:synced:nodes")
		if len(w.paper.rows) == 0 || w.page.list.Window().Rows[0].Key != "n0" {
			t.Fatal("the nodes are not painted")
		}
	})
}

// TestProblem checks that an invalid selector leaves the rows as they are, and is reported.
func TestProblem(t *testing.T) {
	onPage(t, "/pods?l=app%3D(", func(t *testing.T, w *tab) {
		w.live()
		before := w.redrawn.Load()
		p := w.window(w.page.list.Asked())
		p.Problems = view.Problems{{Part: view.PartLabels, Text: "the label selector: unexpected '('"}}
		w.sendPatch(p)
		if w.redrawn.Load() == before || !slices.Equal(w.page.list.Window().Problems, p.Problems) || len(w.paper.rows) == 0 {
			t.Fatalf("%+v", w.page.list.Window().Problems)
		}
	})
}

// TestRedraw checks that changed counts alone redraw the shell rarely, and other changes at once.
func TestRedraw(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		w.sleep(time.Second)
		before := w.redrawn.Load()
		for range 50 {
			w.total++
			w.sendPatch(w.window(w.page.list.Asked()))
		}
		if w.redrawn.Load() != before {
			t.Fatal("drawn at once")
		}
		w.sleep(redrawEvery)
		synctest.Wait()
		if w.redrawn.Load() != before+1 {
			t.Fatal(w.redrawn.Load() - before)
		}
		w.total = 0
		if w.sendPatch(w.window(w.page.list.Asked())); w.redrawn.Load() != before+2 {
			t.Fatal("nothing matches any more, and nobody says so")
		}
	})
}

// TestStates checks what each state sets: the document, events for scripts, and performance marks.
func TestStates(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		var heard []string
		off := w.On("state", func(doc json.RawMessage) {
			var e struct{ State string }
			if err := json.Unmarshal(doc, &e); err != nil {
				t.Error(err)
			}
			heard = append(heard, e.State)
		})
		w.On("select", func(json.RawMessage) { heard = append(heard, "selected") })
		s := port.State{Source: port.Source{Resource: "pods"}, Proxy: &wire.Welcome{Context: "prod"}}
		all := []string{"connecting", "syncing", "live", "stale", "live", "denied", "gone", "offline"}
		for i, state := range all {
			s.Source.State, s.Source.Synced, s.Source.Objects = state, i >= 2, 7
			w.in <- s
			synctest.Wait()
			want := "state " + state + " pods · prod · Watchglass"
			if i == 2 {
				want += ", mark watchglass:synced:pods"
			}
			w.want(want)
		}
		if !slices.Equal(heard, all) {
			t.Error(heard)
		}
		w.in <- s // the same state again changes nothing
		synctest.Wait()
		w.want("")
		off()
		off()
		s.Source.State = "live"
		w.in <- s
		synctest.Wait()
		if len(heard) != len(all) {
			t.Error("heard after it was taken back")
		}
		w.Clicked("a/p0")
		synctest.Wait()
		if len(heard) != len(all)+1 {
			t.Error("the selection was not told")
		}
	})
}

// TestOtherProxy checks that a page reloads if the proxy comes back with another cluster or user.
func TestOtherProxy(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		s := port.State{Source: port.Source{Resource: "pods", State: "live"}, Proxy: &wire.Welcome{Version: "1", Context: "prod", User: "ana"}}
		tell := func(welcome wire.Welcome, want string) {
			t.Helper()
			s.Proxy = &welcome
			w.in <- s
			synctest.Wait()
			w.want(want)
		}
		tell(*s.Proxy, "state live pods · prod · Watchglass")
		tell(wire.Welcome{Version: "2", Context: "prod", User: "ana"}, "") // the same cluster and user, a newer version
		tell(wire.Welcome{Version: "2", Context: "prod", User: "bob"}, "reload")
	})
}

// TestAsk checks that each request gets its own answer.
func TestAsk(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		w.takeSent()
		var right atomic.Int32
		for _, m := range []string{"list", "rows"} {
			go func() {
				if a := w.Ask(m, json.RawMessage(`[1]`)); string(a.Value) == `"`+m+`"` {
					right.Add(1)
				}
			}()
		}
		synctest.Wait()
		asks := w.takeSent()
		if len(asks) != 2 {
			t.Fatalf("%+v", asks)
		}
		for _, m := range slices.Backward(asks) {
			a := m.(port.Ask)
			w.in <- port.Answer{ID: a.ID, Value: json.RawMessage(`"` + a.Method + `"`)}
			w.in <- port.Answer{ID: a.ID, Error: "again"} // no request waits for it
		}
		synctest.Wait()
		if right.Load() != 2 {
			t.Error(right.Load())
		}
	})
}

// TestPresence checks that the hub is told whether the page is visible and online.
func TestPresence(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.takeSent()
		w.Presence(false, true)
		w.Presence(true, false)
		if m := w.takeSent(); len(m) != 2 || m[0] != (port.Presence{Online: true}) || m[1] != (port.Presence{Visible: true}) {
			t.Errorf("%+v", m)
		}
	})
}

// overlays returns the panes that are open over the list.
func overlays(g *page) string {
	var open []string
	if g.sidebar.Open() {
		open = append(open, "kinds")
	}
	if g.facets.Open() {
		open = append(open, "facets")
	}
	return strings.Join(open, " and ")
}

// TestSheets checks that a narrow screen has at most one pane open.
func TestSheets(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		for _, c := range []struct {
			action ui.Action
			value  string
			want   string
		}{
			{sidebar.Toggle, "", "kinds"}, {ui.ToggleFacets, "", "facets"}, {ui.ToggleFacets, "", ""},
			{ui.FocusNamespace, "", "facets"}, {ui.Leave, "", ""}, {sidebar.Toggle, "", "kinds"}, {ui.GoTo, "pods", ""},
			{sidebar.Toggle, "", "kinds"}, {ui.GoTo, "nodes", ""},
		} {
			before := w.redrawn.Load()
			w.Act(c.action, c.value)
			if got := overlays(w.page); got != c.want || w.redrawn.Load() == before {
				t.Errorf("%s %s: %q is open, want %q; drawn %v", c.action, c.value, got, c.want, w.redrawn.Load() > before)
			}
		}
	})
}

// TestFoldedFacets opens the facets over the list beside a drawer. Anything that leads away from
// them closes them, and Escape closes nothing else.
func TestFoldedFacets(t *testing.T) {
	for name, c := range map[string]struct {
		address string
		do      func(w *tab)
		want    bool
	}{
		"stays open":              {"/pods?sel=a/p1", func(w *tab) { w.Act(ui.ChooseNamespace, "a") }, true},
		"next row":                {"/pods?sel=a/p1", func(w *tab) { w.Press(ui.Key{Name: "j"}) }, true},
		"its key again":           {"/pods?sel=a/p1", func(w *tab) { w.Press(ui.Key{Name: "n"}) }, true},
		"its button again":        {"/pods?sel=a/p1", func(w *tab) { w.Act(ui.ToggleFacets, "") }, false},
		"Escape":                  {"/pods?sel=a/p1", func(w *tab) { w.Press(ui.Key{Name: "Escape"}) }, false},
		"Escape in its field":     {"/pods?sel=a/p1", func(w *tab) { w.Press(ui.Key{Name: "Escape", Typing: true, Field: "find"}) }, false},
		"a click elsewhere":       {"/pods?sel=a/p1", func(w *tab) { w.ClickedElsewhere() }, false},
		"the drawer is closed":    {"/pods?sel=a/p1", func(w *tab) { w.Act("close", "") }, false},
		"the drawer is opened":    {"/pods", func(w *tab) { w.Clicked("a/p1") }, false},
		"a dialog":                {"/pods?sel=a/p1", func(w *tab) { w.Press(ui.Key{Name: "e"}) }, false},
		"another kind":            {"/pods?sel=a/p1", func(w *tab) { w.Act(ui.GoTo, "nodes") }, false},
		"the kinds, on a phone":   {"/pods", func(w *tab) { w.Act(sidebar.Toggle, "") }, false},
		"another object, by link": {"/pods?sel=a/p1", func(w *tab) { w.Act(ui.GoObject, "nodes n1") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			onPage(t, c.address, func(t *testing.T, w *tab) {
				w.live()
				w.Press(ui.Key{Name: "n"})
				if !w.page.facets.Open() {
					t.Fatal("n does not open the facets")
				}
				c.do(w)
				if got := w.page.facets.Open(); got != c.want {
					t.Errorf("open: %v", got)
				}
				if strings.HasPrefix(name, "Escape") && w.page.address.Selected == "" {
					t.Error("Escape closes the drawer, too")
				}
			})
		})
	}
}

// TestFacetTerms counts the terms set by facets.
func TestFacetTerms(t *testing.T) {
	for address, want := range map[string]int{
		"/pods": 0, "/pods?n=a,b": 2, "/pods?q=web": 0, "/pods?n=a&q=status:Running,Pending+node:!n1+web": 4,
	} {
		onPage(t, address, func(t *testing.T, w *tab) {
			w.page.list.Window().Facets = []view.Facet{{Name: view.NamespaceColumn}, {Name: "Status"}, {Name: "Node"}}
			strip, _ := w.page.facets.Draw()
			if got, want := content(parts(t, strip)), "Facets "+strconv.Itoa(want); got != want {
				t.Errorf("%s: %q, want %q", address, got, want)
			}
		})
	}
}

// TestReset checks that a page requests everything again from a new hub and shows a notice, and that
// requests to the previous hub fail. The new hub may have received them, and is told that nobody waits.
func TestReset(t *testing.T) {
	onPage(t, "/pods?n=a&sel=a/p1&tab=yaml", func(t *testing.T, w *tab) {
		w.live()
		w.Presence(false, true)
		answered := make(chan port.Answer, 1)
		go func() { answered <- w.Ask("rows", json.RawMessage("[]")) }()
		synctest.Wait()
		before := w.takeSent()
		w.in <- port.Reset{}
		synctest.Wait()
		a := <-answered
		if a.Error == "" {
			t.Errorf("%+v", a)
		}
		var look port.ListQuery
		var focus port.Focus
		sent := w.takeSent()
		if !slices.Contains(sent, port.Message(port.Cancel{ID: a.ID})) {
			t.Errorf("request %d is not canceled: %+v", a.ID, sent)
		}
		for i, m := range sent {
			switch m := m.(type) {
			case port.Presence:
				if i != 0 || m.Visible {
					t.Errorf("message %d is %+v", i, m)
				}
			case port.ListQuery:
				look = m
			case port.Focus:
				focus = m
			}
		}
		if look.ID != list.ID || look.Resource != "pods" || !slices.Equal(look.Namespaces, []string{"a"}) || focus.Name != "p1" || focus.Tab != "yaml" || len(before) == 0 {
			t.Errorf("%+v, %+v", look, focus)
		}
		w.sendPatch(w.window(look))
		if !strings.Contains(w.notice(), "The background worker stopped and was restarted. Data is reloading.") {
			t.Errorf("%q", w.notice())
		}
	})
}

// TestDiskAfterReset checks that a new hub is told whether history may go to disk.
func TestDiskAfterReset(t *testing.T) {
	for _, on := range []string{"on", ""} {
		onPage(t, "/pods", func(t *testing.T, w *tab) {
			w.live()
			w.screen.Remember("disk", on)
			w.takeSent()
			w.in <- port.Reset{}
			synctest.Wait()
			if sent := w.takeSent(); slices.Contains(sent, port.Message(port.KeepHistory{Disk: true})) != (on == "on") {
				t.Errorf("%q: sent %+v", on, sent)
			}
		})
	}
}

// TestExtraColumns asks for kubectl's wide columns on a wide screen, or to sort by one, unless
// the user chose columns.
func TestExtraColumns(t *testing.T) {
	for _, c := range []struct {
		at    string
		width int
		want  bool
	}{
		{"/pods", 0, false}, {"/pods", 1299, false}, {"/pods", 1300, true}, {"/pods", 3400, true}, {"/pods?cols=Name", 3400, false}, {"/pods?cols=wide", 1200, true}, {"/pods?sort=Node", 1000, true}, {"/pods?sort=Node&cols=Name", 1000, false},
	} {
		onPage(t, c.at, func(t *testing.T, w *tab) {
			w.live()
			p := counted(w.page.list.Asked().Seq)
			p.Known = append(slices.Clone(p.Known), view.Column{Name: "Node", Priority: 1})
			w.sendPatch(p)
			w.Resized(c.width, grid.Font{})
			if got := w.page.list.Asked().Wide; got != c.want {
				t.Errorf("%s in %d: wide %v", c.at, c.width, got)
			}
			if got, want := w.page.list.Asked().Extra, c.want && c.width >= 1300; got != want {
				t.Errorf("%s in %d: sums %v", c.at, c.width, got)
			}
		})
	}
}
