package problems

import (
	"testing"

	"watchglass/e2e/cluster"
	"watchglass/e2e/stage"
)

// TestFewRights shows a user who may read only the pods of a namespace what is wrong with them, and
// what may not be read. Nothing says that all is well, with or without a row.
func TestFewRights(t *testing.T) {
	p := place{t.Context(), stage.Namespace(t)}
	user := stage.Someone(t)
	stage.Grant(t, user, p.name, stage.Reads, "pods")
	must(t, p.create(pod("bad", cluster.ImagePull)+well))
	proxy := stage.ServeTo(t, user, p.name)
	const denial = `Failed to load resource|forbidden`
	for _, path := range []string{"/", "/problems"} {
		e := stage.Open(t, proxy.At(path), denial)
		awaitKey(e, p.text("pods/NS/bad/ImagePullBackOff"), true)
		e.Says(".banner[data-tone=note]", "Incomplete", "no permission to list", "Deployments", "Nodes")
		must(t, setFault("Pod/bad", "")(p))
		awaitKey(e, p.text("pods/NS/bad/ImagePullBackOff"), false)
		e.Says("main", "No problems found so far", "no permission to list")
		if path == "/" {
			e.Says(".totals", "No permission to list nodes")
		}
		e.Keep("few")
		must(t, p.remove("Pod/bad"))
		stage.WaitFor(t, "the pod is gone", func() bool { return p.create(pod("bad", cluster.ImagePull)) == nil })
	}
}

// awaitKey waits until there is a row, or no longer.
func awaitKey(e stage.Eyes, key string, want bool) {
	e.T.Helper()
	e.Await(`"watchglass" in globalThis`)
	stage.WaitFor(e.T, key, func() bool { _, there := problems(e)[key]; return there == want })
}
