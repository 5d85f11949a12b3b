package hub

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// compared returns the last comparison that the page was sent, in a line.
func (b *fixture) compared() string {
	b.t.Helper()
	all := decodedDocs[detail.ObjectPair](b, "compare")
	if len(all) == 0 {
		return ""
	}
	c := all[len(all)-1]
	out := []string{strings.TrimSpace(fmt.Sprintf("%s %s | %s %s:", c.Left.State, c.Left.Version, c.Right.State, c.Right.Version))}
	if !c.Known {
		out = append(out, "unknown")
	}
	for _, r := range c.Rows {
		if r.Kind == detail.SameNow {
			out = append(out, r.Path+" same")
		} else {
			out = append(out, fmt.Sprintf("%s %s→%s", r.Path, r.Left, r.Right))
		}
	}
	if p := c.Places; p != nil {
		out = append(out, fmt.Sprint("in ", p.Names, " ", p.State))
	}
	return strings.Join(out, " ")
}

func (b *fixture) wantCompared(want string) {
	b.t.Helper()
	if got := b.compared(); got != want {
		b.t.Errorf("compared is\n%s, want\n%s", got, want)
	}
}

// compare opens the comparison of pods.
func (b *fixture) compare(name string, o detail.CompareOptions) {
	b.t.Helper()
	doc, err := json.Marshal(o)
	if err != nil {
		b.t.Fatal(err)
	}
	namespace, name, _ := strings.Cut(name, "/")
	b.focus(port.Focus{Seq: 1, Resource: "pods", Namespace: namespace, Name: name, Tab: "compare", Options: doc})
	b.wait(soon)
}

func podNamed(namespace, name string) detail.Ref {
	return detail.Ref{Resource: "pods", Namespace: namespace, Name: name}
}

// TestCompare checks that either side is live, that a deleted object is compared as it last was,
// and with its successor, and that an object that is not known has no fields.
func TestCompare(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.wantAsked("watch pods")
		b.compare("a/web2", detail.CompareOptions{With: podNamed("a", "web1")})
		first := b.compared()
		if !strings.HasPrefix(first, "live 1 | live 2:") || strings.Contains(first, "unknown") {
			t.Error(first)
		}
		b.wantAsked("") // both are in the list
		b.proxy.change(wire.Modified, pod("a", "web2", "Failed"))
		b.wait(soon)
		if got := b.compared(); !strings.Contains(got, "status.phase Running→Failed") {
			t.Error(got)
		}
		b.proxy.change(wire.Modified, pod("a", "web1", "Failed"))
		b.wait(soon)
		if got := b.compared(); !strings.Contains(got, "status.phase same") || strings.Contains(got, "→Failed") {
			t.Error(got)
		}
		b.wait(30 * time.Second)
		if got := b.compared(); strings.Contains(got, "status.phase") {
			t.Error("it is the same for long: ", got)
		}
		b.proxy.change(wire.Deleted, pod("a", "web1", ""))
		b.wait(soon)
		if got := b.compared(); !strings.HasPrefix(got, "deleted 5 | live 4:") || strings.Contains(got, "unknown") {
			t.Error(got)
		}
		again := pod("a", "web1", "Pending")
		again.uid = "another"
		b.proxy.change(wire.Added, again)
		b.wait(soon)
		if got := b.compared(); !strings.HasPrefix(got, "live 7 | live 4:") || !strings.Contains(got, "status.phase Pending→Failed") {
			t.Error(got)
		}
		b.compare("a/web2", detail.CompareOptions{With: podNamed("a", "none")})
		if got := b.compared(); got != "missing  | live 4: unknown" {
			t.Error(got)
		}
		b.compare("a/web2", detail.CompareOptions{With: detail.Ref{Resource: "nothings.example.com", Name: "x"}})
		if got := b.compared(); got != "missing  | live 4: unknown" {
			t.Error(got)
		}
	})
}

// TestComparePlaces checks in which namespaces there is an object of the same name: from the list
// on screen, without a request, else from a list of that name.
func TestComparePlaces(t *testing.T) {
	p := three()
	p.things = append(p.things, at(4, pod("c", "web1", "Running")), at(4, pod("b", "web1", "Running")))
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.wantAsked("watch pods")
		b.compare("a/web1", detail.CompareOptions{Places: true})
		b.wantCompared("| live 1: unknown in [b c] live")
		b.wantAsked("")
		b.proxy.change(wire.Deleted, pod("c", "web1", ""))
		b.wait(soon)
		b.wantCompared("| live 1: unknown in [b] live")
		b.compare("a/web1", detail.CompareOptions{})
		b.wantCompared("| live 1: unknown")
	})
}

// TestCompareContexts compares objects of two clusters. What the other cluster denies leaves the
// comparison unknown; what is released when the tab or the page is closed ends the connection.
func TestCompareContexts(t *testing.T) {
	prod := &proxy{things: []testObject{at(7, pod("p", "prod1", "Running"))}, version: 7}
	onPages(t, map[string]*proxy{"": three(), "prod": prod}, func(t *testing.T, c *pagesFixture) {
		v := c.connect("", "ana")
		v.showList("pods", view.Query{Seq: 1})
		v.compare("a/web2", detail.CompareOptions{With: podNamed("p", "prod1"), Context: "prod"})
		v.wait(soon)
		if got := v.compared(); !strings.HasPrefix(got, "live 7 | live 2:") || strings.Contains(got, "unknown") {
			t.Error(got)
		}
		prod.change(wire.Modified, pod("p", "prod1", "Succeeded"))
		v.wait(soon)
		if got := v.compared(); !strings.Contains(got, "status.phase Succeeded→") {
			t.Error(got)
		}
		prod.setAway(true)
		v.wait(time.Minute)
		if got := v.compared(); !strings.HasPrefix(got, "stale 8 | live 2:") || strings.Contains(got, "unknown") {
			t.Error(got)
		}
		prod.setAway(false)
		v.page.in <- port.Presence{Visible: true, Online: true}
		v.wait(time.Minute)
		if got := v.compared(); !strings.HasPrefix(got, "live 8 | live 2:") {
			t.Error(got)
		}
		v.focus(port.Focus{Seq: 2, Resource: "pods", Namespace: "a", Name: "web2", Tab: "summary"})
		v.wait(soon)
		if o := v.overview(); len(o.Clusters) != 1 {
			t.Errorf("the tab is closed: %+v", o.Clusters)
		}
		v.compare("a/web2", detail.CompareOptions{With: podNamed("p", "prod1"), Context: "prod"})
		if o := v.overview(); len(o.Clusters) != 2 {
			t.Errorf("%+v", o.Clusters)
		}
		v.disconnect()
		v.wait(soon)
		if n := len(c.hub.clusters); n != 0 {
			t.Errorf("%d clusters are left", n)
		}
	})
}

// TestCompareRenews checks that a page is asked to renew the session in the other context, and that
// this reconnects that cluster and not the page's own.
func TestCompareRenews(t *testing.T) {
	own, prod := three(), &proxy{things: []testObject{at(7, pod("p", "prod1", "Running"))}, version: 7}
	prod.welcome.RenewIn = 60_000
	onPages(t, map[string]*proxy{"": own, "prod": prod}, func(t *testing.T, c *pagesFixture) {
		v := c.connect("", "ana")
		var asked []port.Due
		v.page.other = func(m port.Message) {
			if m, ok := m.(port.Due); ok {
				asked = append(asked, m)
			}
		}
		v.showList("pods", view.Query{Seq: 1})
		v.compare("a/web2", detail.CompareOptions{With: podNamed("p", "prod1"), Context: "prod"})
		v.wait(time.Minute)
		v.postAndWait(func() {
			if len(asked) != 1 || asked[0].Context != "prod" {
				t.Errorf("asked %+v", asked)
			}
		})
		before := own.connections()
		v.page.in <- port.Renewed{Context: "prod"}
		v.wait(soon)
		if own.connections() != before || prod.connections() != 2 {
			t.Errorf("%d connections, want %d; of the other cluster %d, want 2", own.connections(), before, prod.connections())
		}
		if got := v.compared(); !strings.HasPrefix(got, "live 7 | live 2:") {
			t.Error(got)
		}
	})
}

// TestCompareDenied checks that an object that may not be read is not taken for an empty one.
func TestCompareDenied(t *testing.T) {
	prod := &proxy{things: []testObject{at(7, pod("p", "prod1", "Running"))}, version: 7}
	prod.deny = forbids(func(r wire.Request) bool { return r.Resource == "pods" })
	onPages(t, map[string]*proxy{"": three(), "prod": prod}, func(t *testing.T, c *pagesFixture) {
		v := c.connect("", "ana")
		v.showList("pods", view.Query{Seq: 1})
		v.compare("a/web2", detail.CompareOptions{With: podNamed("p", "prod1"), Context: "prod"})
		v.wait(soon)
		v.wantCompared("denied  | live 2: unknown")
	})
}
