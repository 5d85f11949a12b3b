package hub

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/listcache"
	"watchglass/internal/hub/recorder"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/savedlist/savedlisttest"
	"watchglass/internal/socket"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// visitor opens the page again and again: each time in a new hub, with the same disk.
type visitor struct {
	t     *testing.T
	proxy *proxy
	disk  *savedlisttest.Disk

	budget *object.Budget // of the bodies; nil: large
}

// visiting runs a test in a bubble, with a proxy whose session has a key.
func visiting(t *testing.T, p *proxy, test func(t *testing.T, b *visitor)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p.welcome.VisitKey = "key of ana"
		test(t, &visitor{t: t, proxy: p, disk: &savedlisttest.Disk{}})
	})
}

// visit opens the page, and closes it after the test.
func (b *visitor) visit(test func(v *testPage)) {
	b.t.Helper()
	ctx, cancel := context.WithCancel(b.t.Context())
	c := &pagesFixture{t: b.t, proxies: map[string]*proxy{"": b.proxy}}
	c.hub = New(ctx, Options{
		AuditEvery: 1000 * time.Hour, SavedLists: b.disk,
		Dial: func(ctx context.Context, _ string) (socket.Connection, error) { return b.proxy.dial(ctx) },
	})
	if b.budget != nil {
		c.hub.budget = b.budget
	}
	ended := make(chan struct{})
	go func() { c.hub.Run(); close(ended) }()
	defer func() {
		cancel()
		<-ended
		b.proxy.mu.Lock()
		b.proxy.asked = nil
		b.proxy.mu.Unlock()
	}()
	test(c.connect("", ""))
}

// sees opens the pods, and waits until they were kept.
func (b *visitor) sees(rows string) {
	b.t.Helper()
	b.visit(func(v *testPage) {
		v.showList("pods", view.Query{Seq: 1})
		v.wantRows("live", rows)
		v.wait(listcache.SaveFirst + 2*time.Second)
	})
}

// refuseWatches has the apiserver answer watches with an error, until it returns nil.
func (b *visitor) refuseWatches(with func(r wire.Request) *wire.Status) {
	b.proxy.mu.Lock()
	defer b.proxy.mu.Unlock()
	b.proxy.deny = func(r wire.Request) *wire.Status {
		if r.Verb != wire.Watch || with == nil {
			return nil
		}
		return with(r)
	}
}

var unavailable = &wire.Status{Origin: wire.FromAPIServer, Code: 503, Message: "not yet"}

// TestVisit shows the rows of the last visit at once, says as of when they are, and resumes without a
// list.
func TestVisit(t *testing.T) {
	visiting(t, three(), func(t *testing.T, b *visitor) {
		b.sees("a/web1 a/web2 b/db1")
		if names := b.disk.Names(""); !slices.Equal(names, []string{"pods,,,v1"}) {
			t.Fatalf("kept %q", names)
		}
		time.Sleep(10 * time.Second)
		b.proxy.change(wire.Deleted, pod("a", "web2", ""))
		b.proxy.change(wire.Added, pod("c", "new", "Running"))
		b.visit(func(v *testPage) {
			v.showList("pods", view.Query{Seq: 1})
			v.wantRows("live", "a/web1 b/db1 c/new")
			if asked := b.proxy.takeOpened(); !strings.HasSuffix(asked, "watch pods at 3, list pods") || strings.Count(asked, "pods") != 2 { // one object, to see its version
				t.Errorf("asked %s", asked)
			}
			if i := v.inspected()[0]; i.Resumes != 1 || i.Relists != 0 || i.Events != 2 {
				t.Errorf("%+v", i)
			}
		})
	})
}

// TestVisitStale says as of when the rows are, until a watch goes on from them.
func TestVisitStale(t *testing.T) {
	visiting(t, three(), func(t *testing.T, b *visitor) {
		b.sees("a/web1 a/web2 b/db1")
		left := time.Now()
		time.Sleep(10 * time.Second)
		b.proxy.change(wire.Deleted, pod("a", "web2", ""))
		b.refuseWatches(func(wire.Request) *wire.Status { return unavailable })
		b.visit(func(v *testPage) {
			v.showList("pods", view.Query{Seq: 1})
			v.wantRows("stale", "a/web1 a/web2 b/db1")
			if s := v.now().Source; s.AsOf.After(left) || s.AsOf.Before(left.Add(-2*listcache.SaveFirst)) || !s.Synced {
				t.Errorf("%+v", s)
			}
			b.refuseWatches(nil)
			v.wait(10 * time.Second)
			v.wantRows("live", "a/web1 b/db1")
			if s := v.now().Source; !s.AsOf.IsZero() {
				t.Errorf("%+v", s)
			}
		})
	})
}

// TestVisitScripts checks that the rows of the last visit are no answer to a script, which waits until they are live.
func TestVisitScripts(t *testing.T) {
	visiting(t, three(), func(t *testing.T, b *visitor) {
		b.sees("a/web1 a/web2 b/db1")
		time.Sleep(10 * time.Second)
		b.proxy.change(wire.Deleted, pod("b", "db1", ""))
		b.visit(func(v *testPage) {
			if got := v.ask("list", `["pods", {"namespace": "b"}]`); got != "[]" {
				t.Error(got)
			}
		})
		b.refuseWatches(func(wire.Request) *wire.Status { return unavailable })
		b.visit(func(v *testPage) {
			if got := v.ask("list", `["pods"]`); got != "error: pods was not live within 1m0s, but stale: "+unavailable.Error() {
				t.Error(got)
			}
		})
	})
}

// TestVisitBodies gives the objects of the last visit their bodies back, so that what needs them asks
// nobody.
func TestVisitBodies(t *testing.T) {
	visiting(t, three(), func(t *testing.T, b *visitor) {
		b.sees("a/web1 a/web2 b/db1")
		b.visit(func(v *testPage) {
			v.showList("pods", view.Query{Seq: 1})
			v.wait(time.Second)
			shown, _ := v.list().Shown()
			for _, sent := range b.proxy.things {
				o, ok := v.list().Sources()[0].Store().Get(sent.namespace + "/" + sent.name)
				if !ok || !bytes.Equal(shown.Kind.Payload(o), podBytes(sent)) {
					t.Errorf("%s/%s has lost its body", sent.namespace, sent.name)
				}
			}
			if _, objects, _ := v.hub.budget.Used(); objects != 3 {
				t.Errorf("%d objects are counted", objects)
			}
			b.proxy.change(wire.Deleted, pod("a", "web1", ""))
			v.wait(time.Second)
			if _, objects, _ := v.hub.budget.Used(); objects != 2 {
				t.Errorf("%d objects are counted", objects)
			}
		})
	})
}

// TestVisitProblems checks that a reload shows the problems that a fresh browser shows. Before the bodies of
// the last visit are there, objects are being checked: a Service whose EndpointSlice cannot be read has
// not lost it. Bodies that the disk does not have are read from the server, once.
func TestVisitProblems(t *testing.T) {
	for _, onDisk := range []bool{true, false} {
		p := three()
		p.extraKinds = []string{"endpointslices.discovery.k8s.io"}
		p.change(wire.Added, testObject{resource: "services", namespace: "a", name: "web", selector: "web"})
		p.change(wire.Added, testObject{resource: "endpointslices", namespace: "a", name: "web-1", labels: map[string]string{"kubernetes.io/service-name": "web"}, ready: []bool{true}})
		p.change(wire.Modified, pod("a", "web2", "Failed"))
		visiting(t, p, func(t *testing.T, b *visitor) {
			problems := func(within time.Duration) (asked string) {
				b.visit(func(v *testPage) {
					v.page.in <- port.OpenOverview{ID: 7}
					v.showList("problems", view.Query{Seq: 1})
					v.wait(within)
					for range 60 {
						v.wait(2 * time.Second)
						v.wantRows("live", "a/pods:web2:Error")
					}
					all := v.overviews()
					if last := all[len(all)-1]; len(last.Gaps) > 0 {
						t.Errorf("on disk %v: %+v", onDisk, last.Gaps)
					}
					asked = b.proxy.takeOpened()
				})
				return asked
			}
			problems(soon)
			if !onDisk {
				b.disk.DropBodies()
			}
			asked := problems(10 * time.Second)
			want := map[bool]int{true: 0, false: 1}[onDisk]
			if strings.Count(asked, "list endpointslices/a where metadata.name=web-1") != want || strings.Count(asked, "list services/a where metadata.name=web,") != want {
				t.Errorf("on disk %v, asked %s", onDisk, asked)
			}
		})
	}
}

// TestVisitGone falls back to a list if the server has forgotten the version. Until that is whole, all
// rows of the last visit stay, also while only a part of it has come.
func TestVisitGone(t *testing.T) {
	visiting(t, three(), func(t *testing.T, b *visitor) {
		b.sees("a/web1 a/web2 b/db1")
		b.proxy.change(wire.Deleted, pod("a", "web2", ""))
		b.proxy.change(wire.Deleted, pod("b", "db1", ""))
		b.proxy.startHoldingLists()
		b.refuseWatches(func(r wire.Request) *wire.Status {
			if !r.SendInitialEvents {
				return &wire.Status{Origin: wire.FromAPIServer, Code: 410, Reason: wire.ReasonExpired, Message: "too old"}
			}
			return nil
		})
		b.visit(func(v *testPage) {
			v.showList("pods", view.Query{Seq: 1})
			b.refuseWatches(nil)
			if asked := b.proxy.takeOpened(); !strings.HasSuffix(asked, "watch pods") {
				t.Errorf("asked %s", asked)
			}
			v.wantRows("stale", "a/web1 a/web2 b/db1") // though web1 has come again
			b.proxy.change(wire.Added, pod("b", "db1", "Running"))
			v.wait(time.Second)
			v.wantRows("stale", "a/web1 a/web2 b/db1")
			b.proxy.finish()
			v.wait(time.Second)
			v.wantRows("live", "a/web1 b/db1")
			v.page.mu.Lock()
			defer v.page.mu.Unlock()
			first := slices.Index(v.page.totals, 3) // the file may come after an empty patch
			if first < 0 || slices.Min(v.page.totals[first:]) < 2 {
				t.Errorf("rows went and came back: %v", v.page.totals)
			}
		})
	})
}

// TestVisitOutrun lists instead of resuming if so much has changed since the last visit that this is faster. How
// much of what the server writes is of this list, the last visit has told.
func TestVisitOutrun(t *testing.T) {
	visiting(t, three(), func(t *testing.T, b *visitor) {
		change := func() {
			for range 1500 {
				b.proxy.change(wire.Modified, pod("a", "web1", "Running"))
			}
		}
		b.visit(func(v *testPage) {
			v.showList("pods", view.Query{Seq: 1})
			v.wait(time.Second)
			change()
			v.wait(listcache.SaveFirst + 2*time.Second)
		})
		change()
		b.proxy.change(wire.Deleted, pod("a", "web2", ""))
		b.visit(func(v *testPage) {
			v.showList("pods", view.Query{Seq: 1})
			v.wait(time.Second)
			v.wantRows("live", "a/web1 b/db1")
			if i := v.inspected()[0]; i.Resumes != 0 || i.Relists != 1 || i.Events > 10 {
				t.Errorf("%+v", i)
			}
		})
	})
}

// TestVisitDenied shows no row once the apiserver refuses the list.
func TestVisitDenied(t *testing.T) {
	visiting(t, three(), func(t *testing.T, b *visitor) {
		b.sees("a/web1 a/web2 b/db1")
		b.proxy.mu.Lock()
		b.proxy.deny = func(r wire.Request) *wire.Status {
			if r.Resource == "pods" {
				return &wire.Status{Origin: wire.FromAPIServer, Code: 403, Reason: "Forbidden", Message: "no"}
			}
			return nil
		}
		b.proxy.mu.Unlock()
		b.visit(func(v *testPage) {
			v.showList("pods", view.Query{Seq: 1})
			v.wait(time.Second)
			v.wantRows("denied", "")
			if s := v.now().Source; !s.AsOf.IsZero() {
				t.Errorf("%+v", s)
			}
			v.wait(time.Second)
			if names := b.disk.Names(""); len(names) > 0 {
				t.Errorf("%q are left", names)
			}
		})
	})
}

// TestVisitOf checks what is not read: the visit of another session, program or scope, what is broken,
// and what the proxy forbids. Each time it lists.
func TestVisitOf(t *testing.T) {
	for name, change := range map[string]func(b *visitor){
		"another session": func(b *visitor) { b.proxy.welcome.VisitKey = "key of eve" },
		"another server":  func(b *visitor) { b.proxy.welcome.Server = "other:6443" },
		"another user":    func(b *visitor) { b.proxy.welcome.User = "eve" },
		"it is too old":   func(b *visitor) { time.Sleep(listcache.MaxAge) },
		"another program": func(b *visitor) { b.proxy.welcome.Page = "new" },
		"another scope":   func(b *visitor) { b.proxy.welcome.Narrow, b.proxy.welcome.Namespace = true, "a" },
		"no session":      func(b *visitor) { b.proxy.welcome.VisitKey = "" },
		"it is forbidden": func(b *visitor) { b.proxy.welcome.VisitKey, b.proxy.welcome.NoDiskHistory = "", true },
		"it is broken": func(b *visitor) {
			b.disk.Change("", "pods,,,v1", func(blocks [][]byte) [][]byte { return blocks[:1] })
		},
	} {
		t.Run(name, func(t *testing.T) {
			visiting(t, three(), func(t *testing.T, b *visitor) {
				b.sees("a/web1 a/web2 b/db1")
				change(b)
				b.visit(func(v *testPage) {
					v.showList("pods", view.Query{Seq: 1})
					v.wait(3 * time.Second)
					if asked := b.proxy.takeOpened(); !strings.Contains(asked, "watch pods") || strings.Contains(asked, " at ") {
						t.Errorf("asked %s", asked)
					}
					if names := b.disk.Names(""); b.proxy.welcome.NoDiskHistory && len(names) > 0 {
						t.Errorf("kept %q", names)
					}
				})
			})
		})
	}
}

// TestVisitNotKept checks that nothing is saved if the proxy forbids it, whatever key it gives.
func TestVisitNotKept(t *testing.T) {
	visiting(t, three(), func(t *testing.T, b *visitor) {
		b.proxy.welcome.NoDiskHistory = true
		b.visit(func(v *testPage) {
			v.showList("pods", view.Query{Seq: 1})
			v.wait(listcache.SaveFirst + 3*time.Second)
			if names := b.disk.Names(""); len(names) > 0 {
				t.Errorf("kept %q", names)
			}
		})
	})
}

// TestVisitKeeps checks what is kept, and when: whole lists of kinds that are printed here, but no
// Secrets; when they are first live, every two minutes, and soon if the page is left. A hidden page saves rarely.
func TestVisitKeeps(t *testing.T) {
	p := three()
	p.extraKinds = []string{"widgets"}
	visiting(t, p, func(t *testing.T, b *visitor) {
		b.visit(func(v *testPage) {
			for i, resource := range []string{"pods", "secrets", "widgets", "configmaps", "pods"} {
				v.showList(resource, view.Query{Seq: uint32(i + 1)})
				v.wait(listcache.SaveFirst + 3*time.Second)
			}
			if names := fmt.Sprint(b.disk.Names("")); names != "[configmaps,,,v1 pods,,,v1]" {
				t.Fatalf("kept %s", names)
			}
			kept := func() (version string) {
				b.disk.Change("", "pods,,,v1", func(blocks [][]byte) [][]byte {
					version = strings.Split(string(blocks[0]), `"`)[3]
					return blocks
				})
				return version
			}
			first := kept()
			p.change(wire.Modified, pod("a", "web1", "Failed"))
			if v.wait(listcache.SaveEvery / 2); kept() != first {
				t.Errorf("kept %s too soon", kept())
			}
			if v.wait(listcache.SaveEvery / 2); kept() == first {
				t.Error("not kept again")
			}
			second := kept()
			p.change(wire.Modified, pod("a", "web1", "Running"))
			v.wait(time.Second)
			v.page.in <- port.Presence{Online: true}
			if v.wait(2 * time.Second); kept() == second {
				t.Error("not kept when the page was left")
			}
			third := kept()
			v.page.in <- port.Presence{Online: true, Visible: true}
			p.change(wire.Modified, pod("a", "web1", "Failed"))
			v.wait(time.Second)
			v.page.in <- port.Presence{Online: true}
			if v.wait(listcache.SaveHidden / 2); kept() != third {
				t.Errorf("kept %s again too soon", kept())
			}
			if v.wait(listcache.SaveHidden); kept() == third {
				t.Error("not kept after the page was left again")
			}
			fourth := kept()
			p.change(wire.Modified, pod("a", "web1", "Running"))
			if v.wait(listcache.SaveIdle / 2); kept() != fourth {
				t.Errorf("kept %s though nobody looks", kept())
			}
			if v.wait(listcache.SaveIdle); kept() == fourth {
				t.Error("not kept while nobody looks")
			}
		})
	})
}

// TestVisitFails checks that an error of the disk does not stop the list, is told, and that saving is tried
// again.
func TestVisitFails(t *testing.T) {
	visiting(t, three(), func(t *testing.T, b *visitor) {
		b.disk.Fail(errors.New("the disk is full"))
		b.visit(func(v *testPage) {
			v.showList("pods", view.Query{Seq: 1})
			v.wait(listcache.SaveFirst + 2*time.Second)
			v.wantRows("live", "a/web1 a/web2 b/db1")
			if names, said := b.disk.Names(""), v.overview().Clusters[0].Unsaved; len(names) > 0 || said != "the disk is full" {
				t.Errorf("kept %q, and said %q", names, said)
			}
			b.disk.Fail(nil)
			v.wait(listcache.SaveIdle + 2*time.Second)
			if names, said := b.disk.Names(""), v.overview().Clusters[0].Unsaved; len(names) != 1 || said != "" {
				t.Errorf("kept %q, and said %q", names, said)
			}
		})
	})
}

// TestVisitOver removes the visits when the proxy says that the session is over, and does not read them in
// a tab that stays open.
func TestVisitOver(t *testing.T) {
	visiting(t, three(), func(t *testing.T, b *visitor) {
		b.sees("a/web1 a/web2 b/db1")
		b.proxy.refusal = &socket.CloseError{Code: cluster.SessionEnded, Reason: "the session has ended"}
		b.visit(func(v *testPage) {
			v.showList("configmaps", view.Query{Seq: 1})
			b.proxy.setAway(true)
			v.wait(3 * time.Second)
			if names := b.disk.Names(""); len(names) > 0 {
				t.Errorf("%q are left", names)
			}
			v.showList("pods", view.Query{Seq: 2})
			v.wait(time.Second)
			v.wantRows("connecting", "")
		})
	})
}

// TestVisitClosed removes the visits when the last page leaves as the session ends, before the hub looks at them again.
func TestVisitClosed(t *testing.T) {
	visiting(t, three(), func(t *testing.T, b *visitor) {
		b.sees("a/web1 a/web2 b/db1")
		b.proxy.refusal = &socket.CloseError{Code: cluster.SessionEnded, Reason: "the session has ended"}
		b.visit(func(v *testPage) {
			v.showList("configmaps", view.Query{Seq: 1})
			v.wait(time.Second)
			var client *socket.Client
			v.onLoop(func() { client = v.hub.clusters[0].Client })
			b.proxy.setAway(true)
			for client.Link().Attempts < 2 { // it is refused
				time.Sleep(time.Millisecond)
			}
			v.disconnect()
			v.wait(3 * time.Second)
			if names := b.disk.Names(""); len(names) > 0 {
				t.Errorf("%q are left", names)
			}
		})
	})
}

// TestVisitRenewed checks that a session which is renewed after its connection was closed saves its lists again.
func TestVisitRenewed(t *testing.T) {
	visiting(t, three(), func(t *testing.T, b *visitor) {
		b.visit(func(v *testPage) {
			v.showList("pods", view.Query{Seq: 1})
			v.wait(listcache.SaveFirst + 2*time.Second)
			b.proxy.refusal = &socket.CloseError{Code: cluster.SessionEnded, Reason: "the session has ended"}
			b.proxy.setAway(true)
			v.wait(3 * time.Second)
			if names := b.disk.Names(""); len(names) > 0 {
				t.Errorf("%q are left", names)
			}
			b.proxy.setAway(false)
			v.page.in <- port.Renewed{ID: "late"}
			v.wait(listcache.SaveFirst + 2*time.Second)
			v.wantRows("live", "a/web1 a/web2 b/db1")
			if names := b.disk.Names(""); !slices.Equal(names, []string{"pods,,,v1"}) {
				t.Errorf("kept %q", names)
			}
		})
	})
}

// TestVisitUser checks that rows which one session saw are never saved for another, whoever came to the
// same context meanwhile.
func TestVisitUser(t *testing.T) {
	visiting(t, three(), func(t *testing.T, b *visitor) {
		b.visit(func(v *testPage) {
			v.showList("pods", view.Query{Seq: 1})
			v.wait(listcache.SaveFirst + 2*time.Second)
			if _, err := b.disk.Open(t.Context(), "", "key of bob", ""); err != nil {
				t.Fatal(err)
			}
			b.proxy.change(wire.Modified, pod("a", "web1", "Failed"))
			v.wait(listcache.SaveEvery + 2*time.Second)
			if names := b.disk.Names(""); len(names) > 0 {
				t.Errorf("bob has %q", names)
			}
		})
	})
}

// TestVisitColumns checks that a list with another column, which is made from the first, is not live
// before the server has answered that.
func TestVisitColumns(t *testing.T) {
	visiting(t, three(), func(t *testing.T, b *visitor) {
		b.sees("a/web1 a/web2 b/db1")
		b.refuseWatches(func(r wire.Request) *wire.Status {
			if !r.SendInitialEvents {
				return unavailable
			}
			return nil
		})
		b.visit(func(v *testPage) {
			v.showList("pods", view.Query{Seq: 1})
			v.wantRows("stale", "a/web1 a/web2 b/db1")
			b.proxy.takeOpened()
			v.showList("pods", view.Query{Seq: 2, Columns: []string{"{.spec.priority}"}})
			v.wait(100 * time.Millisecond)
			if asked := b.proxy.takeOpened(); !strings.Contains(asked, "watch pods,") && !strings.HasSuffix(asked, "watch pods") {
				t.Errorf("asked %s", asked)
			}
		})
	})
}

// TestVisitOnce checks that a list which is opened again in the same worker begins with a list: history
// knows more of it than the visit does.
func TestVisitOnce(t *testing.T) {
	visiting(t, three(), func(t *testing.T, b *visitor) {
		b.visit(func(v *testPage) {
			v.showList("pods", view.Query{Seq: 1})
			v.wait(listcache.SaveFirst + 2*time.Second)
			v.showList("nodes", view.Query{Seq: 2})
			v.wait(2 * cluster.Linger)
			if n := v.cluster().Lists.Len(); n != 1 {
				t.Errorf("%d lists are saved", n)
			}
			b.proxy.takeOpened()
			v.showList("pods", view.Query{Seq: 3})
			v.wait(time.Second)
			if asked := b.proxy.takeOpened(); asked != "watch pods" {
				t.Errorf("asked %s", asked)
			}
		})
	})
}

// TestVisitHistory checks that what changed before the visit is no change of history.
func TestVisitHistory(t *testing.T) {
	visiting(t, three(), func(t *testing.T, b *visitor) {
		b.sees("a/web1 a/web2 b/db1")
		b.proxy.change(wire.Modified, pod("a", "web1", "Failed"))
		b.visit(func(v *testPage) {
			v.showList("pods", view.Query{Seq: 1})
			v.wait(2 * recorder.JoinRestored)
			if _, objects, _ := v.hub.budget.Used(); objects != 3 {
				t.Errorf("%d bodies", objects)
			}
			if got := v.remembered(); strings.Contains(got, "web") {
				t.Errorf("history has %s", got)
			}
			b.proxy.change(wire.Modified, pod("a", "web2", "Failed"))
			v.wait(time.Second)
			if got := v.remembered(); strings.Count(got, "web2") != 1 {
				t.Errorf("history has %s", got)
			}
		})
	})
}

// TestAddedLost checks that a column which is added when memory is full has the same cells: objects without their bodies
// are listed again.
func TestAddedLost(t *testing.T) {
	visiting(t, three(), func(t *testing.T, b *visitor) {
		b.budget = object.NewBudget(0)
		b.visit(func(v *testPage) {
			v.showList("pods", view.Query{Seq: 1})
			v.wantRows("live", "a/web1 a/web2 b/db1")
			if _, objects, _ := v.hub.budget.Used(); objects != 0 {
				t.Fatalf("%d bodies", objects)
			}
			v.showList("pods", view.Query{Seq: 2, Columns: []string{"*", "{.metadata.name}"}})
			v.wantRows("live", "a/web1 a/web2 b/db1")
			for _, r := range v.page.window.Rows {
				if got := r.Cells[len(r.Cells)-1]; !strings.HasSuffix(r.Key, "/"+got) {
					t.Errorf("%s: %q", r.Key, got)
				}
			}
		})
	})
}

// TestExitLost checks that pods of the last visit whose bodies the disk has lost are filtered by how they ended, and
// that nothing of that is unknown: rows are saved with it.
func TestExitLost(t *testing.T) {
	p := three()
	killed := pod("a", "killed", "Running")
	killed.exit = "OOMKilled"
	p.change(wire.Added, killed)
	visiting(t, p, func(t *testing.T, b *visitor) {
		b.sees("a/killed a/web1 a/web2 b/db1")
		b.disk.DropBodies()
		b.refuseWatches(func(wire.Request) *wire.Status { return unavailable })
		b.visit(func(v *testPage) {
			v.showList("pods", view.Query{Seq: 1, Text: "exit:OOMKilled"})
			v.wait(recorder.JoinRestored)
			v.wantRows("stale", "a/killed")
			v.wantGap("")
		})
	})
}
