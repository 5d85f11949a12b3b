package web

import (
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/port"
	"watchglass/web/share"
)

// TestReleasesOnPage checks which tabs a release has, what its list is in helm's words, and that a kind of
// the server with that name is like any other.
func TestReleasesOnPage(t *testing.T) {
	onPage(t, "/releases.helm.sh?n=shop&q=status:failed", func(t *testing.T, w *tab) {
		w.setSource(port.Source{Resource: detail.Releases, ID: detail.Releases, State: port.Live, Synced: true, Namespaced: true, Kind: "Release", Since: time.Now()})
		w.page.sidebar.OnKinds(port.Kinds{Kinds: []port.Kind{{ID: detail.Releases, Name: "Release", Short: "helm", Custom: true, Derived: true}}})
		tabs := func() (ids string) {
			for _, e := range parts(t, w.page.drawer.Draw()) {
				if e.attrs["role"] == "tab" {
					ids += e.attrs["data-value"] + " "
				}
			}
			return ids
		}
		w.Clicked("shop/web")
		if got := tabs(); got != "summary changes " {
			t.Error(got)
		}
		if c := w.page.ListCommand(); c.Text != "helm list -n shop" || !slices.Contains(c.Unsaid, "filter status:failed") {
			t.Errorf("%+v", c)
		}
		w.Act(share.Open, "")
		if text := content(parts(t, w.page.dialogs.Draw())); !strings.Contains(text, "add --all") {
			t.Errorf("what helm list leaves out is not in %q", text)
		}
		w.Act("copy-command", "")
		if text := w.notice(); !strings.HasPrefix(text, "Command copied. Helm 3 ") {
			t.Error(text)
		}
		if got := w.page.access.Source(detail.Releases); got != "secrets" {
			t.Error(got)
		}
		w.page.sidebar.OnKinds(port.Kinds{Kinds: []port.Kind{{ID: detail.Releases, Name: "Release", Custom: true}}})
		if c := w.page.ListCommand(); !strings.Contains(tabs(), "yaml") || !strings.HasPrefix(c.Text, "kubectl get releases.helm.sh") {
			t.Errorf("%+v", c)
		}
	})
}
