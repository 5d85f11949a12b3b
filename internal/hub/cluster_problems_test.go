package hub

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"watchglass/internal/hub/source"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/problem"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// overviews returns the overviews that the page was sent, and forgets them.
func (b *fixture) overviews() []port.Overview {
	b.t.Helper()
	return decodedDocs[port.Overview](b, port.OverviewPart)
}

// TestProblems follows the list of problems: it is live only once the lists that it rests on are, rows
// come and go with what is wrong, and sources end with the last page that shows them.
func TestProblems(t *testing.T) {
	p := three()
	p.holdLists = true
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.OpenOverview{ID: 7}
		b.showList("problems", view.Query{Seq: 1})
		b.wait(soon)
		b.wantRows("syncing", "")
		all := b.overviews()
		if len(all) == 0 || all[len(all)-1].Clear || len(all[len(all)-1].Sources) == 0 {
			t.Errorf("while lists are coming: %+v", all)
		}
		p.finish()
		b.wait(soon)
		b.wantRows("live", "")
		if all = b.overviews(); len(all) == 0 || !all[len(all)-1].Clear {
			t.Errorf("when nothing is wrong: %+v", all)
		}
		p.change(wire.Modified, pod("a", "web2", "Failed"))
		b.wait(soon)
		b.wantRows("live", "a/pods:web2:Error")
		if all = b.overviews(); len(all) == 0 || all[len(all)-1].Clear || all[len(all)-1].Errors+all[len(all)-1].Warnings != 1 {
			t.Errorf("with one problem: %+v", all)
		}
		p.change(wire.Deleted, pod("a", "web2", "Failed"))
		b.wait(soon)
		b.wantRows("live", "")
		b.page.in <- port.Close{ID: listID}
		b.wait(2 * linger)
		if open := b.inspected(); len(open) < 5 {
			t.Errorf("the overview holds %+v", open)
		}
		b.page.in <- port.Close{ID: 7}
		b.wait(3 * linger)
		if open := b.inspected(); len(open) > 0 {
			t.Errorf("nobody reads %+v", open)
		}
	})
}

// TestProblemsDenied names what may not be listed, and never says that all is well. A user who may not
// list the whole cluster sees the problems of the namespaces that the page names.
func TestProblemsDenied(t *testing.T) {
	p := three()
	p.change(wire.Modified, pod("a", "web2", "Failed"))
	p.change(wire.Modified, pod("b", "db1", "Failed"))
	var granted atomic.Bool
	p.deny = forbids(func(r wire.Request) bool { return !granted.Load() && r.Namespace != "a" && r.Verb != wire.Discover })
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.Remembered{Namespaces: []string{}}
		b.page.in <- port.OpenOverview{ID: 7}
		b.showList("problems", view.Query{Seq: 1})
		b.wait(soon)
		if got := b.now().Source; got.State != port.Denied || got.Cause == nil || got.Cause.Code != 403 {
			t.Errorf("%+v", got)
		}
		b.page.in <- port.Remembered{Namespaces: []string{"a"}}
		b.wait(5 * soon)
		b.wantRows("live", "a/pods:web2:Error")
		all := b.overviews()
		last := all[len(all)-1]
		if last.Clear || len(last.Sources) == 0 || last.Sources[0].Resource != "nodes" || last.Sources[0].Cause == "" {
			t.Errorf("%+v", last)
		}
		for _, s := range last.Sources { // no namespace has any of these
			if kind, _ := object.Builtin(s.Resource); kind.Namespaced || s.State != port.Denied {
				t.Errorf("%+v", s)
			}
		}
		for _, total := range last.Totals {
			if want := map[string]string{"nodes": port.Denied}[total.Name]; want != "" && total.State != want || want == "" && total.State != port.Live {
				t.Errorf("%+v", total)
			}
		}
		b.page.in <- port.Remembered{Namespaces: []string{"b"}}
		b.wait(5 * soon)
		b.wantRows("denied", "")
		granted.Store(true)
		b.wait(linger)
		b.wantRows("live", "a/pods:web2:Error b/pods:db1:Error")
		if all = b.overviews(); len(all[len(all)-1].Sources) > 0 {
			t.Errorf("%+v", all[len(all)-1])
		}
	})
}

// TestRolloutsDenied names the list without which rollouts of StatefulSets and DaemonSets are missing.
func TestRolloutsDenied(t *testing.T) {
	p := three()
	p.deny = forbids(func(r wire.Request) bool { return r.Resource == "controllerrevisions" })
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.OpenOverview{ID: 7}
		b.showList("problems", view.Query{Seq: 1})
		b.wait(5 * soon)
		all := b.overviews()
		last := all[len(all)-1]
		if len(last.Sources) != 1 || last.Sources[0].Resource != "controllerrevisions.apps" || last.Sources[0].State != port.Denied || last.Clear {
			t.Errorf("%+v", last)
		}
	})
}

// TestBare checks that no bodies are kept of what is read in columns alone, and of all else.
func TestBare(t *testing.T) {
	revisions, _ := object.Builtin("controllerrevisions.apps")
	metrics := object.Kind{Group: "metrics.k8s.io", Resource: "pods"}
	for _, c := range []struct {
		kind  object.Kind
		paths []string
		want  bool
	}{
		{revisions, problem.Paths("controllerrevisions.apps"), true},
		{revisions, nil, false},
		{revisions, problem.Paths("controllerrevisions.apps")[:1], false},
		{revisions, append(problem.Paths("controllerrevisions.apps"), "{.data}"), false},
		{metrics, []string{"{.timestamp}"}, true},
		{metrics, nil, false},
		{object.Kind{Resource: "pods"}, []string{"{.timestamp}"}, false},
	} {
		extras, _ := source.Added(c.paths)
		if got := isBare(&c.kind, extras); got != c.want {
			t.Errorf("%s with %v: %v", c.kind.ID(), c.paths, got)
		}
	}
}

// TestProblemsCustom reads the kinds that the page names besides those of the rules, for as long as it
// names them. Their columns need not show what is wrong.
func TestProblemsCustom(t *testing.T) {
	p := three()
	p.extraKinds = []string{"widgets"}
	widget := func(name, status string) testObject {
		return testObject{resource: "widgets", namespace: "a", name: name, body: `"status":{"conditions":[{"type":"Ready","status":"` + status + `"}]},`}
	}
	p.change(wire.Added, widget("w1", "False"))
	p.change(wire.Added, widget("w2", "True"))
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.WatchKinds{}
		b.page.in <- port.OpenOverview{ID: 7, Kinds: []string{"widgets.example.com", "pods", "problems", "nothing.example.com"}}
		b.showList("problems", view.Query{Seq: 1})
		b.wait(2 * time.Minute) // a controller may take a minute
		b.wantRows("live", "a/widgets.example.com:w1:NotReady")
		p.change(wire.Modified, widget("w1", "True"))
		p.change(wire.Modified, widget("w2", "False"))
		b.wait(2 * time.Minute)
		b.wantRows("live", "a/widgets.example.com:w2:NotReady")
		b.page.in <- port.OpenOverview{ID: 7}
		b.wait(soon)
		b.wantRows("live", "")
	})
}

// TestProblemsCustomColumns reads a column that says that an object is not ready.
func TestProblemsCustomColumns(t *testing.T) {
	p := three()
	p.extraKinds, p.columns = []string{"widgets"}, `{"name":"Ready","type":"string"}`
	p.change(wire.Added, testObject{resource: "widgets", namespace: "a", name: "w1", status: "False"})
	p.change(wire.Added, testObject{resource: "widgets", namespace: "a", name: "w2", status: "True"})
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.WatchKinds{}
		b.page.in <- port.OpenOverview{ID: 7, Kinds: []string{"widgets.example.com"}}
		b.showList("problems", view.Query{Seq: 1})
		b.wait(2 * time.Minute)
		b.wantRows("live", "a/widgets.example.com:w1:NotReady")
	})
}

// revocable is a proxy that refuses what may not be listed, once that is set.
type revocable struct {
	*proxy
	set atomic.Bool
}

func newRevocable(p *proxy, refused func(wire.Request) bool) *revocable {
	r := &revocable{proxy: p}
	p.deny = forbids(func(q wire.Request) bool {
		return r.set.Load() && q.Verb != wire.Discover && q.Verb != wire.Review && refused(q)
	})
	return r
}

// turn changes the rights, and ends all watches, as the relay does when a right is not confirmed.
func (r *revocable) turn(set bool) {
	r.set.Store(set)
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, s := range r.open {
		if s.Verb == wire.Watch {
			delete(r.open, id)
			r.write(wire.JSONFrame(wire.KindEnd, id, wire.End{}))
		}
	}
}

// TestProblemsLeft leaves a namespace that is read because the whole cluster may no longer be: its rows go.
func TestProblemsLeft(t *testing.T) {
	p := newRevocable(three(), func(r wire.Request) bool { return r.Namespace != "b" })
	p.change(wire.Modified, pod("b", "db1", "Failed"))
	onHub(t, p.proxy, func(t *testing.T, b *fixture) {
		b.page.in <- port.OpenOverview{ID: 7}
		b.showList("problems", view.Query{Seq: 1})
		b.page.in <- port.Remembered{Namespaces: []string{"b"}}
		b.wait(5 * soon)
		b.wantRows("live", "b/pods:db1:Error")
		p.turn(true)
		b.wait(time.Minute)
		b.wantRows("live", "b/pods:db1:Error")
		b.page.in <- port.Remembered{Namespaces: []string{"c"}}
		b.wait(time.Minute)
		b.wantRows("denied", "")
	})
}

// TestProblemsGranted grants the cluster to a user who saw one namespace: its pods are not counted twice.
func TestProblemsGranted(t *testing.T) {
	p := newRevocable(three(), func(r wire.Request) bool { return r.Namespace != "a" })
	p.set.Store(true)
	onHub(t, p.proxy, func(t *testing.T, b *fixture) {
		b.page.in <- port.OpenOverview{ID: 7}
		b.showList("problems", view.Query{Seq: 1})
		b.page.in <- port.Remembered{Namespaces: []string{"a"}}
		b.wait(5 * soon)
		b.wantPods(2)
		p.set.Store(false)
		b.wait(3 * time.Minute)
		b.wantPods(3)
		p.change(wire.Deleted, pod("a", "web2", "Running"))
		b.wait(soon)
		b.wantPods(2)
	})
}

// wantPods checks how many pods there are in the last overview.
func (b *fixture) wantPods(of int) {
	b.t.Helper()
	all := b.overviews()
	if len(all) == 0 {
		b.t.Fatal("no overview")
	}
	for _, total := range all[len(all)-1].Totals {
		if total.Name == "pods" && total.Of != of {
			b.t.Errorf("%d pods, want %d", total.Of, of)
		}
	}
}

// TestProblemsBlind loses the right to EndpointSlices: that Services have no endpoints is not claimed.
func TestProblemsBlind(t *testing.T) {
	p := newRevocable(three(), func(r wire.Request) bool { return r.Resource == "endpointslices" })
	p.extraKinds = []string{"endpointslices.discovery.k8s.io"}
	p.change(wire.Added, testObject{resource: "services", namespace: "a", name: "web", selector: "web"})
	p.change(wire.Added, testObject{resource: "endpointslices", namespace: "a", name: "web-1", labels: map[string]string{"kubernetes.io/service-name": "web"}, ready: []bool{true}})
	onHub(t, p.proxy, func(t *testing.T, b *fixture) {
		b.page.in <- port.OpenOverview{ID: 7}
		b.showList("problems", view.Query{Seq: 1})
		b.wait(3 * time.Minute)
		b.wantRows("live", "")
		b.page.mu.Lock()
		b.page.totals = nil
		b.page.mu.Unlock()
		p.turn(true)
		b.wait(5 * time.Minute)
		if seen := slices.Max(append(b.page.totals, 0)); seen > 0 {
			t.Errorf("%d problems were claimed", seen)
		}
		p.turn(false)
		p.change(wire.Deleted, testObject{resource: "endpointslices", namespace: "a", name: "web-1"})
		b.wait(5 * time.Minute)
		b.wantRows("live", "a/services:web:NoEndpoints")
	})
}
