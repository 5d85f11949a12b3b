package main

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// summaries are those that the page was told since it was last asked.
func (b *bench) summaries() (out []detail.Summary) {
	b.page.mu.Lock()
	defer b.page.mu.Unlock()
	for _, d := range b.page.details {
		if d.Part != "summary" {
			continue
		}
		var s detail.Summary
		if err := json.Unmarshal(d.Doc, &s); err != nil {
			b.t.Error(err)
		}
		out = append(out, s)
	}
	b.page.details = nil
	return out
}

// says is what a row of a summary says.
func says(s detail.Summary, section, row string) string {
	for _, part := range s.Sections {
		i := slices.IndexFunc(part.Rows, func(r detail.Row) bool { return r.Name == row })
		if part.Title == section && i >= 0 {
			return part.Rows[i].Lines[0][0].Text
		}
	}
	return ""
}

// TestSummaryPane shows that a summary is told of each version of the object, with what
// its list prints of it, and once; of one that is gone it stays as it was.
func TestSummaryPane(t *testing.T) {
	p := three()
	p.served = []string{"widgets"}
	p.change(wire.Added, thing{resource: "widgets", namespace: "a", name: "w1", status: "5"})
	onDesk(t, p, func(t *testing.T, b *bench) {
		b.looks("widgets", view.Query{Seq: 1})
		b.focus(port.Focus{Seq: 1, Resource: "widgets", Namespace: "a", Name: "w1", Tab: "summary"})
		b.wait(2 * tick)
		all := b.summaries()
		if len(all) != 1 || says(all[0], "spec", "replicas") != "3" || says(all[0], "Columns", "Size") != "5" {
			t.Fatalf("%+v", all)
		}
		b.proxy.change(wire.Modified, thing{resource: "widgets", namespace: "a", name: "w1", status: "6"})
		b.wait(soon)
		if all := b.summaries(); len(all) != 1 || says(all[0], "Columns", "Size") != "6" {
			t.Errorf("%+v", all)
		}
		b.proxy.change(wire.Deleted, thing{resource: "widgets", namespace: "a", name: "w1"})
		b.wait(soon)
		if all := b.summaries(); len(all) != 0 {
			t.Errorf("%+v", all)
		}
	})
}

// claimed is a claim, whose summary has the pods that mount it.
const claimed = `{"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{"name":"data","namespace":"a"}}`

// TestSummaryLists shows that the lists which a summary has something of are held while
// it is on screen, and let go after that; and that the list on screen does, if it may.
func TestSummaryLists(t *testing.T) {
	for screen, want := range map[string]string{"pods": "", "nodes": "watch pods/a"} {
		onDesk(t, three(), func(t *testing.T, b *bench) {
			b.looks(screen, view.Query{Seq: 1})
			b.wantAsked("watch " + screen)
			run := func(f func()) {
				b.post(t.Context(), f)
				b.wait(soon)
			}
			var shown []byte
			p := newSummaryPane(t.Context(), b.desk, &focus{})
			run(func() {
				p.object(new(object.Object), func() (detail.Value, error) { return detail.ParseValue([]byte(claimed)) })
				shown = p.turn(time.Now())
			})
			b.wantAsked(want)
			if shown == nil {
				t.Error("it waits for the others")
			}
			run(p.close)
			b.wait(linger)
			if want != "" {
				want = "close " + want
			}
			b.wantAsked(want)
		})
	}
}
