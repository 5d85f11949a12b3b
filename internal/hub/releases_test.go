package hub

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"watchglass/internal/hub/focus"
	"watchglass/internal/hub/loop"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// stored is the Secret of a revision of a release in namespace a.
func stored(release string, number int, status string) testObject {
	n := strconv.Itoa(number)
	return testObject{
		resource: "secrets", namespace: "a", name: "sh.helm.release.v1." + release + ".v" + n,
		labels: map[string]string{"owner": "helm", "name": release, "version": n, "status": status, "createdAt": "946684800"},
	}
}

// onReleases runs a test on a cluster with two releases, on screen.
func onReleases(t *testing.T, p *proxy, test func(t *testing.T, b *fixture)) {
	for _, o := range []testObject{stored("web", 1, "superseded"), stored("web", 2, "deployed"), stored("db", 1, "failed")} {
		p.change(wire.Added, o)
	}
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("helm", view.Query{Seq: 1, Limit: 10, Columns: []string{"Name", "Revision", "Status", "Stored"}})
		b.wait(2 * loop.Tick)
		test(t, b)
	})
}

// wantReleases checks the state and the rows on screen.
func (b *fixture) wantReleases(state, want string) {
	b.t.Helper()
	b.wait(soon)
	if got := b.rows(); got != want || b.now().Source.State != state {
		b.t.Errorf("%s: %s, want %s: %s", b.now().Source.State, got, state, want)
	}
}

// TestReleases checks that the list of releases follows the Secrets, that only their metadata is
// requested, and that it is live and counted as any list.
func TestReleases(t *testing.T) {
	onReleases(t, three(), func(t *testing.T, b *fixture) {
		b.wantAsked("watch secrets metadata")
		b.wantReleases("live", "db 1 failed 1, web 2 deployed 2")
		b.proxy.change(wire.Added, stored("web", 3, "pending-upgrade"))
		b.wantReleases("live", "db 1 failed 1, web 3 pending-upgrade 3")
		b.proxy.change(wire.Modified, stored("web", 3, "failed"))
		b.wantReleases("live", "db 1 failed 1, web 3 failed 3")
		b.proxy.change(wire.Deleted, stored("web", 3, "failed"))
		b.wantReleases("live", "db 1 failed 1, web 2 deployed 2")
		b.proxy.change(wire.Deleted, stored("web", 1, "superseded"))
		b.wantReleases("live", "db 1 failed 1, web 2 deployed 1")
		b.proxy.change(wire.Deleted, stored("db", 1, "failed"))
		b.wantReleases("live", "web 2 deployed 1")
		if s := b.now().Source; s.ID != "releases.helm.sh" || s.Kind != "Release" || !s.Namespaced || !s.Synced {
			t.Errorf("%+v", s)
		}
	})
}

// TestReleasesAway checks that the list resumes after an outage, in which the Secrets have changed, that
// the audit behind it finds no difference, and that it is stale meanwhile.
func TestReleasesAway(t *testing.T) {
	onReleases(t, three(), func(t *testing.T, b *fixture) {
		b.proxy.change(wire.Added, stored("db", 2, "failed"))
		b.proxy.change(wire.Deleted, stored("db", 1, "failed")) // now the row has the version of no Secret
		b.wait(soon)
		b.proxy.setAway(true)
		b.wait(2 * time.Minute)
		if state := b.now().Source.State; state == "live" {
			t.Error(state)
		}
		b.proxy.change(wire.Added, stored("web", 3, "deployed"))
		b.proxy.takeRequests()
		b.proxy.setAway(false)
		b.wait(time.Minute)
		b.wantReleases("live", "db 2 failed 1, web 3 deployed 3")
		audits := 0
		for _, s := range b.inspected() {
			if s.Resource == "releases.helm.sh" {
				if audits += s.Checks.Audits; s.Relists != 0 || s.Resumes == 0 {
					t.Errorf("%+v", s)
				}
			}
		}
		if audits == 0 {
			t.Errorf("no audit: %+v", b.inspected())
		}
		if asked := b.proxy.takeRequests(); strings.Contains(asked, "releases") {
			t.Errorf("the server has no releases: %s", asked)
		}
	})
}

// TestReleasesDenied checks that a user who may not list the Secrets is told so in the server's words,
// and sees those of the namespaces that may be listed.
func TestReleasesDenied(t *testing.T) {
	p := three()
	p.deny = forbids(func(r wire.Request) bool { return r.Resource == "secrets" && r.Namespace != "a" })
	onReleases(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.SavedNamespaces{Namespaces: []string{"a"}}
		b.wait(2 * loop.Tick)
		b.wantReleases("live", "db 1 failed 1, web 2 deployed 2")
		if b.scope() != "a" {
			t.Error(b.scope())
		}
	})
	p = three()
	p.deny = forbids(func(r wire.Request) bool { return r.Resource == "secrets" })
	onReleases(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.SavedNamespaces{Namespaces: []string{}}
		b.wait(2 * loop.Tick)
		if s := b.now().Source; s.State != "denied" || s.Cause == nil || s.Cause.Code != 403 {
			t.Errorf("%+v", s)
		}
		b.proxy.takeRequests()
		b.focus(port.Focus{Seq: 1, Resource: "releases.helm.sh", Namespace: "a", Name: "web", Tab: "summary"})
		b.wait(2 * focus.PollEvery)
		if asked := b.asks(); strings.Contains(asked, "releases") {
			t.Errorf("the server has no releases: %s", asked)
		}
	})
}

// TestReleaseSummary checks what the summary of a release shows, that its objects are counted by their
// metadata, and that nothing asks the server for a release.
func TestReleaseSummary(t *testing.T) {
	p := three()
	onReleases(t, p, func(t *testing.T, b *fixture) {
		b.proxy.takeRequests()
		b.focus(port.Focus{Seq: 1, Resource: "releases.helm.sh", Namespace: "a", Name: "web", Tab: "summary"})
		b.wait(2 * loop.Tick)
		all := b.summaries()
		if len(all) == 0 {
			t.Fatal("no summary")
		}
		s := all[len(all)-1]
		if says(s, "Release", "Status") != "deployed" || says(s, "Release", "Revision") != "2" {
			t.Errorf("%+v", s)
		}
		var revisions []string
		for _, part := range s.Sections {
			for _, table := range part.Tables {
				for _, row := range table.Rows {
					revisions = append(revisions, row[0][0].Text+" "+row[1][0].Text)
				}
			}
		}
		if got := fmt.Sprint(revisions); got != "[2 deployed 1 superseded]" {
			t.Error(got)
		}
		asked := b.asks()
		if !strings.Contains(asked, "watch deployments/a metadata") || strings.Contains(asked, "releases") || strings.Contains(asked, "whole") {
			t.Errorf("asked %s", asked)
		}
		b.focus(port.Focus{Seq: 2, Resource: "releases.helm.sh", Namespace: "a", Name: "away", Tab: "summary"})
		b.wait(2 * loop.Tick)
		if asked := b.asks(); !strings.Contains(asked, "watch secrets/a metadata") || strings.Contains(asked, "releases") {
			t.Errorf("asked %s", asked)
		}
	})
}

// TestReleasesServed checks that a kind of the server that has the name of the releases goes before them.
func TestReleasesServed(t *testing.T) {
	p := three()
	p.extraKinds = []string{"releases.helm.sh"}
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.WatchKinds{}
		b.wait(2 * loop.Tick)
		kind, ok := b.cluster().Kinds.Find("releases.helm.sh")
		if !ok || kind.APIVersion() != "helm.sh/v1" || b.cluster().Local.Of(kind) != nil || b.derivedSent() != "" {
			t.Errorf("%+v, %s", kind, b.derivedSent())
		}
	})
	onReleases(t, three(), func(t *testing.T, b *fixture) {
		b.page.in <- port.WatchKinds{}
		b.wait(2 * loop.Tick)
		if got := b.derivedSent(); got != "releases.helm.sh" {
			t.Error(got)
		}
		kind, ok := b.cluster().Kinds.Find("helm")
		if !ok || kind.APIVersion() != "helm.sh/release.v1" || !kind.Printing().Body {
			t.Errorf("%+v", kind)
		}
		if of := b.cluster().Kinds.Of(wire.Request{Group: "helm.sh", Version: "v1", Resource: "releases"}); of.Name != "" {
			t.Errorf("%+v", of)
		}
	})
}

// derivedSent returns the kinds that the page was sent and the server has not.
func (b *fixture) derivedSent() string {
	b.page.mu.Lock()
	defer b.page.mu.Unlock()
	var ids []string
	for _, k := range b.page.kinds[len(b.page.kinds)-1] {
		if k.Derived {
			ids = append(ids, k.ID)
		}
	}
	return strings.Join(ids, " ")
}
