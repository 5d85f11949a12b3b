package web

import (
	"strings"
	"testing"

	"watchglass/web/route"
)

// TestObjects checks that a row links to the address that a click on it opens, and that the
// addresses change exactly when View does.
func TestObjects(t *testing.T) {
	a := route.Address{Resource: "clusterroles", Namespaces: []string{"x"}, Filter: "a b", Sort: "Age", Tab: "yaml", Container: "c", Previous: true}
	first := objectsOf(a, "ClusterRole", "/k8s")
	if got, want := first.Address("system:a&b"), "/k8s/clusterroles?n=x&q=a+b&sort=Age&sel=system:a%26b&tab=yaml"; got != want || first.Kind != "ClusterRole" {
		t.Errorf("%s, want %s", got, want)
	}
	if first.Address("b"); first.Address("system:a&b") != objectsOf(a, "", "/k8s").Address("system:a&b") {
		t.Error("an address depends on the one before")
	}
	for change, same := range map[string]bool{"sel": true, "ct": true, "q": false, "tab": false, "resource": false} {
		b := a
		switch change {
		case "sel":
			b.Selected = "y"
		case "ct":
			b.Container = "d"
		case "q":
			b.Filter = "c"
		case "tab":
			b.Tab = ""
		case "resource":
			b.Resource = "roles"
		}
		next := objectsOf(b, "", "/k8s")
		if (next.View == first.View) != same || (next.Address("z") == first.Address("z")) != same {
			t.Errorf("%s: %s, was %s", change, next.View, first.View)
		}
	}
}

// TestInvalidIn checks that what an address asks for and the page can't show is reported, when it opens the page and
// with Back.
func TestInvalidIn(t *testing.T) {
	for _, c := range []struct{ query, want string }{
		{"", ""},
		{"?q=web&at=&tab=&since=&from=", ""},
		{"?sel=a/b&tab=logs&since=all&from=2026-11-23T14:02:00Z&to=2026-11-23T14:03:00.5%2B01:00", ""},
		{"?sel=a/b&tab=summary&since=600&tfrom=2026-11-23T14:02:00Z&tto=2026-11-23T14:02:00Z", ""},
		{"?sel=a/b&tab=logs&from=2026-11-23T14:02", "from=2026-11-23T14:02"},
		{"?tfrom=now&tto=0", "tfrom=now, tto=0"},
		{"?since=10m&to=x", "since=10m, to=x"}, {"?since=-5", "since=-5"}, {"?since=0", "since=0"},
		{"?sel=a/b&tab=log", "tab=log"}, {"?tab=Logs&at=%1b", "at=␛, tab=Logs"},
	} {
		if got := strings.Join(invalidIn(c.query), ", "); got != c.want {
			t.Errorf("%s: %q, want %q", c.query, got, c.want)
		}
	}
	onPage(t, "/pods?sel=a/b&tab=log&from=14:02", func(t *testing.T, w *tab) {
		w.live()
		said := func(want string) {
			t.Helper()
			if got := w.notice(); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
		said("Invalid in the address: tab=log, from=14:02.")
		w.Moved("/timeline", "?tfrom=x")
		said("Invalid in the address: tfrom=x.")
	})
}
