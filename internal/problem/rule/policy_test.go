package rule

import (
	"testing"

	"watchglass/internal/object"
	"watchglass/internal/problem/problemtest"
)

func TestStorageRules(t *testing.T) {
	testRules(t, "persistentvolumeclaims", `{"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{"name":"cache-3","namespace":"media","creationTimestamp":"-1h"},"spec":{"volumeName":"pv-1"},"status":{"phase":"Bound"}}`, []ruleCase{
		{"bound", nil, ""},
		{"pending", []string{`{"status":{"phase":"Pending"}}`}, ""},
		{"kept by a pod", []string{`{"metadata":{"deletionTimestamp":"-30m"}}`}, ""},
		{"kept for long", []string{`{"metadata":{"deletionTimestamp":"-24h","creationTimestamp":"-99h"}}`}, "warning Terminating 24h0m0s | Terminating, still in use | metadata.deletionTimestamp"},
		{"kept by a pod and a snapshot", []string{`{"metadata":{"deletionTimestamp":"-24h","creationTimestamp":"-99h","finalizers":["kubernetes.io/pvc-protection","snapshot.storage.kubernetes.io/pvc-as-source-protection"]}}`}, "warning Terminating 24h0m0s | Terminating, still in use | metadata.deletionTimestamp"},
		{"kept by a snapshot", []string{`{"metadata":{"deletionTimestamp":"-24h","creationTimestamp":"-99h","finalizers":["snapshot.storage.kubernetes.io/pvc-as-source-protection"]}}`}, "warning Terminating 24h0m0s | Terminating, finalizers snapshot.storage.kubernetes.io/pvc-as-source-protection | metadata.finalizers"},
		{"lost", []string{`{"status":{"phase":"Lost"}}`}, "failed Lost ? | Lost: volume pv-1 does not exist | status.phase"},
	})
	testRules(t, "persistentvolumes", `{"kind":"PersistentVolume","apiVersion":"v1","metadata":{"name":"pv-1","creationTimestamp":"-1h"},"status":{"phase":"Bound"}}`, []ruleCase{
		{"bound", nil, ""},
		{"released", []string{`{"status":{"phase":"Released"}}`}, ""},
		{"released, to be deleted", []string{`{"metadata":{"creationTimestamp":"-99h"},"spec":{"persistentVolumeReclaimPolicy":"Delete"},"status":{"phase":"Released","lastPhaseTransitionTime":"-72h"}}`}, "warning Released 72h0m0s | Released, not deleted despite reclaim policy Delete | status.phase"},
		{"just released", []string{`{"spec":{"persistentVolumeReclaimPolicy":"Delete"},"status":{"phase":"Released","lastPhaseTransitionTime":"-5m"}}`}, ""},
		{"failed", []string{`{"status":{"phase":"Failed","message":"cannot delete","lastPhaseTransitionTime":"-9m"}}`}, "warning Failed 9m0s | Failed: cannot delete | status.phase"},
	})
}

// TestStuck checks that what was deleted and is kept by finalizers has a row, whatever its kind.
func TestStuck(t *testing.T) {
	const deleted = `{"metadata":{"deletionTimestamp":"-6m","finalizers":["example.com/a","example.com/b"]}}`
	for resource, doc := range map[string]string{
		"services":                      `{"kind":"Service","apiVersion":"v1","metadata":{"name":"web","namespace":"checkout","creationTimestamp":"-1h"}}`,
		"ingresses.networking.k8s.io":   `{"kind":"Ingress","apiVersion":"networking.k8s.io/v1","metadata":{"name":"web","namespace":"checkout","creationTimestamp":"-1h"}}`,
		"persistentvolumes":             `{"kind":"PersistentVolume","apiVersion":"v1","metadata":{"name":"pv-1","creationTimestamp":"-1h"},"status":{"phase":"Available"}}`,
		"deployments.apps":              `{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"web","namespace":"checkout","creationTimestamp":"-1h"},"spec":{"replicas":0}}`,
		"storageclasses.storage.k8s.io": `{"kind":"StorageClass","apiVersion":"storage.k8s.io/v1","metadata":{"name":"fast","creationTimestamp":"-1h"}}`,
	} {
		testRules(t, resource, doc, []ruleCase{
			{"kept", []string{deleted}, "warning Terminating 6m0s | Terminating, finalizers example.com/a, example.com/b | metadata.finalizers"},
			{"just deleted", []string{deleted, `{"metadata":{"deletionTimestamp":"-4m"}}`}, ""},
			{"waits for what it owns", []string{deleted, `{"metadata":{"finalizers":["foregroundDeletion"]}}`}, ""},
			{"not deleted", []string{`{"metadata":{"finalizers":["example.com/a"]},"status":{"conditions":null}}`}, ""},
		})
	}
}

func TestPolicyRules(t *testing.T) {
	testRules(t, "horizontalpodautoscalers.autoscaling", `{"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v2","metadata":{"name":"web","namespace":"checkout","creationTimestamp":"-1h"},"spec":{"maxReplicas":6},"status":{"currentReplicas":6,"desiredReplicas":6}}`, []ruleCase{
		{"healthy", []string{problemtest.WithCondition("ScalingActive", "True", "ValidMetricFound", "", "-5m")}, ""},
		{"no metrics", []string{problemtest.WithCondition("ScalingActive", "False", "FailedGetResourceMetric", "no metrics returned", "-5m")}, "warning FailedGetResourceMetric 5m0s | FailedGetResourceMetric: no metrics returned | condition ScalingActive"},
		{"no status", []string{`{"status":{"conditions":null}}`}, "warning NotObserved 1h0m0s | no status; is the controller manager running? | status.conditions"},
		{"no status yet", []string{`{"metadata":{"creationTimestamp":"-90s"},"status":{"conditions":null}}`}, ""},
		{"no metrics yet", []string{problemtest.WithCondition("ScalingActive", "False", "FailedGetResourceMetric", "", "-90s")}, ""},
		{"no target", []string{problemtest.WithCondition("AbleToScale", "False", "FailedGetScale", "deployments.apps \\\"web\\\" not found", "-5m")}, `warning FailedGetScale 5m0s | FailedGetScale: deployments.apps "web" not found | condition AbleToScale`},
		{"scaled to none", []string{problemtest.WithCondition("ScalingActive", "False", "ScalingDisabled", "", "-5m")}, ""},
		{"at its most", []string{problemtest.WithCondition("ScalingLimited", "True", "TooManyReplicas", "", "-5m")}, "warning TooManyReplicas 5m0s | at maxReplicas 6 and still above target | condition ScalingLimited"},
		{"at its least", []string{problemtest.WithCondition("ScalingLimited", "True", "TooFewReplicas", "", "-5m")}, ""},
		{"below its most", []string{problemtest.WithCondition("ScalingLimited", "True", "TooManyReplicas", "", "-5m"), `{"status":{"currentReplicas":5}}`}, ""},
	})
	testRules(t, "poddisruptionbudgets.policy", `{"kind":"PodDisruptionBudget","apiVersion":"policy/v1","metadata":{"name":"web","namespace":"checkout","creationTimestamp":"-1h"},"status":{"disruptionsAllowed":1,"expectedPods":3,"currentHealthy":3,"desiredHealthy":2}}`, []ruleCase{
		{"healthy", nil, ""},
		{"no pods", []string{`{"status":{"disruptionsAllowed":0,"expectedPods":0,"currentHealthy":0,"desiredHealthy":0}}`}, ""},
		{"one is away", []string{`{"status":{"disruptionsAllowed":0,"currentHealthy":2}}`}, ""},
		{"blocks drains", []string{`{"status":{"disruptionsAllowed":0,"expectedPods":1,"currentHealthy":1,"desiredHealthy":1}}`}, "warning DisruptionsBlocked 1h0m0s | no disruptions allowed: 1 of 1 pod must stay, drains are blocked | status.disruptionsAllowed"},
		{"cannot be counted", []string{`{"status":{"disruptionsAllowed":0,"expectedPods":0,"currentHealthy":0,"desiredHealthy":0}}`, problemtest.WithCondition("DisruptionAllowed", "False", "SyncFailed", "found no controllers for pod x", "-48h"), `{"metadata":{"creationTimestamp":"-99h"}}`},
			"warning SyncFailed 48h0m0s | SyncFailed: found no controllers for pod x | condition DisruptionAllowed"},
		{"too few", []string{`{"status":{"disruptionsAllowed":0,"currentHealthy":1}}`, problemtest.WithCondition("DisruptionAllowed", "False", "InsufficientPods", "", "-5m")}, "warning InsufficientPods 5m0s | 1 of 2 healthy pods required, running pods can't be evicted | status.currentHealthy"},
		{"too few, unready ones may go: one is healthy", []string{`{"spec":{"unhealthyPodEvictionPolicy":"AlwaysAllow"},"status":{"disruptionsAllowed":0,"currentHealthy":1}}`, problemtest.WithCondition("DisruptionAllowed", "False", "InsufficientPods", "", "-5m")}, "warning InsufficientPods 5m0s | 1 of 2 healthy pods required, healthy pods can't be evicted | status.currentHealthy"},
		{"too few, unready ones may go: none is healthy", []string{`{"spec":{"unhealthyPodEvictionPolicy":"AlwaysAllow"},"status":{"disruptionsAllowed":0,"currentHealthy":0}}`, problemtest.WithCondition("DisruptionAllowed", "False", "InsufficientPods", "", "-5m")}, "warning InsufficientPods 5m0s | 0 of 2 healthy pods required | status.currentHealthy"},
	})
	testRules(t, "resourcequotas", `{"kind":"ResourceQuota","apiVersion":"v1","metadata":{"name":"small","namespace":"checkout","creationTimestamp":"-1h"},"status":{"hard":{"pods":"10","limits.memory":"4Gi","services.loadbalancers":"0"},"used":{"pods":"8","limits.memory":"3Gi","services.loadbalancers":"0"}}}`, []ruleCase{
		{"healthy", nil, ""},
		{"nearly full", []string{`{"status":{"used":{"pods":"9"}}}`}, "warning QuotaNearlyFull ? | used: pods 9 of 10 | status.used"},
		{"full", []string{`{"status":{"used":{"pods":"9","limits.memory":"4096Mi"}}}`}, "warning QuotaFull ? | used: limits.memory 4096Mi of 4Gi, pods 9 of 10 | status.used"},
	})
	testRules(t, "apiservices.apiregistration.k8s.io", `{"kind":"APIService","apiVersion":"apiregistration.k8s.io/v1","metadata":{"name":"v1beta1.metrics.k8s.io","creationTimestamp":"-1h"}}`, []ruleCase{
		{"available", []string{problemtest.WithCondition("Available", "True", "Passed", "", "-5m")}, ""},
		{"not available", []string{problemtest.WithCondition("Available", "False", "MissingEndpoints", "no endpoints", "-5m")}, "failed APIServiceUnavailable 5m0s | MissingEndpoints: no endpoints | condition Available"},
		{"not available for a moment", []string{problemtest.WithCondition("Available", "False", "MissingEndpoints", "", "-50s")}, ""},
	})
	testRules(t, "namespaces", `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"old","creationTimestamp":"-1h"}}`, []ruleCase{
		{"active", nil, ""},
		{"terminating", []string{`{"metadata":{"deletionTimestamp":"-4m"}}`}, ""},
		{"stuck, and not all APIs answer", []string{`{"metadata":{"deletionTimestamp":"-6m"},"status":{"conditions":[{"type":"NamespaceDeletionDiscoveryFailure","status":"True","message":"no answer of b"},{"type":"NamespaceFinalizersRemaining","status":"True","message":"finalizers remaining: example.com/a"}]}}`},
			"warning Terminating 6m0s | Terminating: finalizers remaining: example.com/a; no answer of b | metadata.deletionTimestamp"},
		{"stuck", []string{`{"metadata":{"deletionTimestamp":"-6m"}}`, problemtest.WithCondition("NamespaceFinalizersRemaining", "True", "", "Some content in the namespace has finalizers remaining: example.com/a in 1 resource instances", "-6m")},
			"warning Terminating 6m0s | Terminating: Some content in the namespace has finalizers remaining: example.com/a in 1 resource instances | metadata.deletionTimestamp"},
	})
}

func TestCustomRules(t *testing.T) {
	kind := object.Kind{Group: "cert-manager.io", Version: "v1", Resource: "certificates", Name: "Certificate", Namespaced: true}
	for _, c := range []struct{ doc, want string }{
		{problemtest.WithCondition("Ready", "True", "", "", "-5m"), ""},
		{problemtest.WithCondition("Ready", "False", "DoesNotExist", "Issuing certificate as Secret does not exist", "-5m"), "warning NotReady 5m0s | not ready: DoesNotExist: Issuing certificate as Secret does not exist | condition Ready"},
		{problemtest.WithCondition("Ready", "False", "Pending", "", "-50s"), ""},
		{problemtest.WithCondition("Synced", "False", "", "", "-5m"), "warning NotSynced 5m0s | not synced | condition Synced"},
		{problemtest.WithCondition("Issuing", "False", "", "", "-5m"), ""},
		{`{}`, ""},
	} {
		doc := problemtest.Parse(t, `{"kind":"Certificate","apiVersion":"cert-manager.io/v1","metadata":{"name":"web","namespace":"checkout","creationTimestamp":"-1h"}}`, c.doc)
		if got := causesText(Check(kind, doc, problemtest.Noon)); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.doc, got, c.want)
		}
	}
}
