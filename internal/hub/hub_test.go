package hub

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/list"
	"watchglass/internal/inspection"
	"watchglass/internal/port"
	"watchglass/internal/socket"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// pagesFixture is a hub with several pages, and a proxy for each context.
type pagesFixture struct {
	t       *testing.T
	hub     *Hub
	proxies map[string]*proxy
	pages   []*testPage
}

// testPage is one page of a pagesFixture.
type testPage struct {
	*fixture
	context string
}

// onPages runs a test with a hub, in a bubble.
func onPages(t *testing.T, proxies map[string]*proxy, test func(t *testing.T, c *pagesFixture)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c := &pagesFixture{t: t, proxies: proxies}
		c.hub = New(ctx, Options{AuditEvery: 1000 * time.Hour, Dial: func(ctx context.Context, name string) (socket.Connection, error) { return c.proxies[name].dial(ctx) }})
		ended := make(chan struct{})
		go func() { c.hub.Run(); close(ended) }()
		defer func() {
			cancel()
			<-ended
		}()
		test(t, c)
	})
}

// connect connects a page to the hub.
func (c *pagesFixture) connect(context, identity string) *testPage {
	p := &page{in: make(chan port.Message, 256), answers: make(map[uint32]chan port.Answer)}
	v := &testPage{context: context, fixture: &fixture{t: c.t, hub: c.hub, page: p, proxy: c.proxies[context]}}
	v.disconnect = c.hub.Connect(Connection{Port: p, Context: context, Identity: identity})
	c.pages = append(c.pages, v)
	synctest.Wait()
	return v
}

// overview returns what inspect shows of the hub.
func (v *testPage) overview() (out inspection.Hub) {
	v.t.Helper()
	if err := json.Unmarshal([]byte(v.ask("inspect", "[]")), &out); err != nil {
		v.t.Fatal(err)
	}
	return out
}

// testPages checks that pages of one cluster share its socket and its sources, that each sees
// its own rows, and that sources that only one page holds end with that page.
func testPages(t *testing.T) {
	p := three()
	p.extraKinds = []string{"widgets"}
	onPages(t, map[string]*proxy{"": p}, func(t *testing.T, c *pagesFixture) {
		first := c.connect("", "ana")
		first.showList("pods", view.Query{Seq: 1})
		first.wantAsked("watch pods")
		for i := range 9 {
			v := c.connect("", "ana")
			v.showList("pods", view.Query{Seq: 1, Namespaces: []string{[]string{"a", "b"}[i%2]}})
			v.wantRows("live", []string{"a/web1 a/web2", "b/db1"}[i%2])
		}
		first.wantRows("live", "a/web1 a/web2 b/db1")
		first.wantAsked("")
		last := c.connect("", "ana")
		last.showList("nodes", view.Query{Seq: 1})
		last.wantAsked("watch nodes")
		if o := last.overview(); len(o.Pages) != 11 || len(o.Clusters) != 1 || o.Clusters[0].Sources != 2 || !o.Pages[10].Self || o.Pages[10].Lists[0].Resource != "nodes" {
			t.Errorf("%+v", o)
		}
		last.disconnect()
		first.wait(time.Second)
		first.wantAsked("close watch nodes")
		c.pages[3].disconnect()
		first.wait(2 * cluster.Linger)
		first.wantAsked("")
		first.proxy.change(wire.Modified, pod("a", "web2", "Failed"))
		first.wait(soon)
		first.wantRows("live", "a/web1 a/web2 b/db1")
	})
}

// TestLastPage checks that a cluster that no page uses any more is closed with its socket.
func TestLastPage(t *testing.T) {
	onPages(t, map[string]*proxy{"": three(), "prod": three()}, func(t *testing.T, c *pagesFixture) {
		dev, prod := c.connect("", "ana"), c.connect("prod", "ana")
		dev.showList("pods", view.Query{Seq: 1})
		prod.showList("pods", view.Query{Seq: 1})
		prod.disconnect()
		dev.wait(soon)
		if o := dev.overview(); len(o.Clusters) != 1 || o.Clusters[0].Context != "" || len(o.Pages) != 1 {
			t.Errorf("%+v", o)
		}
		prod.proxy.mu.Lock()
		conn := prod.proxy.conn
		prod.proxy.mu.Unlock()
		if err := conn.Write(t.Context(), []byte{1}); err == nil {
			t.Error("the socket is open")
		}
		again := c.connect("prod", "ana")
		again.showList("pods", view.Query{Seq: 1})
		again.wantRows("live", "a/web1 a/web2 b/db1")
	})
}

// TestHidden checks that a hidden page is sent nothing, and is brought up to date as soon as it
// is shown.
func TestHidden(t *testing.T) {
	onPages(t, map[string]*proxy{"": three()}, func(t *testing.T, c *pagesFixture) {
		seen, hidden := c.connect("", "ana"), c.connect("", "ana")
		seen.showList("pods", view.Query{Seq: 1})
		hidden.showList("pods", view.Query{Seq: 1})
		hidden.openTab("web1", "yaml")
		hidden.page.in <- port.Presence{Online: true}
		hidden.wait(soon)
		hidden.page.mu.Lock()
		patches, states, details := hidden.page.patches, hidden.page.stateCount, len(hidden.page.details)
		hidden.page.mu.Unlock()
		for range 100 {
			seen.proxy.change(wire.Modified, pod("a", "web2", "Failed"))
			seen.proxy.change(wire.Modified, pod("a", "web2", "Running"))
			seen.wait(100 * time.Millisecond)
		}
		seen.proxy.change(wire.Deleted, pod("a", "web1", ""))
		seen.wait(time.Minute)
		seen.wantRows("live", "a/web2 b/db1")
		hidden.page.mu.Lock()
		if hidden.page.patches != patches || hidden.page.stateCount != states || len(hidden.page.details) != details {
			t.Errorf("a hidden page was sent %d patches, %d states, %d details", hidden.page.patches-patches, hidden.page.stateCount-states, len(hidden.page.details)-details)
		}
		hidden.page.mu.Unlock()
		hidden.page.in <- port.Presence{Visible: true, Online: true}
		hidden.wait(50 * time.Millisecond)
		hidden.wantRows("live", "a/web2 b/db1")
		hidden.page.locked(func() {
			if n := hidden.page.patches - patches; n > 2 {
				t.Errorf("%d patches to catch up", n)
			}
		})
	})
}

// TestBackUnpainted checks that a page that was hidden before it painted is not waited for when
// it comes back.
func TestBackUnpainted(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.page.locked(func() { b.page.omitPainted = true })
		b.proxy.change(wire.Modified, pod("a", "web2", "Failed"))
		b.wait(2 * list.Frame)
		b.page.in <- port.Presence{Online: true}
		b.proxy.change(wire.Deleted, pod("a", "web1", ""))
		b.wait(2 * list.Frame)
		b.page.in <- port.Presence{Visible: true, Online: true}
		b.wait(2 * list.Frame)
		b.wantRows("live", "a/web2 b/db1")
	})
}

// TestUnpainted checks that a page that does not paint is sent the next patch after
// list.PaintWithin, and not at the next tick.
func TestUnpainted(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.page.locked(func() { b.page.omitPainted = true })
		for i, offset := range []time.Duration{100, 400, 700} { // at various offsets from the tick
			b.wait(2*list.PaintWithin + offset*time.Millisecond)
			b.page.in <- port.Painted{ID: listID}
			b.proxy.change(wire.Modified, pod("a", "web2", fmt.Sprint("One", i)))
			b.wait(4 * list.Frame)
			var before, after int
			b.page.locked(func() { before = b.page.patches })
			b.proxy.change(wire.Modified, pod("a", "web2", fmt.Sprint("Two", i)))
			b.wait(list.PaintWithin)
			if b.page.locked(func() { after = b.page.patches }); after == before {
				t.Error("no patch")
			}
		}
	})
}

// TestSlowPage checks that a page that does not paint delays no other.
func TestSlowPage(t *testing.T) {
	onPages(t, map[string]*proxy{"": three()}, func(t *testing.T, c *pagesFixture) {
		quick, slow := c.connect("", "ana"), c.connect("", "ana")
		slow.page.omitPainted = true
		quick.showList("pods", view.Query{Seq: 1})
		slow.showList("pods", view.Query{Seq: 1})
		var patches, after int
		quick.page.locked(func() { patches = quick.page.patches })
		for i := range 20 {
			quick.proxy.change(wire.Modified, pod("a", "web2", fmt.Sprint("Phase", i)))
			quick.wait(2 * list.Frame)
		}
		quick.page.locked(func() { after = quick.page.patches })
		if n := after - patches; n != 20 {
			t.Errorf("%d patches for 20 changes", n)
		}
	})
}

// TestLists checks several lists and objects of one page, each under the ID that the page
// chose.
func TestLists(t *testing.T) {
	onPages(t, map[string]*proxy{"": three()}, func(t *testing.T, c *pagesFixture) {
		v := c.connect("", "ana")
		windows, details := make(map[uint32]view.Window), make(map[uint32]int)
		v.page.other = func(m port.Message) {
			switch m := m.(type) {
			case port.Patch:
				windows[m.ID] = windows[m.ID].Apply(m.Patch)
				v.page.in <- port.Painted{ID: m.ID}
			case port.Detail:
				details[m.ID]++
			}
		}
		keys := func(id uint32) string {
			var out []string
			v.page.locked(func() {
				for _, r := range windows[id].Rows {
					out = append(out, r.Key)
				}
			})
			return strings.Join(out, " ")
		}
		sent := func(id uint32) (n int) {
			v.page.locked(func() { n = details[id] })
			return n
		}
		v.showList("pods", view.Query{Seq: 1})
		v.page.in <- port.ListQuery{ID: 7, Resource: "pods", Query: view.Query{Seq: 1, Limit: 10, Namespaces: []string{"b"}}}
		v.page.in <- port.ListQuery{ID: 8, Resource: "po", Query: view.Query{Seq: 1, Limit: 10, Text: "web"}}
		v.page.in <- port.Focus{ID: 9, Seq: 1, Resource: "pods", Namespace: "a", Name: "web1", Tab: "summary"}
		v.page.in <- port.Focus{ID: 10, Seq: 1, Resource: "pods", Namespace: "b", Name: "db1", Tab: "summary"}
		v.wait(soon)
		v.wantRows("live", "a/web1 a/web2 b/db1")
		if keys(7) != "b/db1" || keys(8) != "a/web1 a/web2" || sent(9) == 0 || sent(10) == 0 {
			t.Errorf("%q, %q, %d, %d", keys(7), keys(8), sent(9), sent(10))
		}
		v.wantAsked("watch pods")
		if got := v.askList(7, "rows", "[]"); !strings.Contains(got, `"total":1`) {
			t.Error(got)
		}
		v.page.in <- port.Close{ID: 7}
		v.page.in <- port.Close{ID: 9}
		v.wait(soon)
		before, told := keys(7), sent(9)
		v.proxy.change(wire.Modified, pod("b", "db1", "Failed"))
		v.proxy.change(wire.Modified, pod("a", "web1", "Failed"))
		v.proxy.change(wire.Deleted, pod("b", "db1", ""))
		v.wait(soon)
		v.wantRows("live", "a/web1 a/web2")
		if keys(7) != before || sent(9) != told || v.askList(7, "rows", "[]") != "error: nothing has loaded yet" {
			t.Errorf("what is closed is sent on: %q, %d", keys(7), sent(9))
		}
	})
}

// TestOtherContext checks a list and an object of another cluster beside the page's own.
func TestOtherContext(t *testing.T) {
	other := &proxy{things: []testObject{at(1, pod("p", "prod1", "Running"))}, version: 1}
	onPages(t, map[string]*proxy{"": three(), "prod": other}, func(t *testing.T, c *pagesFixture) {
		v := c.connect("", "ana")
		var window view.Window
		v.page.other = func(m port.Message) {
			if m, ok := m.(port.Patch); ok && m.ID == 7 {
				window = window.Apply(m.Patch)
				v.page.in <- port.Painted{ID: 7}
			}
		}
		v.showList("pods", view.Query{Seq: 1})
		v.page.in <- port.ListQuery{ID: 7, Context: "prod", Resource: "pods", Query: view.Query{Seq: 1, Limit: 10}}
		v.wait(soon)
		v.wantRows("live", "a/web1 a/web2 b/db1")
		v.page.locked(func() {
			if len(window.Rows) != 1 || window.Rows[0].Key != "p/prod1" {
				t.Errorf("%+v", window.Rows)
			}
		})
		other.setAway(true)
		v.wait(time.Minute)
		other.setAway(false)
		before := other.connections()
		v.page.in <- port.Presence{Visible: true, Online: true}
		v.wait(10 * time.Millisecond)
		if other.connections() == before {
			t.Error("the page is back, and the other cluster waits on")
		}
		v.page.in <- port.Close{ID: 7}
		v.wait(soon)
		if o := v.overview(); len(o.Clusters) != 1 {
			t.Errorf("%+v", o.Clusters)
		}
	})
}

// TestIdentities checks that two users of one context share nothing.
func TestIdentities(t *testing.T) {
	onPages(t, map[string]*proxy{"": three()}, func(t *testing.T, c *pagesFixture) {
		ana := c.connect("", "ana")
		ana.showList("pods", view.Query{Seq: 1})
		c.proxies[""] = three() // each has a connection of its own
		bob := c.connect("", "bob")
		bob.showList("pods", view.Query{Seq: 1})
		if o := ana.overview(); len(o.Clusters) != 2 || o.Clusters[0].Sources != 1 || o.Clusters[1].Sources != 1 {
			t.Errorf("%+v", o.Clusters)
		}
		c.proxies[""] = three()
		if nobody := c.connect("", ""); len(nobody.overview().Clusters) != 3 {
			t.Error("a page without an identity was let in to another's")
		}
	})
}

// TestDues checks that one page of a cluster is asked to renew the session. Another is asked if
// that one does not, or at once if it leaves. A renewal that all pages report takes effect
// once.
func TestDues(t *testing.T) {
	p := three()
	p.welcome.RenewIn = 60_000
	onPages(t, map[string]*proxy{"": p}, func(t *testing.T, c *pagesFixture) {
		var asked []int
		for i := range 3 {
			v := c.connect("", "ana")
			v.page.other = func(m port.Message) {
				if _, ok := m.(port.Due); ok {
					asked = append(asked, i)
				}
			}
			v.showList("pods", view.Query{Seq: 1})
		}
		c.pages[1].page.in <- port.Presence{Online: true} // hidden
		c.pages[0].wait(time.Minute)
		wantAsked := func(want string) {
			t.Helper()
			c.pages[0].postAndWait(func() { // not while the loop asks
				if got := fmt.Sprint(asked); got != want {
					t.Errorf("asked %s, want %s", got, want)
				}
			})
		}
		wantAsked("[0]")
		c.pages[0].wait(cluster.DueAgain)
		wantAsked("[0 2]")
		c.pages[2].disconnect()
		c.pages[0].wait(soon)
		wantAsked("[0 2 1]")
		p.takeRequests()
		for _, v := range c.pages[:2] {
			v.page.in <- port.Renewed{ID: "r1"}
			v.wait(10 * time.Millisecond)
		}
		c.pages[0].wait(soon)
		if n := p.connections(); n != 2 {
			t.Errorf("%d connections, want 2", n)
		}
		c.pages[0].wantRows("live", "a/web1 a/web2 b/db1")
	})
}

// testClustersApart mixes writes, looks, openings and departures on two clusters whose objects
// have the same names but different UIDs. No view of one shows anything of the other.
func testClustersApart(t *testing.T) {
	const operations = 1000
	rng := rand.New(rand.NewPCG(7, 7))
	proxies := map[string]*proxy{"blue": three(), "green": three()}
	model := map[string]map[string]string{}
	for name, p := range proxies {
		p.uid, model[name] = name, map[string]string{}
		for i, o := range p.things {
			p.things[i].uid = name + "-" + o.name
			model[name][o.namespace+"/"+o.name] = o.status
		}
	}
	onPages(t, proxies, func(t *testing.T, c *pagesFixture) {
		visit := func() *testPage {
			v := c.connect([]string{"blue", "green"}[rng.IntN(2)], "ana")
			v.showList("pods", view.Query{Seq: 1, Limit: 100})
			return v
		}
		var here []*testPage
		for range 4 {
			here = append(here, visit())
		}
		for n := range operations {
			name := []string{"blue", "green"}[rng.IntN(2)]
			key := fmt.Sprintf("%s/x%d", []string{"a", "b"}[rng.IntN(2)], rng.IntN(12))
			namespace, podName, _ := strings.Cut(key, "/")
			switch op := rng.IntN(20); {
			case op == 0:
				i := rng.IntN(len(here))
				here[i].disconnect()
				here[i] = visit()
			case op == 1:
				here[rng.IntN(len(here))].openTab(podName, []string{"summary", "yaml", "events", "related", "changes", "logs"}[rng.IntN(6)])
			case op == 2:
				v := here[rng.IntN(len(here))]
				v.page.in <- port.Presence{Visible: rng.IntN(2) == 0, Online: true}
			case op < 6 && model[name][key] != "":
				delete(model[name], key)
				proxies[name].change(wire.Deleted, pod(namespace, podName, ""))
			default:
				kind := wire.Modified
				if model[name][key] == "" {
					kind = wire.Added
				}
				model[name][key] = fmt.Sprint(name, n)
				o := pod(namespace, podName, model[name][key])
				o.uid = name + "-" + podName
				proxies[name].change(kind, o)
			}
			if n%50 == 0 {
				here[0].wait(soon)
			}
		}
		for _, v := range here {
			v.page.in <- port.Presence{Visible: true, Online: true}
		}
		here[0].wait(2 * soon)
		for _, v := range here {
			want := slices.Sorted(maps.Keys(model[v.context]))
			if got := strings.Fields(v.page.keys()); !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", v.context, got, want)
			}
			v.page.mu.Lock()
			rows := v.page.window.Rows
			v.page.mu.Unlock()
			for _, r := range rows {
				if text := r.UID + " " + strings.Join(r.Cells, " "); !strings.HasPrefix(text, v.context) || strings.Contains(text, "blue") && v.context != "blue" || strings.Contains(text, "green") && v.context != "green" {
					t.Errorf("%s shows %s", v.context, text)
				}
			}
		}
	})
}

// TestHiddenFromStart checks that a page that was never on screen is told once which proxy
// answers, so that it notices if another answers later.
func TestHiddenFromStart(t *testing.T) {
	p := three()
	p.away, p.welcome.User = true, "ana"
	onPages(t, map[string]*proxy{"": p}, func(t *testing.T, c *pagesFixture) {
		v := c.connect("", "ana")
		v.page.in <- port.Presence{Online: true}
		v.page.in <- port.ListQuery{ID: listID, Resource: "pods", Query: view.Query{Seq: 1, Limit: 10}}
		v.wait(soon)
		p.mu.Lock()
		p.away = false
		p.mu.Unlock()
		v.wait(time.Minute)
		if s := v.now(); s.Proxy == nil || s.Proxy.User != "ana" || v.page.stateCount != 1 {
			t.Errorf("%+v, told %d times", s.Proxy, v.page.stateCount)
		}
	})
}

// TestMovedShowsNothing checks that a page is sent no rows of a user who replaced its own, and
// that a page that connects afterwards gets a new cluster.
func TestMovedShowsNothing(t *testing.T) {
	p := three()
	p.welcome.User = "ana"
	onPages(t, map[string]*proxy{"": p}, func(t *testing.T, c *pagesFixture) {
		v := c.connect("", "ana")
		v.showList("pods", view.Query{Seq: 1})
		v.openTab("web1", "yaml")
		p.setAway(true)
		p.mu.Lock()
		p.welcome.User = "bob"
		p.mu.Unlock()
		p.setAway(false)
		v.wait(10 * time.Second)
		v.docs("yaml")
		p.change(wire.Modified, pod("a", "web1", "Secret"))
		p.change(wire.Added, pod("a", "of-bob", "Running"))
		v.wait(time.Minute)
		if s := v.now(); s.Source.State != "connecting" || s.Proxy.User != "bob" {
			t.Errorf("%+v", s)
		}
		v.wantRows("connecting", "a/web1 a/web2 b/db1")
		if docs := v.docs("yaml"); len(docs) > 0 {
			t.Errorf("%s", docs)
		}
		c.proxies[""] = three()
		next := c.connect("", "ana")
		next.showList("pods", view.Query{Seq: 1})
		next.wantRows("live", "a/web1 a/web2 b/db1")
		if o := next.overview(); len(o.Clusters) != 2 {
			t.Errorf("%+v", o.Clusters)
		}
	})
}
