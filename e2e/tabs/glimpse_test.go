package tabs

import (
	"fmt"
	"testing"

	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// holdsProgram keeps the page's program from running until compile is called, and counts the glimpses that
// were to be shown.
const holdsProgram = `{
	const compile = WebAssembly.compileStreaming;
	WebAssembly.compileStreaming = async (...from) => (await new Promise(go => globalThis.compile = go), compile.apply(WebAssembly, from));
	let glimpse;
	globalThis.glimpses = 0;
	Object.defineProperty(globalThis, "watchglassGlimpse", { get: () => glimpse, set: now => {
		const show = (glimpse = now).show;
		if (show) now.show = bytes => (show(bytes), globalThis.glimpses++);
	} });
}`

// inGlimpse is an expression with the glimpse's shadow tree for its root.
func inGlimpse(expression string) string {
	return fmt.Sprintf(`(root => !!root && %s)(document.querySelector(".glimpse")?.shadowRoot)`, expression)
}

// TestGlimpse comes back to a list: what it looked like is there before the program runs, marked with its
// time and out of reach of everything else on the page, and it goes with the program's first rows. An address
// with another list does not show it, nor does a page of another width.
func TestGlimpse(t *testing.T) {
	tab, _ := stage.OwnProfile(t)
	p := stage.Serve(t, proxy.Options{})
	stage.Create(t, stage.Namespace(t), "seen-last-time")
	query := "?q=" + "seen-last"

	e := stage.Watch(t, tab)
	e.Must(tab.Open(p.At("/pods" + query)))
	e.AwaitState("live")
	e.AwaitCount(1)
	awaitSaved(e, "pods")
	sees := e.Text(".rail") + e.Text(".search")
	leave(e, "pods")

	e.Must(tab.First(holdsProgram))
	e.Must(tab.Open(p.At("/pods" + query)))
	e.Await(`globalThis.glimpses === 1`)
	e.Await(inGlimpse(`/^As of .*\d\d:\d\d/.test(root.querySelector(".badge").innerText)`))
	e.Await(inGlimpse(`[...root.querySelectorAll(".grid .row")].filter(row => row.innerText.includes("seen-last-time")).length === 1`))
	stage.Is(e, inGlimpse(`root.querySelector(".rail").innerText + root.querySelector(".search").innerText`), sees)
	e.Await(`!document.querySelector(".grid, .row, #badge") && document.elementFromPoint(300, 300).matches(".glimpse") && document.querySelector(".glimpse").ariaHidden === "true"`)
	e.KeepLooks("glimpse")
	e.Await(`compile(), true`)
	e.AwaitState("live")
	e.AwaitCount(1)
	e.Await(`!document.querySelector(".glimpse")`)

	leave(e, "pods")
	e.Must(tab.Open(p.At("/pods")))
	e.Await(`globalThis.glimpses === 1`)
	e.Await(`!document.querySelector(".glimpse")`)

	e.Must(tab.Resize(1000, 900))
	e.Must(tab.Open(p.At("/pods" + query)))
	e.Await(`globalThis.glimpses === 1`)
	e.Await(`!document.querySelector(".glimpse")`)
}
