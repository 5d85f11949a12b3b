package hub

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/loop"
	"watchglass/internal/hub/source"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// kindsSent returns how often the page was sent the kinds, and the last of them that the server has.
func (b *fixture) kindsSent() string {
	b.page.mu.Lock()
	defer b.page.mu.Unlock()
	var ids []string
	if n := len(b.page.kinds); n > 0 {
		for _, k := range b.page.kinds[n-1] {
			if !k.Derived {
				ids = append(ids, k.ID)
			}
		}
	}
	return fmt.Sprint(len(b.page.kinds), " ", strings.Join(ids, " "))
}

// install makes the server serve a kind; define adds its definition.
func (b *fixture) install(kinds ...string) {
	b.proxy.mu.Lock()
	defer b.proxy.mu.Unlock()
	b.proxy.extraKinds = kinds
}

// upgrade makes the server serve the kinds of example.com in another version.
func (b *fixture) upgrade(version string) {
	b.proxy.mu.Lock()
	b.proxy.versions = map[string]string{"example.com": version}
	b.proxy.mu.Unlock()
	b.define("widgets")
	b.wait(soon)
}

// withdraw makes the server stop serving widgets in a version: their watches end, and others find nothing. It goes on
// to refuse what it refused before.
func (b *fixture) withdraw(version string) {
	p := b.proxy
	p.mu.Lock()
	defer p.mu.Unlock()
	of := func(r wire.Request) bool { return r.Resource == "widgets" && r.Version == version }
	before := p.deny
	p.deny = func(r wire.Request) *wire.Status {
		switch {
		case of(r):
			return notFound
		case before != nil:
			return before(r)
		}
		return nil
	}
	for id, o := range p.open {
		if of(o.Request) {
			delete(p.open, id)
			p.write(wire.JSONFrame(wire.KindEnd, id, wire.End{}))
		}
	}
}

// versionsOpen returns the versions and namespaces in which widgets are read.
func (b *fixture) versionsOpen() string {
	b.proxy.mu.Lock()
	defer b.proxy.mu.Unlock()
	var all []string
	for _, o := range b.proxy.open {
		if o.Resource == "widgets" {
			all = append(all, strings.TrimSuffix(o.Version+"/"+o.Namespace, "/"))
		}
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func (b *fixture) define(name string) {
	b.proxy.change(wire.Added, testObject{resource: cluster.Definitions.Resource, name: name})
}

// TestKinds checks that the page is sent the kinds as they come and go, and never the same ones
// twice.
func TestKinds(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.proxy.takeRequests()
		b.page.in <- port.WatchKinds{}
		b.wait(soon)
		if got := b.kindsSent(); got != "1 pods" {
			t.Error(got)
		}
		b.wantAsked("list customresourcedefinitions, discover, close discover, discover, close discover, watch customresourcedefinitions at 3")
		b.install("widgets")
		b.define("widgets")
		b.wait(soon)
		if got := b.kindsSent(); got != "2 pods widgets.example.com" {
			t.Error(got)
		}
		b.define("racks") // defined, but not served yet
		b.wait(soon)
		b.install("widgets", "racks")
		b.wait(2 * cluster.KeepSoon)
		if got := b.kindsSent(); got != "3 pods widgets.example.com racks.example.com" {
			t.Error(got)
		}
		b.proxy.takeRequests()
		b.wait(4 * time.Minute) // no watch ends sooner
		b.wantAsked("")
		b.page.in <- port.WatchKinds{} // a second time changes nothing
		b.wait(soon)
		b.wantAsked("")
		b.install()
		b.wait(cluster.KeepPatient) // no watch reports what another server serves
		if got := b.kindsSent(); got != "4 pods" {
			t.Error(got)
		}
	})
}

// TestKindsBlind checks that kinds stay up to date for a user who may not read the definitions.
func TestKindsBlind(t *testing.T) {
	p := three()
	p.deny = forbids(func(r wire.Request) bool { return r.Resource == cluster.Definitions.Resource })
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.WatchKinds{}
		b.wait(soon)
		b.install("widgets")
		b.wait(cluster.KeepBlind)
		if got := b.kindsSent(); got != "2 pods widgets.example.com" {
			t.Error(got)
		}
	})
}

// TestKindsAway checks that the kinds are updated when the proxy comes back.
func TestKindsAway(t *testing.T) {
	onHub(t, three(), func(t *testing.T, b *fixture) {
		b.page.in <- port.WatchKinds{}
		b.wait(soon)
		b.proxy.setAway(true)
		b.wait(cluster.KeepBlind)
		b.install("widgets")
		b.proxy.setAway(false)
		b.wait(cluster.KeepBlind)
		if got := b.kindsSent(); got != "2 pods widgets.example.com" {
			t.Error(got)
		}
	})
}

// counts returns the object counts that the page was last sent, by kind.
func (b *fixture) counts() string {
	b.page.mu.Lock()
	defer b.page.mu.Unlock()
	return fmt.Sprint(b.page.held)
}

// TestHeldScope (14) checks that the count is that of the list of the kind, and not of objects
// in one namespace that something else holds, such as the Related tab.
func TestHeldScope(t *testing.T) {
	widgets := func() *proxy {
		p := three()
		p.extraKinds = []string{"widgets"}
		p.change(wire.Added, testObject{resource: "widgets", namespace: "a", name: "w1"})
		p.change(wire.Added, testObject{resource: "widgets", namespace: "b", name: "w2"})
		return p
	}
	beside := func(b *fixture, namespace string) (release func()) {
		b.page.in <- port.WatchKinds{}
		b.wait(soon)
		b.postAndWait(func() {
			kind, _ := b.cluster().Kinds.Find("widgets")
			release = b.cluster().Lease(kind, namespace, nil).Release
		})
		return release
	}
	onPods(t, widgets(), func(t *testing.T, b *fixture) {
		release := beside(b, "a")
		if got := b.counts(); got != "[{pods 3}]" {
			t.Error(got)
		}
		release()
		b.wait(soon) // it lingers
		if got := b.counts(); got != "[{pods 3}]" {
			t.Error(got)
		}
		defer beside(b, "")()
		if got := b.counts(); got != "[{pods 3} {widgets.example.com 2}]" {
			t.Error(got)
		}
	})
	narrow := widgets()
	narrow.welcome.Namespace, narrow.welcome.Narrow = "a", true
	onPods(t, narrow, func(t *testing.T, b *fixture) {
		defer beside(b, "a")()
		if got := b.counts(); got != "[{pods 2} {widgets.example.com 1}]" {
			t.Error(got)
		}
	})
	syncing := widgets()
	syncing.holdLists = true
	onPods(t, syncing, func(t *testing.T, b *fixture) {
		defer beside(b, "")()
		if got := b.counts(); got != "[]" {
			t.Errorf("not all has come, and it is counted: %s", got)
		}
	})
	denied := widgets()
	denied.deny = forbids(func(r wire.Request) bool { return r.Resource == "pods" && r.Namespace == "" })
	onHub(t, denied, func(t *testing.T, b *fixture) {
		b.page.remembers = []string{"a", "b"}
		b.page.in <- port.WatchKinds{}
		for _, c := range []struct{ resource, namespaces, want string }{
			{"pods", "", "[{pods 3}]"}, {"pods", "a", "[{pods 3}]"}, {"widgets", "a", "[{pods 3} {widgets.example.com 2}]"}, {"widgets", "", "[{pods 3} {widgets.example.com 2}]"},
		} {
			q := view.Query{Seq: b.seq + 1}
			if b.seq++; c.namespaces != "" {
				q.Namespaces = []string{c.namespaces}
			}
			b.showList(c.resource, q)
			b.wait(2 * soon)
			if got := b.counts(); got != c.want {
				t.Errorf("%s in %q: %s, want %s", c.resource, c.namespaces, got, c.want)
			}
		}
	})
}

// TestHeldChosen checks that the count of a chosen namespace is not reported as the count of
// all namespaces that a user may list.
func TestHeldChosen(t *testing.T) {
	denied := three()
	denied.deny = forbids(func(r wire.Request) bool { return r.Resource == "pods" && r.Namespace == "" })
	onHub(t, denied, func(t *testing.T, b *fixture) {
		b.page.remembers = []string{"a", "b"}
		b.page.in <- port.WatchKinds{}
		for i, c := range []struct {
			namespaces []string
			want       string
		}{{[]string{"a"}, "[]"}, {nil, "[{pods 3}]"}} {
			b.showList("pods", view.Query{Seq: uint32(i + 1), Namespaces: c.namespaces})
			b.wait(2 * soon)
			if got := b.counts(); got != c.want {
				t.Errorf("%s are counted with %q chosen, want %s", got, c.namespaces, c.want)
			}
		}
	})
}

// TestMovedSource checks that a source of a version that is not the preferred one any more has its objects, though it
// is opened after the kind has moved, and that they are found as objects of their kind.
func TestMovedSource(t *testing.T) {
	p := three()
	p.extraKinds = []string{"widgets"}
	p.change(wire.Added, testObject{resource: "widgets", namespace: "a", name: "w1"})
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.WatchKinds{}
		b.wait(soon)
		var before object.Kind
		b.onLoop(func() { before, _ = b.cluster().Kinds.Find("widgets") })
		b.upgrade("v2")
		extras, _ := source.Added([]string{"{.spec.replicas}"}) // whole objects name their kind
		var lease *source.Lease
		b.onLoop(func() { lease = b.cluster().Lease(before, "", extras) })
		defer lease.Release()
		b.wait(soon)
		if s := lease.State(time.Now()); before.Version != "v1" || s.Objects != 1 || s.Rejected != 0 {
			t.Errorf("of %s: %d objects, %d rejected: %v", before.APIVersion(), s.Objects, s.Rejected, s.LastBad)
		}
		if got := b.ask("find", `["w1"]`); !strings.Contains(got, `"widgets.example.com"`) {
			t.Errorf("found %s", got)
		}
	})
}

// TestHeld checks that a list is still counted while it lingers.
func TestHeld(t *testing.T) {
	p := three()
	p.extraKinds = []string{"widgets"}
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("pods", view.Query{Seq: 1})
		b.page.in <- port.WatchKinds{}
		b.wait(soon)
		b.showList("widgets", view.Query{Seq: 2})
		if got := b.counts(); got != "[{pods 3} {widgets.example.com 0}]" {
			t.Error(got)
		}
		b.proxy.change(wire.Added, pod("a", "web3", "Running"))
		b.wait(soon)
		if got := b.counts(); got != "[{pods 4} {widgets.example.com 0}]" {
			t.Error(got)
		}
		b.wait(cluster.Linger + soon)
		if got := b.counts(); got != "[{widgets.example.com 0}]" {
			t.Error(got)
		}
	})
}

// TestKindsFaulty checks that kinds stay up to date when the list of definitions fails: it is
// requested again.
func TestKindsFaulty(t *testing.T) {
	for name, as := range map[string]fault{"silent": silent, "broken off": brokenOff, "an error": erring} {
		t.Run(name, func(t *testing.T) {
			onPods(t, three(), func(t *testing.T, b *fixture) {
				b.proxy.mu.Lock()
				b.proxy.faulty = map[string]fault{cluster.Definitions.Resource: as}
				b.proxy.mu.Unlock()
				b.page.in <- port.WatchKinds{}
				b.wait(soon)
				b.proxy.takeRequests()
				b.wait(30*time.Second + cluster.KeepSoon) // as long as a list may be silent
				if got := b.proxy.takeRequests(); !strings.Contains(got, "list customresourcedefinitions") || !strings.Contains(got, "discover") {
					t.Errorf("asked %s", got)
				}
			})
		})
	}
}

// TestFindKindEnds checks that discovery is not repeated for a list or an object that was
// closed, and that a late answer reaches neither.
func TestFindKindEnds(t *testing.T) {
	p, end := three(), func() {}
	p.deny = func(r wire.Request) *wire.Status {
		if r.Verb == wire.Discover {
			end()
		}
		return nil
	}
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("gears", view.Query{Seq: 1})
		b.focus(port.Focus{Seq: 1, Resource: "cogs", Name: "c"})
		if got := b.proxy.takeRequests(); strings.Count(got, "discover") < 4 {
			t.Errorf("asked %q", got)
		}
		b.showList("pods", view.Query{Seq: 2})
		b.page.in <- port.Close{ID: objectID}
		b.wait(soon)
		b.proxy.takeRequests()
		b.wait(2 * cluster.DiscoverMost)
		b.wantAsked("")
		b.showList("nodes", view.Query{Seq: 3})
		if b.wait(cluster.Linger); len(b.inspected()) != 1 {
			t.Errorf("held: %+v", b.inspected())
		}
		for range 20 { // it may end before or after it reaches the loop
			ctx, cancel := context.WithCancel(t.Context())
			p.mu.Lock()
			end = cancel
			p.mu.Unlock()
			b.hub.loop.Post(t.Context(), func() {
				b.cluster().FindKind(ctx, func(error) bool {
					t.Error("found, though it is closed")
					return true
				})
			})
			synctest.Wait()
		}
	})
}

// TestFindKindWoken checks that a wake during an attempt is not lost: if the attempt fails, the next
// one follows at once.
func TestFindKindWoken(t *testing.T) {
	p := three()
	p.extraKinds = []string{"widgets"}
	p.deny = unreachable
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("widgets", view.Query{Seq: 1})
		woken := false
		p.mu.Lock()
		p.deny = func(r wire.Request) *wire.Status {
			if woken || r.Verb != wire.Discover {
				return nil
			}
			woken = true
			b.hub.loop.Post(t.Context(), func() { b.cluster().Wake() })
			return unreachable(r)
		}
		p.mu.Unlock()
		b.wait(soon) // 4 s: there are attempts at 3 s and 7 s
		b.wantRows("live", "")
	})
}

// TestKindsPace checks that kinds that change in quick succession are sent as soon as the
// interval allows, and not at the next tick.
func TestKindsPace(t *testing.T) {
	onHub(t, three(), func(t *testing.T, b *fixture) {
		b.page.in <- port.WatchKinds{}
		b.wait(soon + 2*loop.ReportEvery)
		for i, name := range []string{"gears", "cogs"} {
			b.hub.loop.Post(t.Context(), func() {
				b.cluster().Kinds.Discovered(object.Discovery{Kinds: []object.Kind{{Group: "example.com", Version: "v1", Resource: name, Name: name}}})
			})
			b.wait([]time.Duration{10 * time.Millisecond, loop.ReportEvery}[i])
			if got := b.kindsSent(); !strings.Contains(got, name) {
				t.Errorf("the page was told %q, not of %s", got, name)
			}
		}
	})
}
