package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
)

var reads = []string{"get", "list", "watch"}

// someone is a user whom no other test knows, and who may nothing yet.
func someone(t *testing.T) cluster.User {
	return cluster.User{Name: strings.ToLower(strings.ReplaceAll(t.Name(), "/", "-"))}
}

// grant lets a user do something with resources of the core in a namespace, or in the
// whole cluster, until the test ends or what it returns is called.
func grant(t *testing.T, user cluster.User, ns string, verbs []string, resources ...string) (revoke func()) {
	t.Helper()
	meta := metav1.ObjectMeta{GenerateName: "e2e-", Namespace: ns}
	rules := []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: resources, Verbs: verbs}}
	subjects := []rbacv1.Subject{{Kind: "User", APIGroup: rbacv1.GroupName, Name: user.Name}}
	rbac := admin.RbacV1()
	var err, err2 error
	var remove func(context.Context, string, metav1.DeleteOptions) error
	var name string
	if ns == "" {
		role, failed := rbac.ClusterRoles().Create(t.Context(), &rbacv1.ClusterRole{ObjectMeta: meta, Rules: rules}, metav1.CreateOptions{})
		binding := &rbacv1.ClusterRoleBinding{ObjectMeta: meta, Subjects: subjects, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name}}
		binding, err2 = rbac.ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{})
		err, name, remove = failed, binding.Name, rbac.ClusterRoleBindings().Delete
	} else {
		role, failed := rbac.Roles(ns).Create(t.Context(), &rbacv1.Role{ObjectMeta: meta, Rules: rules}, metav1.CreateOptions{})
		binding := &rbacv1.RoleBinding{ObjectMeta: meta, Subjects: subjects, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name}}
		binding, err2 = rbac.RoleBindings(ns).Create(t.Context(), binding, metav1.CreateOptions{})
		err, name, remove = failed, binding.Name, rbac.RoleBindings(ns).Delete
	}
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	revoked := false
	revoke = func() {
		if !revoked {
			revoked = true
			if err := remove(context.Background(), name, metav1.DeleteOptions{}); err != nil {
				t.Error(err)
			}
		}
	}
	t.Cleanup(revoke)
	return revoke
}

// serveTo serves a user whose kubeconfig names a namespace.
func serveTo(t *testing.T, user cluster.User, ns string, args ...string) *proxy.Proxy {
	t.Helper()
	return serve(t, proxy.Options{Kubeconfig: kubeconfig(t, user, cluster.KubeconfigOptions{Namespace: ns}), Args: args})
}

// podsIn counts the pods of namespaces.
func podsIn(t *testing.T, namespaces ...string) (n int) {
	t.Helper()
	for _, ns := range namespaces {
		n += len(kubectl(t, "get", "pods", "-n", ns, "-o=name"))
	}
	if n == 0 {
		t.Fatalf("there are no pods in %v", namespaces)
	}
	return n
}

// awake has the page think that somebody looks at it again.
func (e eyes) awake() {
	e.t.Helper()
	eval[bool](e, `document.dispatchEvent(new Event("visibilitychange"))`)
}

// says waits until an element's text has some words.
func (e eyes) says(selector string, words ...string) {
	e.t.Helper()
	for _, w := range words {
		e.await(fmt.Sprintf(`document.querySelector(%q)?.innerText.includes(%q)`, selector, w))
	}
}

// scopes are the namespaces that the tab lists.
func (e eyes) scopes() []string {
	e.t.Helper()
	var all []string
	for _, s := range e.inspect().Sources {
		all = append(all, s.Namespace)
	}
	return all
}

// inEachLook keeps pictures in every way in which a page is looked at.
func (e eyes) inEachLook(name string) {
	e.t.Helper()
	for _, look := range looks[:3] {
		e.must(e.Resize(look.width, look.height))
		e.must(e.Prefer(look.feature, look.value))
		e.keep(name + "-" + look.name)
	}
	e.must(e.Resize(looks[0].width, looks[0].height))
	e.must(e.Prefer(looks[0].feature, looks[0].value))
}

// TestSomeNamespaces is the view of somebody who may read two namespaces: one list
// of both, and what is denied beside them by name.
func TestSomeNamespaces(t *testing.T) {
	nora := someone(t)
	grant(t, nora, "checkout", reads, "pods")
	grant(t, nora, "orders", reads, "pods", "configmaps")
	p := serveTo(t, nora, "default", "--namespaces", "checkout,orders")
	e := synced(t, p.At("/pods"))
	both := podsIn(t, "checkout", "orders")
	e.count(both)
	e.says(".banner", "Limited to checkout, orders: you may not list pods in the whole cluster")
	e.inEachLook("two")
	pod := create(t, "orders", "nora-sees-it")
	e.count(both + 1)
	remove(t, pod)
	e.count(both)
	e.must(e.Click(`[data-facet="Namespace"][data-value="checkout"]`))
	e.query("n", "checkout")
	e.count(podsIn(t, "checkout"))
	e.state("live")

	e.must(e.Open(p.Origin() + "/pods?n=checkout,orders,payments"))
	e.state("denied")
	e.count(both)
	e.says(".banner", "You may not list pods in payments", "the apiserver said", `cannot list resource "pods"`, `in the namespace "payments"`, "The rest is live")
	e.says("#badge", "denied in part", "rest live")
	e.says(`[data-facet="Namespace"][data-value="payments"]`, "denied")
	e.inEachLook("in-part")
	e.must(e.Click(".banner .way"))
	e.query("n", "checkout,orders")
	e.state("live")
	e.count(both)
}

// TestPicker adds a namespace by keys, where none can be listed; it is there at the
// next visit, and can be forgotten.
func TestPicker(t *testing.T) {
	nick := someone(t)
	grant(t, nick, "orders", reads, "pods")
	grant(t, nick, "checkout", reads, "pods")
	p := serveTo(t, nick, "")
	e := open(t, p.At("/pods"))
	e.state("denied")
	e.says(".panel", "You may not list pods in the whole cluster, nor in default", "You are "+nick.Name, "system:authenticated", "Name a namespace")
	e.says(".who", "as "+nick.Name)
	e.inEachLook("nothing")
	e.press("n")
	e.await(`document.activeElement.id === "find"`)
	e.press("orders")
	e.says(".facets", "add orders")
	e.keep("typed")
	e.press("\r")
	e.state("live")
	e.count(podsIn(t, "orders"))
	e.must(e.Type("#find", "checkout"))
	e.says(".facets [data-action=add]", "add checkout")
	e.must(e.Click(".facets [data-action=add]"))
	both := podsIn(t, "orders", "checkout")
	e.count(both)
	e.state("live")

	e.must(e.Open(p.Origin() + "/pods"))
	e.state("live")
	e.count(both)
	e.inEachLook("remembered")
	e.must(e.Click(`[aria-label="Forget checkout"]`))
	e.count(podsIn(t, "orders"))
	e.must(e.Open(p.Origin() + "/pods"))
	e.state("live")
	e.count(podsIn(t, "orders"))
}

// TestListOnly is the view of somebody who may list and not watch: it is polled and
// says so, is never called live, and becomes it when watching is granted.
func TestListOnly(t *testing.T) {
	ns := namespace(t)
	lou := someone(t)
	grant(t, lou, ns, []string{"list"}, "pods")
	create(t, ns, "first")
	e := open(t, serveTo(t, lou, ns).At("/pods"))
	e.await(`document.documentElement?.dataset.state`)
	eval[bool](e, `(() => { window.states = []; const look = () => states.push(document.documentElement.dataset.state); look();
		new MutationObserver(look).observe(document.documentElement, {attributes: true, attributeFilter: ["data-state"]}); return true })()`)
	e.state("stale")
	e.count(1)
	e.says("#badge", "polled every 10 s")
	e.says(".banner", "Polled every 10 s: you may list pods, but not watch them", "the apiserver said", `cannot watch resource "pods"`)
	e.inEachLook("polled")
	eval[bool](e, flashes)
	create(t, ns, "second")
	e.count(2)
	e.checkSteady(1)
	if seen := eval[[]string](e, "states"); slices.Contains(seen, "live") || slices.Contains(seen, "denied") {
		t.Errorf("it was %v", seen)
	}
	grant(t, lou, ns, []string{"watch"}, "pods")
	e.awake()
	e.state("live")
	create(t, ns, "third")
	e.count(3)
	e.checkSteady(1)
}

// TestWatchOnly is the view of somebody who may watch and not list: what the watch
// begins with is the list.
func TestWatchOnly(t *testing.T) {
	ns := namespace(t)
	wil := someone(t)
	grant(t, wil, ns, []string{"watch"}, "pods")
	create(t, ns, "first")
	e := open(t, serveTo(t, wil, ns).At("/pods"))
	e.state("live")
	e.count(1)
}

// TestOffers shows what is offered to somebody who looks where nothing may be read.
func TestOffers(t *testing.T) {
	olaf := someone(t)
	grant(t, olaf, "orders", reads, "pods", "services")
	p := serveTo(t, olaf, "orders")
	e := open(t, p.At("/pods?n=payments"))
	e.state("denied")
	e.says(".panel", "nor in payments", "Pods in orders", "Services in orders")
	e.inEachLook("offers")
	e.must(e.Click(`.panel [data-value="pods orders"]`))
	e.query("n", "orders")
	e.state("live")
	e.count(podsIn(t, "orders"))
	e.must(e.Open(p.Origin() + "/nodes"))
	e.state("denied")
	e.says(".panel", "You may not list nodes", "Services in orders")
	e.keep("nodes")
	e.must(e.Click(`.panel [data-value="services orders"]`))
	e.state("live")
}

// TestRightsComeAndGo gives somebody the whole cluster while the page is open, and
// takes it away again: no row is lost for what is gained, and none stays of what is
// lost.
func TestRightsComeAndGo(t *testing.T) {
	rita := someone(t)
	grant(t, rita, "orders", reads, "pods")
	p := serveTo(t, rita, "orders")
	e := synced(t, p.At("/pods"), lostSocket)
	orders := podsIn(t, "orders")
	e.count(orders)
	eval[bool](e, flashes)
	revoke := grant(t, rita, "", reads, "pods")
	begin := time.Now()
	e.must(e.Await(`document.querySelector(".banner").innerText === ""`, 2*time.Minute))
	t.Logf("wide after %s", time.Since(begin).Round(time.Second))
	e.state("live")
	e.checkSteady(orders)
	if all := e.rows().Total; all <= orders {
		t.Errorf("%d of all, %d in orders", all, orders)
	}
	revoke()
	e.must(p.Kill()) // who watches goes on to
	e.must(p.Start(t.Context()))
	e.says(".banner", "Limited to orders")
	e.state("live")
	e.count(orders)
	if !slices.Contains(e.scopes(), "orders") {
		t.Error(e.scopes())
	}
}
