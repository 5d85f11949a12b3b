package hub

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/internal/hub/cluster"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// audits returns how many audits each source had, and how many of them found a difference.
func (b *fixture) audits() string {
	var out []string
	for _, s := range b.inspected() {
		out = append(out, fmt.Sprintf("%s:%d/%d", s.Resource, s.Checks.Audits, s.Checks.Differences))
	}
	return strings.Join(out, " ")
}

// listed returns the pods of the tab's store, with their versions.
func (b *fixture) listed() string {
	b.t.Helper()
	var list []struct{ Namespace, Name, ResourceVersion string }
	if err := json.Unmarshal([]byte(b.ask("list", `["pods"]`)), &list); err != nil {
		b.t.Fatal(err)
	}
	var out []string
	for _, o := range list {
		out = append(out, o.Namespace+"/"+o.Name+"@"+o.ResourceVersion)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// listed returns the pods of the cluster, with their versions.
func (p *proxy) listed() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []string
	for _, o := range p.things {
		if o.resource == "pods" {
			out = append(out, fmt.Sprintf("%s/%s@%d", o.namespace, o.name, o.version))
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// TestAudits lets half an hour pass: one source after another is compared with the apiserver, one
// about every five minutes, none from a hidden page.
func TestAudits(t *testing.T) {
	p := three()
	p.auditEvery = auditEvery
	p.extraKinds = []string{"widgets"}
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.ListQuery{ID: 2, Resource: "widgets", Query: view.Query{Seq: 1, Limit: 10}}
		b.wait(auditEvery / 4)
		if got := b.audits(); got != "pods:0/0 widgets.example.com:0/0" {
			t.Errorf("at first: %s", got)
		}
		b.wait(30 * time.Minute)
		total, least := 0, 100
		for _, s := range b.inspected() {
			total, least = total+s.Checks.Audits, min(least, s.Checks.Audits)
			if s.Checks.Differences+s.Relists > 0 || s.Checks.Unaudited != "" {
				t.Errorf("%+v", s)
			}
		}
		if total < 4 || total > 12 || least < total/2 {
			t.Errorf("%s in half an hour", b.audits())
		}
		before := b.audits()
		b.page.in <- port.Presence{Online: true}
		b.wait(time.Hour)
		if got := b.audits(); got != before {
			t.Errorf("hidden: %s, before: %s", got, before)
		}
		b.page.in <- port.Presence{Online: true, Visible: true}
		b.wait(2 * auditEvery)
		if b.audits() == before {
			t.Errorf("visible again: %s", before)
		}
	})
}

// TestAuditFindsALostEvent loses an event on its way to the tab. Until an audit finds that, nothing
// shows it; then the list is what the apiserver has, and says that it was not.
func TestAuditFindsALostEvent(t *testing.T) {
	for name, lose := range map[string]func(p *proxy){
		"an object that was created": func(p *proxy) { p.change(wire.Added, pod("b", "new", "Running")) },
		"one that was deleted":       func(p *proxy) { p.change(wire.Deleted, pod("a", "web1", "")) },
		"one that was changed":       func(p *proxy) { p.change(wire.Modified, pod("a", "web1", "Failed")) },
	} {
		t.Run(name, func(t *testing.T) {
			p := three()
			p.auditEvery = auditEvery
			onPods(t, p, func(t *testing.T, b *fixture) {
				p.losing = true
				lose(p)
				p.change(wire.Modified, pod("b", "db1", "Failed")) // so that its version is reached
				b.wait(soon)
				if s := b.listed(); s == p.listed() {
					t.Fatalf("nothing was lost: %s", s)
				}
				if s := b.now().Source; s.State != port.Live || !s.Audited.IsZero() || s.Differences > 0 {
					t.Errorf("%+v", s)
				}
				b.wait(2 * auditEvery)
				b.awaitLive() // a watch may just have ended
				if s := b.now().Source; s.State != port.Live || s.Audited.IsZero() || s.Differences != 1 {
					t.Errorf("%+v", s)
				}
				if got := b.audits(); !strings.HasSuffix(got, "/1") {
					t.Error(got)
				}
				if got, want := b.listed(), p.listed(); got != want {
					t.Errorf("the list has %s, want %s", got, want)
				}
				b.showList("nodes", view.Query{Seq: 9})
				b.wait(2 * cluster.Linger)
				if s := b.now(); s.Source.Differences != 0 || s.Differences != 1 {
					t.Errorf("at another list: %+v", s)
				}
			})
		})
	}
}
