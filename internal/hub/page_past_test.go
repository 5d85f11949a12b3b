package hub

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/history/historytest"
	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/list"
	"watchglass/internal/hub/loop"
	"watchglass/internal/hub/past"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// travel sends a Travel, and waits until it is answered and what came with it is applied.
func (b *fixture) travel(m port.Travel) port.Past {
	b.t.Helper()
	b.page.locked(func() { b.page.lastTravel++; m.Seq = b.page.lastTravel })
	b.page.in <- m
	for range 200 {
		b.wait(20 * time.Millisecond)
		if last := b.page.lastTold(); last.Seq == m.Seq {
			return last
		}
	}
	b.t.Fatalf("the travel to %v was not answered", m.At)
	return port.Past{}
}

// TestArrived checks that a list whose kind is not known says nothing of the lists after it.
func TestArrived(t *testing.T) {
	onHub(t, three(), func(t *testing.T, b *fixture) {
		b.showList("pods", view.Query{Seq: 1})
		b.wait(10 * time.Second)
		b.travel(port.Travel{At: time.Now().Add(-5 * time.Second)})
		var unknown *list.List
		b.onLoop(func() {
			p := b.hub.pages[0]
			unknown = list.New(90, p.cluster, p.port, p.memory)
			unknown.SetQuery(port.ListQuery{Resource: "nothings"}, time.Now())
			unknown.Step(time.Now())
		})
		b.wait(10 * time.Second)
		b.onLoop(func() {
			p := b.hub.pages[0]
			defer func(lists []*list.List) { p.lists = lists }(p.lists)
			coming := list.New(91, p.cluster, p.port, p.memory)
			if p.past.Own() == p.cluster {
				t.Error("not in the past")
				return
			}
			for _, c := range []struct {
				lists []*list.List
				want  bool
			}{{[]*list.List{unknown}, true}, {[]*list.List{unknown, coming}, false}, {[]*list.List{coming, unknown}, false}} {
				if p.lists = c.lists; p.past.Arrived(time.Now()) != c.want {
					t.Errorf("%d lists: arrived: %v", len(c.lists), !c.want)
				}
			}
		})
	})
}

// TestTravel goes back, through the past and to live again.
func TestTravel(t *testing.T) {
	p := three()
	onPages(t, map[string]*proxy{"": p}, func(t *testing.T, c *pagesFixture) {
		v, other := c.connect("", "ana"), c.connect("", "ana")
		v.showList("pods", view.Query{Seq: 1})
		other.showList("pods", view.Query{Seq: 1})
		v.wait(time.Second)
		v.wantRows("live", "a/web1 a/web2 b/db1")
		began := time.Now()
		v.wait(10 * time.Second)
		p.change(wire.Deleted, pod("a", "web1", ""))
		p.change(wire.Added, pod("c", "new", "Running"))
		v.wait(10 * time.Second)
		p.change(wire.Modified, pod("b", "db1", "Failed"))
		v.wait(10 * time.Second)
		v.wantAsked("watch pods")
		past := v.travel(port.Travel{At: began})
		if !past.At.Equal(began) || past.Playing || past.From.After(began) || past.To.Before(began.Add(29*time.Second)) || past.Error != "" {
			t.Errorf("%+v", past)
		}
		v.wantRows("live", "a/web1 a/web2 b/db1")
		other.wantRows("live", "a/web2 b/db1 c/new")
		v.travel(port.Travel{At: began.Add(15 * time.Second)})
		v.wantRows("live", "a/web2 b/db1 c/new")
		if got := v.ask("list", `["pods", {"namespace": "c"}]`); !strings.Contains(got, `"name":"new"`) {
			t.Error(got)
		}
		v.showList("pods", view.Query{Seq: 2, Text: "status:Failed"})
		v.wantRows("live", "")
		v.travel(port.Travel{At: began.Add(25 * time.Second)})
		v.wantRows("live", "b/db1")
		v.travel(port.Travel{At: began.Add(5 * time.Second)})
		v.wantRows("live", "")
		v.showList("pods", view.Query{Seq: 3})

		p.change(wire.Added, pod("d", "later", "Running")) // the live cluster goes on remembering
		v.wait(3 * cluster.Linger)
		v.wantRows("live", "a/web1 a/web2 b/db1")
		v.wantAsked("")
		if past := v.travel(port.Travel{}); !past.At.IsZero() {
			t.Errorf("%+v", past)
		}
		v.wantRows("live", "a/web2 b/db1 c/new d/later")
		v.wantAsked("")
		if o := v.overview(); len(o.Clusters) != 1 {
			t.Errorf("%+v", o.Clusters)
		}
		last := time.Now()
		v.travel(port.Travel{At: last.Add(-time.Minute)})
		v.wantRows("live", "a/web2 b/db1 c/new d/later")
	})
}

// TestTravelClosed closes a page that shows the past. What it kept open for its history ends with it, though
// another page uses the cluster.
func TestTravelClosed(t *testing.T) {
	p := three()
	onPages(t, map[string]*proxy{"": p}, func(t *testing.T, c *pagesFixture) {
		v, other := c.connect("", "ana"), c.connect("", "ana")
		v.showList("pods", view.Query{Seq: 1})
		other.showList("nodes", view.Query{Seq: 1})
		p.change(wire.Modified, pod("b", "db1", "Failed"))
		v.wait(10 * time.Second)
		v.travel(port.Travel{At: time.Now().Add(-5 * time.Second)})
		v.wait(3 * cluster.Linger)
		v.wantAsked("watch pods, watch nodes")
		v.disconnect()
		other.wait(soon)
		other.wantAsked("close watch pods")
	})
}

// TestTravelRowsFirst checks that the rows on screen are those of the moment before the rest of the list
// has come, and that rows come and go in their places.
func TestTravelRowsFirst(t *testing.T) {
	name := func(i int) string { return fmt.Sprintf("web-%04d", i) }
	for about, c := range map[string]struct {
		offset       int
		deletes      int
		adds         []int
		after        map[string]int // how many rows are in which phase, after the changes
		from, before string
	}{
		"in the middle": {100, 204, []int{207}, map[string]int{"Failed": 9, "Running": 1}, "a/web-0200 to a/web-0218", "a/web-0200 to a/web-0218"},
		"at the top":    {0, 0, []int{3, 5, 7}, map[string]int{"Failed": 7, "Running": 3}, "a/web-0002 to a/web-0014", "a/web-0000 to a/web-0018"},
	} {
		t.Run(about, func(t *testing.T) {
			p := &proxy{}
			for i := range 500 {
				p.change(wire.Added, pod("a", name(2*i), "Running"))
			}
			onPages(t, map[string]*proxy{"": p}, func(t *testing.T, f *pagesFixture) {
				v := f.connect("", "ana")
				v.showList("pods", view.Query{Seq: 1, Offset: c.offset, Limit: 10})
				v.wait(time.Second)
				began := time.Now()
				v.wait(10 * time.Second)
				for i := range 500 {
					p.change(wire.Modified, pod("a", name(2*i), "Failed"))
				}
				p.change(wire.Deleted, pod("a", name(c.deletes), ""))
				for _, i := range c.adds {
					p.change(wire.Added, pod("a", name(i), "Running"))
				}
				v.wait(10 * time.Second)
				v.travel(port.Travel{At: time.Now().Add(-time.Second)}) // which opens the list anew
				shows := func() (phases map[string]int, keys string) {
					v.page.mu.Lock()
					defer v.page.mu.Unlock()
					phases = make(map[string]int)
					for _, r := range v.page.window.Rows {
						phases[r.Cells[3]]++
					}
					return phases, v.page.window.Rows[0].Key + " to " + v.page.window.Rows[len(v.page.window.Rows)-1].Key
				}
				if is, keys := shows(); !maps.Equal(is, c.after) || keys != c.from {
					t.Fatal(is, keys)
				}
				v.page.in <- port.Travel{At: began, Seq: 1000}
				v.wait(500 * time.Microsecond) // the relay rests for longer, once it has sent what is on screen
				is, keys := shows()
				if told := v.page.lastTold(); told.Seq == 1000 || is["Running"] != 10 || keys != c.before {
					t.Errorf("%v, %s, told %+v", is, keys, told)
				}
				v.wait(time.Second)
				if told := v.page.lastTold(); told.Seq != 1000 || v.page.window.Total != 500 {
					t.Errorf("told %+v; %d rows", told, v.page.window.Total)
				}
			})
		})
	}
}

// TestTravelNowhere asks for the past where nothing is remembered.
func TestTravelNowhere(t *testing.T) {
	onPages(t, map[string]*proxy{"": three()}, func(t *testing.T, c *pagesFixture) {
		v := c.connect("", "ana")
		if past := v.travel(port.Travel{At: time.Now().Add(-time.Minute)}); !past.At.IsZero() || past.Error != "No history yet." {
			t.Errorf("%+v", past)
		}
		v.showList("pods", view.Query{Seq: 1})
		v.wantRows("live", "a/web1 a/web2 b/db1")
	})
}

// TestTravelUnknown opens a list in the past that nobody watched then.
func TestTravelUnknown(t *testing.T) {
	p := three()
	p.extraKinds = []string{"widgets"}
	onPages(t, map[string]*proxy{"": p}, func(t *testing.T, c *pagesFixture) {
		v := c.connect("", "ana")
		v.showList("pods", view.Query{Seq: 1})
		v.wait(10 * time.Second)
		at := time.Now().Add(-5 * time.Second)
		v.travel(port.Travel{At: at})
		v.showList("secrets", view.Query{Seq: 2})
		v.wait(5 * time.Second)
		if s := v.page.state.Source; s.State != "denied" || s.Cause == nil || s.Cause.Message != "secrets were not recorded" {
			t.Errorf("%+v", s)
		}
		v.showList("pods", view.Query{Seq: 3})
		v.wantRows("live", "a/web1 a/web2 b/db1")
	})
}

// TestTravelPlays lets time go on.
func TestTravelPlays(t *testing.T) {
	p := three()
	onPages(t, map[string]*proxy{"": p}, func(t *testing.T, c *pagesFixture) {
		v := c.connect("", "ana")
		v.showList("pods", view.Query{Seq: 1, Limit: 50})
		v.wait(10 * time.Second)
		began := time.Now()
		for i := range 10 {
			p.change(wire.Added, pod("c", fmt.Sprint("n", i), "Running"))
			v.wait(10 * time.Second)
		}
		if past := v.travel(port.Travel{At: began.Add(-time.Second), Playing: true, Speed: 10}); !past.Playing || past.Speed != 10 {
			t.Errorf("%+v", past)
		}
		v.wait(5 * time.Second)
		v.wantRows("live", "a/web1 a/web2 b/db1 c/n0 c/n1 c/n2 c/n3 c/n4")
		v.wait(20 * time.Second)
		v.wantRows("live", "a/web1 a/web2 b/db1 c/n0 c/n1 c/n2 c/n3 c/n4 c/n5 c/n6 c/n7 c/n8 c/n9")
	})
}

// TestPastStep asks for the changes before and after a moment.
func TestPastStep(t *testing.T) {
	p := three()
	onPages(t, map[string]*proxy{"": p}, func(t *testing.T, c *pagesFixture) {
		v := c.connect("", "ana")
		v.showList("pods", view.Query{Seq: 1, Text: "status:Failed,Pending"})
		v.wait(10 * time.Second)
		var at []time.Time
		for _, change := range []string{"Failed", "Running", "Failed"} {
			at = append(at, time.Now().Truncate(time.Millisecond))
			p.change(wire.Modified, pod("b", "db1", change))
			v.wait(100 * time.Second)
			p.change(wire.Modified, pod("a", "web1", "Running"))
			v.wait(100 * time.Second)
		}
		step := func(by int) (s past.Step) {
			t.Helper()
			if err := json.Unmarshal([]byte(v.ask("past.step", fmt.Sprintf("[%d]", by))), &s); err != nil {
				t.Fatal(err)
			}
			return s
		}
		near := func(got, want time.Time) {
			t.Helper()
			if d := got.Sub(want); d < 0 || d > 50*time.Millisecond {
				t.Errorf("%v, want %v", got, want)
			}
		}
		for i := 2; i >= 0; i-- {
			s := step(-1)
			near(s.At.Add(time.Millisecond), at[i])
			v.travel(port.Travel{At: s.At})
		}
		for i := range at {
			s := step(1)
			near(s.At, at[i])
			v.travel(port.Travel{At: s.At})
		}
	})
}

// TestTravelObject opens an object in the past, and follows it to another moment and to now.
func TestTravelObject(t *testing.T) {
	p := three()
	onPages(t, map[string]*proxy{"": p}, func(t *testing.T, c *pagesFixture) {
		v := c.connect("", "ana")
		v.showList("pods", view.Query{Seq: 1})
		v.openTab("web1", "yaml")
		v.wait(10 * time.Second)
		began := time.Now()
		p.change(wire.Modified, pod("a", "web1", "Failed"))
		v.wait(10 * time.Second)
		p.change(wire.Deleted, pod("a", "web1", ""))
		v.wait(10 * time.Second)
		state := func() (s, text string) {
			v.page.locked(func() {
				for _, d := range v.page.details {
					var head struct{ State string }
					if d.Part == port.HeadPart && json.Unmarshal(d.Doc, &head) == nil {
						s = head.State
					} else if d.Part == "yaml" {
						text = string(d.Doc)
					}
				}
			})
			return s, text
		}
		if s, _ := state(); s != "deleted" {
			t.Error(s)
		}
		for _, at := range []struct {
			after       time.Duration
			state, text string
		}{{-time.Second, "live", "Running"}, {5 * time.Second, "live", "Failed"}, {15 * time.Second, "deleted", ""}, {-time.Second, "live", "Running"}} {
			v.travel(port.Travel{At: began.Add(at.after)})
			v.wait(5 * time.Second)
			if s, text := state(); s != at.state || !strings.Contains(text, at.text) {
				t.Errorf("%v: %s, want %s: %s", at.after, s, at.state, text)
			}
		}
		v.travel(port.Travel{})
		v.wait(5 * time.Second)
		if s, _ := state(); s != "missing" && s != "deleted" {
			t.Error(s)
		}
	})
}

// TestTravelForgotten loses the right to list: its history is gone, and the past says so.
func TestTravelForgotten(t *testing.T) {
	p := three()
	p.extraKinds = []string{"widgets"}
	onPages(t, map[string]*proxy{"": p}, func(t *testing.T, c *pagesFixture) {
		v := c.connect("", "ana")
		v.showList("nodes", view.Query{Seq: 1})
		v.showList("pods", view.Query{Seq: 2})
		v.wait(10 * time.Second)
		at := time.Now()
		v.wait(10 * time.Second)
		v.travel(port.Travel{At: at})
		v.wantRows("live", "a/web1 a/web2 b/db1")
		p.mu.Lock()
		p.deny = func(r wire.Request) *wire.Status {
			if r.Resource == "pods" {
				return &wire.Status{Origin: wire.FromAPIServer, Code: 403, Reason: wire.ReasonForbidden, Message: "no"}
			}
			return nil
		}
		for id, o := range p.open {
			if o.Resource == "pods" && o.Verb == wire.Watch {
				p.write(wire.JSONFrame(wire.KindEnd, id, wire.End{}))
			}
		}
		p.mu.Unlock()
		v.wait(2 * time.Minute)
		v.travel(port.Travel{At: at.Add(time.Second)})
		v.wait(10 * time.Second)
		if s := v.now().Source; s.State != "denied" || s.Cause == nil || !strings.Contains(s.Cause.Message, "permission to read pods was lost") || v.page.keys() != "" {
			t.Errorf("%q, %+v", v.page.keys(), s)
		}
	})
}

// TestTravelWhileListing goes back while a live list is coming in.
func TestTravelWhileListing(t *testing.T) {
	p := three()
	onPages(t, map[string]*proxy{"": p}, func(t *testing.T, c *pagesFixture) {
		v := c.connect("", "ana")
		v.showList("pods", view.Query{Seq: 1})
		v.wait(10 * time.Second)
		at := time.Now()
		v.wait(10 * time.Second)
		p.startHoldingLists()
		v.showList("nodes", view.Query{Seq: 2})
		v.travel(port.Travel{At: at})
		v.wait(5 * time.Second)
		if s := v.now().Source; s.State != "denied" {
			t.Errorf("%+v", s)
		}
		v.showList("pods", view.Query{Seq: 3})
		v.wantRows("live", "a/web1 a/web2 b/db1")
		v.travel(port.Travel{})
		v.wantRows("live", "a/web1 a/web2 b/db1")
	})
}

// TestPlayRecording shows a recording, closes it, and is live again.
func TestPlayRecording(t *testing.T) {
	onPages(t, map[string]*proxy{"": three()}, func(t *testing.T, c *pagesFixture) {
		v, other := c.connect("", "ana"), c.connect("", "ana")
		for _, page := range []*testPage{v, other} {
			page.showList("pods", view.Query{Seq: 1})
		}
		begin := time.Date(1999, 5, 5, 0, 0, 0, 0, time.UTC)
		record := historytest.New(begin)
		on := record.Open(history.Stream{Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true})
		for i, status := range []string{"Running", "Failed"} {
			o := pod("r", "one", status)
			o.version = i + 1
			record.Put(on, begin.Add(time.Duration(i+1)*time.Minute), "r/one", "u-one", podBytes(o))
		}
		about := &port.RecordingInfo{Cluster: "prod-eu", User: "bob", From: begin, To: begin.Add(2 * time.Minute)}
		v.postAndWait(func() { c.hub.pages[0].past.Play(record, about) })
		v.wantRows("live", "r/one")
		other.wantRows("live", "a/web1 a/web2 b/db1")
		if past := v.travel(port.Travel{At: begin.Add(90 * time.Second)}); past.Recorded == nil || past.Recorded.Cluster != "prod-eu" || !past.From.Equal(begin) {
			t.Errorf("%+v", past)
		}
		v.showList("pods", view.Query{Seq: 2, Text: "status:Failed"})
		v.wantRows("live", "")
		if past := v.travel(port.Travel{}); !past.At.Equal(begin.Add(2 * time.Minute)) {
			t.Errorf("%+v", past)
		}
		v.wantRows("live", "r/one")
		if s := v.now(); s.User != "bob" || !slices.Equal(s.Proxy.Reach, []string{"--context=prod-eu"}) {
			t.Errorf("%s, %q", s.User, s.Proxy.Reach)
		}
		if past := v.travel(port.Travel{Close: true}); past.Recorded != nil || !past.At.IsZero() {
			t.Errorf("%+v", past)
		}
		v.showList("pods", view.Query{Seq: 3})
		v.wantRows("live", "a/web1 a/web2 b/db1")
	})
}

// TestPlayTwice shows a recording over another: the live list goes on behind both.
func TestPlayTwice(t *testing.T) {
	p := three()
	onPages(t, map[string]*proxy{"": p}, func(t *testing.T, c *pagesFixture) {
		v := c.connect("", "ana")
		v.showList("pods", view.Query{Seq: 1})
		v.wantRows("live", "a/web1 a/web2 b/db1")
		begin := time.Date(1999, 5, 5, 0, 0, 0, 0, time.UTC)
		for range 2 {
			record := historytest.New(begin)
			on := record.Open(history.Stream{Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true})
			record.Put(on, begin.Add(time.Minute), "r/one", "u-one", podBytes(pod("r", "one", "Running")))
			v.postAndWait(func() {
				c.hub.pages[0].past.Play(record, &port.RecordingInfo{From: begin, To: begin.Add(time.Minute)})
			})
			v.wantRows("live", "r/one")
		}
		p.takeRequests()
		v.wait(2 * cluster.Linger)
		if closed := p.takeClosedWatches(); closed != "" {
			t.Errorf("%s", closed)
		}
		v.travel(port.Travel{Close: true})
		v.wantRows("live", "a/web1 a/web2 b/db1")
		if asked := p.takeOpened(); asked != "" {
			t.Errorf("it asked for %s", asked)
		}
	})
}

// TestTravelProblems counts from the moment that is shown: rules, ages and totals.
func TestTravelProblems(t *testing.T) {
	p := three()
	onPages(t, map[string]*proxy{"": p}, func(t *testing.T, c *pagesFixture) {
		v := c.connect("", "ana")
		v.showList(port.Problems, view.Query{Seq: 1})
		v.wait(5 * time.Minute)
		v.showList("pods", view.Query{Seq: 2})
		bad := pod("b", "db1", "Failed")
		well := time.Now()
		v.wait(time.Minute)
		p.change(wire.Modified, bad)
		v.wait(10 * time.Minute)
		late := time.Now()
		v.showList(port.Problems, view.Query{Seq: 3})
		v.wait(10 * time.Second)
		now := v.page.keys()
		v.travel(port.Travel{At: well})
		v.wait(20 * time.Second)
		before := v.page.keys()
		v.travel(port.Travel{At: late})
		v.wait(20 * time.Second)
		if then := v.page.keys(); then != now || before == now {
			t.Errorf("%q, %q, %q", now, before, then)
		}
	})
}

// TestTravelSparkline goes back to a moment before a pod failed: the sparkline, which has the counts up to the moment that
// is shown, has none of those after it.
func TestTravelSparkline(t *testing.T) {
	p := three()
	onPages(t, map[string]*proxy{"": p}, func(t *testing.T, c *pagesFixture) {
		v := c.connect("", "ana")
		v.page.in <- port.OpenOverview{ID: 7}
		v.showList(port.Problems, view.Query{Seq: 1})
		well := time.Now().Add(time.Minute)
		v.wait(5 * time.Minute)
		bad := pod("b", "db1", "Failed")
		bad.containers = []string{"db"}
		p.change(wire.Modified, bad)
		v.wait(5 * time.Minute)
		most := func(at time.Time) float32 {
			v.travel(port.Travel{At: at})
			v.wait(10 * time.Second)
			all := v.overviews()
			return slices.Max(all[len(all)-1].Totals[1].History)
		}
		late := time.Now()
		failed := most(late)
		if before := most(well); failed != 1 || before != 0 {
			t.Errorf("%v pods are bad at most, and %v before one failed", failed, before)
		}
	})
}

// TestTravelOtherList opens another list in the past: the gaps of its kind come with its rows, not at the
// next tick.
func TestTravelOtherList(t *testing.T) {
	p := three()
	p.extraKinds = []string{"widgets"}
	onPages(t, map[string]*proxy{"": p}, func(t *testing.T, c *pagesFixture) {
		v := c.connect("", "ana")
		v.showList("pods", view.Query{Seq: 1})
		v.wait(10 * time.Second)
		v.showList("widgets", view.Query{Seq: 2})
		v.wait(10 * time.Second)
		if past := v.travel(port.Travel{At: time.Now().Add(-time.Second)}); len(past.Missed) == 0 {
			t.Fatalf("%+v, and widgets were not watched at first", past)
		}
		before := time.Now()
		v.page.in <- port.ListQuery{ID: listID, Resource: "pods", Query: view.Query{Seq: 3, Limit: 10}}
		for last := v.page.lastTold(); len(last.Missed) > 0 && last.Missed[0].To.After(last.From); last = v.page.lastTold() {
			if v.wait(20 * time.Millisecond); time.Since(before) > loop.Tick/4 {
				t.Fatalf("after %v the page has the gaps of widgets: %+v", time.Since(before), last.Missed)
			}
		}
	})
}

// TestRightLostInThePast loses the right to list while a page shows the past, and does not move: the rows and the object
// on screen go.
func TestRightLostInThePast(t *testing.T) {
	p := three()
	var lost atomic.Bool
	p.deny = forbids(func(r wire.Request) bool { return lost.Load() && r.Resource == "pods" })
	onPages(t, map[string]*proxy{"": p}, func(t *testing.T, c *pagesFixture) {
		v := c.connect("", "ana")
		v.showList("pods", view.Query{Seq: 2})
		v.wait(10 * time.Second)
		at := time.Now()
		v.wait(10 * time.Second)
		v.showList("nodes", view.Query{Seq: 3}) // what is remembered without pods begins here
		v.wait(10 * time.Second)
		v.showList("pods", view.Query{Seq: 4})
		v.travel(port.Travel{At: at})
		v.wantRows("live", "a/web1 a/web2 b/db1")
		lost.Store(true)
		p.mu.Lock()
		for id, o := range p.open {
			if o.Resource == "pods" && o.Verb == wire.Watch {
				p.write(wire.JSONFrame(wire.KindEnd, id, wire.End{}))
			}
		}
		p.mu.Unlock()
		v.wait(2 * time.Minute)
		if s := v.now().Source; s.State != "denied" || v.page.keys() != "" {
			t.Errorf("%q, %+v", v.page.keys(), s)
		}
		lost.Store(false)
		v.wait(5 * time.Minute)
		v.travel(port.Travel{At: at.Add(time.Second)})
		v.wait(10 * time.Second)
		if v.page.keys() != "" {
			t.Errorf("the right is back, and with it %q", v.page.keys())
		}
	})
}

// TestUserChangedInThePast checks that a page in the past learns that another user has signed in, as a live one does: it then
// starts over. Until then it is shown no other moment.
func TestUserChangedInThePast(t *testing.T) {
	p := three()
	p.welcome.User = "ana"
	onPages(t, map[string]*proxy{"": p}, func(t *testing.T, c *pagesFixture) {
		v := c.connect("", "ana")
		v.showList("pods", view.Query{Seq: 1})
		v.wait(10 * time.Second)
		at := time.Now()
		p.change(wire.Modified, pod("a", "web1", "Failed"))
		v.wait(10 * time.Second)
		v.travel(port.Travel{At: at})
		v.wantRows("live", "a/web1 a/web2 b/db1")
		p.setAway(true)
		p.mu.Lock()
		p.welcome.User = "bob"
		p.mu.Unlock()
		p.setAway(false)
		v.wait(time.Minute)
		if s := v.now(); s.Proxy == nil || s.Proxy.User != "bob" || s.Source.State != "connecting" {
			t.Errorf("%+v", s)
		}
		if past := v.travel(port.Travel{At: at}); !past.At.IsZero() {
			t.Errorf("the page is at %v", past.At)
		}
	})
}
