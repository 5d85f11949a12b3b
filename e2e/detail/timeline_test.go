package detail

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"watchglass/e2e/stage"
)

// TestTimeline sees a restart in the histogram above the pods, in the timeline view and in the tab of
// the pod, and narrows the time by keys and by the pointer.
func TestTimeline(t *testing.T) {
	ns := stage.Namespace(t)
	pod := stage.Create(t, ns, "web")
	stage.SetStatus(t, pod, stage.Running(0))
	e := synced(t, page.Proxy(t).At("/pods?n="+ns)) // whose history begins here
	e.AwaitCell(ns+"/web", "Restarts", "0")
	stage.SetStatus(t, pod, stage.Running(2))
	e.AwaitCell(ns+"/web", "Restarts", "2")

	// Above the list, 48 px high.
	const bars, lanes = `document.querySelector("#timeline-histogram")`, `document.querySelector("#timeline-lanes")`
	e.Press("B")
	e.Await(bars + `?.getAttribute("aria-valuetext").includes("1 restart")`)
	e.Await(`Math.abs(document.querySelector(".timeline").getBoundingClientRect().height - 48) <= 1`)
	e.Axe(stage.AxeSource(t))
	e.Press("B")
	e.Await(`!` + bars)

	// The timeline view.
	e.Press("T")
	e.Await(`location.pathname === "/timeline" && new URLSearchParams(location.search).get("n") === ` + `"` + ns + `"`)
	e.Await(lanes + ` && [...document.querySelectorAll(".grid [data-column=What]")].some(c => c.textContent === "restarted")`)
	e.KeepLooks("timeline")
	e.Axe(stage.AxeSource(t))
	const narrowed, whole = `/[?&]tfrom=.*&tto=/.test(location.search)`, `!/[?&]t(from|to)=/.test(location.search)`
	stage.Eval[any](e, bars+`.focus()`)
	e.Press(kb.ArrowLeft, kb.ArrowLeft, kb.Enter)
	e.Await(narrowed)
	e.Await(`document.querySelector(".timeline .term:not([hidden])")`)
	stage.Eval[any](e, bars+`.focus()`)
	e.Press(kb.Escape)
	e.Await(whole)
	e.Await(bars)
	e.Must(e.Drag("#timeline-histogram", stage.Eval[float64](e, bars+`.getBoundingClientRect().width / 4`)))
	e.Await(narrowed)
	e.Await(`document.querySelector(".timeline .term:not([hidden])")`)
	e.Must(e.Click(".timeline .term"))
	e.Await(whole)

	// One class alone, by its chip.
	e.Must(e.Click(`.legend [data-look=restarted]`))
	e.AwaitQuery("q", "what:restarted")
	e.AwaitCount(1)
	e.Must(e.Click(`.legend [data-look=restarted]`))
	e.Await(`!/[?&]q=/.test(location.search)`)

	// A mark opens its pod, whose tab lists the entry.
	e.Await(lanes)
	e.Must(e.Click(`.legend [data-look=restarted]`))
	e.AwaitQuery("q", "what:restarted")
	stage.Eval[any](e, lanes+`.focus()`)
	e.Press(kb.ArrowLeft)
	e.Await(lanes + `.getAttribute("aria-valuetext").includes("web")`)
	e.Press(kb.Enter)
	e.Await(`/[?&]sel=.*web/.test(location.search)`)
	e.Press("9")
	e.Await(`/[?&]tab=timeline/.test(location.search)`)
	e.Await(`[...document.querySelectorAll(".entries li")].some(l => l.querySelector("[title=restart]"))`)
	e.Axe(stage.AxeSource(t))
	e.KeepLooks("tab")
}
