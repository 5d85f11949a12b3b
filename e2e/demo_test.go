package e2e

import (
	"fmt"
	"testing"

	"watchglass/e2e/proxy"
)

// TestDemo opens the demo cluster: the top line says what it is, its pods are
// there and live, and so is its custom kind.
func TestDemo(t *testing.T) {
	p := serve(t, proxy.Options{Args: []string{"--demo", "--demo-seed", "5"}})
	e := synced(t, p.At("/pods"))
	e.await(`document.querySelector("header").textContent.includes("demo cluster")`)
	first := e.source()
	if first.Objects < 300 {
		t.Errorf("%d pods", first.Objects)
	}
	e.await(fmt.Sprintf(`watchglass.inspect().then(i => i.sources[0].resourceVersion !== %q)`, first.Version))
	databases := synced(t, p.At("/databases.data.example.com"))
	databases.await(`document.body.textContent.includes("-db")`)
	e.state("live")
	e.keep("demo")
	if s := e.source(); s.Relists > 0 {
		t.Errorf("%d relists", s.Relists)
	}
}
