package tabs

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/e2e/browser"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// With a worker each, fewer pages do: they share nothing, and two programs to compile for each take a
// busy machine long.
const (
	tabs         = 10
	windows      = 3
	tabsAlone    = 5
	windowsAlone = 1
)

// lost and died match what the console shows of a broken socket, and of a worker that the
// test ended.
const (
	lost = `WebSocket connection to|Failed to load resource`
	died = `the worker ended|/-/files/(worker|wasm_exec)\.`
)

// keepsWorker makes a page remember its worker, so that a test can end it.
const keepsWorker = `for (const name of ["SharedWorker", "Worker"]) {
	const Kind = globalThis[name];
	if (Kind) globalThis[name] = class extends Kind { constructor(...a) { super(...a); globalThis.itsWorker = this; } };
}`

// withoutSharing hides SharedWorker from a page.
const withoutSharing = `delete globalThis.SharedWorker;`

// remembersNotice makes a page remember that it showed the restart notice, which stays for
// some seconds only.
const remembersNotice = `new MutationObserver(() => {
	if (document.querySelector("#notice")?.innerText.includes("The background worker stopped and was restarted.")) globalThis.itWasSaid = true;
}).observe(document.body, {subtree: true, childList: true, characterData: true}), true`

// notesVisits makes a tab note each page that it shows, the sign-in page included.
const notesVisits = `if (location.origin !== "null") sessionStorage.visits = (sessionStorage.visits ?? "") + location.pathname + " ";`

// family is all tabs of one browser.
type family struct {
	t      *testing.T
	shared bool
	all    []stage.Eyes
	visits string // of every tab, since startVisits
}

// opens opens the tabs and the windows at /pods. Enter signs in in the first, if needed.
func opens(t *testing.T, p *proxy.Proxy, shared bool, enter func(first stage.Eyes)) *family {
	t.Helper()
	f := &family{t: t, shared: shared}
	tabs, windows := tabs, windows
	if !shared {
		tabs, windows = tabsAlone, windowsAlone
	}
	first, err := stage.Chrome.NewTab()
	if err != nil {
		t.Fatal(err)
	}
	f.adopt(first)
	f.all[0].Must(first.Open(p.At("/pods")))
	enter(f.all[0])
	f.all[0].AwaitState("live")
	for range tabs - 1 {
		tab, err := first.Beside()
		f.all[0].Must(err)
		f.adopt(tab)
		f.all[len(f.all)-1].Must(tab.Open(p.At("/pods")))
	}
	for range windows {
		tab, err := first.Window()
		f.all[0].Must(err)
		f.adopt(tab)
		f.all[len(f.all)-1].Must(tab.Open(p.At("/pods")))
	}
	return f
}

func (f *family) adopt(tab *browser.Tab) {
	e := stage.Watch(f.t, tab, lost, died)
	e.Must(tab.First(keepsWorker))
	e.Must(tab.First(notesVisits))
	if !f.shared {
		e.Must(tab.First(withoutSharing))
	}
	f.all = append(f.all, e)
}

// right waits until every tab is live, and compares its store and its rows with a LIST.
func (f *family) right() {
	f.t.Helper()
	list, err := stage.Admin.CoreV1().Pods("").List(f.t.Context(), metav1.ListOptions{})
	f.all[0].Must(err)
	for _, e := range f.all {
		e.AwaitState("live")
		e.AwaitCount(len(list.Items))
		s, err := e.Snapshot("pods")
		e.Must(err)
		stage.Compare(f.t, s)
		stage.Is(e, `watchglass.rows({offset: 0, limit: 1}).then(r => r.total)`, len(list.Items))
	}
}

// pages is how many pages, clusters and sources the worker of a tab serves, and whether it is shared.
const pages = `watchglass.inspect().then(i => [i.pages.length, i.clusters.length, i.sources.length, i.worker.shared].join(" "))`

// awaitPages waits until the worker serves n pages, or each worker its own.
func (f *family) awaitPages(n int) {
	f.t.Helper()
	if !f.shared {
		n = 1
	}
	f.all[0].Await(fmt.Sprintf(`watchglass.inspect().then(i => i.pages.length === %d && i.clusters.length === 1 && i.sources.length === 1)`, n))
}

// close closes a tab.
func (f *family) close(i int) {
	f.all[i].Close()
	f.all = append(f.all[:i], f.all[i+1:]...)
}

func TestTabs(t *testing.T) {
	for name, shared := range map[string]bool{"shared": true, "each its own": false} {
		t.Run(name, func(t *testing.T) { testTabs(t, shared) })
	}
}

// testTabs takes tabs and windows through what happens to browsers and proxies: a
// restarted proxy, hidden, closed and crashed tabs, and crashed workers.
func testTabs(t *testing.T, shared bool) {
	p := stage.Serve(t, proxy.Options{})
	ns := stage.Namespace(t)
	f := opens(t, p, shared, func(stage.Eyes) {})
	f.right()
	f.awaitPages(len(f.all))
	if shared {
		stage.Is(f.all[3], pages, fmt.Sprintf("%d 1 1 true", tabs+windows))
	}

	f.all[1].Must(p.Kill())
	f.all[2].AwaitState("stale")
	f.all[1].Must(p.Start(t.Context()))
	f.right()

	f.hide(true)
	pod := stage.Create(t, ns, "while-hidden")
	f.all[0].AwaitCount(podsSeeded + 1)
	later := stage.Create(t, ns, "while-hidden-later") // once that shows, what was sent with the first has come
	f.all[0].AwaitVersion("pods", later.ResourceVersion)
	f.all[0].AwaitCount(podsSeeded + 2)
	for i, tab := range f.all[1:] {
		if shown := stage.Now[string](tab, `document.querySelector("[role=grid]").getAttribute("aria-rowcount")`); shown != fmt.Sprint(podsSeeded+1) {
			t.Errorf("hidden tab %d was sent rows: %s", i+1, shown)
		}
	}
	f.hide(false)
	f.right()
	stage.Remove(t, pod)
	stage.Remove(t, later)

	f.close(4)
	f.close(len(f.all) - 1)
	f.awaitPages(len(f.all))
	f.right()

	f.all[3].Must(f.all[3].Crash())
	f.all[3].Close()
	f.all = append(f.all[:3], f.all[4:]...)
	f.right()
	f.awaitPages(len(f.all))

	stage.Create(t, ns, "before-the-crash")
	for _, e := range f.all {
		stage.Eval[bool](e, remembersNotice)
	}
	f.crashWorkers()
	for _, e := range f.all {
		e.Await(`globalThis.itWasSaid`)
	}
	stage.Create(t, ns, "after-the-crash")
	f.right()
	f.awaitPages(len(f.all))

	f.crashWorkers()
	for _, e := range f.all {
		e.Says(".crash", "Watchglass has stopped", "panic")
	}
}

// hide makes all tabs but the first hidden, or visible.
func (f *family) hide(hidden bool) {
	f.t.Helper()
	state := map[bool]string{true: "hidden", false: "visible"}[hidden]
	for _, e := range f.all[1:] {
		stage.Eval[bool](e, fmt.Sprintf(`Object.defineProperty(document, "visibilityState", {value: %q, configurable: true}), document.dispatchEvent(new Event("visibilitychange"))`, state))
	}
	if hidden && f.shared {
		f.all[0].Await(`watchglass.inspect().then(i => i.pages.filter(p => p.visible).length === 1)`)
	}
}

// crashWorkers makes the program of the shared worker panic, or that of each tab's worker.
func (f *family) crashWorkers() {
	f.t.Helper()
	const panics = `(itsWorker.port ?? itsWorker).postMessage({port: 1, context: "", identity: "", early: "", alive: ""}), true`
	for _, e := range f.all {
		stage.Eval[bool](e, panics)
		if f.shared {
			return
		}
	}
}
