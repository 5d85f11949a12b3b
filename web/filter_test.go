package web

import (
	"slices"
	"strings"
	"testing"

	"watchglass/internal/object"
	"watchglass/internal/query"
	"watchglass/internal/view"
	"watchglass/web/facets"
	"watchglass/web/filter"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// counted returns a patch with columns and facets.
func counted(seq uint32) view.Patch {
	columns := []view.Column{{Name: view.NamespaceColumn}, {Name: "Name"}, {Name: "Status"}, {Name: "Age", Kind: 2}} // ages
	return view.Patch{
		Seq: seq, Total: 1, Of: 9, Columns: columns, Known: columns,
		Facets: []view.Facet{
			{Name: view.NamespaceColumn, Values: []view.FacetValue{{Value: "team-a", Count: 9}}},
			{Name: "Status", Values: []view.FacetValue{{Value: "Running", Count: 7}, {Value: "Pending", Count: 2}}},
			{Name: "Node", Values: []view.FacetValue{{Value: "<none>", Count: 2}, {Value: "n1", Count: 7}}},
		},
	}
}

// TestPick cycles values of facets through included, excluded and neither.
func TestPick(t *testing.T) {
	for _, c := range []struct{ at, value, want string }{
		{"/pods", "Status:Running", "/pods?q=status:Running"},
		{"/pods?q=status:Running", "Status:Pending", "/pods?q=status:Running,Pending"},
		{"/pods?q=status:Running", "Status:Running", "/pods?q=!status:Running"},
		{"/pods?q=web+!status:Running", "Status:Running", "/pods?q=web"},
		{"/pods?q=age%3C1h", "Node:<none>", "/pods?q=age%3C1h+node:%3Cnone%3E"},
		{"/pods?q=a+or+b", "Status:Running", "/pods?q=(a+or+b)+status:Running"},
		{"/pods", "Owner:", `/pods?q=owner:%22%22`},
		{"/pods", "Status:Init:Error", "/pods?q=status:Init:Error"},
	} {
		onPage(t, c.at, func(t *testing.T, w *tab) {
			w.live()
			w.Act(facets.Pick, c.value)
			if got := w.page.address.String(""); got != c.want {
				t.Errorf("%s, %s: %s, want %s", c.at, c.value, got, c.want)
			}
		})
	}
}

// TestCompleteHidden completes fields of columns that are not on screen, with their counts once
// the filter uses them.
func TestCompleteHidden(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		p := counted(w.page.list.Asked().Seq)
		p.Known = append(p.Known, view.Column{Name: "Last Restart", Kind: uint8(object.AgeCell), Priority: -1}, view.Column{Name: "Exit", Priority: -1}, view.Column{Name: "Exit Code", Kind: uint8(object.NumberCell), Priority: -1})
		w.sendPatch(p)
		for text, want := range map[string]string{
			"exi":           "exit: exit-code> exit-code<",
			"last-r":        "last-restart> last-restart<",
			"last-restart<": "5m 1h 1d 7d 30d",
			"exit:":         "OOMKilled Error",
			"exit:O":        "OOMKilled",
		} {
			w.Typed("filter", text)
			if strings.HasPrefix(text, "exit:") {
				p := counted(w.page.list.Asked().Seq)
				p.Columns, p.Known = nil, nil // as before
				p.Facets = append(p.Facets, view.Facet{Name: "Exit", Values: []view.FacetValue{{Value: "OOMKilled", Count: 3}, {Value: "Error", Count: 2}, {Value: "", Count: 4}}})
				w.sendPatch(p)
			}
			all, _ := w.suggested()
			if got := strings.Join(all, " "); got != want {
				t.Errorf("%s: %q, want %q", text, got, want)
			}
		}
	})
}

// suggested returns the suggestions below the filter, without their counts, and the index of the selected one; -1 if
// none is.
func (w *tab) suggested() (all []string, at int) {
	at = -1
	for _, e := range parts(w.t, w.page.filter.DrawBeneath()) {
		switch {
		case e.attrs["aria-selected"] == "true":
			at = len(all)
		case e.attrs["class"] == "name":
			all = append(all, e.text)
		}
	}
	return all, at
}

// TestComplete completes a filter by keys alone.
func TestComplete(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		w.sendPatch(counted(w.page.list.Asked().Seq))
		press := func(name string, want bool) {
			t.Helper()
			if got := w.Press(ui.Key{Name: name, Typing: true}); got != want {
				t.Errorf("%s: taken %v", name, got)
			}
		}
		w.Typed("filter", "st")
		if all, at := w.suggested(); at != -1 || len(all) == 0 || all[0] != "status:" {
			t.Fatalf("%q, at %d", all, at)
		}
		press("Tab", false) // the browser's key until a suggestion is selected
		press("x", false)
		press("ArrowDown", true)
		press("Tab", true)
		if got := w.page.address.Filter; got != "status:" {
			t.Error(got)
		}
		all, _ := w.suggested()
		if len(all) < 2 || all[0] != "Running" || all[1] != "Pending" {
			t.Fatalf("%q", all)
		}
		if got := find(t, parts(t, w.page.filter.DrawBeneath()), "id", "suggestion-0").text; got != "Running 7" {
			t.Errorf("with its count: %q", got)
		}
		press("ArrowUp", true)
		press("ArrowUp", true)
		press("ArrowDown", true)
		if _, at := w.suggested(); at != len(all)-1 {
			t.Error(at)
		}
		press("ArrowDown", true)
		w.sendPatch(counted(w.page.list.Asked().Seq)) // new counts keep the selection
		press("Enter", true)
		if got := w.page.address.Filter; got != "status:Running" {
			t.Error(got)
		}
		w.Typed("filter", "status:Running a")
		press("Escape", true)
		if w.page.filter.Suggests() {
			t.Error("there are suggestions still")
		}
		w.Typed("filter", "status:Running ag")
		w.Act(filter.Accept, "0")
		if got := w.page.address.Filter; got != "status:Running age>" {
			t.Error(got)
		}
		w.Act(filter.Accept, "99")
		w.Focused("grid")
		if w.page.filter.Suggests() {
			t.Error("there are suggestions for nobody")
		}
	})
}

// TestMistake checks that the invalid part of a filter is marked.
func TestMistake(t *testing.T) {
	g := pageStates()["live"]
	g.address.Filter = "web statsu:Running"
	g.list.Window().Problems = view.Problems{{Text: "there is no field here; expected status", InForce: "web", From: 4, To: 10}}
	all := draw(t, g)
	if got := find(t, all, "class", "wrong").text; got != "statsu" {
		t.Error(got)
	}
	if got := find(t, all, "id", "mistake"); got.attrs["role"] != "alert" || !strings.Contains(got.text, "expected status") {
		t.Errorf("%+v", got)
	}
	if find(t, all, "id", "filter").attrs["aria-invalid"] != "true" {
		t.Error("the field does not say so")
	}
	beneath := func() bool {
		return find(t, draw(t, g), "id", "suggestions").text != ""
	}
	if !strings.Contains(find(t, all, "class", "banner").text, "expected status") || beneath() {
		t.Error("what is not being typed is said above the rows, not over them")
	}
	if g.typing = "filter"; strings.Contains(find(t, draw(t, g), "class", "banner").text, "expected status") || !beneath() {
		t.Error("what is being typed is said beneath it")
	}
	g.list.Window().Problems[0].From, g.list.Window().Problems[0].To = 900, 901 // of the previous text
	draw(t, g)
}

// TestFilterExamples parses the filters in the help.
func TestFilterExamples(t *testing.T) {
	s := query.Schema{Namespaced: true, Columns: []query.Column{{Name: "Status"}, {Name: "Node"}, {Name: "Restarts", Kind: query.NumberColumn}, {Name: "Age", Kind: query.DurationColumn}, {Name: "Requested", Kind: query.NumberColumn},
		{Name: "Exit"}, {Name: "Last Restart", Kind: query.DurationColumn}, {Name: "Conditions"}, {Name: "Endpoints", Kind: query.NumberColumn}}}
	for _, e := range words.FilterExamples {
		f, err := query.Parse(e.Filter)
		if err == nil {
			_, err = query.Bind(f, s)
		}
		if err != nil {
			t.Errorf("%s: %v", e.Filter, err)
		}
	}
}

// TestHalfTyped (17) checks when the worker is told that the user is typing: as long as there are
// suggestions. An incomplete filter is sent once the field loses the focus.
func TestHalfTyped(t *testing.T) {
	for name, leave := range map[string]func(w *tab){
		"escape": func(w *tab) { w.Press(ui.Key{Name: "Escape", Typing: true, Field: "filter"}) },
		"enter":  func(w *tab) { w.Press(ui.Key{Name: "Enter", Typing: true, Field: "filter"}) },
		"left":   func(w *tab) { w.Focused("grid") },
		"space":  func(w *tab) { w.Typed("filter", "stat ") },
		"chosen": func(w *tab) { w.Act(facets.Pick, "Node:n1") },
	} {
		t.Run(name, func(t *testing.T) {
			onPage(t, "/pods", func(t *testing.T, w *tab) {
				w.live()
				w.sendPatch(counted(w.page.list.Asked().Seq))
				w.Typed("filter", "stat")
				if looks := w.looks(); len(looks) != 1 || !looks[0].Typing || looks[0].Text != "stat" {
					t.Fatalf("%+v", looks)
				}
				p := counted(w.page.list.Asked().Seq)
				p.Held = true
				w.sendPatch(p)
				g := w.page
				if list := find(t, parts(t, g.drawList()), "class", "list"); g.top.count() != "0 of 9" || list.attrs["data-held"] != "true" {
					t.Errorf("%s, %+v", g.top.count(), list)
				}
				leave(w)
				if name == "chosen" {
					w.Focused("") // a click takes the focus, too
				}
				if looks := w.looks(); len(looks) == 0 || looks[len(looks)-1].Typing {
					t.Errorf("%+v", looks)
				}
			})
		})
	}
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		w.Typed("filter", "restarts>")
		p := counted(w.page.list.Asked().Seq)
		p.Problems = view.Problems{{Text: "the filter ends; expected a number", From: 9, To: 9, Incomplete: true}}
		w.sendPatch(p)
		if g := w.page; g.filter.Problems().Of(view.PartFilter).Text != "" {
			t.Error("who types is interrupted")
		}
		w.screen.takeCalls()
		if !w.Press(ui.Key{Name: "Enter", Typing: true, Field: "filter"}) {
			t.Error("Enter is not ours")
		}
		w.want("focus grid")
		w.Focused("grid")
		if g := w.page; g.filter.Problems().Of(view.PartFilter).Text == "" {
			t.Error("nobody says that it is not complete")
		}
	})
}

// TestUnfinished checks that rows are dimmed while a term is incomplete. Once the field has lost the
// focus they no longer are, and the term is an error.
func TestUnfinished(t *testing.T) {
	dimmed := func(w *tab) bool {
		return slices.ContainsFunc(draw(t, w.page), func(e *element) bool { return e.attrs["class"] == "list" && e.attrs["data-held"] == "true" })
	}
	for _, text := range []string{"age<", `"unfinished`, "/regex("} {
		onPage(t, "/pods", func(t *testing.T, w *tab) {
			w.live()
			w.Typed("filter", text)
			looks := w.looks()
			p := w.window(looks[len(looks)-1])
			p.Problems = view.Problems{{Text: "the filter ends", Incomplete: true}}
			if w.sendPatch(p); !dimmed(w) {
				t.Errorf("%s: the rows are not dimmed", text)
			}
			if w.Focused("grid"); dimmed(w) {
				t.Errorf("%s: the rows are dimmed when the field is left", text)
			}
		})
	}
}

// TestChips shows the terms of the filter as chips, and what is left when one is removed.
func TestChips(t *testing.T) {
	for _, c := range []struct{ filter, chips, remove, want, focus string }{
		{"", "", "", "", ""},
		{"node:n7 status:!Running team-03", "node:n7 × status:!Running × team-03 ×", "status:!Running", "node:n7 team-03", "term-1"},
		{"node:n7 team-03", "node:n7 × team-03 ×", "team-03", "node:n7", "term-0"},
		{"a or b", "a or b ×", "a or b", "", "grid"},
		{"/back off/ !(a b)", "/back off/ × !(a b) ×", "/back off/", "!(a b)", "term-0"},
		{`a "b`, "", "", "", ""}, // does not parse
	} {
		onPage(t, "/pods", func(t *testing.T, w *tab) {
			w.live()
			w.Typed("filter", c.filter)
			w.answer()
			w.Focused("grid")
			all := draw(t, w.page)
			if got := find(t, all, "class", "chips").text; got != c.chips {
				t.Errorf("%s: chips %q, want %q", c.filter, got, c.chips)
			}
			if c.remove == "" {
				return
			}
			find(t, all, "aria-label", "Remove filter "+c.remove)
			w.screen.takeCalls()
			w.Act(filter.RemoveTerm, c.remove)
			if got := w.page.address.Filter; got != c.want {
				t.Errorf("%s without %s: %q, want %q", c.filter, c.remove, got, c.want)
			}
			if got := w.screen.takeCalls(); !strings.Contains(got, `filter="`) || !strings.HasSuffix(got, "focus "+c.focus) {
				t.Errorf("%s without %s: the browser was told %s", c.filter, c.remove, got)
			}
		})
	}
}

// TestNoChips shows no chips for a filter with a field that the list does not have: it stays
// text, which shows where the mistake is, and the page says which filter is in force and what else is wrong.
func TestNoChips(t *testing.T) {
	g := pageStates()["live"]
	g.address.Filter = "web statsu:Running"
	g.list.Window().Problems = view.Problems{{Text: "there is no field here", From: 4, To: 10}, {Part: view.PartSort, Text: "can't sort by CPU: no such column"}}
	all := draw(t, g)
	if got := find(t, all, "class", "chips").text; got != "" {
		t.Error(got)
	}
	if got, want := find(t, all, "class", "banner").text, "web statsu :Running there is no field here. No filter is applied. Can't sort by CPU: no such column."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	g.list.Window().Problems[0].InForce = "db"
	if got := find(t, draw(t, g), "id", "mistake").text; !strings.HasSuffix(got, " Filtered by: db.") {
		t.Error(got)
	}
}
