package web

import (
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/port"
	"watchglass/internal/quote"
	"watchglass/internal/wire"
)

// TestHelmCommands checks the commands for a release, that none is made for a name that helm may take for
// a flag, and that a resource of the server that has the name of the releases gets kubectl's.
func TestHelmCommands(t *testing.T) {
	of := func(name, namespace, version string) (all []string) {
		s := subject{Head: detail.Head{Resource: detail.Releases, Namespace: namespace, Name: name, APIVersion: version}, reach: []string{"--context=prod"}}
		keys := map[string]bool{}
		for _, c := range commandsFor(s, quote.Sh) {
			if keys[c.key] {
				t.Errorf("the key %s is of two", c.key)
			}
			keys[c.key] = true
			all = append(all, c.text())
		}
		return all
	}
	all := of("web", "shop", detail.ReleaseVersion)
	for _, want := range []string{
		"helm history web --namespace=shop --kube-context=prod", "helm get manifest web --namespace=shop --kube-context=prod",
		"helm rollback web REVISION --namespace=shop --kube-context=prod",
	} {
		if !slices.Contains(all, want) {
			t.Errorf("no %s among %q", want, all)
		}
	}
	for _, name := range []string{"--kube-apiserver=evil", "a b", "Web", "$(id)", "a\u202eb", strings.Repeat("a", 54), ""} {
		if all := of(name, "shop", detail.ReleaseVersion); len(all) > 0 {
			t.Errorf("%q: %q", name, all)
		}
	}
	for _, c := range of("web", "$(id)", detail.ReleaseVersion) {
		if strings.Contains(c, "$(id)") && !strings.Contains(c, "'--namespace=$(id)'") {
			t.Error(c)
		}
	}
	if all := of("web", "shop", "helm.sh/v1"); len(all) == 0 || !strings.HasPrefix(all[0], "kubectl ") {
		t.Errorf("%q", all)
	}
}

// TestHelmReach checks that helm's commands reach the cluster as kubectl's do, and that there is none where
// helm lacks a flag.
func TestHelmReach(t *testing.T) {
	for _, c := range []struct {
		reach         []string
		flags, refuse string
	}{
		{[]string{"--kubeconfig=/lab.yaml", "--context=prod", "--as=ana", "--as-group=dev", "--as-group=ops"}, " --kubeconfig=/lab.yaml --kube-context=prod --kube-as-user=ana --kube-as-group=dev --kube-as-group=ops", ""},
		{nil, "", ""},
		{[]string{"--context=prod", "--cluster=staging"}, "", "helm has no flag for kubectl's --cluster"},
		{[]string{"--context=prod", "--user=bob"}, "", "helm has no flag for kubectl's --user"},
		{[]string{"--context=prod", "--as=ana", "--as-uid=7"}, "", "helm has no flag for kubectl's --as-uid"},
	} {
		for i, one := range commandsFor(subject{Head: detail.Head{Resource: detail.Releases, Namespace: "shop", Name: "web"}, reach: c.reach}, quote.Sh) {
			if want := "helm status web --namespace=shop" + c.flags; one.refused != c.refuse || c.refuse != "" && one.text() != "" || i == 0 && c.refuse == "" && one.text() != want {
				t.Errorf("%q: %s (%s)", c.reach, one.text(), one.refused)
			}
		}
		onPage(t, "/releases.helm.sh?n=shop", func(t *testing.T, w *tab) {
			w.page.sidebar.onKinds(port.Kinds{Kinds: []port.Kind{{ID: detail.Releases, Name: "Release", Derived: true}}})
			w.page.state.Proxy = &wire.Welcome{Reach: c.reach}
			want := "helm list -n shop" + c.flags
			if c.refuse != "" {
				want = ""
			}
			if got := w.page.share.command(); got.text != want || got.refused != c.refuse {
				t.Errorf("%q: %s (%s)", c.reach, got.text, got.refused)
			}
		})
	}
}

// TestReleasesOnPage checks which tabs a release has, what its list is in helm's words, and that a kind of
// the server with that name is like any other.
func TestReleasesOnPage(t *testing.T) {
	onPage(t, "/releases.helm.sh?n=shop&q=status:failed", func(t *testing.T, w *tab) {
		w.setSource(port.Source{Resource: detail.Releases, ID: detail.Releases, State: port.Live, Synced: true, Namespaced: true, Kind: "Release", Since: time.Now()})
		w.page.sidebar.onKinds(port.Kinds{Kinds: []port.Kind{{ID: detail.Releases, Name: "Release", Short: "helm", Custom: true, Derived: true}}})
		for _, tab := range tabNames {
			if got, want := w.page.drawer.applies(detail.Releases, tab.id), tab.id == "summary" || tab.id == "changes"; got != want {
				t.Errorf("%s: %v", tab.id, got)
			}
		}
		if c := w.page.share.command(); c.text != "helm list -n shop" || !slices.Contains(c.unsaid, "filter status:failed") {
			t.Errorf("%+v", c)
		}
		w.Act(Share, "")
		if text := content(parts(t, w.page.dialogs.draw())); !strings.Contains(text, "add --all") {
			t.Errorf("what helm list leaves out is not in %q", text)
		}
		w.Act(CopyCommand, "")
		if text := w.notice(); !strings.HasPrefix(text, "Command copied. Helm 3 ") {
			t.Error(text)
		}
		if got := w.page.access.source(detail.Releases); got != "secrets" {
			t.Error(got)
		}
		w.page.sidebar.onKinds(port.Kinds{Kinds: []port.Kind{{ID: detail.Releases, Name: "Release", Custom: true}}})
		if c := w.page.share.command(); !w.page.drawer.applies(detail.Releases, "yaml") || !strings.HasPrefix(c.text, "kubectl get releases.helm.sh") {
			t.Errorf("%+v", c)
		}
	})
}
