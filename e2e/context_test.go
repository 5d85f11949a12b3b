package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
)

// TestContext goes to another context of the kubeconfig by its name: the page begins
// anew as that context's user, with that user's rights, and Back leads to the first.
func TestContext(t *testing.T) {
	nina := someone(t)
	grant(t, nina, "checkout", reads, "pods")
	first := kubeconfig(t, cluster.Admin(), cluster.KubeconfigOptions{})
	other := kubeconfig(t, nina, cluster.KubeconfigOptions{Namespace: "checkout"})
	p := serve(t, proxy.Options{Kubeconfig: first + ":" + other})
	e := synced(t, p.At("/pods?n=orders&sort=Name"), "Page entered Back-Forward Cache")
	all := e.rows().Total
	e.must(e.Click(".who .context"))
	e.await(`document.activeElement.id === "palette-text" && document.querySelectorAll(".offer").length === 1`)
	e.axe(axeSource(t))
	e.keep("offers")
	e.press(kb.Enter)
	e.await(`new URLSearchParams(location.search).get("c") !== null && document.documentElement.dataset.state === "live"`)
	if search := eval[string](e, `location.search`); strings.Contains(search, "n=") || !strings.Contains(search, "sort=Name") {
		t.Errorf("%s: namespaces are the other cluster's, and the order is not", search)
	}
	e.await(`document.querySelector(".who").innerText.includes("as ` + nina.Name + `")`)
	for _, r := range e.rows().Rows {
		if !strings.HasPrefix(r.Key, "checkout/") {
			t.Errorf("%s shows %s", nina.Name, r.Key)
		}
	}
	eval[bool](e, `history.back(), true`)
	e.await(`document.querySelector(".who").innerText.includes("as admin") && document.documentElement.dataset.state === "live"`)
	if got := e.rows().Total; got != all || all == 0 {
		t.Errorf("there were %d rows, and now there are %d", all, got)
	}
	lost := open(t, p.At("/pods?c=nowhere"))
	lost.await(`document.querySelector(".panel .said")?.innerText.includes("nowhere")`)
	lost.keep("nowhere")
	lost.must(lost.Click(".panel .way"))
	lost.await(`document.activeElement.id === "palette-text" && document.querySelectorAll(".offer").length === 2`)
}
