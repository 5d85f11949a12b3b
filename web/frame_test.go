package web

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"watchglass/internal/detail"
	"watchglass/internal/port"
	"watchglass/internal/wire"
	"watchglass/web/grid"
	"watchglass/web/past"
	"watchglass/web/route"
	"watchglass/web/ui"
)

// TestFrame checks a page in a frame: what it draws, what it tells the page around it, and what
// that page can ask for.
func TestFrame(t *testing.T) {
	onPage(t, "/pods?c=prod&embed=list&hosted=1", func(t *testing.T, w *tab) {
		var heard []string
		for _, event := range []string{"select", "navigate", "size"} {
			w.On(event, func(doc json.RawMessage) {
				heard = append(heard, event+" "+strings.ReplaceAll(string(doc), `\u0026`, "&"))
			})
		}
		hears := func(want string) {
			t.Helper()
			synctest.Wait()
			if !slices.Contains(heard, want) {
				t.Errorf("want %s, heard %q", want, heard)
			}
			heard = nil
		}
		w.live()
		hears(`size {"height":28062}`) // 1,000 rows
		all := draw(t, w.page)
		for _, e := range all {
			if class := e.attrs["class"]; strings.Contains(class, "rail") || strings.Contains(class, "facets") || e.attrs["id"] == "filter" {
				t.Errorf("a frame shows %s", class)
			}
			if e.attrs["class"] == "whole" && e.attrs["href"] != "http://127.0.0.1:4000/pods?c=prod" {
				t.Errorf("the link leads to %s", e.attrs["href"])
			}
		}
		w.page.browser.(*screen).takeCalls()
		w.Clicked("a/p0")
		hears(`select {"key":"a/p0","name":"p0","namespace":"a","resource":"pods"}`)
		w.want("replace /pods?c=prod&sel=a/p0&embed=list&hosted=1") // Back belongs to the page around it
		w.Clicked("a/p1")
		hears(`navigate {"address":"http://127.0.0.1:4000/pods?c=prod&sel=a/p1"}`)

		w.page.browser.(*screen).takeCalls()
		w.OnHostMessage([]byte(`{"type":"go","path":"/deployments.apps","query":"?c=other&n=shop&q=web&embed=list&hosted=1"}`))
		synctest.Wait()
		if at := w.page.address; at.Resource != "deployments.apps" || at.Context != "prod" || at.Filter != "web" || !at.Hosted || at.Embed != "list" {
			t.Errorf("%+v", at)
		}
		if slices.ContainsFunc(heard, func(s string) bool { return strings.HasPrefix(s, "navigate") }) {
			t.Errorf("it tells the page around it what that page asked for: %q", heard)
		}
		looks := func() port.ListQuery {
			synctest.Wait()
			all := w.looks()
			return all[len(all)-1]
		}
		if l := looks(); l.Resource != "deployments.apps" || l.Query.Text != "web" {
			t.Errorf("%+v", l)
		}
		w.OnHostMessage([]byte(`{"type":"pause","on":true}`))
		if l := looks(); !l.Paused {
			t.Error("not paused")
		}
		w.OnHostMessage([]byte(`{"type":"pause","on":true}`))
		w.OnHostMessage([]byte(`{"type":"pause","on":false}`))
		if l := looks(); l.Paused {
			t.Error("still paused")
		}
		w.OnHostMessage([]byte(`{"type":"density","density":"Compact"}`))
		synctest.Wait()
		if steps := w.page.browser.(*screen).takeCalls(); !strings.Contains(steps, "rows of 24") || strings.Contains(steps, "remember") {
			t.Errorf("density: %s", steps)
		}
		for _, bad := range []string{``, `{`, `[]`, `{"type":"go"}`, `{"type":"delete"}`, `{"type":"go","path":"//evil.example","query":"?"}`} {
			w.OnHostMessage([]byte(bad))
		}
		synctest.Wait()
		if at := w.page.address; at.Embed != "list" || !at.Hosted || at.Context != "prod" {
			t.Errorf("the page around it made it a page with sidebar and sign-out: %+v", at)
		}
	})
}

// TestFramePause checks that the host's pause holds for the lists that the host or the user opens next,
// and that in the past it stops playing and never starts it.
func TestFramePause(t *testing.T) {
	inPast(t, "/pods?embed=list&hosted=1", func(t *testing.T, w *tab, of remembered) {
		pause := func(on string) {
			w.OnHostMessage([]byte(`{"type":"pause","on":` + on + `}`))
			synctest.Wait()
		}
		pause("true")
		w.OnHostMessage([]byte(`{"type":"go","path":"/configmaps","query":"?embed=list&hosted=1"}`))
		synctest.Wait()
		if all := w.looks(); !w.page.list.Paused() || all[len(all)-1].Resource != "configmaps" || !all[len(all)-1].Paused {
			t.Error("the next list is not paused")
		}
		w.Act(ui.GoObject, "services b/s1")
		if all := w.looks(); !w.page.list.Paused() || all[len(all)-1].Resource != "services" || !all[len(all)-1].Paused {
			t.Error("the list that the user opened is not paused")
		}
		pause("false")
		w.Act(past.MovePast, "-600")
		w.arrive(of)
		for _, c := range []struct {
			on             string
			play, playWant bool
		}{{"true", false, false}, {"false", false, false}, {"true", true, false}, {"false", true, true}} {
			if c.play != w.page.past.Playing() {
				w.Act(past.PlayPast, "")
				w.arrive(of)
			}
			pause(c.on)
			w.arrive(of)
			if got := w.page.past.Playing(); got != c.playWant || w.page.list.Paused() {
				t.Errorf("pause %s, playing %t: playing %t, paused %t", c.on, c.play, got, w.page.list.Paused())
			}
		}
	})
}

// TestFrameStays checks that links, other kinds and saved views leave a frame in its form, and that
// it offers no other context: its host gives a token for this one.
func TestFrameStays(t *testing.T) {
	for name, act := range map[string]func(w *tab){
		"a related object": func(w *tab) { w.Act(ui.GoObject, "replicasets.apps a/r1") },
		"another kind":     func(w *tab) { w.Act(ui.GoTo, "nodes") },
		"a list":           func(w *tab) { w.Act(ui.GoListing, "pods\na\napp=x\n") },
	} {
		for _, form := range []string{"list", "object"} {
			onPage(t, "/pods?c=prod&sel=a/p1&hosted=1&embed="+form, func(t *testing.T, w *tab) {
				w.live()
				act(w)
				synctest.Wait()
				if at := w.page.address; at.Embed == "" || !at.Hosted || at.Context != "prod" || at.Embed == route.EmbedObject && at.Selected == "" {
					t.Errorf("%s: %s becomes %+v", form, name, at)
				}
			})
		}
	}
	g := still(func(g *page) {
		g.address.Embed = route.EmbedList
		g.state = port.State{Proxy: &wire.Welcome{Context: "prod-eu", Contexts: "dev\nprod-eu\nProd-US"}}
	})
	for _, o := range offers(g.palette, "context") {
		if o.Action == "context" {
			t.Errorf("a frame offers the context %s", o.Value)
		}
	}
}

// TestOneObject checks a frame that shows one object: it cannot be closed.
func TestOneObject(t *testing.T) {
	onPage(t, "/pods?sel=a/p0&tab=yaml&embed=object", func(t *testing.T, w *tab) {
		w.live()
		w.press("Escape")
		if w.page.address.Selected != "a/p0" {
			t.Error("Escape closed the only object")
		}
	})
}

// TestOneObjectState checks that a frame that shows one object says how current that is, whatever the state of the list
// which nobody sees: on the badge, without a count, and to its host.
func TestOneObjectState(t *testing.T) {
	onPage(t, "/pods?sel=a/p0&tab=yaml&embed=object", func(t *testing.T, w *tab) {
		var heard []string
		defer w.On("state", func(doc json.RawMessage) { heard = append(heard, string(doc)) })()
		w.setSource(port.Source{Resource: "pods", State: port.Denied, Kind: "Pod", Namespaced: true})
		for _, c := range []struct {
			head        detail.State
			badge, told string
		}{{detail.Live, "Live", port.Live}, {detail.Deleted, "Deleted", port.Gone}, {detail.Denied, "No permission", port.Denied}, {detail.Live, "Live", port.Live}} {
			w.head(w.page.drawer.Asked().Seq, detail.Head{Kind: "Pod", State: c.head})
			w.live()
			page := draw(t, w.page)
			if badge := find(t, page, "id", "badge"); badge.text != c.badge || badge.attrs["data-tone"] != c.told {
				t.Errorf("the badge says %s (%s), want %s (%s)", badge.text, badge.attrs["data-tone"], c.badge, c.told)
			}
			if find(t, page, "id", "count").attrs["hidden"] != "true" {
				t.Error("a count of all pods is shown")
			}
			if n := len(heard); n == 0 || !strings.Contains(heard[n-1], `"state":"`+c.told+`"`) {
				t.Errorf("the host heard %q, want %s", heard, c.told)
			}
		}
		if len(heard) != 4 {
			t.Errorf("the host heard %q", heard)
		}
	})
}

// TestStripHeight checks the height that a frame with the totals reports, as it becomes narrow and wide.
func TestStripHeight(t *testing.T) {
	onPage(t, "/overview?embed=list&hosted=1", func(t *testing.T, w *tab) {
		var heard []string
		w.On("size", func(doc json.RawMessage) { heard = append(heard, string(doc)) })
		w.Resized(900, grid.Font{})
		w.live()
		for _, width := range []int{500, 400, 640} {
			w.Resized(width, grid.Font{})
			synctest.Wait()
		}
		if want := []string{`{"height":64}`, `{"height":128}`, `{"height":64}`}; !slices.Equal(heard, want) {
			t.Errorf("%q, want %q", heard, want)
		}
	})
}

// TestFrameHeight checks the height that a frame reports, as its rows become lower, and as high as a
// finger needs.
func TestFrameHeight(t *testing.T) {
	onPage(t, "/pods?embed=list&hosted=1", func(t *testing.T, w *tab) {
		var heard []string
		w.On("size", func(doc json.RawMessage) { heard = append(heard, string(doc)) })
		w.live()
		w.OnHostMessage([]byte(`{"type":"density","density":"Compact"}`))
		synctest.Wait()
		w.page.browser.(*screen).touch = true
		w.OnHostMessage([]byte(`{"type":"density","density":"Default"}`))
		synctest.Wait()
		if want := []string{`{"height":28062}`, `{"height":24062}`, `{"height":44062}`}; !slices.Equal(heard, want) {
			t.Errorf("%q, want %q", heard, want)
		}
	})
}

// TestFrameGroups checks that a frame leads back from the objects of a group to the groups, since it
// has no history.
func TestFrameGroups(t *testing.T) {
	onGroups(t, "/pods?group=Node&q=web&embed=list", func(t *testing.T, w *tab) {
		back := func() bool {
			for _, e := range parts(t, w.page.frame.draw()) {
				if e.attrs["data-action"] == string(BackToGroups) {
					return e.attrs["hidden"] != "true"
				}
			}
			return false
		}
		if back() {
			t.Error("a way back from nowhere")
		}
		w.Clicked("/n1")
		w.want(`replace /pods?q=web+node:n1&embed=list, filter="web node:n1"`)
		if !back() {
			t.Error("no way back")
		}
		w.Act(BackToGroups, "")
		w.want("replace /pods?q=web&group=Node&embed=list")
		if back() {
			t.Error("a way back to itself")
		}
	})
}
