package web

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/query"
	"watchglass/internal/view"
	"watchglass/web/columns"
	"watchglass/web/ui"
)

// TestSortReveals sorts by columns that are not shown: the palette offers them, and they show then.
func TestSortReveals(t *testing.T) {
	for _, c := range []struct{ address, by, offered, columns string }{
		{"/nodes", "Requested", "Sort by Requested", "*,Requested"},
		{"/nodes", "Version", "Sort by Version", ""}, // of -o wide: it shows by itself
		{"/nodes", "Name", "Sort by Name", ""},
		{"/nodes?cols=Name", "Version", "Sort by Version", "Name,Version"},
	} {
		onPage(t, c.address, func(t *testing.T, w *tab) {
			w.live()
			known := []view.Column{{Name: "Name"}, {Name: "Age"}, {Name: "Version", Priority: 1}, {Name: "Requested", Priority: -1, Kind: uint8(object.AmountCell)}}
			shown := known[:2]
			if strings.Contains(c.address, "cols") {
				shown = known[:1]
			}
			w.sendPatch(view.Patch{Seq: w.page.list.Asked().Seq, Columns: shown, Known: known})
			if !slices.ContainsFunc(w.page.list.SortOffers(), func(o ui.Offer) bool { return o.Text == c.offered }) {
				t.Errorf("%s is not offered", c.offered)
			}
			w.Act(ui.SortBy, c.by)
			if a := w.page.address; a.Sort != c.by || a.Columns != c.columns {
				t.Errorf("%s by %s: columns %q, sorted by %q", c.address, c.by, a.Columns, a.Sort)
			}
			w.Act(ui.SortBy, c.by)
			w.Act(ui.SortBy, c.by)
			if a := w.page.address; a.Sort != "" || a.Columns != c.columns {
				t.Errorf("%s by %s, then not: columns %q", c.address, c.by, a.Columns)
			}
		})
	}
}

// someColumns gives the page the columns of pods; the wide ones are hidden.
func (w *tab) someColumns(shown ...string) {
	known := []view.Column{{Name: view.NamespaceColumn}, {Name: "Name"}, {Name: "Status"}, {Name: "Last Seen", Kind: 2}, {Name: "Pods", Kind: uint8(object.AmountCell), Priority: 1}, {Name: "IP", Priority: 1}, {Name: "Node", Priority: 1}, {Name: "Requested", Kind: uint8(object.AmountCell), Priority: -1}}
	var columns []view.Column
	for _, name := range shown {
		c := view.Column{Name: name}
		if i := slices.IndexFunc(known, func(c view.Column) bool { return c.Name == name }); i >= 0 {
			c = known[i]
		} else {
			known = append(known, c)
		}
		columns = append(columns, c)
	}
	w.sendPatch(view.Patch{Seq: w.page.list.Asked().Seq, Columns: columns, Known: known})
}

// TestChooser chooses columns in the dialog.
func TestChooser(t *testing.T) {
	all := []string{"Namespace", "Name", "Status", "Last Seen"}
	for name, c := range map[string]struct {
		from    string
		showing []string
		do      func(w *tab)
		want    string
	}{
		"hide one":         {"/pods", all, func(w *tab) { w.Act(columns.Toggle, "Status") }, "/pods?cols=Namespace,Name,Last+Seen"},
		"show it again":    {"/pods?cols=Namespace,Name,Last+Seen", []string{"Namespace", "Name", "Last Seen"}, func(w *tab) { w.Act(columns.Toggle, "Status") }, "/pods"},
		"show a wide one":  {"/pods", all, func(w *tab) { w.Act(columns.Toggle, "Node") }, "/pods?cols=*,Node"},
		"all of them":      {"/pods?cols=*,Node", append(slices.Clone(all), "Node"), func(w *tab) { w.Act(columns.Toggle, "IP") }, "/pods?cols=wide"},
		"show a sum":       {"/pods", all, func(w *tab) { w.Act(columns.Toggle, "Pods") }, "/pods?cols=*,Pods"},
		"a rare sum":       {"/pods?cols=wide", append(slices.Clone(all), "IP", "Node"), func(w *tab) { w.Act(columns.Toggle, "Requested") }, "/pods?cols=wide,Requested"},
		"the last stays":   {"/pods?cols=Name", []string{"Name"}, func(w *tab) { w.Act(columns.Toggle, "Name") }, "/pods?cols=Name"},
		"later":            {"/pods", all, func(w *tab) { w.Act(columns.Move, "down Name") }, "/pods?cols=Namespace,Status,Name,Last+Seen"},
		"earlier":          {"/pods?cols=Name,Status", []string{"Name", "Status"}, func(w *tab) { w.Act(columns.Move, "up Status") }, "/pods?cols=Status,Name"},
		"not beyond":       {"/pods?cols=Name,Status", []string{"Name", "Status"}, func(w *tab) { w.Act(columns.Move, "up Name") }, "/pods?cols=Name,Status"},
		"wider":            {"/pods?cols=*,Name:200", all, func(w *tab) { w.Act(columns.Size, "wider Name") }, "/pods?cols=*,Name:220"},
		"dragged":          {"/pods", all, func(w *tab) { w.Size("Status", 90, false); w.Size("Status", 123, true) }, "/pods?cols=*,Status:123"},
		"as wide as needs": {"/pods?cols=*,Status:123", all, func(w *tab) { w.Size("Status", 0, true) }, "/pods"},
		"reset":            {"/pods?cols=Name", []string{"Name"}, func(w *tab) { w.Act(columns.Reset, "") }, "/pods"},
		"wide":             {"/pods?cols=*,label.app", append(slices.Clone(all), "label.app"), func(w *tab) { w.Act(columns.ToggleWide, "") }, "/pods?cols=wide,label.app"},
		"no more wide":     {"/pods?cols=wide,label.app", all, func(w *tab) { w.Act(columns.ToggleWide, "") }, "/pods?cols=*,label.app"},
		"add a label": {"/pods", all, func(w *tab) {
			w.Press(ui.Key{Name: "c"})
			w.Typed("add-column", "app")
			w.Press(ui.Key{Name: "Enter", Typing: true})
		}, "/pods?cols=*,label.app"},
		"add what is there": {"/pods?cols=*,label.app", all, func(w *tab) {
			w.Act(ui.ChooseColumns, "")
			w.Typed("add-column", "label.app")
			w.Act(columns.Add, "")
		}, "/pods?cols=*,label.app"},
		"take it away":  {"/pods?cols=*,label.app", append(slices.Clone(all), "label.app"), func(w *tab) { w.Act(columns.Toggle, "label.app") }, "/pods"},
		"sort by age":   {"/pods", all, func(w *tab) { w.Press(ui.Key{Name: "A"}) }, "/pods?sort=Last+Seen"},
		"not known yet": {"/pods?cols=*,Phase", all, func(w *tab) { w.Act(columns.Toggle, "Status") }, "/pods?cols=Namespace,Name,Last+Seen,Phase"},
		"to another and back": {"/pods", all, func(w *tab) {
			w.Act(columns.Toggle, "Status")
			w.Act(ui.GoTo, "services")
			if w.page.address.Columns != "" {
				t.Error("pods' columns are services'")
			}
			w.Act(ui.GoTo, "pods")
		}, "/pods?cols=Namespace,Name,Last+Seen"},
	} {
		t.Run(name, func(t *testing.T) {
			onPage(t, c.from, func(t *testing.T, w *tab) {
				w.live()
				w.someColumns(c.showing...)
				c.do(w)
				if got := w.page.address.String(""); got != c.want {
					t.Errorf("%s, not %s", got, c.want)
				}
				if asked := w.page.list.Asked().Columns; !slices.Equal(asked, w.page.address.ColumnNames()) {
					t.Errorf("asked for %q", asked)
				}
			})
		})
	}
}

// TestChooseEarly adds a column before the kind's columns are known.
func TestChooseEarly(t *testing.T) {
	for from, want := range map[string]string{"/pods": "/pods?cols=*,label.app", "/pods?cols=wide": "/pods?cols=wide,label.app", "/pods?cols=Name": "/pods?cols=Name,label.app"} {
		onPage(t, from, func(t *testing.T, w *tab) {
			w.Act(ui.ChooseColumns, "")
			w.Typed("add-column", "app")
			w.Act(columns.Add, "")
			if got := w.page.address.String(""); got != want {
				t.Errorf("%s, not %s", got, want)
			}
		})
	}
}

// TestChooserWrong checks the error for an invalid column, and that the text stays for correction.
func TestChooserWrong(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		w.someColumns("Name", "Status")
		w.Press(ui.Key{Name: "c"})
		w.Typed("add-column", "{.spec")
		w.Press(ui.Key{Name: "Enter", Typing: true})
		for range 2 { // the text is still there
			if text := content(parts(t, w.page.columns.Draw())); !strings.Contains(text, "the path ends") {
				t.Error(text)
			}
			w.Press(ui.Key{Name: "Enter", Typing: true})
		}
		if w.Takes(ui.Key{Name: "Tab"}) || w.Takes(ui.Key{Name: " "}) || w.Takes(ui.Key{Name: "Enter"}) || !w.Takes(ui.Key{Name: "j"}) || w.Takes(ui.Key{Name: "j", Typing: true}) || w.Takes(ui.Key{Name: "r", Command: true}) {
			t.Error("a key that moves or presses is the browser's, and what is typed the field's; a command is the browser's, and the rest nobody's")
		}
		w.Press(ui.Key{Name: "Escape"})
		if w.page.columns.Open() || !strings.Contains(w.screen.takeCalls(), "focus grid") {
			t.Error("it stays")
		}
	})
}

// TestOwnColumns checks that an address without a view uses the user's saved columns, and a link
// its own.
func TestOwnColumns(t *testing.T) {
	for address, want := range map[string]string{"/": "wide", "": "wide", "/problems": "", "/?q=a": "wide", "/services": ""} {
		s := &screen{kept: map[string]string{"columns": `{"problems":"wide"}`}}
		path, q, _ := strings.Cut(address, "?")
		if p := NewPage(nil, s, "", path, q, func() {}); p.page.address.Columns != want {
			t.Errorf("%s: %q", address, p.page.address.Columns)
		}
	}
	for _, kept := range []string{"", "null", "[]", `{"problems":1}`} {
		p := NewPage(nil, &screen{kept: map[string]string{"columns": kept}}, "", "/", "", func() {})
		if p.page.address.Columns != "" {
			t.Errorf("%s: %q", kept, p.page.address.Columns)
		}
	}
}

// TestLabels completes label names and values from the worker's counts.
func TestLabels(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		w.someColumns("Name", "Status")
		typed := func(text string, counts ...query.ValueCount) string {
			w.takeSent()
			w.Typed("filter", text)
			synctest.Wait()
			for _, m := range w.takeSent() {
				if ask, ok := m.(port.Ask); ok {
					doc, _ := json.Marshal(counts)
					w.in <- port.Answer{ID: ask.ID, Value: doc}
					synctest.Wait()
				}
			}
			all, _ := w.suggested()
			return strings.Join(all, " ")
		}
		if got := typed("label.", query.ValueCount{Text: "app", Count: 3}, query.ValueCount{Text: "tier", Count: 9}); got != "label.tier: label.app:" {
			t.Errorf("names: %q", got)
		}
		if got := typed("label.app:w", query.ValueCount{Text: "db", Count: 3}, query.ValueCount{Text: "web", Count: 2}); got != "web" {
			t.Errorf("values: %q", got)
		}
		if got := typed("-l tier=", query.ValueCount{Text: "back", Count: 3}); got != "back" {
			t.Errorf("values of a selector: %q", got)
		}
		if got := typed("-l a"); got != "app=" {
			t.Errorf("names of a selector, which are known: %q", got)
		}
	})
}
