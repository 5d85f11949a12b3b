package web

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
	"watchglass/web/route"
	"watchglass/web/ui"
)

// overviewID is the hub's ID of the overview.
const overviewID = 3

// told sends the page an overview.
func (w *tab) told(o port.Overview) {
	w.t.Helper()
	doc, err := json.Marshal(o)
	if err != nil {
		w.t.Fatal(err)
	}
	w.in <- port.Detail{ID: overviewID, Part: port.OverviewPart, Doc: doc}
	synctest.Wait()
}

// showOverview has a page show an overview; nil: it is asked for and has not arrived.
func showOverview(g *page, o *port.Overview) {
	g.overview.Follow()
	if doc, err := json.Marshal(o); err == nil && o != nil {
		g.overview.OnDetail(port.Detail{Doc: doc})
	}
}

// some is an overview with everything in it.
var some = port.Overview{
	Totals: []port.Total{
		{Name: "nodes", Bad: 1, Of: 42, Gap: view.Gap{State: port.Live}, Resource: "nodes", Filter: "status:NotReady", History: []float32{0, 1}},
		{Name: "pods", Bad: 2, Of: 50, Gap: view.Gap{State: port.Stale}, Resource: "pods"},
	},
	Rollouts: []port.Rollout{{Resource: "deployments.apps", Namespace: "shop", Name: "web", At: noon, Ready: 3, Desired: 6}},
}

// TestOverview checks what the start page asks for and draws, and that its links are real ones.
func TestOverview(t *testing.T) {
	onPage(t, "/?c=prod", func(t *testing.T, w *tab) {
		count := func(want port.Message) (n int) {
			for _, m := range w.takeSent() {
				if reflect.DeepEqual(m, want) {
					n++
				}
			}
			return n
		}
		if n := count(port.OpenOverview{ID: overviewID, Kinds: []string{}}); n != 1 {
			t.Fatalf("it is opened %d times", n)
		}
		w.Act("star", "widgets.example.com")
		if n := count(port.OpenOverview{ID: overviewID, Kinds: []string{"widgets.example.com"}}); n != 1 {
			t.Errorf("a favourite is sent %d times", n)
		}
		w.Act("star", "widgets.example.com")
		if n := count(port.OpenOverview{ID: overviewID, Kinds: []string{}}); n != 1 {
			t.Errorf("that it is none any more is sent %d times", n)
		}
		w.Press(ui.Key{Name: "f"}) // the overview itself
		w.Act("star", route.TimelineID)
		w.Act("star", port.Problems)
		for _, m := range w.takeSent() {
			if o, ok := m.(port.OpenOverview); ok {
				t.Errorf("with pages as favourites, it reads %v", o.Kinds)
			}
		}
		if got := w.screen.kept["starred"]; got != "overview,timeline,problems" {
			t.Errorf("favourites are %s", got)
		}
		all := draw(t, w.page)
		if e := find(t, all, "class", "totals"); strings.Count(e.text, "Connecting") != 4 {
			t.Errorf("before anything is known: %s", e.text)
		}
		w.problems()
		w.told(some)
		all = draw(t, w.page)
		node := find(t, all, "aria-label", "Nodes not ready: 1 of 42")
		if node.attrs["href"] != "/nodes?c=prod&q=status:NotReady" || node.attrs["data-value"] != `nodes\n\n\nstatus:NotReady` {
			t.Errorf("%+v", node.attrs)
		}
		if e := find(t, all, "class", "rollout"); e.attrs["href"] != "/?c=prod&sel=shop/deployments.apps:web:" || !strings.Contains(e.text, "3/6 new ready") {
			t.Errorf("%+v %s", e.attrs, e.text)
		}
		if e := find(t, all, "class", "total"); e.tag != "a" {
			t.Errorf("a total is a %s", e.tag)
		}
		w.screen.takeCalls()
		w.Act(ui.GoTo, port.Problems) // the same list
		w.want(`push /problems?c=prod, state live problems · Watchglass, filter=""`)
		if n := count(port.Close{ID: overviewID}); n != 0 {
			t.Error("it is closed, but its state still shows")
		}
		if strings.Contains(find(t, draw(t, w.page), "class", "totals").text, "Nodes") {
			t.Error("the problems have totals")
		}
		w.Act(ui.GoTo, "pods")
		if n := count(port.Close{ID: overviewID}); n != 1 {
			t.Error("it is not closed")
		}
		w.Press(ui.Key{Name: "H", InGrid: true})
		if at := w.here(); at != "/?c=prod" {
			t.Error(at)
		}
		w.in <- port.Reset{}
		synctest.Wait()
		if _, known := w.page.overview.Gaps(); known || count(port.OpenOverview{ID: overviewID, Kinds: []string{}}) != 2 {
			t.Error("a new hub is not asked for it")
		}
	})
}

// problems answers the list of problems with two rows of one object and one of another, as the hub
// has them.
func (w *tab) problems() {
	w.t.Helper()
	w.setSource(port.Source{Resource: port.Problems, ID: port.Problems, State: port.Live, Synced: true, Namespaced: true, Kind: "Problem"})
	for range 10 {
		looks := w.looks()
		if len(looks) == 0 {
			return
		}
		p := view.Patch{Seq: looks[len(looks)-1].Seq, Total: 3, Of: 3, Order: []int{-1, -1, -1}, Located: view.Absent}
		p.Columns = []view.Column{{Name: "Namespace"}, {Name: "Name"}, {Name: "Problem"}}
		p.Known = p.Columns
		for _, key := range []string{"shop/deployments.apps:web:OOMKilled", "shop/deployments.apps:web:Unready", "nodes:n7:NotReady"} {
			of := w.page.address.ObjectOf(key)
			p.Rows = append(p.Rows, view.Row{Key: key, UID: "uid of " + key, Cells: []string{of.Namespace, of.Name, "words"}})
		}
		w.sendPatch(p)
	}
	w.t.Fatal("it asks and asks")
}

// TestProblemOpens checks that a row opens the object that it is about: by click, keys, address and
// Back.
func TestProblemOpens(t *testing.T) {
	onPage(t, "/problems", func(t *testing.T, w *tab) {
		var selected []string
		w.On("select", func(doc json.RawMessage) { selected = append(selected, string(doc)) })
		w.problems()
		w.takeSent()
		w.Clicked("shop/deployments.apps:web:Unready")
		w.wantFocus(port.Focus{Resource: "deployments.apps", Namespace: "shop", Name: "web", Tab: "summary"})
		if at := w.here(); at != "/problems?sel=shop/deployments.apps:web:Unready" {
			t.Error(at)
		}
		w.wantMarked("active shop/deployments.apps:web:Unready, selected shop/deployments.apps:web:Unready")
		synctest.Wait()
		if len(selected) != 1 || selected[0] != `{"key":"shop/web","name":"web","namespace":"shop","resource":"deployments.apps"}` {
			t.Errorf("%s", selected)
		}
		w.Press(ui.Key{Name: "l", InGrid: true})
		w.wantFocus(port.Focus{Resource: "deployments.apps", Namespace: "shop", Name: "web", Tab: "logs"})
		w.Press(ui.Key{Name: "j", InGrid: true})
		w.wantFocus(port.Focus{Resource: "nodes", Name: "n7", Tab: "summary"})
		if at := w.here(); at != "/problems?sel=nodes:n7:NotReady&tab=logs" {
			t.Error(at)
		}
		w.Press(ui.Key{Name: "l", InGrid: true})
		if said := w.notice(); said != "No logs for Nodes." {
			t.Error(said)
		}
		w.Press(ui.Key{Name: "x", InGrid: true})
		if command, open := firstCommand(t, w); !open || command != "kubectl describe nodes/n7" {
			t.Errorf("%q", command)
		}
		w.Press(ui.Key{Name: "Escape"})
		w.takeSent()
		w.Moved("/problems", "?sel=shop/deployments.apps:web:OOMKilled&tab=yaml")
		w.wantFocus(port.Focus{Resource: "deployments.apps", Namespace: "shop", Name: "web", Tab: "yaml"})
		w.wantMarked("active shop/deployments.apps:web:OOMKilled, selected shop/deployments.apps:web:OOMKilled")
		if names := w.page.list.Window().Columns; len(names) != 3 || names[1].Name != "Name" || w.page.list.Window().Rows[0].Cells[1] != "web" {
			t.Errorf("%v", names)
		}
		if c := w.page.ListCommand(); c.Text != "" || c.None() != "No kubectl equivalent." {
			t.Errorf("%+v", c)
		}
	})
	onPage(t, "/?sel=nodes:n7:NotReady", func(t *testing.T, w *tab) {
		w.wantFocus(port.Focus{Resource: "nodes", Name: "n7", Tab: "summary"})
	})
	onPage(t, "/?sel=shop/deployments.apps:web:OOM:Killed", func(t *testing.T, w *tab) {
		if looks := w.looks(); looks[len(looks)-1].Locate != "shop/deployments.apps:web:OOM:Killed" {
			t.Errorf("%+v", looks)
		}
	})
}

// TestRolloutMarks checks that a rollout that is opened marks itself, and the first row about its
// object, even one that comes later.
func TestRolloutMarks(t *testing.T) {
	onPage(t, "/", func(t *testing.T, w *tab) {
		w.told(some)
		w.Act(ui.GoObject, "problems shop/deployments.apps:web:")
		w.problems()
		w.wantMarked("active shop/deployments.apps:web:OOMKilled, selected shop/deployments.apps:web:OOMKilled")
		if e := find(t, draw(t, w.page), "class", "rollout"); e.attrs["aria-current"] != "true" || e.attrs["data-active"] != "true" {
			t.Errorf("%+v", e.attrs)
		}
		w.Press(ui.Key{Name: "Escape"})
		if e := find(t, draw(t, w.page), "class", "rollout"); e.attrs["aria-current"] != "false" || e.attrs["data-active"] != "true" {
			t.Errorf("closed: %+v", e.attrs)
		}
		w.Act(ui.GoObject, "problems shop/deployments.apps:web:")
		w.Press(ui.Key{Name: "j", InGrid: true})
		w.wantMarked("active shop/deployments.apps:web:Unready, selected shop/deployments.apps:web:Unready")
		if e := find(t, draw(t, w.page), "class", "rollout"); e.attrs["data-active"] != "false" {
			t.Errorf("another row: %+v", e.attrs)
		}
		w.Act(ui.GoObject, "problems shop/deployments.apps:web:")
		w.Clicked("shop/deployments.apps:web:OOMKilled")
		if at := w.here(); at != "/" {
			t.Errorf("a click on its row leaves %s", at)
		}
	})
	onPage(t, "/?sel=shop/deployments.apps:web:", func(t *testing.T, w *tab) {
		if looks := w.looks(); len(looks) == 0 || looks[len(looks)-1].Locate != "shop/deployments.apps:web:" {
			t.Errorf("%+v", looks)
		}
	})
}

// TestNoProblems checks that the page says that there are none only if all has been read.
func TestNoProblems(t *testing.T) {
	denied := view.Gap{Resource: "nodes", State: port.Denied, Cause: "nodes is forbidden"}
	for name, c := range map[string]struct {
		shown *port.Overview
		state string
		want  string
	}{
		"clear":           {&port.Overview{Clear: true}, port.Live, "No problems found New ones appear here as they are found."},
		"unchecked":       {&port.Overview{Clear: true, Unchecked: 16, UncheckedKinds: []string{"certificates.cert-manager.io"}}, port.Live, "No problems found New ones appear here as they are found. 16 custom kinds not checked. Add a kind to your favourites to check it."},
		"unlisted":        {&port.Overview{Clear: true, Unlisted: port.UnlistedPods{Pods: 1, Since: time.Now().Add(-5 * time.Minute), Names: []string{"shop/web-1"}}}, port.Live, "No problems found New ones appear here as they are found. 1 pod not ready and in no row: shop/web-1; the first 5m ago"},
		"unlisted, waits": {&port.Overview{Waits: true, Unlisted: port.UnlistedPods{Pods: 1364, Since: time.Now().Add(-5 * time.Minute), Names: []string{"a/b", "a/c", "a/d"}}}, port.Live, "No problems found so far 1,364 pods not ready and in no row: a/b, a/c, a/d and 1,361 more; the first 5m ago Some objects changed in the last few minutes and are still being checked."},
		"all denied":      {&port.Overview{Gaps: []view.Gap{denied}}, port.Denied, "No problems found so far Nodes: no permission to list. nodes is forbidden Ask a cluster admin for the list and watch verbs."},
		"list not live":   {&port.Overview{Clear: true}, port.Stale, "No problems found so far Loading…"},
		"nothing known":   {nil, port.Live, "No problems found so far Loading…"},
		"waits":           {&port.Overview{Waits: true}, port.Live, "No problems found so far Some objects changed in the last few minutes and are still being checked."},
		"none served":     {&port.Overview{Unserved: true}, port.Live, "No problems found so far The server has none of the kinds that are checked."},
		"not clear":       {&port.Overview{}, port.Live, "No problems found so far Loading…"},
		"denied":          {&port.Overview{Gaps: []view.Gap{denied}}, port.Live, "No problems found so far Nodes: no permission to list. nodes is forbidden Ask a cluster admin for the list and watch verbs."},
		"many denied":     {&port.Overview{Gaps: []view.Gap{denied, {Resource: "pods", State: port.Denied, Cause: "pods is forbidden"}}}, port.Live, "No problems found so far Nodes, Pods: no permission to list. nodes is forbidden Ask a cluster admin for the list and watch verbs."},
		"some namespaces": {&port.Overview{Gaps: []view.Gap{{Resource: "pods", State: view.Partial, Only: "a,b", Cause: "pods is forbidden"}, {Resource: "jobs.batch", State: view.Partial, Only: "a,b"}}}, port.Live, "No problems found so far Pods, Jobs: only a, b could be read. pods is forbidden Ask a cluster admin for the list and watch verbs."},
		"failing":         {&port.Overview{Gaps: []view.Gap{{Resource: "poddisruptionbudgets.policy", State: port.Connecting, Cause: "boom"}}}, port.Live, "No problems found so far PDBs: can't be listed. boom"},
		"loading, stale":  {&port.Overview{Gaps: []view.Gap{{Resource: "pods", State: port.Syncing}, {Resource: "jobs.batch", State: port.Stale}, {Resource: "nodes", State: port.Syncing}}}, port.Live, "No problems found so far Pods, Nodes: loading. Jobs: stale."},
	} {
		for _, overview := range []bool{true, false} {
			g := still(func(g *page) {
				g.address = route.Address{Resource: port.Problems, Overview: overview}
				g.state.Source = port.Source{Resource: port.Problems, State: c.state, Synced: true, Namespaced: true, Since: noon}
				*g.list.Window() = view.Window{Columns: []view.Column{{Name: "Name"}}}
				showOverview(g, c.shown)
			})
			all := draw(t, g)
			if e := find(t, all, "class", "panel"); e.text != c.want {
				t.Errorf("%s: %q", name, e.text)
			}
			if c.shown != nil && c.shown.Unchecked > 0 {
				find(t, all, "title", "certificates.cert-manager.io")
			}
		}
	}
	g := still(func(g *page) {
		g.address = route.Address{Resource: port.Problems}
		g.state.Source = port.Source{Resource: port.Problems, State: port.Live, Synced: true}
		*g.list.Window() = view.Window{Columns: []view.Column{{Name: "Name"}}, Total: 2, Of: 2}
		showOverview(g, &port.Overview{Gaps: []view.Gap{denied, {Resource: "pods", State: port.Syncing}}})
	})
	if e := find(t, draw(t, g), "class", "banner"); e.text != "Incomplete Nodes: no permission to list." {
		t.Errorf("with rows: %q", e.text)
	}
	gaps, _ := g.overview.Gaps()
	for _, id := range []string{"events", "jobs.batch", "services", "secrets", "apiservices.apiregistration.k8s.io", "gears.example.com"} {
		gaps = append(gaps, view.Gap{Resource: id, State: port.Denied})
	}
	for state, want := range map[string]string{port.Stale: "Incomplete Nodes: no permission to list. PDBs: stale.", port.Offline: "No network Data is from before the network was lost. Reconnects when the network is back."} {
		g.state.Source.State, g.state.Source.Cause = state, &wire.Status{Origin: wire.FromAPIServer, Message: "boom"}
		showOverview(g, &port.Overview{Gaps: []view.Gap{denied, {Resource: "poddisruptionbudgets.policy", State: state, Cause: "boom"}}})
		if e := find(t, draw(t, g), "class", "banner"); e.text != want {
			t.Errorf("%s: %q", state, e.text)
		}
		g.state.Source.State = port.Live
		showOverview(g, &port.Overview{Gaps: gaps})
	}
	g.sidebar.OnKinds(port.Kinds{Kinds: []port.Kind{{ID: "apiservices.apiregistration.k8s.io", Name: "APIService"}}})
	if e := find(t, draw(t, g), "class", "banner"); e.text != "Incomplete Nodes, Events, Jobs, Services, Secrets and 2 more: no permission to list." {
		t.Errorf("with many: %q", e.text)
	}
}

// TestWholeCluster checks that totals and rollouts beside the problems of some namespaces say that they
// are of all.
func TestWholeCluster(t *testing.T) {
	for path, want := range map[string]bool{"/": false, "/?n=shop": true} {
		onPage(t, path, func(t *testing.T, w *tab) {
			w.problems()
			w.told(port.Overview{Totals: []port.Total{{Name: "nodes", Of: 5, Gap: view.Gap{State: port.Live}}, {Name: "pods", Of: 50, Gap: view.Gap{State: port.Live}}, {Name: "warnings", Gap: view.Gap{State: port.Live}}}})
			all := draw(t, w.page)
			totals, rollouts := find(t, all, "class", "totals").text, find(t, all, "class", "rollouts").text
			if strings.Count(totals, "in all namespaces") != map[bool]int{true: 2}[want] || strings.Contains(rollouts, "all namespaces") != want {
				t.Errorf("%s: %q, %q", path, totals, rollouts)
			}
		})
	}
}

// TestSilent checks that nothing is green once nobody is heard from: neither totals, though their own
// lists may have been heard from later, nor rollouts.
func TestSilent(t *testing.T) {
	for _, c := range []struct {
		state, reason, total, rollout string
	}{
		{port.Live, "", "ok", "ok"},
		{port.Stale, wire.ReasonUnreachable, "stale", "pending"},
		{port.Offline, wire.ReasonUnreachable, "stale", "pending"},
		{port.Stale, "InternalError", "ok", "ok"}, // of another list
	} {
		g := still(func(g *page) {
			g.address = route.Address{Resource: port.Problems, Overview: true}
			g.state.Source = port.Source{Resource: port.Problems, State: c.state, Synced: true, Since: noon, Cause: &wire.Status{Reason: c.reason}}
			showOverview(g, &port.Overview{
				Totals:   []port.Total{{Name: "nodes", Of: 5, Gap: view.Gap{Resource: "nodes", State: port.Live}}, {Name: "workloads", Of: 5, Gap: view.Gap{State: port.Live}}},
				Rollouts: []port.Rollout{{Resource: "deployments.apps", Namespace: "shop", Name: "web", At: noon, Ready: 6, Desired: 6}},
			})
		})
		all := draw(t, g)
		if got := find(t, all, "class", "total").attrs["data-tone"]; got != c.total {
			t.Errorf("%s: a total is %s", c.state, got)
		}
		if !slices.ContainsFunc(all, func(e *element) bool { return e.text == "6/6 new ready" && e.attrs["data-tone"] == c.rollout }) {
			t.Errorf("%s: a rollout is not %s", c.state, c.rollout)
		}
	}
}

// TestProblemColumns checks that no column can be added to the problems.
func TestProblemColumns(t *testing.T) {
	for path, hidden := range map[string]string{"/problems": "true", "/": "true", "/pods": "false"} {
		onPage(t, path, func(t *testing.T, w *tab) {
			w.Act(ui.ChooseColumns, "")
			if e := find(t, draw(t, w.page), "class", "adder"); e.attrs["hidden"] != hidden {
				t.Errorf("%s: %+v", path, e.attrs)
			}
		})
	}
}

// TestNoRollouts checks that the page says that there were none only if all has been read.
func TestNoRollouts(t *testing.T) {
	for want, shown := range map[string]*port.Overview{
		"No rollouts found.":        {},
		"No rollouts found so far.": {Gaps: []view.Gap{{Resource: "replicasets.apps", State: port.Denied}}},
		"Loading…":                  {Gaps: []view.Gap{{Resource: "nodes", State: port.Denied}, {Resource: "replicasets.apps", State: port.Connecting}}},
	} {
		g := still(func(g *page) {
			g.address = route.Address{Resource: port.Problems, Overview: true}
			showOverview(g, shown)
		})
		if e := find(t, draw(t, g), "class", "rollouts"); !strings.HasSuffix(e.text, want) {
			t.Errorf("%s: %q", want, e.text)
		}
	}
}

// TestStart checks which page an address without a view leads to: the last one of this user, never another's.
func TestStart(t *testing.T) {
	kept := map[string]string{"start": "last", "last \nana": "/pods?q=web&sel=a/b", "last prod\nana": "/nodes?c=prod", "last ": "/secrets", "last \nlou": "/jobs"}
	for address, want := range map[string]string{
		"/": "/pods?q=web&sel=a/b", "/?c=prod": "/nodes?c=prod", "/?c=other": "/?c=other", "/?q=x": "/?q=x", "/problems": "/problems", "/services": "/services", "/?embed=overview": "/?embed=overview",
	} {
		path, q, _ := strings.Cut(address, "?")
		for user, want := range map[string]string{"ana": want, "eve": address} { // eve signs in after ana
			s := &screen{kept: maps.Clone(kept), user: user}
			if got := NewPage(noWorker{}, s, "", path, q, func() {}).page.address.String(""); got != want {
				t.Errorf("%s of %s: %s, want %s", address, user, got, want)
			}
		}
	}
	onPage(t, "/pods?c=prod", func(t *testing.T, w *tab) {
		w.live()
		w.Act("start", "last")
		w.want("remember start last, remember last prod\n /pods?c=prod")
		w.Act(ui.GoTo, "nodes")
		if calls := w.screen.takeCalls(); !strings.Contains(calls, "remember last prod\n /nodes?c=prod") {
			t.Error(calls)
		}
		w.Act("start", "")
		w.want("remember start ")
		w.Act(ui.GoTo, "pods")
		if calls := w.screen.takeCalls(); strings.Contains(calls, "remember last") {
			t.Error(calls)
		}
	})
}

// TestFramedOverview checks the totals in a frame of another page: they are alone, and their links
// open the whole page.
func TestFramedOverview(t *testing.T) {
	onPage(t, "/overview?c=prod&embed=list&hosted=1", func(t *testing.T, w *tab) {
		var sizes []string
		w.On("size", func(doc json.RawMessage) { sizes = append(sizes, string(doc)) })
		w.problems()
		w.told(some)
		all := draw(t, w.page)
		if e := find(t, all, "class", "total"); e.attrs["href"] != "http://127.0.0.1:4000/nodes?c=prod&q=status:NotReady" || e.attrs["target"] != "_blank" || e.attrs["data-action"] != "" {
			t.Errorf("%+v", e.attrs)
		}
		if slices.ContainsFunc(all, func(e *element) bool { return e.attrs["class"] == "rollouts" || e.attrs["class"] == "rail" }) {
			t.Error("the totals are not alone")
		}
		synctest.Wait()
		if !slices.Equal(sizes, []string{`{"height":128}`}) {
			t.Errorf("%s", sizes)
		}
		w.Act(ui.GoTo, "pods")
		w.Clicked("nodes:n7:NotReady")
		if at := w.here(); at != "/?c=prod&embed=overview&hosted=1" {
			t.Error(at)
		}
	})
}
