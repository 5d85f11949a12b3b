package embed

import (
	"fmt"
	"testing"

	"watchglass/e2e/stage"
)

// TestElement checks that a portal of another site shows a list, signed in with its own token.
func TestElement(t *testing.T) {
	p := newPortal(t)
	w := serve(t, p.origin)
	p.shows(w.Origin(), fmt.Sprintf(`<watch-glass id="pods" src="%s" resource="pods" label="Pods of the shop"></watch-glass>
<script>const el = document.querySelector("#pods"); hear(el); el.token = () => %q;</script>`, w.Origin(), vera.Token))
	e := p.visit(t)
	defer e.Keep("list")
	defer func() { t.Log(stage.Eval[string](e, `JSON.stringify(heard)`)) }()
	e.Await(`heard.some(h => h.type === "state" && h.state === "live")`)
	t.Log(stage.Eval[string](e, `JSON.stringify(heard)`))
}
