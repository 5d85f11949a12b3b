package web

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"watchglass/internal/port"
	"watchglass/web/columns"
	"watchglass/web/share"
	"watchglass/web/tools"
	"watchglass/web/ui"
	"watchglass/web/views"
)

// typing returns a key pressed in a field.
func typing(name string) ui.Key { return ui.Key{Name: name, Typing: true} }

// keptViews returns the names and addresses of the saved views.
func (w *tab) keptViews() string {
	var out []string
	for _, k := range w.page.views.Saved() {
		out = append(out, k.Name+" "+k.Address)
	}
	return strings.Join(out, ", ")
}

// notice returns the current notice.
func (w *tab) notice() string {
	synctest.Wait()
	text, _, _ := noticeOf(w.t, w.page)
	return text
}

// noticeOf returns the notice that a page shows, with the action of its button and the value of that.
func noticeOf(t *testing.T, g *page) (text string, action ui.Action, value string) {
	t.Helper()
	for _, e := range parts(t, g.notices.Draw()) {
		switch e.tag {
		case "span":
			text = e.text
		case "button":
			action, value = ui.Action(e.attrs["data-action"]), e.attrs["data-value"]
		}
	}
	return text, action, value
}

// nameField returns the field of the dialog that asks for a view's name, if that is open, and what it says.
func nameField(t *testing.T, w *tab) (first, said string, open bool) {
	t.Helper()
	for _, e := range parts(t, w.page.dialogs.Draw()) {
		switch e.attrs["id"] {
		case "view-name":
			first, open = e.attrs["value"], true
		case "view-said":
			said = e.text
		}
	}
	return first, said, open
}

// keepAs saves the current view by keys alone.
func (w *tab) keepAs(name string) {
	w.press("v")
	w.Typed("view-name", name)
	w.Press(typing("Enter"))
	w.answer()
}

// TestKeepView saves, opens, renames and removes views.
func TestKeepView(t *testing.T) {
	onPage(t, "/pods?c=prod&n=team-a&q=crash&sort=-Age&cols=wide&sel=a/p3&tab=yaml&ct=web", func(t *testing.T, w *tab) {
		w.live()
		w.press("v")
		w.want("focus view-name")
		if name, _, _ := nameField(t, w); name != "Pods · team-a · crash" {
			t.Errorf("the name that is offered is %q", name)
		}
		w.Typed("view-name", " Crashing ")
		if w.Press(typing("j")) || w.Press(ui.Key{Name: "Tab"}) || !w.Press(ui.Key{Name: "j"}) {
			t.Error("the dialog takes other keys than it should")
		}
		w.Press(typing("Enter"))
		const crashing = "Crashing /pods?n=team-a&q=crash&sort=-Age&cols=wide"
		if got := w.keptViews(); got != crashing {
			t.Errorf("kept is %s", got)
		}
		if got := w.notice(); got != "“Crashing” saved." {
			t.Error(got)
		}
		w.Act(ui.GoTo, "services")
		w.live()
		w.keepAs("all services")
		if got := w.keptViews(); got != "all services /services?n=team-a, "+crashing {
			t.Errorf("kept are %s", got)
		}
		w.screen.takeCalls()
		w.Act(ui.OpenView, "Crashing")
		if got := w.here(); got != "/pods?c=prod&n=team-a&q=crash&sort=-Age&cols=wide" {
			t.Errorf("it opens %s", got)
		}
		if got := w.screen.takeCalls(); !strings.Contains(got, "push /pods?c=prod&n=team-a") || !strings.Contains(got, `filter="crash"`) {
			t.Error(got)
		}
		w.live()
		w.Act(ui.RenameView, "Crashing")
		w.Typed("view-name", "all services")
		w.Act(views.Save, "")
		if got := w.keptViews(); got != "all services /pods?n=team-a&q=crash&sort=-Age&cols=wide" {
			t.Errorf("after the renaming: %s", got)
		}
		w.Act(ui.RemoveView, "all services")
		if got := w.keptViews(); got != "" {
			t.Errorf("still kept: %s", got)
		}
		w.press("u")
		if got := w.keptViews(); !strings.HasPrefix(got, "all services ") {
			t.Errorf("after the undoing: %q", got)
		}
	})
}

// TestViewDialog closes the dialog without saving, and checks the rules for names.
func TestViewDialog(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		for _, name := range []string{"", "  ", strings.Repeat("x", tools.LongestName+1), "a\nb"} {
			w.press("v")
			w.Typed("view-name", name)
			w.Press(typing("Enter"))
			if _, said, _ := nameField(t, w); said == "" {
				t.Errorf("%q is a name", name)
			}
			w.Press(typing("Escape"))
			if w.page.dialogs.Open() != nil {
				t.Error("it does not close")
			}
		}
		w.press("v")
		w.Act(ui.Leave, "") // a click
		w.press("v")
		w.Act(ui.GoTo, "nodes")
		if g := w.page; g.dialogs.Open() != nil || w.keptViews() != "" || g.address.Resource != "nodes" {
			t.Errorf("%+v, kept: %s", g.dialogs.Open(), w.keptViews())
		}
	})
}

// TestKept checks that views are restored when the page is opened again, for its base path only, and
// that those saved by another tab are not lost.
func TestKept(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		w.keepAs("one")
		w.press("f")
		again := NewPage(w, w.screen, "", "/pods", "", func() {})
		if g := again.page; len(g.views.Saved()) != 1 || g.views.Saved()[0] != (tools.View{Name: "one", Address: "/pods"}) || fmt.Sprint(g.sidebar.StarredKinds()) != "[pods]" {
			t.Errorf("%+v %v", g.views.Saved(), g.sidebar.StarredKinds())
		}
		if g := NewPage(w, w.screen, "/k8s", "/k8s/pods", "", func() {}).page; len(g.views.Saved())+len(g.sidebar.StarredKinds()) != 0 {
			t.Errorf("%+v %v", g.views.Saved(), g.sidebar.StarredKinds())
		}
		again.Act(views.SaveAs, "")
		again.Typed("view-name", "two")
		again.Act(views.Save, "")
		w.keepAs("three")
		if got := w.keptViews(); got != "one /pods, three /pods, two /pods" {
			t.Errorf("kept are %s", got)
		}
		again.Act(ui.RemoveView, "two")
		w.Stored()
		if got := w.keptViews(); got != "one /pods, three /pods" {
			t.Errorf("kept are %s", got)
		}
	})
}

// TestForgetful checks that views work in a browser without storage, and that the page warns about
// it.
func TestForgetful(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		w.screen.blocked = true
		w.keepAs("one")
		if got := w.notice(); !strings.HasPrefix(got, "“one” saved. This browser could not store it") {
			t.Error(got)
		}
		w.keepAs("two")
		w.press("f")
		w.Stored()
		if got := w.keptViews(); got != "one /pods, two /pods" || len(w.page.sidebar.StarredKinds()) != 1 {
			t.Errorf("kept are %s, %v", got, w.page.sidebar.StarredKinds())
		}
	})
}

// TestStar stars the current and the focused kind, and counts them.
func TestStar(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		w.in <- port.Kinds{Kinds: []port.Kind{{ID: "widgets.example.com", Name: "Widget", Custom: true}}}
		w.in <- port.Counts{Kinds: []port.Count{{ID: "secrets", Objects: 1200}}}
		synctest.Wait()
		w.press("f")
		w.Press(ui.Key{Name: "f", Kind: "widgets.example.com"})
		w.Act("star", "secrets")
		starred := func() (out string) {
			for _, e := range draw(t, w.page) {
				if e.attrs["class"] == "group" && !strings.HasPrefix(e.text, "Overview") {
					return e.text
				}
			}
			return ""
		}
		page := w.Page
		if got := starred(); got != "Favourites Pods 1,000 ★ Widget ★ Secrets 1,200 ★" {
			t.Error(got)
		}
		page.Act("star", "pods")
		page.Press(ui.Key{Name: "f", Kind: "secrets"})
		if got := starred(); got != "Favourites Widget ★" {
			t.Error(got)
		}
	})
}

// TestImport imports a file of views and keeps the existing ones; an invalid file changes nothing.
func TestImport(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		w.keepAs("one")
		w.keepAs("two")
		w.Act(views.Import, "")
		w.Import(tools.WriteViews([]tools.View{{Name: "two", Address: "/nodes"}, {Name: "zero", Address: "/secrets"}}), "")
		if got := w.keptViews(); got != "one /pods, two /nodes, zero /secrets" {
			t.Errorf("kept are %s", got)
		}
		if got := w.notice(); got != "2 views imported. 1 view with the same name replaced." {
			t.Error(got)
		}
		for _, c := range []struct{ text, failed, want string }{{"{}", "", "not a views file"}, {"", "it has 9 bytes", "it has 9 bytes"}} {
			w.Import(c.text, c.failed)
			if said := find(t, draw(t, w.page), "id", "share-said").text; w.page.dialogs.Open() == nil || said != "Nothing was imported: "+c.want+"." {
				t.Errorf("%q", said)
			}
		}
		if got := w.keptViews(); got != "one /pods, two /nodes, zero /secrets" {
			t.Errorf("kept are %s", got)
		}
		w.Act(ui.ExportViews, "")
		name, text, _ := strings.Cut(w.screen.saved, "\n")
		if again, err := tools.ReadViews(text); name != "watchglass-views.json" || err != nil || len(again) != 3 {
			t.Errorf("%s %v %v", name, again, err)
		}
	})
}

// TestUnreadViews holds that saving keeps what this version can't read of the stored views, and that the page says so.
func TestUnreadViews(t *testing.T) {
	const newer, wrong = `{"name":"later","address":"/pods","colour":["red",1]}`, `{"name":"moved","address":"/pods?brand-new=1"}`
	for name, c := range map[string]struct {
		stored, shown string
		kept, aside   []string
	}{
		"views of a newer version": {`{"watchglass":"views","version":2,"order":["b"],"views":[` + newer + `,{"name":"b","address":"/nodes"},` + wrong + `]}`, "b /nodes", []string{newer, wrong, `"version":2`, `"order":["b"]`}, nil},
		"the same name twice":      {`{"watchglass":"views","version":1,"views":[{"name":"b","address":"/nodes"},{"name":"b","address":"/secrets"}]}`, "b /nodes", []string{`{"name":"b","address":"/secrets"}`}, nil},
		"another format":           {`{"watchglass":"views","views":{"b":"/nodes"}}`, "", nil, []string{`{"watchglass":"views","views":{"b":"/nodes"}}`}},
		"no JSON":                  {"b=/nodes", "", nil, []string{"b=/nodes"}},
		"all can be read":          {`{"watchglass":"views","version":1,"views":[{"name":"b","address":"/nodes"}]}`, "b /nodes", nil, nil},
	} {
		onPage(t, "/pods", func(t *testing.T, w *tab) {
			w.live()
			w.screen.Remember("views", c.stored)
			w.page.views.Recall()
			if got := w.keptViews(); got != c.shown {
				t.Errorf("%s: shown are %q", name, got)
			}
			for range 2 {
				w.keepAs("a")
				if got, want := w.keptViews(), strings.TrimSuffix("a /pods, "+c.shown, ", "); got != want {
					t.Errorf("%s: then %q are shown, not %q", name, got, want)
				}
				for _, text := range c.kept {
					if stored := w.screen.Recall("views"); strings.Count(stored, text) != 1 {
						t.Errorf("%s: %s is not in %s", name, text, stored)
					}
				}
				if aside := w.screen.Recall("views-unread"); aside != strings.Join(c.aside, "") {
					t.Errorf("%s: aside is %q", name, aside)
				}
			}
			if some := len(c.kept)+len(c.aside) > 0; w.page.views.Unread() != some {
				t.Errorf("%s: the page says %v", name, !some)
			}
		})
	}
}

// TestUnreadColumns holds that columns stored by another version stay when those of another kind are stored.
func TestUnreadColumns(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		w.screen.Remember("columns", `{"nodes":{"wide":true},"secrets":"wide"}`)
		w.Act(columns.ToggleWide, "")
		if got := w.screen.Recall("columns"); got != `{"nodes":{"wide":true},"pods":"wide","secrets":"wide"}` {
			t.Error(got)
		}
	})
}

// TestViewOffers finds views in the palette by name.
func TestViewOffers(t *testing.T) {
	g := known()
	tools.Remember(g.browser, g.base, []tools.View{{Name: "Crashing in checkout", Address: "/pods?n=checkout&q=crash"}, {Name: "pods", Address: "/pods?q=x"}}, tools.Unread{})
	g.views.Recall()
	for text, want := range map[string]ui.Offer{
		"crashing":     {Action: ui.OpenView, Value: "Crashing in checkout"},
		"view cr":      {Action: ui.OpenView, Value: "Crashing in checkout"},
		"pods":         {Action: ui.GoTo, Value: "pods"},
		"rename crash": {Action: ui.RenameView, Value: "Crashing in checkout"},
		"remove pods":  {Action: ui.RemoveView, Value: "pods"},
		"save v":       {Action: views.SaveAs},
		"copy link":    {Action: "copy-link"},
		"copy kubect":  {Action: "copy-command"},
		"as csv":       {Action: "export", Value: tools.AsCSV},
		"as json":      {Action: "export", Value: tools.AsJSON},
		"import":       {Action: views.Import},
		"export view":  {Action: ui.ExportViews},
		"favourite":    {Action: "star"},
		"share":        {Action: share.Open},
		"restore":      {Action: views.Undo},
	} {
		offers := offers(g.palette, text)
		if len(offers) == 0 || offers[0].Action != want.Action || offers[0].Value != want.Value {
			t.Errorf("%q leads to %+v", text, offers)
		}
	}
}
