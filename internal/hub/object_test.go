package hub

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/focus"
	"watchglass/internal/hub/list"
	"watchglass/internal/hub/loop"
	"watchglass/internal/hub/pane"
	"watchglass/internal/hub/source"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// heads returns the state and version of the heads that the page was sent since the last
// call.
func (b *fixture) heads() string {
	var out []string
	for _, h := range decodedDocs[detail.Head](b, port.HeadPart) {
		out = append(out, strings.TrimSpace(fmt.Sprint(h.State, " ", h.Version)))
	}
	return strings.Join(out, ", ")
}

func (b *fixture) wantHeads(want string) {
	b.t.Helper()
	if got := b.heads(); got != want {
		b.t.Errorf("the page was told %q, want %q", got, want)
	}
}

// TestFocusHeld checks that an object in the list on screen is shown from that list, whatever
// happens to it, without a request.
func TestFocusHeld(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.wantAsked("watch pods")
		b.openTab("web1", "")
		b.wantHeads("live 1")
		b.proxy.change(wire.Modified, pod("a", "web2", "Running"))
		b.wait(soon)
		b.wantHeads("")
		b.proxy.change(wire.Modified, pod("a", "web1", "Failed"))
		b.wait(soon)
		b.wantHeads("live 5")
		b.proxy.change(wire.Deleted, pod("a", "web1", ""))
		b.wait(soon)
		b.wantHeads("deleted 5")
		b.proxy.change(wire.Added, pod("a", "web1", "Pending"))
		b.wait(soon)
		b.wantHeads("live 7")
		b.proxy.setAway(true)
		b.wait(soon)
		if got := b.heads(); !strings.HasPrefix(got, "stale 7") { // and again once the cause is known
			t.Error(got)
		}
		b.proxy.setAway(false)
		b.wait(4 * soon)
		if got := b.heads(); !strings.HasSuffix(got, "live 7") {
			t.Error(got)
		}
		if asked := b.proxy.takeRequests(); strings.Contains(asked, "where") {
			t.Error(asked)
		}
	})
}

// TestFocusByName checks that an object in no list is watched by its name while it is open, and
// appears when it is created.
func TestFocusByName(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.wantAsked("watch pods")
		b.openTab("new", "")
		if got := b.heads(); !strings.HasSuffix(got, "missing") { // it may arrive before the first step
			t.Error(got)
		}
		b.wantAsked("watch pods/a where metadata.name=new")
		b.proxy.change(wire.Added, pod("a", "new", "Pending"))
		b.wait(soon)
		if got := b.heads(); got != "live 4" && got != "loading, live 4" {
			t.Error(got)
		}
		if held := b.page.held; len(held) > 0 && held[0].Objects != 4 {
			t.Errorf("%+v", held)
		}
		b.focus(port.Focus{Seq: 2})
		b.wait(cluster.Linger)
		b.wantAsked("close watch pods/a where metadata.name=new")
		b.wantHeads("")
	})
}

// TestFocusWhole checks that an object of a Table with metadata only is requested with its
// body.
func TestFocusWhole(t *testing.T) {
	p := three()
	p.extraKinds = []string{"widgets"}
	p.change(wire.Added, testObject{resource: "widgets", namespace: "a", name: "w1", status: "5"})
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("widgets", view.Query{Seq: 1})
		b.proxy.takeRequests()
		b.focus(port.Focus{Seq: 1, Resource: "widgets", Namespace: "a", Name: "w1"})
		b.wantAsked("watch widgets/a where metadata.name=w1 whole")
		heads := decodedDocs[detail.Head](b, port.HeadPart)
		if h := heads[len(heads)-1]; h.State != detail.Live || h.Replicas == nil || *h.Replicas != 3 {
			t.Errorf("%+v", h)
		}
	})
}

// TestFocusAsReplaced checks that an object whose row is left over from another list is not
// reported as deleted before the list on screen has synced.
func TestFocusAsReplaced(t *testing.T) {
	p := dated(column("Age", "date", "When it synced"))
	p.defined, p.delayAnswers, p.holdLists = definition("Age", ".status.sync"), true, true
	p.deny = func(r wire.Request) *wire.Status {
		if r.Encoding == wire.EncodingWhole && r.FieldSelector == "" {
			return broken
		}
		return nil
	}
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("widgets", view.Query{Seq: 1})
		b.wantRows("syncing", "b/w")
		p.answerDelayed()
		b.wait(soon)
		p.finish()
		b.focus(port.Focus{Seq: 1, Resource: "widgets", Namespace: "b", Name: "w"})
		if got := b.heads(); !strings.HasSuffix(got, "live 4") || strings.Contains(got, "deleted") {
			t.Errorf("the page was told %q", got)
		}
	})
}

// TestFocusElsewhere checks that an object whose row is left over from another namespace is not
// reported as deleted.
func TestFocusElsewhere(t *testing.T) {
	p := three()
	p.deny = forbids(func(r wire.Request) bool { return r.Resource == "pods" && r.Namespace == "" })
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("pods", view.Query{Seq: 1, Namespaces: []string{"a"}})
		b.wantRows("live", "a/web1 a/web2")
		b.showList("pods", view.Query{Seq: 2, Namespaces: []string{"b"}})
		b.wantRows("live", "b/db1")
		b.openTab("web1", "")
		if got := b.heads(); !strings.HasSuffix(got, "live 1") || strings.Contains(got, "deleted") {
			t.Errorf("the page was told %q", got)
		}
	})
}

// TestFocusAsPrinted checks that an object that is opened while its list is still printed the
// old way is followed there, and in the replacement once that is in.
func TestFocusAsPrinted(t *testing.T) {
	p := three()
	p.minor, p.delayAnswers = "30", true
	onPods(t, p, func(t *testing.T, b *fixture) {
		p.mu.Lock()
		once := true
		p.deny = func(r wire.Request) *wire.Status {
			if once && r.Verb == wire.Watch && !r.SendInitialEvents {
				once = false
				return &wire.Status{Origin: wire.FromAPIServer, Code: 410, Reason: wire.ReasonExpired, Message: "too old"}
			}
			return nil
		}
		p.mu.Unlock()
		p.startHoldingLists()
		p.answerDelayed()
		b.wait(soon)
		b.openTab("web1", "")
		var first, then *source.Lease
		b.postAndWait(func() { first = b.object().Source() })
		b.postAndWait(func() { then = b.object().Source() })
		if first != then || !b.list().Shows(first) {
			t.Error("it was looked for again")
		}
		p.finish()
		b.wait(soon)
		b.proxy.change(wire.Modified, pod("a", "web1", "Failed"))
		b.wait(soon)
		b.wantHeads("live 1, live 4")
		b.postAndWait(func() { then = b.object().Source() })
		if first == then || !b.list().Shows(then) {
			t.Error("it is not followed in the list on screen")
		}
	})
}

// TestFocusGoneAsOpened (21) opens a row whose object is deleted just before or just after
// the worker receives the Focus: it is shown as it last was.
func TestFocusGoneAsOpened(t *testing.T) {
	for name, c := range map[string]struct {
		before func(b *fixture)
		want   string
	}{
		"gone with the last patch": {func(b *fixture) {
			b.proxy.change(wire.Deleted, pod("a", "web1", ""))
			b.wait(soon)
		}, "deleted 1"},
		"gone some patches ago": {func(b *fixture) {
			b.proxy.change(wire.Deleted, pod("a", "web1", ""))
			for i := range 3 {
				b.wait(2 * list.Frame)
				b.proxy.change(wire.Modified, pod("a", "web2", fmt.Sprint("Step", i)))
			}
			b.wait(2 * list.Frame)
		}, "deleted 1"},
		"no patch has told it": {func(b *fixture) {
			b.page.mu.Lock()
			b.page.omitPainted = true
			b.page.mu.Unlock()
			b.proxy.change(wire.Modified, pod("a", "web2", "Running"))
			b.wait(list.PaintWithin / 2) // its patch is not painted yet
			b.proxy.change(wire.Deleted, pod("a", "web1", ""))
			b.wait(list.PaintWithin / 4)
		}, "deleted 1"},
		"changed before that": {func(b *fixture) {
			b.proxy.change(wire.Modified, pod("a", "web1", "Failed"))
			b.proxy.change(wire.Deleted, pod("a", "web1", ""))
			b.wait(soon)
		}, "deleted 4"},
		"long ago, the list is paused": {func(b *fixture) {
			b.showList("pods", view.Query{Seq: 2, Paused: true})
			b.proxy.change(wire.Deleted, pod("a", "web1", ""))
			b.wait(time.Hour)
		}, "deleted 1"},
		"and came again": {func(b *fixture) {
			b.proxy.change(wire.Deleted, pod("a", "web1", ""))
			b.wait(soon)
			b.proxy.change(wire.Added, pod("a", "web1", "Pending"))
			b.wait(soon)
		}, "live 5"},
		"of another kind": {func(b *fixture) {
			b.showList("secrets", view.Query{Seq: 2})
			b.proxy.change(wire.Deleted, pod("a", "web1", ""))
			b.wait(soon)
		}, "missing"},
	} {
		t.Run(name, func(t *testing.T) {
			onPods(t, three(), func(t *testing.T, b *fixture) {
				c.before(b)
				b.openTab("web1", "summary")
				if got := b.heads(); got != c.want && got != "loading, "+c.want {
					t.Errorf("the page was told %q, want %q", got, c.want)
				}
			})
		})
	}
}

// TestFocusLastState (21) changes and deletes an object before the first step. Its last version
// is shown.
func TestFocusLastState(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.openTab("web1", "")
		b.wantHeads("live 1")
		b.postAndWait(func() { // the worker is busy
			b.proxy.change(wire.Modified, pod("a", "web1", "Failed"))
			b.proxy.change(wire.Deleted, pod("a", "web1", ""))
			time.Sleep(soon)
		})
		b.wantHeads("deleted 4")
	})
}

// TestFocusSettles (13) goes through a list with a key held down. The objects on the way are
// not requested.
func TestFocusSettles(t *testing.T) {
	p := three()
	p.extraKinds = []string{"widgets"}
	for i := range 20 {
		p.change(wire.Added, testObject{resource: "widgets", namespace: "a", name: fmt.Sprint("w", i), status: "5"})
	}
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("widgets", view.Query{Seq: 1})
		b.proxy.takeRequests()
		for i := range 20 {
			b.page.in <- port.Focus{Seq: uint32(i + 1), Resource: "widgets", Namespace: "a", Name: fmt.Sprint("w", i)}
			b.wait(33 * time.Millisecond)
		}
		b.wantAsked("watch widgets/a where metadata.name=w0 whole")
		b.heads()
		b.wait(settleFor)
		b.wantAsked("watch widgets/a where metadata.name=w19 whole")
		if got := b.heads(); !strings.HasSuffix(got, "live 23") {
			t.Error(got)
		}
		b.focus(port.Focus{Seq: 21, Resource: "widgets", Namespace: "a", Name: "w3"})
		if got := b.heads(); !strings.HasSuffix(got, "live 7") {
			t.Error(got)
		}
	})
}

// TestFocusDenied checks an object that may be read but not watched, and one that may not be
// read either.
func TestFocusDenied(t *testing.T) {
	p := three()
	var revoked atomic.Bool
	p.deny = func(r wire.Request) *wire.Status {
		if r.Resource != "pods" || r.Verb == wire.Get && r.Name == "web1" && !revoked.Load() {
			return nil
		}
		return forbidden
	}
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.openTab("web1", "")
		b.wait(soon)
		if got := b.heads(); !strings.HasSuffix(got, "polled 1") {
			t.Error(got)
		}
		b.proxy.change(wire.Modified, pod("a", "web1", "Failed"))
		b.wait(focus.PollEvery + soon)
		b.wantHeads("polled 4")
		b.proxy.setAway(true)
		b.wait(soon)
		b.wait(10 * focus.PollEvery) // the GET waits for the proxy all the time
		if got := b.heads(); !strings.HasSuffix(got, "stale 4") {
			t.Errorf("while the proxy is away, the page was told %q", got)
		}
		b.proxy.setAway(false)
		b.wait(2 * focus.PollEvery)
		if got := b.heads(); !strings.HasSuffix(got, "polled 4") {
			t.Errorf("when the proxy is back, the page was told %q", got)
		}
		revoked.Store(true)
		b.wait(focus.PollEvery + soon)
		b.wantHeads("denied 4")
		revoked.Store(false)
		b.wait(focus.PollEvery + soon)
		b.wantHeads("polled 4")
		b.openTab("web2", "")
		b.wait(focus.PollEvery)
		if got := b.heads(); !strings.HasSuffix(got, "denied") {
			t.Error(got)
		}
	})
}

// TestFocusRightLost loses the right to read an object that is open. That is no deletion; what became of it is known
// when the right is back.
func TestFocusRightLost(t *testing.T) {
	for name, c := range map[string]struct {
		from   string // the list on screen
		change func(p *proxy)
		want   string // when the right is back
	}{
		"in the list":          {from: "pods", change: func(*proxy) {}, want: "live 1"},
		"by its name":          {from: "nodes", change: func(*proxy) {}, want: "live 1"},
		"deleted meanwhile":    {from: "pods", change: func(p *proxy) { p.change(wire.Deleted, pod("a", "web1", "")) }, want: "deleted 1"},
		"deleted, by its name": {from: "nodes", change: func(p *proxy) { p.change(wire.Deleted, pod("a", "web1", "")) }, want: "deleted 1"},
	} {
		t.Run(name, func(t *testing.T) {
			p := three()
			var lost atomic.Bool
			p.deny = forbids(func(r wire.Request) bool { return lost.Load() && r.Resource == "pods" })
			onHub(t, p, func(t *testing.T, b *fixture) {
				b.showList(c.from, view.Query{Seq: 1})
				b.openTab("web1", "")
				if got := b.heads(); !strings.HasSuffix(got, "live 1") {
					t.Error(got)
				}
				lost.Store(true)
				b.proxy.setAway(true)
				b.wait(soon)
				b.proxy.setAway(false)
				b.wakeClient()
				b.wait(time.Minute)
				if got := b.heads(); !strings.HasSuffix(got, "denied 1") || strings.Contains(got, "deleted") {
					t.Error(got)
				}
				c.change(b.proxy)
				lost.Store(false)
				b.onLoop(func() { b.cluster().Wake() })
				b.wait(time.Minute)
				if got := b.heads(); !strings.HasSuffix(got, c.want) {
					t.Errorf("%s, want %s", got, c.want)
				}
			})
		})
	}
}

// TestFocusOtherColumns checks that an object is still followed when its list is replaced by
// one with other columns.
func TestFocusOtherColumns(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.openTab("web1", "")
		b.showList("pods", view.Query{Seq: 2, Columns: []string{"*", "{.metadata.name}"}})
		b.wait(cluster.Linger + soon)
		b.wantHeads("live 1")
		if s := b.inspected(); len(s) != 1 {
			t.Errorf("%d sources are held", len(s))
		}
		b.proxy.change(wire.Modified, pod("a", "web1", "Failed"))
		b.wait(soon)
		b.wantHeads("live 4")
	})
}

// TestFocusGoneMeanwhile checks that an object that is deleted while its list is replaced is
// known to be deleted.
func TestFocusGoneMeanwhile(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.openTab("web1", "")
		b.wantHeads("live 1")
		b.proxy.setAway(true)
		b.wait(soon)
		b.page.in <- port.ListQuery{ID: listID, Resource: "pods", Query: view.Query{Seq: 2, Limit: 10, Columns: []string{"*", "{.metadata.name}"}}}
		b.proxy.change(wire.Deleted, pod("a", "web1", ""))
		b.proxy.setAway(false)
		b.wait(10 * soon)
		if got := b.heads(); !strings.HasSuffix(got, "deleted 1") {
			t.Error(got)
		}
	})
}

// TestFocusGoneWithList checks that an object is known to be gone if it is deleted as its list
// leaves the screen, while the proxy is away.
func TestFocusGoneWithList(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.openTab("web1", "")
		b.wantHeads("live 1")
		b.proxy.setAway(true)
		b.wait(soon)
		b.page.in <- port.ListQuery{ID: listID, Resource: "nodes", Query: view.Query{Seq: 2, Limit: 10}}
		b.proxy.change(wire.Deleted, pod("a", "web1", ""))
		b.proxy.setAway(false)
		b.wait(10 * soon)
		if got := b.heads(); !strings.HasSuffix(got, "deleted 1") {
			t.Error(got)
		}
	})
}

// TestHeadPace checks that versions in quick succession are sent as soon as the interval
// allows, and not at the next tick.
func TestHeadPace(t *testing.T) {
	onHub(t, three(), func(t *testing.T, b *fixture) { // no list wakes the loop
		b.openTab("web1", "")
		if got := b.heads(); !strings.HasSuffix(got, "live 1") {
			t.Error(got)
		}
		for range 4 { // at various offsets from the tick
			b.proxy.change(wire.Modified, pod("a", "web1", "Failed"))
			b.wait(10 * time.Millisecond)
			b.proxy.change(wire.Modified, pod("a", "web1", "Running"))
			b.wait(loop.ReportEvery)
			if heads := decodedDocs[detail.Head](b, port.HeadPart); len(heads) != 2 {
				t.Errorf("%d heads", len(heads))
			}
			b.wait(loop.ReportEvery + 10*time.Millisecond)
		}
	})
}

// noted is a pane that records its calls.
type noted struct{ said *[]string }

func (n noted) note(format string, args ...any) {
	*n.said = append(*n.said, fmt.Sprintf(format, args...))
}
func (n noted) Object(v pane.Version) {
	if v.Gone {
		n.note("gone")
		return
	}
	body, err := v.Body()
	n.note("%s %s %v", v.Object.Version(), body.At("status", "phase").Text(), err)
}
func (n noted) Options(raw json.RawMessage) { n.note("option %s", raw) }
func (n noted) Close()                      { n.note("close") }
func (n noted) Update(time.Time) []byte     { return nil }

// TestPane checks which calls a pane gets, and that it ends with the object or when the tab is
// left.
func TestPane(t *testing.T) {
	var said []string
	take := func() string {
		out := strings.Join(said, ", ")
		said = nil
		return out
	}
	onHub(t, three(), func(t *testing.T, b *fixture) {
		b.postAndWait(func() {
			b.hub.pages[0].paneOf = func(tab string) pane.Open {
				return func(_ pane.Host, s pane.Subject) pane.Pane {
					said = append(said, "open "+tab+" "+s.Name)
					return noted{&said}
				}
			}
		})
		b.showList("pods", view.Query{Seq: 1})
		for _, c := range []struct {
			f    port.Focus
			want string
		}{
			{port.Focus{Resource: "pods", Namespace: "a", Name: "web1", Tab: "yaml"}, "open yaml web1, option , 1 Running <nil>"},
			{port.Focus{Resource: "pods", Namespace: "a", Name: "web1", Tab: "yaml", Options: json.RawMessage(`{"a":1}`)}, `option {"a":1}`},
			{port.Focus{Resource: "pods", Namespace: "a", Name: "web1", Tab: "yaml", Options: json.RawMessage(`{"a":1}`)}, ""},
			{port.Focus{Resource: "pods", Namespace: "a", Name: "web1", Tab: "logs"}, "close, open logs web1, option , 1 Running <nil>"},
			{port.Focus{Resource: "pods", Namespace: "a", Name: "web2", Tab: "logs"}, "close, open logs web2, option , 2 Pending <nil>"},
		} {
			if b.focus(c.f); strings.Join(said, ", ") != c.want {
				t.Errorf("%+v: %q, want %q", c.f, said, c.want)
			}
			take()
		}
		b.proxy.change(wire.Modified, pod("a", "web2", "Running"))
		b.wait(soon)
		b.proxy.change(wire.Deleted, pod("a", "web2", ""))
		b.wait(soon)
		if got := take(); got != "4 Running <nil>, gone" {
			t.Error(got)
		}
		b.focus(port.Focus{})
		if got := take(); got != "close" {
			t.Error(got)
		}
	})
}

// TestFocusBroke checks that an object of a list that broke off while it was coming in is not live before the list is
// complete: it may have been deleted meanwhile.
func TestFocusBroke(t *testing.T) {
	p := three()
	p.holdLists = true
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.openTab("web1", "")
		b.wait(time.Second)
		if got := b.heads(); !strings.HasPrefix(got, "live 1") {
			t.Fatal(got)
		}
		b.proxy.setAway(true)
		b.wait(soon)
		b.proxy.change(wire.Deleted, pod("a", "web1", "Running"))
		b.proxy.setAway(false)
		b.wait(10 * time.Second)
		if got := b.heads(); strings.Contains(got, "live") {
			t.Errorf("before the list is complete, the page was told %q", got)
		}
		b.proxy.finish()
		b.wait(soon)
		if got := b.heads(); !strings.HasSuffix(got, "deleted 1") {
			t.Errorf("then, the page was told %q", got)
		}
	})
}

// TestFocusMoved checks that an open object follows its kind to another version. It is not called deleted if the version
// before is still served, and else no longer than until it is known in which one it is.
func TestFocusMoved(t *testing.T) {
	widget := testObject{resource: "widgets", namespace: "a", name: "w"}
	for name, withdrawn := range map[string]bool{"both are served": false, "only the new one is": true} {
		t.Run(name, func(t *testing.T) {
			onWidget(t, []string{"widgets"}, func(t *testing.T, b *fixture) {
				var opened, said []string // the versions of its panes, and what they were told
				b.onLoop(func() {
					b.hub.pages[0].paneOf = func(string) pane.Open {
						return func(_ pane.Host, s pane.Subject) pane.Pane {
							opened = append(opened, s.Kind.APIVersion())
							return noted{&said}
						}
					}
				})
				b.focus(port.Focus{Seq: 1, Resource: "widgets.example.com", Namespace: "a", Name: "w", Tab: "summary"})
				if got := b.heads(); !strings.HasSuffix(got, "live 4") {
					t.Fatalf("the page was told %q", got)
				}
				if withdrawn {
					b.withdraw("v1")
					b.wait(10 * time.Second)
				}
				b.upgrade("v2")
				heads := decodedDocs[detail.Head](b, port.HeadPart)
				if len(heads) == 0 {
					t.Fatal("the page was told nothing")
				}
				if last := heads[len(heads)-1]; last.State != detail.Live || last.APIVersion != "example.com/v2" || last.Version != "4" {
					t.Errorf("the page was told %+v", last)
				}
				if slices.ContainsFunc(heads, func(h detail.Head) bool { return h.State == detail.Deleted }) && !withdrawn {
					t.Errorf("the page was told %+v", heads)
				}
				b.proxy.change(wire.Modified, widget)
				b.wait(2 * cluster.Linger)
				b.wantHeads("live 7")
				if got := b.versionsOpen(); got != "v2/a" {
					t.Errorf("read in %q", got)
				}
				if !slices.Equal(opened, []string{"example.com/v1", "example.com/v2"}) {
					t.Errorf("its tab was opened for %q", opened)
				}
			})
		})
	}
}
