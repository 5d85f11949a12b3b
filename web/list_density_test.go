package web

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestDensity checks that the row height changes, and that the first visible row stays.
func TestDensity(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live().Scrolled(100*RowHeight, 20*RowHeight)
		w.answer()
		w.screen.takeCalls()
		w.Act(SetDensity, "Comfortable")
		if got := w.screen.takeCalls(); got != "remember density Comfortable, rows of 36, scroll 3600" {
			t.Error(got)
		}
		w.answer()
		if w.page.list.asked.Offset > 100 || w.page.list.asked.Offset+w.page.list.asked.Limit < 116 {
			t.Errorf("asked for %d rows from %d", w.page.list.asked.Limit, w.page.list.asked.Offset)
		}
		again := NewPage(w, w.screen, "", "/pods", "", func() {})
		again.Attach(w.paper, 20*RowHeight)
		if got := w.screen.takeCalls(); !strings.Contains(got, "rows of 36") {
			t.Errorf("the next page was told %q", got)
		}
	})
}

// TestTouchRows checks that rows are large enough for fingers at each density.
func TestTouchRows(t *testing.T) {
	for _, d := range densities {
		s := &screen{kept: map[string]string{"density": d.name}, touch: true}
		NewPage(noWorker{}, s, "", "/pods", "", func() {}).Attach(&fakePainter{rows: map[int]*line{}}, 20*RowHeight)
		if got := s.takeCalls(); !strings.Contains(got, "rows of 44") {
			t.Errorf("%s: told %q", d.name, got)
		}
	}
}

// TestDensityNames checks that <watch-glass> has one spelling of each density in its types and in
// its guide, and that it is understood like the other one.
func TestDensityNames(t *testing.T) {
	for file, form := range map[string]string{
		"static/embed/watch-glass.d.ts": `density: "%s" | "%s" | "%s" | "";`,
		"../proxy/embed/README.md":      "| `density` | `%s`, `%s` or `%s` |",
	} {
		doc, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if line := fmt.Sprintf(form, "compact", "default", "comfortable"); !strings.Contains(string(doc), line) {
			t.Errorf("%s has no %q", file, line)
		}
	}
	for name, pixels := range map[string]int{"compact": 24, "Compact": 24, "default": RowHeight, "comfortable": 36, "tiny": RowHeight, "": RowHeight} {
		if got := densityOf(name).pixels; got != pixels {
			t.Errorf("%q: rows of %d, want %d", name, got, pixels)
		}
	}
}
