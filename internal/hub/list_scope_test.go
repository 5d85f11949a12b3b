package hub

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/list"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// refuse makes the cluster refuse pods except as given: "list a, watch a", a verb and a
// namespace, or a verb alone for the whole cluster.
func (p *proxy) refuse(may string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := strings.Split(may, ", ")
	p.deny = func(r wire.Request) *wire.Status {
		what := strings.TrimSpace(string(r.Verb) + " " + r.Namespace)
		if r.Resource != "pods" || slices.Contains(all, what) {
			return nil
		}
		status := *forbidden
		status.Message = "may not " + what
		return &status
	}
}

// both returns the rights to list and watch in namespaces, for refuse.
func both(namespaces ...string) string {
	var all []string
	for _, n := range namespaces {
		all = append(all, strings.TrimSpace("list "+n), strings.TrimSpace("watch "+n))
	}
	return strings.Join(all, ", ")
}

// scope returns the namespaces that the source is limited to.
func (b *fixture) scope() string { return b.now().Source.Namespace }

// testWanted checks which namespaces are shown to a user who may not list the whole cluster.
func testWanted(t *testing.T) {
	for name, c := range map[string]struct {
		address, flag, remembered, kubeconfig string
		scope                                 string
	}{
		"address":    {"c,a", "a,b", "b", "b", "c,a"},
		"flag":       {"", "a,b", "b", "c", "a,b"},
		"remembered": {"", "", "b,a", "c", "b,a"},
		"kubeconfig": {"", "", "", "a", "a"},
		"nothing":    {"", "", "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := three()
			p.welcome.Namespace, p.welcome.Namespaces = c.kubeconfig, c.flag
			p.refuse(both("a", "b", "c"))
			onHub(t, p, func(t *testing.T, b *fixture) {
				b.page.remembers = cluster.Distinct(strings.Split(c.remembered, ","))
				b.showList("pods", view.Query{Seq: 1, Namespaces: cluster.Distinct(strings.Split(c.address, ","))})
				want := "live"
				if c.scope == "" {
					want = "denied"
				}
				if s := b.now().Source; s.Namespace != c.scope || s.State != want {
					t.Errorf("%+v", s)
				}
			})
		})
	}
}

// TestWantedNotNeeded checks that wanted namespaces do not narrow a list of the whole cluster
// that is allowed.
func TestWantedNotNeeded(t *testing.T) {
	p := three()
	p.welcome.Namespace, p.welcome.Namespaces = "a", "a"
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.remembers = []string{"b"}
		b.showList("pods", view.Query{Seq: 1})
		b.wantRows("live", "a/web1 a/web2 b/db1")
		b.wantAsked("watch pods")
	})
}

// TestUndecided checks that nothing is reported as denied before the page has said what it
// remembers.
func TestUndecided(t *testing.T) {
	p := three()
	p.welcome.Namespace = "c"
	p.refuse(both("a"))
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.omitRemembered = true
		b.showList("pods", view.Query{Seq: 1})
		if s := b.now().Source; s.State != "connecting" || s.Cause != nil {
			t.Errorf("%+v", s)
		}
		b.page.in <- port.SavedNamespaces{Namespaces: []string{"a"}}
		b.wait(soon)
		b.wantRows("live", "a/web1 a/web2")
		b.page.in <- port.SavedNamespaces{}
		b.wait(soon)
		b.wantRows("denied", "")
		if slices.Contains(b.page.states[:len(b.page.states)-1], "denied") {
			t.Error(b.page.states)
		}
	})
}

// testDeniedInPart checks what is reported when only some of the namespaces may be listed.
func testDeniedInPart(t *testing.T) {
	p := three()
	p.welcome.Namespaces = "a,c,b,d"
	p.refuse(both("a", "b"))
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.wantRows("denied", "a/web1 a/web2 b/db1")
		s := b.now().Source
		if s.Denied != "c,d" || s.Rest != "live" || !s.Synced || s.Objects != 3 || s.Version != "3" || s.Cause == nil || s.Cause.Message != "may not list c" {
			t.Errorf("%+v %v", s, s.Cause)
		}
		b.proxy.setAway(true)
		b.wait(soon)
		if s := b.now().Source; s.Rest != "stale" {
			t.Errorf("%+v", s)
		}
		b.proxy.setAway(false)
		b.proxy.refuse(both("a", "b", "c", "d"))
		b.wait(2 * time.Minute)
		b.wantRows("live", "a/web1 a/web2 b/db1")
		if s := b.now().Source; s.Denied+s.Rest != "" || s.Cause != nil {
			t.Errorf("%+v", s)
		}
	})
}

// TestWidens checks that the whole cluster is shown as soon as it may be listed, at once if a
// user is waiting, and that no row disappears meanwhile.
func TestWidens(t *testing.T) {
	for _, wake := range []bool{false, true} {
		p := three()
		p.welcome.Namespace = "a"
		p.refuse(both("a"))
		onPods(t, p, func(t *testing.T, b *fixture) {
			b.wantRows("live", "a/web1 a/web2")
			b.wait(3 * time.Minute)
			b.wantRows("live", "a/web1 a/web2")
			b.page.forget()
			b.proxy.refuse(both("", "a"))
			within := 2 * time.Minute
			if wake {
				b.page.in <- port.Presence{Visible: true, Online: true}
				within = soon
			}
			b.wait(within)
			b.wantRows("live", "a/web1 a/web2 b/db1")
			if b.scope() != "" || slices.Min(b.page.totals) < 2 || !slices.Equal(b.page.states, []string{"live"}) {
				t.Errorf("in %q; %v rows, %v", b.scope(), b.page.totals, b.page.states)
			}
			b.wait(2 * cluster.Linger)
			b.proxy.change(wire.Deleted, pod("b", "db1", ""))
			b.wait(list.Frame)
			b.wantRows("live", "a/web1 a/web2")
			if s := b.inspected(); len(s) != 1 || s[0].Namespace != "" {
				t.Errorf("%+v", s)
			}
			b.showList("nodes", view.Query{Seq: 2})
			b.wait(2 * cluster.Linger)
			if s := b.inspected(); len(s) != 1 || s[0].Resource != "nodes" {
				t.Errorf("the whole is held twice: %+v", s)
			}
		})
	}
}

// TestWideSourceReleased checks that the whole cluster is not requested any more once the list is
// closed.
func TestWideSourceReleased(t *testing.T) {
	p := three()
	p.welcome.Namespace, p.extraKinds = "a", []string{"widgets"}
	p.refuse(both("a"))
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.showList("widgets", view.Query{Seq: 2})
		b.wait(2 * cluster.Linger)
		if s := b.inspected(); len(s) != 1 || s[0].Resource != "widgets.example.com" {
			t.Errorf("%+v", s)
		}
	})
}

// TestPolled checks sources that may be listed but not watched: the whole cluster, all shown
// namespaces, and some of them.
func TestPolled(t *testing.T) {
	for name, c := range map[string]struct {
		may, scope, in, rows string
	}{
		"whole":    {"list", "", "", "a/web1 a/web2 b/db1"},
		"narrow":   {"list a, list b", "a,b", "", "a/web1 a/web2 b/db1"},
		"one of 2": {both("a") + ", list b", "a,b", "b", "a/web1 a/web2 b/db1"},
	} {
		t.Run(name, func(t *testing.T) {
			p := three()
			p.welcome.Namespaces = "a,b"
			p.refuse(c.may)
			onPods(t, p, func(t *testing.T, b *fixture) {
				b.wantRows("stale", c.rows)
				s := b.now().Source
				if s.Polled != 10_000 || s.PolledIn != c.in || s.Namespace != c.scope || !s.Synced || s.Cause == nil || !strings.HasPrefix(s.Cause.Message, "may not watch") {
					t.Errorf("%+v %v", s, s.Cause)
				}
				if slices.Contains(b.page.states, "live") || slices.Contains(b.page.states, "denied") {
					t.Error(b.page.states)
				}
				b.proxy.change(wire.Added, pod("b", "db2", "Pending"))
				b.wait(12 * time.Second)
				b.wantRows("stale", c.rows+" b/db2")
				b.proxy.refuse(c.may + ", " + both("a", "b") + ", watch")
				b.wait(90 * time.Second)
				b.wantRows("live", c.rows+" b/db2")
				if s := b.now().Source; s.Polled != 0 || s.PolledIn != "" || s.Cause != nil {
					t.Errorf("%+v", s)
				}
			})
		})
	}
}

// TestPolledOrWatched checks that a list of the whole cluster that can only be polled does not
// replace a watched list of one namespace.
func TestPolledOrWatched(t *testing.T) {
	p := three()
	p.welcome.Namespace = "a"
	p.refuse(both("a"))
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.proxy.refuse(both("a") + ", list")
		b.wait(3 * time.Minute)
		b.wantRows("live", "a/web1 a/web2")
		b.proxy.refuse("list")
		b.proxy.setAway(true) // open watches stay open
		b.proxy.setAway(false)
		b.wait(3 * time.Minute)
		b.wantRows("stale", "a/web1 a/web2 b/db1")
	})
}

// TestRights checks that the page is sent what may be listed when something is denied.
func TestRights(t *testing.T) {
	p := three()
	p.welcome.Namespace, p.welcome.Namespaces, p.namespaces = "c", "b", []string{"a", "b"}
	p.rules = map[string]string{
		"a": `{"status":{"resourceRules":[{"verbs":["get","list"],"apiGroups":["","apps"],"resources":["pods","pods/log"]},{"verbs":["create"],"apiGroups":["*"],"resources":["*"]}]}}`,
		"b": `{"status":{"resourceRules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"]},{"verbs":["list"],"apiGroups":[""],"resources":["secrets"],"resourceNames":["one"]}]}}`,
		"c": `no JSON`,
	}
	onPods(t, p, func(t *testing.T, b *fixture) {
		if b.wait(time.Hour); len(b.page.reviews()) != 0 {
			t.Errorf("there is nothing to tell: %+v", b.page.reviews())
		}
	})
	p = &proxy{welcome: p.welcome, namespaces: p.namespaces, rules: p.rules}
	p.refuse("")
	onPods(t, p, func(t *testing.T, b *fixture) {
		last := func() port.Rights { return b.page.reviews()[len(b.page.reviews())-1] }
		got := last()
		if !slices.Equal(got.Namespaces, []string{"a", "b"}) || len(got.In) != 3 || got.In[0].Namespace != "b" || got.In[1].Namespace != "c" || got.In[2].Namespace != "a" {
			t.Fatalf("%+v", got)
		}
		if b, c, a := got.In[0].Lists, got.In[1].Lists, got.In[2].Lists; !slices.Equal(b, []string{"*.*"}) || c != nil || !slices.Equal(a, []string{"pods.", "pods.apps"}) {
			t.Errorf("%q %q %q", a, b, c)
		}
		n := len(b.page.reviews())
		b.wait(10 * time.Minute)
		if more := len(b.page.reviews()) - n; more < 8 || more > 11 {
			t.Errorf("asked %d times in ten minutes", more)
		}
		n = len(b.page.reviews())
		b.page.in <- port.Presence{Visible: true, Online: true}
		b.page.in <- port.SavedNamespaces{Namespaces: []string{"z"}}
		if b.wait(soon); len(b.page.reviews()) == n || last().In[1].Namespace != "z" {
			t.Errorf("%+v", last())
		}
		n = len(b.page.reviews())
		b.page.in <- port.Presence{Visible: true, Online: true}
		if b.wait(soon); len(b.page.reviews()) != n+1 {
			t.Errorf("asked %d times by a page that is back", len(b.page.reviews())-n)
		}
	})
}

// TestRightsNarrow checks that with -n the rights in other namespaces are not requested.
func TestRightsNarrow(t *testing.T) {
	p := &proxy{welcome: wire.Welcome{Namespace: "c", Narrow: true, Namespaces: "b"}, namespaces: []string{"a"}}
	p.refuse("")
	onPods(t, p, func(t *testing.T, b *fixture) {
		if got := b.page.reviews(); len(got) == 0 || got[0].Namespaces != nil || len(got[0].In) != 1 || got[0].In[0].Namespace != "c" {
			t.Errorf("%+v", got)
		}
	})
}

// TestWhoamiAgain checks that another user behind the same name in the kubeconfig is told: after each connection, and
// also if the apiserver does not say who it is.
func TestWhoamiAgain(t *testing.T) {
	p := three()
	var silent atomic.Bool
	p.deny = func(r wire.Request) *wire.Status {
		if r.Resource == "selfsubjectreviews" && silent.Load() {
			return forbidden
		}
		return nil
	}
	onPods(t, p, func(t *testing.T, b *fixture) {
		again := func(want string) {
			t.Helper()
			b.proxy.setAway(true)
			b.wait(soon)
			b.proxy.setAway(false)
			b.wakeClient()
			b.wait(15 * time.Second)
			if s := b.now(); s.User != want {
				t.Errorf("it is %q, want %q", s.User, want)
			}
		}
		b.proxy.mu.Lock()
		b.proxy.user = "bob"
		b.proxy.mu.Unlock()
		again("bob")
		silent.Store(true)
		again("")
	})
}

// TestWhoami checks that the user is requested until the apiserver answers.
func TestWhoami(t *testing.T) {
	p, asked := three(), 0
	p.deny = func(r wire.Request) *wire.Status {
		if r.Resource != "selfsubjectreviews" {
			return nil
		}
		if asked++; asked < 4 {
			return &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable, Message: "refused"}
		}
		return nil
	}
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.wait(time.Minute)
		if s := b.now(); s.User != "ana" || s.Groups != "devs,system:authenticated" || asked != 4 {
			t.Errorf("%+v after %d", s, asked)
		}
	})
}
