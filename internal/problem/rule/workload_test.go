package rule

import (
	"testing"

	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/problemtest"
)

func TestDeploymentRules(t *testing.T) {
	short := `{"status":{"availableReplicas":4,"readyReplicas":4}}`
	testRules(t, "deployments.apps", problemtest.HealthyDeployment, []ruleCase{
		{"healthy", nil, ""},
		{"below desired", []string{short}, "warning BelowDesired ? | 4 of 6 pods available | status"},
		{"scaled to none", []string{`{"spec":{"replicas":0},"status":{"availableReplicas":null}}`}, ""},
		{"rolling out", []string{short, problemtest.WithCondition("Progressing", "True", "ReplicaSetUpdated", "", "-5m")}, ""},
		{"not observed", []string{short, `{"metadata":{"generation":3}}`}, "warning NotObserved ? | change not observed by its controller: generation 3, observed 2; is the controller manager running? | status.observedGeneration"},
		{"never observed", []string{`{"metadata":{"creationTimestamp":"-15m","generation":1},"status":null}`}, "warning NotObserved 15m0s | change not observed by its controller: generation 1, observed 0; is the controller manager running? | status.observedGeneration"},
		{"just created", []string{`{"metadata":{"creationTimestamp":"-50s","generation":1},"status":null}`}, ""},
		{"deleted", []string{`{"metadata":{"generation":3,"deletionTimestamp":"-5s"}}`}, ""},
		{"deadline", []string{short, problemtest.WithCondition("Progressing", "False", "ProgressDeadlineExceeded", `ReplicaSet \"web-1\" has timed out progressing.`, "-5m")},
			`failed ProgressDeadlineExceeded 5m0s | ProgressDeadlineExceeded: ReplicaSet "web-1" has timed out progressing. | condition Progressing`},
		{"quota", []string{short, problemtest.WithCondition("ReplicaFailure", "True", "FailedCreate", `pods \"web-1-x\" is forbidden: exceeded quota: small`, "-5m"), `{"status":{"availableReplicas":6}}`},
			`failed ReplicaFailure 5m0s | FailedCreate: exceeded quota: small | condition ReplicaFailure`},
		{"unavailable", []string{short, problemtest.WithCondition("Available", "False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.", "-5m")},
			"failed Unavailable 5m0s | MinimumReplicasUnavailable: Deployment does not have minimum availability. | condition Available"},
		{"unavailable for a moment", []string{short, problemtest.WithCondition("Available", "False", "MinimumReplicasUnavailable", "", "-50s")}, ""},
		{"paused", []string{`{"spec":{"paused":true}}`}, "warning Paused 1h0m0s | rollout paused | spec.paused"},
		{"paused and short", []string{short, `{"spec":{"paused":true}}`}, "warning BelowDesired ? | 4 of 6 pods available | status\nwarning Paused 1h0m0s | rollout paused | spec.paused"},
		{"created paused", []string{`{"spec":{"paused":true},"status":{"replicas":null,"updatedReplicas":null,"readyReplicas":null,"availableReplicas":null}}`}, "warning Paused 1h0m0s | rollout paused, no pods created | spec.paused"},
		{"created paused, unavailable", []string{`{"spec":{"paused":true},"status":{"replicas":null,"updatedReplicas":null,"readyReplicas":null,"availableReplicas":null}}`, problemtest.WithCondition("Available", "False", "MinimumReplicasUnavailable", "", "-5m")}, "warning Paused 1h0m0s | rollout paused, no pods created | spec.paused"},
		{"paused and scaled to none", []string{`{"spec":{"paused":true,"replicas":0},"status":{"replicas":null,"availableReplicas":null}}`}, "warning Paused 1h0m0s | rollout paused | spec.paused"},
	})
}

func TestOtherWorkloadRules(t *testing.T) {
	testRules(t, "statefulsets.apps", `{"kind":"StatefulSet","apiVersion":"apps/v1","metadata":{"name":"db","namespace":"checkout","creationTimestamp":"-1h"},"spec":{"replicas":3},"status":{"readyReplicas":3,"replicas":3}}`, []ruleCase{
		{"healthy", nil, ""},
		{"below desired", []string{`{"status":{"readyReplicas":2}}`}, "warning BelowDesired ? | 2 of 3 pods ready | status"},
		{"scaled to none", []string{`{"spec":{"replicas":0},"status":{"readyReplicas":null}}`}, ""},
	})
	testRules(t, "daemonsets.apps", `{"kind":"DaemonSet","apiVersion":"apps/v1","metadata":{"name":"log","namespace":"checkout","creationTimestamp":"-1h"},"spec":{},"status":{"desiredNumberScheduled":3,"numberAvailable":3,"numberReady":3,"currentNumberScheduled":3}}`, []ruleCase{
		{"healthy", nil, ""},
		{"below desired", []string{`{"status":{"numberAvailable":1}}`}, "warning BelowDesired ? | 1 of 3 pods available | status"},
		{"misscheduled", []string{`{"status":{"numberMisscheduled":1}}`}, "warning Misscheduled ? | 1 pod on nodes that the DaemonSet does not select, or whose taints it does not tolerate | status.numberMisscheduled"},
	})
	testRules(t, "replicasets.apps", `{"kind":"ReplicaSet","apiVersion":"apps/v1","metadata":{"name":"one","namespace":"checkout","creationTimestamp":"-1h"},"spec":{"replicas":2},"status":{"replicas":2,"availableReplicas":2,"readyReplicas":2}}`, []ruleCase{
		{"healthy", nil, ""},
		{"below desired", []string{`{"status":{"availableReplicas":1}}`}, "warning BelowDesired ? | 1 of 2 pods available | status"},
		{"its Deployment's", []string{`{"status":{"availableReplicas":1},"metadata":{"ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"web","controller":true}]}}`}, ""},
	})
}

func TestJobRules(t *testing.T) {
	testRules(t, "jobs.batch", `{"kind":"Job","apiVersion":"batch/v1","metadata":{"name":"import","namespace":"checkout","creationTimestamp":"-1h"},"spec":{},"status":{"startTime":"-50m","active":1}}`, []ruleCase{
		{"running", nil, ""},
		{"complete", []string{`{"status":{"active":null,"succeeded":1,"failed":1}}`, problemtest.WithCondition("Complete", "True", "", "", "-1m")}, ""},
		{"retrying", []string{`{"status":{"failed":2}}`}, "warning Retrying 50m0s | 2 pods failed, retrying | status.failed"},
		{"retries well", []string{`{"status":{"failed":2,"ready":1}}`}, "warning Retrying 50m0s | 2 pods failed earlier, 1 running | status.failed"},
		{"backing off", []string{`{"status":{"active":null,"failed":2}}`}, "warning Retrying 50m0s | 2 pods failed, retrying | status.failed"},
		{"failed indexes", []string{`{"spec":{"completionMode":"Indexed","backoffLimitPerIndex":0},"status":{"failed":2,"failedIndexes":"1,4"}}`}, "warning FailedIndexes 50m0s | failed indexes 1,4, not retried | status.failedIndexes"},
		{"retries an index", []string{`{"spec":{"completionMode":"Indexed","backoffLimitPerIndex":3},"status":{"failed":2}}`}, "warning Retrying 50m0s | 2 pods failed, retrying | status.failed"},
		{"about to complete", []string{`{"status":{"active":null,"failed":2,"succeeded":1}}`, problemtest.WithCondition("SuccessCriteriaMet", "True", "", "", "-1s")}, ""},
		{"suspended after failures", []string{`{"status":{"active":null,"failed":2}}`, problemtest.WithCondition("Suspended", "True", "JobSuspended", "", "-5m")}, ""},
		{"deleted after failures", []string{`{"metadata":{"deletionTimestamp":"-5m"},"status":{"active":null,"failed":2}}`}, ""},
		{"failed", []string{`{"status":{"active":null,"failed":7}}`, problemtest.WithCondition("Failed", "True", "BackoffLimitExceeded", "Job has reached the specified backoff limit", "-5m")},
			"failed BackoffLimitExceeded 5m0s | BackoffLimitExceeded: Job has reached the specified backoff limit | condition Failed"},
		{"deadline", []string{problemtest.WithCondition("Failed", "True", "DeadlineExceeded", "", "-5m")}, "failed DeadlineExceeded 5m0s | DeadlineExceeded | condition Failed"},
		{"failed long ago", []string{`{"metadata":{"creationTimestamp":"-50h"},"status":{"active":null}}`, problemtest.WithCondition("Failed", "True", "BackoffLimitExceeded", "", "-49h")},
			"warning BackoffLimitExceeded 49h0m0s | BackoffLimitExceeded | condition Failed"},
		{"suspended", []string{problemtest.WithCondition("Suspended", "True", "JobSuspended", "", "-5m")}, ""},
	})
}

func TestNodeRules(t *testing.T) {
	testRules(t, "nodes", `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n7","creationTimestamp":"-1h"},"spec":{},"status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"-1h"},{"type":"MemoryPressure","status":"False"}],"nodeInfo":{"kubeletVersion":"v1.36.1"}}}`, []ruleCase{
		{"healthy", nil, ""},
		{"unknown", []string{problemtest.WithCondition("Ready", "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.", "-2m")}, "failed NotReady 2m0s | NotReady: Kubelet stopped posting node status. | condition Ready"},
		{"not ready", []string{problemtest.WithCondition("Ready", "False", "KubeletNotReady", "container runtime is down", "-2m")}, "failed NotReady 2m0s | NotReady: container runtime is down | condition Ready"},
		{"joining", []string{`{"metadata":{"creationTimestamp":"-1m"}}`, problemtest.WithCondition("Ready", "False", "KubeletNotReady", "cni", "-1m")}, ""},
		{"going", []string{`{"spec":{"taints":[{"key":"ToBeDeletedByClusterAutoscaler"}]}}`, problemtest.WithCondition("Ready", "Unknown", "", "gone", "-1m")}, "warning NotReady 1m0s | NotReady: gone, taint ToBeDeletedByClusterAutoscaler | condition Ready"},
		{"pressure", []string{`{"status":{"conditions":[{"type":"Ready","status":"True"},{"type":"DiskPressure","status":"True","message":"kubelet has disk pressure","lastTransitionTime":"-3m"}]}}`}, "warning DiskPressure 3m0s | DiskPressure: kubelet has disk pressure | condition DiskPressure"},
		{"no network", []string{`{"status":{"conditions":[{"type":"Ready","status":"True"},{"type":"NetworkUnavailable","status":"True","message":"no route","lastTransitionTime":"-3m"}]}}`}, "failed NetworkUnavailable 3m0s | NetworkUnavailable: no route | condition NetworkUnavailable"},
		{"detected", []string{`{"status":{"conditions":[{"type":"Ready","status":"True"},{"type":"KernelDeadlock","status":"True","message":"task docker:1 blocked","lastTransitionTime":"-8m"},{"type":"ReadonlyFilesystem","status":"False"},{"type":"EtcdIsVoter","status":"True"},{"type":"StorageReady","status":"False","message":"EFS","lastTransitionTime":"-3m"}]}}`},
			"warning KernelDeadlock 8m0s | KernelDeadlock: task docker:1 blocked | condition KernelDeadlock\nwarning NotStorageReady 3m0s | NotStorageReady: EFS | condition StorageReady"},
		{"cordoned", []string{`{"spec":{"unschedulable":true,"taints":[{"key":"node.kubernetes.io/unschedulable","timeAdded":"-4m"}]}}`}, "warning SchedulingDisabled 4m0s | cordoned: SchedulingDisabled | spec.unschedulable"},
	})
	for _, c := range []struct {
		version string
		server  int
		want    string
	}{
		{"v1.36.1", 36, ""}, {"v1.33.9", 36, ""}, {"v1.36.1", 0, ""}, {"", 36, ""}, {"v1.36", 36, ""}, {"v1.x", 36, ""},
		{"v1.32.9", 36, "kubelet v1.32.9 is 4 minor versions older than the server's 1.36"},
		{"v1.37.0", 36, "kubelet v1.37.0 is newer than the server's 1.36"},
	} {
		if got := facts.SkewWords(c.version, c.server); got != c.want {
			t.Errorf("%s and 1.%d: %q", c.version, c.server, got)
		}
	}
}
