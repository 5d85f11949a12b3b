package tabs

import (
	"bufio"
	"crypto/rand"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

func TestSession(t *testing.T) {
	other := buildOther(t)
	for name, shared := range map[string]bool{"shared": true, "each its own": false} {
		t.Run(name, func(t *testing.T) { testSession(t, shared, other) })
	}
}

// testSession takes tabs and windows through a session's renewals, a restart of the proxy, one of
// another build, sign-out, another sign-in and the session's end. Each tab reacts once.
func testSession(t *testing.T, shared bool, other string) {
	stage.Grant(t, vera, "", stage.Reads, "pods", "namespaces")
	a := newAddress(t)
	p := a.serve("", "--session", "30s") // long enough for a busy machine to show ten tabs before it has to be renewed
	f := opens(t, p, shared, func(first stage.Eyes) { first.SignIn(vera.Token) })
	f.right()
	f.startVisits()
	a.awaitSockets(f.sockets())
	f.checkRenewal(func() {}) // when it is due
	a.checkSignIns(p, 1)

	f.all[0].Must(p.Kill())
	p = a.serve("") // once renewed, its sessions outlast an upgrade of ten tabs on a busy machine
	a.awaitSockets(f.sockets())
	f.all[0].Await(fmt.Sprintf(`Date.now() - JSON.parse(localStorage[%q]).at > 3000`, sessionName)) // until then no tab renews it again
	if renewals, logins := f.checkRenewal(f.askAll); logins != renewals {
		t.Errorf("all tabs were asked at once: %d requests for %d renewals", logins, renewals)
	}
	a.awaitSockets(f.sockets())
	a.checkSignIns(p, 0)

	f.all[0].Must(p.Kill())
	p = a.serve(other)
	f.checkUpgrade()
	a.awaitSockets(f.sockets())

	f.checkSignOut()
	a.awaitSockets(0)
	f.signInAnew(p)
	a.awaitSockets(f.sockets())
	a.checkSignIns(p, 1)

	f.all[0].Must(p.Kill())
	p = a.serve(other, "--session", "12s", "--session-max", "12s")
	f.checkEnd(p)
	a.awaitSockets(0)
}

// address is where one proxy after another serves, all with the same key.
type address struct {
	t                    *testing.T
	listen, metrics, key string
}

func newAddress(t *testing.T) *address {
	t.Helper()
	a := &address{t: t, listen: stage.FreePort(t), metrics: stage.FreePort(t), key: filepath.Join(t.TempDir(), "key")}
	a.changeKey()
	return a
}

// changeKey writes another key. The next proxy accepts no session of those before.
func (a *address) changeKey() {
	a.t.Helper()
	key := make([]byte, 32)
	_, _ = rand.Read(key) // it does not fail
	write(a.t, a.key, key)
}

// serve starts the proxy in token mode. Binary is that of another build, or "".
func (a *address) serve(binary string, args ...string) *proxy.Proxy {
	a.t.Helper()
	return stage.Serve(a.t, proxy.Options{
		Kubeconfig: stage.Kubeconfig(a.t, vera, cluster.KubeconfigOptions{}), Listen: a.listen, Binary: binary,
		Args: append([]string{"--auth", "token", "--public-url", "http://" + a.listen, "--key-file", a.key, "--metrics-listen", a.metrics}, args...),
	})
}

// checkSignIns checks how many sessions a proxy has begun.
func (a *address) checkSignIns(p *proxy.Proxy, n int) {
	a.t.Helper()
	if began := sessions(p); len(began) != n {
		a.t.Errorf("began sessions %q, want %d", began, n)
	}
}

// awaitSockets waits until n sockets are open at the proxy.
func (a *address) awaitSockets(n int) {
	a.t.Helper()
	stage.WaitFor(a.t, fmt.Sprintf("%d sockets are open at the proxy", n), func() bool { return a.count("watchglass_connections") == n })
}

// count returns one of the proxy's metrics, or -1 if there is none of that name.
func (a *address) count(name string) int {
	a.t.Helper()
	resp, err := http.Get("http://" + a.metrics + "/metrics")
	if err != nil {
		a.t.Fatal(err)
	}
	defer resp.Body.Close()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			n, err := strconv.Atoi(value)
			if err != nil {
				a.t.Fatal(err)
			}
			return n
		}
	}
	return -1
}

// sockets returns how many sockets the tabs have: one for each worker.
func (f *family) sockets() int {
	if f.shared {
		return 1
	}
	return len(f.all)
}

// startVisits forgets which pages the tabs have shown.
func (f *family) startVisits() {
	f.t.Helper()
	for _, e := range f.all {
		stage.Eval[string](e, `sessionStorage.visits = ""`)
	}
}

// visited checks that every tab has shown these pages since the last check, and no others.
func (f *family) visited(after string, pages ...string) {
	f.t.Helper()
	for _, page := range pages {
		f.visits += page + " "
	}
	for i, e := range f.all {
		if got := stage.Now[string](e, `sessionStorage.visits`); got != f.visits {
			f.t.Errorf("after %s tab %d has shown %q, want %q", after, i, got, f.visits)
		}
	}
}

// await waits until an expression is true in every tab, with one deadline for all.
func (f *family) await(expression string) {
	f.t.Helper()
	until := time.Now().Add(stage.Soon)
	for i, e := range f.all {
		if err := e.Tab.Await(expression, time.Until(until)); err != nil {
			f.t.Fatalf("tab %d: %v\nit shows %s", i, err, stage.Eval[string](e, `location.href + "\n" + document.body.innerText.slice(0, 500)`))
		}
	}
}

// say waits until every tab shows the sign-in page and why.
func (f *family) say(why string) {
	f.t.Helper()
	f.await(fmt.Sprintf(`location.pathname === "/-/signin" && document.querySelector("[role=status]")?.innerText.startsWith(%q)`, why))
}

// sessionName is the page's name for its session, in storage and as a lock.
const sessionName = "watchglass:session::"

// inTurn calls do while no tab can renew the session.
func (f *family) inTurn(do func()) {
	f.t.Helper()
	stage.Eval[bool](f.all[0], fmt.Sprintf(`new Promise(held => navigator.locks.request(%q, () => (held(true), new Promise(end => globalThis.endTurn = end))))`, sessionName))
	do()
	stage.Eval[bool](f.all[0], `endTurn(), true`)
}

// notesRenewals makes a page note each renewal by the session's name and its time, but not what
// it answers to a worker that had heard already. It keeps these notes when it leaves.
const notesRenewals = `sessionStorage.heard = "", globalThis.notesThem ??= (told => watchglassSession.renewed = made => {
	if (/^\d+$/.test(made)) sessionStorage.heard += watchglassSession.name + "@" + made + ",";
	told(made);
})(watchglassSession.renewed), true`

func (f *family) noteRenewals() {
	f.t.Helper()
	for _, e := range f.all {
		stage.Eval[bool](e, notesRenewals)
	}
}

// heard returns the renewals that a tab has noted.
func heard(e stage.Eyes) []string {
	e.T.Helper()
	return strings.FieldsFunc(stage.Now[string](e, `sessionStorage.heard`), func(c rune) bool { return c == ',' })
}

// logins returns how often the tabs' pages have asked the proxy to renew the session.
func (f *family) logins() (n int) {
	f.t.Helper()
	for _, e := range f.all {
		n += stage.Now[int](e, `performance.getEntriesByType("resource").filter(e => new URL(e.name).pathname === "/-/login").length`)
	}
	return n
}

// checkRenewal waits for the session's renewal after a call of ask, and checks that every tab
// hears of it once and goes on. It returns the renewals and the requests for them.
func (f *family) checkRenewal(ask func()) (renewals, logins int) {
	f.t.Helper()
	f.inTurn(func() {
		f.noteRenewals()
		logins = -f.logins()
		ask()
	})
	f.await(`sessionStorage.heard`)
	f.inTurn(func() {
		f.await(fmt.Sprintf("sessionStorage.heard.endsWith(%q)", f.lastRenewal()+","))
		logins += f.logins()
		renewals = f.checkHeard()
	})
	f.right()
	for _, e := range f.all {
		e.AwaitSource(func(s stage.Source) bool { return s.Relists == 0 })
	}
	f.visited("a renewal")
	return renewals, logins
}

// lastRenewal returns the last renewal, by the storage of the tab that made it: other tabs may
// read it later.
func (f *family) lastRenewal() string {
	f.t.Helper()
	var all []string
	for _, e := range f.all {
		all = append(all, stage.Eval[string](e, fmt.Sprintf(`(({session, at}) => session + "@" + at)(JSON.parse(localStorage[%q]))`, sessionName)))
	}
	return slices.MaxFunc(all, byTime)
}

// checkHeard checks that every tab has heard of the same last renewal, and of none twice or
// after a later one. It returns how many renewals there were.
func (f *family) checkHeard() int {
	f.t.Helper()
	all := make(map[string]bool)
	var last string
	for i, e := range f.all {
		got := heard(e)
		for _, renewal := range got {
			all[renewal] = true
		}
		if i == 0 {
			last = got[len(got)-1]
		}
		if got[len(got)-1] != last {
			f.t.Errorf("tab %d heard of %q, tab 0 of %q last", i, got, last)
		}
		if in := slices.Compact(slices.SortedFunc(slices.Values(got), byTime)); !slices.Equal(in, got) {
			f.t.Errorf("tab %d heard of %q, want each once and in order", i, got)
		}
	}
	return len(all)
}

// byTime compares two renewals by when they were made.
func byTime(a, b string) int {
	_, a, _ = strings.Cut(a, "@")
	_, b, _ = strings.Cut(b, "@")
	return strings.Compare(a, b)
}

// askAll asks every tab to check the session, as a worker does that doubts it.
func (f *family) askAll() {
	f.t.Helper()
	for _, e := range f.all {
		stage.Eval[bool](e, `watchglassSession.renew(true), true`)
	}
}

// checkUpgrade waits until every tab shows the page of another build.
func (f *family) checkUpgrade() {
	f.t.Helper()
	f.await(fmt.Sprintf(`document.documentElement.dataset.state === "live" && document.querySelector("script[data-worker]").dataset.worker.includes(%q)`, otherHash))
	f.right()
	f.awaitPages(len(f.all))
	f.visited("an upgrade", "/pods")
}

// checkSignOut signs out in one tab.
func (f *family) checkSignOut() {
	f.t.Helper()
	f.all[2].SignOut()
	f.say("You have signed out")
	f.visited("sign-out", "/-/signin")
}

// signInAnew signs in again in one tab, and opens the list in the others.
func (f *family) signInAnew(p *proxy.Proxy) {
	f.t.Helper()
	f.all[0].SignIn(vera.Token)
	f.all[0].AwaitState("live")
	for _, e := range f.all[1:] {
		e.Must(e.Open(p.At("/pods")))
	}
	f.right()
	f.awaitPages(len(f.all))
	f.visited("another sign-in", "/pods")
}

// checkEnd signs in anew in a further tab, at a proxy that renews no session: all tabs go on
// with that session, and leave when it ends.
func (f *family) checkEnd(p *proxy.Proxy) {
	f.t.Helper()
	f.noteRenewals()
	more := f.all[0].Another(lost, died)
	more.Must(more.Open(p.At("/-/signin")))
	more.SignIn(veraLater.Token)
	stage.WaitFor(f.t, "a session begins", func() bool { return len(sessions(p)) == 1 })
	f.say("Your session has ended")
	f.visited("the end of the session", "/-/signin")
	began := sessions(p)[0]
	for i, e := range f.all {
		if got := heard(e); len(got) == 0 || !strings.HasPrefix(got[len(got)-1], began+"@") {
			f.t.Errorf("tab %d went on with %s, want %s at last", i, got, began)
		}
	}
}

// sessions returns the names of the sessions that a proxy has begun, from its log.
func sessions(p *proxy.Proxy) (names []string) {
	for _, line := range regexp.MustCompile(`msg="signed in".* session=(\S+)`).FindAllStringSubmatch(p.Stderr(), -1) {
		names = append(names, line[1])
	}
	return names
}
