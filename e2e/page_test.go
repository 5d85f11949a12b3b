package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	corev1 "k8s.io/api/core/v1"

	"watchglass/e2e/proxy"
)

func (e eyes) press(keys ...string) {
	e.t.Helper()
	for _, k := range keys {
		e.must(e.Press(k))
	}
}

// query waits until a parameter of the address has a value.
func (e eyes) query(name, value string) {
	e.t.Helper()
	e.await(fmt.Sprintf(`(new URLSearchParams(location.search).get(%q) ?? "") === %q`, name, value))
}

// count waits until the top line counts so many matches.
func (e eyes) count(n int) {
	e.t.Helper()
	e.await(fmt.Sprintf(`document.querySelector("[role=grid]").getAttribute("aria-rowcount") === "%d"`, n+1))
}

// TestAddress shows that the whole view is in the address: it is what another tab
// shows, and what Back goes back to.
func TestAddress(t *testing.T) {
	p := serve(t, proxy.Options{})
	e := synced(t, p.At("/pods"))
	all := e.rows().Total
	e.must(e.Click(`[data-facet="Namespace"][data-value="checkout"]`))
	e.query("n", "checkout")
	inCheckout := len(kubectl(t, "get", "pods", "-n", "checkout", "-o=name"))
	e.count(inCheckout)
	e.must(e.Click(`[role=columnheader][data-column="Age"]`))
	e.query("sort", "Age")
	e.await(`document.querySelector("[data-column=Age]").getAttribute("aria-sort") === "ascending"`) // and it has its place
	e.await(`document.querySelector("[role=grid]").getAttribute("aria-busy") !== "true"`)
	e.must(e.Click(`[role=columnheader][data-column="Age"]`))
	e.query("sort", "-Age")
	e.must(e.Type("#filter", "running"))
	e.query("q", "running")
	e.press("\r")
	want := e.rows()
	beside, err := e.Beside()
	e.must(err)
	defer beside.Close()
	other := eyes{beside, t}
	e.must(beside.Open(eval[string](e, "location.href")))
	other.state("live")
	if have := other.rows(); !slices.Equal(keys(have), keys(want)) || have.Total == 0 || have.Total >= inCheckout {
		t.Errorf("the same address shows %d rows in another tab, and %d here", have.Total, want.Total)
	}
	if field := eval[string](other, `document.querySelector("#filter").value`); field != "running" {
		t.Errorf("the filter of the other tab is %q", field)
	}
	for range 4 { // what was typed, -Age, Age, the namespace
		eval[bool](e, "history.back() || true")
	}
	e.await(`location.search === ""`)
	e.count(all)
	eval[bool](e, "history.forward() || true")
	e.query("n", "checkout")
	e.count(inCheckout)
}

// TestKeys uses the page without a pointer.
func TestKeys(t *testing.T) {
	e := synced(t, serve(t, proxy.Options{}).At("/pods"))
	all := e.rows().Total
	e.press("/")
	e.await(`document.activeElement.id === "filter"`)
	e.press("crashloop")
	e.query("q", "crashloop")
	e.press(kb.Escape)
	e.await(`document.activeElement.id === "grid"`)
	e.press("j", "j", "k")
	first := e.rows().Rows[0].Key
	active := `document.getElementById(document.querySelector("[role=grid]").getAttribute("aria-activedescendant"))?.dataset.key`
	e.await(active + fmt.Sprintf(` === %q`, first))
	e.press(kb.Enter)
	e.query("sel", first)
	e.await(fmt.Sprintf(`document.querySelector('[data-key=%q]').getAttribute("aria-selected") === "true"`, first))
	e.press(kb.Escape)
	e.query("sel", "")
	e.press(kb.Escape)
	e.query("q", "")
	e.count(all)
	e.press("w")
	e.await(`document.querySelector('[role=columnheader][data-column="Node"]')`)
	e.press("A")
	e.query("sort", "Age")
	e.press(kb.End)
	e.await(fmt.Sprintf(`document.querySelector('[role=row][aria-rowindex="%d"].active')`, all+1))
	e.press(kb.Home)
	e.await(`document.querySelector('[role=row][aria-rowindex="2"].active')`)
	e.press("?")
	e.await(`document.querySelector("#help")`)
	e.keep("help")
	e.press(kb.Escape)
	e.await(`!document.querySelector("#help")`)
	e.press("n")
	e.await(`document.activeElement.id === "find"`)
	e.press("checkout", kb.Tab, " ")
	e.query("n", "checkout")
	for range 12 { // nothing holds the focus
		e.press(kb.Tab)
	}
	e.await(`document.activeElement === document.body || document.activeElement.id !== "find"`)
}

// TestScroll goes through the list: few rows are in the document, and each is the
// one that belongs at its place.
func TestScroll(t *testing.T) {
	e := synced(t, serve(t, proxy.Options{}).At("/pods"))
	want := keys(e.rows())
	for _, at := range []int{0, 1, len(want) / 2, len(want)/2 + 1, len(want)} {
		top := eval[float64](e, fmt.Sprintf(`(() => { const g = document.querySelector("#grid"); g.scrollTop = %d * 28; return g.scrollTop })()`, at))
		index := int(top/28) + 3
		e.await(fmt.Sprintf(`document.querySelector('[role=row][aria-rowindex="%d"]')?.dataset.key === %q`, index+2, want[index]))
		if n := eval[int](e, `document.querySelectorAll("[role=row]").length`); n > 120 {
			t.Errorf("%d rows are in the document", n)
		}
		if gap := eval[bool](e, `(() => { const box = document.querySelector("#grid").getBoundingClientRect(); for (let y = box.top + 40; y < box.bottom - 20; y += 28)
			if (!document.elementFromPoint(box.left + 60, y)?.closest("[role=row]")) return true; return false })()`); gap {
			t.Errorf("there is a gap at row %d", at)
		}
	}
}

// TestHeld shows that nothing moves under the pointer: what comes in above is told
// by a chip.
func TestHeld(t *testing.T) {
	const ns = "accounts" // the first of them
	e := synced(t, serve(t, proxy.Options{}).At("/pods"))
	under := `document.elementFromPoint(700, 400).closest("[role=row]").dataset.key`
	e.must(e.Click(`[role=row][aria-rowindex="8"]`))
	e.await(`new URLSearchParams(location.search).has("sel")`)
	before := eval[string](e, under)
	pod := create(t, ns, "aaa-first")
	defer remove(t, pod)
	e.await(`document.querySelector(".chip:not([hidden])")?.innerText.startsWith("1 new above")`)
	if after := eval[string](e, under); after != before {
		t.Errorf("under the pointer is %s, and was %s", after, before)
	}
	e.keep("chip")
	e.must(e.Click(".chip"))
	e.await(`document.querySelector('[role=row][aria-rowindex="2"]').dataset.key === "` + ns + `/aaa-first"`)
	e.await(`document.querySelector(".chip").hidden`)
}

// TestGlow shows that a cell that changes glows, and that others do not.
func TestGlow(t *testing.T) {
	ns := namespace(t)
	pod := create(t, ns, "glowing")
	e := synced(t, serve(t, proxy.Options{}).At("/pods?n="+ns))
	key := ns + "/glowing"
	e.awaitCell(key, "Status", "Pending")
	eval[bool](e, `(() => { window.glowed = new Set(); const animate = Element.prototype.animate;
		Element.prototype.animate = function(...a) { window.glowed.add(this.dataset.column); return animate.apply(this, a) }; return true })()`)
	setStatus(t, pod, running(0))
	e.awaitCell(key, "Status", "Running")
	if glowed := eval[string](e, `[...glowed].sort().join()`); glowed != "Ready,Status" {
		t.Errorf("these glowed: %s", glowed)
	}
	e.await(`document.getAnimations().length === 0`)
}

// TestHostileNames shows what an object may be called and labelled as what it is.
func TestHostileNames(t *testing.T) {
	ns := namespace(t)
	const long = "a-very-long-name-for-a-pod-that-nobody-would-type-but-that-a-chart-makes-of-its-release-and-its-component-and-a-hash-5d9c7b8f4-x2x1q"
	create(t, ns, long)
	pod := create(t, ns, "markup", func(p *corev1.Pod) { p.Labels = map[string]string{"a": "b"} })
	status := running(0)
	status.Reason = `<img src=x onerror="document.title='owned'">`
	setStatus(t, pod, status)
	e := synced(t, serve(t, proxy.Options{}).At("/pods?n="+ns))
	e.awaitCell(ns+"/markup", "Name", "markup")
	if status := e.cell(ns+"/markup", "Status"); !strings.Contains(status, "<img src=x") {
		t.Errorf("the status is %q", status)
	}
	if n := eval[int](e, `document.querySelectorAll("#grid img").length`); n != 0 {
		t.Error("the status became an element")
	}
	short := e.cell(ns+"/"+long, "Name")
	title := eval[string](e, `document.querySelector('[data-key="`+ns+"/"+long+`"] [data-column="Name"]').title`)
	if title != long || !strings.Contains(short, "…") || !strings.HasPrefix(short, "a-very") || !strings.HasSuffix(short, "x2x1q") {
		t.Errorf("the name is shown as %q, with the title %q", short, title)
	}
	e.keep("names")
}

// TestOn takes events by script, and takes it back.
func TestOn(t *testing.T) {
	e := synced(t, serve(t, proxy.Options{}).At("/pods"))
	eval[bool](e, `(() => { window.seen = []; window.off = watchglass.on("select", s => seen.push(s.key)); return true })()`)
	first := e.rows().Rows[0].Key
	e.must(e.Click(`[data-key="` + first + `"]`))
	e.await(`seen.length === 1`)
	eval[bool](e, `(off(), true)`)
	e.press(kb.Escape)
	e.query("sel", "")
	if seen := eval[string](e, `seen.join()`); seen != first {
		t.Errorf("seen: %s", seen)
	}
	for _, script := range []string{`watchglass.list("gadgets")`, `watchglass.snapshot("gadgets")`} {
		if failed := eval[string](e, script+`.then(() => "", x => x.message)`); !strings.Contains(failed, `doesn't have a resource type "gadgets"`) {
			t.Errorf("%s fails with %q", script, failed)
		}
	}
	facets := eval[int](e, `watchglass.facets().then(f => f.find(f => f.name === "Status").values.reduce((n, v) => n + v.count, 0))`)
	if total := e.rows().Total; facets != total {
		t.Errorf("the statuses count %d objects of %d", facets, total)
	}
}

// TestCrash cuts the program off, and sends the worker what it cannot read: the
// page says that it stopped, or goes on, but never shows rows as if they were live.
func TestCrash(t *testing.T) {
	e := open(t, brokenPage(t))
	e.await(`document.querySelector(".crash")`)
	if words := e.text(".crash"); !strings.Contains(words, "Watchglass has stopped") || !strings.Contains(words, "WebAssembly") || !strings.Contains(words, "Reload") {
		t.Errorf("the page says %q", words)
	}
	if state, _ := e.State(); state != "offline" {
		t.Errorf("the state is %q", state)
	}
	e.keep("crash")
	well := synced(t, serve(t, proxy.Options{}).At("/pods"), "malformed message")
	eval[bool](well, `(() => { for (const m of ["garbage", 7, null, {}, new Uint8Array([255, 0, 1, 2]), new Uint8Array(0)]) watchglassPort.postMessage(m); return true })()`)
	well.await(`watchglass.list("pods", {namespace: "checkout"}).then(l => l.length > 0)`)
	well.state("live")
}

// brokenPage is the address of a page whose program is none.
func brokenPage(t *testing.T) string {
	t.Helper()
	front := httptest.NewUnstartedServer(nil)
	p := serve(t, proxy.Options{Args: []string{"--host", front.Listener.Addr().String()}})
	target, err := url.Parse(p.Origin())
	if err != nil {
		t.Fatal(err)
	}
	pass := httputil.NewSingleHostReverseProxy(target)
	front.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".wasm") {
			w.Header().Set("Content-Type", "application/wasm")
			fmt.Fprint(w, "no program at all")
			return
		}
		pass.ServeHTTP(w, r)
	})
	front.Start()
	t.Cleanup(front.Close)
	return front.URL + "/pods#token=" + p.Token()
}

// TestEmpty is a cluster's empty corner, and a kind without objects.
func TestEmpty(t *testing.T) {
	ns := namespace(t)
	p := serve(t, proxy.Options{})
	e := synced(t, p.At("/pods?n="+ns))
	e.await(`document.querySelector(".panel").innerText.includes("Nothing matches")`)
	e.keep("nothing")
	e.must(e.Click(".panel .way"))
	e.query("n", "")
	e.must(e.Open(p.Origin() + "/cronjobs.batch"))
	e.state("live")
	e.await(`document.querySelector(".panel").innerText.includes("No cronjobs.batch")`)
	e.keep("none")
}
