package detail

import (
	"fmt"
	"net/url"
	"time"

	"github.com/chromedp/chromedp/kb"

	"watchglass/e2e/stage"
)

// histogram draws lines by time, narrows the log by keys and by the pointer, and goes back.
func (n node) histogram() {
	n.runs("times")
	all := make([]string, 20)
	for i := range all {
		all[i] = fmt.Sprintf(`{"level":%q,"msg":"line %d"}`, []string{"info", "info", "warn", "error"}[i%4], i)
	}
	n.writes("times/main", 0, all...)
	n.opensAs("pods", "times", "")
	shows := func(from, to int) {
		n.T.Helper()
		n.Await(fmt.Sprintf(`(l => l.length === %d && l[0].endsWith(" line %d") && l.at(-1).endsWith(" line %d"))(%s)`, to-from+1, from, to, logLines))
	}
	narrowed := func(from, to int) {
		n.T.Helper()
		stamp := func(i int) string { return noon.UTC().Add(time.Duration(i) * time.Second).Format(time.RFC3339) }
		n.Await(fmt.Sprintf(`(q => q.get("from") === %q && q.get("to") === %q)(new URLSearchParams(location.search))`, stamp(from), stamp(to)))
		shows(from, to-1)
	}
	whole := func() {
		n.T.Helper()
		n.Await(`!/[?&](from|to)=/.test(location.search)`)
		shows(0, 19)
	}
	const bars = `document.querySelector("#logs-histogram")`
	clock := func(half int) string {
		return noon.UTC().Add(time.Duration(half) * time.Second / 2).Format("15:04:05.000")
	}
	says := func(from, to int, more string) { // in half seconds, as wide as a bar is
		n.T.Helper()
		n.Await(fmt.Sprintf(bars+`.getAttribute("aria-valuetext") === %q`, clock(from)+" to "+clock(to)+more))
	}
	shows(0, 19)
	n.Await(`Math.abs(document.querySelector(".histogram").getBoundingClientRect().height - 40) <= 1`)
	n.Await(`document.querySelectorAll("#logs-histogram path[d*=M]").length === 3`)

	// By keys: the last bar, two before it, and Enter. Back and Forward, and Esc.
	stage.Eval[any](n, bars+`.focus()`)
	n.Press(kb.ArrowLeft)
	says(38, 39, ": 1 line, 1 error")
	n.Press(kb.ArrowLeft)
	says(37, 38, ": 0 lines")
	for range 9 {
		stage.Eval[any](n, `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowLeft", shiftKey: true, bubbles: true, cancelable: true}))`)
	}
	says(28, 38, ": 5 lines, 1 error, 2 warnings")
	n.KeepLooks("histogram")
	n.Axe(stage.AxeSource(n.T))
	n.Press(kb.Enter)
	narrowed(14, 19)
	n.Await(`document.querySelector(".logs .term:not([hidden])")`)
	n.KeepLooks("narrowed")
	stage.Eval[any](n, `history.back()`)
	whole()
	stage.Eval[any](n, `history.forward()`)
	narrowed(14, 19)
	stage.Eval[any](n, bars+`.focus()`)
	n.Press(kb.Escape)
	whole()

	// By the pointer: from the middle a quarter to the right. The chip takes it back.
	width := stage.Eval[float64](n, bars+`.getBoundingClientRect().width`)
	n.Must(n.Drag("#logs-histogram", width/4))
	n.Await(`/[?&]from=/.test(location.search)`)
	n.Await(`(l => l.length > 3 && l.length < 8 && l[0].endsWith(" line 10"))(` + logLines + `)`)
	n.Must(n.Click(".logs .term"))
	whole()

	// Back takes back a filter and a level, too.
	n.Must(n.Type("#logs-filter", "level:error"))
	n.Await(fmt.Sprintf(`%s.length === 5`, logLines))
	n.Must(n.Click(`[data-action=logs-level][data-value=warn]`))
	n.Await(fmt.Sprintf(`%s.length === 10`, logLines))
	stage.Eval[any](n, `history.back()`)
	n.Await(fmt.Sprintf(`%s.length === 5 && document.querySelector("#logs-filter").value === "level:error"`, logLines))
	stage.Eval[any](n, `history.back()`)
	whole()
	n.Await(`document.querySelector("#logs-filter").value === ""`)

	// A link shows the same time to somebody else, and lines that expand do so by keys.
	at := func(i int) string {
		return url.QueryEscape(noon.UTC().Add(time.Duration(i) * time.Second).Format(time.RFC3339))
	}
	n.writes("times/main", 20, `{"msg":"more","user":"ana"}`)
	n.opensAs("pods", "times", "&from="+at(18)+"&to="+at(21)+"&histogram=false")
	n.Await(`document.querySelector(".histogram").hidden`)
	const code = `document.querySelector("#text .code[aria-expanded]")`
	n.Await(code + `?.getAttribute("aria-expanded") === "false"`)
	n.Await(fmt.Sprintf(`%s.length === 3`, logLines))
	stage.Eval[any](n, code+`.focus()`)
	n.Press(kb.Enter)
	n.Await(code + `.getAttribute("aria-expanded") === "true"`)
	n.Await(fmt.Sprintf(`%s.some(l => /^ *user: ana$/.test(l))`, logLines))
}
