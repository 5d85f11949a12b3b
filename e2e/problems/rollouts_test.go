package problems

import (
	"fmt"
	"testing"

	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
	"watchglass/internal/hub/problems/recorded"
)

// revised is what has ControllerRevisions, at its first.
const revised = `
{kind: StatefulSet, apiVersion: apps/v1, metadata: {name: store}, spec: {replicas: 2, serviceName: store, selector: {matchLabels: {app: store}}, template: {metadata: {labels: {app: store}}, spec: {` + app + `}}}}
{kind: DaemonSet, apiVersion: apps/v1, metadata: {name: logs}, spec: {selector: {matchLabels: {app: logs}}, template: {metadata: {labels: {app: logs}}, spec: {` + app + `}}}}
`

// image patches the image and when pods become ready.
func image(tag, readyAfter string) string {
	return `{spec: {template: {metadata: {annotations: {watchglass.example.com/ready-after: ` + readyAfter + `}}, spec: {containers: [{name: main, image: "registry.example/app:` + tag + `"}]}}}}`
}

// TestRollouts shows rollouts of a StatefulSet and a DaemonSet: the images before and after, how many
// pods are new and ready, and a rollback, for which an old revision is used again. One that is opened
// from the strip marks itself.
func TestRollouts(t *testing.T) {
	ns := place{t.Context(), stage.Namespace(t)}
	create(t, ns, revised)
	must(t, ns.is("StatefulSet/store", "2", "status", "readyReplicas"))
	var nodes string
	must(t, ns.until("DaemonSet/logs", "is ready", func(status map[string]any) bool {
		nodes = fmt.Sprint(status["numberReady"])
		return nodes != "0" && nodes == fmt.Sprint(status["desiredNumberScheduled"])
	}, "status"))
	e := stage.Open(t, stage.Serve(t, proxy.Options{}).At("/"))
	e.AwaitState("live")
	store, logs := `.rollout[title^="StatefulSet `+ns.name+`/store"]`, `.rollout[title^="DaemonSet `+ns.name+`/logs"]`

	must(t, ns.patch("StatefulSet/store", image("2", "null")))
	e.Says(store, "app 1 → 2", "2/2 new ready")
	must(t, ns.patch("DaemonSet/logs", image("2", "1h")))
	e.Says(logs, "app 1 → 2", "0/"+nodes+" new ready")
	e.Keep("rollouts")
	must(t, ns.patch("DaemonSet/logs", image("1", "null")))
	e.Says(logs, "app 2 → 1", nodes+"/"+nodes+" new ready")
	must(t, ns.patch("StatefulSet/store", image("1", "null")))
	e.Says(store, "app 2 → 1", "2/2 new ready")

	e.Must(e.Tab.Click(store))
	e.Says(".drawer .name", "store")
	e.Press("\x1b")
	e.Await(`document.querySelector(` + "`" + store + "`" + `).dataset.active === "true"`)
	e.Says(store, "app 2 → 1")
	again := stage.Open(t, stage.Serve(t, proxy.Options{}).At("/")) // with nothing of what this tab has seen
	strip := map[string]string{"store": store, "logs": logs}
	for _, r := range recorded.RolledBack {
		again.Says(strip[r.Name], r.Images)
	}
	record(t, "rollouts", map[string]string{"rollouts": ns.name})
}
