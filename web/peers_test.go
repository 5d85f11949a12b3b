package web

import (
	"slices"
	"testing"
	"testing/synctest"

	"watchglass/internal/port"
	"watchglass/web/inspector"
)

// TestPeers runs what users missed in other pages. Each name begins with the issue, as e2e/PEERS.md
// lists it.
func TestPeers(t *testing.T) {
	t.Run("octant-39 the Inspector shows what each source costs the apiserver", testInspectorCosts)
}

// testInspectorCosts opens the Inspector: each source has a row, with what it costs under the heading
// of each column.
func testInspectorCosts(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		w.Act(inspector.Open, "")
		synctest.Wait()
		for _, m := range w.takeSent() {
			if a, ok := m.(port.Ask); ok && a.Method == "inspect" {
				w.in <- port.Answer{ID: a.ID, Value: inspected(t)}
			}
		}
		synctest.Wait()
		all := draw(t, w.page)
		for source, want := range map[string]map[string]string{
			"pods":  {"State": "live", "Events/s": "3.2", "Data/s": "2.0 KB", "Received": "3.0 MB", "Resumes": "2", "Relists": "7 watch failed", "Audits": "5 · 1 with differences"},
			"nodes": {"State": "syncing", "Received": "0 B", "Resumes": "0", "Relists": "0", "Audits": "0 · failed"},
		} {
			got := rowOf(t, all, source)
			for column, text := range want {
				if got[column] != text {
					t.Errorf("%s of %s is %q, want %q", column, source, got[column], text)
				}
			}
		}
	})
}

// rowOf returns the cells of a source in the Inspector, by heading.
func rowOf(t *testing.T, all []*element, source string) map[string]string {
	t.Helper()
	all = all[slices.Index(all, find(t, all, "id", "inspector")):]
	row := slices.Index(all, find(t, all, "data-source", source))
	var heads []string
	for _, e := range all {
		if e.attrs["scope"] == "col" {
			heads = append(heads, e.text)
		}
	}
	out := map[string]string{}
	for _, e := range all[row+1:] {
		if e.tag == "tr" || len(out) == len(heads) {
			break
		}
		if e.tag == "th" || e.tag == "td" {
			out[heads[len(out)]] = e.text
		}
	}
	return out
}
