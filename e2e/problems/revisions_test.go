package problems

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"watchglass/e2e/browser"
	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// stored is what has revisions, at its first.
const stored = `
{kind: Deployment, apiVersion: apps/v1, metadata: {name: web, annotations: {kubernetes.io/change-cause: first release}}, spec: {replicas: 4, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {` + app + `}}}}
{kind: StatefulSet, apiVersion: apps/v1, metadata: {name: store}, spec: {replicas: 3, podManagementPolicy: Parallel, serviceName: store, selector: {matchLabels: {app: store}}, template: {metadata: {labels: {app: store}}, spec: {` + app + `}}}}
{kind: DaemonSet, apiVersion: apps/v1, metadata: {name: logs}, spec: {selector: {matchLabels: {app: logs}}, template: {metadata: {labels: {app: logs}}, spec: {` + app + `}}}}
`

// release patches the image, the cause and the fault of the pods.
func release(tag, cause, fault string) string {
	return `{metadata: {annotations: {kubernetes.io/change-cause: ` + cause + `}}, spec: {template: {metadata: {labels: {` + cluster.FaultLabel + `: ` + fault + `}}, spec: {containers: [{name: main, image: "registry.example/app:` + tag + `"}]}}}}`
}

// shownRevisions are the revisions on screen as kubectl prints them, the oldest first.
const shownRevisions = `[...document.querySelectorAll("tr[data-revision]")].reverse().map(r => r.dataset.revision + " " + (r.querySelector(".cause")?.textContent ?? "<none>"))`

// history waits until the page shows the revisions that kubectl prints, and as many as are expected.
func history(e stage.Eyes, ns place, what string, want ...string) {
	e.T.Helper()
	var printed []string
	for _, line := range stage.Kubectl(e.T, "rollout", "history", strings.ToLower(what), "-n", ns.name)[2:] {
		printed = append(printed, strings.Join(strings.Fields(line), " "))
	}
	if !slices.Equal(printed, want) {
		e.T.Errorf("kubectl prints the revisions %q of %s, want %q", printed, what, want)
	}
	stage.Is(e, shownRevisions, printed)
}

// shows opens a tab of an object.
func shows(e stage.Eyes, site *proxy.Proxy, ns place, resource, name, tab string) {
	e.T.Helper()
	e.Must(e.Open(site.At("/" + resource + "?n=" + ns.name + "&sel=" + ns.name + "/" + name + "&tab=" + tab)))
	e.Says(".drawer .name", name)
}

// of is the row of a revision.
func of(number int) string { return fmt.Sprintf(`tr[data-revision="%d"]`, number) }

// TestRevisions shows the revisions of a Deployment as kubectl numbers them, a rollout that is stuck, with
// what it waits for, what changed between two revisions, and a rollback.
func TestRevisions(t *testing.T) {
	ns := place{t.Context(), stage.Namespace(t)}
	create(t, ns, stored)
	must(t, ns.is("Deployment/web", "4", "status", "readyReplicas"))
	must(t, ns.patch("Deployment/web", release("2", "second release", "null")))
	site := stage.Serve(t, proxy.Options{})
	e := stage.Open(t, site.At("/deployments.apps?n="+ns.name+"&sel="+ns.name+"/web&tab=changes"))
	e.Says(of(2)+`[data-state=live]`, "Live", "app 1 → 2", "second release", "4/4")
	history(e, ns, "Deployment/web", "1 first release", "2 second release")

	must(t, ns.patch("Deployment/web", release("3", "third release", cluster.ImagePull)))
	e.Says(of(3)+`[data-state=next]`, "Rolling out", "app 2 → 3", "0/2")
	e.Says(of(2)+`[data-state=live]`, "3/3")
	history(e, ns, "Deployment/web", "1 first release", "2 second release", "3 third release")
	e.Must(e.Click(of(3) + " [data-action=show-revision]"))
	e.Says("#between", "spec.containers[main].image", "app:2", "app:3", cluster.FaultLabel)
	e.Must(e.Click(of(1) + " [data-action=pick-revision]"))
	e.Says("#between", "Choose another revision to compare with 1.")
	e.Must(e.Click(of(3) + " [data-action=pick-revision]"))
	e.Says("#between", "From revision 1 to 3", "app:1", "app:3")
	e.Await(`location.search.includes("rev=1,3")`)
	e.Axe(stage.AxeSource(t))
	e.KeepLooks("revisions")

	shows(e, site, ns, "deployments.apps", "web", "summary")
	e.Says(".ongoing", "Rollout: revision 2 → 3", "New: 0 of 4 ready", "Old: 3 left", "Waiting for:", "ImagePullBackOff")
	e.Axe(stage.AxeSource(t))
	e.KeepLooks("rollout")
	stage.Kubectl(t, "rollout", "undo", "deployment/web", "-n", ns.name)
	e.Await(`!document.querySelector(".ongoing")`)
	e.Must(e.Click("#tab-changes"))
	e.Says(of(4)+`[data-state=live]`, "Live", "app 3 → 2", "4/4", "Was 2")
	history(e, ns, "Deployment/web", "1 first release", "3 third release", "4 second release")
	must(t, ns.patch("Deployment/web", `{spec: {paused: true, revisionHistoryLimit: 1, template: {spec: {containers: [{name: main, image: "registry.example/app:5"}]}}}}`))
	e.Must(e.Click("#tab-summary"))
	e.Says(".ongoing", "Rollout: revision 4 → new", "rollout paused")
	must(t, ns.patch("Deployment/web", `{spec: {paused: false}}`))
	e.Await(`!document.querySelector(".ongoing")`)
	e.Must(e.Click("#tab-changes"))
	e.Says(".changes", "Revisions before 4 are no longer stored.")
	history(e, ns, "Deployment/web", "4 second release", "5 second release")
}

// TestControllerRevisions shows the revisions of a StatefulSet, which a partition holds, and of a DaemonSet,
// whose pods do not become ready.
func TestControllerRevisions(t *testing.T) {
	ns := place{t.Context(), stage.Namespace(t)}
	create(t, ns, stored)
	must(t, ns.is("StatefulSet/store", "3", "status", "readyReplicas"))
	var nodes string
	must(t, ns.until("DaemonSet/logs", "is ready", func(status map[string]any) bool {
		nodes = fmt.Sprint(status["numberReady"])
		return nodes != "0" && nodes == fmt.Sprint(status["desiredNumberScheduled"])
	}, "status"))
	must(t, ns.patch("StatefulSet/store", `{spec: {updateStrategy: {rollingUpdate: {partition: 2}}}}`))
	must(t, ns.patch("StatefulSet/store", release("2", "second release", "null")))
	site := stage.Serve(t, proxy.Options{})
	e := stage.Open(t, site.At("/statefulsets.apps?n="+ns.name+"&sel="+ns.name+"/store"))
	e.Says(".ongoing", "Rollout: revision 1 → 2", "New: 1 of 1 ready", "Old: 2 left", "partition 2: store-0 to store-1 not updated")
	e.Must(e.Click("#tab-changes"))
	e.Says(of(2)+`[data-state=next]`, "app 1 → 2", "1/1")
	e.Says(of(1)+`[data-state=live]`, "2/2")
	history(e, ns, "StatefulSet/store", "1 <none>", "2 second release")
	must(t, ns.patch("StatefulSet/store", `{spec: {updateStrategy: {rollingUpdate: {partition: 0}}}}`))
	e.Says(of(2)+`[data-state=live]`, "3/3")
	stage.Kubectl(t, "rollout", "undo", "statefulset/store", "-n", ns.name)
	e.Says(of(3)+`[data-state=live]`, "app 2 → 1", "3/3")
	history(e, ns, "StatefulSet/store", "2 second release", "3 <none>")

	must(t, ns.patch("DaemonSet/logs", release("2", "second release", cluster.NotReady)))
	shows(e, site, ns, "daemonsets.apps", "logs", "summary")
	e.Says(".ongoing", "Rollout: revision 1 → 2", "New: 0 of "+nodes+" ready", "not ready")
	e.Must(e.Click(".ongoing [data-action=tab]"))
	e.Says(of(2)+`[data-state=next]`, "app 1 → 2", "0/1")
	history(e, ns, "DaemonSet/logs", "1 <none>", "2 second release")
	stage.Kubectl(t, "rollout", "undo", "daemonset/logs", "-n", ns.name)
	e.Says(of(3)+`[data-state=live]`, nodes+"/"+nodes)
	history(e, ns, "DaemonSet/logs", "2 second release", "3 <none>")
}

// TestRevisionsDenied shows users who may not list what stores the revisions, or the pods, what they lack.
func TestRevisionsDenied(t *testing.T) {
	ns := place{t.Context(), stage.Namespace(t)}
	create(t, ns, stored)
	user := stage.Someone(t)
	stage.Kubectl(t, "create", "role", "some", "-n", ns.name, "--verb=get,list,watch", "--resource=deployments.apps,statefulsets.apps,controllerrevisions.apps")
	stage.Kubectl(t, "create", "rolebinding", "some", "-n", ns.name, "--role=some", "--user="+user.Name)
	must(t, ns.is("StatefulSet/store", "3", "status", "readyReplicas"))
	site := stage.ServeTo(t, user, ns.name)
	e := stage.Open(t, site.At("/deployments.apps?n="+ns.name+"&sel="+ns.name+"/web&tab=changes"), `Failed to load resource|forbidden`)
	e.Says(".changes", "ReplicaSets can't be listed; the apiserver said: ", "forbidden")
	if text := stage.Now[string](e, browser.TextOf(".changes")); strings.Contains(text, "No revisions") {
		t.Errorf("it says that there are none: %s", text)
	}
	shows(e, site, ns, "statefulsets.apps", "store", "changes")
	e.Says(of(1)+`[data-state=live]`, "app 1", "?")
	e.Says(".changes", "Pods can't be listed; the apiserver said: ")
	must(t, ns.patch("StatefulSet/store", release("2", "second release", cluster.ImagePull)))
	e.Must(e.Click("#tab-summary"))
	e.Says(".ongoing", "Rollout: revision 1 → 2", "of 3 updated", "Pods can't be listed")
}
