package hub

import (
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/internal/hub/cluster"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

const columnPath = "Custom resource definition column (in JSONPath format): "

// column is a column of a Table, as the server defines it.
func column(name, typ, description string) string {
	return `{"name":"` + name + `","type":"` + typ + `","description":"` + description + `"}`
}

// dated returns a cluster of widgets in a Table with this date column. Each has the age that it
// has in the middle of a test.
func dated(column string) *proxy {
	p := three()
	p.extraKinds, p.columns = []string{"widgets"}, column
	p.change(wire.Added, testObject{resource: "widgets", namespace: "b", name: "w", status: "2s"})
	return p
}

// wantDate checks the one cell, now and an hour later.
func (b *fixture) wantDate(now, then string) {
	b.t.Helper()
	b.wantRows("live", "b/w")
	if got := b.cells(); got != now {
		b.t.Errorf("%q, want %q", got, now)
	}
	b.wait(time.Hour)
	if got := b.cells(); got != then {
		b.t.Errorf("an hour later %q, want %q", got, then)
	}
}

// TestDateInBody checks that a Table with a date outside the metadata is reopened with whole
// objects while its rows stay. The next time it is opened with whole objects at once.
func TestDateInBody(t *testing.T) {
	onHub(t, dated(column("Last Sync", "date", columnPath+".status.sync")), func(t *testing.T, b *fixture) {
		b.showList("widgets", view.Query{Seq: 1})
		if got := b.proxy.takeOpened(); got != "discover, discover, watch widgets, watch widgets whole" {
			t.Errorf("asked %s", got)
		}
		b.wantDate("2s", "60m")
		b.page.mu.Lock()
		if !slices.IsSorted(b.page.totals) {
			t.Errorf("rows went: %v", b.page.totals)
		}
		b.page.mu.Unlock()
		b.showList("pods", view.Query{Seq: 2})
		b.wait(2 * cluster.Linger)
		b.proxy.takeRequests()
		b.showList("widgets", view.Query{Seq: 3})
		b.wantAsked("watch widgets whole")
	})
}

// TestDateInBodyComing checks that a Table that is replaced before it has synced ends at once,
// and does not linger.
func TestDateInBodyComing(t *testing.T) {
	p := dated(column("Last Sync", "date", columnPath+".status.sync"))
	p.holdLists = true
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("widgets", view.Query{Seq: 1})
		if got := p.takeClosedWatches(); got != "close watch widgets" {
			t.Errorf("%s", got)
		}
		p.finish()
		b.wait(soon)
		b.wantRows("live", "b/w")
	})
}

// TestDateInMetadata checks that a date in the metadata costs no request.
func TestDateInMetadata(t *testing.T) {
	onHub(t, dated(column("AGE", "date", columnPath+".metadata.creationTimestamp")), func(t *testing.T, b *fixture) {
		b.showList("widgets", view.Query{Seq: 1})
		b.wantAsked("discover, close discover, discover, close discover, watch widgets")
		b.wantDate("60m", "120m")
	})
}

// definition returns the definition of widgets with one column.
func definition(name, path string) string {
	return `{"spec":{"versions":[{"name":"v1","additionalPrinterColumns":[{"name":"` + name + `","type":"date","description":"x","jsonPath":"` + path + `"}]}]}}`
}

// TestDateDefined checks dates whose path is not in the Table but in the kind's definition,
// which is requested once, and again when it changes.
func TestDateDefined(t *testing.T) {
	p := dated(column("Age", "date", "When it synced"))
	p.defined = definition("Age", ".status.sync")
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.WatchKinds{}
		b.showList("widgets", view.Query{Seq: 1})
		asked := b.proxy.takeOpened()
		defined, whole := strings.Index(asked, "get customresourcedefinitions widgets.example.com"), strings.Index(asked, "watch widgets whole")
		if defined < 0 || whole < defined || strings.Count(asked, "widgets") != 3 {
			t.Errorf("asked %s", asked)
		}
		b.wantDate("2s", "60m")
		b.proxy.takeRequests()
		p.mu.Lock()
		p.defined = definition("Age", ".metadata.creationTimestamp")
		p.mu.Unlock()
		b.define("widgets")
		b.wait(time.Minute)
		if asked := b.proxy.takeRequests(); strings.Count(asked, "get customresourcedefinitions widgets") != 2 { // the GET, and its close
			t.Errorf("asked %s", asked)
		}
		if got := b.cells(); got != "121m" && got != "2h1m" {
			t.Errorf("%q", got)
		}
	})
}

// TestDateUnknown checks dates whose path is nowhere. They start as the server printed them,
// and tick. The definition is not requested again.
func TestDateUnknown(t *testing.T) {
	for name, deny := range map[string]func(wire.Request) *wire.Status{
		"denied": forbids(func(r wire.Request) bool { return r.Verb == wire.Get && r.Resource == cluster.Definitions.Resource }),
		"none":   nil,
	} {
		t.Run(name, func(t *testing.T) {
			p := dated(column("Age", "date", "When it synced"))
			p.deny = deny
			onHub(t, p, func(t *testing.T, b *fixture) {
				b.showList("widgets", view.Query{Seq: 1})
				b.wantDate("~4s", "~60m")
				if asked := b.proxy.takeRequests(); strings.Count(asked, "get customresourcedefinitions") > 2 || strings.Contains(asked, "whole") {
					t.Errorf("asked %s", asked)
				}
			})
		})
	}
}

// TestDateAway checks that a definition is requested again after a temporary error.
func TestDateAway(t *testing.T) {
	p := dated(column("Age", "date", "When it synced"))
	p.defined = definition("Age", ".status.sync")
	away := true
	p.deny = func(r wire.Request) *wire.Status {
		if r.Verb == wire.Get && r.Resource == cluster.Definitions.Resource && away {
			return &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable, Message: "refused"}
		}
		return nil
	}
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("widgets", view.Query{Seq: 1})
		p.mu.Lock()
		away = false
		p.mu.Unlock()
		b.wait(cluster.TableAgain + soon)
		if got := b.cells(); strings.HasPrefix(got, "~") {
			t.Errorf("%q", got)
		}
	})
}

// TestDateLate checks that a definition that comes while another kind is on screen is requested
// again, once, when the kind is opened again.
func TestDateLate(t *testing.T) {
	p := dated(column("Age", "date", "When it synced"))
	p.defined, p.delayAnswers = definition("Age", ".status.sync"), true
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("widgets", view.Query{Seq: 1})
		b.showList("pods", view.Query{Seq: 2})
		p.answerDelayed()
		b.wait(soon)
		b.proxy.takeRequests()
		b.showList("widgets", view.Query{Seq: 3})
		if got := b.cells(); strings.HasPrefix(got, "~") {
			t.Errorf("%q", got)
		}
		if got := b.proxy.takeOpened(); strings.Count(got, "get customresourcedefinitions") != 1 {
			t.Errorf("asked %s", got)
		}
	})
}

// TestDateOfObject checks that the summary of an object has its dates as in the list, even if
// it was opened before the definition was known.
func TestDateOfObject(t *testing.T) {
	p := dated(column("Age", "date", "When it synced"))
	p.defined = definition("Age", ".status.sync")
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.ListQuery{ID: listID, Resource: "widgets", Query: view.Query{Seq: 1, Limit: 10}}
		b.focus(port.Focus{Seq: 1, Resource: "widgets", Namespace: "b", Name: "w", Tab: "summary"})
		b.wait(time.Second)
		all := b.summaries()
		if len(all) == 0 {
			t.Fatal("no summary")
		}
		last := all[len(all)-1]
		for _, part := range last.Sections {
			if part.Title != "Columns" {
				continue
			}
			if p := part.Rows[0].Lines[0][0]; p.Text != "" || p.At != time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Unix() {
				t.Errorf("%+v", p)
			}
		}
	})
}
