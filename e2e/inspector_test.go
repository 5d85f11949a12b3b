package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// TestInspector opens the inspector from the help: a source has a row with charts, which fits into
// a window of 1280 px, a proxy that is restarted raises its resumes, and the copied text has the figures
// and no names.
func TestInspector(t *testing.T) {
	p := stage.Serve(t, proxy.Options{})
	e := synced(t, p.At("/pods"), lostSocket)
	stage.Eval[bool](e, `(navigator.clipboard.writeText = t => { window.copied = t; return Promise.resolve() }, true)`)
	e.Press("?")
	e.Await(`!!document.querySelector("#help [data-action=inspector]")`)
	e.Click("#help [data-action=inspector]")
	cell := func(column string) string {
		return `[...document.querySelectorAll(".sources [data-source=pods] > *")][[...document.querySelectorAll(".sources thead th")].findIndex(h => h.innerText === "` + column + `")]?.innerText.trim()`
	}
	e.Await(cell("State") + ` === "live"`)
	e.Await(`document.querySelectorAll(".sources [data-source=pods] .spark path").length === 11`)
	e.Must(e.Resize(1280, 800))
	e.Await(`(b => b.clientWidth < 1280 && b.scrollWidth <= b.clientWidth)(document.querySelector("#inspector"))`)
	e.Await(cell("Resumes") + ` === "0"`)
	e.Await(`[...document.querySelectorAll(".sources [data-source=pods] td")].some(c => c.title.startsWith("namespace: "))`)
	e.Axe(stage.AxeSource(t))
	e.Must(p.Kill())
	e.Must(p.Start(t.Context()))
	e.Await(cell("Resumes") + ` === "1"`)
	e.Click("[data-action=copy-inspector]")
	text := stage.AwaitValue(e, `window.copied ?? ""`, func(text string) bool { return strings.Contains(text, "\npods\t") })
	if strings.Contains(text, p.Port()) || strings.Contains(text, p.Token()) {
		t.Errorf("copied:\n%s", text)
	}
	e.Press(kb.Escape)
	e.Await(`!document.querySelector(".inspector")`)
}
