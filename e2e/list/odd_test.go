package list

import (
	"testing"

	"watchglass/e2e/stage"
)

// TestOddScripts has a page and its scripts do what browsers, extensions and careless scripts do: send keydown events without
// a key, throw in a listener, and give what JSON has no word for. The page goes on.
func TestOddScripts(t *testing.T) {
	e := stage.Synced(t, page.Proxy(t).At("/pods"), `watchglass\.on`)
	for _, script := range []string{
		`document.activeElement.dispatchEvent(new Event("keydown", {bubbles: true}))`,
		`document.dispatchEvent(new Event("keydown", {bubbles: true}))`,
		`document.dispatchEvent(new KeyboardEvent("keydown", {key: "q"}))`,
		`watchglass.on("select", s => s.no.such)`,
		`watchglass.on("select")`,
		`watchglass.rows(1n).then(() => { throw 1 }, () => {})`,
	} {
		stage.Eval[bool](e, `(() => { `+script+`; return true })()`)
	}
	e.Press("j")
	e.Await(`document.querySelector(".grid .row.active")`)
	e.AwaitState("live")
	if !stage.Eval[bool](e, `watchglass.rows({offset: 0, limit: 1}).then(r => r.total > 0)`) {
		t.Error("scripts get no rows any more")
	}
}
