package kubectl

import (
	"slices"
	"strings"
	"testing"

	"watchglass/internal/detail"
	"watchglass/internal/quote"
	"watchglass/web/route"
)

// TestHelmCommands checks the commands for a release, that none is made for a name that helm may take for
// a flag, and that a resource of the server that has the name of the releases gets kubectl's.
func TestHelmCommands(t *testing.T) {
	of := func(name, namespace, version string) (all []string) {
		s := Object{Head: detail.Head{Resource: detail.Releases, Namespace: namespace, Name: name, APIVersion: version}, Reach: []string{"--context=prod"}}
		keys := map[string]bool{}
		for _, c := range Commands(s, quote.Sh) {
			if keys[c.Key] {
				t.Errorf("the key %s is of two", c.Key)
			}
			keys[c.Key] = true
			all = append(all, c.Text())
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
		for i, one := range Commands(Object{Head: detail.Head{Resource: detail.Releases, Namespace: "shop", Name: "web"}, Reach: c.reach}, quote.Sh) {
			if want := "helm status web --namespace=shop" + c.flags; one.Refused != c.refuse || c.refuse != "" && one.Text() != "" || i == 0 && c.refuse == "" && one.Text() != want {
				t.Errorf("%q: %s (%s)", c.reach, one.Text(), one.Refused)
			}
		}
		want := "helm list -n shop" + c.flags
		if c.refuse != "" {
			want = ""
		}
		list := List{Address: route.Parse("", "/releases.helm.sh", "n=shop"), Kind: detail.Releases, Namespaced: true, Helm: true, Reach: c.reach}
		if got := CommandOf(list, quote.Sh); got.Text != want || got.Refused != c.refuse {
			t.Errorf("%q: %s (%s)", c.reach, got.Text, got.Refused)
		}
	}
}
