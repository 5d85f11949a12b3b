package hub

import (
	"slices"
	"testing"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/document"
	"watchglass/internal/hub/loop"
	"watchglass/internal/hub/pane"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// summaries returns the summaries that the page was sent since the last call.
func (b *fixture) summaries() []detail.Summary { return decodedDocs[detail.Summary](b, "summary") }

// says returns what a row of a summary says.
func says(s detail.Summary, section, row string) string {
	for _, part := range s.Sections {
		i := slices.IndexFunc(part.Rows, func(r detail.Row) bool { return r.Name == row })
		if part.Title == section && i >= 0 {
			return part.Rows[i].Lines[0][0].Text
		}
	}
	return ""
}

// TestSummaryPane checks that each version of the object gets one summary, with the cells of
// its list, and that the summary of a deleted object stays.
func TestSummaryPane(t *testing.T) {
	p := three()
	p.extraKinds = []string{"widgets"}
	p.change(wire.Added, testObject{resource: "widgets", namespace: "a", name: "w1", status: "5"})
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("widgets", view.Query{Seq: 1})
		b.focus(port.Focus{Seq: 1, Resource: "widgets", Namespace: "a", Name: "w1", Tab: "summary"})
		b.wait(2 * loop.Tick)
		all := b.summaries()
		if len(all) != 1 || says(all[0], "spec", "replicas") != "3" || says(all[0], "Columns", "Size") != "5" {
			t.Fatalf("%+v", all)
		}
		b.proxy.change(wire.Modified, testObject{resource: "widgets", namespace: "a", name: "w1", status: "6"})
		b.wait(soon)
		if all := b.summaries(); len(all) != 1 || says(all[0], "Columns", "Size") != "6" {
			t.Errorf("%+v", all)
		}
		b.proxy.change(wire.Deleted, testObject{resource: "widgets", namespace: "a", name: "w1"})
		b.wait(soon)
		if all := b.summaries(); len(all) != 0 {
			t.Errorf("%+v", all)
		}
		b.focus(port.Focus{Seq: 2, Resource: "widgets", Namespace: "a", Name: "w1", Tab: "events"})
		b.focus(port.Focus{Seq: 3, Resource: "widgets", Namespace: "a", Name: "w1", Tab: "summary"})
		b.wait(soon)
		if all := b.summaries(); len(all) != 1 || says(all[0], "Columns", "Size") != "6" {
			t.Errorf("it is gone when its tab is opened: %+v", all)
		}
	})
}

// TestSummaryNarrow checks that -n also limits the requests for other objects, except those
// without a namespace.
func TestSummaryNarrow(t *testing.T) {
	p := three()
	p.welcome.Namespace, p.welcome.Narrow = "a", true
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("nodes", view.Query{Seq: 1})
		b.wantAsked("watch nodes")
		h := b.probes("web1").host
		b.proxy.takeRequests()
		b.postAndWait(func() {
			p := pane.NewSummary(h, pane.Subject{})
			node := func() (document.Value, error) {
				return document.Parse([]byte(`{"kind":"Node","apiVersion":"v1","metadata":{"name":"n1"}}`))
			}
			p.Object(pane.Version{Object: new(object.Object), Body: node, Cells: func() []detail.Cell { return nil }})
			p.Update(time.Now())
		})
		if got := b.asks(); got != "watch leases/kube-node-lease where metadata.name=n1, watch pods/a where spec.nodeName=n1" {
			t.Errorf("asked %s", got)
		}
	})
}
