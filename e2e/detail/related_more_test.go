package detail

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"watchglass/e2e/stage"
)

// classed are classes and a cluster role, all named NAME, and who in a namespace names them.
const classed = `
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: NAME}, value: 1}
---
{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: NAME}, handler: h}
---
{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: NAME}, spec: {controller: example.com/c}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: NAME}, rules: []}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: NAME}
spec:
  replicas: 0
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      priorityClassName: NAME
      runtimeClassName: NAME
      containers: [{name: main, image: registry.example/web:1}]
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: new, namespace: NAME}
spec: {ingressClassName: NAME, defaultBackend: {service: {name: web, port: {number: 80}}}}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: old, namespace: NAME, annotations: {kubernetes.io/ingress.class: NAME}}
spec: {defaultBackend: {service: {name: web, port: {number: 80}}}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: grant, namespace: NAME}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: NAME}
`

// TestRelatedClasses holds that who names a class, or a cluster role, is shown with it,
// whatever namespace it is in.
func TestRelatedClasses(t *testing.T) {
	ns := stage.Namespace(t)
	stage.Apply(t, strings.ReplaceAll(classed, "NAME", ns))
	t.Cleanup(func() {
		if _, err := stage.Cluster.Kubectl(context.Background(), "delete", "priorityclass/"+ns, "runtimeclass/"+ns, "ingressclass/"+ns, "clusterrole/"+ns); err != nil {
			t.Error(err)
		}
	})
	e := show(t, "/deployments.apps?n="+ns)
	for _, c := range []struct{ focus, verb, by string }{
		{"priorityclasses.scheduling.k8s.io", "uses", "deployments.apps %s/web"},
		{"runtimeclasses.node.k8s.io", "uses", "deployments.apps %s/web"},
		{"ingressclasses.networking.k8s.io", "uses", "ingresses.networking.k8s.io %s/new"},
		{"ingressclasses.networking.k8s.io", "uses", "ingresses.networking.k8s.io %s/old"},
		{"clusterroles.rbac.authorization.k8s.io", "binds", "rolebindings.rbac.authorization.k8s.io %s/grant"},
	} {
		e.GoTo("/" + c.focus + "?sel=" + ns + "&tab=related")
		e.Await(`document.querySelector("[data-action=related-tree]")`)
		e.Must(e.Click("[data-action=related-tree]"))
		e.Await(fmt.Sprintf(`document.querySelector('#graph .item[data-edge="%s|%s|%s %s"]')`, fmt.Sprintf(c.by, ns), c.verb, c.focus, ns))
	}
}

// kinOfPod is a pod whose owners and what it mounts are four columns of a graph.
const kinOfPod = `
apiVersion: v1
kind: Pod
metadata: {name: web-1-a, namespace: NAME, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-1, uid: UID}]}
spec:
  serviceAccountName: runner
  automountServiceAccountToken: false
  containers: [{name: main, image: registry.example/web:1, envFrom: [{configMapRef: {name: settings}}]}]
`

// allInside is whether every item of the graph is in sight, from edge to edge.
const allInside = `(() => {
	const pane = document.querySelector("#graph"), room = pane.getBoundingClientRect();
	const all = [...pane.querySelectorAll(".item")].map(i => i.getBoundingClientRect());
	return pane.dataset.shape === "graph" && all.length > 1 && all.every(r => r.left >= room.left && r.right <= room.right && r.top >= room.top && r.bottom <= room.bottom);
})()`

// saidBeyond is whether the graph is at its smallest scale, with the open object in sight from
// edge to edge, and something beyond an edge that a chip counts.
const saidBeyond = `(() => {
	const room = document.querySelector("#graph").getBoundingClientRect(), focus = document.querySelector("#graph .focal").getBoundingClientRect();
	return Math.abs(focus.width - 0.8 * 210) < 1 && focus.left >= room.left && focus.right <= room.right && focus.top >= room.top && focus.bottom <= room.bottom && document.querySelector(".beyond button:not([hidden])") !== null;
})()`

// TestRelatedOpens holds that a graph is in sight as a whole when it is opened, of
// whatever shape, in windows of many sizes, and that its words can be read. Where it is too
// small for that, what is beyond is said.
func TestRelatedOpens(t *testing.T) {
	f, set := found(t)
	for i := range 12 {
		f.pod(fmt.Sprint("web-1-more-", i), "-1", set, "web")
	}
	e := show(t, "/pods?n="+f.ns)
	whole := 0
	for _, size := range [][2]int64{{1000, 700}, {1400, 900}, {1920, 1080}, {820, 1180}, {390, 844}} {
		e.Must(e.Resize(size[0], size[1]))
		for _, focus := range []string{
			called("Deployment", f.ns, "web"), called("Pod", f.ns, "web-1-a"), called("Service", f.ns, "web"), called("PersistentVolumeClaim", f.ns, "data"),
			called("Node", "", f.ns+"-1"), called("Ingress", f.ns, "web"), called("ConfigMap", f.ns, "settings"), called("HorizontalPodAutoscaler", f.ns, "web"),
		} {
			resource, key, _ := strings.Cut(focus, " ")
			e.GoTo("/" + resource + "?sel=" + key + "&tab=related")
			e.Await(`document.querySelector("[data-action=related-graph]")`)
			e.Must(e.Click("[data-action=related-graph]"))
			e.Await(fmt.Sprintf(`document.querySelector("#graph .focal")?.dataset.key === %q && !document.querySelector("#pane").innerText.includes("loading")`, focus))
			if err := e.Tab.Await(allInside+" || "+saidBeyond, stage.Soon); err != nil {
				e.Keep("cut")
				t.Fatalf("%s in %d × %d: %v", focus, size[0], size[1], err)
			}
			if stage.Eval[bool](e, allInside) {
				whole++
			}
			if width := stage.Eval[float64](e, `document.querySelector("#graph .focal").getBoundingClientRect().width`); width < 0.8*210-1 {
				t.Errorf("%s in %d × %d: an object is %.0f pixels wide", focus, size[0], size[1], width)
			}
			e.Keep(fmt.Sprintf("%s-%d", strings.ReplaceAll(strings.Fields(focus)[0], ".", "-"), size[0]))
		}
	}
	if whole < 30 {
		t.Errorf("%d of 40 graphs are in sight as a whole", whole)
	}
}

// TestRelatedZoom holds that a graph fits anew when the room becomes another, until
// somebody zooms, and that it then stays as it is until it is to fit again.
func TestRelatedZoom(t *testing.T) {
	f := family{t, stage.Namespace(t)}
	f.put("v1", "ServiceAccount", "runner", doc{})
	app := object{"matchLabels": object{"app": "web"}}
	spec := object{"replicas": 1, "selector": app, "template": object{"metadata": object{"labels": object{"app": "web"}}, "spec": object{"containers": list{object{"name": "main", "image": "registry.example/web:1"}}}}}
	web := f.put("apps/v1", "Deployment", "web", doc{"spec": spec})
	set := f.put("apps/v1", "ReplicaSet", "web-1", doc{"metadata": object{"ownerReferences": list{web.owner()}}, "spec": spec})
	stage.Apply(t, strings.NewReplacer("NAME", f.ns, "UID", set.text("metadata", "uid")).Replace(kinOfPod))

	e := show(t, "/pods?n="+f.ns+"&sel="+f.ns+"/web-1-a")
	e.Must(e.Resize(1000, 700))
	wide := func(px int) {
		t.Helper()
		e.Await(fmt.Sprintf(`Math.abs(document.querySelector("#graph .focal").getBoundingClientRect().width - %d) < 1`, px))
	}
	inside := func(items int) {
		t.Helper()
		e.Await(fmt.Sprintf(`document.querySelectorAll("#graph .item").length === %d && %s`, items, allInside))
	}
	zoom := func(by string) { e.Must(e.Click(`[data-action=related-zoom][data-value="` + by + `"]`)) }
	for _, keys := range []string{"4", "54"} {
		e.Press(keys)
		inside(5)
		wide(210) // from above down, there is room for all
	}
	e.Must(e.Resize(1400, 900))
	e.Press("F")
	inside(5)
	wide(210)
	e.Await(`(() => {
		const pane = document.querySelector("#graph").getBoundingClientRect();
		const all = [...document.querySelectorAll("#graph .item")].map(i => i.getBoundingClientRect());
		const off = (from, to) => Math.min(...all.map(r => r[from])) - pane[from] - pane[to] + Math.max(...all.map(r => r[to]));
		return Math.abs(off("left", "right")) < 3 && Math.abs(off("top", "bottom")) < 3;
	})()`)

	zoom("125")
	wide(262)
	e.Press("F")
	e.Await(`document.querySelector("#graph").clientWidth < 600`)
	wide(262)
	zoom("0")
	inside(5)
	e.Press("F")
	wide(210)
}
