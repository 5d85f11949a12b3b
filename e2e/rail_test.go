package e2e

import (
	"context"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
)

// gauges is a kind with columns of its own.
const gauges = `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "gauges.e2e.example.com"},
	"spec": {"group": "e2e.example.com", "scope": "Namespaced", "names": {"plural": "gauges", "singular": "gauge", "kind": "Gauge", "shortNames": ["gg"]},
		"versions": [{"name": "v1", "served": true, "storage": true,
			"schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": {"reading": {"type": "integer"}, "unit": {"type": "string"}}}}}},
			"additionalPrinterColumns": [{"name": "Reading", "type": "integer", "jsonPath": ".spec.reading"}, {"name": "Unit", "type": "string", "jsonPath": ".spec.unit", "priority": 1}, {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}]}]}}`

const (
	gaugesPath      = "/apis/e2e.example.com/v1"
	definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
)

// goneWithin is how long a kind may show that the server does not have any more.
const goneWithin = 10 * time.Second

// post makes an object of a document.
func post(t *testing.T, path, doc string) {
	t.Helper()
	if err := admin.CoreV1().RESTClient().Post().AbsPath(path).SetHeader("Content-Type", "application/json").Body([]byte(doc)).Do(t.Context()).Error(); err != nil {
		t.Fatal(err)
	}
}

// item selects a kind's place in the rail.
func item(id string) string { return `document.querySelector('.rail [data-value="` + id + `"]')` }

// TestCustomKind installs a kind while the page is open: it comes into the rail by
// itself, opens, and is live, with the server's columns; and goes when it is removed.
func TestCustomKind(t *testing.T) {
	ns := namespace(t)
	e := synced(t, serve(t, proxy.Options{}).At("/pods?n="+ns))
	e.await(item("flowschemas.flowcontrol.apiserver.k8s.io") + ` === null && ` + item("Other")) // it is known what there is
	eval[bool](e, `window.unreloaded = true`)
	post(t, definitionsPath, gauges)
	t.Cleanup(func() { // if the test did not come to it
		_ = admin.CoreV1().RESTClient().Delete().AbsPath(definitionsPath + "/gauges.e2e.example.com").Do(context.Background()).Error()
	})
	e.await(item("gauges.e2e.example.com"))
	eval[any](e, item("gauges.e2e.example.com")+`.click()`)
	e.state("live")
	e.await(item("gauges.e2e.example.com") + `.getAttribute("aria-current") === "page"`)
	e.await(item("pods") + `.getAttribute("aria-current") === "false"`)
	post(t, gaugesPath+"/namespaces/"+ns+"/gauges", `{"apiVersion": "e2e.example.com/v1", "kind": "Gauge", "metadata": {"name": "steam"}, "spec": {"reading": 7, "unit": "bar"}}`)
	e.awaitCell(ns+"/steam", "Reading", "7")
	rest := admin.CoreV1().RESTClient()
	one := gaugesPath + "/namespaces/" + ns + "/gauges/steam"
	if err := rest.Patch(types.MergePatchType).AbsPath(one).Body([]byte(`{"spec":{"reading":12}}`)).Do(t.Context()).Error(); err != nil {
		t.Fatal(err)
	}
	e.awaitCell(ns+"/steam", "Reading", "12")
	e.await(item("gauges.e2e.example.com") + `.innerText.endsWith("1")`)
	e.keep("open")
	if err := rest.Delete().AbsPath(one).Do(t.Context()).Error(); err != nil {
		t.Fatal(err)
	}
	e.await(`!document.querySelector('[data-key="` + ns + `/steam"]')`)
	if err := rest.Delete().AbsPath(definitionsPath + "/gauges.e2e.example.com").Do(t.Context()).Error(); err != nil {
		t.Fatal(err)
	}
	e.must(e.AwaitState("gone", goneWithin))
	e.await(`document.querySelector(".panel h2")?.innerText === "There are no gauges.e2e.example.com here"`)
	e.keep("gone")
	e.must(e.Click(".panel [data-action=go]"))
	e.state("live")
	e.await(item("gauges.e2e.example.com") + ` === null`)
	if !eval[bool](e, `window.unreloaded === true`) {
		t.Error("the page was loaded again")
	}
}

// TestRail goes through kinds by pointer and by key, and shows that the rail counts
// what is held, and remembers what is folded.
func TestRail(t *testing.T) {
	e := synced(t, serve(t, proxy.Options{}).At("/deploy"))
	e.await(item("deployments.apps") + `.getAttribute("aria-current") === "page"`)
	eval[any](e, item("services")+`.click()`)
	e.await(`location.pathname === "/services"`)
	e.state("live")
	e.await(item("services") + `.querySelector(".number").textContent !== ""`)
	if text := eval[string](e, item("deployments.apps")+`.querySelector(".number").textContent`); text == "" {
		t.Error("the deployments are held and not counted")
	}
	if text := eval[string](e, item("secrets")+`.querySelector(".number").textContent`); text != "" {
		t.Errorf("the secrets are not held, and counted %s", text)
	}
	eval[any](e, item("services")+`.focus()`)
	e.press("\t")
	e.await(`document.activeElement === ` + item("ingresses.networking.k8s.io"))
	e.press("\r")
	e.await(`location.pathname === "/ingresses.networking.k8s.io"`)
	e.state("live")
	eval[any](e, item("Workloads")+`.click()`)
	e.await(item("pods") + ` === null`)
	e.await(item("Other")) // the kinds are told when there are rows
	eval[any](e, item("Other")+`.click()`)
	e.await(item("flowschemas.flowcontrol.apiserver.k8s.io"))
	e.keep("folded")
	e.must(e.Open(eval[string](e, `location.href`)))
	e.state("live")
	e.await(item("flowschemas.flowcontrol.apiserver.k8s.io"))
	if !eval[bool](e, item("pods")+` === null`) {
		t.Error("what was folded is not any more")
	}
}

// TestRailDenied shows that whoever may not read the definitions has a rail all the
// same.
func TestRailDenied(t *testing.T) {
	e := open(t, serve(t, proxy.Options{Kubeconfig: kubeconfig(t, denied, cluster.KubeconfigOptions{})}).At("/pods"))
	e.state("denied")
	e.await(item("Other"))
}
