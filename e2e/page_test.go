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

	"watchglass/e2e/browser"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// TestAddress shows that the whole view is in the address: it is what another tab
// shows, and what Back goes back to.
func TestAddress(t *testing.T) {
	e := show(t, "/pods")
	all := e.Rows().Total
	e.Must(e.Click(`[data-facet="Namespace"][data-value="checkout"]`))
	e.AwaitQuery("n", "checkout")
	inCheckout := podsIn(t, "checkout")
	e.AwaitCount(inCheckout)
	e.Must(e.Click(`[role=columnheader][data-column="Age"]`))
	e.AwaitQuery("sort", "Age")
	e.Await(`document.querySelector("[data-column=Age]").getAttribute("aria-sort") === "ascending"`) // and it has its place
	e.Await(`document.querySelector("[role=grid]").getAttribute("aria-busy") !== "true"`)
	e.Must(e.Click(`[role=columnheader][data-column="Age"]`))
	e.AwaitQuery("sort", "-Age")
	e.Must(e.Type("#filter", "running"))
	e.AwaitQuery("q", "running")
	e.Press("\r")
	want := stage.AwaitValue(e, browser.AllRows, func(r browser.Rows) bool { return r.Total > 0 && r.Total < inCheckout })
	other := e.Another()
	other.Must(other.Open(stage.Eval[string](e, "location.href")))
	other.AwaitState("live")
	stage.AwaitValue(other, browser.AllRows, func(r browser.Rows) bool { return slices.Equal(r.Keys(), want.Keys()) })
	stage.Is(other, `document.querySelector("#filter").value`, "running")
	for range 4 { // what was typed, -Age, Age, the namespace
		stage.Eval[bool](e, "history.back() || true")
	}
	e.Await(`location.search === ""`)
	e.AwaitCount(all)
	stage.Eval[bool](e, "history.forward() || true")
	e.AwaitQuery("n", "checkout")
	e.AwaitCount(inCheckout)
}

// TestKeys uses the page without a pointer.
func TestKeys(t *testing.T) {
	e := show(t, "/pods")
	all := e.Rows().Total
	e.Press("/")
	e.Await(`document.activeElement.id === "filter"`)
	e.Press("crashloop")
	e.AwaitQuery("q", "crashloop")
	e.Press(kb.Escape)
	e.Await(`document.activeElement.id === "grid"`)
	e.Press("j", "j", "k")
	first := e.Rows().Rows[0].Key
	active := `document.getElementById(document.querySelector("[role=grid]").getAttribute("aria-activedescendant"))?.dataset.key`
	e.Await(active + fmt.Sprintf(` === %q`, first))
	e.Press(kb.Enter)
	e.AwaitQuery("sel", first)
	e.Await(fmt.Sprintf(`document.querySelector('[data-key=%q]').getAttribute("aria-selected") === "true"`, first))
	e.Press(kb.Escape)
	e.AwaitQuery("sel", "")
	e.Await(active + fmt.Sprintf(` === %q`, first)) // keys go on from there
	e.Press(kb.Escape)
	e.Await(`!document.querySelector(".grid .row.active")`)
	e.Press(kb.Escape)
	e.AwaitQuery("q", "")
	e.AwaitCount(all)
	e.Press("W")
	e.Await(`document.querySelector('[role=columnheader][data-column="Node"]')`)
	e.Press("A")
	e.AwaitQuery("sort", "Age")
	e.Press(kb.End)
	e.Await(fmt.Sprintf(`document.querySelector('[role=row][aria-rowindex="%d"].active')`, all+1))
	e.Press(kb.Home)
	e.Await(`document.querySelector('[role=row][aria-rowindex="2"].active')`)
	e.Press("?")
	e.Await(`document.querySelector("#help")`)
	e.Keep("help")
	e.Press(kb.Escape)
	e.Await(`!document.querySelector("#help")`)
	e.Press("n")
	e.Await(`document.activeElement.id === "find"`)
	e.Press("checkout", kb.Tab, " ")
	e.AwaitQuery("n", "checkout")
	for range 12 { // nothing holds the focus
		e.Press(kb.Tab)
	}
	e.Await(`document.activeElement === document.body || document.activeElement.id !== "find"`)
}

// TestScroll goes through the list: few rows are in the document, and each is the
// one that belongs at its place.
func TestScroll(t *testing.T) {
	e := show(t, "/pods")
	want := e.Rows().Keys()
	for _, at := range []int{0, 1, len(want) / 2, len(want)/2 + 1, len(want)} {
		top := stage.Eval[float64](e, fmt.Sprintf(`(() => { const g = document.querySelector("#grid"); g.scrollTop = %d * 28; return g.scrollTop })()`, at))
		index := int(top/28) + 3
		e.Await(fmt.Sprintf(`document.querySelector('[role=row][aria-rowindex="%d"]')?.dataset.key === %q`, index+2, want[index]))
		if n := stage.Now[int](e, `document.querySelectorAll("[role=row]").length`); n > 120 {
			t.Errorf("%d rows are in the document", n)
		}
		e.Await(`(() => { const box = document.querySelector("#grid").getBoundingClientRect(); for (let y = box.top + 40; y < box.bottom - 20; y += 28)
			if (!document.elementFromPoint(box.left + 60, y)?.closest("[role=row]")) return false; return true })()`) // there is no gap
	}
}

// TestHeld shows that nothing moves under the pointer: what comes in above is told
// by a chip.
func TestHeld(t *testing.T) {
	const ns = "accounts" // the first of them
	e := show(t, "/pods")
	under := `document.elementFromPoint(700, 400).closest("[role=row]").dataset.key`
	e.Must(e.Click(`[role=row][aria-rowindex="8"]`))
	e.Await(`new URLSearchParams(location.search).has("sel")`)
	before := stage.Eval[string](e, under)
	pod := stage.Create(t, ns, "aaa-first")
	defer stage.Remove(t, pod)
	e.Await(`document.querySelector(".chip:not([hidden])")?.innerText.startsWith("1 new above")`)
	if after := stage.Now[string](e, under); after != before {
		t.Errorf("under the pointer is %s, and was %s", after, before)
	}
	e.Keep("chip")
	e.Must(e.Click(".chip"))
	e.Await(`document.querySelector('[role=row][aria-rowindex="2"]').dataset.key === "` + ns + `/aaa-first"`)
	e.Await(`document.querySelector(".chip").hidden`)
}

// TestGlow shows that a cell that changes glows, and that others do not.
func TestGlow(t *testing.T) {
	ns := stage.Namespace(t)
	pod := stage.Create(t, ns, "glowing")
	e := show(t, "/pods?n="+ns)
	key := ns + "/glowing"
	e.AwaitCell(key, "Status", "Pending")
	stage.Eval[bool](e, `(() => { window.glowed = new Set(); const animate = Element.prototype.animate;
		Element.prototype.animate = function(...a) { window.glowed.add(this.dataset.column); return animate.apply(this, a) }; return true })()`)
	e.Await(`!document.querySelector("[data-lit]")`) // while something is lit, what changes is lit too, and does not fade
	stage.SetStatus(t, pod, stage.Running(0))
	e.AwaitCell(key, "Status", "Running")
	stage.Is(e, `[...glowed].sort()`, []string{"Ready", "Status"})
	e.Await(`document.getAnimations().every(a => a.timeline !== document.timeline)`)
}

// TestGlowInStorm holds that only a few cells fade while many change, since fades take the page's thread, that the
// others are lit without, and that none stays lit.
func TestGlowInStorm(t *testing.T) {
	ns := stage.Namespace(t)
	var pods []*corev1.Pod
	for i := range 20 {
		pods = append(pods, stage.Create(t, ns, fmt.Sprintf("storm-%02d", i)))
	}
	e := show(t, "/pods?n="+ns)
	e.AwaitCell(ns+"/storm-19", "Status", "Pending")
	stage.Eval[bool](e, `(() => { window.fades = 0; const animate = Element.prototype.animate;
		Element.prototype.animate = function(...a) { const one = animate.apply(this, a); fades = Math.max(fades, document.getAnimations().filter(a => a.timeline === document.timeline).length); return one };
		window.lit = 0; new MutationObserver(() => { lit = Math.max(lit, document.querySelectorAll("[data-lit]").length); }).observe(document.body, { subtree: true, attributeFilter: ["data-lit"] }); return true })()`)
	for _, pod := range pods {
		stage.SetStatus(t, pod, stage.Running(0))
	}
	e.AwaitCell(ns+"/storm-19", "Status", "Running")
	e.Await(`lit > 0`)
	if fades := stage.Now[int](e, `fades`); fades > 12 {
		t.Errorf("%d cells fade at once", fades)
	}
	e.Await(`!document.querySelector("[data-lit]")`)
}

// TestGlowAtOnce checks that cells that change in one frame all fade or none does, and that a cell whose text changes
// keeps its text node.
func TestGlowAtOnce(t *testing.T) {
	e := show(t, "/pods")
	got := stage.Now[string](e, `(() => {
		const [grid, head, body] = [1, 2, 3].map(() => document.body.appendChild(document.createElement("div")));
		const step = (...args) => args.join("\x1f"), paint = (steps) => watchglassPaint(grid, head, body, steps.join("\x1e"));
		const slots = [...Array(13).keys()], cell = (slot, text, ms = "", prefix = "") => step("cell", slot, 0, text, "", "", ms, prefix);
		const texts = () => slots.map((slot) => grid.rows[slot].cells[0].firstChild);
		const place = (key) => slots.map((slot) => step("place", slot, slot, key + slot, "uid"));
		const glowing = () => body.querySelectorAll("[data-lit]").length + " lit, " + body.getAnimations({ subtree: true }).length + " fade";
		const said = [];
		paint([step("columns", ["A", "cell", 1, ""].join("\x1d")), ...place("a"), ...slots.map((slot) => cell(slot, "before"))]);
		const before = texts();
		paint(slots.map((slot) => cell(slot, "after", 60000)));
		said.push(glowing(), "kept " + texts().every((text, i) => text === before[i] && text.data === "after"));
		paint([...place("b")]);
		said.push(glowing());
		paint(slots.slice(1).map((slot) => cell(slot, "again", 60000)));
		said.push(glowing());
		paint(slots.slice(1).map((slot) => cell(slot, "and again", 60000)));
		said.push(glowing());
		for (const text of [["plain"], ["na\x1dm\x1de"], ["flat"], ["pod", "space/"], ["bare"]]) {
			paint([cell(0, text[0], "", text[1])]);
			said.push(grid.rows[0].cells[0].innerHTML.replaceAll(" class=", " "));
		}
		grid.remove(), head.remove(), body.remove();
		return said.join("; ");
	})()`)
	if want := `13 lit, 0 fade; kept true; 0 lit, 0 fade; 0 lit, 12 fade; 0 lit, 12 fade; plain; na<span "folded">m</span>e; flat; <span "dim">space/</span>pod; bare`; got != want {
		t.Errorf("%s; want %s", got, want)
	}
}

// TestHostileNames shows what an object may be called and labelled as what it is.
func TestHostileNames(t *testing.T) {
	ns := stage.Namespace(t)
	const long = "a-very-long-name-for-a-pod-that-nobody-would-type-but-that-a-chart-makes-of-its-release-and-its-component-and-a-hash-5d9c7b8f4-x2x1q"
	stage.Create(t, ns, long)
	pod := stage.Create(t, ns, "markup", func(p *corev1.Pod) { p.Labels = map[string]string{"a": "b"} })
	status := stage.Running(0)
	status.Reason = `<img src=x onerror="document.title='owned'">`
	stage.SetStatus(t, pod, status)
	e := show(t, "/pods?n="+ns)
	e.AwaitCell(ns+"/markup", "Name", "markup")
	e.Says(`[data-key="`+ns+`/markup"] [data-column="Status"]`, "<img src=x")
	if stage.Now[bool](e, `!!document.querySelector("#grid img")`) {
		t.Error("the status became an element")
	}
	const cell = `document.querySelector('[data-key$="/` + long + `"] [data-column="Name"]')`
	type name struct {
		Whole, Title, Folded string
		Wide                 float64
	}
	stage.AwaitValue(e, `((cell, folded) => ({Whole: cell.textContent, Title: cell.title, Folded: folded.textContent, Wide: folded.getBoundingClientRect().width}))(`+cell+`, `+cell+`.querySelector(".folded"))`, func(n name) bool {
		short := strings.Replace(n.Whole, n.Folded, "…", 1)
		return n.Whole == long && n.Title == long && strings.HasPrefix(short, "a-very") && strings.HasSuffix(short, "x2x1q") && len(short) <= 60 && n.Wide <= 20
	})
	e.Keep("names")
}

// TestOn takes events by script, and takes it back.
func TestOn(t *testing.T) {
	e := show(t, "/pods")
	stage.Eval[bool](e, `(() => { window.seen = []; window.off = watchglass.on("select", s => seen.push(s.key)); return true })()`)
	first := e.Rows().Rows[0].Key
	e.Must(e.Click(`[data-key="` + first + `"]`))
	e.Await(`seen.length === 1`)
	stage.Eval[bool](e, `(off(), true)`)
	e.Press(kb.Escape)
	e.AwaitQuery("sel", "")
	if seen := stage.Now[string](e, `seen.join()`); seen != first {
		t.Errorf("seen: %s", seen)
	}
	for _, script := range []string{`watchglass.list("gadgets")`, `watchglass.snapshot("gadgets")`} {
		stage.AwaitValue(e, script+`.then(() => "", x => x.message)`, func(failed string) bool {
			return strings.Contains(failed, `the apiserver has no resource type "gadgets"`)
		})
	}
	e.Await(`Promise.all([watchglass.facets(), watchglass.rows({offset: 0, limit: 1})]).then(([facets, rows]) => facets.find(f => f.name === "Status").values.reduce((n, v) => n + v.count, 0) === rows.total)`)
}

// TestCrash cuts the program off, and sends the worker what it cannot read: the
// page says that it stopped, or goes on, but never shows rows as if they were live.
func TestCrash(t *testing.T) {
	e := open(t, brokenPage(t), workerEnded)
	e.Says(".crash", "Watchglass has stopped", "WebAssembly", "Reload")
	e.AwaitState("offline")
	e.Keep("crash")
	well := synced(t, stage.Serve(t, proxy.Options{}).At("/pods"), "malformed message")
	stage.Eval[bool](well, `(() => { for (const m of ["garbage", 7, null, {}, new Uint8Array([255, 0, 1, 2]), new Uint8Array(0)]) watchglassPort.postMessage(m); return true })()`)
	well.Await(`watchglass.list("pods", {namespace: "checkout"}).then(l => l.length > 0)`)
	well.AwaitState("live")
}

// workerEnded is what the console says of a worker without a program, if the page has not
// stopped before.
const workerEnded = "the worker ended: WebAssembly"

// brokenPage is the address of a page whose program is none.
func brokenPage(t *testing.T) string {
	t.Helper()
	front := httptest.NewUnstartedServer(nil)
	p := stage.Serve(t, proxy.Options{Args: []string{"--host", front.Listener.Addr().String()}})
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
	ns := stage.Namespace(t)
	e := show(t, "/pods?n="+ns)
	e.Await(`document.querySelector(".panel").innerText.includes("No matches")`)
	e.Keep("nothing")
	e.Must(e.Click(".panel .way"))
	e.AwaitQuery("n", "")
	e.Visit("/cronjobs.batch")
	e.Await(`document.querySelector(".panel").innerText.includes("No cronjobs.batch")`)
	e.Keep("none")
}
