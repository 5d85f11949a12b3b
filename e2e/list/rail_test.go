package list

import (
	"context"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"watchglass/e2e/stage"
)

// gauges is a kind with columns of its own.
const gauges = `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "gauges.e2e.example.com"},
	"spec": {"group": "e2e.example.com", "scope": "Namespaced", "names": {"plural": "gauges", "singular": "gauge", "kind": "Gauge", "shortNames": ["gg"]},
		"versions": [{"name": "v1", "served": true, "storage": true,
			"schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": {"reading": {"type": "integer"}, "unit": {"type": "string"}}}}}},
			"additionalPrinterColumns": [{"name": "Reading", "type": "integer", "jsonPath": ".spec.reading"}, {"name": "Unit", "type": "string", "jsonPath": ".spec.unit", "priority": 1}, {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}]}]}}`

// goneWithin is how long a kind may show that the server does not have any more.
const goneWithin = 10 * time.Second

// item selects a kind's place in the rail.
func item(id string) string { return `document.querySelector('.rail [data-value="` + id + `"]')` }

// TestCustomKind installs a kind while the page is open: it comes into the rail by
// itself, opens, and is live, with the server's columns; and goes when it is removed.
func TestCustomKind(t *testing.T) {
	ns := stage.Namespace(t)
	e := show(t, "/pods?n="+ns)
	e.Await(item("flowschemas.flowcontrol.apiserver.k8s.io") + ` === null && ` + item("Other")) // it is known what there is
	stage.Eval[bool](e, `window.unreloaded = true`)
	stage.Post(t, stage.DefinitionsPath, gauges)
	t.Cleanup(func() { // if the test did not come to it
		_ = stage.Admin.CoreV1().RESTClient().Delete().AbsPath(stage.DefinitionsPath + "/gauges.e2e.example.com").Do(context.Background()).Error()
	})
	e.Await(item("gauges.e2e.example.com"))
	stage.Eval[any](e, item("gauges.e2e.example.com")+`.click()`)
	e.AwaitState("live")
	e.Await(item("gauges.e2e.example.com") + `.getAttribute("aria-current") === "page"`)
	e.Await(item("pods") + `.getAttribute("aria-current") === "false"`)
	stage.Post(t, stage.GaugesPath+"/namespaces/"+ns+"/gauges", `{"apiVersion": "e2e.example.com/v1", "kind": "Gauge", "metadata": {"name": "steam"}, "spec": {"reading": 7, "unit": "bar"}}`)
	e.AwaitCell(ns+"/steam", "Reading", "7")
	rest := stage.Admin.CoreV1().RESTClient()
	one := stage.GaugesPath + "/namespaces/" + ns + "/gauges/steam"
	if err := rest.Patch(types.MergePatchType).AbsPath(one).Body([]byte(`{"spec":{"reading":12}}`)).Do(t.Context()).Error(); err != nil {
		t.Fatal(err)
	}
	e.AwaitCell(ns+"/steam", "Reading", "12")
	e.Await(item("gauges.e2e.example.com") + `.innerText.endsWith("1")`)
	e.Keep("open")
	if err := rest.Delete().AbsPath(one).Do(t.Context()).Error(); err != nil {
		t.Fatal(err)
	}
	e.Await(`!document.querySelector('[data-key="` + ns + `/steam"]')`)
	if err := rest.Delete().AbsPath(stage.DefinitionsPath + "/gauges.e2e.example.com").Do(t.Context()).Error(); err != nil {
		t.Fatal(err)
	}
	e.Must(e.Tab.AwaitState("gone", goneWithin))
	e.Await(`document.querySelector(".panel h2")?.innerText === "The apiserver has no resource type gauges.e2e.example.com"`)
	e.Keep("gone")
	e.Must(e.Click(".panel [data-action=go]"))
	e.AwaitState("live")
	e.Await(item("gauges.e2e.example.com") + ` === null`)
	if !stage.Now[bool](e, `window.unreloaded === true`) {
		t.Error("the page was loaded again")
	}
}

// TestRail goes through kinds by pointer and by key, and shows that the rail counts
// what is held, and remembers what is folded.
func TestRail(t *testing.T) {
	e := synced(t, page.Proxy(t).At("/deploy"))
	e.Await(item("deployments.apps") + `.getAttribute("aria-current") === "page"`)
	stage.Eval[any](e, item("services")+`.click()`)
	e.Await(`location.pathname === "/services"`)
	e.AwaitState("live")
	e.Await(item("services") + `.querySelector(".number").textContent !== ""`)
	e.Await(item("deployments.apps") + `.querySelector(".number").textContent !== ""`) // they are held
	if text := stage.Now[string](e, item("secrets")+`.querySelector(".number").textContent`); text != "" {
		t.Errorf("the secrets are not held, and counted %s", text)
	}
	stage.Eval[any](e, item("services")+`.focus()`)
	e.Press("\t")
	e.Await(`document.activeElement === ` + item("ingresses.networking.k8s.io"))
	e.Press("\r")
	e.Await(`location.pathname === "/ingresses.networking.k8s.io"`)
	e.AwaitState("live")
	stage.Eval[any](e, item("Workloads")+`.click()`)
	e.Await(item("pods") + ` === null`)
	e.Await(item("Other")) // the kinds are told when there are rows
	stage.Eval[any](e, item("Other")+`.click()`)
	e.Await(item("flowschemas.flowcontrol.apiserver.k8s.io"))
	e.Keep("folded")
	e.Must(e.Open(stage.Eval[string](e, `location.href`)))
	e.AwaitState("live")
	e.Await(item("flowschemas.flowcontrol.apiserver.k8s.io"))
	if !stage.Now[bool](e, item("pods")+` === null`) {
		t.Error("what was folded is not any more")
	}
}

// TestRailDenied shows that whoever may not read the definitions has a rail all the
// same.
func TestRailDenied(t *testing.T) {
	e := deniedPage.Open(t, "/pods")
	e.AwaitState("denied")
	e.Await(item("Other"))
}
