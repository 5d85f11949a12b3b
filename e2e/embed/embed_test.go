package embed

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"watchglass/e2e/stage"
)

// elements returns n elements that show pods, each with the portal's token.
func elements(watchglass string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `<watch-glass id="w%d" src="%s" resource="pods" label="Pods %d" style="height: 150px"></watch-glass>`, i, watchglass, i)
	}
	return b.String() + fmt.Sprintf(`<script>for (const el of document.querySelectorAll("watch-glass")) { hear(el); el.token = () => %q; }</script><button id="after">After</button>`, vera.Token)
}

// live waits until n elements are live.
func live(e stage.Eyes, n int) {
	e.T.Helper()
	e.Await(fmt.Sprintf(`new Set(heard.filter(h => h.type === "state" && h.state === "live").map(h => h.id)).size === %d`, n))
}

// frame returns the frame of the page, as a tab.
func frame(e stage.Eyes, watchglass string) stage.Eyes {
	e.T.Helper()
	tab, err := e.Frame(watchglass, 20*time.Second)
	e.Must(err)
	return stage.Eyes{Tab: tab, T: e.T}
}

// watches returns how many watches of pods the apiserver serves.
func watches(t *testing.T) int {
	t.Helper()
	text, err := stage.Admin.Discovery().RESTClient().Get().AbsPath("/metrics").DoRaw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, m := range regexp.MustCompile(`(?m)^apiserver_longrunning_requests\{.*resource="pods".*verb="WATCH".*\} (\d+)`).FindAllSubmatch(text, -1) {
		one, _ := strconv.Atoi(string(m[1]))
		n += one
	}
	return n
}

// TestElement checks ten elements on a page of another site, with third-party cookies and with the
// browser blocking them: each is live, and there is one watch for all of them. The token is in no
// address, no storage and no log.
func TestElement(t *testing.T) {
	for _, blocked := range []bool{false, true} {
		t.Run(fmt.Sprintf("blocked=%v", blocked), func(t *testing.T) {
			p := newPortal(t)
			w := serve(t, p.origin)
			p.shows(w.Origin(), elements(w.Origin(), 10))
			before := watches(t)
			e := p.visit(t, blocked)
			live(e, 10)
			e.Keep("ten")
			if n := watches(t) - before; n != 1 {
				t.Errorf("ten elements have %d watches", n)
			}
			f := frame(e, w.Origin())
			stage.Is(f, `watchglass.inspect().then(i => [i.pages.length, i.clusters.length, i.sources.length, i.worker.shared])`, []any{10.0, 1.0, 1.0, true})
			if has := stage.Now[bool](f, `document.cookie = "probe=1; SameSite=None; Secure", document.cookie.includes("probe")`); has == blocked {
				t.Errorf("the browser keeps third-party cookies: %v", has)
			}
			kept := stage.Now[string](f, `(async () => JSON.stringify([location.href, {...localStorage}, {...sessionStorage}, document.cookie,
				await Promise.all((await indexedDB.databases()).map(d => new Promise(done => { const o = indexedDB.open(d.name); o.onsuccess = () => done([d.name, [...o.result.objectStoreNames]]); }))),
				performance.getEntriesByType("resource").map(r => r.name)]))()`)
			if strings.Contains(kept, vera.Token) || strings.Contains(kept, "keys") || strings.Contains(kept, "watchglass.session") {
				t.Errorf("kept in the frame: %s", kept)
			}
			if strings.Contains(w.Stderr(), vera.Token) {
				t.Error("the token is in the log")
			}
		})
	}
}

// TestEvents checks what an element tells its page and takes from it, by keyboard: it takes no
// focus by itself, and Tab leads in and out.
func TestEvents(t *testing.T) {
	p := newPortal(t)
	w := serve(t, p.origin)
	p.shows(w.Origin(), `<button id="before">Before</button>`+elements(w.Origin(), 1))
	e := p.visit(t, false)
	live(e, 1)
	e.AxeOf(stage.AxeSource(t), "main")
	if at := stage.Now[string](e, `document.activeElement.tagName`); at != "BODY" {
		t.Errorf("the element took the focus: %s", at)
	}
	e.Must(e.Click("#before"))
	e.Press("\t")
	e.Await(`document.activeElement.id === "w0"`)
	f := frame(e, w.Origin())
	tabTo(e, f, "grid", 12)
	e.Press("j", "\r")
	e.Await(`heard.some(h => h.type === "select" && h.resource === "pods" && h.name && h.namespace && h.key === h.namespace + "/" + h.name)`)
	e.Keep("selected")
	e.Press("\x1b")
	e.Await(`heard.at(-1).type === "navigate" || heard.some(h => h.type === "select" && h.key === "")`)
	tabTo(e, e, "after", 40)

	stage.Eval[bool](e, `w0.theme = "dark", w0.accent = "rgb(200, 0, 100)", w0.density = "compact", w0.query = "status:Running", w0.sort = "-Restarts", true`)
	f.Await(`document.documentElement.dataset.theme === "dark" && getComputedStyle(document.documentElement).getPropertyValue("--accent") === "rgb(200, 0, 100)"`)
	f.Await(`new URLSearchParams(location.search).get("q") === "status:Running" && new URLSearchParams(location.search).get("sort") === "-Restarts"`)
	f.Await(`document.querySelector("[role=row][data-key]").offsetHeight === 24`)
	stage.Eval[bool](e, `w0.pause(), w0.resource = "configmaps", w0.query = "", w0.sort = "", true`)
	f.Await(`location.pathname === "/configmaps"`)
	f.Says("#badge", "Paused")
	stage.Eval[bool](e, `w0.pause(false), w0.setAttribute("height", "content"), true`)
	f.Says("#badge", "Live")
	e.Keep("dark")
}

// tabTo presses Tab, as often as it takes and at most so often, until an element of a frame or of the page has the focus.
// The keys go to the page.
func tabTo(e, in stage.Eyes, id string, most int) {
	e.T.Helper()
	for range most {
		if stage.Now[bool](in, fmt.Sprintf(`document.activeElement.id === %q`, id)) { // else the next Tab leads there
			break
		}
		e.Press("\t")
	}
	in.Await(fmt.Sprintf(`document.activeElement.id === %q`, id))
}

// TestElementKeeps checks that an element keeps a pause from before its view runs, also when the view
// loads itself again, and the height of its rows. It keeps no freshness of a view that is gone.
func TestElementKeeps(t *testing.T) {
	p := newPortal(t)
	w := serve(t, p.origin)
	p.shows(w.Origin(), element("w0", w.Origin(), "pods", `"`+vera.Token+`"`)+`<script type="module">w0.pause();</script>`)
	e := p.visit(t, false)
	live(e, 1)
	f := frame(e, w.Origin())
	f.Says("#badge", "Paused")
	stage.Eval[bool](f, `setTimeout(() => location.reload()), true`)
	e.Await(`heard.filter(h => h.type === "ready").length === 2`)
	frame(e, w.Origin()).Says("#badge", "Paused")
	e.Await(`w0.state?.state === "live"`)
	stage.Eval[bool](e, `w0.height = "content", true`)
	e.Await(fmt.Sprintf(`w0.offsetHeight > %d`, 20*podsSeeded))
	if !stage.Now[bool](e, `(w0.height = "", w0.offsetHeight < 500) && (w0.height = "content", w0.offsetHeight > 500)`) {
		t.Error("the height of the rows is forgotten")
	}
	if !stage.Now[bool](e, `(w0.src = "", w0.state === null && heard.at(-1).code === "address")`) {
		t.Error("there is no view, and the element has a state")
	}
}

// TestOverviewHeight checks that the totals are as high as they need, with one row and with two,
// whoever decides on the height.
func TestOverviewHeight(t *testing.T) {
	p := newPortal(t)
	w := serve(t, p.origin)
	const element = `<watch-glass id="%[1]s" src="%[2]s" resource="overview" %[3]s></watch-glass>`
	p.shows(w.Origin(), fmt.Sprintf(element, "w0", w.Origin(), "")+fmt.Sprintf(element, "w1", w.Origin(), `height="content"`)+
		fmt.Sprintf(`<script>for (const el of [w0, w1]) { hear(el); el.token = () => %q; }</script><button id="after">After</button>`, vera.Token))
	e := p.visit(t, false)
	live(e, 2)
	f := frame(e, w.Origin())
	for _, c := range [][2]int64{{1000, 64}, {500, 128}, {900, 64}} {
		width, height := c[0], c[1]
		e.Must(e.Resize(width, 700))
		e.Await(fmt.Sprintf(`w0.offsetHeight === %[1]d && w1.offsetHeight === %[1]d`, height))
		f.Await(fmt.Sprintf(`innerHeight === %[1]d && document.querySelector(".totals").offsetHeight === %[1]d`, height))
	}
	stage.Eval[bool](e, `w0.resource = "pods", true`)
	e.Await(`w0.offsetHeight === 420`)
	e.Keep("strip")
}

// TestRefused checks that no page but an embedder can show the page in a frame, that an embedder can
// show only the page for frames, and that the element says so without harm to its page.
func TestRefused(t *testing.T) {
	p := newPortal(t)
	w := serve(t, "https://portal.example.com")
	p.shows(w.Origin(), elements(w.Origin(), 1))
	e := p.visit(t, false, "frame-ancestors", "Refused to frame", "violates the following Content Security Policy", "X-Frame-Options")
	e.Await(`heard.some(h => h.type === "error" && h.code === "refused")`)
	stage.AwaitValue(e, `w0.shadowRoot.querySelector("p").textContent`, func(said string) bool {
		return strings.Contains(said, p.origin) && strings.Contains(said, "Open Watchglass in a new tab")
	})
	e.Keep("refused")
	e.Must(e.Click("#after"))

	w = serve(t, p.origin)
	for _, path := range []string{"/pods", "/", "/-/signin", "/-/signin?embed=list"} {
		t.Run(path, func(t *testing.T) {
			p.page = `<!doctype html><title>Bait</title><iframe id="bait" src="` + w.Origin() + path + `"></iframe>`
			e := p.visit(t, false, "frame-ancestors", "Refused to frame", "violates the following Content Security Policy", "X-Frame-Options")
			if !stage.Within(stage.Soon, func() bool { return slices.ContainsFunc(e.Console(), isRefusal) }) {
				t.Error("the browser has not refused to show it in a frame")
			}
			blank := frame(e, w.Origin()) // the browser leaves an empty page at the address
			if text := stage.Now[string](blank, `document.title + document.body.innerText`); text != "" {
				t.Errorf("it shows in a frame: %q", text)
			}
		})
	}
}

// isRefusal reports whether a line on the console says that a page must not be framed.
func isRefusal(line string) bool {
	return strings.Contains(line, "frame-ancestors") || strings.Contains(line, "X-Frame-Options")
}

// TestForged checks that messages of other pages neither reach the page nor the element.
func TestForged(t *testing.T) {
	p := newPortal(t)
	w := serve(t, p.origin)
	evil := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		out.Header().Set("Content-Type", "text/html")
		fmt.Fprint(out, `<!doctype html><script>
			const forge = () => {
				for (const target of [parent, ...Array.from({ length: parent.length }, (_, i) => parent[i])]) {
					const { port1, port2 } = new MessageChannel();
					port1.onmessage = ({ data }) => parent.postMessage({ stolen: data }, "*");
					for (const message of [{ watchglass: "host", gives: true }, { watchglass: "frame" }, { type: "select", detail: { key: "forged" } }, { type: "go", path: "/secrets", query: "" }]) target.postMessage(message, "*", message.watchglass === "host" ? [port2] : []);
				}
				parent.postMessage("forged", "*");
			};
			setInterval(forge, 20);
		</script>`)
	}))
	defer evil.Close()
	p.shows(w.Origin(), elements(w.Origin(), 1)+`<iframe id="bare" src="`+w.Origin()+`/pods?embed=list&hosted=1"></iframe><iframe id="evil" src="`+strings.Replace(evil.URL, "127.0.0.1", "evil.localhost", 1)+`"></iframe>
<script>let forged = 0, stolen = []; addEventListener("message", ({ data }) => { if (data === "forged") forged++; if (data?.stolen) stolen.push(data.stolen); });</script>`)
	e := p.visit(t, false)
	live(e, 1)
	e.Await(`forged > 20`)
	if got := stage.Now[string](e, `JSON.stringify([stolen, heard.filter(h => h.key === "forged")])`); got != "[[],[]]" {
		t.Errorf("a forged message had an answer: %s", got)
	}
	if at := stage.Now[string](frame(e, w.Origin()), `location.pathname`); at != "/pods" {
		t.Errorf("a forged message led to %s", at)
	}
}

// TestPlainFrame checks a frame without the element, on the same site, where cookies work: it asks
// to sign in in a window, and shows the list after that.
func TestPlainFrame(t *testing.T) {
	p := newPortal(t)
	same := p.URL // 127.0.0.1, as the proxy
	w := serve(t, same)
	p.page = `<!doctype html><html lang="en"><title>Docs</title><iframe title="Pods" src="` + w.Origin() + `/pods?embed=list" width="900" height="300"></iframe>`
	tab, err := stage.Chrome.NewTab()
	if err != nil {
		t.Fatal(err)
	}
	e := stage.Watch(t, tab, "401")
	e.Must(e.Open(same))
	f := frame(e, w.Origin())
	f.Says(".crash", "Not signed in", "Open Watchglass")
	e.Keep("signed-out")
	other := e.Another("401")
	other.Must(other.Open(w.At("/pods")))
	other.SignIn(vera.Token)
	other.AwaitState("live")
	other.Close()
	stage.Eval[bool](f, `dispatchEvent(new Event("focus")), true`)
	f.AwaitState("live")
	e.Keep("signed-in")
}
