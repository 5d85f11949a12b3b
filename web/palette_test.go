package web

import (
	"testing"

	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/web/chart"
	"watchglass/web/columns"
	"watchglass/web/palette"
	"watchglass/web/past"
	"watchglass/web/ui"
)

// known returns a page with some kinds and namespaces.
func known() *page {
	g := pageStates()["live"]
	g.sidebar.OnKinds(port.Kinds{Kinds: []port.Kind{
		{ID: "pods", Name: "Pod", Short: "po"}, {ID: "deployments.apps", Name: "Deployment", Short: "deploy"}, {ID: "services", Name: "Service", Short: "svc"},
		{ID: "serviceaccounts", Name: "ServiceAccount", Short: "sa"}, {ID: "podtemplates", Name: "PodTemplate"},
		{ID: "widgets.example.com", Name: "Widget", Short: "wd,wdg", Custom: true},
	}})
	g.list.Window().Columns = []view.Column{{Name: "Namespace"}, {Name: "Name"}, {Name: "Restarts"}}
	return g
}

// offers returns the entries that the palette shows for a text.
func offers(p *palette.Palette, text string) []ui.Offer {
	all, _ := p.Matches(text)
	return all
}

// TestOffers checks the first entries for a text.
func TestOffers(t *testing.T) {
	g := known()
	for text, want := range map[string]ui.Offer{
		"po":           {Action: ui.GoTo, Value: "pods"},
		"PODS ":        {Action: ui.GoTo, Value: "pods"},
		"svc":          {Action: ui.GoTo, Value: "services"},
		"overview":     {Action: ui.GoTo, Value: "overview"},
		"problems":     {Action: ui.GoTo, Value: "problems"},
		"start":        {Action: "start", Value: "last"},
		"sa":           {Action: ui.GoTo, Value: "serviceaccounts"},
		"deploy":       {Action: ui.GoTo, Value: "deployments.apps"},
		"wdg":          {Action: ui.GoTo, Value: "widgets.example.com"},
		"example":      {Action: ui.GoTo, Value: "widgets.example.com"},
		"podt":         {Action: ui.GoTo, Value: "podtemplates"},
		"dplmt":        {Action: ui.GoTo, Value: "deployments.apps"},
		"kube-s":       {Action: ui.ChooseOnly, Value: "kube-system"},
		"po kube-sys":  {Action: ui.GoIn, Value: "pods kube-system"},
		"deploy team":  {Action: ui.GoIn, Value: "deployments.apps team-a"},
		"sort by rest": {Action: ui.SortBy, Value: "Restarts"},
		"sort by name": {Action: ui.SortBy, Value: "Name"},
		"wide":         {Action: columns.ToggleWide},
		"light":        {Action: ToggleTheme},
		"clear":        {Action: ui.ClearFilters},
	} {
		offers := offers(g.palette, text)
		if len(offers) == 0 || offers[0].Action != want.Action || offers[0].Value != want.Value {
			t.Errorf("%q leads to %+v", text, offers)
		}
	}
	if got := offers(g.palette, "no such thing"); len(got) != 1 || got[0].Action != palette.SearchAll {
		t.Errorf("%+v", got)
	}
	if got := offers(g.palette, ""); len(got) != 12 || got[0].Value != "overview" {
		t.Errorf("%+v", got)
	}
}

// TestSortOffers reverses the order of a sorted list. The entries name the keys.
func TestSortOffers(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		first := func(text string) ui.Offer { return offers(w.page.palette, text)[0] }
		if got := offers(w.page.palette, "reverse"); got[0].Action != palette.SearchAll {
			t.Errorf("a list without an order can be reversed: %+v", got)
		}
		if got := first("sort by name"); got.Hint != "N" {
			t.Errorf("%+v", got)
		}
		w.press("S")
		for _, want := range []struct{ text, here string }{{"Sort descending", "/pods?sort=-Status"}, {"Sort ascending", "/pods?sort=Status"}} {
			got := first("reverse")
			if w.Act(got.Action, got.Value); got.Text != want.text || got.Hint != "Status" || w.here() != want.here {
				t.Errorf("%+v leads to %s", got, w.here())
			}
		}
	})
}

// TestNoSuchColumn leaves the order alone if the kind does not have a key's column.
func TestNoSuchColumn(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		w.sendPatch(counted(w.page.list.Asked().Seq))
		w.press("O")
		if w.here() != "/pods" || w.notice() != "No column Node in this list." {
			t.Errorf("at %s: %q", w.here(), w.notice())
		}
		if w.press("S"); w.here() != "/pods?sort=Status" {
			t.Errorf("at %s", w.here())
		}
	})
}

// TestColumnsAlike sorts by what stands for a key's column in a list without it.
func TestColumnsAlike(t *testing.T) {
	onPage(t, "/problems", func(t *testing.T, w *tab) {
		w.live()
		for key, want := range map[string]string{"S": "/problems?sort=Severity", "E": "/problems?sort=Count", "M": "/problems?sort=Namespace"} {
			shown := counted(w.page.list.Asked().Seq)
			shown.Known = []view.Column{{Name: view.NamespaceColumn}, {Name: "Severity"}, {Name: "Name"}, {Name: "Count"}}
			shown.Columns = shown.Known
			w.sendPatch(shown)
			if w.press(key); w.here() != want {
				t.Errorf("%s leads to %s, %q", key, w.here(), w.notice())
			}
		}
	})
}

// TestPaletteOpens marks a row and opens its object. Without a row, tabs are not listed.
func TestPaletteOpens(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		chooses := func(text string) {
			t.Helper()
			w.Press(ui.Key{Name: ":"})
			w.Typed("palette", text)
			w.Press(ui.Key{Name: "Enter", Typing: true})
		}
		if all := offers(w.page.palette, "view logs"); all[0].Action != palette.SearchAll {
			t.Errorf("%+v", all)
		}
		chooses("first row")
		chooses("view logs")
		if a := w.page.address; a.Selected == "" || a.Tab != "logs" {
			t.Errorf("%+v", a)
		}
	})
	onPage(t, "/configmaps?sel=a/p1", func(t *testing.T, w *tab) {
		w.live()
		if all := offers(w.page.palette, "view logs"); all[0].Action != palette.SearchAll {
			t.Errorf("a ConfigMap has no logs: %+v", all)
		}
		if all := offers(w.page.palette, "view events"); len(all) == 0 || all[0].Value != "events" {
			t.Errorf("%+v", all)
		}
	})
}

// TestPalette goes to another kind by keys alone.
func TestPalette(t *testing.T) {
	typed := func(name string) ui.Key { return ui.Key{Name: name, Typing: true} }
	onPage(t, "/pods?n=a&q=x", func(t *testing.T, w *tab) {
		w.live()
		w.screen.takeCalls()
		w.Press(ui.Key{Name: ":", InGrid: true})
		w.want("focus palette-text")
		w.Typed("palette", "job")
		for _, name := range []string{"ArrowDown", "ArrowUp", "ArrowUp", "ArrowDown", "ArrowDown"} {
			if !w.Press(typed(name)) {
				t.Errorf("%s is not taken", name)
			}
		}
		if w.Press(typed("x")) {
			t.Error("a letter is kept from the field")
		}
		if at := find(t, draw(t, w.page), "id", "palette-text").attrs["aria-activedescendant"]; at != "offer-1" {
			t.Errorf("it is at %s", at)
		}
		w.Press(typed("ArrowUp"))
		w.Press(typed("Enter"))
		w.want(`focus grid, push /jobs.batch?n=a, state connecting jobs.batch · Watchglass, filter=""`)
		w.Press(ui.Key{Name: ":"})
		w.Press(typed("Escape"))
		w.want("focus palette-text, focus grid")
		w.Press(ui.Key{Name: ":"})
		w.Typed("palette", "nothing of that name")
		if w.Press(typed("Enter")); !w.page.palette.Open() {
			t.Error("nothing was gone to")
		}
		w.Act(ui.GoIn, "services team-a") // a click
		if g := w.page; g.palette.Open() || g.address.Resource != "services" || len(g.address.Namespaces) != 1 {
			t.Errorf("%+v", g.address)
		}
	})
}

// TestPaletteReturnsFocus shows where the focus goes when Escape closes the palette.
func TestPaletteReturnsFocus(t *testing.T) {
	for _, c := range []struct{ address, from, want string }{
		{"/pods?sel=a/p1&tab=yaml", "tab-yaml", "tab-yaml"},
		{"/pods?sel=a/p1&tab=yaml", "text", "text"},
		{"/pods?sel=a/p1&tab=yaml", "", "tab-yaml"}, // an element without an ID
		{"/pods?sel=a/p1", "grid", "grid"},
		{"/pods", "", "grid"},
	} {
		onPage(t, c.address, func(t *testing.T, w *tab) {
			w.live()
			w.Focused(c.from)
			w.screen.takeCalls()
			w.Press(ui.Key{Name: ":"})
			w.Focused("palette-text")
			w.Press(ui.Key{Name: "Escape", Typing: true})
			w.want("focus palette-text, focus " + c.want)
		})
	}
}

// TestShortcutsOffered checks that whoever adds a key decides whether the palette has its command.
func TestShortcutsOffered(t *testing.T) {
	left := map[ui.Action]bool{ // moving, what is easier by key, and what other parts offer when it can be done
		ui.OpenPalette: true, ui.Leave: true, "down": true, "up": true, "page-down": true, "page-up": true, "open": true,
		"next-tab": true, "previous-tab": true, "full": true, ui.Compare: true, chart.ToggleBars: true, past.StepPast: true, past.ToLive: true, ui.SortBy: true,
	}
	g := still(func(g *page) { g.address.Resource, g.address.Selected = "pods", "a/p" })
	offered := map[ui.Action]bool{}
	for _, o := range g.Offers("") {
		offered[o.Action] = true
	}
	for _, b := range shortcutsOf(g, "") {
		if offered[b.ID] == left[b.ID] {
			t.Errorf("%s, %q: offered %v, listed here as left out %v", b.Keys[0], b.Title, offered[b.ID], left[b.ID])
		}
	}
}
