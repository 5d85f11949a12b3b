package tabs

import (
	"net"
	"net/http/httputil"
	"slices"
	"strings"
	"testing"

	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// TestPlainHTTP opens the page at a name over plain HTTP. Browsers have no private files, no cryptography and no
// locks there, so the tab has a worker of its own, and each visit begins with a list. Who wants history on disk
// is told why there is none.
func TestPlainHTTP(t *testing.T) {
	const name = "watchglass.example"
	tab, _ := stage.OwnProfile(t, "host-resolver-rules=MAP "+name+" 127.0.0.1")
	g := &gate{}
	kubeconfig := stage.Between(t, func(p *httputil.ReverseProxy) { g.RoundTripper, p.Transport = p.Transport, g })
	listen := stage.FreePort(t)
	_, port, err := net.SplitHostPort(listen)
	if err != nil {
		t.Fatal(err)
	}
	p := stage.Serve(t, proxy.Options{Kubeconfig: kubeconfig, Listen: listen, Args: []string{"--host", net.JoinHostPort(name, port)}})
	at := strings.Replace(p.At("/pods"), "127.0.0.1", name, 1)

	e := stage.Watch(t, tab, "Cross-Origin-Opener-Policy", "origin-keyed")
	for range 2 {
		g.set(false, false)
		e.Must(tab.Open(at))
		e.AwaitState("live")
		e.AwaitCount(podsSeeded)
		if asked := g.listed(); !slices.Equal(asked, []string{"watch-list"}) {
			t.Errorf("asked %q", asked)
		}
		if has := stage.Now[[]bool](e, `[isSecureContext, !!navigator.storage, !!crypto.subtle]`); slices.Contains(has, true) {
			t.Fatalf("a browser that has what it should lack: %v", has)
		}
		stage.Is(e, `watchglass.inspect().then((i) => i.worker.shared)`, false) // pages have no locks
		e.Must(e.Open("about:blank"))
		e.Await(`location.href === "about:blank"`)
	}

	e.Must(tab.Open(at))
	e.AwaitState("live")
	e.Must(e.Click("#view-menu"))
	e.Must(e.Click(`#view-popover [data-action=disk]`))
	e.Says("#notice", "browsers offer private storage (OPFS) only over HTTPS. It continues in memory.")
	stage.Create(t, stage.Namespace(t), "after")
	e.AwaitCount(podsSeeded + 1)
}
