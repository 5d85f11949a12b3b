package hub

import (
	"slices"
	"testing"
	"time"

	"watchglass/internal/hub/cluster"
	"watchglass/internal/port"
	"watchglass/internal/view"
)

// printedBy returns the minor version by which the pods on screen are printed.
func (b *fixture) printedBy() (minor int) {
	b.postAndWait(func() { shown, _ := b.list().Shown(); minor = shown.Kind.Printing().Release })
	return minor
}

// wantReprinted checks that the pods on screen are printed as in a release, without another
// list, and that no row disappeared meanwhile.
func (b *fixture) wantReprinted(minor int) {
	b.t.Helper()
	b.wantAsked("watch pods at 3")
	if got := b.printedBy(); got != minor {
		b.t.Errorf("as 1.%d, want 1.%d", got, minor)
	}
	b.page.mu.Lock()
	defer b.page.mu.Unlock()
	if slices.ContainsFunc(b.page.totals, func(n int) bool { return n != 3 }) {
		b.t.Errorf("rows went: %v", b.page.totals)
	}
}

// TestMinor checks that pods are printed as in the server's release, or as in the newest if the
// release is unknown. The first list is requested only once.
func TestMinor(t *testing.T) {
	for minor, want := range map[string]int{"27": 27, "29+": 30, "30": 30, "33": 34, "36": 0, "99": 0, "": 0, "x": 0} {
		t.Run(minor, func(t *testing.T) {
			p := three()
			p.minor = minor
			onPods(t, p, func(t *testing.T, b *fixture) {
				b.wantRows("live", "a/web1 a/web2 b/db1")
				b.wantAsked("watch pods")
				if got := b.printedBy(); got != want {
					t.Errorf("as 1.%d, want 1.%d", got, want)
				}
			})
		})
	}
}

// TestMinorLate checks that rows do not wait for a slow answer, and are printed again without a
// list when it comes.
func TestMinorLate(t *testing.T) {
	p := three()
	p.minor, p.delayAnswers = "30", true
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.ListQuery{ID: listID, Resource: "pods", Query: view.Query{Seq: 1, Limit: 10}}
		b.wait(2 * cluster.MinorWithin)
		b.wantRows("live", "a/web1 a/web2 b/db1")
		b.wantAsked("watch pods")
		b.page.forget()
		p.answerDelayed()
		b.wait(soon)
		b.wantRows("live", "a/web1 a/web2 b/db1")
		b.wantReprinted(30)
	})
}

// TestMinorKnown checks that the first list does not wait if the proxy knows the release, and
// is printed again if the server has been upgraded since.
func TestMinorKnown(t *testing.T) {
	p := three()
	p.minor, p.delayAnswers, p.welcome.Release = "36", true, "1.30"
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.ListQuery{ID: listID, Resource: "pods", Query: view.Query{Seq: 1, Limit: 10}}
		b.wait(cluster.MinorWithin / 2)
		b.wantRows("live", "a/web1 a/web2 b/db1")
		if got := b.printedBy(); got != 30 {
			t.Errorf("as 1.%d", got)
		}
		b.wantAsked("watch pods")
		b.page.forget()
		p.answerDelayed()
		b.wait(soon)
		b.wantReprinted(0)
	})
}

// TestMinorLater checks that the first list is sent once, and no row disappears, if the release
// becomes known while the list is coming in.
func TestMinorLater(t *testing.T) {
	p := three()
	p.minor, p.delayAnswers, p.holdLists = "30", true, true
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("pods", view.Query{Seq: 1})
		b.wantRows("syncing", "a/web1 a/web2 b/db1")
		p.answerDelayed()
		b.wait(soon)
		b.wantRows("syncing", "a/web1 a/web2 b/db1")
		b.wantAsked("watch pods")
		b.page.forget()
		p.finish()
		b.wait(soon)
		b.wantRows("live", "a/web1 a/web2 b/db1")
		b.wantReprinted(30)
	})
}

// TestMinorUpgraded checks that another connection may reach another release.
func TestMinorUpgraded(t *testing.T) {
	p := three()
	p.minor = "34"
	onPods(t, p, func(t *testing.T, b *fixture) {
		if got := b.printedBy(); got != 34 {
			t.Errorf("as 1.%d", got)
		}
		p.setAway(true)
		p.mu.Lock()
		p.minor = "35"
		p.mu.Unlock()
		p.setAway(false)
		b.wait(time.Minute)
		b.wantRows("live", "a/web1 a/web2 b/db1")
		if got := b.printedBy(); got != 0 {
			t.Errorf("as 1.%d", got)
		}
	})
}

// TestMinorUpgradedBehind checks that the server may be upgraded while the connection lasts: pods are printed as in its
// new release once that has ended the watches, and no row disappears. They stay so on the next connection, although the
// proxy still knows the release before.
func TestMinorUpgradedBehind(t *testing.T) {
	p := three()
	p.minor, p.welcome.Release = "34", "1.34"
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.WatchKinds{}
		b.wait(soon)
		p.mu.Lock()
		p.minor = "35"
		p.mu.Unlock()
		b.wait(cluster.KeepPatient / 2)
		if got := b.printedBy(); got != 34 {
			t.Errorf("before anything changes: as 1.%d", got)
		}
		b.page.forget()
		p.endWatches()
		b.wait(soon)
		if got, n := b.printedBy(), p.connections(); got != 0 || n != 1 {
			t.Errorf("as 1.%d after %d connections", got, n)
		}
		p.mu.Lock()
		p.delayAnswers = true
		p.mu.Unlock()
		p.setAway(true)
		p.setAway(false)
		b.wait(time.Minute)
		if got, n := b.printedBy(), p.connections(); got != 0 || n < 2 {
			t.Errorf("as 1.%d after %d connections", got, n)
		}
		b.wantRows("live", "a/web1 a/web2 b/db1")
		b.page.mu.Lock()
		defer b.page.mu.Unlock()
		if slices.ContainsFunc(b.page.totals, func(n int) bool { return n != 3 }) {
			t.Errorf("rows went: %v", b.page.totals)
		}
	})
}
