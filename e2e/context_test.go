package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"watchglass/e2e/browser"
	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// TestContext goes to another context of the kubeconfig by its name: the page begins
// anew as that context's user, with that user's rights, and Back leads to the first.
func TestContext(t *testing.T) {
	nina := stage.Someone(t)
	stage.Grant(t, nina, "checkout", stage.Reads, "pods")
	first := stage.Kubeconfig(t, cluster.Admin(), cluster.KubeconfigOptions{})
	other := stage.Kubeconfig(t, nina, cluster.KubeconfigOptions{Namespace: "checkout"})
	p := stage.Serve(t, proxy.Options{Kubeconfig: first + ":" + other})
	e := synced(t, p.At("/pods?n=orders&sort=Name"), "Page entered Back-Forward Cache")
	all := podsIn(t, "orders")
	e.AwaitCount(all)
	e.Must(e.Click(".who .context"))
	e.Await(`document.activeElement.id === "palette-text" && document.querySelectorAll(".offer").length === 1`)
	e.Axe(stage.AxeSource(t))
	e.Keep("offers")
	e.Press(kb.Enter)
	e.Await(`new URLSearchParams(location.search).get("c") !== null && document.documentElement.dataset.state === "live"`)
	e.AwaitQuery("sort", "Name")
	e.AwaitQuery("n", "") // namespaces are the other cluster's, and the order is not
	e.Await(`document.querySelector(".who").innerText.includes("as ` + nina.Name + `")`)
	for _, r := range stage.Now[browser.Rows](e, browser.AllRows).Rows { // at no time has she others
		if !strings.HasPrefix(r.Key, "checkout/") {
			t.Errorf("%s shows %s", nina.Name, r.Key)
		}
	}
	stage.Eval[bool](e, `(setTimeout(() => history.back()), true)`)
	e.Await(`document.querySelector(".who").innerText.includes("as admin") && document.documentElement.dataset.state === "live"`)
	e.AwaitCount(all)
	lost := open(t, p.At("/pods?c=nowhere"))
	lost.Says(".crash h1", "Open context nowhere?")
	lost.Keep("asked")
	lost.Must(lost.Click(".crash button"))
	lost.Await(`document.querySelector(".panel .said")?.innerText.includes("nowhere")`)
	lost.Keep("nowhere")
	lost.Must(lost.Click(".panel .way"))
	lost.Await(`document.activeElement.id === "palette-text" && document.querySelectorAll(".offer").length === 2`)
}
