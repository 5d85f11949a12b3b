package detail

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// pair is the element of a field in a comparison.
func pair(path string) string {
	return fmt.Sprintf(`document.querySelector('.compare .two .pair[data-path="%s"]')`, path)
}

// makeMap creates a ConfigMap.
func makeMap(t *testing.T, ns, name, text string) {
	t.Helper()
	o := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"text": text, "same": "1"}}
	if _, err := stage.Admin.CoreV1().ConfigMaps(ns).Create(t.Context(), o, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// setMap changes the text of a ConfigMap.
func setMap(t *testing.T, ns, name, text string) {
	t.Helper()
	patch := fmt.Appendf(nil, `{"data":{"text":%q}}`, text)
	if _, err := stage.Admin.CoreV1().ConfigMaps(ns).Patch(t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
}

// pairs awaits the two values of a field.
func (e eyes) pairs(path, left, right string) {
	e.T.Helper()
	e.Await(fmt.Sprintf(`%s?.querySelector(".was")?.innerText === %q && %[1]s.querySelector(".is").innerText === %[3]q`, pair(path), left, right))
}

// TestCompare marks an object by its key, compares another one with it, sees both change, goes by
// Back and by the address, and to the object of the same name in another namespace.
func TestCompare(t *testing.T) {
	ns, other := stage.Namespace(t), stage.Namespace(t)
	makeMap(t, ns, "blue", "one")
	makeMap(t, ns, "green", "two")
	makeMap(t, other, "green", "three")
	e := show(t, "/configmaps?n="+ns+"&sort=Name&q=name:blue,green")
	e.Await(`document.querySelectorAll(".row[data-key]").length === 2`)
	e.Press("j", "=")
	e.Await(`document.querySelector("#marked .name")?.innerText.includes("blue")`)
	e.Press("j", "=")
	e.onTab("compare")
	e.pairs("data.text", "one", "two")
	e.Await(`document.querySelectorAll(".compare .pair").length === 1`) // what always differs is folded
	e.Says("#compared", "1 field differs")
	e.Axe(stage.AxeSource(t))
	e.Keep("compared")
	link := stage.Eval[string](e, `location.href`)
	setMap(t, ns, "green", "four")
	e.pairs("data.text", "one", "four")
	e.Await(pair("data.text") + `.innerText.includes("changed ")`)
	setMap(t, ns, "blue", "five\nlines")
	setMap(t, ns, "green", "five\nrows")
	e.Await(pair("data.text") + `?.querySelectorAll('.line[data-kind="removed"], .line[data-kind="added"]').length === 2`)
	setMap(t, ns, "green", "five\nlines")
	e.Says("#compared", "No differences")
	setMap(t, ns, "blue", "six")
	setMap(t, ns, "green", "seven")
	e.pairs("data.text", "six", "seven")
	e.Press("s")
	e.pairs("data.text", "seven", "six")
	stage.Eval[bool](e, keepCopies)
	e.Press("C")
	e.Await(`window.copied`)
	want := fmt.Sprintf("--- configmaps:%[1]s/green\n+++ configmaps:%[1]s/blue\n@@ data.text @@\n-seven\n+six\n", ns)
	if have := stage.Eval[string](e, `window.copied`); have != want {
		t.Errorf("%q is copied, want %q", have, want)
	}
	e.Keep("before")
	e.Must(e.Click("#compare-fold"))
	e.Keep("after")
	e.Await(`document.querySelector('.rest .pair[data-path="metadata.uid"]')`)
	stage.Eval[any](e, `history.back()`)
	e.Await(`document.querySelector(".drawer").hidden && document.querySelector("#marked .name").innerText.includes("blue")`)
	e.Must(e.Open(link))
	e.onTab("compare")
	e.pairs("data.text", "six", "seven")
	if err := stage.Admin.CoreV1().ConfigMaps(ns).Delete(t.Context(), "blue", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	e.Says(".compare .side .said", "Deleted")
	e.pairs("data.text", "six", "seven") // as it last was
	makeMap(t, ns, "blue", "eight")
	e.pairs("data.text", "eight", "seven")
	e.Must(e.Click(".marked .icon"))
	e.Await(fmt.Sprintf(`[...document.querySelectorAll(".compare .way")].some(w => w.innerText === %q)`, other))
	e.Axe(stage.AxeSource(t))
	e.Must(e.Type("#compare-namespace", other))
	e.Press(kb.Enter)
	e.pairs("data.text", "three", "seven")
	stage.Eval[any](e, `history.back()`)
	e.Await(`document.querySelector(".compare.choice")`)
}

// TestCompareContexts compares with the object of the same name as another context's user sees it:
// what that user may not read is denied, and not empty. A link to a context that the browser never
// opened asks first.
func TestCompareContexts(t *testing.T) {
	ns := stage.Namespace(t)
	makeMap(t, ns, "blue", "one")
	nina := stage.Someone(t)
	first := stage.Kubeconfig(t, cluster.Admin(), cluster.KubeconfigOptions{})
	second := stage.Kubeconfig(t, nina, cluster.KubeconfigOptions{Context: "other"})
	p := stage.Serve(t, proxy.Options{Kubeconfig: first + ":" + second})
	e := synced(t, p.At("/configmaps?n="+ns+"&sel="+ns+"/blue&tab=compare"), "403")
	e.onTab("compare")
	const context = "other"
	e.Await(`[...document.querySelectorAll(".compare .way")].some(w => w.innerText === "` + context + `")`)
	link := p.At(fmt.Sprintf("/configmaps?n=%s&sel=%[1]s/blue&tab=compare&with=configmaps:%[1]s/blue&wc=%s", ns, context))
	e.Must(e.Open(link))
	e.Await(`document.querySelector(".compare.choice")?.innerText.includes("has not opened it before")`)
	if opened := stage.Eval[string](e, `watchglass.inspect().then(i => i.clusters.map(c => c.context).join())`); strings.Contains(opened, context) {
		t.Errorf("the page has opened %s unasked", opened)
	}
	e.Must(e.Click(".compare.choice .way"))
	e.Says(".compare .side .said", "No permission")
	e.Await(`document.querySelectorAll(".compare .pair").length === 0`)
	e.Keep("denied")
	stage.Grant(t, nina, ns, stage.Reads, "configmaps")
	e.Says("#compared", "No differences")
	e.Keep("contexts")
}
