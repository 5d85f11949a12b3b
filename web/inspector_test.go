package web

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/port"
	"watchglass/web/inspector"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// The inspector asks every inspectEvery. After silentAfter without an answer it says so.
const (
	inspectEvery = 2 * time.Second
	silentAfter  = 3 * inspectEvery
)

// inspected returns an answer of the worker, with names that no report may have.
func inspected(t *testing.T) json.RawMessage {
	t.Helper()
	doc, err := os.ReadFile("inspector/testdata/answer.json")
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestInspectorAsks shows that the inspector asks again every inspectEvery while it is open, and
// never once it is closed.
func TestInspectorAsks(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		var last uint32
		asked := func() (n int) {
			synctest.Wait()
			for _, m := range w.takeSent() {
				if a, ok := m.(port.Ask); ok && a.Method == "inspect" {
					n, last = n+1, a.ID
				}
			}
			return n
		}
		answer := func() {
			w.in <- port.Answer{ID: last, Value: inspected(t)}
			synctest.Wait()
		}
		w.Act(inspector.Open, "")
		if n := asked(); n != 1 {
			t.Errorf("asked %d times", n)
		}
		answer()
		w.Act(inspector.Copy, "")
		if got := w.screen.takeCalls(); !strings.Contains(got, "pods in a namespace") || strings.Contains(got, "secret") {
			t.Errorf("copied %q", got)
		}
		w.sleep(inspectEvery)
		if n := asked(); n != 1 {
			t.Errorf("asked %d times again", n)
		}
		w.Act(ui.Leave, "")
		answer()
		w.sleep(3 * inspectEvery)
		if n := asked(); n != 0 {
			t.Errorf("asked %d times when closed", n)
		}
	})
}

// TestInspectorSilent shows that the inspector says when the worker does not answer, does not ask
// again meanwhile, and dates the copied figures by the answer that they came with.
func TestInspectorSilent(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		wantSummary := func(want string) {
			t.Helper()
			synctest.Wait()
			w.locked(func(g *page) { // which asks by itself
				if got := find(t, parts(t, g.inspector.Draw()), "id", "inspected").text; !strings.HasPrefix(got, want) {
					t.Errorf("%q, want %q", got, want)
				}
			})
		}
		asked := func() (last uint32) {
			w.locked(func(g *page) { last = g.lastAsk })
			return last
		}
		w.Act(inspector.Open, "")
		wantSummary("Loading…")
		w.sleep(silentAfter + time.Second)
		wantSummary("No answer for 7.0 s")
		w.in <- port.Answer{ID: asked(), Value: inspected(t)}
		wantSummary("worker shared by 2 tabs")
		answered, first := time.Now(), asked()
		w.sleep(time.Second + 12*time.Second) // it asks again a second later
		wantSummary("No answer for 12s · worker shared by 2 tabs")
		if n := asked() - first; n != 1 {
			t.Errorf("asked %d times", n)
		}
		w.screen.takeCalls()
		w.Act(inspector.Copy, "")
		if got, want := w.screen.takeCalls(), words.Stamp(answered)+"\nNo answer for 12s\nworker "; !strings.Contains(got, want) {
			t.Errorf("copied %q without %q", got, want)
		}
	})
}
