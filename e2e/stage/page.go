package stage

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"watchglass/e2e/browser"
	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
)

// Page is a page, and the proxy that serves it, which the tests of a package use one after the other. To open a page
// for each of them costs more than most tests do: a process, a profile, and compiling WebAssembly.
//
// A test finds the page as if it were new: at the test's address, in the first of Looks, with nothing stored, no dialog
// open, and the focus on the list. If the test before it failed or stored something, the page is new, in another profile.
// What the worker holds stays, such as lists and history, and so does what a script has changed in the page. A test which
// that disturbs opens a tab of its own, served by Proxy.
type Page struct {
	User cluster.User // default: the admin
	Args []string     // further flags of the proxy

	proxy *proxy.Proxy
	tab   *browser.Tab
}

// pages are those whose proxy has started.
var pages []*Page

// Proxy returns the page's proxy, which it starts if need be. It ends with the package's tests.
func (p *Page) Proxy(t *testing.T) *proxy.Proxy {
	t.Helper()
	if p.proxy != nil {
		return p.proxy
	}
	if p.User.Name == "" {
		p.User = cluster.Admin()
	}
	own := filepath.Join(Cluster.Dir(), fmt.Sprint("kubeconfig-of-page-", len(pages))) // a proxy notices when its file is written again
	kubeconfig, err := Cluster.Kubeconfig(p.User, cluster.KubeconfigOptions{Path: own})
	if err == nil {
		p.proxy, err = proxy.Start(t.Context(), proxy.Options{Kubeconfig: kubeconfig, Args: p.Args})
	}
	if err != nil {
		t.Fatal(err)
	}
	pages = append(pages, p)
	return p.proxy
}

// Open shows an address in the page. Nothing may be written to its console from then on, also while it loads, but what
// matches one of the patterns.
func (p *Page) Open(t *testing.T, address string, allowed ...string) Eyes {
	t.Helper()
	served := p.Proxy(t)
	t.Cleanup(func() { // also if it does not open, or does not answer
		if t.Failed() && p.tab != nil {
			t.Logf("the proxy said:\n%s", served.Stderr())
			p.close()
		}
	})
	if p.tab != nil && !Now[bool](Eyes{p.tab, t}, untouched) {
		p.close()
	}
	loaded := p.tab != nil
	if !loaded {
		tab, err := Chrome.NewTab()
		if err != nil {
			t.Fatal(err)
		}
		p.tab = tab
	}
	e, written := Eyes{p.tab, t}, len(p.tab.Console())
	t.Cleanup(func() { e.finish(written, allowed) })
	if !loaded {
		e.Must(p.tab.Listen())
		e.At(Looks[0])
		e.Must(p.tab.Open(served.At(address)))
		return e
	}
	e.At(Looks[0])
	e.GoTo(elsewhere(address))
	e.GoTo(address)
	return e
}

// elsewhere is the address of a list of another kind than an address shows. Going there ends what the page keeps as long as
// the kind stays: a pause, the row that is marked, and how far the list is scrolled.
func elsewhere(address string) string {
	if strings.HasPrefix(address, "/namespaces") {
		return "/nodes"
	}
	return "/namespaces"
}

// Synced shows an address in the page, and waits until its list is whole and live.
func (p *Page) Synced(t *testing.T, address string, allowed ...string) Eyes {
	t.Helper()
	e := p.Open(t, address, allowed...)
	e.awaitList()
	return e
}

// Visit goes to another address within the page, and waits until its list is whole and live.
func (e Eyes) Visit(address string) {
	e.T.Helper()
	e.GoTo(address)
	e.awaitList()
}

func (e Eyes) awaitList() {
	e.T.Helper()
	e.AwaitState("live")
	e.Await(`document.getElementById("grid").getAttribute("aria-busy") !== "true"`)
}

func (p *Page) close() {
	p.tab.Close()
	p.tab = nil
}

// untouched puts the focus on the list. It returns whether the page needs no more than another address to be as if it were
// new. Who is signed in is always stored.
const untouched = `(() => {
	document.activeElement?.blur();
	document.getElementById("grid").focus();
	return Object.keys(localStorage).every(key => key.startsWith("watchglass:session:")) &&
		!document.querySelector("[aria-modal=true], .popover:not([hidden]), .drawer [data-action=full][aria-pressed=true]");
})()`

// closePages ends the proxies of all pages. The tabs end with the browser.
func closePages() (err error) {
	for _, p := range pages {
		err = errors.Join(err, p.proxy.Close())
	}
	return err
}
