package hub

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"watchglass/internal/hub/find"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// TestFind finds objects of every list that is held, with their state, and on request those of kinds
// that are not. What may not be read is named.
func TestFind(t *testing.T) {
	p := three()
	p.extraKinds = []string{"widgets", "racks"}
	p.deny = forbids(func(r wire.Request) bool { return r.Resource == "racks" })
	p.change(wire.Added, testObject{resource: "widgets", namespace: "a", name: "web-widget"})
	onHub(t, p, func(_ *testing.T, b *fixture) {
		b.showList("pods", view.Query{Seq: 1})
		b.wantRows("live", "a/web1 a/web2 b/db1")
		if got, want := b.ask("find", `["web"]`), `{"objects":[{"resource":"pods","kind":"Pod","namespace":"a","name":"web1","state":"Running","tone":"ok"},{"resource":"pods","kind":"Pod","namespace":"a","name":"web2","state":"Pending","tone":"pending"}],"kinds":1}`; got != want {
			b.t.Errorf("%s\nwant %s", got, want)
		}
		if got, want := b.ask("find", `["nothing"]`), `{"objects":[],"kinds":1}`; got != want {
			b.t.Errorf("%s, want %s", got, want)
		}
		all := b.findAll("web")
		if got := names(all); got != "pods web1, pods web2, widgets.example.com web-widget" || all.Kinds != 2 {
			t.Errorf("%d kinds: %s", all.Kinds, got)
		}
		if len(all.Missing) != 1 || all.Missing[0].Resource != "racks.example.com" || all.Missing[0].Cause == "" {
			t.Errorf("%+v", all.Missing)
		}
	})
}

// TestFindFleeting checks that events, which are named like their objects, are found only by the page that
// lists them: not by one that lists pods, and not while only the overview reads them.
func TestFindFleeting(t *testing.T) {
	p := three()
	p.extraKinds = []string{"leases.coordination.k8s.io"}
	for i := range find.Most {
		p.change(wire.Added, testObject{resource: "events", namespace: "a", name: fmt.Sprint("web.", i)})
	}
	p.change(wire.Added, testObject{resource: "leases", namespace: "a", name: "web"})
	onPages(t, map[string]*proxy{"": p}, func(t *testing.T, c *pagesFixture) {
		pods, events := c.connect("", "ana"), c.connect("", "ana")
		pods.showList("pods", view.Query{Seq: 1})
		pods.page.in <- port.OpenOverview{ID: 7}
		events.showList("events", view.Query{Seq: 1})
		if n := events.page.window.Total; n != find.Most {
			t.Fatalf("%d events are listed", n)
		}
		for _, all := range []find.Answer{pods.find("web"), pods.findAll("web")} {
			if got := names(all); got != "pods web1, pods web2" {
				t.Errorf("beside pods: %s", got)
			}
		}
		if all := events.find("web."); !strings.HasPrefix(names(all), "events web.0, events web.1") || all.Total != 0 {
			t.Errorf("beside events: %s, %d", names(all), all.Total)
		}
		p.change(wire.Added, testObject{resource: "events", namespace: "a", name: "web.more"})
		events.wait(soon)
		if all := events.find("web."); len(all.Objects) != find.Most || all.Total != find.Most+1 {
			t.Errorf("%d of %d", len(all.Objects), all.Total)
		}
		events.showList("pods", view.Query{Seq: 2})
		if got := names(events.find("web")); got != "pods web1, pods web2" {
			t.Errorf("after events: %s", got)
		}
	})
}

// names returns the kinds and names of what was found.
func names(f find.Answer) string {
	var all []string
	for _, o := range f.Objects {
		all = append(all, o.Resource+" "+o.Name)
	}
	return strings.Join(all, ", ")
}

// find searches the lists that are held.
func (b *fixture) find(text string) find.Answer { return b.search("find", text) }

// findAll searches all kinds.
func (b *fixture) findAll(text string) find.Answer { return b.search("findAll", text) }

func (b *fixture) search(method, text string) (all find.Answer) {
	b.t.Helper()
	if err := json.Unmarshal([]byte(b.ask(method, `["`+text+`"]`)), &all); err != nil {
		b.t.Fatal(err)
	}
	return all
}

// TestFindHeldInPart checks that a search of all kinds reads a kind of which only one namespace's list
// is held, such as by the Related tab, and reads none again that is held wholly.
func TestFindHeldInPart(t *testing.T) {
	for name, c := range map[string]struct {
		narrow      bool
		deny        bool // the list of the whole cluster
		resource    string
		namespace   string // of the held list
		names, read string
		missing     int
	}{
		"one namespace":         {resource: "widgets", namespace: "a", names: "w1 w2", read: "list widgets metadata"},
		"all namespaces":        {resource: "widgets", names: "w1 w2"},
		"no namespaces":         {resource: "racks", names: "w3"},
		"all that is shown":     {narrow: true, resource: "widgets", namespace: "a", names: "w1"},
		"the rest denied":       {deny: true, resource: "widgets", namespace: "a", names: "w1", read: "list widgets metadata", missing: 1},
		"narrow, no namespaces": {narrow: true, resource: "racks", names: "w3"},
	} {
		t.Run(name, func(t *testing.T) {
			p := three()
			p.extraKinds = []string{c.resource}
			if c.narrow {
				p.welcome.Namespace, p.welcome.Narrow = "a", true
			}
			p.deny = forbids(func(r wire.Request) bool { return c.deny && r.Resource == c.resource && r.Namespace == "" })
			p.change(wire.Added, testObject{resource: "widgets", namespace: "a", name: "w1"})
			p.change(wire.Added, testObject{resource: "widgets", namespace: "b", name: "w2"})
			p.change(wire.Added, testObject{resource: "racks", name: "w3"})
			onPods(t, p, func(t *testing.T, b *fixture) {
				b.page.in <- port.WatchKinds{}
				b.wait(soon)
				b.postAndWait(func() {
					kind, _ := b.cluster().Kinds.Find(c.resource)
					b.cluster().Lease(kind, c.namespace, nil)
				})
				if got := b.ask("find", `["nothing"]`); got != `{"objects":[],"kinds":2}` {
					t.Errorf("of what is held: %s", got)
				}
				b.proxy.takeRequests()
				all := b.findAll(c.resource + " w")
				var names []string
				for _, o := range all.Objects {
					names = append(names, o.Name)
				}
				if got := strings.Join(names, " "); got != c.names || all.Kinds != 2 || len(all.Missing) != c.missing {
					t.Errorf("found %q, want %q; %+v", got, c.names, all)
				}
				b.wantAsked(c.read)
			})
		})
	}
}

// TestFindUnread finds an object that the list that is held lacks because it can't be read: its metadata can.
func TestFindUnread(t *testing.T) {
	p := three()
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("pods", view.Query{Seq: 1})
		b.wantRows("live", "a/web1 a/web2 b/db1")
		p.change(wire.Added, garbled("a", "web9"))
		b.wait(soon)
		all := b.findAll("web9")
		if names(all) != "pods web9" || len(all.Missing) != 0 {
			t.Errorf("%+v", all)
		}
	})
}

// TestFindStale checks that a list that is not live does not count as searched.
func TestFindStale(t *testing.T) {
	p := three()
	var away atomic.Bool
	p.deny = func(r wire.Request) *wire.Status {
		if away.Load() && r.Resource == "pods" {
			return &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable, Message: "connection refused"}
		}
		return nil
	}
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("pods", view.Query{Seq: 1})
		b.wantRows("live", "a/web1 a/web2 b/db1")
		away.Store(true)
		p.endWatches()
		b.wait(time.Minute)
		if all := b.findAll("web"); len(all.Objects) != 2 || !slices.ContainsFunc(all.Missing, func(k find.Missing) bool { return k.Resource == "pods" }) {
			t.Errorf("%+v", all)
		}
	})
}

// TestFindPart names a kind of which only a part was searched, by a server that sends all at once, too.
func TestFindPart(t *testing.T) {
	p := three()
	p.extraKinds = []string{"widgets"}
	for i := range find.Each + 1 {
		p.change(wire.Added, testObject{resource: "widgets", namespace: "a", name: fmt.Sprint("w", i)})
	}
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("pods", view.Query{Seq: 1})
		if all := b.findAll("needle"); len(all.Missing) != 1 || all.Missing[0].Resource != "widgets.example.com" {
			t.Errorf("%+v", all)
		}
	})
}

// TestFindRevoked names a kind whose right was lost while a list of it was open.
func TestFindRevoked(t *testing.T) {
	p := newRevocable(three(), func(r wire.Request) bool { return r.Resource == "pods" })
	onHub(t, p.proxy, func(t *testing.T, b *fixture) {
		b.showList("pods", view.Query{Seq: 1})
		b.wantRows("live", "a/web1 a/web2 b/db1")
		p.turn(true)
		b.wait(3 * time.Minute)
		if all := b.findAll("web"); len(all.Objects) != 0 || !slices.ContainsFunc(all.Missing, func(k find.Missing) bool { return k.Resource == "pods" }) {
			t.Errorf("%+v", all)
		}
	})
}

// TestFindPaced waits as the proxy asks it to, so that every kind is searched.
func TestFindPaced(t *testing.T) {
	p := three()
	for i := range 40 {
		p.extraKinds = append(p.extraKinds, fmt.Sprintf("kind%d.group%d.example", i, i))
	}
	var lists atomic.Int64
	p.deny = func(r wire.Request) *wire.Status {
		if r.Verb == wire.List && r.Resource != "pods" && lists.Add(1)%3 == 0 {
			return &wire.Status{Origin: wire.FromProxy, Code: 429, Reason: wire.ReasonTooManyRequests, RetryAfter: 1}
		}
		return nil
	}
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("pods", view.Query{Seq: 1})
		if all := b.findAll("web"); all.Kinds < 40 || len(all.Missing) > 0 {
			t.Errorf("%d kinds, missing %v", all.Kinds, all.Missing)
		}
	})
}
