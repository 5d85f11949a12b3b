package embed

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"watchglass/e2e/browser"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// portal serves a page of another site, which embeds Watchglass.
type portal struct {
	*httptest.Server
	origin string
	page   string
	shown  map[string]string // other texts, by path
}

// newPortal starts a portal. Its name is localhost: to browsers that is another site than the
// address of the proxy.
func newPortal(t *testing.T) *portal {
	t.Helper()
	p := new(portal)
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if text, ok := p.shown[r.URL.Path]; ok {
			fmt.Fprint(w, text)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, p.page)
	}))
	t.Cleanup(p.Close)
	p.origin = strings.Replace(p.URL, "127.0.0.1", "localhost", 1)
	return p
}

// shows has the portal serve a page: the body, after a script that loads the element and notes its
// events.
func (p *portal) shows(watchglass, body string) {
	p.page = `<!doctype html><html lang="en"><title>Portal</title>
<script type="module" src="` + watchglass + `/-/embed/watch-glass.js"></script>
<script>
	const heard = [];
	const hear = (el) => { for (const type of ["ready", "state", "select", "navigate", "error"]) el.addEventListener(type, (e) => heard.push({ type, id: el.id, ...e.detail })); };
</script>
<main><h1>Portal</h1>` + body + `</main>`
}

// serve starts a proxy to which users bring tokens, and which lets a portal embed it.
func serve(t *testing.T, embedders ...string) *proxy.Proxy {
	t.Helper()
	listen := stage.FreePort(t)
	args := []string{"--auth", "token", "--public-url", "http://" + listen, "-v"}
	for _, origin := range embedders {
		args = append(args, "--embed-origin", origin)
	}
	return stage.Serve(t, proxy.Options{Listen: listen, Args: args})
}

// visit opens the portal's page in a browser of its own, which may block third-party cookies.
func (p *portal) visit(t *testing.T, blocks bool, allowed ...string) stage.Eyes {
	t.Helper()
	chrome := stage.Chrome
	if blocks {
		var err error
		if chrome, err = browser.Start(context.WithoutCancel(t.Context()), "test-third-party-cookie-phaseout"); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = chrome.Stop() })
	}
	tab, err := chrome.NewTab()
	if err != nil {
		t.Fatal(err)
	}
	e := stage.Watch(t, tab, allowed...)
	e.Must(e.Open(p.origin))
	return e
}
