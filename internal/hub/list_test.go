package hub

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/list"
	"watchglass/internal/hub/loop"
	"watchglass/internal/inspection"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// three is a cluster of three pods, at version 3.
func three() *proxy {
	p := &proxy{}
	for _, o := range []testObject{pod("a", "web1", "Running"), pod("a", "web2", "Pending"), pod("b", "db1", "Running")} {
		p.change(wire.Added, o)
	}
	return p
}

// TestClockAhead tells the page how far the browser's clock is ahead of the apiserver's.
func TestClockAhead(t *testing.T) {
	p := three()
	onPods(t, p, func(t *testing.T, b *fixture) {
		p.mu.Lock()
		p.date = time.Now().Add(-4*time.Minute - 10*time.Second).Unix()
		p.mu.Unlock()
		b.showList("nodes", view.Query{Seq: 2})
		if got := b.now().Link.Ahead; got != 4 {
			t.Errorf("%d minutes", got)
		}
	})
}

// TestLook follows a source from the first query to live, with a proxy that holds each answer
// until the page has been sent the state before it.
func TestLook(t *testing.T) {
	p := three()
	p.away, p.holdLists = true, true
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.wantRows("connecting", "")
		p.setAway(false)
		b.page.in <- port.Presence{Visible: true, Online: true}
		b.wait(soon)
		b.wantRows("syncing", "a/web1 a/web2 b/db1")
		p.finish()
		b.wait(soon)
		b.wantRows("live", "a/web1 a/web2 b/db1")
		b.wantAsked("watch pods")
		if got := strings.Join(b.page.states, " "); got != "connecting syncing live" {
			t.Error(got)
		}
		s := b.now()
		if s.User != "ana" || s.Proxy == nil || !s.Link.Connected || s.Source.Version != "3" || s.Source.Objects != 3 || !s.Source.Synced || !s.Source.Namespaced || s.Source.Namespace != "" || s.Source.Kind != "Pod" {
			t.Errorf("%+v", s)
		}
		if w := b.page.window; w.Total != 3 || w.Of != 3 || len(w.Columns) < 4 || len(w.Facets) != 3 {
			t.Errorf("%+v", w)
		}
	})
}

// TestEarly checks that the source adopts the stream that worker.js requested, and syncs before
// the page looks.
func TestEarly(t *testing.T) {
	p := three()
	p.helloResource = "pods"
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.wait(soon)
		if s := b.inspected(); len(s) != 1 || s[0].State != "live" || b.page.patches != 0 {
			t.Fatalf("%+v, %d patches to a page that did not look", s, b.page.patches)
		}
		b.showList("pods", view.Query{Seq: 1})
		b.wantRows("live", "a/web1 a/web2 b/db1")
		b.wantAsked("") // nothing: the request was sent with the hello
	})
}

// TestEarlyLeft checks that an early source that is left at once lingers and ends like any
// other.
func TestEarlyLeft(t *testing.T) {
	p := three()
	p.helloResource, p.extraKinds = "pods", []string{"widgets"}
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.wait(0)
		b.showList("widgets", view.Query{Seq: 1})
		b.wantAsked("discover, close discover, discover, close discover, watch widgets")
		b.wait(cluster.Linger)
		b.wantAsked("close watch pods")
	})
}

// TestChanges checks that a change is on screen within a frame.
func TestChanges(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.proxy.change(wire.Added, pod("a", "web0", "Pending"))
		b.proxy.change(wire.Deleted, pod("b", "db1", ""))
		b.proxy.change(wire.Modified, pod("a", "web2", "Running"))
		b.wait(list.Frame)
		b.wantRows("live", "a/web0 a/web1 a/web2")
		if row := b.page.window.Rows[2]; row.Cells[3] != "Running" {
			t.Error(row)
		}
	})
}

// TestQueries checks that every query is answered from the list that is already there.
func TestQueries(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.wantAsked("watch pods")
		for i, c := range []struct {
			q    view.Query
			want string
		}{
			{view.Query{Namespaces: []string{"a"}}, "a/web1 a/web2"},
			{view.Query{Namespaces: []string{"b"}}, "b/db1"},
			{view.Query{Labels: "app=db"}, "b/db1"},
			{view.Query{Text: "pend"}, "a/web2"},
			{view.Query{Sort: "Name"}, "b/db1 a/web1 a/web2"},
			{view.Query{Sort: "Name", Descending: true}, "a/web2 a/web1 b/db1"},
			{view.Query{Offset: 1, Limit: 1}, "a/web2"},
			{view.Query{Text: "nothing of the kind"}, ""},
			{view.Query{}, "a/web1 a/web2 b/db1"},
		} {
			c.q.Seq = uint32(i + 2)
			b.showList("pods", c.q)
			b.wantRows("live", c.want)
		}
		b.showList("pods", view.Query{Seq: 50, Labels: "app=("})
		b.wantRows("live", "a/web1 a/web2 b/db1")
		if len(b.page.window.Problems) == 0 {
			t.Error("nobody says what is wrong with it")
		}
		b.wantAsked("")
		if s := b.inspected(); len(s) != 1 || s[0].Relists != 0 || s[0].Resumes != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// TestAnswers checks the answers to scripts.
func TestAnswers(t *testing.T) {
	const web1 = `{"namespace":"a","name":"web1","uid":"u-web1","resourceVersion":"1"}`
	const web2 = `{"namespace":"a","name":"web2","uid":"u-web2","resourceVersion":"2"}`
	const db1 = `{"namespace":"b","name":"db1","uid":"u-db1","resourceVersion":"3"}`
	onHub(t, three(), func(t *testing.T, b *fixture) {
		for _, method := range []string{"rows", "facets"} {
			if got := b.ask(method, `[]`); got != "error: nothing has loaded yet" {
				t.Errorf("%s: %s", method, got)
			}
		}
		b.showList("pods", view.Query{Seq: 1, Namespaces: []string{"a"}})
		for _, c := range []struct{ method, args, want string }{
			{"list", `["pods"]`, "[" + web1 + "," + web2 + "," + db1 + "]"},
			{"list", `["po",{"namespace":"b"}]`, "[" + db1 + "]"},
			{"list", `["pods",{"namespace":"none"}]`, "[]"},
			{"list", `["pods",null]`, "[" + web1 + "," + web2 + "," + db1 + "]"},
			{"snapshot", `["pods",{"namespace":"b"}]`, `{"items":[` + db1 + `],"resourceVersion":"3"}`},
			{"rows", `[{"offset":1,"limit":5}]`, `{"total":2,"columns":[{"name":"Namespace","priority":0},{"name":"Name","priority":0},{"name":"Ready","priority":0},{"name":"Status","priority":0},{"name":"Restarts","priority":0},{"name":"Age","priority":0}],"rows":[{"key":"a/web2","uid":"u-web2","cells":["a","web2","0/0","Pending","0","\u003cunknown\u003e"]}]}`},
			{"facets", `[]`, `[{"name":"Namespace","values":[{"value":"a","count":2},{"value":"b","count":1}]},{"name":"Status","values":[{"value":"Pending","count":1},{"value":"Running","count":1}]},{"name":"Node","values":[{"value":"\u003cnone\u003e","count":2}]}]`},
			{"list", `["widgets"]`, `error: the apiserver has no resource type "widgets"`},
			{"list", `[]`, `error: the apiserver has no resource type ""`},
			{"list", `[7]`, "error: argument 1: json: cannot unmarshal number into Go value of type string"},
			{"snapshot", `{}`, "error: the arguments: json: cannot unmarshal object into Go value of type []json.RawMessage"},
			{"rows", `["x"]`, "error: argument 1: json: cannot unmarshal string into Go value of type struct { Offset int \"json:\\\"offset\\\"\"; Limit int \"json:\\\"limit\\\"\" }"},
			{"inspect", `["x"]`, "error: argument 1: json: cannot unmarshal string into Go value of type struct { GC bool \"json:\\\"gc\\\"\"; Meters bool \"json:\\\"meters\\\"\" }"},
			{"delete", `["pods"]`, `error: there is no method "delete"`},
		} {
			got := b.ask(c.method, c.args)
			if c.method == "list" { // the store has no order
				got, c.want = inOrder(got), inOrder(c.want)
			}
			if got != c.want {
				t.Errorf("%s %s:\n%s\nwant\n%s", c.method, c.args, got, c.want)
			}
		}
		if asked := b.proxy.takeRequests(); strings.Count(asked, "watch") != 1 {
			t.Errorf("the list was there, and the proxy was asked %q", asked)
		}
	})
}

// TestExactAges checks that an exported age is its instant, if that is known, and that other
// cells are not.
func TestExactAges(t *testing.T) {
	columns := []view.Column{{Name: "Last Seen", Kind: uint8(object.AgeCell)}, {Name: "Name"}, {Name: "First Seen", Kind: uint8(object.AgeCell)}, {Name: "Age", Kind: uint8(object.AgeCell)}}
	r := view.Row{Cells: []string{"5m", "web", "~3h", "2d"}, Instants: []int64{1732442400, 0, 1732269600}}
	if got, want := strings.Join(exactAges(columns, r), " "), "2024-11-24T10:00:00Z web ~3h 2024-11-22T10:00:00Z"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func inOrder(doc string) string {
	var list []json.RawMessage
	if json.Unmarshal([]byte(doc), &list) != nil {
		return doc
	}
	slices.SortFunc(list, func(a, b json.RawMessage) int { return strings.Compare(string(a), string(b)) })
	return fmt.Sprintf("%s", list)
}

// testInspect checks what inspect returns about a source and about memory.
func testInspect(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		s := b.inspected()
		if len(s) != 1 {
			t.Fatalf("%+v", s)
		}
		got := s[0]
		if got.Events != 4 || got.Bytes == 0 || got.Since.IsZero() || got.UpstreamAge > 2000 {
			t.Errorf("%+v", got)
		}
		got.Bytes, got.Events, got.Since, got.UpstreamAge = 0, 0, time.Time{}, 0
		want := inspection.Source{Resource: "pods", Encoding: "protobuf", State: "live", Phase: "watching", Objects: 3, ResourceVersion: "3", Checks: inspection.Checks{Cluster: "u1"}, Indexes: []inspection.Index{{Name: "namespace", Values: 2}}}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("\n%+v, want\n%+v", got, want)
		}
		var m struct {
			Memory struct{ Worker int }
			Packed struct{ Bytes, Objects, Dropped, Limit int }
		}
		if err := json.Unmarshal([]byte(b.ask("inspect", `[{"gc":true}]`)), &m); err != nil || m.Memory.Worker == 0 || m.Packed.Objects != 3 || m.Packed.Bytes == 0 || m.Packed.Limit != packedBudget {
			t.Errorf("%+v %v", m, err)
		}
		b.proxy.change(wire.Deleted, pod("b", "db1", ""))
		b.wait(soon)
		if err := json.Unmarshal([]byte(b.ask("inspect", `[]`)), &m); err != nil || m.Packed.Objects != 2 {
			t.Errorf("what has gone is kept: %+v %v", m.Packed, err)
		}
	})
}

// TestHoldAnother checks that a script may list a kind that no page looks at.
func TestHoldAnother(t *testing.T) {
	p := three()
	p.extraKinds = []string{"widgets"}
	p.change(wire.Added, testObject{resource: "widgets", namespace: "a", name: "w", status: "big"})
	onPods(t, p, func(t *testing.T, b *fixture) {
		if got := b.ask("list", `["widgets"]`); !strings.Contains(got, `"name":"w"`) {
			t.Error(got)
		}
		if s := b.inspected(); len(s) != 2 || s[1].Resource != "widgets.example.com" || s[1].Encoding != "table" {
			t.Errorf("%+v", s)
		}
		b.wantRows("live", "a/web1 a/web2 b/db1")
		b.wait(cluster.Linger + soon)
		if s := b.inspected(); len(s) != 1 {
			t.Errorf("nobody looks, and it stays: %+v", s)
		}
	})
}

// TestHoldOne lists a namespace for a user who may list no other.
func TestHoldOne(t *testing.T) {
	p := three()
	p.deny = forbids(func(r wire.Request) bool { return r.Resource == "pods" && r.Namespace != "b" })
	onHub(t, p, func(t *testing.T, b *fixture) {
		if got := b.ask("list", `["pods", {"namespace": "b"}]`); !strings.Contains(got, `"name":"db1"`) {
			t.Error(got)
		}
	})
}

// TestHoldDenied checks that a script gets the reason why a list is refused.
func TestHoldDenied(t *testing.T) {
	p := three()
	p.deny = forbids(func(r wire.Request) bool { return r.Resource == "pods" })
	onHub(t, p, func(t *testing.T, b *fixture) {
		if got := b.ask("snapshot", `["pods"]`); got != "error: can't list pods: "+forbidden.Error() {
			t.Error(got)
		}
	})
}

// TestHoldRevoked checks that a list that is refused after it was in is no answer, and that a namespace that may still
// be listed is.
func TestHoldRevoked(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.proxy.mu.Lock()
		b.proxy.deny = forbids(func(r wire.Request) bool { return r.Resource == "pods" && r.Namespace != "b" })
		b.proxy.mu.Unlock()
		b.proxy.setAway(true)
		b.proxy.setAway(false)
		b.wait(3 * time.Minute)
		for _, method := range []string{"list", "snapshot"} {
			if got := b.ask(method, `["pods"]`); got != "error: can't list pods: "+forbidden.Error() {
				t.Errorf("%s: %s", method, got)
			}
		}
		if got := b.ask("list", `["pods", {"namespace": "b"}]`); !strings.Contains(got, `"name":"db1"`) {
			t.Error(got)
		}
	})
}

// TestHoldAway checks that a list is no answer while the proxy is away, and that a script gets the reason.
func TestHoldAway(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.proxy.setAway(true)
		b.wait(soon)
		if got := b.ask("list", `["pods"]`); !strings.HasPrefix(got, "error: pods was not live within 1m0s, but stale: ") {
			t.Error(got)
		}
		b.proxy.change(wire.Deleted, pod("b", "db1", ""))
		b.proxy.setAway(false)
		if got := b.ask("list", `["pods", {"namespace": "b"}]`); got != "[]" {
			t.Error(got)
		}
	})
}

// TestHoldUnread checks that a list that lacks objects which can't be read is no answer.
func TestHoldUnread(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.proxy.change(wire.Modified, garbled("a", "web2"))
		b.wait(soon)
		if got := b.ask("list", `["pods"]`); got != "error: can't read 1 of the pods" {
			t.Error(got)
		}
	})
}

// TestHoldPolled checks that a list that can't be watched is an answer once it has been polled.
func TestHoldPolled(t *testing.T) {
	p := three()
	p.refuse("list")
	onHub(t, p, func(t *testing.T, b *fixture) {
		if got := b.ask("list", `["pods"]`); !strings.Contains(got, `"name":"db1"`) {
			t.Error(got)
		}
	})
}

// TestHoldNarrow checks that a namespace that the proxy does not serve is refused, and that kinds without namespaces
// are in all of them.
func TestHoldNarrow(t *testing.T) {
	p := three()
	p.extraKinds, p.welcome.Namespace, p.welcome.Narrow = []string{"racks"}, "a", true
	p.change(wire.Added, testObject{resource: "racks", name: "r1", status: "full"})
	onPods(t, p, func(t *testing.T, b *fixture) {
		for args, want := range map[string]string{
			`["pods", {"namespace": "b"}]`:  "error: can't list pods in namespace b: limited to a by --namespace",
			`["pods", {"namespace": "a"}]`:  `"name":"web1"`,
			`["pods"]`:                      `"name":"web1"`,
			`["racks", {"namespace": "b"}]`: `"name":"r1"`,
		} {
			if got := b.ask("list", args); !strings.Contains(got, want) {
				t.Errorf("%s: %s, want %s", args, got, want)
			}
		}
	})
}

// TestCountsWait checks that counts which are not due do not keep the loop stepping: it sleeps until they are, and sends
// them.
func TestCountsWait(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		counts := func() (all string) {
			b.page.locked(func() { all = fmt.Sprint(b.page.window.Facets) })
			return all
		}
		b.wait(soon)
		b.proxy.change(wire.Modified, pod("a", "web2", "Failed"))
		b.wait(20 * time.Millisecond)
		b.proxy.change(wire.Modified, pod("a", "web2", "Running"))
		b.wait(20 * time.Millisecond)
		before := counts()
		var sleeps time.Duration
		b.onLoop(func() { sleeps = time.Until(b.hub.loop.Next()) })
		if sleeps < 300*time.Millisecond {
			t.Errorf("it sleeps for %v", sleeps)
		}
		if b.wait(sleeps - time.Millisecond); counts() != before {
			t.Error("counts were sent that were not due")
		}
		if b.wait(2 * time.Millisecond); counts() == before {
			t.Error("the counts were not sent")
		}
	})
}

// TestLinger checks that a source is kept for linger after it was left, since people go back,
// and no longer.
func TestLinger(t *testing.T) {
	p := three()
	p.extraKinds = []string{"widgets"}
	onPods(t, p, func(t *testing.T, b *fixture) {
		shown, _ := b.list().Shown()
		left := shown.View
		b.showList("widgets", view.Query{Seq: 2})
		b.proxy.change(wire.Modified, pod("a", "web2", "Running"))
		if b.wait(soon); left.Dirty() {
			t.Error("a view that nobody looks at is still told of changes")
		}
		b.wantAsked("watch pods, discover, close discover, discover, close discover, watch widgets")
		b.wait(cluster.Linger / 2)
		b.showList("pods", view.Query{Seq: 3})
		b.wantRows("live", "a/web1 a/web2 b/db1")
		b.wantAsked("")
		b.wait(2 * cluster.Linger)
		b.wantAsked("close watch widgets")
		b.showList("widgets", view.Query{Seq: 4})
		b.wantAsked("watch widgets")
		b.wantRows("live", "")
	})
}

// TestGone checks that a kind that the server does not have is reported as gone, in our own
// words, and appears by itself when it is installed.
func TestGone(t *testing.T) {
	onHub(t, three(), func(t *testing.T, b *fixture) {
		b.showList("widgets", view.Query{Seq: 1})
		s := b.now().Source
		if s.State != "gone" || s.Cause == nil || s.Cause.Origin != wire.FromTab || !strings.HasPrefix(s.Cause.Message, `the apiserver has no resource type "widgets"`) {
			t.Fatalf("%+v", s)
		}
		b.proxy.mu.Lock()
		b.proxy.extraKinds = []string{"widgets"}
		b.proxy.mu.Unlock()
		b.proxy.change(wire.Added, testObject{resource: "widgets", namespace: "a", name: "w", status: "big"})
		b.wait(cluster.DiscoverMost + soon)
		b.wantRows("live", "a/w")
		if s := b.now().Source; s.Cause != nil {
			t.Errorf("%+v", s)
		}
	})
}

// TestGoneAndAway checks that discovery is not repeated for a missing kind once nobody looks at
// it.
func TestGoneAndAway(t *testing.T) {
	onHub(t, three(), func(t *testing.T, b *fixture) {
		b.showList("widgets", view.Query{Seq: 1})
		b.showList("pods", view.Query{Seq: 2})
		b.proxy.takeRequests()
		b.wait(2 * cluster.DiscoverMost)
		if got := b.proxy.takeRequests(); strings.Contains(got, "discover") {
			t.Error(got)
		}
		b.wantRows("live", "a/web1 a/web2 b/db1")
	})
}

// TestDiscoveryRefused checks what is reported when the server refuses discovery.
func TestDiscoveryRefused(t *testing.T) {
	for name, c := range map[string]struct {
		status *wire.Status
		old    bool
		state  string
		said   string
	}{
		"expired": {&wire.Status{Origin: wire.FromAPIServer, Code: 401, Message: "Unauthorized"}, false, "denied", "Unauthorized"},
		"away":    {&wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable, Message: "refused"}, false, "connecting", "refused"},
		"old":     {nil, true, "connecting", "older than 1.27"},
	} {
		t.Run(name, func(t *testing.T) {
			p := three()
			p.old = c.old
			p.deny = func(wire.Request) *wire.Status { return c.status }
			onHub(t, p, func(t *testing.T, b *fixture) {
				b.showList("widgets", view.Query{Seq: 1})
				if s := b.now().Source; s.State != c.state || s.Cause == nil || !strings.Contains(s.Cause.Message, c.said) {
					t.Errorf("%+v", s)
				}
				if got := b.ask("list", `["widgets"]`); !strings.HasPrefix(got, "error: ") || !strings.Contains(got, c.said) {
					t.Error(got)
				}
			})
		})
	}
}

// TestOfNoNamespace checks that -n does not limit kinds without namespaces.
func TestOfNoNamespace(t *testing.T) {
	p := three()
	p.extraKinds, p.welcome.Namespace, p.welcome.Narrow = []string{"racks"}, "a", true
	p.change(wire.Added, testObject{resource: "racks", name: "r1", status: "full"})
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("racks", view.Query{Seq: 1})
		b.wantRows("live", "r1")
		if s := b.now().Source; s.Namespaced || s.Namespace != "" {
			t.Errorf("%+v", s)
		}
		if w := b.page.window; len(w.Columns) != 2 || len(w.Facets) != 0 {
			t.Errorf("%+v", w)
		}
		if got := b.ask("list", `["racks"]`); !strings.Contains(got, `"name":"r1"`) {
			t.Error(got)
		}
	})
}

// TestDiscoveryFails checks that a failed discovery is repeated, whatever went wrong.
func TestDiscoveryFails(t *testing.T) {
	for name, fail := range map[string]func(b *fixture){
		"refused": func(b *fixture) {
			b.proxy.deny = func(r wire.Request) *wire.Status {
				if r.Verb == wire.Discover {
					return &wire.Status{Origin: wire.FromAPIServer, Code: 503, Message: "not ready"}
				}
				return nil
			}
		},
		"broken off": func(b *fixture) { b.proxy.setAway(true) },
	} {
		t.Run(name, func(t *testing.T) {
			p := three()
			p.extraKinds = []string{"widgets"}
			p.change(wire.Added, testObject{resource: "widgets", namespace: "a", name: "w", status: "big"})
			onPods(t, p, func(t *testing.T, b *fixture) {
				fail(b)
				b.showList("widgets", view.Query{Seq: 2})
				if s := b.now().Source; s.State != "connecting" {
					t.Fatalf("%+v", s)
				}
				b.proxy.mu.Lock()
				b.proxy.deny = nil
				b.proxy.mu.Unlock()
				b.proxy.setAway(false)
				b.wait(cluster.DiscoverMost + 10*time.Second)
				b.wantRows("live", "a/w")
			})
		})
	}
}

// unreachable answers everything as while the proxy does not reach the apiserver.
func unreachable(wire.Request) *wire.Status {
	return &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable, Message: "refused"}
}

// withoutCredentials answers everything as while the proxy has no credentials.
func withoutCredentials(wire.Request) *wire.Status {
	return &wire.Status{Origin: wire.FromPlugin, Reason: wire.ReasonCredentials, Message: "exit code 3"}
}

// TestDiscoverySoon checks that a list whose kind could not be found is live soon after an outage, and
// at once if the user comes back to the page. A kind that is not there is asked for less often.
func TestDiscoverySoon(t *testing.T) {
	for name, c := range map[string]struct {
		outage      func(wire.Request) *wire.Status
		back        bool
		within      time.Duration
		state, rows string
	}{
		"after an outage":       {unreachable, false, cluster.DiscoverUnreached + list.Frame, "live", "a/w"},
		"after a sign-in":       {withoutCredentials, false, cluster.DiscoverUnreached + list.Frame, "live", "a/w"},
		"back after an outage":  {unreachable, true, list.Frame, "live", "a/w"},
		"after an install":      {nil, false, cluster.DiscoverUnreached + list.Frame, "gone", ""},
		"back after an install": {nil, true, list.Frame, "live", "a/w"},
	} {
		t.Run(name, func(t *testing.T) {
			p := three()
			if c.outage != nil {
				p.extraKinds, p.deny = []string{"widgets"}, c.outage
			}
			p.change(wire.Added, testObject{resource: "widgets", namespace: "a", name: "w"})
			onHub(t, p, func(t *testing.T, b *fixture) {
				b.showList("widgets", view.Query{Seq: 1})
				b.wait(62 * time.Second) // that is 64 s: the next attempt is at 67 s in an outage, else at 91 s
				p.mu.Lock()
				p.deny, p.extraKinds = nil, []string{"widgets"}
				p.mu.Unlock()
				if c.back {
					b.page.in <- port.Presence{Visible: true, Online: true}
				}
				b.wait(c.within)
				b.wantRows(c.state, c.rows)
			})
		})
	}
}

// TestDenied checks that a user who may not list the whole cluster gets the namespaces that are
// named: in the URL before or after the refusal, or in the kubeconfig.
func TestDenied(t *testing.T) {
	wide := forbids(func(r wire.Request) bool { return r.Resource == "pods" && r.Namespace != "a" && r.Namespace != "b" })
	for name, c := range map[string]struct {
		namespace string   // of the kubeconfig
		looks     []string // namespaces, one look after the other
		state     string
		scope     string
		rows      string
	}{
		"nothing named":                {"", []string{""}, "denied", "", ""},
		"in the address":               {"", []string{"a"}, "live", "a", "a/web1 a/web2"},
		"chosen later":                 {"", []string{"", "a"}, "live", "a", "a/web1 a/web2"},
		"one, then another":            {"", []string{"a", "b"}, "live", "b", "b/db1"},
		"one, then two":                {"", []string{"a", "a,b"}, "live", "a,b", "a/web1 a/web2 b/db1"},
		"one, then none":               {"", []string{"a", ""}, "live", "a", "a/web1 a/web2"},
		"of the kubeconfig":            {"b", []string{""}, "live", "b", "b/db1"},
		"address before kubeconfig":    {"b", []string{"a"}, "live", "a", "a/web1 a/web2"},
		"back to the kubeconfig's":     {"b", []string{"a", ""}, "live", "b", "b/db1"},
		"one that may not be, neither": {"", []string{"c"}, "denied", "c", ""},
		"one that may not be, of two":  {"", []string{"c,a"}, "denied", "c,a", "a/web1 a/web2"},
		"from that to one that may":    {"", []string{"c", "a"}, "live", "a", "a/web1 a/web2"},
	} {
		t.Run(name, func(t *testing.T) {
			p := three()
			p.welcome.Namespace, p.deny = c.namespace, wide
			onHub(t, p, func(t *testing.T, b *fixture) {
				for i, n := range c.looks {
					q := view.Query{Seq: uint32(i + 1)}
					if n != "" {
						q.Namespaces = strings.Split(n, ",")
					}
					b.showList("pods", q)
				}
				b.wantRows(c.state, c.rows)
				if s := b.now().Source; s.Namespace != c.scope || c.state == "denied" && (s.Cause == nil || s.Cause.Message != forbidden.Message) {
					t.Errorf("%+v", s)
				}
			})
		})
	}
}

// TestDeniedEarly checks the same if the list was refused before the page said what it looks
// at.
func TestDeniedEarly(t *testing.T) {
	p := three()
	p.helloResource = "pods"
	p.deny = forbids(func(r wire.Request) bool { return r.Resource == "pods" && r.Namespace == "" })
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.wait(soon)
		if s := b.inspected(); s[0].State != "denied" {
			t.Fatal(s[0].State)
		}
		b.showList("pods", view.Query{Seq: 1, Namespaces: []string{"b"}})
		b.wantRows("live", "b/db1")
	})
}

// TestNarrow checks that -n limits the source, whatever the URL names.
func TestNarrow(t *testing.T) {
	p := three()
	p.welcome.Namespace, p.welcome.Narrow = "a", true
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("pods", view.Query{Seq: 1, Namespaces: []string{"a", "b"}})
		b.wantRows("live", "a/web1 a/web2")
		b.wantAsked("watch pods/a")
		if got := b.now().Source.Namespace; got != "a" {
			t.Error(got)
		}
	})
}

// testTables checks that a kind whose columns come with its rows keeps them, even if it has
// rows in one namespace and none in another, and that its changes come with the watch.
func testTables(t *testing.T) {
	widget := func(size string) testObject {
		return testObject{resource: "widgets", namespace: "b", name: "w", status: size}
	}
	for _, namespaces := range [][]string{{"a", "b"}, {"b", "a"}} {
		p := three()
		p.extraKinds = []string{"widgets"}
		p.deny = forbids(func(r wire.Request) bool { return r.Resource == "widgets" && r.Namespace == "" })
		p.change(wire.Added, widget("big"))
		onHub(t, p, func(t *testing.T, b *fixture) {
			b.showList("widgets", view.Query{Seq: 1, Namespaces: namespaces})
			b.wantRows("live", "b/w")
			before := b.page.patches
			b.wait(10 * time.Second)
			if n := b.page.patches - before; n != 0 {
				t.Errorf("nothing happens, and %d patches come", n)
			}
			size := func(want string) {
				t.Helper()
				if w := b.page.window; len(w.Columns) != 3 || w.Columns[2].Name != "Size" || len(w.Rows) == 0 || w.Rows[0].Cells[2] != want {
					t.Errorf("%+v, want %s", w, want)
				}
			}
			size("big")
			b.proxy.takeRequests()
			b.proxy.change(wire.Modified, widget("small"))
			b.wait(list.Frame)
			size("small")
			b.proxy.change(wire.Added, testObject{resource: "widgets", namespace: "a", name: "v", status: "new"})
			b.wait(list.Frame)
			b.wantRows("live", "a/v b/w")
			b.proxy.change(wire.Deleted, widget(""))
			b.wait(list.Frame)
			b.wantRows("live", "a/v")
			size("new")
			b.wantAsked("") // no list: it was watched
		})
	}
}

// testReconnect checks that a broken socket makes the list stale, and that it resumes where it
// was: nothing is listed again, and no row is lost.
func testReconnect(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.wantAsked("watch pods")
		b.proxy.setAway(true)
		b.proxy.change(wire.Added, pod("b", "db2", "Pending")) // while nobody is connected
		b.wait(soon)
		b.wantRows("stale", "a/web1 a/web2 b/db1")
		if s := b.now(); s.Source.Cause == nil || s.Source.Cause.Origin != wire.FromSocket || s.Link.Connected || s.Link.Attempts == 0 || s.Link.Error == "" {
			t.Errorf("%+v", s)
		}
		b.proxy.setAway(false)
		b.wait(10 * time.Second)
		b.wantRows("live", "a/web1 a/web2 b/db1 b/db2")
		b.wantAsked("watch pods at 3")
		if s := b.inspected(); len(s) != 1 || s[0].Resumes != 1 || s[0].Relists != 0 {
			t.Errorf("%+v", s)
		}
		if got := strings.Join(b.page.states, " "); !strings.HasSuffix(got, "live stale live") {
			t.Error(got)
		}
	})
}

// testSilence checks that a list is stale while the proxy is silent.
func testSilence(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.proxy.mu.Lock()
		b.proxy.noBeats = true
		b.proxy.mu.Unlock()
		b.wait(wire.StaleAfter + loop.Tick)
		b.wantRows("stale", "a/web1 a/web2 b/db1")
		b.proxy.mu.Lock()
		b.proxy.noBeats = false
		b.proxy.mu.Unlock()
		b.wait(wire.BeatEvery + loop.Tick)
		b.wantRows("live", "a/web1 a/web2 b/db1")
	})
}

// TestOffline checks the effect of the browser's online state.
func TestOffline(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.page.in <- port.Presence{Visible: true}
		b.wait(soon)
		b.wantRows("live", "a/web1 a/web2 b/db1") // the proxy is on this machine, so it is heard anyway
		b.proxy.setAway(true)
		b.wait(soon)
		b.wantRows("offline", "a/web1 a/web2 b/db1")
		b.proxy.setAway(false)
		b.page.in <- port.Presence{Visible: true, Online: true}
		b.wait(10 * time.Second)
		b.wantRows("live", "a/web1 a/web2 b/db1")
	})
}

// TestOtherCluster restarts the proxy for another cluster at the same address. Objects of one
// are never shown as live objects of the other.
func TestOtherCluster(t *testing.T) {
	p := three()
	p.welcome.Context = "staging"
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.wantRows("live", "a/web1 a/web2 b/db1")
		b.proxy.setAway(true)
		b.proxy.mu.Lock()
		p.welcome.Context = "prod"
		b.proxy.mu.Unlock()
		b.proxy.setAway(false)
		b.wait(time.Minute)
		if s := b.now(); s.Source.State != "connecting" || s.Proxy.Context != "prod" { // and the page starts over
			t.Errorf("%s in %s", s.Source.State, s.Proxy.Context)
		}
	})
}

// TestOneRefusal refuses a list once that is allowed before and after. The view stays as wide
// as it was.
func TestOneRefusal(t *testing.T) {
	p, refuse := three(), false
	p.welcome.Namespace = "a"
	p.deny = func(r wire.Request) *wire.Status {
		if refuse && r.Resource == "pods" {
			refuse = false
			return forbidden
		}
		return nil
	}
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.proxy.mu.Lock()
		refuse = true
		b.proxy.mu.Unlock()
		b.proxy.setAway(true)
		b.proxy.setAway(false)
		b.wait(cluster.Linger + soon) // too short to suspect that a silent watch is held back
		b.wantRows("live", "a/web1 a/web2 b/db1")
	})
}

// TestRefusedThenFailing checks that the page is not told that a list is in whose objects were given up: it would say
// that there are none.
func TestRefusedThenFailing(t *testing.T) {
	var answer atomic.Pointer[wire.Status]
	p := three()
	p.deny = func(r wire.Request) *wire.Status {
		if r.Resource == "pods" {
			return answer.Load()
		}
		return nil
	}
	onPods(t, p, func(t *testing.T, b *fixture) {
		for _, c := range []struct {
			status      *wire.Status
			state, rows string
		}{{forbidden, "denied", ""}, {&wire.Status{Origin: wire.FromAPIServer, Code: 500, Message: "broken"}, "stale", ""}, {nil, "live", "a/web1 a/web2 b/db1"}} {
			answer.Store(c.status)
			b.proxy.setAway(true)
			b.proxy.setAway(false)
			b.wait(5 * time.Minute)
			b.wantRows(c.state, c.rows)
			if s := b.now().Source; s.Synced != (c.rows != "") {
				t.Errorf("%s: synced: %v", c.state, s.Synced)
			}
		}
	})
}

// TestWake checks that a user who comes back to the page does not wait for the next attempt.
func TestWake(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.proxy.setAway(true)
		b.wait(time.Minute)
		b.proxy.setAway(false)
		b.page.in <- port.Presence{Visible: true, Online: true}
		b.wait(10 * time.Millisecond)
		b.wantRows("live", "a/web1 a/web2 b/db1")
	})
}

// TestReports checks that growing counts are reported only at intervals.
func TestReports(t *testing.T) {
	p := three()
	p.holdLists = true
	onPods(t, p, func(t *testing.T, b *fixture) {
		before := b.page.stateCount
		for i := range 100 {
			b.proxy.change(wire.Added, pod("c", fmt.Sprint("x", 1000+i), "Pending"))
			b.wait(10 * time.Millisecond)
		}
		if n := b.page.stateCount - before; n < 4 || n > int(time.Second/loop.ReportEvery)+1 {
			t.Errorf("%d reports in a second", n)
		}
	})
}

// TestSyncing checks that rows are on screen while a list comes in, and that the list is not
// yet reported as live.
func TestSyncing(t *testing.T) {
	p := three()
	p.holdLists = true
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.wantRows("syncing", "a/web1 a/web2 b/db1")
		if s := b.now().Source; s.Synced || s.Objects != 3 {
			t.Errorf("%+v", s)
		}
	})
}

// TestLiveIsOnScreen checks that all rows and counts are on screen when a list is reported as
// live.
func TestLiveIsOnScreen(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		w := b.page.live
		if w.Total != 3 || w.Of != 3 || len(w.Rows) != 3 || len(w.Facets) != 3 {
			t.Errorf("called live with %d rows of %d, %d in the window, and %v", w.Total, w.Of, len(w.Rows), w.Facets)
		}
		for _, f := range w.Facets {
			counted := 0
			for _, v := range f.Values {
				counted += v.Count
			}
			if counted != 3 {
				t.Errorf("called live with %d of 3 counted in %s", counted, f.Name)
			}
		}
	})
}

// TestPace checks that patches wait for the page to paint, but not forever, since a hidden page
// rarely paints.
func TestPace(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.page.mu.Lock()
		b.page.omitPainted = true
		before := b.page.patches
		b.page.mu.Unlock()
		for i := range 100 {
			b.proxy.change(wire.Added, pod("c", fmt.Sprint("x", 1000+i), "Pending"))
			b.wait(10 * time.Millisecond)
		}
		if n := b.page.patches - before; n < 1 || n > 2 {
			t.Errorf("%d patches in a second to a page that does not paint", n)
		}
		b.wait(2 * list.PaintWithin)
		if b.page.window.Total != 103 {
			t.Errorf("%d rows", b.page.window.Total)
		}
		b.page.in <- port.Painted{ID: listID}
		b.page.mu.Lock()
		b.page.omitPainted = false
		before = b.page.patches
		b.page.mu.Unlock()
		for i := range 100 {
			b.proxy.change(wire.Deleted, pod("c", fmt.Sprint("x", 1000+i), ""))
			b.wait(list.Frame / 2)
		}
		if n := b.page.patches - before; n < 40 || n > 52 {
			t.Errorf("%d patches in 50 frames", n)
		}
	})
}

// TestHurry checks that another query is answered at once, even while a list comes in slowly.
func TestHurry(t *testing.T) {
	p := three()
	p.holdLists = true
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.proxy.change(wire.Added, pod("c", "new", "Pending"))
		b.wait(2 * list.Frame)
		b.wantRows("syncing", "a/web1 a/web2 b/db1 c/new")
		b.page.in <- port.ListQuery{ID: listID, Resource: "pods", Query: view.Query{Seq: 2, Limit: 10, Text: "web"}}
		b.wait(2 * list.Frame)
		b.wantRows("syncing", "a/web1 a/web2")
	})
}
