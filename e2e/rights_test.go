package e2e

import (
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/e2e/browser"
	"watchglass/e2e/stage"
)

// podsIn counts the pods of namespaces.
func podsIn(t *testing.T, namespaces ...string) (n int) {
	t.Helper()
	for _, ns := range namespaces {
		pods, err := stage.Admin.CoreV1().Pods(ns).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		n += len(pods.Items)
	}
	if n == 0 {
		t.Fatalf("there are no pods in %v", namespaces)
	}
	return n
}

// awake has the page think that somebody looks at it again.
func (e eyes) awake() {
	e.T.Helper()
	stage.Eval[bool](e, `document.dispatchEvent(new Event("visibilitychange"))`)
}

// TestSomeNamespaces is the view of somebody who may read two namespaces: one list
// of both, and what is denied beside them by name.
func TestSomeNamespaces(t *testing.T) {
	nora := stage.Someone(t)
	stage.Grant(t, nora, "checkout", stage.Reads, "pods")
	stage.Grant(t, nora, "orders", stage.Reads, "pods", "configmaps")
	p := stage.ServeTo(t, nora, "default", "--namespaces", "checkout,orders")
	e := synced(t, p.At("/pods"))
	both := podsIn(t, "checkout", "orders")
	e.AwaitCount(both)
	e.Says(".banner", "Showing namespaces checkout, orders only: you can't list pods cluster-wide")
	e.KeepLooks("two")
	pod := stage.Create(t, "orders", "nora-sees-it")
	e.AwaitCount(both + 1)
	stage.Remove(t, pod)
	e.AwaitCount(both)
	e.Must(e.Click(`[data-facet="Namespace"][data-value="checkout"]`))
	e.AwaitQuery("n", "checkout")
	e.AwaitCount(podsIn(t, "checkout"))
	e.AwaitState("live")

	e.Must(e.Open(p.Origin() + "/pods?n=checkout,orders,payments"))
	e.AwaitState("denied")
	e.AwaitCount(both)
	e.Says(".banner", "You can't list pods in payments", "apiserver said", `cannot list resource "pods"`, `in the namespace "payments"`, "The rest is live")
	e.Says("#badge", "Partly denied")
	e.Says(`[data-facet="Namespace"][data-value="payments"]`, "denied")
	e.KeepLooks("in-part")
	e.Must(e.Click(".banner .way"))
	e.AwaitQuery("n", "checkout,orders")
	e.AwaitState("live")
	e.AwaitCount(both)
}

// TestPicker adds a namespace by keys, where none can be listed; it is there at the
// next visit, and can be forgotten.
func TestPicker(t *testing.T) {
	nick := stage.Someone(t)
	stage.Grant(t, nick, "orders", stage.Reads, "pods")
	stage.Grant(t, nick, "checkout", stage.Reads, "pods")
	p := stage.ServeTo(t, nick, "")
	e := open(t, p.At("/pods"))
	e.AwaitState("denied")
	e.Says(".panel", "You can't list pods cluster-wide, or in default", "You are "+nick.Name, "system:authenticated", "Enter a namespace")
	e.Says(".who", "as "+nick.Name)
	e.KeepLooks("nothing")
	e.Press("n")
	e.Await(`document.activeElement.id === "find"`)
	e.Press("orders")
	e.Says(".facets", "Add orders")
	e.Keep("typed")
	e.Press("\r")
	e.AwaitState("live")
	e.AwaitCount(podsIn(t, "orders"))
	e.Must(e.Type("#find", "checkout"))
	e.Says(".facets [data-action=add]", "Add checkout")
	e.Must(e.Click(".facets [data-action=add]"))
	both := podsIn(t, "orders", "checkout")
	e.AwaitCount(both)
	e.AwaitState("live")

	e.Must(e.Open(p.Origin() + "/pods"))
	e.AwaitState("live")
	e.AwaitCount(both)
	e.KeepLooks("remembered")
	e.Must(e.Click(`[aria-label="Remove checkout"]`))
	e.AwaitCount(podsIn(t, "orders"))
	e.Must(e.Open(p.Origin() + "/pods"))
	e.AwaitState("live")
	e.AwaitCount(podsIn(t, "orders"))
}

// TestListOnly is the view of somebody who may list and not watch: it is polled and
// says so, is never called live, and becomes it when watching is granted.
func TestListOnly(t *testing.T) {
	ns := stage.Namespace(t)
	lou := stage.Someone(t)
	stage.Grant(t, lou, ns, []string{"list"}, "pods")
	stage.Create(t, ns, "first")
	e := open(t, stage.ServeTo(t, lou, ns).At("/pods"))
	e.Await(`document.documentElement?.dataset.state`)
	stage.Eval[bool](e, `(() => { window.states = []; const look = () => states.push(document.documentElement.dataset.state); look();
		new MutationObserver(look).observe(document.documentElement, {attributes: true, attributeFilter: ["data-state"]}); return true })()`)
	e.AwaitState("stale")
	e.AwaitCount(1)
	e.Says("#badge", "Polled")
	e.Says(".banner", "Polled every 10 s: you can list pods, but not watch them", "apiserver said", `cannot watch resource "pods"`)
	e.KeepLooks("polled")
	stage.Eval[bool](e, flashes)
	stage.Create(t, ns, "second")
	e.AwaitCount(2)
	e.checkSteady(1)
	if seen := stage.Now[[]string](e, "states"); slices.Contains(seen, "live") || slices.Contains(seen, "denied") {
		t.Errorf("it was %v", seen)
	}
	stage.Grant(t, lou, ns, []string{"watch"}, "pods")
	e.awake()
	e.AwaitState("live")
	stage.Create(t, ns, "third")
	e.AwaitCount(3)
	e.checkSteady(1)
}

// TestWatchOnly is the view of somebody who may watch and not list: what the watch
// begins with is the list.
func TestWatchOnly(t *testing.T) {
	ns := stage.Namespace(t)
	wil := stage.Someone(t)
	stage.Grant(t, wil, ns, []string{"watch"}, "pods")
	stage.Create(t, ns, "first")
	e := open(t, stage.ServeTo(t, wil, ns).At("/pods"))
	e.AwaitState("live")
	e.AwaitCount(1)
}

// TestOffers shows what is offered to somebody who looks where nothing may be read.
func TestOffers(t *testing.T) {
	olaf := stage.Someone(t)
	stage.Grant(t, olaf, "orders", stage.Reads, "pods", "services")
	p := stage.ServeTo(t, olaf, "orders")
	e := open(t, p.At("/pods?n=payments"))
	e.AwaitState("denied")
	e.Says(".panel", "or in payments", "Pods in orders", "Services in orders")
	e.KeepLooks("offers")
	e.Must(e.Click(`.panel [data-value="pods orders"]`))
	e.AwaitQuery("n", "orders")
	e.AwaitState("live")
	e.AwaitCount(podsIn(t, "orders"))
	e.Must(e.Open(p.Origin() + "/nodes"))
	e.AwaitState("denied")
	e.Says(".panel", "You can't list nodes", "Services in orders")
	e.Keep("nodes")
	e.Must(e.Click(`.panel [data-value="services orders"]`))
	e.AwaitState("live")
}

// TestRightsComeAndGo gives somebody the whole cluster while the page is open, and
// takes it away again: no row is lost for what is gained, and none stays of what is
// lost.
func TestRightsComeAndGo(t *testing.T) {
	rita := stage.Someone(t)
	stage.Grant(t, rita, "orders", stage.Reads, "pods")
	p := stage.ServeTo(t, rita, "orders")
	e := synced(t, p.At("/pods"), lostSocket)
	orders := podsIn(t, "orders")
	e.AwaitCount(orders)
	stage.Eval[bool](e, flashes)
	revoke := stage.Grant(t, rita, "", stage.Reads, "pods")
	begin := time.Now()
	e.Must(e.Tab.Await(`document.querySelector(".banner").innerText === ""`, 2*time.Minute))
	t.Logf("wide after %s", time.Since(begin).Round(time.Second))
	e.AwaitState("live")
	e.checkSteady(orders)
	stage.AwaitValue(e, browser.AllRows, func(r browser.Rows) bool { return r.Total > orders })
	revoke()
	e.Must(p.Kill()) // who watches goes on to
	e.Must(p.Start(t.Context()))
	e.Says(".banner", "Showing namespace orders only")
	e.AwaitState("live")
	e.AwaitCount(orders)
	e.Await(`watchglass.inspect().then(i => i.sources.some(s => s.namespace === "orders"))`)
}
