package list

import (
	"fmt"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"watchglass/e2e/stage"
)

// placed creates a pod that runs on a node, whose container requests so much CPU.
func placed(t *testing.T, ns, name, node, cpu string, restarts int32) *corev1.Pod {
	t.Helper()
	pod := stage.Create(t, ns, name, func(p *corev1.Pod) {
		p.Spec.NodeName = node
		p.Spec.Containers[0].Resources.Requests = corev1.ResourceList{"cpu": resource.MustParse(cpu), "memory": resource.MustParse("64Mi")}
	})
	stage.SetStatus(t, pod, stage.Running(restarts))
	return pod
}

// TestGroups groups pods by node: the sums follow the pods, a row opens the pods of its node, Back
// leads to the groups, and an export has what is on screen.
func TestGroups(t *testing.T) {
	ns := stage.Namespace(t)
	a, b := ns+"-a", ns+"-b"
	placed(t, ns, "one", a, "500m", 2)
	two := placed(t, ns, "two", a, "750m", 1)
	placed(t, ns, "three", b, "2", 0)
	crashing(t, ns, "restless")
	e := show(t, "/pods?n="+ns)
	e.Must(e.Resize(1600, 900))
	e.Must(e.Click(`.facets [data-action="group-by"][data-value="Node"]`))
	e.AwaitQuery("group", "Node")
	e.AwaitCell("/"+a, "Objects", "2")
	e.AwaitCell("/"+a, "Restarts", "3")
	e.AwaitCell("/"+a, "CPU Requests", "1.25")
	e.AwaitCell("/"+a, "Memory Requests", "128Mi")
	e.AwaitCell("/"+b, "CPU Requests", "2")
	e.AwaitCell("/<none>", "Unhealthy", "1")
	e.Says("#count", "3 groups of 4")
	e.Axe(stage.AxeSource(t))
	e.Keep("groups")

	// A pod goes to the other node, and the other pod of the first one ends.
	stage.Remove(t, two)
	placed(t, ns, "two", b, "750m", 5)
	e.AwaitCell("/"+a, "CPU Requests", "0.5")
	e.AwaitCell("/"+b, "CPU Requests", "2.75")
	e.AwaitCell("/"+b, "Restarts", "5")
	rows := e.Rows()
	if got, want := fmt.Sprint(rows.Keys()), fmt.Sprintf("[/%s /<none> /%s]", b, a); got != want {
		t.Errorf("%s, want %s", got, want)
	}

	dir := t.TempDir()
	e.Must(e.Downloads(dir))
	e.Press("e")
	e.Await(`document.querySelector("#share")`)
	e.Must(e.Click(`[data-action="export"][data-value="csv"]`))
	head := "Node,Objects,Unhealthy,Ready,Restarts,CPU Requests,Memory Requests\r\n"
	want := head + b + ",2,0,2/2,5,2750m,128Mi\r\n<none>,1,1,0/1,7,0,0\r\n" + a + ",1,0,1/1,2,500m,64Mi\r\n"
	if got := e.Downloaded(filepath.Join(dir, "pods-*.csv")); got != want {
		t.Errorf("the export is\n%s\nnot\n%s", got, want)
	}
	e.Press("\x1b")
	e.Await(`!document.querySelector("#share")`)

	e.Must(e.Click(`[role=columnheader][data-column="CPU Requests"]`))
	e.AwaitQuery("sort", "CPU Requests")
	e.Await(fmt.Sprintf(`document.querySelector("[role=row][data-key]").dataset.key !== "/%s"`, b))
	e.Press("j", "j", "j", "\r") // the last has the most
	e.AwaitQuery("q", "node:"+b)
	e.AwaitCell(ns+"/three", "Status", "Running")
	e.AwaitCount(2)
	stage.Eval[any](e, `history.back()`)
	e.AwaitQuery("group", "Node")
	e.AwaitCell("/"+a, "CPU Requests", "0.5")
	e.Press("\x1b", "\x1b")
	e.AwaitCell(ns+"/one", "Status", "Running")
}

// TestFacetSums shows sums in the facets: by the field, in the address, and for scripts.
func TestFacetSums(t *testing.T) {
	ns := stage.Namespace(t)
	placed(t, ns, "one", ns+"-a", "500m", 2)
	placed(t, ns, "two", ns+"-b", "1250m", 1)
	e := show(t, "/pods?n="+ns)
	sum := fmt.Sprintf(`document.querySelector('.facets [data-value="Node:%s-b"] .number')`, ns)
	e.Await(sum + `?.textContent === "1"`)
	stage.Eval[any](e, `(field => { field.value = "CPU Requests"; field.dispatchEvent(new Event("input", {bubbles: true})) })(document.querySelector("#sum")), null`)
	e.AwaitQuery("sum", "CPU Requests")
	e.Await(sum + `.textContent === "1.25" && ` + sum + `.title === "CPU Requests: 1250m"`)
	e.Await(fmt.Sprintf(`watchglass.facets().then(all => { const v = all.find(f => f.name === "Node").values; return v[0].value === "%s-b" && v[0].sum === "1250m" && v[0].count === 1 && v[1].sum === "500m"; })`, ns))
	e.Axe(stage.AxeSource(t))
	e.Keep("sums")
	stage.Eval[any](e, `history.back()`)
	e.Await(sum + `.textContent === "1" && document.querySelector("#sum").value === ""`)
}
