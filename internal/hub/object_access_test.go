package hub

import (
	"slices"
	"strings"
	"testing"

	"watchglass/internal/detail/rbac"
	"watchglass/internal/hub/cluster"
	"watchglass/internal/port"
)

// rbacLists are the lists that say who may do something in all namespaces.
const rbacLists = "watch clusterrolebindings, watch clusterroles, watch rolebindings, watch roles"

// wantAskedSorted is wantAsked for requests that go out at the same time.
func (b *fixture) wantAskedSorted(want string) {
	b.t.Helper()
	got := strings.Split(b.proxy.takeRequests(), ", ")
	slices.Sort(got)
	if strings.Join(got, ", ") != want {
		b.t.Errorf("the proxy was asked %q, want %q", got, want)
	}
}

// TestFocusKind checks that a kind as a whole can be open without a name: who may do something to
// its objects is answered, nothing is requested of an object, and no other tab can be opened.
func TestFocusKind(t *testing.T) {
	onPods(t, three(), func(t *testing.T, b *fixture) {
		b.proxy.takeRequests()
		b.focus(port.Focus{Seq: 1, Resource: "pods", Tab: "access"})
		b.wait(soon)
		b.wantAskedSorted(rbacLists)
		all := decodedDocs[rbac.Answer](b, "access")
		if len(all) == 0 || all[len(all)-1].Blind || all[len(all)-1].Asked&rbac.Create == 0 || len(all[len(all)-1].Gaps) > 0 {
			t.Errorf("%+v", all)
		}
		b.focus(port.Focus{Seq: 2, Resource: "pods", Tab: "summary"})
		b.wait(2 * cluster.Linger)
		b.wantAskedSorted("close " + strings.ReplaceAll(rbacLists, ", ", ", close "))
		b.focus(port.Focus{Seq: 3, Resource: "pods", Namespace: "a", Name: "web1", Tab: "access"})
		b.wait(soon)
		b.wantAskedSorted("watch clusterrolebindings, watch clusterroles, watch rolebindings/a, watch roles/a")
		if all := decodedDocs[rbac.Answer](b, "access"); len(all) == 0 || all[len(all)-1].Asked&rbac.Create != 0 {
			t.Errorf("%+v", all)
		}
	})
}
