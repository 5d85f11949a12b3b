package hub

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/recorder"
	"watchglass/internal/hub/source"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// remembered returns what the hub remembers of each stream: its changes, with the versions.
func (b *fixture) remembered() string {
	var out []string
	b.onLoop(func() { out = b.rememberedOnLoop() })
	return strings.Join(out, "; ")
}

func (b *fixture) rememberedOnLoop() (out []string) {
	record := b.cluster().History
	for n, s := range record.Streams() {
		words := []string{s.Resource, s.Namespace + ":"}
		record.Between(n, time.Time{}, time.Now().Add(time.Hour), func(c history.Change) bool {
			word := string(rune(c.Type)) + c.Key
			for _, payload := range [][]byte{c.Before, c.After} {
				if payload != nil {
					id, err := object.ReadIdentity(payload)
					if err != nil {
						b.t.Error(err)
					}
					word += " " + id.Version
				}
			}
			words = append(words, word)
			return true
		})
		out = append(out, strings.Join(words, " "))
	}
	return out
}

// found returns an object of the second stream at a moment, and the columns of the stream.
func (b *fixture) found(key string, at time.Time) (o history.Object, columns []byte, ok bool) {
	b.onLoop(func() {
		o, ok = b.cluster().History.Find(1, key, at)
		columns = b.cluster().History.Streams()[1].Columns
	})
	return o, columns, ok
}

// wakeClient makes the connection be tried again at once.
func (b *fixture) wakeClient() { b.onLoop(func() { b.cluster().Client.Wake() }) }

// gaps returns the gaps of a stream, in seconds since a moment.
func (b *fixture) gaps(stream int, since time.Time) string {
	var out []string
	b.onLoop(func() {
		for _, g := range b.cluster().History.Gaps(stream) {
			out = append(out, fmt.Sprintf("%.0f-%.0f %d", g.From.Sub(since).Seconds(), g.To.Sub(since).Seconds(), g.Why))
		}
	})
	return strings.Join(out, ", ")
}

// objectsAt returns the keys of the objects at a moment.
func (b *fixture) objectsAt(stream int, at time.Time) string {
	var all []string
	b.onLoop(func() {
		b.cluster().History.At(stream, at, func(o history.Object) bool { all = append(all, o.Key); return true })
	})
	slices.Sort(all)
	return strings.Join(all, " ")
}

// TestSelectedForgotten opens an object and closes it: what was watched for it alone is no part of the history, and takes
// none of its memory.
func TestSelectedForgotten(t *testing.T) {
	p := three()
	p.change(wire.Added, testObject{resource: "nodes", name: "n1", status: "Ready"})
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.proxy.takeRequests()
		b.seq++
		b.focus(port.Focus{Seq: b.seq, Resource: "nodes", Name: "n1"})
		b.wait(soon)
		if asked := b.proxy.takeRequests(); !strings.Contains(asked, "watch nodes where metadata.name=n1") {
			t.Fatalf("asked %s", asked)
		}
		b.seq++
		b.focus(port.Focus{Seq: b.seq})
		b.wait(2 * cluster.Linger)
		if closed := b.proxy.takeClosedWatches(); !strings.Contains(closed, "nodes where") {
			t.Errorf("closed %s", closed)
		}
		if bytes, _, _ := b.hub.memory.Used(); b.remembered() != "pods :" || bytes != 0 {
			t.Errorf("%s; %d bytes", b.remembered(), bytes)
		}
	})
}

// TestRememberedEmpty closes a list without objects and opens it again: what comes then is remembered.
func TestRememberedEmpty(t *testing.T) {
	p := three()
	p.extraKinds = []string{"widgets"}
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.showList("widgets", view.Query{Seq: 2})
		b.wait(soon)
		b.showList("pods", view.Query{Seq: 3})
		b.wait(2 * cluster.Linger)
		b.showList("widgets", view.Query{Seq: 4})
		b.wait(recorder.JoinRestored + soon)
		b.proxy.change(wire.Added, testObject{resource: "widgets", namespace: "b", name: "w", status: "big"})
		b.wait(soon)
		if got, want := b.remembered(), "pods :; widgets : Ab/w 4"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		b.onLoop(func() {
			if n := b.cluster().Recorder.Len(); n != 2 {
				t.Errorf("%d sources are looked at", n)
			}
		})
	})
}

// TestRemembered checks that each change is remembered once, however many lists show it, that a list which
// comes costs nothing, and that what was seen outlives the list.
func TestRemembered(t *testing.T) {
	p := three()
	p.extraKinds = []string{"widgets"}
	p.change(wire.Added, testObject{resource: "widgets", namespace: "b", name: "w", status: "big"})
	onPods(t, p, func(t *testing.T, b *fixture) {
		began := time.Now()
		if bytes, _, _ := b.hub.memory.Used(); b.remembered() != "pods :" || bytes != 0 {
			t.Errorf("%s; %d bytes", b.remembered(), bytes)
		}
		b.showList("pods", view.Query{Seq: 2, Columns: []string{"{.spec.nodeName}"}})
		b.proxy.change(wire.Modified, pod("a", "web2", "Failed"))
		b.wait(soon)
		b.proxy.change(wire.Deleted, pod("b", "db1", ""))
		b.proxy.change(wire.Added, pod("b", "db2", "Running"))
		b.wait(soon)
		const pods = "pods : Ma/web2 2 5 Db/db1 3 Ab/db2 7"
		if got := b.remembered(); got != pods {
			t.Errorf("%s, want %s", got, pods)
		}
		b.showList("widgets", view.Query{Seq: 3})
		b.proxy.change(wire.Modified, testObject{resource: "widgets", namespace: "b", name: "w", status: "small"})
		b.wait(soon)
		if got, want := b.remembered(), pods+"; widgets : Mb/w 4 8"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if row, _, ok := b.found("b/w", began); ok {
			t.Errorf("it was there before anybody watched: %s", row.Payload)
		}
		row, columns, _ := b.found("b/w", time.Now())
		if !strings.HasPrefix(string(row.Payload), `{"cells":["","small"],`) || columns == nil {
			t.Errorf("%s", row.Payload)
		}
		b.wait(2 * cluster.Linger)
		if got, want := b.objectsAt(0, began)+"; "+b.objectsAt(0, time.Now()), "a/web1 a/web2 b/db1; a/web1 a/web2 b/db2"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		b.proxy.change(wire.Modified, pod("a", "web1", "Failed"))
		b.showList("pods", view.Query{Seq: 4})
		b.wait(recorder.JoinRestored + soon) // its rows may be those of before
		if got, want := b.remembered(), pods+" Ma/web1 1 9; widgets : Mb/w 4 8"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if got := b.gaps(0, began); !strings.HasSuffix(got, fmt.Sprint(" ", history.Closed)) || strings.Contains(got, ",") {
			t.Error(got)
		}
	})
}

// TestRememberedOnce checks that the list of a namespace adds nothing to that of the cluster, and goes on
// without it.
func TestRememberedOnce(t *testing.T) {
	onHub(t, three(), func(t *testing.T, b *fixture) {
		b.wait(soon)
		kind, _ := object.Builtin("pods")
		var narrow, wide *source.Lease
		b.onLoop(func() { narrow = b.cluster().Lease(kind, "a", nil) })
		b.wait(soon)
		b.proxy.change(wire.Modified, pod("a", "web1", "Failed"))
		b.wait(soon)
		b.onLoop(func() { wide = b.cluster().Lease(kind, "", nil) })
		b.wait(soon)
		b.proxy.change(wire.Modified, pod("a", "web1", "Running"))
		b.wait(soon)
		if got, want := b.remembered(), "pods a: Ma/web1 1 4; pods : Ma/web1 4 5"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		b.onLoop(wide.Drop)
		b.wait(soon)
		b.proxy.change(wire.Modified, pod("a", "web1", "Failed"))
		b.wait(soon)
		if got, want := b.remembered(), "pods a: Ma/web1 1 4 Ma/web1 4 5 Ma/web1 5 6; pods : Ma/web1 4 5"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		b.onLoop(narrow.Drop)
	})
}

// TestRememberedColumns checks that rows are read with the columns that they were printed with: what came before other
// columns is dropped.
func TestRememberedColumns(t *testing.T) {
	p := three()
	p.extraKinds = []string{"widgets"}
	widget := func(name, size string) testObject {
		return testObject{resource: "widgets", namespace: "b", name: name, status: size}
	}
	p.change(wire.Added, widget("steady", "big"))
	p.change(wire.Added, widget("w", "big"))
	onPods(t, p, func(t *testing.T, b *fixture) {
		began := time.Now()
		b.showList("widgets", view.Query{Seq: 2})
		b.proxy.change(wire.Modified, widget("w", "small"))
		b.wait(soon)
		if got, want := b.remembered(), "pods :; widgets : Mb/w 5 6"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		b.proxy.setAway(true)
		p.columns = `{"name":"Weight","type":"string"}`
		b.proxy.change(wire.Modified, widget("w", "light"))
		b.proxy.setAway(false)
		b.wakeClient()
		b.wait(10 * time.Second)
		b.proxy.change(wire.Modified, widget("w", "heavy"))
		b.wait(soon)
		if got, want := b.remembered(), "pods :; widgets : Mb/w 7 8"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		for key, cell := range map[string]string{"b/w": "heavy", "b/steady": "big"} {
			row, columns, _ := b.found(key, time.Now())
			if !strings.HasPrefix(string(row.Payload), `{"cells":["","`+cell+`"],`) || !strings.Contains(string(columns), "Weight") {
				t.Errorf("%s with columns %s", row.Payload, columns)
			}
		}
		if got := b.gaps(1, began); !strings.Contains(got, fmt.Sprint(" ", history.Dropped)) {
			t.Errorf("nothing was dropped: %s", got)
		}
	})
}

// TestRememberedGaps checks that the times are known in which changes may have been missed.
func TestRememberedGaps(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		began := time.Now()
		b.wait(20*time.Second - soon)
		b.proxy.setAway(true)
		b.wait(20 * time.Second)
		b.proxy.change(wire.Modified, pod("a", "web2", "Failed"))
		b.proxy.setAway(false)
		b.wakeClient()
		b.wait(10 * time.Second)
		b.wantRows("live", "a/web1 a/web2 b/db1")
		var from, to float64
		var why history.Why
		if got := b.gaps(0, began); strings.Contains(got, ",") {
			t.Error(got)
		} else if _, err := fmt.Sscanf(got, "%g-%g %d", &from, &to, &why); err != nil || from > 20 || from < 10 || to < 38 || to > 45 || why != history.Away {
			t.Errorf("%s: %v", got, err)
		}
		if got, want := b.remembered(), "pods : Ma/web2 2 4"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}

// TestRememberedResumed checks that a watch which ends in time and is resumed leaves no gap, though that takes a round
// trip, and that one which takes long to be resumed leaves a gap that begins at its end.
func TestRememberedResumed(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		began := time.Now()
		b.proxy.takeOpened()
		setResumeAfter := func(d time.Duration) {
			b.proxy.mu.Lock()
			defer b.proxy.mu.Unlock()
			b.proxy.resumeAfter = d
		}
		setResumeAfter(50 * time.Millisecond)
		for range 30 { // without changes or bookmarks, a watch is given up
			b.wait(time.Minute)
			b.proxy.change(wire.Modified, pod("a", "web2", "Running"))
		}
		resumed := strings.Count(b.proxy.takeOpened(), "watch pods at ")
		if got := b.gaps(0, began); got != "" || resumed < 3 {
			t.Errorf("%d watches were resumed, with the gaps %q", resumed, got)
		}
		setResumeAfter(8 * time.Second)
		b.wait(10 * time.Minute)
		var from, to float64
		var why history.Why
		got, _, _ := strings.Cut(b.gaps(0, began), ",")
		if _, err := fmt.Sscanf(got, "%g-%g %d", &from, &to, &why); err != nil || to-from < 8 || to-from > 9 || why != history.Away {
			t.Errorf("%s: %v", got, err)
		}
	})
}

// expires answers the next watch that resumes with 410, if it is set.
func expires(forgotten *atomic.Bool) func(wire.Request) *wire.Status {
	return func(r wire.Request) *wire.Status {
		if r.Verb == wire.Watch && !r.SendInitialEvents && forgotten.Swap(false) {
			return &wire.Status{Origin: wire.FromAPIServer, Code: 410, Reason: wire.ReasonExpired, Message: "too old"}
		}
		return nil
	}
}

// TestRememberedRelist checks that a list which had to be fetched again leaves a gap, and that what differs
// is remembered; and that a tab which slept has one, too.
func TestRememberedRelist(t *testing.T) {
	p := three()
	var forgotten atomic.Bool
	p.deny = expires(&forgotten)
	onPods(t, p, func(t *testing.T, b *fixture) {
		forgotten.Store(true)
		b.proxy.setAway(true)
		b.proxy.change(wire.Deleted, pod("a", "web2", ""))
		b.wait(soon)
		b.proxy.setAway(false)
		b.wakeClient()
		b.wait(10 * time.Second)
		var gaps []history.Gap
		b.onLoop(func() { gaps = b.cluster().History.Gaps(0) })
		if got := b.remembered(); got != "pods : Da/web2 2" || len(gaps) == 0 || gaps[len(gaps)-1].Why != history.Relisted {
			t.Errorf("%s; %v", got, gaps)
		}
		now := time.Now()
		b.postAndWait(func() { time.Sleep(time.Minute) })
		b.wait(time.Minute)
		if got, want := b.gaps(0, now), fmt.Sprintf("0-60 %d", history.Away); !strings.HasSuffix(got, want) {
			t.Errorf("%s, want …%s", got, want)
		}
	})
}

// TestRightLost checks that what is remembered of a kind goes with the right to read it.
func TestRightLost(t *testing.T) {
	p := three()
	var lost atomic.Bool
	p.deny = forbids(func(r wire.Request) bool { return lost.Load() && r.Resource == "pods" })
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.proxy.change(wire.Modified, pod("a", "web2", "Failed"))
		b.proxy.change(wire.Deleted, pod("b", "db1", ""))
		b.wait(soon)
		lost.Store(true)
		b.proxy.setAway(true)
		b.wait(soon)
		b.proxy.setAway(false)
		b.wakeClient()
		b.wait(10 * time.Second)
		if b.now().Source.State != "denied" {
			t.Fatalf("%+v", b.now().Source)
		}
		bytes, _, _ := b.hub.memory.Used()
		var g []history.Gap
		b.onLoop(func() { g = b.cluster().History.Gaps(0) })
		if b.remembered() != "pods :" || b.objectsAt(0, time.Now().Add(-12*time.Second)) != "" || bytes != 0 || len(g) != 1 || g[0].Why != history.Denied {
			t.Errorf("%s, %v, %d bytes", b.remembered(), g, bytes)
		}
		lost.Store(false)
		b.onLoop(func() { b.cluster().Wake() })
		b.wait(time.Minute)
		b.proxy.change(wire.Modified, pod("a", "web2", "Running"))
		b.wait(soon)
		if got := b.remembered(); got != "pods : Ma/web2 4 6" {
			t.Error(got)
		}
	})
}

// TestRightNotLost checks that a refusal that does not last takes nothing from what is remembered, neither of
// a list whose watch ended nor of one that was left and is opened again.
func TestRightNotLost(t *testing.T) {
	refusals := map[string]*wire.Status{
		"bad credentials":      {Origin: wire.FromAPIServer, Code: 401, Reason: wire.ReasonUnauthorized, Message: "Unauthorized"},
		"a starting apiserver": forbidden,
	}
	for name, status := range refusals {
		for _, left := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, left %t", name, left), func(t *testing.T) { testRightNotLost(t, status, left) })
		}
	}
}

func testRightNotLost(t *testing.T, status *wire.Status, left bool) {
	p := three()
	var refuses atomic.Bool
	p.deny = func(r wire.Request) *wire.Status {
		if r.Resource == "pods" && refuses.Swap(false) {
			return status
		}
		return nil
	}
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.proxy.change(wire.Modified, pod("a", "web2", "Failed"))
		b.wait(soon)
		if left {
			b.showList("nodes", view.Query{Seq: 2})
			b.wait(2 * cluster.Linger)
			refuses.Store(true)
			b.showList("pods", view.Query{Seq: 3})
		} else {
			refuses.Store(true)
			b.proxy.setAway(true)
			b.wait(soon)
			b.proxy.setAway(false)
			b.wakeClient()
		}
		b.wait(20 * time.Second)
		b.wantRows("live", "a/web1 a/web2 b/db1")
		if got := b.remembered(); !strings.HasPrefix(got, "pods : Ma/web2 2 4") || refuses.Load() {
			t.Errorf("%s; never refused: %t", got, refuses.Load())
		}
	})
}
