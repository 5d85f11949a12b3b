package hub

import (
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/hub/cluster"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// notes reports whether the page says "Changes may be missing here" at a moment, as inMissed of web/past/draw.go does.
func notes(p port.Past) bool {
	for _, m := range p.Missed {
		if !p.At.Before(m.From) && p.At.Before(m.To) {
			return true
		}
	}
	return false
}

// TestPastObjectUnwatched checks that the page says that changes may be missing if an open object was not watched at the moment shown.
func TestPastObjectUnwatched(t *testing.T) {
	p := three()
	p.change(wire.Added, testObject{resource: "nodes", name: "n1", status: "Ready"})
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.showList("nodes", view.Query{Seq: 2})
		b.wait(2 * cluster.Linger) // pods are closed
		p.change(wire.Modified, pod("a", "web1", "Failed"))
		b.wait(10 * time.Second)
		at := time.Now() // web1 has failed, and nobody has seen it
		b.wait(time.Minute)
		b.travel(port.Travel{At: at})
		b.heads()
		b.seq++
		b.focus(port.Focus{Seq: b.seq, Resource: "pods", Namespace: "a", Name: "web1"})
		b.wait(soon)
		heads := b.heads()
		past := b.page.lastTold()
		if strings.Contains(heads, "live 1") && !notes(past) {
			t.Errorf("at %v, when pods were not watched and web1 had failed, it is shown as %q, and the page does not say that changes may be missing: %v; pods: %s", past.At, heads, past.Missed, b.gaps(0, at))
		}
	})
}

// TestPastProblemsUnwatched checks that the page says that changes may be missing if what the problems rest on was not watched.
func TestPastProblemsUnwatched(t *testing.T) {
	p := three()
	p.change(wire.Modified, pod("a", "web2", "Running"))
	p.change(wire.Added, testObject{resource: "nodes", name: "n1", status: "Ready"})
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.OpenOverview{ID: objectID}
		b.showList("problems", view.Query{Seq: 1})
		b.wait(20 * time.Second)
		b.awaitLive()
		b.page.in <- port.Close{ID: objectID}
		b.showList("nodes", view.Query{Seq: 2})
		b.wait(3 * cluster.Linger) // everything but nodes is closed
		p.change(wire.Modified, pod("a", "web1", "Failed"))
		b.wait(10 * time.Second)
		at := time.Now()
		b.wait(time.Minute)
		b.overviews()
		b.page.in <- port.OpenOverview{ID: objectID}
		b.showList("problems", view.Query{Seq: 3})
		b.wait(20 * time.Second)
		b.overviews()
		b.travel(port.Travel{At: at})
		b.wait(20 * time.Second)
		past := b.page.lastTold()
		all := b.overviews()
		if len(all) == 0 {
			t.Fatal("no overview")
		}
		last := all[len(all)-1]
		if named := slices.ContainsFunc(last.Gaps, func(g port.Gap) bool { return g.Resource == "pods" }); !named && !notes(past) && !strings.Contains(b.page.keys(), "web1") {
			t.Errorf("at %v, when pods were not watched and web1 had failed, the list of problems lacks it, and pods are not among what it lacks", past.At)
		}
	})
}

// TestPastTimelineElsewhere checks that the events of one namespace do not stand for those of another.
func TestPastTimelineElsewhere(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.openTab("web1", "timeline")
		b.page.in <- port.OpenTimeline{ID: timelineID, Object: objectID, Bars: 60}
		b.wait(30 * time.Second)
		b.page.in <- port.Close{ID: timelineID}
		at := time.Now().Add(-10 * time.Second)
		b.travel(port.Travel{At: at})
		b.seq++
		b.focus(port.Focus{Seq: b.seq, Resource: "pods", Namespace: "b", Name: "db1", Tab: "timeline"})
		b.pictures()
		b.page.in <- port.OpenTimeline{ID: timelineID, Object: objectID, Bars: 60}
		b.wait(20 * time.Second)
		all := b.pictures()
		if len(all) == 0 {
			t.Fatal("no picture")
		}
		p := all[len(all)-1]
		named := len(p.Partial) > 0
		for _, g := range p.Gaps {
			named = named || (g.Kind == "Event" || g.Kind == "") && g.From <= at.UnixMilli() && at.UnixMilli() < g.To
		}
		if !named {
			t.Error("events of namespace b were never watched, and the timeline of b/db1 says nothing has changed")
		}
	})
}

// TestHistoryHandover checks that history has what changed while its source of two was being resumed, and then closed.
func TestHistoryHandover(t *testing.T) {
	p := three()
	onPods(t, p, func(t *testing.T, b *fixture) {
		p.change(wire.Modified, pod("a", "web1", "Pending")) // it has a chain
		b.wait(10 * time.Second)
		first := uint32(0)
		p.mu.Lock()
		for id, s := range p.open {
			if s.Verb == wire.Watch && s.Resource == "pods" {
				first = id
			}
		}
		p.mu.Unlock()
		b.showList("pods", view.Query{Seq: 2, Columns: []string{"*", "{.spec.nodeName}"}})
		b.wait(cluster.Linger - 10*time.Second) // since then the first lingers
		p.mu.Lock()
		p.resumeAfter = 30 * time.Second // of a busy apiserver
		delete(p.open, first)
		p.write(wire.JSONFrame(wire.KindEnd, first, wire.End{}))
		p.mu.Unlock()
		b.wait(time.Second)
		p.change(wire.Modified, pod("a", "web1", "Failed"))
		b.wait(soon)
		b.wantRows("live", "a/web1 a/web2 b/db1")
		b.wait(2 * cluster.Linger) // the first is closed
		b.wantRows("live", "a/web1 a/web2 b/db1")
		at := time.Now()
		b.wait(time.Minute)
		b.travel(port.Travel{At: at})
		b.seq++
		b.heads()
		b.focus(port.Focus{Seq: b.seq, Resource: "pods", Namespace: "a", Name: "web1"})
		if heads := b.heads(); !strings.HasSuffix(heads, "live 5") {
			t.Errorf("long after the change to version 5, it is %q; noted: %v", heads, notes(b.page.lastTold()))
		}
	})
}

// TestChangesInGap checks that a version that came after an outage has no more exact time than the outage.
func TestChangesInGap(t *testing.T) {
	p := three()
	onPods(t, p, func(t *testing.T, b *fixture) {
		p.change(wire.Modified, pod("a", "web1", "Pending"))
		b.wait(10 * time.Second)
		p.setAway(true)
		b.wait(10 * time.Minute)
		changed := time.Now()
		p.change(wire.Modified, pod("a", "web1", "Failed"))
		b.wait(time.Hour)
		p.setAway(false)
		b.wakeClient()
		b.wait(20 * time.Second)
		b.openTab("web1", "changes")
		b.wait(soon)
		all := decodedDocs[detail.Changes](b, "changes")
		c := all[len(all)-1]
		if v := c.Versions[0]; v.Since == 0 && v.At > changed.Add(time.Minute).UnixMilli() {
			t.Errorf("%v is said of a change at %v, and nothing of the hour without a connection: %+v", time.UnixMilli(v.At).UTC(), changed, v)
		}
	})
}

// TestPolledGone checks that an object that was gone when it could be read again has no time of deletion.
func TestPolledGone(t *testing.T) {
	p := three()
	p.deny = forbids(func(r wire.Request) bool { return r.Resource == "pods" && r.Verb != wire.Get })
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.wait(soon)
		b.openTab("web1", "changes")
		b.wait(30 * time.Second)
		p.setAway(true)
		b.wait(time.Minute)
		gone := time.Now()
		p.change(wire.Deleted, pod("a", "web1", ""))
		b.wait(time.Hour)
		p.setAway(false)
		b.wakeClient()
		b.wait(30 * time.Second)
		all := decodedDocs[detail.Changes](b, "changes")
		if len(all) == 0 {
			t.Fatal("no doc")
		}
		c := all[len(all)-1]
		if c.Gone > gone.Add(time.Minute).UnixMilli() {
			t.Errorf("deleted at %v, and the tab says at %v", gone, time.UnixMilli(c.Gone).UTC())
		}
	})
}
