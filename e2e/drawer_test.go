package e2e

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
)

// standing awaits how the object that is open stands.
func (e eyes) standing(state string) {
	e.t.Helper()
	e.await(fmt.Sprintf(`document.querySelector(".drawer")?.dataset.state === %q && !document.querySelector(".drawer").hidden`, state))
}

// onTab awaits that a tab of the drawer is open.
func (e eyes) onTab(id string) {
	e.t.Helper()
	e.await(fmt.Sprintf(`document.querySelector(".tab[aria-selected=true]")?.dataset.value === %q`, id))
}

// TestDrawer opens an object with the pointer and by keys, goes through its tabs, by a
// link and back, and lets it go.
func TestDrawer(t *testing.T) {
	p := serve(t, proxy.Options{})
	e := synced(t, p.At("/pods?n=checkout"))
	key := e.rows().Rows[0].Key
	e.await(`document.querySelector('.row[data-key="` + key + `"]')`)
	e.must(e.Click(`.row[data-key="` + key + `"]`))
	e.standing("live")
	e.onTab("summary")
	if got := e.text(".drawer .name"); "checkout/"+got != key {
		t.Errorf("%q is open, and %s was clicked", got, key)
	}
	for _, s := range e.inspect().Sources {
		if strings.HasPrefix(s.Selector, "metadata.name=") && s.Resource == "pods" {
			t.Errorf("%+v is held for an object of a list that is there", s)
		}
	}
	e.press("y")
	e.onTab("yaml")
	e.await(`document.activeElement.id === "tab-yaml"`)
	e.press(kb.ArrowRight)
	e.onTab("events")
	e.press("[", "[")
	e.onTab("summary")
	e.press("6")
	e.onTab("changes")
	e.await(`location.search.includes("tab=changes")`)
	e.must(e.Open(eval[string](e, `location.href`)))
	e.standing("live")
	e.onTab("changes")
	e.axe(axeSource(t))
	e.press(kb.Escape)
	e.await(`document.querySelector(".drawer").hidden && !/sel=|tab=/.test(location.search)`)
	e.press("j", kb.Enter)
	e.standing("live")
	eval[any](e, `history.back()`)
	e.await(`document.querySelector(".drawer").hidden`)
}

// TestDrawerStates shows an object that changes, goes, comes back, and one that may
// not be seen.
func TestDrawerStates(t *testing.T) {
	ns := namespace(t)
	maps := admin.CoreV1().ConfigMaps(ns)
	e := synced(t, serve(t, proxy.Options{}).At("/configmaps?sel="+ns+"/letter"))
	e.standing("missing")
	e.keep("missing")
	eval[any](e, `window.unreloaded = true`)
	write := func(text string) {
		t.Helper()
		_, err := maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "letter"}, Data: map[string]string{"text": text}}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
	write("hello")
	e.standing("live")
	if err := maps.Delete(t.Context(), "letter", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	e.standing("deleted")
	e.keep("deleted")
	write("again")
	e.standing("live")
	if _, err := maps.Patch(t.Context(), "letter", types.MergePatchType, []byte(`{"metadata":{"finalizers":["e2e.example.com/wait"]}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := maps.Delete(t.Context(), "letter", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	e.await(`document.querySelector(".standing:not([hidden]) strong")?.innerText === "Terminating"`)
	if _, err := maps.Patch(t.Context(), "letter", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	e.standing("deleted")
	if !eval[bool](e, `window.unreloaded === true`) {
		t.Error("the page was loaded anew")
	}
	p := serve(t, proxy.Options{Kubeconfig: kubeconfig(t, denied, cluster.KubeconfigOptions{})})
	d := open(t, p.At("/configmaps?sel="+ns+"/letter"))
	d.standing("denied")
	d.await(`document.querySelector(".standing").innerText.includes("dan")`)
	d.keep("denied")
}

// TestDrawerSizes drags the drawer's edge, and moves it by keys; it is as wide when the
// page is opened anew, and all of a narrow screen.
func TestDrawerSizes(t *testing.T) {
	e := synced(t, serve(t, proxy.Options{}).At("/pods?n=checkout"))
	e.must(e.Resize(1400, 800))
	e.press("j", kb.Enter)
	e.standing("live")
	const width = `Math.round(document.querySelector(".drawer").getBoundingClientRect().width)`
	before := eval[int](e, width)
	e.must(e.Drag("#edge", -100))
	e.await(fmt.Sprintf(`Math.abs(%s - %d) < 8`, width, before+100))
	eval[any](e, `document.getElementById("edge").focus()`)
	e.press(kb.ArrowRight)
	e.await(fmt.Sprintf(`Math.abs(%s - %d) < 8`, width, before+60))
	e.must(e.Open(eval[string](e, `location.href`)))
	e.standing("live")
	e.await(fmt.Sprintf(`Math.abs(%s - %d) < 8`, width, before+60))
	e.press("F")
	e.await(width + ` > 1300`)
	e.press("F")
	e.await(width + ` < 1000`)
	e.must(e.Resize(390, 800))
	e.await(width + ` === 390`)
	e.keep("narrow")
	e.must(e.Click(`.drawer [data-action="close"]`))
	e.await(`document.querySelector(".drawer").hidden`)
}
