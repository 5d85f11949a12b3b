//go:build !js

package problem

import (
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/internal/object"
	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/problemtest"
	"watchglass/internal/problem/rule"
)

// TestCrashesJoin checks that pods whose container keeps failing have one row, at whatever moment they
// are.
func TestCrashesJoin(t *testing.T) {
	c := newCluster(t)
	exit := `"lastState":{"terminated":{"exitCode":137,"reason":"Error","startedAt":"-4m","finishedAt":"-2m"}}`
	c.put(problemtest.HealthyDeployment, `{"spec":{"replicas":3},"status":{"readyReplicas":0,"availableReplicas":0}}`)
	c.put(webSet)
	c.put(problemtest.HealthyPod, problemtest.UnreadySince5m, named("web-5d9c-a"), problemtest.WithStatus(`{"name":"api","ready":false,"restartCount":8,"state":{"waiting":{"reason":"CrashLoopBackOff"}},`+exit+`}`))
	c.expect("one moment", "failed deployments.apps/checkout/web/CrashLoopBackOff Deployment 5m0s 1/3 | CrashLoopBackOff, last exit code 137, 8 restarts, container api, 1 of 3 pods | status.containerStatuses[api].lastState.terminated | logs web-5d9c-a api")
	c.put(problemtest.HealthyPod, problemtest.UnreadySince5m, named("web-5d9c-b"), problemtest.WithStatus(`{"name":"api","ready":false,"restartCount":8,"state":{"waiting":{"reason":"PostStartHookError","message":"Exec lifecycle hook failed"}},`+exit+`}`))
	c.put(problemtest.HealthyPod, problemtest.UnreadySince5m, named("web-5d9c-c"), problemtest.WithStatus(`{"name":"api","ready":false,"restartCount":8,"state":{"running":{"startedAt":"-100s"}},`+exit+`}`))
	c.expect("three moments", "failed deployments.apps/checkout/web/PostStartHookError Deployment 5m0s 3/3 | PostStartHookError: Exec lifecycle hook failed, 3 of 3 pods | status.containerStatuses[api].state.waiting | events web-5d9c-a api")

	c = newCluster(t)
	c.put(problemtest.HealthyPod, problemtest.UnreadySince5m, `{"metadata":{"ownerReferences":null},"status":{"phase":"Pending","containerStatuses":[
		{"name":"api","restartCount":0,"state":{"waiting":{"reason":"ErrImagePull","message":"not found"}}},
		{"name":"proxy","restartCount":8,"state":{"waiting":{"reason":"CrashLoopBackOff"}},`+exit+`}]}}`)
	c.expect("two containers, two causes",
		"failed pods/checkout/web-5d9c-x2x1p/CrashLoopBackOff Pod 5m0s 1/0 | container proxy: CrashLoopBackOff, last exit code 137, 8 restarts | status.containerStatuses[proxy].lastState.terminated | logs web-5d9c-x2x1p proxy",
		"failed pods/checkout/web-5d9c-x2x1p/ImagePullBackOff Pod 5m0s 1/0 | container api: ImagePullBackOff, image shop/web:1.4: not found | status.containerStatuses[api].state.waiting | events web-5d9c-x2x1p api")
}

// TestCrashesOfRollout checks that new pods that fail beside all old ones are not called the share of the workload's pods.
func TestCrashesOfRollout(t *testing.T) {
	for ready, want := range map[string]string{
		"3": "warning deployments.apps/checkout/web/CrashLoopBackOff Deployment 5m0s 1/0 | CrashLoopBackOff, last exit code 137, 8 restarts, container api | status.containerStatuses[api].lastState.terminated | logs web-5d9c-a api",
		"2": "warning deployments.apps/checkout/web/CrashLoopBackOff Deployment 5m0s 1/3 | CrashLoopBackOff, last exit code 137, 8 restarts, container api, 1 of 3 pods | status.containerStatuses[api].lastState.terminated | logs web-5d9c-a api",
	} {
		c := newCluster(t)
		c.put(problemtest.HealthyDeployment, `{"spec":{"replicas":3},"status":{"readyReplicas":`+ready+`,"availableReplicas":`+ready+`}}`)
		c.put(webSet)
		c.put(problemtest.HealthyPod, problemtest.UnreadySince5m, named("web-5d9c-a"), problemtest.WithStatus(`{"name":"api","ready":false,"restartCount":8,"state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":137,"reason":"Error","startedAt":"-4m","finishedAt":"-2m"}}}`))
		c.expect(ready+" old ones are ready", want)
	}
}

// TestLoopsDated checks that a crash loop is as old as the first event about it, unless that is about an
// image.
func TestLoopsDated(t *testing.T) {
	c := newCluster(t)
	c.put(problemtest.HealthyPod, `{"metadata":{"creationTimestamp":"-90h","ownerReferences":null}}`, problemtest.WithStatus(`{"name":"api","ready":false,"restartCount":812,"state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":1,"reason":"Error","startedAt":"-3m","finishedAt":"-2m"}}}`))
	row := func(age string) string {
		return "failed pods/checkout/web-5d9c-x2x1p/CrashLoopBackOff Pod " + age + " 1/0 | container api: CrashLoopBackOff, last exit code 1, 812 restarts | status.containerStatuses[api].lastState.terminated | logs web-5d9c-x2x1p api"
	}
	c.expect("since its last exit", row("2m0s"))
	c.put(eventDoc("Pod", "web-5d9c-x2x1p", "BackOff", `Back-off pulling image \"x\"`, 9))
	c.expect("of an image", row("2m0s"))
	c.put(eventDoc("Pod", "web-5d9c-x2x1p", "BackOff", "Back-off restarting failed container api", 9), `{"firstTimestamp":"-72h"}`)
	c.expect("since the first back-off", row("72h0m0s"))
	c.put(eventDoc("Pod", "web-5d9c-x2x1p", "BackOff", "Back-off restarting failed container api", 9), `{"firstTimestamp":"-99h"}`)
	c.expect("of the pod before it", row("90h0m0s"))
}

// TestPodsOfGoneNode checks that a pod that cannot end says that its node does not exist, once the nodes are
// known, and for as long.
func TestPodsOfGoneNode(t *testing.T) {
	const node = `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n7","creationTimestamp":"-9h"},"status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"-9h"}],"nodeInfo":{"kubeletVersion":"v1.36.1"}}}`
	c, known := newCluster(t), false
	c.engine.options.Synced = func(string) bool { return known }
	row := func(more string) string {
		return "warning pods/checkout/b/Terminating Pod 3m0s 1/0 | Terminating beyond the grace period, node n7" + more + " | metadata.deletionTimestamp | yaml b "
	}
	c.put(problemtest.HealthyPod, `{"metadata":{"name":"b","ownerReferences":null,"deletionTimestamp":"-3m"}}`)
	c.expect("nodes are not known", row(""))
	known = true
	c.expect("there is none", row(" not found"))
	c.put(node)
	c.expect("there is one", row(""))
	c.remove("nodes/n7")
	c.expect("it is gone", row(" not found"))
}

// TestPodsOfNodes checks that what follows from a node that is lost has no row beside the node's.
func TestPodsOfNodes(t *testing.T) {
	const node = `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n7","creationTimestamp":"-9h"},"status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"-9h"}],"nodeInfo":{"kubeletVersion":"v1.36.1"}}}`
	c := newCluster(t)
	c.put(node)
	c.put(problemtest.HealthyPod, `{"metadata":{"name":"a","ownerReferences":null},"status":{"conditions":[{"type":"Ready","status":"False","lastTransitionTime":"-20m"},{"type":"ContainersReady","status":"True"}]}}`)
	c.put(problemtest.HealthyPod, `{"metadata":{"name":"b","ownerReferences":null,"deletionTimestamp":"-3m"}}`)
	rows := []string{
		"failed pods/checkout/a/NotReady Pod 20m0s 1/0 | not ready, though its containers are, node n7 | condition Ready | summary a ",
		"warning pods/checkout/b/Terminating Pod 3m0s 1/0 | Terminating beyond the grace period, node n7 | metadata.deletionTimestamp | yaml b ",
	}
	c.expect("the node is well", rows...)
	c.put(node, problemtest.WithCondition("Ready", "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.", "-9m"))
	c.expect("the node is lost", "failed nodes//n7/NotReady Node 9m0s 1/0 | NotReady: Kubelet stopped posting node status, 1 pod not ready: checkout/a, 1 pod terminating | condition Ready | summary  ")
	c.put(node)
	c.expect("the node is back", rows...)
	c.remove("nodes/n7")
	c.expect("the node is gone", rows...)
}

// TestLostNode checks that the row of a lost node and the total of pods agree on how many of its pods are not ready,
// from the moment that they are.
func TestLostNode(t *testing.T) {
	const node = `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n7","creationTimestamp":"-9h"},"status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"-9h"}],"nodeInfo":{"kubeletVersion":"v1.36.1"}}}`
	lost := problemtest.WithCondition("Ready", "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.", "-9m")
	const unreadyNow = `{"status":{"conditions":[{"type":"Ready","status":"False","lastTransitionTime":"-1s"},{"type":"ContainersReady","status":"True"}]}}`
	c := newCluster(t)
	c.put(node, lost)
	row := func(more string) string {
		return "failed nodes//n7/NotReady Node 9m0s 1/0 | NotReady: Kubelet stopped posting node status" + more + " | condition Ready | summary  "
	}
	c.expect("no pods", row("."))
	for i, name := range []string{"a", "b", "c", "d", "e"} {
		c.put(problemtest.HealthyPod, named(name))
		c.put(problemtest.HealthyPod, named(name), unreadyNow)
		if c.text(); c.totals.PodsBad != i+1 {
			t.Errorf("%d pods are not ready, want %d", c.totals.PodsBad, i+1)
		}
	}
	c.expect("five pods", row(", 5 pods not ready: checkout/a, checkout/b, checkout/c and 2 more"))
	c.put(problemtest.HealthyPod, named("a"), unreadyNow, `{"metadata":{"deletionTimestamp":"-1s"}}`)
	c.put(problemtest.HealthyPod, named("b"), unreadyNow, `{"spec":{"nodeName":"n8"}}`)
	c.put(problemtest.HealthyPod, named("c"))
	c.remove("pods/checkout/d")
	c.expect("one is left, and one ends", row(", 1 pod not ready: checkout/e, 1 pod terminating"))
	c.put(node)
	c.expect("the node is back")
}

// TestHeartbeats checks that a node whose kubelet is silent while others report has a row.
func TestHeartbeats(t *testing.T) {
	c := newCluster(t)
	beat := func(name, at string) {
		c.put(`{"kind":"Node","apiVersion":"v1","metadata":{"name":"` + name + `","creationTimestamp":"-9h"},"status":{"conditions":[{"type":"Ready","status":"True","lastHeartbeatTime":"` + at + `","lastTransitionTime":"-9h"}],"nodeInfo":{"kubeletVersion":"v1.36.1"}}}`)
	}
	beat("a", "-40m")
	beat("b", "-39m")
	c.expect("all are as old, as in a recording")
	beat("b", "-4m")
	row := "failed nodes//a/NoHeartbeat Node 40m0s 1/0 | no heartbeat from the kubelet, so Ready may be out of date | status.conditions[].lastHeartbeatTime | summary  "
	c.expect("one is silent", row)
	beat("b", "-2m")
	c.expect("and still is", row)
	beat("a", "-1m")
	c.expect("it reports")
	beat("fast", problemtest.Noon.Add(time.Hour).Format(time.RFC3339))
	c.expect("a clock is ahead")
	c.now = c.now.Add(10 * time.Minute)
	beat("b", "-2m")
	beat("fast", problemtest.Noon.Add(time.Hour).Format(time.RFC3339))
	c.expect("and still is")
	c.remove("nodes/a")
	c.remove("nodes/b")
	c.remove("nodes/fast")
	if n := len(c.engine.beats.last); n != 0 {
		t.Errorf("%d heartbeats are kept of nothing", n)
	}
}

// TestMissingPods checks that events about what creates pods explain that they are missing.
func TestMissingPods(t *testing.T) {
	c := newCluster(t)
	c.put(problemtest.HealthyDeployment, `{"status":{"readyReplicas":5,"availableReplicas":5}}`)
	c.put(webSet, `{"status":{"readyReplicas":5,"availableReplicas":5,"replicas":5}}`)
	short := "warning deployments.apps/checkout/web/BelowDesired Deployment ? 1/0 | 5 of 6 pods available | status | related  "
	c.expect("of unknown age, at once", short)
	c.put(eventDoc("ReplicaSet", "web-5d9c", "FailedCreate", "Error creating: failed calling webhook", 12))
	c.expect("explained", "warning deployments.apps/checkout/web/BelowDesired Deployment 10m0s 1/0 | failed calling webhook, 5 of 6 pods available | status, event FailedCreate | related  ")
	c.put(problemtest.HealthyDeployment, `{"status":{"readyReplicas":1,"availableReplicas":1}}`)
	c.expect("most are missing", "failed deployments.apps/checkout/web/BelowDesired Deployment 10m0s 1/0 | failed calling webhook, 1 of 6 pods available | status, event FailedCreate | related  ")
	c.put(problemtest.HealthyDeployment)
	c.put(webSet)
	c.expect("mended")
	c.now = c.now.Add(15 * time.Minute) // the event is old
	c.put(problemtest.HealthyDeployment, `{"status":{"readyReplicas":5,"availableReplicas":5}}`)
	c.expect("again, for a moment")
	if !c.engine.Waits() {
		t.Error("all is well for sure")
	}
	c.now = c.now.Add(time.Minute)
	c.expect("again", "warning deployments.apps/checkout/web/BelowDesired Deployment -15m0s 1/0 | 5 of 6 pods available | status | related  ")
	if c.engine.Waits() {
		t.Error("something waits")
	}
	c.put(problemtest.HealthyPod, named("web-5d9c-a"), `{"metadata":{"deletionTimestamp":"2026-11-23T12:20:00Z"}}`)
	c.expect("a pod that ends explains it")
}

// TestEvictedSince checks that an eviction is as old as its event or its condition, whatever happened to the pod before.
func TestEvictedSince(t *testing.T) {
	const evicted = `{"metadata":{"name":"a","ownerReferences":null},"status":{"phase":"Failed","reason":"Evicted","message":"low"}}`
	crashed := problemtest.WithStatus(`{"name":"api","ready":false,"restartCount":1,"state":{"terminated":{"exitCode":137,"reason":"Error","finishedAt":"-3m"}},"lastState":{"terminated":{"exitCode":1,"reason":"Error","finishedAt":"-2m"}}}`)
	c := newCluster(t)
	row := func(age string) string {
		return "warning pods/checkout/a/Evicted Pod " + age + " 1/0 | Evicted: low | status.reason | summary a "
	}
	c.put(problemtest.HealthyPod, problemtest.UnreadySince5m, evicted, crashed)
	c.expect("its last run says when", row("3m0s"))
	c.put(eventDoc("Pod", "a", "Evicted", "low", 1), `{"firstTimestamp":"-1m","lastTimestamp":"-1m"}`)
	c.expect("the event says when", row("1m0s"))
	c.remove("events/checkout/a.evicted")
	c.expect("and did", row("1m0s"))
	c.put(problemtest.HealthyPod, problemtest.UnreadySince5m, evicted, crashed, `{"status":{"conditions":[{"type":"DisruptionTarget","status":"True","lastTransitionTime":"-2m"}]}}`)
	c.expect("the condition says when", row("2m0s"))
}

// TestRejected checks that pods that their node rejected explain a rollout that does not progress, unless
// they are old.
func TestRejected(t *testing.T) {
	c := newCluster(t)
	rejected := func(at string) {
		c.put(problemtest.HealthyPod, named("web-5d9c-a"), `{"metadata":{"creationTimestamp":"`+at+`"},"status":{"phase":"Failed","reason":"UnexpectedAdmissionError","message":"no GPU","containerStatuses":null,"conditions":null}}`)
	}
	c.put(webSet)
	c.put(problemtest.HealthyDeployment, `{"metadata":{"creationTimestamp":"-50h"},"status":{"readyReplicas":0,"availableReplicas":0}}`, problemtest.WithCondition("Progressing", "False", "ProgressDeadlineExceeded", "timed out", "-110m"))
	late := "failed deployments.apps/checkout/web/ProgressDeadlineExceeded Deployment 1h50m0s 1/0 | ProgressDeadlineExceeded: timed out | condition Progressing | related  "
	c.expect("unexplained", late)
	rejected("-90m")
	c.expect("explained", "failed deployments.apps/checkout/web/UnexpectedAdmissionError Deployment 1h30m0s 1/0 | UnexpectedAdmissionError: no GPU | status.reason | summary web-5d9c-a ")
	rejected("-40h")
	c.expect("an old one explains nothing", late, "failed deployments.apps/checkout/web/UnexpectedAdmissionError Deployment 40h0m0s 1/0 | UnexpectedAdmissionError: no GPU | status.reason | summary web-5d9c-a ")
}

// TestLeftByShutdown checks that pods of a node that was shut down do not matter once they are replaced.
func TestLeftByShutdown(t *testing.T) {
	c := newCluster(t)
	c.put(webSet)
	c.put(problemtest.HealthyDeployment)
	c.put(problemtest.HealthyPod, named("web-5d9c-a"), `{"status":{"phase":"Failed","reason":"Terminated","message":"Pod was terminated in response to imminent node shutdown."}}`)
	c.expect("replaced")
	c.put(problemtest.HealthyDeployment, `{"status":{"readyReplicas":5,"availableReplicas":5}}`)
	c.expect("not replaced", "warning deployments.apps/checkout/web/Terminated Deployment 1h0m0s 1/0 | Terminated: Pod was terminated in response to imminent node shutdown. | status.reason | summary web-5d9c-a ")
}

// TestFailedJobs checks that a pod of a failed Job says how it ended.
func TestFailedJobs(t *testing.T) {
	c := newCluster(t)
	const job = `{"kind":"Job","apiVersion":"batch/v1","metadata":{"name":"import","namespace":"checkout","creationTimestamp":"-1h"},"status":{"failed":7}}`
	c.put(job, problemtest.WithCondition("Failed", "True", "BackoffLimitExceeded", "Job has reached the specified backoff limit", "-35m"))
	c.put(problemtest.HealthyPod, problemtest.JobPod, named("import-a"), `{"status":{"phase":"Failed"}}`, problemtest.WithStatus(`{"name":"api","ready":false,"restartCount":0,"state":{"terminated":{"exitCode":3,"reason":"Error","message":"schema out of date\n","finishedAt":"-36m"}}}`))
	c.expect("failed", "failed jobs.batch/checkout/import/BackoffLimitExceeded Job 35m0s 1/0 | BackoffLimitExceeded, last exit code 3: schema out of date, container api | condition Failed, status.containerStatuses[api].state.terminated | logs import-a api")
	c.put(job, `{"status":{"failed":2,"startTime":"-50m"}}`)
	c.expect("retries", "warning jobs.batch/checkout/import/Retrying Job 50m0s 1/0 | 2 pods failed, retrying, last exit code 3: schema out of date, container api | status.failed, status.containerStatuses[api].state.terminated | logs import-a api")
	c.put(job, `{"status":{"failed":0}}`)
	c.put(eventDoc("Job", "import", "FailedCreate", "Error creating: violates PodSecurity", 9))
	c.expect("no pod can be created", "warning jobs.batch/checkout/import/FailedCreate Job 10m0s 1/0 | FailedCreate: violates PodSecurity (×9) | event FailedCreate | events  ")
	c.put(job, `{"status":{"failed":0,"active":1}}`)
	c.expect("a pod was created")
}

// TestMendedByEvents checks that a warning is over once a later event of its object says so.
func TestMendedByEvents(t *testing.T) {
	c := newCluster(t)
	c.put(eventDoc("PersistentVolumeClaim", "data", "VolumeResizeFailed", "quota", 22))
	c.expect("failed", "warning persistentvolumeclaims/checkout/data/VolumeResizeFailed PersistentVolumeClaim 10m0s 1/0 | VolumeResizeFailed: quota (×22) | event VolumeResizeFailed | events  ")
	good := eventDoc("PersistentVolumeClaim", "data", "VolumeResizeSuccessful", "resized", 1)
	c.put(good, `{"type":"Normal","lastTimestamp":"-2m"}`)
	c.expect("succeeded before", "warning persistentvolumeclaims/checkout/data/VolumeResizeFailed PersistentVolumeClaim 10m0s 1/0 | VolumeResizeFailed: quota (×22) | event VolumeResizeFailed | events  ")
	c.put(good, `{"type":"Normal","lastTimestamp":"-30s"}`)
	c.expect("succeeded since")
	if n := c.engine.Warnings(c.now); n != 1 {
		t.Errorf("%d warnings", n)
	}
	for about, want := range map[string]bool{"PersistentVolumeClaim": true, "Pod": false, "ReplicaSet": false} {
		change := decode(t, true, eventDoc(about, "data", "SuccessfulThing", "done", 1), `{"type":"Normal"}`)
		if got := rule.Wants(change.Kind, change.Kind.ID(), change.Columns, change.After, 0); got != want {
			t.Errorf("%s: %v", about, got)
		}
	}
}

// TestServicePorts checks services without EndpointSlices, without the port that they lead to, and without
// the address of a load balancer.
func TestServicePorts(t *testing.T) {
	c := newCluster(t)
	c.put(webService, `{"spec":{"ports":[{"name":"http","port":80,"targetPort":"web"}]}}`)
	c.put(webService, named("other"), `{"spec":{"selector":null}}`)
	c.put(webSlice, named("other-x"), `{"metadata":{"labels":{"kubernetes.io/service-name":"other"}}}`)
	c.put(problemtest.HealthyDeployment)
	c.expect("no slice", "failed services/checkout/web/NoEndpoints Service ? 1/0 | no EndpointSlice; is the controller manager running? | spec.selector | related  ")
	c.put(webSlice)
	c.expect("no pod has the port, for a moment")
	c.now = c.now.Add(time.Minute)
	c.expect("no pod has the port", "failed services/checkout/web/NoPorts Service 0s 1/0 | no pod has a port named in targetPort | EndpointSlice ports | related  ")
	c.put(webSlice, `{"ports":[{"name":"http","port":8080}]}`)
	c.expect("a pod has it")
	c.put(webSlice)
	c.put(webService, `{"spec":{"ports":[{"name":"http","port":80,"targetPort":8080}]}}`)
	c.expect("the port is a number")

	c = newCluster(t)
	balanced := `{"spec":{"type":"LoadBalancer","selector":null}}`
	c.put(webService, balanced)
	c.put(eventDoc("Service", "web", "SyncLoadBalancerFailed", "no suitable subnets", 30))
	c.expect("no address", "warning services/checkout/web/LoadBalancerPending Service 10m0s 1/0 | no address of a load balancer: no suitable subnets | status.loadBalancer, event SyncLoadBalancerFailed | events  ")
	c.put(webService, balanced, `{"status":{"loadBalancer":{"ingress":[{"ip":"192.0.2.1"}]}}}`)
	c.expect("an address")
	c.put(webService, balanced, named("new"), `{"metadata":{"creationTimestamp":"-4m"}}`)
	c.expect("for a moment")
}

// TestUnknownOwners checks that pods are grouped under an owner of a kind that is not known, or only
// later.
func TestUnknownOwners(t *testing.T) {
	c := newCluster(t)
	known := false
	c.engine.options.Lookup = func(name string) (object.Kind, bool) {
		if k, ok := object.Builtin(name); ok {
			return k, true
		}
		return object.Kind{Group: "core.strimzi.io", Version: "v1", Resource: "strimzipodsets", Name: "StrimziPodSet", Namespaced: true}, known && name == "StrimziPodSet.core.strimzi.io"
	}
	for _, name := range []string{"kafka-0", "kafka-1"} {
		c.put(problemtest.HealthyPod, problemtest.UnreadySince5m, oomStatus, named(name), `{"metadata":{"ownerReferences":[{"apiVersion":"core.strimzi.io/v1","kind":"StrimziPodSet","name":"kafka","controller":true}]}}`)
	}
	row := func(resource string) string {
		return "failed " + resource + "/checkout/kafka/OOMKilled StrimziPodSet 5m0s 2/0 | OOMKilled (limit 512Mi), 2 pods | status.containerStatuses[api].lastState.terminated | logs kafka-0 api"
	}
	c.expect("unknown", row("strimzipodset.core.strimzi.io"))
	known = true
	c.now = c.now.Add(lookAgain * time.Second)
	c.expect("known", row("strimzipodsets.core.strimzi.io"))
}

// TestSuspendedJobs checks that an old failure of a CronJob that was suspended is no news.
func TestSuspendedJobs(t *testing.T) {
	c := newCluster(t)
	c.put(`{"kind":"Job","apiVersion":"batch/v1","metadata":{"name":"clean-1","namespace":"checkout","creationTimestamp":"-720h","ownerReferences":[{"apiVersion":"batch/v1","kind":"CronJob","name":"clean","controller":true}]},"status":{"failed":1}}`, problemtest.WithCondition("Failed", "True", "BackoffLimitExceeded", "it failed", "-719h"))
	cron := `{"kind":"CronJob","apiVersion":"batch/v1","metadata":{"name":"clean","namespace":"checkout","creationTimestamp":"-900h"},"spec":{"schedule":"0 3 * * *"},"status":{"lastScheduleTime":"-9h"}}`
	c.put(cron)
	c.expect("runs", "warning cronjobs.batch/checkout/clean/BackoffLimitExceeded CronJob 719h0m0s 1/0 | BackoffLimitExceeded: it failed | condition Failed | logs  ")
	c.put(cron, `{"spec":{"suspend":true}}`)
	c.expect("suspended", "warning cronjobs.batch/checkout/clean/Suspended CronJob 0s 1/0 | suspended | spec.suspend | summary  ")
}

// TestNotReadyListed checks that the total of pods counts those whose cells say so in the list that it links to.
func TestNotReadyListed(t *testing.T) {
	agreed := make(map[bool]int)
	for _, states := range palette {
		for _, docs := range states {
			c := decode(t, true, strings.Split(docs, "\x00")...)
			if c.Kind.ID() != kinds.Pods {
				continue
			}
			columns := slices.Concat(c.Columns, c.Kind.ComputedColumns())
			listed := facts.Cell(columns, c.After.Derive(nil), "Conditions") == "NotReady" && facts.Cell(columns, c.After, "Status") != "Terminating"
			if counted := facts.Counts(kinds.Pods, c.Columns, c.After); counted != listed {
				t.Errorf("counted %v, listed %v: %s", counted, listed, docs)
			}
			agreed[listed]++
		}
	}
	if len(agreed) < 2 {
		t.Errorf("%v", agreed)
	}
}
