package hub

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/loop"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// overviews returns the overviews that the page was sent, and forgets them.
func (b *fixture) overviews() []port.Overview {
	b.t.Helper()
	return decodedDocs[port.Overview](b, port.OverviewPart)
}

// testProblems follows the list of problems: it is live only once the lists that it rests on are, rows
// come and go with what is wrong, and sources end with the last page that shows them.
func testProblems(t *testing.T) {
	p := three()
	p.holdLists = true
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.OpenOverview{ID: 7}
		b.showList("problems", view.Query{Seq: 1})
		b.wait(soon)
		b.wantRows("syncing", "")
		all := b.overviews()
		if len(all) == 0 || all[len(all)-1].Clear || len(all[len(all)-1].Gaps) == 0 {
			t.Errorf("while lists are coming: %+v", all)
		}
		for _, o := range all { // from the first on
			for _, total := range o.Totals {
				if total.Gap.State == port.Live || len(o.Gaps) < 5 {
					t.Errorf("while lists are coming: %+v", o)
				}
			}
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
		b.wait(2 * cluster.Linger)
		if open := b.inspected(); len(open) < 5 {
			t.Errorf("the overview holds %+v", open)
		}
		b.page.in <- port.Close{ID: 7}
		b.wait(3 * cluster.Linger)
		if open := b.inspected(); len(open) > 0 {
			t.Errorf("nobody reads %+v", open)
		}
	})
}

// TestProblemsUnlisted checks that the overview has the pods that are counted as not ready and that no row is about.
func TestProblemsUnlisted(t *testing.T) {
	p := three()
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.OpenOverview{ID: 7}
		b.wait(soon)
		all := b.overviews()
		if last := all[len(all)-1].Unlisted; last.Pods != 0 || !last.Since.IsZero() {
			t.Errorf("all is well: %+v", last)
		}
		starts := pod("a", "web2", "Pending")
		starts.containers = []string{"main"}
		p.change(wire.Modified, starts)
		b.wait(soon)
		all = b.overviews()
		if len(all) == 0 {
			t.Fatal("nothing is said of a pod that may still start")
		}
		last := all[len(all)-1]
		if u := last.Unlisted; u.Pods != 1 || !slices.Equal(u.Names, []string{"a/web2"}) || u.Since.IsZero() || last.Errors+last.Warnings != 0 {
			t.Errorf("a pod that may still start: %+v", last)
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
		b.page.in <- port.SavedNamespaces{Namespaces: []string{}}
		b.page.in <- port.OpenOverview{ID: 7}
		b.showList("problems", view.Query{Seq: 1})
		b.wait(soon)
		if got := b.now().Source; got.State != port.Denied || got.Cause == nil || got.Cause.Code != 403 {
			t.Errorf("%+v", got)
		}
		b.page.in <- port.SavedNamespaces{Namespaces: []string{"a"}}
		b.wait(5 * soon)
		b.wantRows("live", "a/pods:web2:Error")
		all := b.overviews()
		last := all[len(all)-1]
		if last.Clear || len(last.Gaps) == 0 || last.Gaps[0].Resource != "nodes" || last.Gaps[0].Cause == "" {
			t.Errorf("%+v", last)
		}
		for _, s := range last.Gaps { // no namespace has nodes, and only one was read
			kind, _ := object.Builtin(s.Resource)
			if want := map[bool]string{true: view.Partial + " a", false: port.Denied + " "}[kind.Namespaced]; s.State+" "+s.Only != want || s.Cause == "" {
				t.Errorf("%+v, want %s", s, want)
			}
		}
		for _, total := range last.Totals {
			if want := map[string]string{"nodes": port.Denied}[total.Name]; want != "" && total.Gap.State != want || want == "" && total.Gap.Only != "a" {
				t.Errorf("%+v", total.Gap)
			}
		}
		if got := b.now().Source.Namespace; got != "a" {
			t.Errorf("limited to %q", got)
		}
		b.page.in <- port.SavedNamespaces{Namespaces: []string{"b"}}
		b.wait(5 * soon)
		b.wantRows("denied", "")
		granted.Store(true)
		b.wait(cluster.Linger)
		b.wantRows("live", "a/pods:web2:Error b/pods:db1:Error")
		if all = b.overviews(); len(all[len(all)-1].Gaps) > 0 {
			t.Errorf("%+v", all[len(all)-1])
		}
	})
}

// TestProblemsNarrowing checks that a user who may list one namespace is at no moment told that pods may not be listed:
// until that namespace is read, it is not known.
func TestProblemsNarrowing(t *testing.T) {
	for name, begin := range map[string]func(b *fixture){
		"remembered": func(b *fixture) { b.page.in <- port.SavedNamespaces{Namespaces: []string{"a"}} },
		"addressed":  func(b *fixture) { b.showList("problems", view.Query{Seq: 1, Namespaces: []string{"a"}}) },
		"left": func(b *fixture) {
			b.page.in <- port.SavedNamespaces{Namespaces: []string{"a", "b"}}
			b.wait(5 * soon)
			b.page.in <- port.SavedNamespaces{Namespaces: []string{"a"}}
		},
		"moved": func(b *fixture) {
			b.page.in <- port.SavedNamespaces{Namespaces: []string{"b"}}
			b.wait(5 * soon)
			b.overviews()
			b.page.in <- port.SavedNamespaces{Namespaces: []string{"a"}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := three()
			p.deny = forbids(func(r wire.Request) bool { return r.Namespace != "a" && r.Verb != wire.Discover })
			onHub(t, p, func(t *testing.T, b *fixture) {
				begin(b)
				b.page.in <- port.OpenOverview{ID: 7}
				b.wait(5 * soon)
				all := b.overviews()
				for i, o := range all {
					for _, g := range o.Gaps {
						if g.Resource == "pods" && g.State == port.Denied {
							t.Errorf("overview %d: %+v", i, g)
						}
					}
				}
				if n := len(all); n == 0 || !slices.ContainsFunc(all[n-1].Gaps, func(g port.Gap) bool { return g.Resource == "pods" && g.Only == "a" }) {
					t.Errorf("the last of %d says nothing of the namespace", n)
				}
			})
		})
	}
}

// TestProblemsNeverClear checks that all is never called well where only some namespaces were read, and
// that a namespace in the address is read besides the user's own.
func TestProblemsNeverClear(t *testing.T) {
	p := three()
	p.welcome.Namespace = "a"
	p.change(wire.Modified, pod("b", "db1", "Failed"))
	p.deny = forbids(func(r wire.Request) bool { return r.Namespace == "" && r.Resource == "pods" })
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.OpenOverview{ID: 7}
		b.showList("problems", view.Query{Seq: 1})
		b.wait(soon)
		b.wantRows("live", "")
		for _, o := range b.overviews() {
			if o.Clear || len(o.Gaps) == 0 {
				t.Errorf("%+v", o)
			}
		}
		if b.showList("problems", view.Query{Seq: 2, Namespaces: []string{"b"}}); len(b.page.rights) == 0 {
			t.Error("nobody asked what else may be read")
		}
		b.wait(soon)
		b.wantRows("live", "b/pods:db1:Error")
		all := b.overviews()
		if gaps := all[len(all)-1].Gaps; len(gaps) != 1 || gaps[0].State != view.Partial || gaps[0].Only != "a,b" {
			t.Errorf("%+v", gaps)
		}
		b.page.in <- port.Close{ID: listID}
		b.wait(2 * soon)
		all = b.overviews()
		if gaps := all[len(all)-1].Gaps; len(gaps) != 1 || gaps[0].Only != "a" {
			t.Errorf("%+v", gaps)
		}
	})
}

// TestProblemsPartlyDenied names the namespaces that were read, and not those that were refused, to a user who
// may list one namespace that the address names, and not the one that the kubeconfig names.
func TestProblemsPartlyDenied(t *testing.T) {
	p := three()
	p.welcome.Namespace = "b"
	p.change(wire.Modified, pod("a", "web2", "Failed"))
	p.deny = forbids(func(r wire.Request) bool { return r.Namespace != "a" && r.Verb != wire.Discover })
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.OpenOverview{ID: 7}
		b.showList("problems", view.Query{Seq: 1})
		b.wait(5 * soon)
		b.wantRows("denied", "")
		b.showList("problems", view.Query{Seq: 2, Namespaces: []string{"a"}})
		b.wait(5 * soon)
		b.wantRows("live", "a/pods:web2:Error")
		all := b.overviews()
		for _, g := range all[len(all)-1].Gaps {
			kind, _ := object.Builtin(g.Resource)
			if want := map[bool]string{true: view.Partial + " a", false: port.Denied + " "}[kind.Namespaced]; g.State+" "+g.Only != want {
				t.Errorf("%+v, want %s", g, want)
			}
		}
		for _, total := range all[len(all)-1].Totals {
			if total.Name == "pods" && (total.Gap.State != view.Partial || total.Gap.Only != "a") {
				t.Errorf("%+v", total.Gap)
			}
		}
	})
}

// TestProblemsThrottled keeps the rows of a namespace while requests are throttled: that says nothing of what
// the user may list. What nothing is known of is throttled, and not denied.
func TestProblemsThrottled(t *testing.T) {
	p := three()
	p.welcome.Namespace = "a"
	p.change(wire.Modified, pod("a", "web2", "Failed"))
	var of, wide atomic.Pointer[wire.Status] // answers to requests of namespaces, and of the whole cluster
	of.Store(throttled)
	wide.Store(forbidden)
	p.deny = func(r wire.Request) *wire.Status {
		if r.Verb == wire.Discover {
			return nil
		}
		return map[bool]*atomic.Pointer[wire.Status]{true: &wide, false: &of}[r.Namespace == ""].Load()
	}
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.OpenOverview{ID: 7}
		b.showList("problems", view.Query{Seq: 1})
		b.wait(5 * soon)
		b.wantRows("throttled", "")
		wantGaps := func(namespaced, others string) {
			t.Helper()
			all := b.overviews()
			for _, g := range all[len(all)-1].Gaps {
				kind, _ := object.Builtin(g.Resource)
				if want := map[bool]string{true: namespaced, false: others}[kind.Namespaced]; g.State != want {
					t.Errorf("%+v, want %s", g, want)
				}
			}
		}
		wantGaps(port.Throttled, port.Denied)
		of.Store(nil)
		b.wait(5 * soon)
		b.wantRows("live", "a/pods:web2:Error")
		wantGaps(view.Partial, port.Denied)
		for _, says := range []*wire.Status{throttled, broken} {
			wide.Store(says)
			for range 30 {
				b.wait(soon)
				b.wantRows("live", "a/pods:web2:Error")
			}
			wide.Store(forbidden)
			b.wait(30 * soon)
			wantGaps(view.Partial, port.Denied)
		}
		of.Store(throttled) // with rows
		p.endWatches()
		b.wait(2 * soon)
		wantGaps(port.Throttled, port.Denied)
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
		if len(last.Gaps) != 1 || last.Gaps[0].Resource != "controllerrevisions.apps" || last.Gaps[0].State != port.Denied || last.Clear {
			t.Errorf("%+v", last)
		}
	})
}

// TestTotalsStale checks that totals keep their last counts while nobody is heard from, and since when.
func TestTotalsStale(t *testing.T) {
	p := three()
	p.change(wire.Modified, pod("a", "web2", "Failed"))
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.OpenOverview{ID: 7}
		b.showList("problems", view.Query{Seq: 1})
		b.wait(5 * soon)
		b.overviews()
		p.mu.Lock()
		p.noBeats = true
		p.mu.Unlock()
		silent := time.Now()
		b.wait(wire.StaleAfter + loop.Tick)
		all := b.overviews()
		for _, total := range all[len(all)-1].Totals {
			if off := total.At.Sub(silent); total.Gap.State != port.Stale || total.At.IsZero() || off > time.Second || off < -wire.BeatEvery-time.Second {
				t.Errorf("%s: %s, at %s", total.Name, total.Gap.State, off)
			}
		}
		if pods := all[len(all)-1].Totals[1]; pods.Of != 3 {
			t.Errorf("%+v", pods)
		}
	})
}

// TestProblemsAdded checks that columns of labels and paths, which a problem does not have, leave the
// list as it is.
func TestProblemsAdded(t *testing.T) {
	p := three()
	p.change(wire.Modified, pod("a", "web2", "Failed"))
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.OpenOverview{ID: 7}
		b.showList("problems", view.Query{Seq: 1})
		b.wait(soon)
		for i, columns := range [][]string{{"*", "{.spec.nodeName}"}, {"Name", "Severity", "label.app", "{.spec.nodeName}"}} {
			b.showList("problems", view.Query{Seq: uint32(2 + i), Columns: columns, Sort: "Severity"})
			b.wait(soon)
			b.wantRows("live", "a/pods:web2:Error")
			if w := b.page.window; len(w.Problems) > 0 || strings.Contains(b.names(), "label.app") || strings.Contains(b.names(), "{") {
				t.Errorf("%v: %q %+v", columns, b.names(), w.Problems)
			}
		}
	})
	onHub(t, p, func(t *testing.T, b *fixture) { // as it was saved
		b.showList("problems", view.Query{Seq: 1, Columns: []string{"*", "{.spec.nodeName}"}})
		b.wait(soon)
		b.wantRows("live", "a/pods:web2:Error")
	})
}

// TestWorkloadsTotal checks that the problems of workloads have no number while the pods that they are
// found by are not read, and never one that is only a part.
func TestWorkloadsTotal(t *testing.T) {
	p := three()
	for i := range 3000 {
		o := pod("a", fmt.Sprint("x", i), "Failed")
		o.controller = fmt.Sprint("DaemonSet.apps d", i)
		p.change(wire.Added, o)
	}
	var granted atomic.Bool
	p.deny = forbids(func(r wire.Request) bool { return !granted.Load() && r.Resource == "pods" })
	onHub(t, p, func(t *testing.T, b *fixture) {
		workloads := func() (all []port.Total) {
			for _, o := range b.overviews() {
				all = append(all, o.Totals[2])
			}
			return all
		}
		b.page.in <- port.OpenOverview{ID: 7}
		b.showList("problems", view.Query{Seq: 1})
		b.wait(soon)
		all := workloads()
		if last := all[len(all)-1].Gap; last.State != port.Denied || last.Resource != "pods" {
			t.Errorf("without the pods: %+v", last)
		}
		granted.Store(true)
		b.wait(5 * time.Minute)
		all = workloads()
		for _, total := range all {
			if want := all[len(all)-1].Bad; total.Gap.State == port.Live && total.Bad != want || want < 100 {
				t.Errorf("%d of %d: %+v", total.Bad, want, total.Gap)
			}
		}
	})
}

// TestProblemsFailing checks that the rows stay while a list that they rest on cannot be read, and that
// it is named.
func TestProblemsFailing(t *testing.T) {
	p := three()
	p.change(wire.Modified, pod("a", "web2", "Failed"))
	p.deny = func(r wire.Request) *wire.Status {
		if r.Resource == "poddisruptionbudgets" {
			return &wire.Status{Origin: wire.FromAPIServer, Code: 500, Reason: "InternalError", Message: "conversion webhook failed"}
		}
		return nil
	}
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.OpenOverview{ID: 7}
		b.showList("problems", view.Query{Seq: 1})
		b.wait(30 * time.Second)
		b.wantRows("live", "a/pods:web2:Error")
		all := b.overviews()
		gaps := all[len(all)-1].Gaps
		if want := (port.Gap{Resource: "poddisruptionbudgets.policy", State: port.Connecting, Cause: "conversion webhook failed"}); len(gaps) != 1 || gaps[0] != want {
			t.Errorf("%+v", gaps)
		}
		if s := b.now().Source; !s.Synced || s.Cause != nil {
			t.Errorf("%+v", s)
		}
	})
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
		unchecked := func(want int) {
			t.Helper()
			if all := b.overviews(); all[len(all)-1].Unchecked != want || slices.Contains(all[len(all)-1].UncheckedKinds, "widgets.example.com") != (want > 0) {
				t.Errorf("%d kinds are not checked, want %d", all[len(all)-1].Unchecked, want)
			}
		}
		unchecked(0)
		b.page.in <- port.OpenOverview{ID: 7}
		b.wait(soon)
		b.wantRows("live", "")
		unchecked(1)
	})
}

// TestProblemsOwn checks that what the tab makes itself is not read to find problems, whoever names it: a page that
// shows the timeline and one that shows the overview do not disturb each other, whichever is first.
func TestProblemsOwn(t *testing.T) {
	for name, timelineFirst := range map[string]bool{"the overview is first": false, "the timeline is": true} {
		t.Run(name, func(t *testing.T) {
			onPages(t, map[string]*proxy{"": three()}, func(t *testing.T, c *pagesFixture) {
				overview, timeline := c.connect("", "ana"), c.connect("", "ana")
				if timelineFirst {
					timeline.showList(port.Timeline, view.Query{Seq: 1})
				}
				overview.page.in <- port.OpenOverview{ID: 7, Kinds: []string{port.Timeline, port.Problems}}
				overview.showList(port.Problems, view.Query{Seq: 1})
				timeline.showList(port.Timeline, view.Query{Seq: 2})
				overview.wait(soon)
				overview.wantRows("live", "")
				if all := overview.overviews(); len(all) == 0 || !all[len(all)-1].Clear {
					t.Errorf("when nothing is wrong: %+v", all)
				}
				if s := timeline.now().Source; s.State != port.Live || s.Cause != nil {
					t.Errorf("the timeline is %s: %v", s.State, s.Cause)
				}
			})
		})
	}
}

// TestProblemsMoved checks that a kind that the page names is read in the version that the server moves it to, whether
// the version before is still served or not, and that all is not called well meanwhile.
func TestProblemsMoved(t *testing.T) {
	for name, withdrawn := range map[string]bool{"both are served": false, "only the new one is": true} {
		t.Run(name, func(t *testing.T) {
			p := three()
			p.extraKinds = []string{"widgets"}
			p.change(wire.Added, testObject{resource: "widgets", namespace: "a", name: "w", body: `"status":{"conditions":[{"type":"Ready","status":"False"}]},`})
			onHub(t, p, func(t *testing.T, b *fixture) {
				b.page.in <- port.WatchKinds{}
				b.page.in <- port.OpenOverview{ID: 7, Kinds: []string{"widgets.example.com"}}
				b.showList("problems", view.Query{Seq: 1})
				b.wait(2 * time.Minute)
				b.wantRows("live", "a/widgets.example.com:w:NotReady")
				b.overviews()
				if withdrawn {
					b.withdraw("v1")
				}
				b.upgrade("v2")
				b.wait(2 * time.Minute)
				b.wantRows("live", "a/widgets.example.com:w:NotReady")
				if got := b.versionsOpen(); got != "v2" {
					t.Errorf("read in %q", got)
				}
				if slices.ContainsFunc(b.overviews(), func(o port.Overview) bool { return o.Clear }) {
					t.Error("meanwhile, all was well")
				}
			})
		})
	}
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
	r.endWatches()
}

// TestProblemsLeft leaves a namespace that is read because the whole cluster may no longer be: its rows go.
func TestProblemsLeft(t *testing.T) {
	p := newRevocable(three(), func(r wire.Request) bool { return r.Namespace != "b" })
	p.change(wire.Modified, pod("b", "db1", "Failed"))
	onHub(t, p.proxy, func(t *testing.T, b *fixture) {
		b.page.in <- port.OpenOverview{ID: 7}
		b.showList("problems", view.Query{Seq: 1})
		b.page.in <- port.SavedNamespaces{Namespaces: []string{"b"}}
		b.wait(5 * soon)
		b.wantRows("live", "b/pods:db1:Error")
		p.turn(true)
		b.wait(time.Minute)
		b.wantRows("live", "b/pods:db1:Error")
		b.page.in <- port.SavedNamespaces{Namespaces: []string{"c"}}
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
		b.page.in <- port.SavedNamespaces{Namespaces: []string{"a"}}
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
	totals := all[len(all)-1].Totals
	at := slices.IndexFunc(totals, func(total port.Total) bool { return total.Name == "pods" })
	if at < 0 {
		b.t.Fatalf("no total of pods in %+v", totals)
	}
	if totals[at].Of != of {
		b.t.Errorf("%d pods, want %d", totals[at].Of, of)
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
		b.awaitLive()
		b.wantRows("live", "a/services:web:NoEndpoints")
	})
}

// TestProblemsOfMany reads the problems of a user with many namespaces: enough streams are left for a
// list of pods, and what is not read is named.
func TestProblemsOfMany(t *testing.T) {
	p := three()
	var names []string
	for i := range 60 {
		names = append(names, fmt.Sprint("ns", i))
	}
	refused := 0
	p.deny = func(r wire.Request) *wire.Status {
		switch {
		case r.Verb != wire.Watch && r.Verb != wire.List:
		case r.Namespace == "":
			return forbidden
		case len(p.open) >= wire.MaxStreams:
			refused++
			return &wire.Status{Origin: wire.FromProxy, Code: 429, Reason: wire.ReasonTooManyRequests}
		}
		return nil
	}
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.SavedNamespaces{Namespaces: names}
		b.page.in <- port.OpenOverview{ID: 7}
		b.wait(time.Minute)
		b.showList("pods", view.Query{Seq: 1})
		b.wait(time.Minute)
		all := b.overviews()
		if b.now().Source.State != "live" || refused > 0 || len(all) == 0 || all[len(all)-1].Clear || len(all[len(all)-1].Gaps) < 3 {
			t.Errorf("pods are %s, %d requests were refused, %+v", b.now().Source.State, refused, all)
		}
	})
}

// TestWorkloadsTotalUnseen reads all pods anew while no page looks: the number is not called complete
// before what came anew has been read.
func TestWorkloadsTotalUnseen(t *testing.T) {
	p := three()
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.OpenOverview{ID: 7}
		b.showList("problems", view.Query{Seq: 1})
		b.wait(time.Minute)
		b.page.in <- port.Presence{Visible: false, Online: true}
		b.wait(soon)
		b.overviews()
		p.takeRequests()
		const many = 3000
		p.renew("pods", many)
		for range 5000 {
			if b.wait(time.Millisecond); strings.Contains(p.takeRequests(), "watch pods") {
				break
			}
		}
		b.wait(2 * time.Millisecond)
		b.page.in <- port.Presence{Visible: true, Online: true}
		b.wait(5 * time.Minute)
		seen := 0
		for _, o := range b.overviews() {
			if total := o.Totals[2]; total.Gap.State == port.Live {
				if seen = total.Bad; seen != many {
					t.Errorf("%d of %d: %+v", total.Bad, many, total.Gap)
				}
			}
		}
		if seen == 0 {
			t.Error("no number came")
		}
	})
}

// renew ends the watches of a resource as too old, and adds failed pods that only a new list has.
func (p *proxy) renew(resource string, pods int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range pods {
		o := pod("a", fmt.Sprint("x", i), "Failed")
		o.controller = fmt.Sprint("DaemonSet.apps d", i)
		p.version++
		o.resource, o.version = "pods", p.version
		p.things = append(p.things, o)
	}
	for id, s := range p.open {
		if s.Verb == wire.Watch && s.Resource == resource {
			p.err(id, erring)
			delete(p.open, id)
		}
	}
}

// TestProblemsKindsOfMany reads the kinds that any page names, until the last that does is closed.
func TestProblemsKindsOfMany(t *testing.T) {
	p := three()
	p.extraKinds = []string{"widgets", "gears"}
	for _, resource := range p.extraKinds {
		p.change(wire.Added, testObject{resource: resource, namespace: "a", name: "x", body: `"status":{"conditions":[{"type":"Ready","status":"False"}]},`})
	}
	onHub(t, p, func(t *testing.T, b *fixture) {
		const widget, gear = "a/widgets.example.com:x:NotReady", "a/gears.example.com:x:NotReady"
		b.page.in <- port.WatchKinds{}
		b.page.in <- port.OpenOverview{ID: 7, Kinds: []string{"widgets.example.com"}}
		b.page.in <- port.OpenOverview{ID: 8, Kinds: []string{"gears.example.com"}}
		b.page.in <- port.OpenOverview{ID: 9}
		b.showList("problems", view.Query{Seq: 1})
		const settled = 2*time.Minute + time.Second/2 // a controller may take a minute, and watches end at full seconds
		b.wait(settled)
		b.wantRows("live", gear+" "+widget)
		b.page.in <- port.Close{ID: 7}
		b.wait(settled)
		b.wantRows("live", gear)
		b.page.in <- port.OpenOverview{ID: 8}
		b.wait(settled)
		b.wantRows("live", "")
	})
}

// TestProblemsKindUnknown names a kind that is to be read, and whose API server does not respond.
func TestProblemsKindUnknown(t *testing.T) {
	p := three()
	p.extraKinds, p.stale = []string{"widgets"}, true
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.WatchKinds{}
		b.page.in <- port.OpenOverview{ID: 7, Kinds: []string{"widgets.example.com"}}
		b.showList("problems", view.Query{Seq: 1})
		b.wait(time.Minute)
		all := b.overviews()
		last := all[len(all)-1]
		if len(last.Gaps) != 1 || last.Gaps[0].Resource != "widgets.example.com" || !strings.Contains(last.Gaps[0].Cause, "not responding") || last.Clear {
			t.Errorf("%+v", last)
		}
	})
}

// TestProblemsNamespacesForgotten lets a page forget the namespaces that it named.
func TestProblemsNamespacesForgotten(t *testing.T) {
	p := three()
	p.change(wire.Modified, pod("a", "web2", "Failed"))
	p.deny = forbids(func(r wire.Request) bool { return r.Namespace == "" && r.Resource == "pods" })
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.OpenOverview{ID: 7}
		b.showList("problems", view.Query{Seq: 1})
		b.page.in <- port.SavedNamespaces{Namespaces: []string{"a"}}
		b.wait(5 * soon)
		b.wantRows("live", "a/pods:web2:Error")
		b.page.in <- port.SavedNamespaces{Namespaces: []string{}}
		b.wait(5 * soon)
		b.wantRows("live", "")
		all := b.overviews()
		if gaps := all[len(all)-1].Gaps; len(gaps) != 1 || gaps[0].State != port.Denied || gaps[0].Only != "" {
			t.Errorf("%+v", gaps)
		}
	})
}

// TestProblemsGhosts deletes a pod while the list of its namespace is stale, and then grants the cluster:
// its row goes.
func TestProblemsGhosts(t *testing.T) {
	var broken atomic.Bool
	p := newRevocable(three(), func(r wire.Request) bool { return r.Namespace == "" && r.Resource == "pods" })
	p.change(wire.Modified, pod("a", "web2", "Failed"))
	p.change(wire.Modified, pod("a", "web1", "Failed"))
	refuses := p.deny
	p.deny = func(r wire.Request) *wire.Status {
		if broken.Load() && r.Namespace == "a" {
			return &wire.Status{Origin: wire.FromAPIServer, Code: 500, Reason: "InternalError"}
		}
		return refuses(r)
	}
	p.set.Store(true)
	onHub(t, p.proxy, func(t *testing.T, b *fixture) {
		b.page.in <- port.OpenOverview{ID: 7}
		b.showList("problems", view.Query{Seq: 1})
		b.page.in <- port.SavedNamespaces{Namespaces: []string{"a"}}
		b.wait(5 * soon)
		b.wantRows("live", "a/pods:web1:Error a/pods:web2:Error")
		broken.Store(true)
		p.turn(true)
		p.change(wire.Deleted, pod("a", "web2", "Failed"))
		b.wait(time.Minute)
		b.wantRows("stale", "a/pods:web1:Error a/pods:web2:Error")
		p.turn(false)
		b.wait(3 * time.Minute)
		b.wantRows("live", "a/pods:web1:Error")
	})
}

// TestTotalsListed checks that the list to which a total links has as many rows as it counts.
func TestTotalsListed(t *testing.T) {
	p := three()
	for name, phase := range map[string]string{"web1": "Failed", "web2": "Pending", "web3": "Succeeded"} {
		o := pod("a", name, phase)
		o.containers = []string{"x"}
		p.change(wire.Added, o)
	}
	o := pod("a", "j1", "Unknown")
	o.containers, o.controller = []string{"x"}, "Job.batch j"
	p.change(wire.Added, o)
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.OpenOverview{ID: 7}
		b.showList("problems", view.Query{Seq: 1})
		b.wait(soon)
		all := b.overviews()
		for i, total := range all[len(all)-1].Totals {
			b.showList(total.Resource, view.Query{Seq: uint32(2 + i), Text: total.Filter})
			b.wait(soon)
			want := map[string]int{"pods": 3, "workloads": 2} // of a pod that nothing owns, and of a Job
			if w := b.page.window; w.Total != total.Bad || len(w.Problems) > 0 || total.Bad != want[total.Name] {
				t.Errorf("%s: %d, but %d rows; %+v", total.Name, total.Bad, w.Total, w.Problems)
			}
		}
	})
}
