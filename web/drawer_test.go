package web

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/port"
	"watchglass/web/columns"
	"watchglass/web/grid"
	"watchglass/web/past"
	"watchglass/web/tab/logs"
	"watchglass/web/tab/manifest"
	"watchglass/web/tab/relations"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// focused returns the objects requested from the hub since the last call; closing counts as an
// empty one.
func (w *tab) focused() (out []port.Focus) {
	for _, m := range w.takeSent() {
		switch m := m.(type) {
		case port.Focus:
			out = append(out, m)
		case port.Close:
			out = append(out, port.Focus{})
		}
	}
	return out
}

// wantFocus checks the last object requested, and that there is one.
func (w *tab) wantFocus(want port.Focus) {
	w.t.Helper()
	all := w.focused()
	if len(all) == 0 {
		w.t.Errorf("nothing was asked for, want %+v", want)
		return
	}
	got := all[len(all)-1]
	if got.Seq = 0; got.Resource != want.Resource || got.Namespace != want.Namespace || got.Name != want.Name || got.Tab != want.Tab {
		w.t.Errorf("%+v was asked for, want %+v", got, want)
	}
}

func (w *tab) head(seq uint32, h detail.Head) {
	doc, err := json.Marshal(h)
	if err != nil {
		w.t.Fatal(err)
	}
	w.in <- port.Detail{Seq: seq, Part: port.HeadPart, Doc: doc}
	synctest.Wait()
}

// TestDeepLink checks that an address opens its object and tab at once, and the first tab if the
// named one does not exist.
func TestDeepLink(t *testing.T) {
	for address, want := range map[string]port.Focus{
		"/pods?sel=a/p3&tab=yaml":             {Resource: "pods", Namespace: "a", Name: "p3", Tab: "yaml"},
		"/nodes?sel=n1":                       {Resource: "nodes", Name: "n1", Tab: "summary"},
		"/pods?sel=a/p3&tab=bogus":            {Resource: "pods", Namespace: "a", Name: "p3", Tab: "summary"},
		"/services?sel=a/s&tab=logs":          {Resource: "services", Namespace: "a", Name: "s", Tab: "logs"},
		"/configmaps?sel=a/c&tab=logs":        {Resource: "configmaps", Namespace: "a", Name: "c", Tab: "summary"},
		"/gears.example.com?sel=a/g&tab=logs": {Resource: "gears.example.com", Namespace: "a", Name: "g", Tab: "summary"},
		"/deploy?sel=a/d&tab=logs":            {Resource: "deploy", Namespace: "a", Name: "d", Tab: "logs"},
	} {
		onPage(t, address, func(t *testing.T, w *tab) { w.wantFocus(want) })
	}
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		if got := w.focused(); len(got) != 0 {
			t.Errorf("%+v", got)
		}
	})
}

// TestFocusOfAddress checks that an address with a tab focuses that tab, so that its keys work, and
// that an address with only an object leaves the focus in the list.
func TestFocusOfAddress(t *testing.T) {
	for address, want := range map[string]bool{"/pods?sel=a/p3&tab=yaml": true, "/pods?sel=a/p3": false, "/pods?tab=yaml": false} {
		onPage(t, address, func(t *testing.T, w *tab) {
			if got := w.screen.takeCalls(); strings.Contains(got, "focus tab-yaml") != want || strings.Contains(got, "focus") != want {
				t.Errorf("%s: %s", address, got)
			}
		})
	}
}

// TestKeysOfTab checks that a tab's own keys work on the tab bar and in its content, but are the
// list's keys in the list and letters in a field.
func TestKeysOfTab(t *testing.T) {
	g := still()
	for _, c := range []struct {
		key  ui.Key
		want ui.Action
	}{
		{ui.Key{Name: "/", Drawer: "yaml", OnTab: true}, manifest.Find},
		{ui.Key{Name: "/", Drawer: "yaml"}, manifest.Find},
		{ui.Key{Name: "/", InGrid: true}, ui.FocusFilter},
		{ui.Key{Name: "/", Drawer: "yaml", Field: "yaml-find", Typing: true}, ui.NoAction},
		{ui.Key{Name: "t", Drawer: "logs", OnTab: true}, logs.Times},
		{ui.Key{Name: "t", Drawer: "yaml", OnTab: true}, ui.NoAction},
		{ui.Key{Name: "D", Drawer: "logs", OnTab: true}, ToggleTheme},
		{ui.Key{Name: "w", Drawer: "logs"}, logs.Wrap},
		{ui.Key{Name: "W", Drawer: "logs"}, columns.ToggleWide},
		{ui.Key{Name: "&", Drawer: "logs", OnTab: true}, logs.Filter},
		{ui.Key{Name: "0", Drawer: "related", OnTab: true}, relations.Zoom},
		{ui.Key{Name: "ArrowRight", Drawer: "related", OnTab: true}, "next-tab"},
		{ui.Key{Name: "ArrowRight", Drawer: "related"}, relations.Move},
		{ui.Key{Name: "ArrowLeft", Drawer: "events", OnTab: true}, "previous-tab"},
		{ui.Key{Name: "j", Drawer: "yaml", OnTab: true}, "down"},
	} {
		if got := actionOf(g, c.key); got != c.want {
			t.Errorf("%+v: %q, want %q", c.key, got, c.want)
		}
	}
}

// TestDrawerSteps checks how each action changes the address, and what is requested.
func TestDrawerSteps(t *testing.T) {
	for name, c := range map[string]struct {
		at    string
		do    func(w *tab)
		steps string
		want  *port.Focus
	}{
		"click":                    {"/pods", func(w *tab) { w.Clicked("a/p1") }, "push /pods?sel=a/p1", &port.Focus{Resource: "pods", Namespace: "a", Name: "p1", Tab: "summary"}},
		"another row, same tab":    {"/pods?sel=a/p1&tab=yaml", func(w *tab) { w.Clicked("a/p2") }, "push /pods?sel=a/p2&tab=yaml", &port.Focus{Resource: "pods", Namespace: "a", Name: "p2", Tab: "yaml"}},
		"not its container":        {"/pods?sel=a/p1&tab=logs&ct=web", func(w *tab) { w.Clicked("a/p2") }, "push /pods?sel=a/p2&tab=logs", &port.Focus{Resource: "pods", Namespace: "a", Name: "p2", Tab: "logs"}},
		"again":                    {"/pods?sel=a/p1&tab=yaml", func(w *tab) { w.Clicked("a/p1") }, "push /pods", &port.Focus{}},
		"close":                    {"/pods?sel=a/p1&tab=yaml", func(w *tab) { w.Act("close", "") }, "push /pods, focus grid", &port.Focus{}},
		"escape":                   {"/pods?sel=a/p1&tab=logs&ct=web", func(w *tab) { w.Press(ui.Key{Name: "Escape"}) }, "push /pods, focus grid", &port.Focus{}},
		"a tab":                    {"/pods?sel=a/p1", func(w *tab) { w.Act(ui.OpenTab, "related") }, "push /pods?sel=a/p1&tab=related, focus tab-related", &port.Focus{Resource: "pods", Namespace: "a", Name: "p1", Tab: "related"}},
		"the first":                {"/pods?sel=a/p1&tab=logs", func(w *tab) { w.Press(ui.Key{Name: "d"}) }, "push /pods?sel=a/p1, focus tab-summary", &port.Focus{Resource: "pods", Namespace: "a", Name: "p1", Tab: "summary"}},
		"by its number":            {"/pods?sel=a/p1", func(w *tab) { w.Press(ui.Key{Name: "6"}) }, "push /pods?sel=a/p1&tab=changes, focus tab-changes", &port.Focus{Resource: "pods", Namespace: "a", Name: "p1", Tab: "changes"}},
		"next":                     {"/pods?sel=a/p1", func(w *tab) { w.Press(ui.Key{Name: "]"}) }, "push /pods?sel=a/p1&tab=yaml, focus tab-yaml", &port.Focus{Resource: "pods", Namespace: "a", Name: "p1", Tab: "yaml"}},
		"round":                    {"/pods?sel=a/p1", func(w *tab) { w.Press(ui.Key{Name: "["}) }, "push /pods?sel=a/p1&tab=timeline, focus tab-timeline", &port.Focus{Resource: "pods", Namespace: "a", Name: "p1", Tab: "timeline"}},
		"no logs, next":            {"/nodes?sel=n1&tab=related", func(w *tab) { w.Press(ui.Key{Name: "]"}) }, "push /nodes?sel=n1&tab=changes, focus tab-changes", &port.Focus{Resource: "nodes", Name: "n1", Tab: "changes"}},
		"no logs, previous":        {"/nodes?sel=n1&tab=changes", func(w *tab) { w.Press(ui.Key{Name: "["}) }, "push /nodes?sel=n1&tab=related, focus tab-related", &port.Focus{Resource: "nodes", Name: "n1", Tab: "related"}},
		"no logs":                  {"/nodes?sel=n1&tab=yaml", func(w *tab) { w.Press(ui.Key{Name: "l"}) }, "", nil},
		"of no object":             {"/pods", func(w *tab) { w.Press(ui.Key{Name: "]"}) }, "", nil},
		"a tab of no object":       {"/pods", func(w *tab) { w.Press(ui.Key{Name: "y"}) }, "", nil},
		"another object":           {"/pods?n=a&q=x&sel=a/p1&tab=yaml", func(w *tab) { w.Act(ui.GoObject, "replicasets.apps a/r1") }, `push /replicasets.apps?n=a&sel=a/r1, state connecting replicasets.apps · Watchglass, filter=""`, &port.Focus{Resource: "replicasets.apps", Namespace: "a", Name: "r1", Tab: "summary"}},
		"in another namespace":     {"/pods?n=a&sel=a/p1", func(w *tab) { w.Act(ui.GoObject, "services b/s1") }, `push /services?sel=b/s1, state connecting services · Watchglass, filter=""`, &port.Focus{Resource: "services", Namespace: "b", Name: "s1", Tab: "summary"}},
		"of no namespace":          {"/pods?n=a&sel=a/p1", func(w *tab) { w.Act(ui.GoObject, "namespaces a") }, `push /namespaces?sel=a, state connecting namespaces · Watchglass, filter=""`, &port.Focus{Resource: "namespaces", Name: "a", Tab: "summary"}},
		"found, and filtered out":  {"/pods?l=app%3Dy&q=x&sel=a/p1", func(w *tab) { w.Act(ui.GoFound, "pods a/z1") }, `push /pods?sel=a/z1, filter=""`, &port.Focus{Resource: "pods", Namespace: "a", Name: "z1", Tab: "summary"}},
		"of the same kind":         {"/pods?q=x&sel=a/p1", func(w *tab) { w.Act(ui.GoObject, "pods a/p2") }, `push /pods?q=x&sel=a/p2, filter="x"`, &port.Focus{Resource: "pods", Namespace: "a", Name: "p2", Tab: "summary"}},
		"another kind":             {"/pods?sel=a/p1", func(w *tab) { w.Act(ui.GoTo, "nodes") }, `push /nodes, state connecting nodes · Watchglass, filter=""`, &port.Focus{}},
		"a container, another tab": {"/pods?sel=a/p1&tab=logs&ct=web", func(w *tab) { w.Act(ui.OpenTab, "yaml") }, "push /pods?sel=a/p1&tab=yaml&ct=web, focus tab-yaml", &port.Focus{Resource: "pods", Namespace: "a", Name: "p1", Tab: "yaml"}},
		"over the whole width":     {"/pods?sel=a/p1", func(w *tab) { w.Press(ui.Key{Name: "F"}) }, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			onPage(t, c.at, func(t *testing.T, w *tab) {
				w.live()
				w.takeSent()
				c.do(w)
				w.want(c.steps)
				if c.want != nil {
					w.wantFocus(*c.want)
				} else if got := w.focused(); len(got) > 0 {
					t.Errorf("asked for %+v", got)
				}
			})
		})
	}
}

// TestTabsOfKind checks that only kinds with logs have a Logs tab, that its keys say so elsewhere,
// and that a short name in the address has the tab until its kind is known.
func TestTabsOfKind(t *testing.T) {
	has := func(w *tab) bool {
		return slices.ContainsFunc(draw(t, w.page), func(e *element) bool { return e.attrs["id"] == "tab-logs" })
	}
	for address, want := range map[string]bool{"/pods?sel=a/p1": true, "/jobs.batch?sel=a/p1": true, "/configmaps?sel=a/p1": false} {
		onPage(t, address, func(t *testing.T, w *tab) {
			if has(w.live()) != want {
				t.Errorf("%s: %t", address, !want)
			}
		})
	}
	for _, key := range []string{"l", "5"} {
		onPage(t, "/configmaps?sel=a/p1", func(t *testing.T, w *tab) {
			w.live().Press(ui.Key{Name: key})
			if got := w.notice(); got != "No logs for ConfigMaps." || w.page.drawer.Asked().Tab != "summary" {
				t.Errorf("%s: %q on %s", key, got, w.page.drawer.Asked().Tab)
			}
		})
	}
	onPage(t, "/cm?sel=a/p1&tab=logs", func(t *testing.T, w *tab) {
		w.takeSent()
		w.setSource(port.Source{Resource: "cm", ID: "configmaps", Kind: "ConfigMap", State: "live", Synced: true, Namespaced: true})
		w.wantFocus(port.Focus{Resource: "cm", Namespace: "a", Name: "p1", Tab: "summary"})
		if has(w) {
			t.Error("a ConfigMap has logs")
		}
	})
}

// TestOldDetail checks that details of an object or tab no longer on screen are ignored.
func TestOldDetail(t *testing.T) {
	onPage(t, "/pods?sel=a/p1", func(t *testing.T, w *tab) {
		first := w.focused()[0].Seq
		w.live()
		w.Clicked("a/p2")
		second := w.focused()[0].Seq
		if second <= first {
			t.Fatalf("%d, then %d", first, second)
		}
		w.head(first, detail.Head{Kind: "Pod", Name: "p1", State: detail.Live})
		if h := w.page.drawer.Subject().Head; h != nil {
			t.Errorf("%+v", h)
		}
		w.head(second, detail.Head{Kind: "Pod", Name: "p2", State: detail.Live})
		w.Act(ui.OpenTab, "yaml")
		if h := w.page.drawer.Subject().Head; h == nil || h.Name != "p2" {
			t.Errorf("another tab of the same object has another head: %+v", h)
		}
	})
}

// TestDrawerMessage checks the message above the tabs in each state.
func TestDrawerMessage(t *testing.T) {
	onPage(t, "/pods?sel=a/p1", func(t *testing.T, w *tab) {
		w.live()
		for state, want := range map[detail.State]string{
			detail.Live: "", detail.Loading: "", detail.Deleted: "Deleted", detail.Missing: "Not found", detail.Denied: "No permission", detail.Stale: "Stale", detail.Polled: "Not watched",
			detail.Unread: "Can't be read since " + words.ClockTime(1000) + " It exists",
		} {
			w.head(99, detail.Head{Kind: "Pod", Name: "p1", State: state, Since: map[detail.State]int64{detail.Unread: 1000}[state]})
			for _, e := range draw(t, w.page) {
				if _, hidden := e.attrs["hidden"]; e.attrs["class"] == "standing" && (hidden != (want == "") || !strings.HasPrefix(e.text, want)) {
					t.Errorf("%s: %q, want %q", state, e.text, want)
				}
			}
		}
	})
}

// TestTabRevealed checks that the tab bar is scrolled to the open tab, also where another object opens
// with another tab, and where the window has another size.
func TestTabRevealed(t *testing.T) {
	onPage(t, "/pods?sel=a/p1&tab=access", func(t *testing.T, w *tab) {
		w.live()
		want := func(id string) {
			t.Helper()
			if got := w.screen.revealed; got != id {
				t.Errorf("scrolled to %q, want %q", got, id)
			}
			w.screen.revealed = ""
		}
		want("tab-access")
		w.Act(ui.OpenTab, "compare")
		want("tab-compare")
		w.Act(ui.GoObject, "pods a/p2")
		want("tab-summary")
		w.Resized(390, grid.Font{})
		want("tab-summary")
	})
}

// TestMoment checks what a tab is told of the time on screen: now, in the past of the cluster, and in a recording.
func TestMoment(t *testing.T) {
	inPast(t, "/pods?sel=a/p1", func(t *testing.T, w *tab, of remembered) {
		h := w.page
		if m := h.Moment(); m.Past || m.Recorded || !m.Now.Equal(time.Now()) {
			t.Errorf("now: %+v", m)
		}
		w.Act(past.MovePast, "-60")
		w.arrive(of)
		if m := h.Moment(); !m.Past || m.Recorded || m.Now.IsZero() || !m.Now.Equal(w.page.past.At()) {
			t.Errorf("in the past: %+v", m)
		}
	})
	g := still(func(g *page) { g.receive(port.Past{Recorded: &port.RecordingInfo{Cluster: "prod"}}) })
	if m := g.Moment(); !m.Past || !m.Recorded {
		t.Errorf("in a recording: %+v", m)
	}
}
