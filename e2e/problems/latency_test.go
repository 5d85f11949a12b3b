package problems

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// rounds is how often each fault is raised and mended.
const rounds = 3

// TestLatencyMeasured measures how long after a write returned its row shows, and is gone. It asserts no
// times, as the machine may have much else to do.
func TestLatencyMeasured(t *testing.T) {
	e := stage.Synced(t, stage.Serve(t, proxy.Options{}).At("/problems"))
	setAhead(e, ahead)
	p := place{t.Context(), stage.Namespace(t)}
	cleanUp(t, []place{p})
	const scheduled = `{type: PodScheduled, status: "True", lastTransitionTime: @-7m}`
	status := func(phase, container string) func(place) error {
		return patch("Pod/bad/status", `{status: {phase: `+phase+`, startTime: @-7m, conditions: [`+scheduled+`], containerStatuses: [{name: main, image: a, imageID: a, restartCount: 0, ready: false, `+container+`}]}}`)
	}
	must(t, steps(write(pod("bad", cluster.Manual)+deployment("web", 1, "", "", app)+`
{kind: CronJob, apiVersion: batch/v1, metadata: {name: nightly}, spec: {schedule: "@daily", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, `+app+`}}}}}}
{kind: Service, apiVersion: v1, metadata: {name: api}, spec: {selector: {app: api}, ports: [{port: 80}]}}
{kind: EndpointSlice, apiVersion: discovery.k8s.io/v1, metadata: {name: api, labels: {kubernetes.io/service-name: api, endpointslice.kubernetes.io/managed-by: test}}, addressType: IPv4, endpoints: [{addresses: [10.9.9.9], conditions: {ready: true}}], ports: []}`),
		node(""), waitsNode, recovered, waits("Deployment/web", "1", "status", "availableReplicas"))(p))
	stage.Eval[bool](e, notesRows)
	times := map[string][]int64{}
	for range rounds {
		for _, f := range []struct {
			fault
			key string
		}{
			{fault{"missing Secret", status("Pending", `state: {waiting: {reason: CreateContainerConfigError, message: 'secret "db" not found'}}`), recovered}, "pods/NS/bad/CreateContainerConfigError"},
			{fault{"image pull", status("Pending", `state: {waiting: {reason: ErrImagePull, message: "not found"}}`), recovered}, "pods/NS/bad/ImagePullBackOff"},
			{fault{"crash loop", status("Running", `restartCount: 7, state: {waiting: {reason: CrashLoopBackOff}}`), recovered}, "pods/NS/bad/CrashLoopBackOff"},
			{fault{"not ready", status("Running", `started: true, state: {running: {startedAt: @-7m}}`), recovered}, "pods/NS/bad/NotReady"},
			{fault{"node lost", status("Unknown", `state: {running: {startedAt: @-7m}}`), recovered}, "pods/NS/bad/NodeLost"},
			{fault{"cordoned", patch("Node/NS", `{spec: {unschedulable: true}}`), patch("Node/NS", `{spec: {unschedulable: null}}`)}, "nodes//NS/SchedulingDisabled"},
			{fault{"paused", patch("Deployment/web", `{spec: {paused: true}}`), patch("Deployment/web", `{spec: {paused: false}}`)}, "deployments.apps/NS/web/Paused"},
			{fault{"suspended", patch("CronJob/nightly", `{spec: {suspend: true}}`), patch("CronJob/nightly", `{spec: {suspend: false}}`)}, "cronjobs.batch/NS/nightly/Suspended"},
			{fault{"no ready endpoints", patch("EndpointSlice/api", `{endpoints: [{addresses: [10.9.9.9], conditions: {ready: false}}]}`), patch("EndpointSlice/api", `{endpoints: [{addresses: [10.9.9.9], conditions: {ready: true}}]}`)}, "services/NS/api/NoReadyEndpoints"},
			{fault{"event", write(`
{kind: Event, apiVersion: v1, metadata: {name: odd}, involvedObject: {kind: ConfigMap, apiVersion: v1, namespace: NS, name: well}, type: Warning, reason: Odd, message: "odd things", firstTimestamp: @-1m, lastTimestamp: @-1m, count: 2}`), remove("Event/odd")}, "configmaps/NS/well/Odd"},
		} {
			key := p.text(f.key)
			for _, turn := range []struct {
				do    func(place) error
				noted string
			}{{f.raise, "watchglassSeen"}, {f.mend, "watchglassGone"}} {
				stage.Eval[bool](e, fmt.Sprintf(`%s.delete(%q), true`, turn.noted, key))
				must(t, turn.do(p))
				at := time.Now().UnixMilli()
				e.Await(fmt.Sprintf(`%s.has(%q)`, turn.noted, key))
				times[f.name+" "+turn.noted] = append(times[f.name+" "+turn.noted], stage.Eval[int64](e, fmt.Sprintf(`%s.get(%q)`, turn.noted, key))-at)
			}
		}
	}
	var all []int64
	for name, ms := range times {
		t.Logf("%-40s %v ms", name, ms)
		all = append(all, ms...)
	}
	slices.Sort(all)
	t.Logf("%d writes: median %d ms, p95 %d ms, worst %d ms", len(all), all[len(all)/2], all[len(all)*95/100], all[len(all)-1])
}
