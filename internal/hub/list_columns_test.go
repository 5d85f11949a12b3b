package hub

import (
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/list"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// names returns the columns on screen.
func (b *fixture) names() string {
	b.page.mu.Lock()
	defer b.page.mu.Unlock()
	var names []string
	for _, c := range b.page.window.Columns {
		names = append(names, c.Name)
	}
	return strings.Join(names, " ")
}

// cells returns the cells of the last column on screen.
func (b *fixture) cells() string {
	b.page.mu.Lock()
	defer b.page.mu.Unlock()
	var cells []string
	for _, r := range b.page.window.Rows {
		cells = append(cells, r.Cells[len(r.Cells)-1])
	}
	return strings.Join(cells, " ")
}

// testAddedColumn checks that a label column appears at once, that a path column costs the
// server no list and keeps the rows on screen until it is ready, and that both stay live.
func testAddedColumn(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.wantRows("live", "a/web1 a/web2 b/db1")
		b.wantAsked("watch pods")
		b.showList("pods", view.Query{Seq: 2, Columns: []string{"*", "label.app"}})
		b.wantRows("live", "a/web1 a/web2 b/db1")
		if got := b.cells(); !strings.HasSuffix(b.names(), "label.app") || got != "web web db" {
			t.Errorf("%q: %q", b.names(), got)
		}
		b.wantAsked("")
		b.showList("pods", view.Query{Seq: 3, Columns: []string{"*", "{.metadata.name}", "label.app"}})
		b.wantRows("live", "a/web1 a/web2 b/db1")
		if row := b.page.window.Rows[2].Cells; row[len(row)-2] != "db1" || row[len(row)-1] != "db" {
			t.Errorf("%q: %q", b.names(), row)
		}
		b.wantAsked("watch pods at 3")
		o := pod("a", "web0", "Pending")
		o.labels = map[string]string{"app": "new"}
		b.proxy.change(wire.Added, o)
		b.wait(list.Frame)
		b.wantRows("live", "a/web0 a/web1 a/web2 b/db1")
		if got := b.cells(); got != "new web web db" {
			t.Errorf("%q", got)
		}
		b.showList("pods", view.Query{Seq: 4, Columns: []string{"Name", "label.app"}, Text: "label.app:new"})
		b.wantRows("live", "a/web0")
		b.showList("pods", view.Query{Seq: 5})
		b.wantRows("live", "a/web0 a/web1 a/web2 b/db1")
		b.wantAsked("")
	})
}

// TestAddedComing checks that a column that is added and removed while the first list is coming
// in costs no other list, nor does its removal later.
func TestAddedComing(t *testing.T) {
	p := three()
	p.holdLists = true
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.wantAsked("watch pods")
		for i, columns := range [][]string{{"*", "{.metadata.uid}"}, nil, {"*", "{.metadata.name}"}} {
			b.page.in <- port.ListQuery{ID: listID, Resource: "pods", Query: view.Query{Seq: uint32(2 + i), Limit: 10, Columns: columns}}
			b.wait(soon / 4)
		}
		b.wantRows("syncing", "a/web1 a/web2 b/db1")
		b.wantAsked("")
		p.finish()
		b.wait(2 * cluster.Linger)
		b.wantRows("live", "a/web1 a/web2 b/db1")
		if got := b.cells(); got != "web1 web2 db1" {
			t.Errorf("%q", got)
		}
		b.wantAsked("watch pods at 3, close watch pods")
		b.showList("pods", view.Query{Seq: 5})
		b.wantAsked("watch pods at 3")
	})
}

// TestPausedBefore checks that a pause holds back changes only: lists that are opened while it lasts, because
// of another kind, column or namespace, first fill.
func TestPausedBefore(t *testing.T) {
	p := three()
	p.extraKinds = []string{"widgets"}
	p.change(wire.Added, testObject{resource: "widgets", namespace: "b", name: "w", status: "big"})
	p.change(wire.Added, testObject{resource: "nodes", name: "n1"})
	onPods(t, p, func(t *testing.T, b *fixture) {
		paused := func(seq uint32, resource, want string, columns ...string) {
			t.Helper()
			b.showList(resource, view.Query{Seq: seq, Paused: true, Columns: columns})
			b.wait(time.Second)
			b.wantRows("live", want)
			if got := b.page.window.Waiting; got != 0 {
				t.Errorf("%d changes wait", got)
			}
		}
		paused(2, "pods", "a/web1 a/web2 b/db1", "*", "{.metadata.uid}")
		paused(3, "nodes", "n1")
		paused(4, "widgets", "b/w")
		p.change(wire.Added, testObject{resource: "widgets", namespace: "b", name: "x", status: "big"})
		b.wait(soon)
		b.wantRows("live", "b/w")
		if got := b.page.window.Waiting; got != 1 {
			t.Errorf("%d changes wait", got)
		}
		b.showList("widgets", view.Query{Seq: 5})
		b.wantRows("live", "b/w b/x")
	})
}

// TestPausedComing pauses a list that is coming in: it fills, and only then stands still.
func TestPausedComing(t *testing.T) {
	p := three()
	p.holdLists = true
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.showList("pods", view.Query{Seq: 2, Paused: true})
		b.wantRows("syncing", "a/web1 a/web2 b/db1")
		p.change(wire.Added, pod("b", "db2", "Running"))
		b.wait(time.Second)
		p.finish()
		b.wait(time.Second)
		b.wantRows("live", "a/web1 a/web2 b/db1 b/db2")
		p.change(wire.Added, pod("b", "db3", "Running"))
		b.wait(time.Second)
		b.wantRows("live", "a/web1 a/web2 b/db1 b/db2")
	})
}

// TestPausedNarrow chooses another namespace of a user who may list only some, while the list is paused.
func TestPausedNarrow(t *testing.T) {
	p := three()
	p.deny = forbids(func(r wire.Request) bool { return r.Resource == "pods" && r.Namespace == "" })
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("pods", view.Query{Seq: 1, Namespaces: []string{"a"}})
		b.wantRows("live", "a/web1 a/web2")
		b.showList("pods", view.Query{Seq: 2, Namespaces: []string{"b"}, Paused: true})
		b.wait(time.Second)
		b.wantRows("live", "b/db1")
	})
}

// TestAddedAway checks that a list with another column is not shown as live before the server
// has accepted a watch. If it does not accept one, there is a new list.
func TestAddedAway(t *testing.T) {
	p := three()
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.wantAsked("watch pods")
		p.mu.Lock()
		p.deny = func(r wire.Request) *wire.Status {
			if r.Verb == wire.Watch && !r.SendInitialEvents {
				return &wire.Status{Origin: wire.FromAPIServer, Code: 410, Reason: wire.ReasonExpired, Message: "too old"}
			}
			return nil
		}
		p.mu.Unlock()
		b.showList("pods", view.Query{Seq: 2, Columns: []string{"Name", "{.metadata.namespace}"}})
		b.wantRows("live", "a/web1 a/web2 b/db1")
		b.wantAsked("watch pods at 3, watch pods")
		if got := b.cells(); got != "a a b" {
			t.Errorf("%q: %q", b.names(), got)
		}
	})
}

// TestAddedAwayRestored adds a column while the connection is away, behind which the cluster is restored from a
// backup. The list with the other column has what the server has then, not what the list before it had.
func TestAddedAwayRestored(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		for range 5 {
			b.proxy.change(wire.Modified, pod("a", "web2", "Running"))
		}
		b.wait(soon)
		b.proxy.setAway(true)
		b.wait(soon)
		b.showList("pods", view.Query{Seq: 2, Columns: []string{"*", "{.metadata.name}"}})
		b.proxy.mu.Lock()
		b.proxy.things, b.proxy.log, b.proxy.version = b.proxy.things[:1], nil, 1
		b.proxy.mu.Unlock()
		b.proxy.setAway(false)
		b.wakeClient()
		b.wait(20 * time.Second)
		b.wantRows("live", "a/web1")
	})
}

// TestTwice checks that a namespace that is named twice is listed once.
func TestTwice(t *testing.T) {
	p := three()
	p.deny = forbids(func(r wire.Request) bool { return r.Resource == "pods" && r.Namespace == "" })
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("pods", view.Query{Seq: 1, Namespaces: []string{"a", "a"}})
		b.wantRows("live", "a/web1 a/web2")
	})
}

// TestAddedToTable checks that a path column makes the server send whole objects for a kind
// that the server prints.
func TestAddedToTable(t *testing.T) {
	p := three()
	p.extraKinds = []string{"widgets"}
	p.change(wire.Added, testObject{resource: "widgets", namespace: "b", name: "w", status: "big"})
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("widgets", view.Query{Seq: 1, Columns: []string{"*", "{.spec.size}"}})
		b.wantRows("live", "b/w")
		if got := b.cells(); got != "<none>" {
			t.Errorf("%q", got)
		}
		b.proxy.mu.Lock()
		defer b.proxy.mu.Unlock()
		whole := 0
		for _, o := range b.proxy.open {
			if o.Resource == "widgets" && o.Encoding == wire.EncodingWhole {
				whole++
			}
		}
		if whole != 1 {
			t.Errorf("%d watches of whole objects", whole)
		}
	})
}

// TestAddedToPolled checks that columns of a kind that may not be watched come with another
// list, which is reported neither as live nor as denied.
func TestAddedToPolled(t *testing.T) {
	p := three()
	p.refuse("list")
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.wantRows("stale", "a/web1 a/web2 b/db1")
		b.page.forget()
		b.showList("pods", view.Query{Seq: 2, Columns: []string{"*", "label.app"}})
		b.wait(30 * time.Second)
		b.wantRows("stale", "a/web1 a/web2 b/db1")
		if got := b.cells(); got != "web web db" || !slices.Equal(b.page.states, []string{"stale"}) || slices.Min(b.page.totals) < 3 {
			t.Errorf("%q, %v, %v", got, b.page.states, b.page.totals)
		}
	})
}

// TestAddedToFew checks columns that are added while some namespaces are denied. They stay when
// the rest comes in, and no row is lost.
func TestAddedToFew(t *testing.T) {
	p := three()
	p.welcome.Namespaces = "a,c"
	p.refuse(both("a"))
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.wantRows("denied", "a/web1 a/web2")
		b.page.forget()
		b.showList("pods", view.Query{Seq: 2, Columns: []string{"*", "label.app"}})
		b.wantRows("denied", "a/web1 a/web2")
		if got := b.cells(); got != "web web" {
			t.Errorf("%q", got)
		}
		b.proxy.refuse(both("", "a"))
		b.wait(2 * time.Minute)
		b.wantRows("live", "a/web1 a/web2 b/db1")
		if got := b.cells(); got != "web web db" || slices.Min(b.page.totals) < 2 || !slices.Equal(b.page.states, []string{"denied", "live"}) {
			t.Errorf("%q, %v, %v", got, b.page.states, b.page.totals)
		}
	})
}

// withWidgets returns a cluster with two widgets.
func withWidgets() *proxy {
	p := three()
	p.extraKinds = []string{"widgets"}
	for _, namespace := range []string{"a", "b"} {
		p.change(wire.Added, testObject{resource: "widgets", namespace: namespace, name: "w", status: "big"})
	}
	return p
}

// onWidgets is onHub, with widgets on the screen and kinds that are kept up to date.
func onWidgets(t *testing.T, p *proxy, test func(t *testing.T, b *fixture)) {
	t.Helper()
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.WatchKinds{}
		b.showList("widgets", view.Query{Seq: 1})
		test(t, b)
	})
}

// TestMoved checks that the list of a kind follows it to another version, and that its rows stay if the version before
// is still served.
func TestMoved(t *testing.T) {
	onWidgets(t, withWidgets(), func(t *testing.T, b *fixture) {
		b.wantRows("live", "a/w b/w")
		b.page.forget()
		b.upgrade("v2")
		b.wantRows("live", "a/w b/w")
		b.showList("widgets", view.Query{Seq: 2, Columns: []string{"*", "{.spec.replicas}"}})
		b.wantRows("live", "a/w b/w")
		if got := b.cells(); got != "3 3" || slices.Min(b.page.totals) < 2 || !slices.Equal(b.page.states, []string{"live"}) {
			t.Errorf("%q, %v, %v", got, b.page.totals, b.page.states)
		}
		b.wait(2 * cluster.Linger)
		if got := b.versionsOpen(); got != "v2" {
			t.Errorf("read in %s", got)
		}
		b.withdraw("v1")
		b.proxy.change(wire.Deleted, testObject{resource: "widgets", namespace: "b", name: "w"})
		b.wait(soon)
		b.wantRows("live", "a/w")
	})
}

// TestMovedAway checks that a list is live again if its version is not served any more: once it is known in which one the
// kind is, be it installed again only later.
func TestMovedAway(t *testing.T) {
	for name, between := range map[string]time.Duration{"moved": 0, "removed": time.Minute} {
		t.Run(name, func(t *testing.T) {
			onWidgets(t, withWidgets(), func(t *testing.T, b *fixture) {
				b.withdraw("v1")
				if b.wait(10 * time.Second); between > 0 {
					b.install()
					b.define("widgets")
					b.wait(between)
					b.install("widgets")
				}
				b.wantRows("gone", "")
				b.upgrade("v2")
				b.wantRows("live", "a/w b/w")
			})
		})
	}
}

// TestMovedNarrow checks that the lists of namespaces follow their kind to another version, and so does the list of the
// whole cluster, which replaces them once it is allowed.
func TestMovedNarrow(t *testing.T) {
	p, narrow := withWidgets(), true
	p.deny = forbids(func(r wire.Request) bool { return narrow && r.Resource == "widgets" && r.Namespace == "" })
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.WatchKinds{}
		b.showList("widgets", view.Query{Seq: 1, Namespaces: []string{"a"}})
		b.wantRows("live", "a/w")
		b.upgrade("v2")
		b.withdraw("v1")
		b.wantWidened("v2", func() { narrow = false })
	})
}

// wantWidened checks that the list of a namespace is of a version, and so is that of the whole cluster, which replaces it
// once allow has been called.
func (b *fixture) wantWidened(version string, allow func()) {
	b.t.Helper()
	b.wait(2 * cluster.Linger)
	b.wantRows("live", "a/w")
	if got := b.versionsOpen(); got != version+"/a" {
		b.t.Errorf("read in %s", got)
	}
	b.proxy.mu.Lock()
	allow()
	b.proxy.mu.Unlock()
	b.showList("widgets", view.Query{Seq: 2})
	b.wait(3 * time.Minute)
	b.wantRows("live", "a/w b/w")
	if got := b.versionsOpen(); got != version {
		b.t.Errorf("read in %s", got)
	}
}

// TestMovedBack checks that the list of the whole cluster is of a version that is served, if its kind moves to one that
// cannot be read and back.
func TestMovedBack(t *testing.T) {
	p, narrow := withWidgets(), true
	denied := forbids(func(r wire.Request) bool { return narrow && r.Resource == "widgets" && r.Namespace == "" })
	p.deny = func(r wire.Request) *wire.Status {
		if r.Resource == "widgets" && r.Version == "v2" {
			return &wire.Status{Origin: wire.FromAPIServer, Code: 500, Message: "conversion webhook failed"}
		}
		return denied(r)
	}
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.WatchKinds{}
		b.showList("widgets", view.Query{Seq: 1, Namespaces: []string{"a"}})
		b.wantRows("live", "a/w")
		b.upgrade("v2")
		b.wait(10 * time.Second)
		b.upgrade("v1")
		b.wantWidened("v1", func() { narrow = false })
	})
}

// TestMovedNarrowed checks that a list follows its kind to another version if a namespace is chosen at that moment.
func TestMovedNarrowed(t *testing.T) {
	p := withWidgets()
	p.deny = forbids(func(r wire.Request) bool { return r.Resource == "widgets" && r.Namespace == "" })
	onWidgets(t, p, func(t *testing.T, b *fixture) {
		b.wait(10 * time.Second)
		b.wantRows("denied", "")
		b.onLoop(func() {
			kind, _ := b.cluster().Kinds.Find("widgets")
			kind.Version = "v2"
			b.cluster().Kinds.Discovered(object.Discovery{Kinds: []object.Kind{kind}})
			b.list().SetQuery(port.ListQuery{ID: listID, Resource: "widgets", Query: view.Query{Seq: 2, Limit: 10, Namespaces: []string{"a"}}}, time.Now())
		})
		b.wait(2 * cluster.Linger)
		b.wantRows("live", "a/w")
		if got := b.versionsOpen(); got != "v2/a" {
			t.Errorf("read in %s", got)
		}
	})
}

// TestMovedAsked checks that a list whose address names the version stays at that version.
func TestMovedAsked(t *testing.T) {
	p := withWidgets()
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.WatchKinds{}
		b.showList("widgets.v1.example.com", view.Query{Seq: 1})
		b.upgrade("v2")
		b.wait(2 * cluster.Linger)
		b.wantRows("live", "a/w b/w")
		if got := b.versionsOpen(); got != "v1" {
			t.Errorf("read in %s", got)
		}
	})
}
