package rule

import (
	"fmt"
	"testing"

	"watchglass/internal/document"
	"watchglass/internal/object"
	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/problemtest"
)

// besideProxy is a pod with a container that ended, and a proxy that still runs.
func besideProxy(ended string) string {
	return `{"spec":{"containers":[{"name":"api","resources":{"limits":{"memory":"512Mi"}}},{"name":"proxy"}]},"status":{"containerStatuses":[{"name":"api","ready":false,"restartCount":0,"state":{"terminated":{` + ended + `}}},{"name":"proxy","ready":true,"started":true,"restartCount":0,"state":{"running":{"startedAt":"-1h"}}}]}}`
}

func TestPodRules(t *testing.T) {
	testRules(t, "pods", problemtest.HealthyPod, []ruleCase{
		{"healthy", nil, ""},
		{"completed", []string{`{"status":{"phase":"Succeeded"}}`, problemtest.WithStatus(`{"name":"api","ready":false,"restartCount":0,"state":{"terminated":{"exitCode":0,"reason":"Completed"}}}`)}, ""},

		{"OOM in back-off", []string{problemtest.UnreadySince5m, problemtest.WithStatus(`{"name":"api","ready":false,"restartCount":14,"state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":137,"reason":"OOMKilled","startedAt":"-2m","finishedAt":"-1m"}}}`)},
			"failed OOMKilled 5m0s | container api: OOMKilled (limit 512Mi), exit code 137, 14 restarts | status.containerStatuses[api].lastState.terminated"},
		{"crash loop", []string{problemtest.WithStatus(`{"name":"api","ready":false,"restartCount":3,"state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":1,"reason":"Error","message":"a\nno such table\n","finishedAt":"-1m"}}}`)},
			"failed CrashLoopBackOff 1m0s | container api: CrashLoopBackOff, last exit code 1, 3 restarts: no such table | status.containerStatuses[api].lastState.terminated"},
		{"crash loop of unknown exit", []string{problemtest.WithStatus(`{"name":"api","ready":false,"restartCount":1,"state":{"waiting":{"reason":"CrashLoopBackOff"}}}`)},
			"failed CrashLoopBackOff 1h0m0s | container api: CrashLoopBackOff, 1 restart | status.containerStatuses[api].state.waiting"},
		{"crash loop between back-offs", []string{problemtest.WithStatus(`{"name":"api","ready":true,"restartCount":5,"state":{"running":{"startedAt":"-10s"}},"lastState":{"terminated":{"exitCode":2,"reason":"Error","startedAt":"-2m","finishedAt":"-1m"}}}`)},
			"failed CrashLoopBackOff 1m0s | container api: CrashLoopBackOff, last exit code 2, 5 restarts | status.containerStatuses[api].lastState.terminated"},
		{"OOM while running", []string{problemtest.WithStatus(`{"name":"api","ready":true,"restartCount":1,"state":{"running":{"startedAt":"-9m"}},"lastState":{"terminated":{"exitCode":137,"reason":"OOMKilled","startedAt":"-50m","finishedAt":"-9m"}}}`)},
			"warning OOMKilled 9m0s | container api: OOMKilled (limit 512Mi), exit code 137, 1 restart | status.containerStatuses[api].lastState.terminated"},
		{"OOM long ago", []string{problemtest.WithStatus(`{"name":"api","ready":true,"restartCount":1,"state":{"running":{"startedAt":"-9m"}},"lastState":{"terminated":{"exitCode":137,"reason":"OOMKilled","startedAt":"-50m","finishedAt":"-11m"}}}`)}, ""},
		{"one error", []string{problemtest.WithStatus(`{"name":"api","ready":true,"restartCount":1,"state":{"running":{"startedAt":"-9m"}},"lastState":{"terminated":{"exitCode":1,"reason":"Error","startedAt":"-50m","finishedAt":"-9m"}}}`)}, ""},
		{"two errors", []string{problemtest.WithStatus(`{"name":"api","ready":true,"restartCount":2,"state":{"running":{"startedAt":"-9m"}},"lastState":{"terminated":{"exitCode":1,"reason":"Error","startedAt":"-50m","finishedAt":"-9m"}}}`)},
			"warning Restarting 9m0s | container api: Restarting, running now, last exit code 1, 2 restarts | status.containerStatuses[api].lastState.terminated"},
		{"restarted after a clean exit", []string{problemtest.WithStatus(`{"name":"api","ready":true,"restartCount":4,"state":{"running":{"startedAt":"-9m"}},"lastState":{"terminated":{"exitCode":0,"reason":"Completed","startedAt":"-50m","finishedAt":"-9m"}}}`)}, ""},

		{"image pull", []string{problemtest.UnreadySince5m, `{"status":{"phase":"Pending"}}`, problemtest.WithStatus(`{"name":"api","ready":false,"restartCount":0,"state":{"waiting":{"reason":"ImagePullBackOff","message":"Back-off pulling image \"shop/web:1.4\": ErrImagePull: not found"}}}`)},
			"failed ImagePullBackOff 5m0s | container api: ImagePullBackOff, image shop/web:1.4: not found | status.containerStatuses[api].state.waiting"},
		{"first image pull", []string{`{"status":{"phase":"Pending"}}`, problemtest.WithStatus(`{"name":"api","ready":false,"restartCount":0,"state":{"waiting":{"reason":"ErrImagePull","message":"not found"}}}`)},
			"failed ImagePullBackOff 1h0m0s | container api: ImagePullBackOff, image shop/web:1.4: not found | status.containerStatuses[api].state.waiting"},
		{"image name", []string{problemtest.WithStatus(`{"name":"api","ready":false,"restartCount":0,"state":{"waiting":{"reason":"InvalidImageName"}}}`)},
			"failed InvalidImageName 1h0m0s | container api: InvalidImageName, image shop/web:1.4 | status.containerStatuses[api].state.waiting"},
		{"image never pulled", []string{problemtest.WithStatus(`{"name":"api","ready":false,"restartCount":0,"state":{"waiting":{"reason":"ErrImageNeverPull"}}}`)},
			"failed ErrImageNeverPull 1h0m0s | container api: ErrImageNeverPull, image shop/web:1.4 | status.containerStatuses[api].state.waiting"},

		{"missing ConfigMap", []string{problemtest.WithStatus(`{"name":"api","ready":false,"restartCount":0,"state":{"waiting":{"reason":"CreateContainerConfigError","message":"configmap \"web\" not found"}}}`)},
			`failed CreateContainerConfigError 1h0m0s | container api: CreateContainerConfigError: configmap "web" not found | status.containerStatuses[api].state.waiting`},
		{"cannot be created", []string{problemtest.WithStatus(`{"name":"api","ready":false,"restartCount":0,"state":{"waiting":{"reason":"CreateContainerError","message":"name in use"}}}`)},
			"failed CreateContainerError 1h0m0s | container api: CreateContainerError: name in use | status.containerStatuses[api].state.waiting"},
		{"cannot be run", []string{problemtest.WithStatus(`{"name":"api","ready":false,"restartCount":0,"state":{"waiting":{"reason":"RunContainerError","message":"exec: \"serve\": not found"}}}`)},
			`failed RunContainerError 1h0m0s | container api: RunContainerError: exec: "serve": not found | status.containerStatuses[api].state.waiting`},

		{"unschedulable", []string{problemtest.PendingPod, `{"status":{"conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"0/3 nodes are available: 3 Insufficient cpu.","lastTransitionTime":"-3m"}]}}`},
			"warning Unschedulable 3m0s | 3 Insufficient cpu (0/3 nodes are available) | condition PodScheduled"},
		{"unschedulable for long", []string{problemtest.PendingPod, `{"metadata":{"creationTimestamp":"-9m"},"status":{"conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"0/3 nodes are available: 3 Insufficient cpu.","lastTransitionTime":"-9m"}]}}`},
			"failed Unschedulable 9m0s | 3 Insufficient cpu (0/3 nodes are available) | condition PodScheduled"},
		{"unschedulable for a moment", []string{problemtest.PendingPod, `{"metadata":{"creationTimestamp":"-9s"},"status":{"conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"0/3","lastTransitionTime":"-9s"}]}}`}, ""},
		{"unschedulable for several reasons", []string{problemtest.PendingPod, `{"status":{"conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"0/7 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 2 node(s) had untolerated taint {dedicated: ml}, 4 Insufficient cpu. preemption: 0/7 nodes are available: 1 Preemption is not helpful for scheduling, 6 No preemption victims found for incoming pod.","lastTransitionTime":"-3m"}]}}`},
			"warning Unschedulable 3m0s | 4 Insufficient cpu, 2 node(s) had untolerated taint {dedicated: ml} (0/7 nodes are available) | condition PodScheduled"},
		{"no claim", []string{problemtest.PendingPod, `{"metadata":{"creationTimestamp":"-20m"},"spec":{"nodeName":"","resourceClaims":[{"name":"gpu","resourceClaimName":"none"}]}}`}, "failed NotScheduled 20m0s | not scheduled, its ResourceClaims may be missing | status.conditions"},
		{"a scheduler that waits for a volume", []string{problemtest.PendingPod, `{"metadata":{"creationTimestamp":"-20m"},"spec":{"nodeName":""},"status":{"nominatedNodeName":"n1"}}`}, ""},
		{"no scheduler", []string{problemtest.PendingPod, `{"metadata":{"creationTimestamp":"-20m"},"spec":{"nodeName":"","schedulerName":"my-scheduler"}}`}, "failed NotScheduled 20m0s | not scheduled, no response from my-scheduler | status.conditions"},
		{"not scheduled yet", []string{problemtest.PendingPod, `{"metadata":{"creationTimestamp":"-50s"},"spec":{"nodeName":""}}`}, ""},
		{"gated", []string{problemtest.PendingPod, `{"status":{"conditions":[{"type":"PodScheduled","status":"False","reason":"SchedulingGated","message":"gated","lastTransitionTime":"-3m"}]}}`}, ""},

		{"creating", []string{problemtest.ScheduledPod}, "warning ContainerCreating 2m30s | container api: ContainerCreating | status.containerStatuses[api].state.waiting"},
		{"creating for a moment", []string{problemtest.ScheduledPod, `{"status":{"startTime":"-110s"}}`}, ""},
		{"creating for long", []string{problemtest.ScheduledPod, `{"metadata":{"creationTimestamp":"-11m"},"status":{"startTime":"-11m","conditions":[{"type":"PodScheduled","status":"True","lastTransitionTime":"-11m"}]}}`}, "failed ContainerCreating 11m0s | container api: ContainerCreating | status.containerStatuses[api].state.waiting"},

		{"not ready", []string{problemtest.UnreadySince5m, problemtest.WithStatus(`{"name":"api","ready":false,"restartCount":0,"state":{"running":{"startedAt":"-1h"}}}`)},
			"warning NotReady 5m0s | container api: not ready | status.containerStatuses[api].ready"},
		{"not ready yet", []string{problemtest.WithStatus(`{"name":"api","ready":false,"restartCount":0,"state":{"running":{"startedAt":"-59s"}}}`)}, ""},
		{"slow start", []string{`{"spec":{"containers":[{"name":"api","startupProbe":{"periodSeconds":10,"failureThreshold":30}}]}}`, problemtest.WithStatus(`{"name":"api","ready":false,"started":false,"restartCount":0,"state":{"running":{"startedAt":"-4m"}}}`)}, ""},
		{"too slow start", []string{`{"spec":{"containers":[{"name":"api","startupProbe":{"periodSeconds":10,"failureThreshold":30}}]}}`, problemtest.WithStatus(`{"name":"api","ready":false,"started":false,"restartCount":0,"state":{"running":{"startedAt":"-6m"}}}`)},
			"warning NotReady 6m0s | container api: startup probe not passed | status.containerStatuses[api].ready"},
		{"readiness gate", []string{`{"spec":{"readinessGates":[{"conditionType":"lb"}]},"status":{"conditions":[{"type":"Ready","status":"False","reason":"ReadinessGatesNotReady","message":"corresponding condition of pod readiness gate \"lb\" does not exist.","lastTransitionTime":"-2m"}]}}`},
			`warning ReadinessGatesNotReady 2m0s | corresponding condition of pod readiness gate "lb" does not exist. | condition Ready`},
		{"kept unready", []string{`{"status":{"conditions":[{"type":"Ready","status":"False","lastTransitionTime":"-20m"},{"type":"ContainersReady","status":"True","lastTransitionTime":"-1h"}]}}`},
			"warning NotReady 20m0s | not ready, though its containers are, node n7 | condition Ready"},

		{"unready since its node was", []string{`{"status":{"conditions":[{"type":"Ready","status":"False","lastTransitionTime":"-50s"},{"type":"ContainersReady","status":"True"}]}}`}, ""},

		{"slow leak", []string{`{"metadata":{"creationTimestamp":"-20h"}}`, problemtest.WithStatus(`{"name":"api","ready":true,"restartCount":40,"state":{"running":{"startedAt":"-12m"}},"lastState":{"terminated":{"exitCode":137,"reason":"OOMKilled","startedAt":"-42m","finishedAt":"-12m"}}}`)},
			"warning OOMKilled ? | container api: OOMKilled (limit 512Mi), exit code 137, 40 restarts | status.containerStatuses[api].lastState.terminated"},
		{"slow restarts", []string{`{"metadata":{"creationTimestamp":"-72h"}}`, problemtest.WithStatus(`{"name":"api","ready":true,"restartCount":300,"state":{"running":{"startedAt":"-11m"}},"lastState":{"terminated":{"exitCode":137,"reason":"Error","startedAt":"-25m","finishedAt":"-11m"}}}`)},
			"warning Restarting ? | container api: Restarting, running now, last exit code 137, 300 restarts | status.containerStatuses[api].lastState.terminated"},
		{"restarted at first", []string{`{"metadata":{"creationTimestamp":"-42m"}}`, problemtest.WithStatus(`{"name":"api","ready":true,"restartCount":3,"state":{"running":{"startedAt":"-40m"}},"lastState":{"terminated":{"exitCode":1,"reason":"Error","startedAt":"-41m","finishedAt":"-40m"}}}`)}, ""},
		{"restarts of years", []string{`{"metadata":{"creationTimestamp":"-9000h"}}`, problemtest.WithStatus(`{"name":"api","ready":true,"restartCount":8,"state":{"running":{"startedAt":"-12m"}},"lastState":{"terminated":{"exitCode":1,"reason":"Error","startedAt":"-900h","finishedAt":"-12m"}}}`)}, ""},
		{"its loop while it runs", []string{problemtest.UnreadySince5m, problemtest.WithStatus(`{"name":"api","ready":true,"restartCount":5,"state":{"running":{"startedAt":"-2s"}},"lastState":{"terminated":{"exitCode":1,"reason":"Error","startedAt":"-50s","finishedAt":"-47s"}}}`)},
			"failed CrashLoopBackOff 5m0s | container api: CrashLoopBackOff, last exit code 1, 5 restarts | status.containerStatuses[api].lastState.terminated"},
		{"runs longer than before", []string{problemtest.WithStatus(`{"name":"api","ready":true,"restartCount":5,"state":{"running":{"startedAt":"-35s"}},"lastState":{"terminated":{"exitCode":1,"reason":"Error","startedAt":"-2m","finishedAt":"-100s"}}}`)},
			"warning Restarting ? | container api: Restarting, running now, last exit code 1, 5 restarts | status.containerStatuses[api].lastState.terminated"},
		{"never started", []string{problemtest.UnreadySince5m, problemtest.WithStatus(`{"name":"api","ready":false,"restartCount":6,"state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":128,"reason":"StartError","message":"failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: \"/app/server\": stat /app/server: no such file or directory: unknown","startedAt":"-1m","finishedAt":"-1m"}}}`)},
			`failed RunContainerError 5m0s | container api: RunContainerError, 6 restarts: exec: "/app/server": stat /app/server: no such file or directory: unknown | status.containerStatuses[api].lastState.terminated`},
		{"image pull refused", []string{problemtest.UnreadySince5m, `{"status":{"phase":"Pending"}}`, problemtest.WithStatus(`{"name":"api","ready":false,"restartCount":0,"state":{"waiting":{"reason":"ImagePullBackOff","message":"Back-off pulling image \"shop/web:1.4\": ErrImagePull: rpc error: code = Unknown desc = failed to pull and unpack image \"shop/web:1.4\": failed to resolve reference \"shop/web:1.4\": failed to authorize: failed to fetch anonymous token: unexpected status from GET request to https://shop/token: 401 Unauthorized"}}}`)},
			"failed ImagePullBackOff 5m0s | container api: ImagePullBackOff, image shop/web:1.4: unexpected status from GET request to https://shop/token: 401 Unauthorized | status.containerStatuses[api].state.waiting"},

		{"stuck terminating", []string{`{"metadata":{"deletionTimestamp":"-2m","finalizers":["example.com/a"]}}`}, "warning Terminating 2m0s | Terminating, finalizers example.com/a | metadata.finalizers"},
		{"stuck on its node", []string{`{"metadata":{"deletionTimestamp":"-2m"}}`}, "warning Terminating 2m0s | Terminating beyond the grace period, node n7 | metadata.deletionTimestamp"},
		{"terminating", []string{`{"metadata":{"deletionTimestamp":"-50s"}}`, problemtest.UnreadySince5m}, ""},

		{"evicted", []string{problemtest.UnreadySince5m, `{"status":{"phase":"Failed","reason":"Evicted","message":"The node was low on resource: memory.","containerStatuses":null}}`},
			"warning Evicted 5m0s | Evicted: The node was low on resource: memory. | status.reason"},
		{"evicted later", []string{problemtest.UnreadySince5m, `{"metadata":{"creationTimestamp":"-48h"},"status":{"phase":"Failed","reason":"Evicted","message":"low","containerStatuses":null,"conditions":[{"type":"DisruptionTarget","status":"True","lastTransitionTime":"-20h"}]}}`}, "warning Evicted 20h0m0s | Evicted: low | status.reason"},
		{"of a node that is gone", []string{`{"status":{"phase":"Failed","conditions":[{"type":"DisruptionTarget","status":"True","reason":"DeletionByPodGC","lastTransitionTime":"-1s"}]}}`}, ""},
		{"failed", []string{`{"spec":{"restartPolicy":"Never"},"status":{"phase":"Failed"}}`, problemtest.WithStatus(`{"name":"api","ready":false,"restartCount":0,"state":{"terminated":{"exitCode":3,"reason":"Error","finishedAt":"-7m"}}}`)},
			"warning Error 7m0s | container api: last exit code 3 | status.containerStatuses[api].state.terminated"},
		{"failed pod of a Job", []string{problemtest.JobPod, `{"status":{"phase":"Failed"}}`, problemtest.WithStatus(`{"name":"api","ready":false,"restartCount":0,"state":{"terminated":{"exitCode":3,"reason":"Error","finishedAt":"-7m"}}}`)}, ""},
		{"failed beside one that runs", []string{problemtest.JobPod, problemtest.UnreadySince5m, besideProxy(`"exitCode":1,"reason":"Error","finishedAt":"-7m"`)},
			"failed Error 7m0s | container api: last exit code 1 | status.containerStatuses[api].state.terminated"},
		{"killed beside one that runs", []string{problemtest.JobPod, problemtest.UnreadySince5m, besideProxy(`"exitCode":137,"reason":"OOMKilled","finishedAt":"-7m"`)},
			"failed OOMKilled 7m0s | container api: OOMKilled (limit 512Mi), exit code 137 | status.containerStatuses[api].state.terminated"},
		{"never started beside one that runs", []string{problemtest.JobPod, problemtest.UnreadySince5m, besideProxy(`"exitCode":128,"reason":"StartError","message":"no such file","finishedAt":"-7m"`)},
			"failed StartError 5m0s | container api: StartError: no such file | status.containerStatuses[api].state.terminated"},
		{"failed a moment ago", []string{problemtest.JobPod, problemtest.UnreadySince5m, besideProxy(`"exitCode":1,"reason":"Error","finishedAt":"-50s"`)}, ""},
		{"ended well beside one that runs", []string{problemtest.JobPod, problemtest.UnreadySince5m, besideProxy(`"exitCode":0,"reason":"OOMKilled","finishedAt":"-7m"`)}, ""},
		{"failed and should restart", []string{problemtest.UnreadySince5m, besideProxy(`"exitCode":1,"reason":"Error","finishedAt":"-7m"`)},
			"warning ContainerCreating 5m0s | container api: not started again | status.containerStatuses[api].state.terminated"},
		{"failed and restarts", []string{besideProxy(`"exitCode":1,"reason":"Error","finishedAt":"-1m"`)}, ""},
		{"ended well and does not restart", []string{problemtest.UnreadySince5m, `{"spec":{"restartPolicy":"OnFailure"}}`, besideProxy(`"exitCode":0,"reason":"Completed","finishedAt":"-7m"`)}, ""},
		{"ended well and should restart", []string{problemtest.UnreadySince5m, besideProxy(`"exitCode":0,"reason":"Completed","finishedAt":"-7m"`)},
			"warning ContainerCreating 5m0s | container api: not started again | status.containerStatuses[api].state.terminated"},
		{"ended as its node restarted", []string{problemtest.UnreadySince5m, problemtest.WithStatus(`{"name":"api","ready":false,"restartCount":0,"state":{"terminated":{"exitCode":255,"reason":"Unknown","finishedAt":"-3m"}}}`)},
			"warning ContainerCreating 3m0s | container api: not started again | status.containerStatuses[api].state.terminated"},
		{"its sandbox is gone", []string{problemtest.UnreadySince5m, problemtest.WithStatus(`{"name":"api","ready":false,"restartCount":0,"state":{"waiting":{"reason":"ContainerCreating"}},"lastState":{"terminated":{"exitCode":137,"reason":"ContainerStatusUnknown"}}}`)},
			"warning ContainerCreating 5m0s | container api: not started again | status.containerStatuses[api].lastState.terminated"},
		{"failed by its own policy", []string{problemtest.UnreadySince5m, besideProxy(`"exitCode":1,"reason":"Error","finishedAt":"-7m"`), `{"spec":{"containers":[{"name":"api","restartPolicy":"Never"},{"name":"proxy"}]}}`},
			"failed Error 7m0s | container api: last exit code 1 | status.containerStatuses[api].state.terminated"},
		{"restarts by its own policy", []string{problemtest.JobPod, problemtest.UnreadySince5m, besideProxy(`"exitCode":1,"reason":"Error","finishedAt":"-7m"`), `{"spec":{"containers":[{"name":"api","restartPolicy":"OnFailure"},{"name":"proxy"}]}}`},
			"warning ContainerCreating 5m0s | container api: not started again | status.containerStatuses[api].state.terminated"},
		{"restarted by its rules", []string{problemtest.JobPod, problemtest.WithStatus(`{"name":"api","ready":true,"restartCount":2,"state":{"running":{"startedAt":"-9m"}},"lastState":{"terminated":{"exitCode":42,"reason":"Error","startedAt":"-50m","finishedAt":"-9m"}}}`)},
			"warning Restarting 9m0s | container api: Restarting, running now, last exit code 42, 2 restarts | status.containerStatuses[api].lastState.terminated"},
		{"unknown", []string{problemtest.UnreadySince5m, `{"status":{"phase":"Unknown"}}`}, "failed NodeLost 5m0s | pod phase Unknown | status.phase"},

		{"init crash loop", []string{problemtest.UnreadySince5m, problemtest.WithInit(`{"name":"migrate","ready":false,"restartCount":4,"state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":1,"reason":"Error","finishedAt":"-1m"}}}`)},
			"failed CrashLoopBackOff 5m0s | init container migrate: CrashLoopBackOff, last exit code 1, 4 restarts | status.initContainerStatuses[migrate].lastState.terminated"},
		{"init for long", []string{problemtest.WithInit(`{"name":"migrate","ready":false,"restartCount":0,"state":{"running":{"startedAt":"-6m"}}}`)},
			"warning PodInitializing 6m0s | init container migrate: not completed | status.initContainerStatuses[migrate].state.running"},
		{"init for a while", []string{problemtest.WithInit(`{"name":"migrate","ready":false,"restartCount":0,"state":{"running":{"startedAt":"-4m"}}}`)}, ""},
		{"sidecar that does not start", []string{problemtest.WithInit(`{"name":"proxy","ready":false,"started":false,"restartCount":0,"state":{"running":{"startedAt":"-18m"}}},{"name":"migrate","ready":false,"restartCount":0,"state":{"waiting":{"reason":"PodInitializing"}}}`), `{"spec":{"initContainers":[{"name":"proxy","restartPolicy":"Always","startupProbe":{"periodSeconds":10}},{"name":"migrate"}]}}`},
			"warning NotReady 18m0s | container proxy: startup probe not passed | status.initContainerStatuses[proxy].ready"},
		{"not created beside its sidecar", []string{problemtest.Initialized18mAgo, problemtest.WithInit(`{"name":"migrate","ready":true,"restartCount":0,"state":{"terminated":{"exitCode":0,"reason":"Completed","finishedAt":"-19m"}}},{"name":"proxy","ready":true,"started":true,"restartCount":0,"state":{"running":{"startedAt":"-18m"}}}`)},
			"failed ContainerCreating 18m0s | containers not created | status.phase"},
		{"not created beside a sidecar that just restarted", []string{problemtest.Initialized18mAgo, problemtest.WithInit(`{"name":"migrate","ready":true,"restartCount":0,"state":{"terminated":{"exitCode":0,"reason":"Completed","finishedAt":"-19m"}}},{"name":"proxy","ready":true,"started":true,"restartCount":1,"state":{"running":{"startedAt":"-10s"}},"lastState":{"terminated":{"exitCode":1,"reason":"Error","startedAt":"-18m","finishedAt":"-12s"}}}`)}, ""},
		{"sidecar", []string{problemtest.WithInit(`{"name":"proxy","ready":true,"restartCount":0,"state":{"running":{"startedAt":"-6m"}}}`), `{"status":{"phase":"Running"}}`, problemtest.WithStatus(`{"name":"api","ready":true,"restartCount":0,"state":{"running":{"startedAt":"-6m"}}}`)}, ""},
	})
}

// countingPart counts how often a member of it is read.
type countingPart struct {
	members map[string]any
	reads   *int
}

func (p countingPart) Member(name string) any {
	*p.reads++
	return p.members[name]
}

func (p countingPart) Names() []string { return nil }

// TestManyContainers holds that a pod of twice as many containers and conditions takes twice as much
// work.
func TestManyContainers(t *testing.T) {
	reads := func(n int) (reads int) {
		list := func(members func(i int) map[string]any) []any {
			all := make([]any, n)
			for i := range all {
				all[i] = countingPart{members(i), &reads}
			}
			return all
		}
		doc := document.Of(map[string]any{
			"spec": map[string]any{"containers": list(func(i int) map[string]any { return map[string]any{"name": fmt.Sprint("c", i)} })},
			"status": map[string]any{
				"phase":      "Running",
				"conditions": list(func(i int) map[string]any { return map[string]any{"type": fmt.Sprint("T", i), "status": "False"} }),
				"containerStatuses": list(func(i int) map[string]any {
					return map[string]any{"name": fmt.Sprint("c", n-i), "ready": false, "restartCount": "3", "state": map[string]any{"waiting": map[string]any{"reason": "CrashLoopBackOff"}}}
				}),
			},
		})
		kind, _ := object.Builtin(kinds.Pods)
		s := subject{kind: kind, doc: doc}
		if len(s.find()) != mostLoops+1 {
			t.Errorf("%d causes of %d containers", len(s.causes), n)
		}
		return reads
	}
	if few, many := reads(200), reads(400); many > 2*few+100 {
		t.Errorf("200 containers take %d reads, 400 %d", few, many)
	}
}
