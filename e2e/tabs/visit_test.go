package tabs

import (
	"io"
	"net/http"
	"net/http/httputil"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"watchglass/e2e/browser"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// notYet is what browsers write when there is no session.
const notYet = `status of 401`

// gate lets requests for pods pass, holds their watches back, or answers them, and notes them.
type gate struct {
	http.RoundTripper
	mu    sync.Mutex
	asked []string      // "list", "watch-list", "watch at 7", "version" or "metadata"
	held  chan struct{} // watches wait until it is closed; nil: they pass
	gone  bool          // watches from a version are answered as if it was forgotten
}

func (g *gate) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path != "/api/v1/pods" {
		return g.RoundTripper.RoundTrip(r)
	}
	q, what := r.URL.Query(), "list"
	switch {
	case q.Get("sendInitialEvents") != "":
		what = "watch-list"
	case q.Get("watch") != "":
		what = "watch at " + q.Get("resourceVersion")
	case q.Get("limit") == "1":
		what = "version"
	case strings.Contains(r.Header.Get("Accept"), "PartialObjectMetadata"):
		what = "metadata"
	}
	g.mu.Lock()
	g.asked = append(g.asked, what)
	held, gone := g.held, g.gone && strings.HasPrefix(what, "watch at")
	g.mu.Unlock()
	if held != nil && strings.HasPrefix(what, "watch") {
		select {
		case <-held:
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	if gone {
		const doc = `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version","reason":"Expired","code":410}`
		return &http.Response{StatusCode: 410, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(doc)), Request: r}, nil
	}
	return g.RoundTripper.RoundTrip(r)
}

// set changes what becomes of watches, and forgets what was asked.
func (g *gate) set(hold, gone bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.held != nil {
		close(g.held)
	}
	if g.held = nil; hold {
		g.held = make(chan struct{})
	}
	g.gone, g.asked = gone, nil
}

// release lets the held watches pass.
func (g *gate) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.held)
	g.held = nil
}

// listed returns what was asked that lists, or follows.
func (g *gate) listed() (out []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, what := range g.asked {
		if what != "version" && what != "metadata" {
			out = append(out, what)
		}
	}
	return out
}

// awaitSaved waits until the list and its glimpse are saved, and returns the names of all files.
func awaitSaved(e stage.Eyes, resource string) (kept []string) {
	e.T.Helper()
	stage.WaitFor(e.T, "the list is saved", func() bool {
		kept = e.VisitFiles()
		has := func(part string) bool {
			return slices.ContainsFunc(kept, func(name string) bool { return strings.Contains(name+",", part) })
		}
		return has(","+resource+",,") && has(",glimpse,"+resource+",")
	})
	return kept
}

// leave leaves the page once the list is saved. The worker ends with it.
func leave(e stage.Eyes, resource string) (kept []string) {
	e.T.Helper()
	kept = awaitSaved(e, resource)
	e.Must(e.Open("about:blank"))
	e.Await(`location.href === "about:blank"`)
	return kept
}

// TestVisit comes back to the page: the rows of the last visit are there before the apiserver answers,
// marked with their time, and the watch resumes without a list. A version that is forgotten is
// listed, and no row disappears meanwhile. Nothing on the browser's disk can be read.
func TestVisit(t *testing.T) {
	tab, profile := stage.OwnProfile(t)
	g := &gate{}
	kubeconfig := stage.Between(t, func(p *httputil.ReverseProxy) { g.RoundTripper, p.Transport = p.Transport, g })
	at := stage.Serve(t, proxy.Options{Kubeconfig: kubeconfig}).At("/pods")
	ns := stage.Namespace(t)
	const canary = "canary-of-the-last-visit"
	first := stage.Create(t, ns, canary)

	e := stage.Watch(t, tab)
	e.Must(tab.Open(at))
	e.AwaitState("live")
	e.AwaitCount(podsSeeded + 1)
	e.CheckSearch(profile)
	if kept := leave(e, "pods"); len(kept) != 2 {
		t.Errorf("kept %q", kept)
	}
	if stage.Containing(t, profile, "watchglass-visit-") == "" {
		t.Error("the files are not in the profile that is looked through")
	}
	if found := stage.Containing(t, profile, canary); found != "" {
		t.Errorf("the name of a pod can be read in %s", found)
	}

	stage.Remove(t, first)
	stage.Create(t, ns, "new")
	g.set(true, false)
	e.Must(tab.Open(at))
	e.AwaitCount(podsSeeded + 1)
	e.AwaitState("stale")
	e.Says(".badge", "As of "+time.Now().Format("15:"))
	if keys := stage.Now[browser.Rows](e, browser.AllRows).Keys(); !slices.Contains(keys, ns+"/"+canary) || slices.Contains(keys, ns+"/new") { // at no time others
		t.Error("the rows are not those of the last visit")
	}
	e.Says(".banner", "Showing rows saved on your last visit.")
	e.KeepLooks("as-of")
	e.Press("j", "\r") // the rows can be used: one opens, with its body
	e.Await(`document.querySelector(".drawer")?.checkVisibility()`)
	e.Press("y")
	e.Says(".drawer", "kind: Pod")
	e.KeepLooks("as-of-object")
	e.Press("\x1b")
	e.Await(`!document.querySelector(".drawer")?.checkVisibility()`)
	g.release()
	e.AwaitState("live")
	stage.AwaitValue(e, browser.AllRows, func(r browser.Rows) bool {
		return !slices.Contains(r.Keys(), ns+"/"+canary) && slices.Contains(r.Keys(), ns+"/new")
	})
	if asked := g.listed(); len(asked) != 1 || !strings.HasPrefix(asked[0], "watch at ") {
		t.Errorf("asked %q", asked)
	}
	e.AwaitSource(func(s stage.Source) bool { return s.Resumes == 1 && s.Relists == 0 && s.Objects == podsSeeded+1 })

	leave(e, "pods")
	g.set(false, true)
	e.Must(tab.Open(at))
	e.AwaitState("live")
	if asked := g.listed(); len(asked) < 2 || !strings.HasPrefix(asked[0], "watch at ") || asked[1] != "watch-list" {
		t.Errorf("asked %q", asked)
	}
	e.AwaitSource(func(s stage.Source) bool { return s.Relists == 1 && s.Objects == podsSeeded+1 })
}

// signedIn returns a tab in which vera has signed in, with the proxy and where that serves.
func signedIn(t *testing.T, allowed ...string) (*address, *proxy.Proxy, stage.Eyes) {
	t.Helper()
	stage.Grant(t, vera, "", stage.Reads, "pods", "namespaces")
	a := newAddress(t)
	p := a.serve("")
	e := stage.Open(t, p.At("/pods"), append(allowed, notYet)...)
	e.SignIn(vera.Token)
	e.AwaitState("live")
	return a, p, e
}

// TestVisitSession checks that a visit is of its session: signing out removes it, and whoever signs in
// next begins with a list.
func TestVisitSession(t *testing.T) {
	_, p, e := signedIn(t)
	before := leave(e, "pods")
	e.Must(e.Open(p.At("/pods")))
	e.AwaitState("live")
	e.AwaitSource(func(s stage.Source) bool { return s.Resumes == 1 }) // the same session
	e.SignOut()
	e.Says("h1", "Sign in")
	if left := e.VisitFiles(); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
	e.SignIn(vera.Token)
	e.AwaitState("live")
	e.AwaitSource(func(s stage.Source) bool { return s.Resumes == 0 }) // the next session
	if after := leave(e, "pods"); slices.Equal(before, after) {
		t.Errorf("two sessions have %q", after)
	}
}

// TestVisitEnded checks that the visit of a session that is over is removed before the sign-in page says so: by a page
// that opens later, and by one that is open.
func TestVisitEnded(t *testing.T) {
	a, p, e := signedIn(t, lost, died)
	ended := func() {
		t.Helper()
		e.Must(p.Kill())
		a.changeKey()
		p = a.serve("")
	}
	leave(e, "pods")
	ended()
	e.Must(e.Open(p.At("/pods")))
	e.Says("main", "Your session has ended")
	if left := e.VisitFiles(); len(left) > 0 {
		t.Errorf("opened later: %q are left", left)
	}
	e.SignIn(vera.Token)
	e.AwaitState("live")
	stage.WaitFor(t, "the list is saved", func() bool { return len(e.VisitFiles()) > 0 })
	ended()
	e.Says("main", "Your session has ended")
	if left := e.VisitFiles(); len(left) > 0 {
		t.Errorf("open: %q are left", left)
	}
}

// TestVisitForbidden checks that with --no-disk-history nothing is saved, and existing files are deleted.
func TestVisitForbidden(t *testing.T) {
	a, p, e := signedIn(t)
	leave(e, "pods")
	e.Must(p.Kill())
	p = a.serve("", "--no-disk-history")
	e.Must(e.Open(p.At("/pods")))
	e.AwaitState("live")
	stage.WaitFor(t, "the files to go", func() bool { return len(e.VisitFiles()) == 0 })
	e.AwaitSource(func(s stage.Source) bool { return s.Resumes == 0 })
}

// TestVisitTooLarge checks that a list larger than what the browser grants is not saved, and that the inspector says so.
func TestVisitTooLarge(t *testing.T) {
	p := stage.Serve(t, proxy.Options{})
	e := stage.Open(t, p.At("/pods"))
	e.AwaitState("live")
	e.Must(e.Quota(200_000)) // a tenth of that is granted to saved lists, of which the first is saved 5 s after it is live
	e.Await(`watchglass.inspect().then((i) => i.clusters.some((c) => /larger than the storage/.test(c.unsaved)))`)
	if kept := e.VisitFiles(); len(kept) > 0 {
		t.Errorf("kept %q", kept)
	}
}
