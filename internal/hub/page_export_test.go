package hub

import (
	"encoding/json"
	"fmt"
	"testing"

	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// TestExport checks that all rows that match are sent in order, one chunk for each pull, and that the export ends if the
// list is loaded anew meanwhile, or has gone.
func TestExport(t *testing.T) {
	const id = 70000
	for name, end := range map[string]struct {
		do   func(b *fixture)
		said string
	}{
		"whole":     {func(*fixture) {}, ""},
		"another":   {func(b *fixture) { b.showList("nodes", view.Query{Seq: 9}) }, port.ErrReloaded.Error()},
		"closed":    {func(b *fixture) { b.page.in <- port.Close{ID: listID} }, port.ErrReloaded.Error()},
		"cancelled": {func(b *fixture) { b.page.in <- port.Cancel{ID: id} }, "canceled"},
	} {
		t.Run(name, func(t *testing.T) {
			p := three()
			for i := range exportRows {
				p.change(wire.Added, pod("c", fmt.Sprintf("p%03d", i), "Running"))
			}
			onPods(t, p, func(t *testing.T, b *fixture) {
				var keys []string
				var chunks int
				var answers []port.Answer
				b.page.locked(func() {
					b.page.other = func(m port.Message) {
						switch m := m.(type) {
						case port.Chunk:
							var part rows
							if err := json.Unmarshal(m.Data, &part); err != nil || part.Total != exportRows+3 {
								t.Error(part.Total, err)
							}
							chunks++
							for _, r := range part.Rows {
								keys = append(keys, r.Key)
							}
						case port.Answer:
							answers = append(answers, m)
						}
					}
				})
				b.page.in <- port.Ask{ID: id, List: listID, Method: "export"}
				b.wait(soon)
				if chunks > 0 {
					t.Error("a chunk comes before it is pulled")
				}
				b.page.in <- port.Pull{ID: id}
				b.wait(soon)
				if chunks != 1 || len(answers) > 0 {
					t.Errorf("%d chunks, %v", chunks, answers)
				}
				end.do(b)
				b.wait(soon)
				b.page.in <- port.Pull{ID: id}
				b.wait(soon)
				if len(answers) != 1 || answers[0].Error != end.said {
					t.Fatalf("%v, want %q", answers, end.said)
				}
				if end.said == "" && (chunks != 2 || len(keys) != exportRows+3 || keys[0] != "a/web1" || keys[exportRows+2] != fmt.Sprintf("c/p%03d", exportRows-1)) {
					t.Errorf("%d chunks of %d rows", chunks, len(keys))
				}
			})
		})
	}
}

// TestExportOfNewQuery checks that an export is whole if its query has not been applied before: no patch was due, as in a
// page that is hidden.
func TestExportOfNewQuery(t *testing.T) {
	const id = 70000
	p := three()
	for i := range exportRows {
		p.change(wire.Added, pod("c", fmt.Sprintf("p%03d", i), "Running"))
	}
	onPods(t, p, func(t *testing.T, b *fixture) {
		f := b.collect(false)
		b.page.in <- port.Presence{Online: true}
		b.wait(soon)
		b.page.in <- port.ListQuery{ID: listID, Resource: "pods", Query: view.Query{Seq: 2, Sort: "Name", Descending: true, Paused: true, Limit: 10}}
		b.page.in <- port.Ask{ID: id, List: listID, Method: "export"}
		b.page.in <- port.Pull{ID: id}
		b.wait(soon)
		if len(f.ended) != 1 || f.ended[0].Error != "" || f.chunks != 2 {
			t.Errorf("%d chunks, ended %v", f.chunks, f.ended)
		}
	})
}
