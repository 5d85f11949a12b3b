package hub

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"watchglass/internal/hub/cluster"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// usageSection returns the section of the newest summary with what the object uses: its badge, and
// for CPU the value and the known values of its sparkline. It is empty if there is none.
func (b *fixture) usageSection() string {
	b.t.Helper()
	all := b.summaries()
	if len(all) == 0 {
		b.t.Fatal("there is no summary")
	}
	s := all[len(all)-1].Sections[0]
	if s.Title != "Usage" {
		return ""
	}
	var out []string
	for _, p := range s.Badge {
		out = append(out, p.Print(time.Now()))
	}
	if len(s.Rows) > 0 {
		for _, l := range s.Rows[0].Lines {
			for _, p := range l {
				if len(p.Values) == 0 {
					out = append(out, p.Text)
				} else {
					out = append(out, runs(p.Values))
				}
			}
		}
	}
	return strings.Join(out, "|")
}

// runs writes a series: its values without repeats; _ is a gap. The one since the last poll is left out.
func runs(values []float32) (out string) {
	for i, n := range values {
		switch {
		case i > 0 && values[i-1] == n:
		case n < 0:
			out += "_ "
		default:
			out += strconv.Itoa(int(n)) + "m" + " "
		}
	}
	return strings.TrimSuffix(strings.TrimSpace(out), " _")
}

// TestUsageInDrawer checks that the summary of a pod polls the metrics of that pod alone, and only
// while it is open; that each value has its age and its history, with gaps; and that the history
// outlasts the drawer.
func TestUsageInDrawer(t *testing.T) {
	p := withMetrics()
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.page.in <- port.WatchKinds{}
		b.showList("pods", view.Query{Seq: 1})
		b.wait(soon)
		p.change(wire.Modified, measured("a", "web1", "1"))
		b.proxy.takeRequests()
		open := func(seq uint32, name, tab string) {
			b.focus(port.Focus{Seq: seq, Resource: "pods", Namespace: "a", Name: name, Tab: tab})
			b.wait(soon)
		}
		want := func(want string) {
			t.Helper()
			if got := b.usageSection(); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
		open(1, "web1", "summary")
		if got := b.proxy.takeOpened(); !strings.Contains(got, "list pods/a where metadata.name=web1 whole") || strings.Contains(got, "list pods whole") {
			t.Errorf("asked %q", got)
		}
		want("4s ago|1001m|_ 1001m")
		b.wait(time.Minute)
		p.change(wire.Modified, measured("a", "web1", "2"))
		b.wait(15 * time.Second)
		want("15s ago|2001m|_ 1001m 2001m")

		open(2, "web1", "events")
		b.wait(2 * cluster.Linger)
		b.proxy.takeRequests()
		b.wait(time.Minute)
		if got := b.proxy.takeOpened(); strings.Contains(got, "metadata.name=web1 whole") {
			t.Errorf("it is polled on: %q", got)
		}
		p.change(wire.Modified, measured("a", "web1", "3"))
		open(3, "web1", "summary")
		want("4s ago|3001m|_ 1001m 2001m _ 3001m")

		open(4, "web2", "summary")
		want("") // it is pending
		p.change(wire.Modified, pod("a", "web2", "Running"))
		b.wait(soon)
		want("Not measured")
		open(5, "web1", "summary")
		want("14s ago|3001m|_ 1001m 2001m _ 3001m")
		p.change(wire.Deleted, measured("a", "web1", ""))
		b.wait(time.Minute)
		want("Not measured|_ 1001m 2001m _ 3001m")
		b.wait(20 * time.Minute)
		want("Not measured")
	})
}

// TestUsageFromList checks that what a list has polled is the history of a pod that is opened, and
// that the next pod has its own.
func TestUsageFromList(t *testing.T) {
	p := withMetrics()
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showUsage(view.Query{Seq: 1})
		for _, cpu := range []string{"1", "2", "3"} {
			p.change(wire.Modified, measured("a", "web1", cpu))
			b.wait(20 * time.Second)
		}
		b.focus(port.Focus{Seq: 1, Resource: "pods", Namespace: "a", Name: "web1", Tab: "summary"})
		b.wait(soon)
		if got := b.usageSection(); got != "24s ago|3001m|_ 1001m 2001m 3001m" {
			t.Error(got)
		}
		b.focus(port.Focus{Seq: 2, Resource: "pods", Namespace: "b", Name: "db1", Tab: "summary"})
		b.wait(soon)
		if got := b.usageSection(); !strings.HasSuffix(got, "|2001m|_ 2001m") {
			t.Error(got)
		}
	})
}

// TestUsageInDrawerDenied checks that the summary says that metrics may not be listed, and nothing
// where they are not served.
func TestUsageInDrawerDenied(t *testing.T) {
	for served, want := range map[bool]string{true: "No permission to list metrics", false: ""} {
		p := withMetrics()
		p.deny = forbids(func(r wire.Request) bool { return r.Group == "metrics.k8s.io" })
		if !served {
			p.extraKinds = nil
		}
		onHub(t, p, func(t *testing.T, b *fixture) {
			b.page.in <- port.WatchKinds{}
			b.showList("pods", view.Query{Seq: 1})
			b.wait(soon)
			b.focus(port.Focus{Seq: 1, Resource: "pods", Namespace: "a", Name: "web1", Tab: "summary"})
			b.wait(time.Minute)
			if got := b.usageSection(); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}
