package detail

import (
	"strconv"
	"testing"

	"watchglass/e2e/stage"
)

// TestCountsOfScope (14) opens what belongs to an object, for which lists of its
// namespace are held: every count in the rail is of the whole cluster all the same, as
// long as the tab is open and after that.
func TestCountsOfScope(t *testing.T) {
	f, _ := found(t)
	e := synced(t, page.Proxy(t).At("/deployments.apps?sel="+f.ns+"/web&tab=related"))
	right := func(when string) {
		t.Helper()
		const counts = `Object.fromEntries([...document.querySelectorAll(".rail .item")].map(a => [a.dataset.value, a.querySelector(".number").textContent]).filter(([, n]) => n))`
		told := stage.Eval[map[string]string](e, counts)
		for kind, n := range told {
			if all := len(stage.Kubectl(t, "get", kind, "-A", "--no-headers", "--ignore-not-found")); n != strconv.Itoa(all) {
				t.Errorf("%s, the rail counts %s %s, and kubectl %d", when, n, kind, all)
			}
		}
		if len(told) == 0 {
			t.Errorf("%s, the rail counts nothing", when)
		}
	}
	e.awaitSame(f, called("Deployment", f.ns, "web"))
	if held := len(e.Inspect().Sources); held < 5 {
		t.Fatalf("%d lists are held: that shows nothing", held)
	}
	e.Keep("open")
	right("while it is open")
	e.Must(e.Click("[data-action=close]"))
	e.Await(`document.querySelector(".drawer").hidden`)
	right("when it is closed")
}
