package problems

import (
	"net/http"
	"testing"

	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// TestFewRights shows a user who may read only the pods of a namespace what is wrong with them, and
// what may not be read. Nothing says that all is well, with or without a row.
func TestFewRights(t *testing.T) {
	p := place{t.Context(), stage.Namespace(t)}
	user := stage.Someone(t)
	stage.Grant(t, user, p.name, stage.Reads, "pods")
	must(t, p.create(well))
	proxy := stage.ServeTo(t, user, p.name)
	const denial = `Failed to load resource|forbidden`
	for name, path := range map[string]string{"bad": "/", "worse": "/problems"} { // a name used again may get the status of the pod before it
		must(t, p.create(pod(name, cluster.ImagePull)))
		e := stage.Open(t, proxy.At(path), denial)
		awaitKey(e, p.text("pods/NS/"+name+"/ImagePullBackOff"), true)
		e.Says(".banner[data-tone=note]", "Incomplete", "no permission to list", "Deployments", "Nodes")
		must(t, setFault("Pod/"+name, "")(p))
		awaitKey(e, p.text("pods/NS/"+name+"/ImagePullBackOff"), false)
		e.Says("main", "No problems found so far", "no permission to list")
		if path == "/" {
			e.Says(".totals", "No permission to list nodes")
		}
		e.Keep("few")
	}
}

// TestOneNamespaceRead shows a user who may list no pods of the whole cluster that the problems are those
// of one namespace, and reads another one once the address names it.
func TestOneNamespaceRead(t *testing.T) {
	own, p := stage.Namespace(t), place{t.Context(), stage.Namespace(t)}
	user := stage.Someone(t)
	stage.Grant(t, user, "", stage.Reads, "nodes", "namespaces", "persistentvolumes")
	for _, ns := range []string{own, p.name} {
		stage.Grant(t, user, ns, stage.Reads, "*")
	}
	must(t, p.create(pod("bad", cluster.ImagePull)+well))
	proxy := stage.ServeTo(t, user, own)
	for _, path := range []string{"/", "/problems"} {
		e := stage.Open(t, proxy.At(path), `Failed to load resource|forbidden`)
		e.Says("main", "No problems found so far", "Pods", "only "+own+" could be read")
		e.Await(`document.getElementById("find").placeholder.startsWith("Find or add")`)
		if path == "/" {
			e.Says(".totals", "of 0 in "+own)
		}
		e.Must(e.Open(proxy.At(path + "?n=" + p.name)))
		awaitKey(e, p.text("pods/NS/bad/ImagePullBackOff"), true)
		e.Says(".banner[data-tone=note]", "Incomplete", own, p.name)
	}
}

// TestFailingList keeps the rows while one list cannot be read, and names that list.
func TestFailingList(t *testing.T) {
	p := place{t.Context(), stage.Namespace(t)}
	must(t, p.create(pod("bad", cluster.ImagePull)+well))
	proxy := stage.Serve(t, proxy.Options{Kubeconfig: stage.Refusing(t, "poddisruptionbudgets", http.StatusInternalServerError)})
	for _, path := range []string{"/", "/problems"} {
		e := stage.Open(t, proxy.At(path))
		awaitKey(e, p.text("pods/NS/bad/ImagePullBackOff"), true)
		e.Says(".banner[data-tone=note]", "Incomplete", "PDBs: can't be listed.")
		e.AwaitState("live")
	}
}

// TestFilterUnknown checks that nothing is said to match, or not to, while the list that a filter rests on
// cannot be read.
func TestFilterUnknown(t *testing.T) {
	p := place{t.Context(), stage.Namespace(t)}
	must(t, p.create(`{kind: Service, apiVersion: v1, metadata: {name: web, namespace: NS}, spec: {selector: {app: web}, ports: [{port: 80}]}}`))
	for _, c := range []struct {
		refused    string
		code       int
		path, says string
		queries    []string
	}{
		{"pods", http.StatusForbidden, "/nodes", "Pods: no permission to list", []string{"requested>10%25", "pods<1000"}},
		{"pods", http.StatusInternalServerError, "/nodes", "Pods: can't be listed", []string{"requested>10%25"}},
		{"endpointslices", http.StatusForbidden, "/services", "EndpointSlices: no permission to list", []string{"endpoints=0", "endpoints>0"}},
	} {
		proxy := stage.Serve(t, proxy.Options{Kubeconfig: stage.Refusing(t, c.refused, c.code)})
		e := stage.Synced(t, proxy.At(c.path))
		for _, q := range c.queries {
			e.Must(e.Open(proxy.At(c.path + "?q=" + q)))
			e.Says(".panel", "Matches unknown", c.says, "refused for a test")
			e.AwaitState("live")
		}
	}
}

// awaitKey waits until there is a row, or no longer.
func awaitKey(e stage.Eyes, key string, want bool) {
	e.T.Helper()
	e.Await(`"watchglass" in globalThis && watchglass.rows({offset: 0, limit: 1}).then(() => true, () => false)`) // it refuses until something has loaded
	stage.WaitFor(e.T, key, func() bool { _, there := problems(e)[key]; return there == want })
}
