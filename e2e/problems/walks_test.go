package problems

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/e2e/browser"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
	"watchglass/internal/hub/problems/recorded"
)

// stars has a page find Engines among the favourites, unless there are some.
const stars = `if (location.protocol === "http:") localStorage["watchglass:starred"] ??= "engines.problems.example.com"`

// keepsWorker has a page remember its worker, so that a test can end it.
const keepsWorker = `(() => { const Kind = SharedWorker; globalThis.SharedWorker = class extends Kind { constructor(...a) { super(...a); globalThis.itsWorker = this; } }; })()`

// crash ends the program of the worker.
const crash = `itsWorker.port.postMessage({port: 1, context: "", identity: "", early: "", alive: ""}), true`

// ended matches what the console says of a worker that a test ended, and of its connections.
const ended = `WebSocket connection to|the worker ended|/-/files/(worker|wasm_exec)\.`

// emptied waits until the namespaces of other tests are gone: without its APIs, none can be deleted.
func emptied(t *testing.T) {
	t.Helper()
	for _, n := range ending(t) {
		// Its controller waits longer after each failure. A change has it look now.
		err := place{t.Context(), n.Name}.patch("Namespace/NS", `{metadata: {annotations: {problems.example.com/looked: again}}}`)
		if !apierrors.IsNotFound(err) {
			must(t, err)
		}
	}
	stage.WaitNone(t, "namespaces of other tests", func() (left []string) {
		for _, n := range ending(t) {
			left = append(left, fmt.Sprintf("%s: %+v", n.Name, n.Status.Conditions))
		}
		return left
	})
}

// ending returns the namespaces that are being deleted.
func ending(t *testing.T) []corev1.Namespace {
	t.Helper()
	all, err := stage.Admin.CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{})
	must(t, err)
	return slices.DeleteFunc(all.Items, func(n corev1.Namespace) bool { return n.DeletionTimestamp == nil })
}

// TestCluster has a cluster that is in more than a hundred states at once. It shows exactly their rows, and the same
// ones after any walk through the pages as in a fresh browser. WALKS is how many walks there are, and SEED is the
// first of them.
func TestCluster(t *testing.T) {
	emptied(t)
	c, site := raiseAll(t), stage.Serve(t, proxy.Options{})
	t.Run("rows", func(t *testing.T) {
		e := stage.Open(t, "about:blank")
		e.Must(e.First(stars))
		e.Must(e.Open(site.At("/")))
		complete(e)
		setAhead(e, ahead)
		var all []string
		if !stage.Within(stage.Soon, func() bool { all = c.differences(problems(e)); return len(all) == 0 }) {
			t.Errorf("%d differences:\n%s", len(all), strings.Join(all, "\n"))
		}
		record(t, "states", c.names())
		e.Keep("cluster")
	})
	walks, first := 3, 0
	if n, err := strconv.Atoi(os.Getenv("WALKS")); err == nil {
		walks = n
	}
	if n, err := strconv.Atoi(os.Getenv("SEED")); err == nil {
		first = n
	}
	for seed := first; seed < first+walks; seed++ {
		t.Run(fmt.Sprint("walk ", seed), func(t *testing.T) { walk(t, c, site, seed) })
	}
}

// complete waits until the page has read all that the problems rest on.
func complete(e stage.Eyes) {
	e.T.Helper()
	e.AwaitState("live")
	e.Await(`"watchglass" in globalThis && watchglass.rows({offset: 0, limit: 1}).then(r => r.columns.some(c => c.name === "Problem"), () => false)`)
	e.Await(`document.documentElement.dataset.state === "live" && !/checking|loading/i.test(document.querySelector("main")?.innerText)`)
}

// walker is somebody who walks through the pages of one browser.
type walker struct {
	stage.Eyes
	rng     *rand.Rand
	site    *proxy.Proxy
	places  []place
	crashed bool // a worker, which is not replaced twice within a minute
	path    string
	steps   []string
}

// walk takes some steps, and compares the problems with those of a fresh browser.
func walk(t *testing.T, c *clusterOfFaults, site *proxy.Proxy, seed int) {
	w := &walker{Eyes: stage.Open(t, "about:blank", ended), rng: rand.New(rand.NewPCG(uint64(seed), 45)), site: site, places: c.places}
	w.Must(w.First(stars + ";" + keepsWorker))
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the walk: %s", strings.Join(w.steps, "; "))
		}
	})
	w.open(w.list())
	for range 4 + w.rng.IntN(5) {
		w.step()
	}
	w.compare()
}

// did notes what is done. A walk that fails says it.
func (w *walker) did(format string, args ...any) {
	w.steps = append(w.steps, fmt.Sprintf(format, args...))
}

// one returns one of some.
func one[T any](w *walker, all ...T) T { return all[w.rng.IntN(len(all))] }

// list returns the address of a list or a page.
func (w *walker) list() string {
	return one(w, "/", "/problems", "/timeline", "/pods", "/pods", "/services", "/nodes", "/deployments.apps", "/events", "/configmaps", "/engines.problems.example.com",
		"/persistentvolumeclaims", "/endpointslices.discovery.k8s.io", "/replicasets.apps", "/ingresses.networking.k8s.io", "/jobs.batch", "/horizontalpodautoscalers.autoscaling", "/namespaces", "/statefulsets.apps")
}

// open loads a page anew.
func (w *walker) open(path string) {
	w.path = path
	w.did("open %s", path)
	w.Must(w.Open(w.site.At(path)))
	w.Await(`"watchglass" in globalThis`)
}

// goTo goes to another address in the page.
func (w *walker) goTo(path string) {
	w.path = path
	w.did("%s", path)
	w.GoTo(path)
	w.arrive()
}

// arrive waits until the page is live, mostly.
func (w *walker) arrive() {
	if w.rng.IntN(4) > 0 {
		w.AwaitState("live")
	}
}

// step does one thing that a person does, or that happens to a page.
func (w *walker) step() {
	switch p := one(w, w.places...); w.rng.IntN(11) {
	case 0, 1:
		w.goTo(w.list())
	case 2:
		w.goTo(fmt.Sprintf("/%s?n=%s&sel=%s/%s&tab=%s", one(w, "pods", "services", "deployments.apps", "problems"), p.name, p.name, one(w, "bad", "well"), one(w, "summary", "yaml", "events", "related", "timeline")))
	case 3:
		w.goTo(strings.Split(w.path, "?")[0] + "?n=" + p.name)
	case 4:
		w.goTo(strings.Split(w.path, "?")[0])
	case 5:
		w.open(w.path)
		w.arrive()
	case 6:
		path := w.path
		w.saved(one(w, "pods", "services", "deployments.apps", "nodes"))
		w.open(path)
		w.arrive()
	case 7:
		w.crash()
	case 8:
		w.besides()
	case 9:
		w.back()
	default:
		w.star()
	}
}

// saved shows a list, and waits until one of those that are read is on disk: in which order they are saved is up to
// the worker.
func (w *walker) saved(resource string) {
	w.goTo("/" + resource)
	w.did("until a list is saved")
	stage.WaitFor(w.T, "a list is saved", func() bool {
		return slices.ContainsFunc(w.VisitFiles(), func(name string) bool { return !strings.Contains(name, ",glimpse,") })
	})
}

// crash ends the worker, once, and waits for the next one.
func (w *walker) crash() {
	if w.crashed {
		return
	}
	w.crashed = true
	w.AwaitState("live")
	w.did("the worker crashes")
	stage.Eval[bool](w, crash)
	w.Says("#notice", "The background worker stopped and was restarted.")
	w.arrive()
}

// besides opens another tab of the same browser, and closes it.
func (w *walker) besides() {
	path := w.list()
	w.did("%s in another tab", path)
	tab, err := w.Beside()
	w.Must(err)
	defer tab.Close()
	w.Must(tab.Open(w.site.At(path)))
	if w.rng.IntN(2) == 0 {
		w.Must(tab.AwaitState("live", stage.Soon))
	}
}

// back goes back in time and to live again.
func (w *walker) back() {
	w.AwaitState("live")
	w.did("back in time, and live")
	ago := w.rng.IntN(3000)
	if stage.Now[bool](w, fmt.Sprintf(`watchglass.travel(Date.now() - %d).then(() => true, () => false)`, ago)) {
		w.AwaitState("past")
	}
	stage.Eval[bool](w, `watchglass.travel().then(() => true)`)
	w.AwaitState("live")
}

// star adds the kind on screen to the favourites, or removes it.
func (w *walker) star() {
	w.did("favourite")
	w.Press("f")
}

// shownRow is what a row says.
type shownRow struct {
	recorded.Row
	since string
}

// shown returns the rows on screen, with since when each is there.
func shown(rows browser.Rows) map[string]shownRow {
	i := slices.IndexFunc(rows.Columns, func(c browser.Column) bool { return c.Name == "Since" })
	all := make(map[string]shownRow)
	for key, r := range Rows(rows) {
		at := slices.IndexFunc(rows.Rows, func(r browser.Row) bool { return r.UID == key })
		all[key] = shownRow{r, rows.Rows[at].Cells[i]}
	}
	return all
}

// compare compares the problems with those of a fresh browser: at once, when both say that they are complete, and
// when the clocks of both are ahead, so that every state has lasted.
func (w *walker) compare() {
	w.open("/")
	complete(w.Eyes)
	before := shown(w.Rows())
	fresh := stage.Open(w.T, "about:blank")
	w.Must(fresh.First(fmt.Sprintf(`if (location.protocol === "http:") localStorage["watchglass:starred"] = %q`, stage.Eval[string](w, `localStorage["watchglass:starred"] ?? ""`))))
	w.Must(fresh.Open(w.site.At("/")))
	complete(fresh)
	is := shown(fresh.Rows())
	after := shown(w.Rows())
	if all := differ(is, before); len(all) > 0 {
		if all = differ(is, after); len(all) > 0 { // what a minute makes a problem may have come between the two
			w.T.Errorf("of %d rows of a fresh browser, at once\n%s", len(is), strings.Join(all, "\n"))
		}
	}
	setAhead(w.Eyes, ahead)
	setAhead(fresh, ahead)
	var all []string
	if !stage.Within(stage.Soon/2, func() bool {
		is = shown(fresh.Rows())
		all = differ(is, shown(w.Rows()))
		return len(all) == 0 && len(is) > 60
	}) {
		w.T.Errorf("of %d rows of a fresh browser\n%s", len(is), strings.Join(all, "\n"))
	}
}

// differ compares rows. Their ages may differ by a minute.
func differ(want, have map[string]shownRow) (all []string) {
	for key, w := range want {
		if h, ok := have[key]; !ok {
			all = append(all, fmt.Sprint("missing: ", key, " ", w))
		} else if h.Row != w.Row || !near(h.since, w.since) {
			all = append(all, fmt.Sprint("differs: ", key, " ", h, ", not ", w))
		}
	}
	for key, h := range have {
		if _, ok := want[key]; !ok {
			all = append(all, fmt.Sprint("besides: ", key, " ", h))
		}
	}
	slices.Sort(all)
	return all
}

// near reports whether two ages differ by a minute at most.
func near(a, b string) bool {
	x, err := time.ParseDuration(a)
	y, err2 := time.ParseDuration(b)
	return a == b || err == nil && err2 == nil && (x-y).Abs() <= time.Minute+time.Second
}
