package hub

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"watchglass/internal/hub/cluster"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// garbled returns a pod that can't be read.
func garbled(namespace, name string) testObject {
	p := pod(namespace, name, "Running")
	p.garbled = true
	return p
}

// TestUnreadRemembered checks that a pod which can't be read is not deleted: neither for the page that has it open, nor in
// the history, which says that it may lack changes. When it can be read again, it is not new.
func TestUnreadRemembered(t *testing.T) {
	for name, relisted := range map[string]bool{"watched": false, "listed": true} {
		t.Run(name, func(t *testing.T) {
			p := three()
			var forgotten atomic.Bool
			p.deny = expires(&forgotten)
			onPods(t, p, func(t *testing.T, b *fixture) {
				change := func(kind wire.EventType, o testObject) {
					forgotten.Store(relisted)
					b.proxy.setAway(relisted)
					b.proxy.change(kind, o)
					b.wait(soon)
					if b.proxy.setAway(false); relisted {
						b.wakeClient()
						b.wait(15 * time.Second)
					}
				}
				began := time.Now()
				b.openTab("web2", "")
				b.wantHeads("live 2")
				change(wire.Modified, garbled("a", "web2"))
				if got := b.heads(); !strings.HasSuffix(got, "unread 2") || strings.Contains(got, "deleted") {
					t.Errorf("the page was told %q", got)
				}
				if got := b.remembered(); got != "pods :" {
					t.Errorf("remembered %q", got)
				}
				if got := b.objectsAt(0, time.Now()); got != "a/web1 a/web2 b/db1" {
					t.Errorf("there are %s", got)
				}
				if got := b.gaps(0, began); !strings.Contains(got, " 6") {
					t.Errorf("the gaps are %q", got)
				}
				change(wire.Modified, pod("a", "web2", "Failed"))
				if got := b.heads(); !strings.HasSuffix(got, "live 5") {
					t.Errorf("the page was told %q", got)
				}
				if got := b.remembered(); got != "pods : Ma/web2 2 5" {
					t.Errorf("remembered %q", got)
				}
				change(wire.Modified, garbled("a", "web2"))
				change(wire.Deleted, garbled("a", "web2"))
				if got := b.heads(); !strings.HasSuffix(got, "deleted 5") || strings.Count(got, "deleted") > 1 {
					t.Errorf("the page was told %q", got)
				}
				if got := b.remembered(); got != "pods : Ma/web2 2 5 Da/web2 5" {
					t.Errorf("remembered %q", got)
				}
			})
		})
	}
}

// TestUnreadOpened checks that a pod which can't be read when it is opened exists.
func TestUnreadOpened(t *testing.T) {
	p := three()
	p.things = append(p.things, at(4, garbled("a", "odd1")))
	p.version = 4
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.openTab("odd1", "")
		if got := b.heads(); !strings.HasSuffix(got, "unread") || strings.Contains(got, "missing") {
			t.Errorf("the page was told %q", got)
		}
		b.proxy.change(wire.Modified, pod("a", "odd1", "Running"))
		b.wait(soon)
		b.wantHeads("live 5")
	})
}

// TestUnreadJoined checks that a pod which can't be read any more when its list is opened again is not taken for deleted.
func TestUnreadJoined(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.page.in <- port.ListQuery{ID: listID, Resource: "nodes", Query: view.Query{Seq: 2, Limit: 10}}
		b.wait(2 * cluster.Linger)
		b.proxy.change(wire.Modified, garbled("a", "web2"))
		b.showList("pods", view.Query{Seq: 3, Limit: 10, Columns: []string{"*"}})
		b.wait(5 * time.Second)
		if got := b.remembered(); strings.Contains(got, string(rune(wire.Deleted))+"a/") {
			t.Errorf("remembered %q", got)
		}
		if got := b.objectsAt(0, time.Now()); got != "a/web1 a/web2 b/db1" {
			t.Errorf("there are %s", got)
		}
	})
}

// TestUnreadColumn checks that another column does not hide a pod that can't be read: it is listed again.
func TestUnreadColumn(t *testing.T) {
	p := three()
	p.things = append(p.things, at(4, garbled("a", "odd1")))
	p.version = 4
	onPods(t, p, func(t *testing.T, b *fixture) {
		if s := b.now(); s.Source.Unread != 1 {
			t.Fatalf("%+v", s.Source)
		}
		b.showList("pods", view.Query{Seq: 3, Limit: 10, Columns: []string{"*", "{.spec.priority}"}})
		b.wait(5 * time.Second)
		if s := b.now(); s.Source.Unread != 1 || s.Source.State != port.Live {
			t.Errorf("%+v", s.Source)
		}
	})
}

// TestProblemsUnread checks that nothing is said to be missing while objects of its kind can't be read, and that these
// are named: neither by a rule, nor by a total, nor by a list of derived cells.
func TestProblemsUnread(t *testing.T) {
	p := three()
	p.extraKinds = []string{"endpointslices.discovery.k8s.io"}
	slice := testObject{resource: "endpointslices", namespace: "a", name: "web-1", labels: map[string]string{"kubernetes.io/service-name": "web"}, ready: []bool{true}}
	p.change(wire.Added, testObject{resource: "services", namespace: "a", name: "web", selector: "web"})
	p.change(wire.Added, slice)
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.OpenOverview{ID: 7}
		b.showList("problems", view.Query{Seq: 1})
		b.wait(3 * time.Minute)
		b.wantRows("live", "")
		unreadable := slice
		unreadable.garbled = true
		p.change(wire.Modified, unreadable)
		p.change(wire.Modified, garbled("a", "web2"))
		b.overviews()
		b.wait(5 * time.Minute)
		b.awaitLive()
		b.wantRows("live", "")
		all := b.overviews()
		last := all[len(all)-1]
		want := []port.Gap{{Resource: "pods", State: port.Unread, Unread: 1}, {Resource: "endpointslices.discovery.k8s.io", State: port.Unread, Unread: 1}}
		for _, g := range want {
			if !slices.Contains(last.Gaps, g) {
				t.Errorf("the gaps are %+v, without %+v", last.Gaps, g)
			}
		}
		if at := slices.IndexFunc(last.Totals, func(t port.Total) bool { return t.Name == "pods" }); last.Clear || last.Totals[at].Gap != want[0] {
			t.Errorf("%+v", last)
		}
		p.change(wire.Deleted, slice)
		p.change(wire.Modified, pod("a", "web2", "Running"))
		b.wait(5 * time.Minute)
		b.awaitLive()
		b.wantRows("live", "a/services:web:NoEndpoints")
	})
}

// TestEndpointsUnread checks that cells which rest on a list with unreadable objects say so.
func TestEndpointsUnread(t *testing.T) {
	onHub(t, servicesWithEndpoints(), func(t *testing.T, b *fixture) {
		b.showList("services", withEndpoints(view.Query{Seq: 1}))
		b.wantSums("s1 1, s2 0, s3 ")
		unreadable := sliceOf("s2", true)
		unreadable.garbled = true
		b.proxy.change(wire.Added, unreadable)
		b.wait(soon)
		b.wantSums("s1 1, s2 …, s3 ")
		b.wantGap("endpointslices.discovery.k8s.io unread")
	})
}
