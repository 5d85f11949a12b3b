package hub

import (
	"strings"
	"testing"
	"time"

	"watchglass/internal/hub/cluster"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// unwatchableServer returns an apiserver that cannot watch a kind, with the discovery that it would
// send.
func unwatchableServer(declared bool) *proxy {
	p := three()
	p.extraKinds = []string{"widgets"}
	if declared {
		p.unwatchable = p.extraKinds
	}
	p.deny = func(r wire.Request) *wire.Status {
		if r.Resource == "widgets" && r.Verb == wire.Watch {
			return &wire.Status{Origin: wire.FromAPIServer, Code: 405, Reason: "MethodNotAllowed", Message: "watch is not supported"}
		}
		return nil
	}
	p.change(wire.Added, testObject{resource: "widgets", namespace: "a", name: "w1", status: "big"})
	return p
}

// TestUnwatched checks that a kind that can be listed but not watched is polled and never
// reported as live, and that no watch is tried if discovery rules it out.
func TestUnwatched(t *testing.T) {
	for name, declared := range map[string]bool{"as discovery says": true, "as the apiserver says only when it is asked": false} {
		t.Run(name, func(t *testing.T) {
			p := unwatchableServer(declared)
			onHub(t, p, func(t *testing.T, b *fixture) {
				b.showList("widgets", view.Query{Seq: 1})
				b.wantRows("stale", "a/w1")
				s := b.now().Source
				by := map[bool]wire.Origin{true: wire.FromTab, false: wire.FromAPIServer}[declared]
				if s.Polled != 10_000 || s.Cause == nil || s.Cause.Origin != by || !s.Cause.Unwatchable() {
					t.Errorf("%+v", s)
				}
				p.change(wire.Added, testObject{resource: "widgets", namespace: "a", name: "w2", status: "small"})
				b.wait(11 * time.Second)
				b.wantRows("stale", "a/w1 a/w2")
				if asked := p.takeRequests(); declared == strings.Contains(asked, "watch widgets") {
					t.Error(asked)
				}
				b.page.in <- port.Presence{Visible: true, Online: true} // the page is visible
				b.wait(time.Minute)
				if asked := p.takeRequests(); declared && strings.Contains(asked, "watch widgets") || strings.Count(asked, "list widgets") < 5 {
					t.Error(asked)
				}
			})
		})
	}
}

// TestStaleGroup checks that a kind is not gone if the apiserver cannot reach its server: known
// kinds stay, and for unknown ones the reason is given.
func TestStaleGroup(t *testing.T) {
	p := three()
	p.extraKinds = []string{"widgets"}
	p.change(wire.Added, testObject{resource: "widgets", namespace: "a", name: "w1", status: "big"})
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("widgets", view.Query{Seq: 1})
		b.wantRows("live", "a/w1")
		p.mu.Lock()
		p.stale = true
		p.mu.Unlock()
		b.showList("racks.example.com", view.Query{Seq: 2})
		if s := b.now().Source; s.State != "connecting" || s.Cause == nil || s.Cause.Origin != wire.FromTab || !strings.Contains(s.Cause.Message, "the API server for example.com is not responding") {
			t.Errorf("%+v %v", s, s.Cause)
		}
		b.wait(2 * cluster.Linger)
		b.showList("widgets", view.Query{Seq: 3})
		b.wantRows("live", "a/w1")
		b.showList("racks.example.org", view.Query{Seq: 4})
		if s := b.now().Source; s.State != "gone" {
			t.Errorf("of another group: %+v", s)
		}
		p.mu.Lock()
		p.stale, p.extraKinds = false, nil
		p.mu.Unlock()
		b.wait(2 * cluster.Linger)
		b.showList("widgets", view.Query{Seq: 5})
		if s := b.now().Source; s.State != "gone" {
			t.Errorf("gone for good: %+v", s)
		}
	})
}

// TestKindsStale checks that discovery is soon repeated for a server that did not answer.
func TestKindsStale(t *testing.T) {
	p := three()
	p.extraKinds, p.stale = []string{"widgets"}, true
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.WatchKinds{}
		b.wait(soon)
		if got := b.kindsSent(); got != "1 pods" {
			t.Error(got)
		}
		p.mu.Lock()
		p.stale = false
		p.mu.Unlock()
		b.wait(cluster.KeepBlind + cluster.KeepSoon)
		if got := b.kindsSent(); got != "2 pods widgets.example.com" {
			t.Error(got)
		}
	})
}

// TestKindsHeldBack checks that discovery is not repeated constantly if no watch of the
// definitions gets through.
func TestKindsHeldBack(t *testing.T) {
	p := three()
	p.deny = func(r wire.Request) *wire.Status {
		if r.Resource == cluster.Definitions.Resource && r.Verb == wire.Watch {
			return &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnanswered, Message: "not answered"}
		}
		return nil
	}
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.WatchKinds{}
		b.wait(10 * time.Minute)
		if n := strings.Count(p.takeRequests(), "close discover"); n < 16 || n > 24 {
			t.Errorf("asked %d times in ten minutes", n)
		}
	})
}
