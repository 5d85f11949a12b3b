package list

import (
	"context"
	_ "embed"
	"strings"
	"testing"

	"watchglass/e2e/stage"
)

// askedKinds are those of the first that the tab and kubectl are asked the same of.
const askedKinds = 12

// TestKinds makes objects of each kind in every state that a client can, and
// compares each cell with what the apiserver prints for it. One page goes to all of
// them: by address to those that have one, by the rail to the others.
func TestKinds(t *testing.T) {
	ns := stage.Namespace(t)
	stage.ApplyKinds(t, ns)
	walk := show(t, "/limitranges")
	walk.Await(item("Other"))
	stage.Eval[any](walk, item("Other")+`.click()`)
	for n, k := range stage.PrintedKinds {
		t.Run(k.Resource, func(t *testing.T) {
			e := eyes{walk.In(t)}
			if k.Address == "" {
				e.walk(k)
			} else {
				e.GoTo("/" + k.Address + "?cols=wide")
				e.Await(item(k.ID()) + `.getAttribute("aria-current") === "page"`)
				e.AwaitState("live")
			}
			e.prints(k, "protobuf")
			e.Press("W")
			e.Await(`parseInt(document.querySelector("#count").textContent) > 0 && !location.search.includes("wide")`)
			e.Keep("page")
			if n < askedKinds {
				e.asked(k.Resource, ofAny, false)
			}
			if right := stage.Eval[int](e, `innerWidth - document.querySelector("main").getBoundingClientRect().right`); right != 0 {
				t.Errorf("the list ends %d pixels before the page", right)
			}
		})
	}
}

// walk goes to a kind by its place in the rail, and has it show all columns.
func (e eyes) walk(k stage.Kind) {
	e.T.Helper()
	e.Await(item(k.ID()))
	stage.Eval[any](e, item(k.ID())+`.click()`)
	e.Await(item(k.ID()) + `.getAttribute("aria-current") === "page"`)
	e.AwaitState("live")
	e.Press("W")
	e.AwaitQuery("cols", "wide")
}

// prints compares the kind on screen with what the apiserver prints, and tells how
// it came.
func (e eyes) prints(k stage.Kind, encoding string) {
	e.T.Helper()
	if rows := e.printsLike(k.List(), k.Namespaced); len(rows.Rows) < 2 {
		e.T.Fatalf("%d rows show little", len(rows.Rows))
	}
	sources := 0
	for _, s := range e.Inspect().Sources {
		if s.Resource != k.ID() {
			continue
		}
		if sources++; s.Encoding != encoding {
			e.T.Errorf("they came as %s", s.Encoding)
		}
	}
	if sources == 0 {
		e.T.Errorf("no source is of %s", k.ID())
	}
}

// TestTableKinds opens kinds that the tab does not print: the server's columns show.
func TestTableKinds(t *testing.T) {
	ns := stage.Namespace(t)
	meters := strings.NewReplacer("gauge", "meter", "Gauge", "Meter", "gg", "mm").Replace(gauges)
	for name, doc := range map[string]string{"gauges": gauges, "meters": meters} {
		stage.Post(t, stage.DefinitionsPath, doc)
		t.Cleanup(func() {
			if err := stage.Admin.CoreV1().RESTClient().Delete().AbsPath(stage.DefinitionsPath + "/" + name + ".e2e.example.com").Do(context.Background()).Error(); err != nil {
				t.Error(err)
			}
		})
	}
	if _, err := stage.Cluster.Kubectl(t.Context(), "wait", "--for=condition=Established", "crd/gauges.e2e.example.com"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"steam", "water"} {
		stage.Post(t, stage.GaugesPath+"/namespaces/"+ns+"/gauges", `{"apiVersion": "e2e.example.com/v1", "kind": "Gauge", "metadata": {"name": "`+name+`"}, "spec": {"reading": 7, "unit": "bar"}}`)
	}
	for _, k := range []stage.Kind{
		{Name: "CustomResourceDefinition", Group: "/apis/apiextensions.k8s.io/v1", Resource: "customresourcedefinitions", Address: "crds"},
		{Name: "Gauge", Group: stage.GaugesPath, Resource: "gauges", Address: "gg", Namespaced: true},
	} {
		t.Run(k.Address, func(t *testing.T) {
			show(t, "/"+k.Address+"?cols=wide").prints(k, "table")
		})
	}
}
