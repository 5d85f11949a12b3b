package web

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"watchglass/web/list"
	"watchglass/web/ui"
)

// TestDensity checks that the row height changes, and that the first visible row stays.
func TestDensity(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live().Scrolled(100*ui.RowHeight, 20*ui.RowHeight)
		w.answer()
		w.screen.takeCalls()
		w.Act(list.SetDensity, "Comfortable")
		if got := w.screen.takeCalls(); got != "remember density Comfortable, rows of 36, scroll 3600" {
			t.Error(got)
		}
		w.answer()
		if w.page.list.Asked().Offset > 100 || w.page.list.Asked().Offset+w.page.list.Asked().Limit < 116 {
			t.Errorf("asked for %d rows from %d", w.page.list.Asked().Limit, w.page.list.Asked().Offset)
		}
		again := NewPage(w, w.screen, "", "/pods", "", func() {})
		again.Attach(w.paper, 20*ui.RowHeight)
		if got := w.screen.takeCalls(); !strings.Contains(got, "rows of 36") {
			t.Errorf("the next page was told %q", got)
		}
	})
}

// TestTouchRows checks that rows are large enough for fingers at each density.
func TestTouchRows(t *testing.T) {
	for _, name := range list.Densities() {
		s := &screen{kept: map[string]string{"density": name}, touch: true}
		NewPage(noWorker{}, s, "", "/pods", "", func() {}).Attach(&fakePainter{rows: map[int]*line{}}, 20*ui.RowHeight)
		if got := s.takeCalls(); !strings.Contains(got, "rows of 44") {
			t.Errorf("%s: told %q", name, got)
		}
	}
}

// TestDensityNames checks that <watch-glass> has one spelling of each density in its types and in
// its guide.
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
}
