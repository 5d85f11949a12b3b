package web

import (
	"strings"
	"testing"
	"testing/synctest"

	"watchglass/internal/port"
	"watchglass/web/chart"
	"watchglass/web/columns"
	"watchglass/web/filter"
	"watchglass/web/list"
	"watchglass/web/ui"
)

// TestPopover checks what opens and closes a popover of the top bar.
func TestPopover(t *testing.T) {
	for name, c := range map[string]struct {
		do    func(w *tab)
		stays bool
	}{
		"its button again":   {func(w *tab) { w.Act(ui.TogglePopover, viewPopover) }, false},
		"Esc":                {func(w *tab) { w.Press(ui.Key{Name: "Escape"}) }, false},
		"a click elsewhere":  {func(w *tab) { w.Dismissed() }, false},
		"another action":     {func(w *tab) { w.Act(ui.ChooseColumns, "") }, false},
		"the other popover":  {func(w *tab) { w.Act(ui.TogglePopover, statusPopover) }, false},
		"a toggle within it": {func(w *tab) { w.Act(columns.ToggleWide, "") }, true},
		"the theme":          {func(w *tab) { w.Act(ToggleTheme, "") }, true},
		"the row height":     {func(w *tab) { w.Act(list.SetDensity, list.Densities()[0]) }, true},
		"the start page":     {func(w *tab) { w.Act("start", "last") }, true},
		"the histogram":      {func(w *tab) { w.Act(chart.ToggleBars, "") }, true},
		"noise":              {func(w *tab) { w.Act(chart.ToggleNoise, "probes") }, true},
	} {
		t.Run(name, func(t *testing.T) {
			onPage(t, "/pods", func(t *testing.T, w *tab) {
				w.live().Act(ui.TogglePopover, viewPopover)
				open := func() bool { return find(t, draw(t, w.page), "id", "view-popover").attrs["hidden"] != "true" }
				if !open() {
					t.Fatal("it does not open")
				}
				if c.do(w); open() != c.stays {
					t.Errorf("open: %t, want %t", open(), c.stays)
				}
			})
		})
	}
}

// TestEscOnce checks that Esc closes a popover and nothing behind it.
func TestEscOnce(t *testing.T) {
	onPage(t, "/pods?sel=a/p1", func(t *testing.T, w *tab) {
		w.live().Act(ui.TogglePopover, statusPopover)
		w.Press(ui.Key{Name: "Escape"})
		if w.here() != "/pods?sel=a/p1" {
			t.Error("the drawer is closed, too")
		}
	})
}

// TestStatusPopover checks what the popover says beyond the badge.
func TestStatusPopover(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.setSource(port.Source{Resource: "pods", State: "live", Synced: true, Since: noon, Version: "42", Age: 240, Objects: 1000})
		w.Act(ui.TogglePopover, statusPopover)
		got := find(t, draw(t, w.page), "id", "status-popover").text
		for _, want := range []string{"State Live", "Since 2026-05-04 12:00:00", "Last heard 0.2 s ago", "Version 42", "Loaded 1,000"} {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in %q", want, got)
			}
		}
	})
}

// TestDifferences checks that everybody sees that an audit of any list found a difference, until the
// details are opened, which say it for good.
func TestDifferences(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		tell := func(n int) (badge, details string) {
			w.in <- port.State{Source: port.Source{Resource: "pods", State: "live", Synced: true, Since: noon, Audited: noon}, Differences: n}
			synctest.Wait()
			all := draw(t, w.page)
			return find(t, all, "id", "badge").text, find(t, all, "id", "status-popover").text
		}
		if badge, _ := tell(0); badge != "Live" {
			t.Errorf("%q", badge)
		}
		if badge, _ := tell(2); badge != "Live · 2 differences found" {
			t.Errorf("%q", badge)
		}
		w.Act(ui.TogglePopover, statusPopover)
		badge, details := tell(2)
		for _, want := range []string{"Self-audit matched the apiserver", "All lists differences found in 2 audits"} {
			if !strings.Contains(details, want) || badge != "Live" {
				t.Errorf("no %q in %q below %q", want, details, badge)
			}
		}
		w.Act(ui.TogglePopover, statusPopover)
		if badge, _ := tell(3); badge != "Live · 1 difference found" {
			t.Errorf("%q", badge)
		}
		w.in <- port.Reset{} // the next worker counts anew
		if badge, _ := tell(1); badge != "Live · 1 difference found" {
			t.Errorf("from another worker: %q", badge)
		}
	})
}

// TestTerms checks that the terms beside the filter can be removed.
func TestTerms(t *testing.T) {
	onPage(t, "/pods?n=a,b,c&l=app%3Dweb", func(t *testing.T, w *tab) {
		w.live()
		if got := find(t, draw(t, w.page), "class", "terms").text; got != "a × b × +1 app=web ×" {
			t.Error(got)
		}
		w.Act(ui.ChooseNamespace, "a")
		w.Act(filter.ClearLabels, "")
		if got := w.here(); got != "/pods?n=b,c" {
			t.Error(got)
		}
	})
}

// TestTips checks that each tooltip of the top bar names the key that is bound.
func TestTips(t *testing.T) {
	g := still()
	for _, e := range draw(t, g) {
		action := ui.Action(e.attrs["data-action"])
		if !strings.Contains(" "+e.attrs["class"]+" ", " tool-button ") || action == ui.TogglePopover {
			continue
		}
		if key := g.KeyOf(action); key == "" || !strings.HasSuffix(e.attrs["title"], " ("+key+")") {
			t.Errorf("the tooltip of %s is %q", action, e.attrs["title"])
		}
	}
}
