package hub

import (
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/port"
	"watchglass/internal/wire"
)

// changes returns the documents of the Changes tab that the page was sent since the last call.
func (b *fixture) changes() []detail.Changes { return decodedDocs[detail.Changes](b, "changes") }

// TestChangesPace checks that an object that changes all the time is reported at intervals, up
// to its last version, and that what the reader asks for does not wait.
func TestChangesPace(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		asked := port.Focus{Seq: 1, Resource: "pods", Namespace: "a", Name: "web1", Tab: "changes"}
		b.focus(asked)
		b.changes()
		for i := range 50 {
			b.proxy.change(wire.Modified, pod("a", "web1", fmt.Sprint("Phase", i)))
			b.wait(250 * time.Millisecond / 10)
		}
		b.wait(250 * time.Millisecond)
		all := b.changes()
		if len(all) < 5 || len(all) > 7 {
			t.Errorf("%d documents in 5 × %v", len(all), 250*time.Millisecond)
		}
		last := all[len(all)-1].Versions
		if last[0].Fields[0].After != "Phase49" {
			t.Errorf("%+v", last[0])
		}
		b.proxy.change(wire.Modified, pod("a", "web1", "Failed"))
		b.wait(1)
		b.changes()
		asked.Options = json.RawMessage(fmt.Sprintf(`{"from":%q,"to":%q}`, last[0].Version, last[5].Version))
		b.page.in <- asked
		b.wait(1)
		if all := b.changes(); len(all) != 1 || all[0].Compared == nil {
			t.Errorf("%+v", all)
		}
	})
}

// TestChangesGone checks that the Changes tab says when an object was deleted, also if the tab is opened later, and
// does not if it was deleted while nobody could see that.
func TestChangesGone(t *testing.T) {
	for _, away := range []bool{false, true} {
		t.Run(fmt.Sprintf("away %t", away), func(t *testing.T) {
			onPods(t, three(), func(t *testing.T, b *fixture) {
				b.openTab("web1", "summary")
				if away {
					b.proxy.setAway(true)
					b.wait(soon)
				}
				b.proxy.change(wire.Deleted, pod("a", "web1", ""))
				deleted := time.Now()
				b.wait(20 * time.Minute)
				if away {
					b.proxy.setAway(false)
					b.wakeClient()
					b.wait(time.Minute)
				}
				b.openTab("web1", "changes")
				b.wait(soon)
				got := detail.Changes{}
				for _, got = range b.changes() {
				}
				at := time.UnixMilli(got.Gone)
				if !got.Deleted || away != (got.Gone == 0) || !away && (at.Before(deleted.Truncate(time.Millisecond)) || at.After(deleted.Add(soon))) {
					t.Errorf("%+v: deleted at %v, and it was %v", got, at, deleted)
				}
			})
		})
	}
}

// TestChangesSince checks since when the Changes tab says that nothing has changed: not before what was forgotten, and
// not of the past, where its source is new.
func TestChangesSince(t *testing.T) {
	p := three()
	var lost atomic.Bool
	p.deny = forbids(func(r wire.Request) bool { return lost.Load() && r.Resource == "pods" })
	onPods(t, p, func(t *testing.T, b *fixture) {
		began := time.Now()
		b.wait(time.Minute)
		open := func(want time.Time) {
			t.Helper()
			b.openTab("web1", "summary")
			b.openTab("web1", "changes")
			got := detail.Changes{}
			for _, got = range b.changes() {
			}
			if since := time.UnixMilli(got.Since); want.IsZero() != (got.Since == 0) || !want.IsZero() && since.Sub(want).Abs() > 2*soon {
				t.Errorf("since %v, want %v", since, want)
			}
		}
		open(began)
		lost.Store(true)
		b.proxy.setAway(true)
		b.wait(soon)
		b.proxy.setAway(false)
		b.wakeClient()
		b.wait(time.Minute)
		lost.Store(false)
		b.onLoop(func() { b.cluster().Wake() })
		b.wait(soon)
		open(time.Now())
		b.proxy.change(wire.Modified, pod("a", "web2", "Failed"))
		b.wait(soon)
		b.page.in <- port.Travel{Seq: 1, At: time.Now().Add(-time.Second / 2)}
		b.wait(soon)
		open(time.Time{})
	})
}

// TestChangesPast checks that the Changes tab has the versions up to the moment shown: in the past of a
// live cluster, and of a recording of it.
func TestChangesPast(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.wait(time.Minute)
		b.proxy.change(wire.Modified, pod("a", "web1", "Phase1"))
		b.wait(time.Minute)
		middle := time.Now()
		b.wait(time.Second)
		b.proxy.change(wire.Modified, pod("a", "web1", "Phase2"))
		b.wait(time.Minute)
		b.focus(port.Focus{Seq: 1, Resource: "pods", Namespace: "a", Name: "web1", Tab: "changes"})
		phases := func() (all []string) {
			for _, v := range b.changes() {
				all = nil
				for _, v := range v.Versions {
					for _, f := range v.Fields {
						all = append(all, f.After)
					}
				}
			}
			return all
		}
		check := func(when, want string) {
			t.Helper()
			if got := fmt.Sprint(phases()); got != want {
				t.Errorf("%s: %s, want %s", when, got, want)
			}
		}
		check("live", "[Phase2 Phase1]")
		f := b.collect(false)
		b.saves(70000, `{}`)
		b.wait(soon)
		b.page.in <- port.Travel{Seq: 1, At: middle}
		b.wait(soon)
		check("the past", "[Phase1]")
		b.opens(70002, f.bytes)
		check("the end of a recording", "[Phase2 Phase1]")
		b.page.in <- port.Travel{Seq: 2, At: middle}
		b.wait(soon)
		check("a recording", "[Phase1]")
	})
}
