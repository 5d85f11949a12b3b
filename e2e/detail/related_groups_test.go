package detail

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp/kb"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"watchglass/e2e/stage"
)

// crowd is a deployment with one ReplicaSet and pods.
type crowd struct {
	t   *testing.T
	ns  string
	set metav1.OwnerReference
}

// gather makes a deployment named web with running pods, and gives some of them another status.
func gather(t *testing.T, many int, crashing ...int) crowd {
	t.Helper()
	f := family{t, stage.Namespace(t)}
	app := object{"matchLabels": object{"app": "web"}}
	spec := object{"replicas": many, "selector": app, "template": object{"metadata": object{"labels": object{"app": "web"}}, "spec": object{"containers": list{object{"name": "main", "image": "registry.example/web:1"}}}}}
	web := f.put("apps/v1", "Deployment", "web", doc{"spec": spec})
	set := f.put("apps/v1", "ReplicaSet", "web-1", doc{"metadata": object{"ownerReferences": list{web.owner()}}, "spec": spec})
	c := crowd{t, f.ns, metav1.OwnerReference{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web-1", UID: types.UID(set.text("metadata", "uid"))}}
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			for i := worker; i < many; i += 8 {
				c.pod(i, slices.Contains(crashing, i))
			}
		})
	}
	all.Wait()
	return c
}

// pod makes a pod with a status.
func (c crowd) pod(i int, crashing bool) {
	pod := stage.Create(c.t, c.ns, fmt.Sprintf("web-1-%03d", i), func(p *corev1.Pod) {
		p.OwnerReferences, p.Labels = []metav1.OwnerReference{c.set}, map[string]string{"app": "web"}
	})
	status := stage.Running(0)
	status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	if crashing {
		status.ContainerStatuses[0].Ready = false
		status.ContainerStatuses[0].State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}
	}
	stage.SetStatus(c.t, pod, status)
}

func (c crowd) address() string { return "/deployments.apps?sel=" + c.ns + "/web&tab=related" }

// focusRelated puts the focus where it is after a page was opened at the Related tab.
const focusRelated = `document.getElementById("tab-related").focus()`

// at is where the head of the group is on screen.
const headAt = `(r => [Math.round(r.left), Math.round(r.top)].join())(document.querySelector("#graph .gathered").getBoundingClientRect())`

// TestRelatedGroups opens a deployment with twelve pods, of which two crash: they are one node that
// counts their states, and the two; keys lead there by relation, and open it in place.
func TestRelatedGroups(t *testing.T) {
	c := gather(t, 12, 4, 9)
	e := show(t, c.address())
	source := stage.AxeSource(t)
	e.Await(`document.querySelector("#graph .gathered .aside")?.textContent === ", 2 CrashLoopBackOff, 10 Running, owned by ReplicaSet web-1"`)
	e.Await(allInside)
	shown := `[...document.querySelectorAll("#graph a:not(.gathered) .name")].map(n => n.textContent).sort().join()`
	closed := stage.Eval[string](e, shown)
	if closed != "web-1,web-1-004,web-1-009" {
		t.Errorf("beside the group: %s", closed)
	}
	e.Await(`document.querySelectorAll("#graph .item.broken .name").length === 4 && document.querySelectorAll("#graph .gathered.broken").length === 1`)
	e.Await(`document.querySelectorAll("#graph .line.broken").length === 2 && document.querySelectorAll("#graph [aria-current=true]").length === 1`)
	e.Axe(source)
	e.KeepLooks("group")

	focused := func(want string) {
		t.Helper()
		e.Await(fmt.Sprintf(`[...document.activeElement.querySelectorAll(".kind, .name")].map(s => s.textContent).join(" ").trim() === %q`, want))
	}
	stage.Eval[any](e, focusRelated)
	e.Press(kb.Home)
	focused("Deployment web")
	forth, back := kb.ArrowRight, kb.ArrowLeft
	if stage.Eval[bool](e, `(([a, b]) => b.y > a.y + a.height)([".focal", ".gathered"].map(s => document.querySelector("#graph " + s).getBoundingClientRect()))`) {
		forth, back = kb.ArrowDown, kb.ArrowUp
	}
	e.Press(forth)
	focused("ReplicaSet web-1")
	e.Press(forth)
	focused("12 pods")
	e.Press(back)
	focused("ReplicaSet web-1")
	e.Press(forth)

	e.Press(kb.Enter)
	e.AwaitQuery("expand", "pods/web-1")
	e.Await(`document.querySelectorAll("#graph .item").length === 15 && document.activeElement.getAttribute("aria-expanded") === "true"`)
	where := stage.Eval[string](e, headAt)
	c.pod(12, false)
	e.Await(`document.querySelectorAll("#graph .item").length === 16`)
	focused("13 pods")
	if now := stage.Eval[string](e, headAt); now != where {
		t.Errorf("after a change, the group was at %s, and is at %s", where, now)
	}
	e.Await(`(all => all.every((item, i) => item.id === "item-" + i))([...document.querySelectorAll("#graph .item")])`) // in the order of reading

	e.Must(e.Open(stage.Eval[string](e, `location.href`)))
	e.Await(`document.querySelectorAll("#graph .item").length === 16`)
	e.Press(kb.Home, forth, forth, kb.Enter)
	e.Await(`!location.search.includes("expand") && document.querySelectorAll("#graph .item").length === 5`)
	e.Press(kb.Escape)
	e.Await(`document.querySelector(".drawer").hidden && document.activeElement.id === "grid"`)
}

// TestRelatedNarrow opens the same in a narrow window: as a list, unless the user chooses otherwise,
// which is remembered.
func TestRelatedNarrow(t *testing.T) {
	c := gather(t, 12, 4, 9)
	e := show(t, "/deployments.apps?n="+c.ns)
	show := func(width int64, shape string) {
		t.Helper()
		e.GoTo("/deployments.apps?n=" + c.ns)
		e.Must(e.Resize(width, 844))
		e.GoTo(c.address())
		e.Await(fmt.Sprintf(`document.querySelector("#graph[data-shape=%s] .gathered")`, shape))
	}
	show(701, "graph")
	show(390, "tree")
	e.Axe(stage.AxeSource(t))
	rows := func(n int) {
		t.Helper()
		e.Await(fmt.Sprintf(`document.querySelectorAll("#graph .item").length === %d`, n))
	}
	rows(5)
	stage.Eval[any](e, focusRelated)
	e.Press(kb.Home, kb.ArrowDown, kb.ArrowDown, kb.ArrowRight)
	rows(15)
	e.Press(kb.ArrowRight)
	e.Await(`document.activeElement.querySelector(".name").textContent === "web-1-000"`)
	e.Press(kb.ArrowLeft, kb.ArrowLeft)
	rows(5)
	e.Keep("narrow")
	e.Must(e.Click("[data-action=related-graph]"))
	e.Must(e.Open(stage.Eval[string](e, `location.href`)))
	e.Await(`document.querySelector("#graph[data-shape=graph] .gathered")`)
}

// TestRelatedCrowd opens a graph of 500 objects: it opens legible, and what does not fit is said at
// the edges and can be reached there.
func TestRelatedCrowd(t *testing.T) {
	crashing := []int{3, 77, 200, 201, 450}
	c := gather(t, 495, crashing...)
	e := show(t, c.address())
	e.Await(`document.querySelector("#graph .gathered .kind")?.textContent === "495 pods"`)
	e.Await(allInside)
	t.Logf("closed: %v elements", stage.Eval[float64](e, `document.querySelectorAll("#graph *").length`))
	legible := func() {
		t.Helper()
		e.Await(`[...document.querySelectorAll("#graph .item > span:not(.aside)")].every(s => parseFloat(getComputedStyle(s).fontSize) * +getComputedStyle(document.querySelector("#graph .world")).getPropertyValue("--scale") >= 11.99)`)
		e.Await(`+getComputedStyle(document.querySelector("#graph .world")).getPropertyValue("--scale") >= 0.8`)
	}
	legible()
	for _, size := range [][2]int64{{1400, 900}, {390, 844}} {
		e.Must(e.Resize(size[0], size[1]))
		e.GoTo("/deployments.apps?n=" + c.ns)
		e.GoTo(c.address() + "&expand=pods/web-1")
		e.Await(`document.querySelector("[data-action=related-graph]")`)
		e.Must(e.Click("[data-action=related-graph]"))
		e.Await(`document.querySelectorAll("#graph .item").length === 498`)
		legible()
		e.Await(`(f => f.top >= f.pane.top && f.bottom <= f.pane.bottom)({...document.querySelector("#graph .focal").getBoundingClientRect().toJSON(), pane: document.querySelector("#graph").getBoundingClientRect()})`)
		e.Await(`[...document.querySelectorAll(".beyond button:not([hidden])")].map(b => b.textContent).some(s => /^\d+ pods · \d failing ▾$/.test(s))`)
		t.Logf("open, %d × %d: %v elements", size[0], size[1], stage.Eval[float64](e, `document.querySelectorAll("#graph *").length`))
		e.Keep(fmt.Sprintf("crowd-%d", size[0]))
		e.Must(e.Click(`.beyond [data-edge=bottom]`))
		e.Await(`/Podweb-1-\d+CrashLoopBackOff/.test(document.activeElement.textContent)`)
		e.Await(`(({top, bottom}, pane) => top >= pane.top && bottom <= pane.bottom)(document.activeElement.getBoundingClientRect(), document.querySelector("#graph").getBoundingClientRect())`)
		e.Await(`document.querySelector(".beyond [data-edge=top]:not([hidden])")?.textContent.includes("deployment") || document.querySelector(".beyond [data-edge=top]:not([hidden])")?.textContent.includes("pods")`)
		e.Keep(fmt.Sprintf("crowd-%d-below", size[0]))
		e.Press(kb.Home)
		e.Await(`document.activeElement.classList.contains("focal")`)
	}
	if text := e.Text(".beyond"); strings.Contains(text, "undefined") {
		t.Error(text)
	}
}
