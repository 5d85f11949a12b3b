package embed

import (
	"fmt"
	"strings"
	"testing"

	"watchglass/e2e/stage"
)

// element returns an element with a token of its own.
func element(id, watchglass, resource, token string) string {
	return fmt.Sprintf(`<watch-glass id="%[1]s" src="%[2]s" resource="%[3]s" style="height: 150px"></watch-glass><script>hear(%[1]s), %[1]s.token = () => %[4]s;</script>`, id, watchglass, resource, token)
}

// user is who the frame is signed in as.
const user = `watchglassSession.user ?? ""`

// TestTwoUsers checks two elements of one page whose tokens are of different users. Each frame is
// signed in as its own user, also when an element's function gives another user's token later.
func TestTwoUsers(t *testing.T) {
	p := newPortal(t)
	w := serve(t, p.origin)
	p.shows(w.Origin(), element("w0", w.Origin(), "pods", `"`+vera.Token+`"`)+element("w1", w.Origin(), "configmaps", `"`+otto.Token+`"`))
	e := p.visit(t, false)
	live(e, 2)
	veras, ottos := frame(e, w.Origin()+"/pods"), frame(e, w.Origin()+"/configmaps")
	stage.Is(veras, user, vera.Name)
	stage.Is(ottos, user, otto.Name)
	for _, f := range []stage.Eyes{veras, ottos} {
		if got := stage.Now[int](f, `watchglass.inspect().then(i => i.pages.length)`); got != 1 { // at no time have they one worker
			t.Errorf("%d pages share the worker of one user", got)
		}
	}
	stage.Eval[bool](e, `w0.token = () => "`+otto.Token+`", true`)
	stage.Eval[bool](veras, `globalThis.isVeras = true, setTimeout(() => watchglassSession.renew(true).catch(() => {}), 3100), true`)
	veras.Await(`globalThis.watchglassSession?.user === "` + otto.Name + `"`)
	if stage.Now[bool](veras, `globalThis.isVeras === true`) {
		t.Error("the page that vera's data are on goes on as otto's")
	}
	live(e, 2)
}

// TestLateToken checks an element whose function answers after the time in which an earlier request for a token,
// long since answered, would have failed.
func TestLateToken(t *testing.T) {
	p := newPortal(t)
	w := serve(t, p.origin)
	p.shows(w.Origin(), element("w0", w.Origin(), "pods", `"`+vera.Token+`"`))
	e := p.visit(t, false)
	live(e, 1)
	f := frame(e, w.Origin()+"/pods")
	stage.Eval[bool](e, `w0.token = () => new Promise((done) => setTimeout(done, 28_000, "`+vera.Token+`")), true`)
	stage.Eval[bool](f, `setTimeout(() => watchglassSession.renew(true).then(() => (globalThis.isRenewed = true)), 3100), true`) // earlier, it counts as just renewed
	f.Await(`globalThis.isRenewed === true`)
}

// TestLeft checks frames whose user has signed out: no data is on screen, and no frame that comes
// later has their session, unless its element gives a token.
func TestLeft(t *testing.T) {
	p := newPortal(t)
	w := serve(t, p.origin)
	p.shows(w.Origin(), element("w0", w.Origin(), "pods", `"`+vera.Token+`"`)+element("w1", w.Origin(), "configmaps", `"`+vera.Token+`"`))
	e := p.visit(t, false)
	live(e, 2)
	one, other := frame(e, w.Origin()+"/pods"), frame(e, w.Origin()+"/configmaps")
	stage.Eval[bool](one, `watchglassSession.signOut().catch(() => {}), true`)
	for _, f := range []stage.Eyes{one, other} {
		f.Says(".crash", "Signed out")
		if stage.Now[bool](f, `document.querySelector(".shell").checkVisibility()`) {
			t.Error("the data of the user who has signed out is on screen")
		}
	}
	stage.Eval[bool](e, `(() => {
		const late = document.createElement("watch-glass");
		Object.assign(late, { id: "late", src: "`+w.Origin()+`", resource: "namespaces", token: () => { throw new Error("nobody is signed in"); } });
		hear(late);
		document.querySelector("main").append(late);
		return true;
	})()`)
	e.Await(`heard.some(h => h.id === "late" && h.type === "error" && h.code === "stopped" && h.message.includes("nobody is signed in"))`)
}

// TestWithoutToken checks what a page on the same site learns about what the user of a cookie may
// read: it chooses the filter, so it must not learn how many rows match. No message of it opens the
// page in the form with sidebar and sign-out, or ends the worker.
func TestWithoutToken(t *testing.T) {
	p := newPortal(t)
	w := serve(t, p.URL) // 127.0.0.1, as the proxy
	p.page = `<!doctype html><html lang="en"><title>Docs</title><iframe title="Pods" width="900" height="300"></iframe><script>
		const told = [], host = new MessageChannel();
		host.port1.onmessage = ({ data }) => told.push(data);
		addEventListener("message", ({ source }) => source.postMessage({ watchglass: "host" }, "*", [host.port2]));
		frames[0].location = "` + w.Origin() + `/pods?embed=list&hosted=1&q=status:Running";
	</script>`
	tab, err := stage.Chrome.NewTab()
	if err != nil {
		t.Fatal(err)
	}
	e := stage.Watch(t, tab, "401")
	e.Must(e.Open(w.At("/pods")))
	e.SignIn(vera.Token)
	e.AwaitState("live")
	e.Must(e.Open(p.URL))
	e.Await(`told.some(m => m.type === "state" && m.detail.state === "live")`)
	stage.Eval[bool](e, `host.port1.postMessage({ type: "go", path: "/configmaps", query: "" }), true`)
	f := frame(e, w.Origin())
	f.Await(`location.pathname === "/configmaps"`)
	f.AwaitState("live")
	if stage.Now[bool](f, `!!document.querySelector(".rail, .facets, #who")`) {
		t.Error("a message made it the whole page")
	}
	if got := stage.Now[string](e, `JSON.stringify(told.filter(m => !["ready", "state"].includes(m.type) || Object.keys(m.detail ?? {}).some(k => !["state", "since", "version"].includes(k))))`); got != "[]" {
		t.Errorf("without a click it tells %s", got)
	}
}

// TestAddressOfElement checks addresses of Watchglass that a portal may put together from others'
// words: none makes the element frame another origin.
func TestAddressOfElement(t *testing.T) {
	p := newPortal(t)
	w := serve(t, p.origin)
	p.shows(w.Origin(), `<watch-glass id="w0"></watch-glass>`)
	e := p.visit(t, false, "400", "404", "frame-ancestors", "Refused to", "violates", "X-Frame-Options")
	e.Await(`!!customElements.get("watch-glass")`)
	for _, path := range []string{"//evil.example", "//evil.example/x", "/\\evil.example", "/@evil.example", "/..//evil.example", "?x#//evil.example"} {
		if got := stage.Now[string](e, `(w0.src = "`+w.Origin()+strings.ReplaceAll(path, `\`, `\\`)+`", new URL(w0.shadowRoot.querySelector("iframe").src).origin)`); got != w.Origin() {
			t.Errorf("%s: it frames %s", path, got)
		}
	}
	for _, src := range []string{"javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "about:blank"} {
		if got := stage.Now[bool](e, `(w0.src = "`+src+`", !!w0.shadowRoot.querySelector("iframe, a"))`); got {
			t.Errorf("%s: it frames it, or links to it", src)
		}
	}
}
