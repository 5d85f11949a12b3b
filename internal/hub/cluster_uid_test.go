package hub

import (
	"strings"
	"testing"
	"time"

	"watchglass/internal/wire"
)

// TestAnotherHistory has another cluster answer after an outage. Within ten seconds the page
// shows that cluster's objects.
func TestAnotherHistory(t *testing.T) {
	for name, c := range map[string]struct {
		away    time.Duration
		change  func(p *proxy)
		rewinds int
		audits  int
		rows    string
	}{
		"the same":  {away: 2 * time.Minute, change: func(*proxy) {}, audits: 1, rows: "a/web1 a/web2 b/db1"},
		"went back": {away: 20 * time.Second, change: func(p *proxy) { p.things, p.version = p.things[:2], 2 }, rewinds: 1, rows: "a/web1 a/web2"},
		"overtook":  {away: 2 * time.Minute, change: func(p *proxy) { p.things = append(p.things[:2], at(7, pod("c", "new", "Running"))); p.version = 9 }, rewinds: 1, rows: "a/web1 a/web2 c/new"},
		"is another": {away: 20 * time.Second, change: func(p *proxy) {
			p.uid, p.things, p.version = "u2", []testObject{at(7, pod("z", "other", "Running"))}, 9
		}, rewinds: 1, rows: "z/other"},
	} {
		t.Run(name, func(t *testing.T) {
			onPods(t, three(), func(t *testing.T, b *fixture) {
				b.proxy.setAway(true)
				b.wait(c.away)
				b.proxy.mu.Lock()
				c.change(b.proxy)
				b.proxy.log = nil // requests of the previous history
				b.proxy.mu.Unlock()
				b.proxy.setAway(false)
				b.wakeClient()
				b.wait(10 * time.Second)
				b.wantRows("live", c.rows)
				s := b.inspected()[0]
				if s.Checks.Rewinds != c.rewinds || s.Checks.Audits != c.audits || s.Checks.Probes == 0 || s.Relists != c.rewinds {
					t.Errorf("%+v", s)
				}
			})
		})
	}
}

// TestClusterUnknown checks that inspect says so if kube-system may not be read, and that
// nothing else depends on it.
func TestClusterUnknown(t *testing.T) {
	p := three()
	p.deny = func(r wire.Request) *wire.Status {
		if r.Verb == wire.Get {
			return &wire.Status{Origin: wire.FromAPIServer, Code: 403, Message: "namespaces is forbidden"}
		}
		return nil
	}
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.wantRows("live", "a/web1 a/web2 b/db1")
		b.proxy.setAway(true)
		b.wait(20 * time.Second)
		b.proxy.setAway(false)
		b.wait(10 * time.Second)
		b.wantRows("live", "a/web1 a/web2 b/db1")
		if s := b.inspected()[0]; !strings.HasPrefix(s.Checks.Cluster, "skipped: namespaces is forbidden") || s.Checks.Probes != 1 || s.Resumes != 1 {
			t.Errorf("%+v", s)
		}
	})
}
