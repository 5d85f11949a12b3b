package hub

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/history/historytest"
	"watchglass/internal/history/timeline"
	"watchglass/internal/hub/report"
	"watchglass/internal/inspection"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// timelineID is the ID of the page's timeline.
const timelineID = 77

// pictures returns the pictures that the page was sent since the last call.
func (b *fixture) pictures() []timeline.Picture {
	return decodedDocs[timeline.Picture](b, port.TimelinePart)
}

// remember has the cluster remember the life of a pod that is there, and of one that is gone.
func (b *fixture) remember() *historytest.Model {
	record := historytest.New(time.Now().Add(-time.Minute))
	pods := record.Open(history.Stream{Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true})
	put := func(before time.Duration, o testObject, there bool) {
		var payload []byte
		if there {
			payload = podBytes(o)
		}
		record.Put(pods, time.Now().Add(-before), o.namespace+"/"+o.name, o.uid, payload)
	}
	put(50*time.Second, at(1, pod("a", "web1", "Pending")), true)
	put(40*time.Second, at(2, pod("a", "web1", "Running")), true)
	put(30*time.Second, at(3, pod("b", "old1", "Failed")), true)
	put(20*time.Second, at(3, pod("b", "old1", "Failed")), false)
	nodes := record.Open(history.Stream{Version: "v1", Resource: "nodes", Kind: "Node"}) // its gaps are none of the pods'
	record.Miss(nodes, history.Gap{From: time.Now().Add(-25 * time.Second), To: time.Now().Add(-22 * time.Second), Why: history.Away})
	record.Miss(pods, history.Gap{From: time.Now().Add(-35 * time.Second), To: time.Now().Add(-32 * time.Second), Why: history.Away})
	record.Open(history.Stream{Version: "v1", Resource: "events", Kind: "Event", Namespaced: true})
	b.postAndWait(func() { b.cluster().Recorded = record })
	return record
}

// total returns what the last picture that the page was sent counts, by class; "" if it was sent none.
func (b *fixture) total() (n int, last timeline.Picture) {
	b.wait(2 * report.TimelineEvery)
	all := b.pictures()
	if len(all) == 0 {
		return -1, last
	}
	last = all[len(all)-1]
	return last.Total, last
}

// TestTimeline checks that a page is sent the picture of a list's timeline, under its filter, and
// another whenever it changes, but not while the page is hidden or the timeline closed.
func TestTimeline(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		record := b.remember()
		b.page.in <- port.OpenTimeline{ID: timelineID, List: listID, Lanes: "namespace", Bars: 60, Most: 5}
		n, p := b.total()
		if n != 4 || len(p.Lanes) != 2 || p.Lanes[0].Total != 2 || len(p.Gaps) != 1 || p.Gaps[0].Why != "away" {
			t.Fatalf("%d: %+v", n, p)
		}
		b.showList("pods", view.Query{Text: "status:Failed"}) // a pod that is gone matches as it was last
		if n, p = b.total(); n != 2 || p.Lanes[0].Name != "b" {
			t.Errorf("%d: %+v", n, p)
		}
		b.showList("pods", view.Query{Namespaces: []string{"a"}})
		if n, _ = b.total(); n != 2 {
			t.Errorf("%d entries in a namespace", n)
		}
		gone := at(9, pod("a", "web9", "Running"))
		record.Put(0, time.Now(), "a/web9", gone.uid, podBytes(gone))
		if n, _ = b.total(); n != 3 {
			t.Errorf("%d entries after one more", n)
		}
		b.page.in <- port.Presence{Online: true}
		record.Put(0, time.Now(), "a/web9", gone.uid, nil)
		if n, _ = b.total(); n != -1 {
			t.Errorf("a hidden page is sent a picture of %d", n)
		}
		b.page.in <- port.Presence{Online: true, Visible: true}
		if n, _ = b.total(); n != 4 {
			t.Errorf("%d entries after a deletion", n)
		}
		b.page.in <- port.Close{ID: timelineID}
		record.Put(0, time.Now(), "a/web9", gone.uid, podBytes(gone))
		if n, _ = b.total(); n != -1 {
			t.Errorf("a closed timeline is sent: %d", n)
		}
	})
}

// TestTimelineClass checks that lanes have the entries of the chosen class only, and all again once none is chosen.
func TestTimelineClass(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.remember()
		for _, c := range []struct{ class, want string }{{"", "[a 2 b 2]"}, {"deleted", "[b 1]"}, {"added", "[a 1 b 1]"}, {"", "[a 2 b 2]"}} {
			b.page.in <- port.OpenTimeline{ID: timelineID, List: listID, Lanes: "namespace", Class: c.class, Bars: 60, Most: 5}
			_, p := b.total()
			var got []string
			for _, l := range p.Lanes {
				got = append(got, fmt.Sprint(l.Name, " ", l.Total))
			}
			slices.Sort(got)
			if fmt.Sprint(got) != c.want {
				t.Errorf("of class %q: %v, want %s", c.class, got, c.want)
			}
		}
	})
}

// TestTimelinePace checks that a timeline that changes all the time is sent twice a second.
func TestTimelinePace(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		record := b.remember()
		b.page.in <- port.OpenTimeline{ID: timelineID, List: listID, Bars: 60}
		b.total()
		o := at(9, pod("a", "web9", "Running"))
		for i := range 100 {
			payload := podBytes(o)
			if i%2 == 1 {
				payload = nil
			}
			record.Put(0, time.Now(), "a/web9", o.uid, payload)
			b.wait(100 * time.Millisecond)
		}
		if n := len(b.pictures()); n < 5 || n > 21 {
			t.Errorf("%d pictures in 10 s", n)
		}
	})
}

// TestTimelineOfObject checks that the timeline of an object has no entries of others.
func TestTimelineOfObject(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.remember()
		b.focus(port.Focus{Seq: 1, Resource: "pods", Namespace: "a", Name: "web1", Tab: "yaml"})
		b.page.in <- port.OpenTimeline{ID: timelineID, Object: b.object().ID(), Bars: 60}
		if n, p := b.total(); n != 2 || len(p.Lanes) != 0 {
			t.Errorf("%d: %+v", n, p)
		}
	})
}

// TestTimelineList checks the list of what happened: its newest rows, and that it is filtered as any.
func TestTimelineList(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		record := b.remember()
		b.showList(port.Timeline, view.Query{Sort: "Time", Limit: 10})
		b.wait(3 * time.Second)
		if got := b.page.keys(); got != "b/pods:old1:4 b/pods:old1:3 a/pods:web1:2 a/pods:web1:1" {
			t.Errorf("rows %q", got)
		}
		o := at(9, pod("a", "web9", "Running"))
		record.Put(0, time.Now(), "a/web9", o.uid, podBytes(o))
		b.showList(port.Timeline, view.Query{Text: "what:added", Sort: "Time", Limit: 10})
		b.wait(3 * time.Second)
		if got := b.page.keys(); got != "a/pods:web9:5 b/pods:old1:3 a/pods:web1:1" {
			t.Errorf("rows %q", got)
		}
	})
}

// TestTimelineListStays checks that the list is not taken for silent while nothing happens.
func TestTimelineListStays(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		record := b.remember()
		b.showList(port.Timeline, view.Query{Sort: "Time", Limit: 10})
		b.wait(31 * time.Second)
		o := at(9, pod("a", "web9", "Running"))
		record.Put(0, time.Now(), "a/web9", o.uid, podBytes(o))
		b.wait(5 * time.Minute)
		i := slices.IndexFunc(b.metered(), func(s inspection.Source) bool { return s.Resource == port.Timeline })
		if i < 0 {
			t.Fatal("nobody lists the entries")
		}
		if s := b.metered()[i]; s.Idles != 0 || s.Relists != 0 || s.Phase != "watching" || s.Objects != 5 {
			t.Errorf("%+v", s)
		}
	})
}

// TestTimelineLive checks that the timeline is of what the tab has seen since it watches, without the
// objects that were there before, and goes on.
func TestTimelineLive(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.page.in <- port.OpenTimeline{ID: timelineID, List: listID, Lanes: "owner", Bars: 60, Most: 5}
		if n, p := b.total(); n != 0 || p.Reading != 0 {
			t.Errorf("%d before any change: %+v", n, p)
		}
		b.proxy.change(wire.Modified, pod("a", "web1", "Failed"))
		b.wait(time.Second)
		b.proxy.change(wire.Deleted, pod("a", "web1", "Failed"))
		n, p := b.total()
		if n != 2 || len(p.Lanes) != 1 || len(p.Lanes[0].Marks) == 0 || p.Lanes[0].Marks[0].Text != "phase Running → Failed" {
			t.Errorf("%d: %+v", n, p.Lanes)
		}
		b.showList("pods", view.Query{Text: "status:Failed"})
		if n, _ = b.total(); n != 2 {
			t.Errorf("%d of a pod that is gone", n)
		}
		b.showList("pods", view.Query{Text: "status:Running"})
		if n, _ = b.total(); n != 0 {
			t.Errorf("%d of pods that run", n)
		}
		b.proxy.change(wire.Modified, pod("a", "web2", "Failed"))
		b.total()
		b.proxy.change(wire.Modified, pod("a", "web2", "Running")) // it matches again, with all that it was
		b.wait(5 * time.Second)
		if n, _ = b.total(); n != 2 {
			t.Errorf("%d of a pod that runs again", n)
		}
	})
}

// TestTimelineUnlisted checks that a timeline says which kinds it does not have while their lists fail, and that it has
// them once those have come.
func TestTimelineUnlisted(t *testing.T) {
	p := three()
	var fails atomic.Bool
	fails.Store(true)
	p.deny = func(r wire.Request) *wire.Status {
		if fails.Load() && r.Resource == "pods" {
			return &wire.Status{Origin: wire.FromAPIServer, Code: 500, Reason: "InternalError", Message: "the conversion webhook failed"}
		}
		return nil
	}
	onPods(t, p, func(t *testing.T, b *fixture) {
		unlisted := func(p timeline.Picture) bool {
			return slices.ContainsFunc(p.Gaps, func(g timeline.Gap) bool { return g.Kind == "Pod" && g.To == p.To })
		}
		b.page.in <- port.OpenTimeline{ID: timelineID, List: listID, Bars: 60}
		if n, last := b.total(); n != 0 || !unlisted(last) {
			t.Errorf("of pods, %d: %+v", n, last)
		}
		b.showList(port.Timeline, view.Query{Sort: "Time", Limit: 10})
		if n, last := b.total(); n != 0 || !slices.Contains(last.Partial, "Pod") {
			t.Errorf("of the cluster, %d: %+v", n, last)
		}
		fails.Store(false)
		b.onLoop(func() { b.cluster().Wake() })
		b.wait(time.Minute)
		if n, last := b.total(); n != 0 || slices.Contains(last.Partial, "Pod") {
			t.Errorf("of the cluster once pods are listed, %d: %+v", n, last)
		}
		b.showList("pods", view.Query{})
		if n, last := b.total(); n != 0 || unlisted(last) {
			t.Errorf("of pods once they are listed, %d: %+v", n, last)
		}
	})
}

// TestTimelineForgotten checks that what an open timeline has read goes with the right to read it.
func TestTimelineForgotten(t *testing.T) {
	p := three()
	var lost atomic.Bool
	p.deny = forbids(func(r wire.Request) bool { return lost.Load() && r.Resource == "pods" })
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.OpenTimeline{ID: timelineID, List: listID, Lanes: "namespace", Bars: 60, Most: 5}
		b.proxy.change(wire.Modified, pod("a", "web2", "Failed"))
		b.proxy.change(wire.Deleted, pod("b", "db1", ""))
		if n, _ := b.total(); n != 2 {
			t.Fatalf("%d entries", n)
		}
		lost.Store(true)
		b.proxy.setAway(true)
		b.wait(soon)
		b.proxy.setAway(false)
		b.wakeClient()
		b.wait(10 * time.Second)
		b.page.in <- port.OpenTimeline{ID: timelineID, List: listID, Bars: 30}
		if n, last := b.total(); n > 0 {
			t.Errorf("%d entries of pods that may not be read: %+v", n, last)
		}
		lost.Store(false)
		b.onLoop(func() { b.cluster().Wake() })
		b.wait(time.Minute)
		b.proxy.change(wire.Modified, pod("a", "web2", "Running"))
		if n, _ := b.total(); n != 1 {
			t.Errorf("%d entries once pods may be read again", n)
		}
	})
}
