package detail

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"watchglass/e2e/stage"
)

// standing awaits how the object that is open stands.
func (e eyes) standing(state string) {
	e.T.Helper()
	e.Await(fmt.Sprintf(`document.querySelector(".drawer")?.dataset.state === %q && !document.querySelector(".drawer").hidden`, state))
}

// onTab awaits that a tab of the drawer is open.
func (e eyes) onTab(id string) {
	e.T.Helper()
	e.Await(fmt.Sprintf(`document.querySelector(".tab[aria-selected=true]")?.dataset.value === %q`, id))
}

// TestDrawer opens an object with the pointer and by keys, goes through its tabs, by a
// link and back, and lets it go.
func TestDrawer(t *testing.T) {
	e := show(t, "/pods?n=checkout")
	key := e.Rows().Rows[0].Key
	e.Await(`document.querySelector('.row[data-key="` + key + `"]')`)
	e.Must(e.Click(`.row[data-key="` + key + `"]`))
	e.standing("live")
	e.onTab("summary")
	name := e.Text(".drawer .name")
	if "checkout/"+name != key {
		t.Errorf("%q is open, and %s was clicked", name, key)
	}
	for _, s := range e.Inspect().Sources {
		if strings.HasPrefix(s.Selector, "metadata.name="+name) && s.Resource == "pods" {
			t.Errorf("%+v is held for an object of a list that is there", s)
		}
	}
	e.Press("y")
	e.onTab("yaml")
	e.Await(`document.activeElement.id === "tab-yaml"`)
	e.Press(kb.ArrowRight)
	e.onTab("events")
	e.Press("[", "/")
	e.Await(`document.activeElement.id === "yaml-find"`)
	e.Press("[", kb.Escape)
	e.Await(`document.getElementById("yaml-find").value === "[" && document.activeElement.id === "text"`)
	e.Press("[")
	e.onTab("summary")
	e.Press("6")
	e.onTab("changes")
	e.Await(`location.search.includes("tab=changes")`)
	e.Must(e.Open(stage.Eval[string](e, `location.href`)))
	e.standing("live")
	e.onTab("changes")
	e.Await(`document.activeElement.id === "tab-changes"`)
	e.Axe(stage.AxeSource(t))
	e.Press(kb.Escape)
	e.Await(`document.querySelector(".drawer").hidden && !/sel=|tab=/.test(location.search) && document.activeElement.id === "grid"`)
	e.Press("j", kb.Enter)
	e.standing("live")
	stage.Eval[any](e, `history.back()`)
	e.Await(`document.querySelector(".drawer").hidden`)
}

// TestDrawerStates shows an object that changes, goes, comes back, and one that may
// not be seen.
func TestDrawerStates(t *testing.T) {
	ns := stage.Namespace(t)
	maps := stage.Admin.CoreV1().ConfigMaps(ns)
	e := show(t, "/configmaps?sel="+ns+"/letter")
	e.standing("missing")
	e.Keep("missing")
	stage.Eval[any](e, `window.unreloaded = true`)
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
	e.Keep("deleted")
	e.Press("6", "1") // it is shown as it last was in a tab that is opened now, too
	e.Says("#pane", "hello")
	e.Press("2")
	e.Says("#yaml-said", "not found")
	write("again")
	e.standing("live")
	if _, err := maps.Patch(t.Context(), "letter", types.MergePatchType, []byte(`{"metadata":{"finalizers":["e2e.example.com/wait"]}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := maps.Delete(t.Context(), "letter", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	e.Await(`document.querySelector(".standing:not([hidden]) strong")?.innerText === "Terminating"`)
	if _, err := maps.Patch(t.Context(), "letter", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	e.standing("deleted")
	if !stage.Eval[bool](e, `window.unreloaded === true`) {
		t.Error("the page was loaded anew")
	}
	nobody := stage.Someone(t)
	d := eyes{stage.Open(t, stage.ServeTo(t, nobody, "").At("/configmaps?sel="+ns+"/letter"))}
	d.standing("denied")
	d.Says(".standing", nobody.Name)
	d.Keep("denied")
}

// TestDrawerGone (21) clicks a row whose object is gone already: a list that is paused
// shows it still. It opens as deleted, with its last state.
func TestDrawerGone(t *testing.T) {
	ns := stage.Namespace(t)
	stage.Post(t, "/api/v1/namespaces/"+ns+"/configmaps", `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "letter"}, "data": {"text": "farewell"}}`)
	e := show(t, "/configmaps?n="+ns)
	row := fmt.Sprintf(`.row[data-key="%s/letter"]`, ns)
	e.Await(`document.querySelector('` + row + `')`)
	e.Press("p")
	e.Says("#badge", "Paused") // else the worker may hear of the deletion first
	if err := stage.Admin.CoreV1().ConfigMaps(ns).Delete(t.Context(), "letter", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	e.Await(fmt.Sprintf(`watchglass.list("configmaps").then(all => !all.some(o => o.namespace === %q && o.name === "letter"))`, ns))
	e.Must(e.Click(row))
	e.standing("deleted")
	e.Says("#pane", "farewell")
	e.Keep("gone")
}

// TestDrawerSizes drags the drawer's edge, and moves it by keys; it is as wide when the
// page is opened anew, and all of a narrow screen.
func TestDrawerSizes(t *testing.T) {
	e := show(t, "/pods?n=checkout")
	e.Must(e.Resize(1400, 800))
	e.Press("j", kb.Enter)
	e.standing("live")
	const width = `Math.round(document.querySelector(".drawer").getBoundingClientRect().width)`
	before := stage.Eval[int](e, width)
	e.Must(e.Drag("#edge", -100))
	e.Await(fmt.Sprintf(`Math.abs(%s - %d) < 8`, width, before+100))
	stage.Eval[any](e, `document.getElementById("edge").focus()`)
	e.Press(kb.ArrowRight)
	e.Await(fmt.Sprintf(`Math.abs(%s - %d) < 8`, width, before+60))
	e.Must(e.Open(stage.Eval[string](e, `location.href`)))
	e.standing("live")
	e.Await(fmt.Sprintf(`Math.abs(%s - %d) < 8`, width, before+60))
	e.Press("F")
	e.Await(width + ` > 1300`)
	e.Press("F")
	e.Await(width + ` < 1000`)
	e.Must(e.Resize(390, 800))
	e.Await(width + ` === 390`)
	e.Keep("narrow")
	e.Must(e.Click(`.drawer [data-action="close"]`))
	e.Await(`document.querySelector(".drawer").hidden`)
}

// TestPhone opens an object's tabs on a phone, where the bar has no room for all of them: the open one
// is whole and in view, and another object's too. A marked object leaves the context its name.
func TestPhone(t *testing.T) {
	ns := stage.Namespace(t)
	makeMap(t, ns, "blue", "one")
	makeMap(t, ns, "green", "two")
	e := show(t, "/configmaps?n="+ns+"&q=name:blue,green")
	e.Must(e.Resize(390, 844))
	inView := func(id string) {
		t.Helper()
		e.Await(`(({left, right}, bar) => bar.scrollWidth > bar.clientWidth && left >= 0 && right <= innerWidth)(document.querySelector("#tab-` + id + `").getBoundingClientRect(), document.querySelector(".tabs"))`)
	}
	e.Await(`document.querySelectorAll(".row[data-key]").length === 2`)
	e.Press("j", "=")
	e.Await(`document.querySelector("#marked .name")?.innerText.includes("blue")`)
	e.Await(`(name => name.clientWidth > 0 && name.scrollWidth <= name.clientWidth)(document.querySelector(".who strong"))`)
	e.Await(`(({right, top}, filter) => right <= innerWidth && top > filter.top - 8)(document.querySelector("#marked").getBoundingClientRect(), document.querySelector(".filter").getBoundingClientRect())`)
	e.Press("j", "=")
	e.onTab("compare")
	inView("compare")
	e.Press("]")
	e.onTab("access")
	inView("access")
	e.Must(e.Resize(1400, 900))
	e.Must(e.Resize(390, 844))
	inView("access")
	e.Press("]")
	e.onTab("timeline")
	inView("timeline")
	e.Press("]")
	e.onTab("summary")
	inView("summary")
}
