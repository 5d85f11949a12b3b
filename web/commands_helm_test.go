package web

import (
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/port"
	"watchglass/web/drawer"
	"watchglass/web/share"
)

// TestReleasesOnPage checks which tabs a release has, what its list is in helm's words, and that a kind of
// the server with that name is like any other.
func TestReleasesOnPage(t *testing.T) {
	onPage(t, "/releases.helm.sh?n=shop&q=status:failed", func(t *testing.T, w *tab) {
		w.setSource(port.Source{Resource: detail.Releases, ID: detail.Releases, State: port.Live, Synced: true, Namespaced: true, Kind: "Release", Since: time.Now()})
		w.page.sidebar.OnKinds(port.Kinds{Kinds: []port.Kind{{ID: detail.Releases, Name: "Release", Short: "helm", Custom: true, Derived: true}}})
		for _, tab := range drawer.Tabs {
			if got, want := w.page.drawer.Applies(detail.Releases, tab), tab.ID == "summary" || tab.ID == "changes"; got != want {
				t.Errorf("%s: %v", tab.ID, got)
			}
		}
		if c := w.page.ListCommand(); c.Text != "helm list -n shop" || !slices.Contains(c.Unsaid, "filter status:failed") {
			t.Errorf("%+v", c)
		}
		w.Act(share.Open, "")
		if text := content(parts(t, w.page.dialogs.Draw())); !strings.Contains(text, "add --all") {
			t.Errorf("what helm list leaves out is not in %q", text)
		}
		w.Act(share.CopyCommand, "")
		if text := w.notice(); !strings.HasPrefix(text, "Command copied. Helm 3 ") {
			t.Error(text)
		}
		if got := w.page.access.Source(detail.Releases); got != "secrets" {
			t.Error(got)
		}
		w.page.sidebar.OnKinds(port.Kinds{Kinds: []port.Kind{{ID: detail.Releases, Name: "Release", Custom: true}}})
		if c := w.page.ListCommand(); !w.page.drawer.Applies(detail.Releases, drawer.TabOf("yaml")) || !strings.HasPrefix(c.Text, "kubectl get releases.helm.sh") {
			t.Errorf("%+v", c)
		}
	})
}
