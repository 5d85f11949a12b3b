//go:build !js

package problem

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	changes "watchglass/internal/detail/revision"
	"watchglass/internal/document"
	"watchglass/internal/object"
	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/problemtest"
	"watchglass/internal/problem/rule"
)

const (
	webService = `{"kind":"Service","apiVersion":"v1","metadata":{"name":"web","namespace":"checkout","creationTimestamp":"-1h"},"spec":{"type":"ClusterIP","selector":{"app":"web"},"ports":[{"name":"http","port":80}]}}`
	webSlice   = `{"kind":"EndpointSlice","apiVersion":"discovery.k8s.io/v1","addressType":"IPv4","metadata":{"name":"web-x","namespace":"checkout","creationTimestamp":"-1h","labels":{"kubernetes.io/service-name":"web"}},"endpoints":[{"addresses":["10.0.0.1"],"conditions":{"ready":true},"targetRef":{"kind":"Pod","name":"web-5d9c-a"}}]}`
	unready    = `{"endpoints":[{"addresses":["10.0.0.1"],"conditions":{"ready":false},"targetRef":{"kind":"Pod","name":"web-5d9c-a"}}],"metadata":{"annotations":{"endpoints.kubernetes.io/last-change-trigger-time":"-5m"}}}`
	noneAtAll  = `{"endpoints":[],"metadata":{"annotations":{"endpoints.kubernetes.io/last-change-trigger-time":"-5m"}}}`
)

func TestServices(t *testing.T) {
	c := newCluster(t)
	c.put(webService)
	c.expect("nothing is known of endpoints")
	c.put(webSlice)
	c.expect("ready")
	c.put(webSlice, unready)
	c.expect("no endpoint is ready", "failed services/checkout/web/NoReadyEndpoints Service 5m0s 1/0 | 0 of 1 endpoint ready | EndpointSlice endpoints[].conditions.ready | related  ")
	c.put(problemtest.HealthyPod, named("web-5d9c-a"), problemtest.UnreadySince5m, oomStatus)
	oom := "failed deployments.apps/checkout/web/OOMKilled Deployment 5m0s 1/0 | OOMKilled (limit 512Mi), exit code 137, 14 restarts, container api | status.containerStatuses[api].lastState.terminated | logs web-5d9c-a api"
	c.expect("the pod explains it", oom)
	c.put(webSlice, noneAtAll)
	empty := "warning services/checkout/web/NoEndpoints Service 5m0s 1/0 | no endpoints for selector app=web | spec.selector | related  "
	c.expect("nothing is selected", oom, empty)
	c.remove("pods/checkout/web-5d9c-a")
	c.expect("nothing is there", empty)
	c.put(problemtest.HealthyDeployment, `{"spec":{"replicas":0},"status":{"readyReplicas":null,"availableReplicas":null,"updatedReplicas":null}}`)
	c.expect("scaled to zero")
	c.remove("deployments.apps/checkout/web")
	c.expect("of no workload", empty)
	c.put(`{"kind":"Job","apiVersion":"batch/v1","metadata":{"name":"j","namespace":"checkout","creationTimestamp":"-1h"},"spec":{"template":{"metadata":{"labels":{"app":"web"}}}},"status":{"conditions":[{"type":"Complete","status":"True"}]}}`)
	c.expect("it was a Job's")
	c.remove("jobs.batch/checkout/j")
	for _, other := range []string{`{"spec":{"type":"ExternalName"}}`, `{"spec":{"selector":null}}`, `{"spec":{"publishNotReadyAddresses":true}}`} {
		c.put(webService, other)
		c.expect(other)
	}
	c.put(webService)
	c.expect("again", empty)
	c.remove("services/checkout/web")
	c.expect("gone")
}

// TestServiceSince checks since when a service is said to have no ready endpoints: it is never the
// time at which it was made.
func TestServiceSince(t *testing.T) {
	const undated, unknown = `{"metadata":{"annotations":null}}`, "?"
	row := func(since string) string {
		return "failed services/checkout/web/NoReadyEndpoints Service " + since + " 1/0 | 0 of 1 endpoint ready | EndpointSlice endpoints[].conditions.ready | related  "
	}
	hook := func(since string) string {
		return "failed validatingwebhookconfigurations.admissionregistration.k8s.io//policy/WebhookUnavailable ValidatingWebhookConfiguration " + since + " 1/0 | webhook a.example.com: service checkout/web has no ready endpoints, failurePolicy Fail | webhooks[a.example.com].clientConfig.service | yaml  "
	}
	c := newCluster(t)
	c.put(`{"kind":"ValidatingWebhookConfiguration","apiVersion":"admissionregistration.k8s.io/v1","metadata":{"name":"policy","creationTimestamp":"-1h"},"webhooks":[{"name":"a.example.com","clientConfig":{"service":{"namespace":"checkout","name":"web"}},"failurePolicy":"Fail"}]}`)
	c.put(webService)
	c.put(webSlice, unready, undated)
	c.expect("it was so from the first", row(unknown), hook(unknown))
	c.put(webSlice)
	c.expect("ready")
	c.put(webSlice, unready, undated)
	c.expect("for a moment")
	c.now = c.now.Add(2 * time.Minute)
	c.expect("it was seen to stop", row("0s"), hook("0s"))
	c.put(webSlice, unready)
	c.expect("the slice says when", row("5m0s"), hook("5m0s"))
}

func TestBackends(t *testing.T) {
	c := newCluster(t)
	c.engine.options.Synced = func(string) bool { return c.objects["services/checkout/other"].After != nil }
	c.put(`{"kind":"Ingress","apiVersion":"networking.k8s.io/v1","metadata":{"name":"shop","namespace":"checkout","creationTimestamp":"-1h"},"spec":{"rules":[{"http":{"paths":[{"path":"/","pathType":"Prefix","backend":{"service":{"name":"web","port":{"number":80}}}},{"path":"/a","pathType":"Prefix","backend":{"service":{"name":"web","port":{"name":"grpc"}}}}]}}]}}`)
	c.put(`{"kind":"ValidatingWebhookConfiguration","apiVersion":"admissionregistration.k8s.io/v1","metadata":{"name":"policy","creationTimestamp":"-1h"},"webhooks":[{"name":"a.example.com","clientConfig":{"service":{"namespace":"checkout","name":"web"}},"failurePolicy":"Fail"},{"name":"b.example.com","clientConfig":{"url":"https://b"}}]}`)
	c.expect("services are not known")
	c.now = c.now.Add(time.Hour)
	c.put(webService, named("other"), `{"spec":{"selector":null}}`)
	c.expect("missing for as long as is known",
		"failed validatingwebhookconfigurations.admissionregistration.k8s.io//policy/WebhookUnavailable ValidatingWebhookConfiguration ? 1/0 | webhook a.example.com: service checkout/web not found, failurePolicy Fail | webhooks[a.example.com].clientConfig.service | yaml  ",
		"warning ingresses.networking.k8s.io/checkout/shop/ServiceNotFound Ingress ? 1/0 | service web not found | spec.rules | related  ")
	c.put(webService)
	c.put(webSlice, unready)
	c.expect("a port is missing, for a moment",
		"failed services/checkout/web/NoReadyEndpoints Service 5m0s 1/0 | 0 of 1 endpoint ready | EndpointSlice endpoints[].conditions.ready | related  ",
		"failed validatingwebhookconfigurations.admissionregistration.k8s.io//policy/WebhookUnavailable ValidatingWebhookConfiguration 5m0s 1/0 | webhook a.example.com: service checkout/web has no ready endpoints, failurePolicy Fail | webhooks[a.example.com].clientConfig.service | yaml  ")
	c.now = c.now.Add(2 * time.Minute)
	c.put(webSlice)
	c.expect("a port is missing", "warning ingresses.networking.k8s.io/checkout/shop/PortNotFound Ingress -1h0m0s 1/0 | service port web:grpc not found | spec.rules | related  ")
	c.put(webService, `{"spec":{"ports":[{"name":"grpc","port":80}]}}`)
	c.expect("well")
}

// TestIngressClass reports an Ingress whose class does not exist, unless some controller has taken it.
func TestIngressClass(t *testing.T) {
	const ingress = `{"kind":"Ingress","apiVersion":"networking.k8s.io/v1","metadata":{"name":"shop","namespace":"checkout","creationTimestamp":"-1h"},"spec":{"ingressClassName":"nginx"}}`
	const class = `{"kind":"IngressClass","apiVersion":"networking.k8s.io/v1","metadata":{"name":"nginx","creationTimestamp":"-1h"},"spec":{"controller":"k8s.io/ingress-nginx"}}`
	row := func(since string) string {
		return "warning ingresses.networking.k8s.io/checkout/shop/IngressClassNotFound Ingress " + since + " 1/0 | no IngressClass nginx | spec.ingressClassName | yaml  "
	}
	c, known := newCluster(t), false
	c.engine.options.Synced = func(string) bool { return known }
	c.put(ingress)
	c.expect("classes are not known")
	known = true
	c.put(ingress)
	c.expect("missing for as long as is known", row("?"))
	c.put(class)
	c.expect("there is one")
	c.remove("ingressclasses.networking.k8s.io/nginx")
	c.expect("gone, for a moment")
	c.now = c.now.Add(2 * time.Minute)
	c.put(ingress, `{"metadata":{"labels":{"a":"b"}}}`)
	c.expect("gone", row("0s"))
	c.put(ingress, `{"status":{"loadBalancer":{"ingress":[{"ip":"192.0.2.1"}]}}}`)
	c.expect("taken by a controller that reads no class")
	c.put(ingress, `{"spec":{"ingressClassName":null}}`)
	c.expect("of no class")
}

func TestClaims(t *testing.T) {
	const pending = `{"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{"name":"cache-3","namespace":"media","creationTimestamp":"-1h"},"spec":{"storageClassName":"fast"},"status":{"phase":"Pending"}}`
	const class = `{"kind":"StorageClass","apiVersion":"storage.k8s.io/v1","metadata":{"name":"slow","creationTimestamp":"-1h"},"provisioner":"x"}`
	row := func(words string) string {
		return "warning persistentvolumeclaims/media/cache-3/Pending PersistentVolumeClaim 1h0m0s 1/0 | Pending: " + words + " | status.phase | events  "
	}
	c := newCluster(t)
	c.put(pending)
	c.expect("nothing is known of classes")
	c.put(class)
	c.expect("no class", row("no StorageClass fast"))
	c.put(class, named("fast"))
	c.expect("not provisioned", row("StorageClass fast has provisioned no volume"))
	c.put(class, named("fast"), `{"volumeBindingMode":"WaitForFirstConsumer"}`)
	c.expect("waits for a pod")
	c.put(pending, `{"metadata":{"annotations":{"volume.kubernetes.io/selected-node":"n1"}}}`)
	c.expect("for a moment")
	c.now = c.now.Add(2 * time.Minute)
	c.expect("a pod waits", row("StorageClass fast has provisioned no volume"))
	c.put(eventDoc("PersistentVolumeClaim", "cache-3", "ProvisioningFailed", "disk quota exceeded", 3), `{"metadata":{"namespace":"media"},"involvedObject":{"namespace":"media"}}`)
	c.expect("with an event", "warning persistentvolumeclaims/media/cache-3/Pending PersistentVolumeClaim 1h0m0s 1/0 | Pending: StorageClass fast has provisioned no volume: disk quota exceeded | status.phase, event ProvisioningFailed | events  ")
	c.put(pending, `{"spec":{"volumeName":"pv-1"},"status":{"phase":"Bound"}}`)
	c.expect("bound")
}

// TestDeletedVolume checks that a volume that is not deleted with its claim is reported after somebody
// deleted it, too: kubectl shows it as Terminating.
func TestDeletedVolume(t *testing.T) {
	const volume = `{"kind":"PersistentVolume","apiVersion":"v1","metadata":{"name":"pv-1","creationTimestamp":"-99h","deletionTimestamp":"-2h","finalizers":["external-provisioner.volume.kubernetes.io/finalizer"]},"spec":{"persistentVolumeReclaimPolicy":"Delete"},"status":{"phase":"%s","lastPhaseTransitionTime":"-2h"}}`
	c := newCluster(t)
	c.put(fmt.Sprintf(volume, "Released"))
	c.expect("released", "warning persistentvolumes//pv-1/Released PersistentVolume 2h0m0s 1/0 | Released, not deleted despite reclaim policy Delete | status.phase | events  ")
	c.put(fmt.Sprintf(volume, "Failed"))
	c.expect("failed", "warning persistentvolumes//pv-1/Failed PersistentVolume 2h0m0s 1/0 | Failed | status.phase | summary  ")
	c.put(fmt.Sprintf(volume, "Bound"))
	c.expect("its claim is still there")
}

// eventDoc is a warning of the last ten minutes.
func eventDoc(kind, name, reason, message string, count int) string {
	return fmt.Sprintf(`{"kind":"Event","apiVersion":"v1","metadata":{"name":"%s.%s","namespace":"checkout","creationTimestamp":"-10m"},"involvedObject":{"kind":"%s","name":"%s","namespace":"checkout"},"type":"Warning","reason":"%s","message":"%s","count":%d,"firstTimestamp":"-10m","lastTimestamp":"-1m"}`, name, strings.ToLower(reason), kind, name, reason, message, count)
}

// TestDatedByEvents checks that what does not say since when is as old as the event that explains it,
// whenever it was first seen.
func TestDatedByEvents(t *testing.T) {
	const set = `{"kind":"StatefulSet","apiVersion":"apps/v1","metadata":{"name":"db","namespace":"checkout","creationTimestamp":"-1h"},"spec":{"replicas":2},"status":{"readyReplicas":1}}`
	c := newCluster(t)
	c.put(set)
	c.expect("of unknown age", "warning statefulsets.apps/checkout/db/BelowDesired StatefulSet ? 1/0 | 1 of 2 pods ready | status | related  ")
	c.put(eventDoc("StatefulSet", "db", "FailedCreate", "exceeded quota: small", 9))
	c.expect("since the event", "warning statefulsets.apps/checkout/db/BelowDesired StatefulSet 10m0s 1/0 | exceeded quota: small, 1 of 2 pods ready | status, event FailedCreate | related  ")
	c.now = c.now.Add(15 * time.Minute)
	c.expect("once the event is old", "warning statefulsets.apps/checkout/db/BelowDesired StatefulSet 10m0s 1/0 | 1 of 2 pods ready | status | related  ")

	c = newCluster(t)
	c.put(eventDoc("PersistentVolumeClaim", "cache", "ClaimLost", "Bound claim has lost its PersistentVolume.", 1))
	c.put(`{"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{"name":"cache","namespace":"checkout","creationTimestamp":"-1h"},"spec":{"volumeName":"pv-1"},"status":{"phase":"Lost"}}`)
	c.expect("a lost claim", "failed persistentvolumeclaims/checkout/cache/Lost PersistentVolumeClaim 10m0s 1/0 | Lost: volume pv-1 does not exist: Bound claim has lost its PersistentVolume. | status.phase, event ClaimLost | summary  ")
}

func TestEvents(t *testing.T) {
	c := newCluster(t)
	c.put(webSet)
	c.put(eventDoc("Pod", "web-5d9c-a", "FailedMount", "no secret", 3))
	c.expect("over, once the pod is well")
	c.put(eventDoc("Pod", "web-5d9c-a", "Unhealthy", "Liveness probe failed: 500", 30))
	c.expect("a probe that keeps failing", "warning deployments.apps/checkout/web/Unhealthy Deployment 10m0s 1/0 | Unhealthy: Liveness probe failed: 500 (×30) | event Unhealthy | events web-5d9c-a ")
	c.put(eventDoc("Pod", "web-5d9c-a", "Unhealthy", "Liveness probe failed: 500", 2))
	c.expect("a probe that failed")
	c.put(problemtest.HealthyPod, named("web-5d9c-a"), problemtest.ScheduledPod)
	c.expect("with a cause", "warning deployments.apps/checkout/web/ContainerCreating Deployment 2m30s 1/0 | no secret, container api | status.containerStatuses[api].state.waiting, event FailedMount | events web-5d9c-a ")
	c.put(eventDoc("Deployment", "web", "Strange", "strange things", 1))
	c.expect("of an object that is explained", "warning deployments.apps/checkout/web/ContainerCreating Deployment 2m30s 1/0 | no secret, container api | status.containerStatuses[api].state.waiting, event FailedMount | events web-5d9c-a ")
	c.put(problemtest.HealthyPod, named("web-5d9c-a"))
	c.expect("of a Deployment, of which none is known", "warning deployments.apps/checkout/web/Strange Deployment 10m0s 1/0 | Strange: strange things | event Strange | events  ")
	c.put(problemtest.HealthyDeployment, named("other"))
	c.expect("of a Deployment that is gone")
	c.put(problemtest.HealthyDeployment)
	c.expect("of a Deployment", "warning deployments.apps/checkout/web/Strange Deployment 10m0s 1/0 | Strange: strange things | event Strange | events  ")
	c.put(eventDoc("Widget", "w", "Odd", "odd", 1))
	c.expect("of an unknown kind", "warning deployments.apps/checkout/web/Strange Deployment 10m0s 1/0 | Strange: strange things | event Strange | events  ", "warning widget/checkout/w/Odd Widget 10m0s 1/0 | Odd: odd | event Odd | events  ")
	if n := c.engine.Warnings(c.now); n != 4 {
		t.Errorf("%d warnings", n)
	}
	c.now = c.now.Add(14 * time.Minute)
	c.expect("fifteen minutes later")
	if n := c.engine.Warnings(c.now); n != 0 || !c.engine.Due().IsZero() {
		t.Errorf("%d warnings, due %v", n, c.engine.Due())
	}
}

// TestEventsOver checks that an event is over once its object is well, and that what is repaired at
// once or done on purpose is no problem.
func TestEventsOver(t *testing.T) {
	c := newCluster(t)
	set := `{"kind":"StatefulSet","apiVersion":"apps/v1","metadata":{"name":"db","namespace":"checkout","creationTimestamp":"-1h"},"spec":{"replicas":2},"status":{"readyReplicas":1,"replicas":1}}`
	c.put(eventDoc("StatefulSet", "db", "FailedCreate", "exceeded quota", 1))
	c.put(set)
	c.expect("short", "warning statefulsets.apps/checkout/db/BelowDesired StatefulSet 10m0s 1/0 | exceeded quota, 1 of 2 pods ready | status, event FailedCreate | related  ")
	c.put(set, `{"status":{"readyReplicas":2,"replicas":2}}`)
	c.expect("has its pods")
	c.put(webService)
	c.put(webSlice)
	c.put(eventDoc("Service", "web", "ClusterIPNotAllocated", "10.96.0.1 is not allocated; repairing", 1))
	c.expect("repaired")
	c.put(`{"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v2","metadata":{"name":"web","namespace":"checkout","creationTimestamp":"-1h"},"spec":{"maxReplicas":3,"scaleTargetRef":{"kind":"Deployment","name":"web"}},"status":{"conditions":[{"type":"ScalingActive","status":"True"}]}}`)
	c.put(eventDoc("HorizontalPodAutoscaler", "web", "FailedGetResourceMetric", "no metrics returned", 3))
	c.expect("has metrics")
	c.put(`{"kind":"CronJob","apiVersion":"batch/v1","metadata":{"name":"clean","namespace":"checkout","creationTimestamp":"-9h"},"spec":{"schedule":"0 * * * *"},"status":{"lastScheduleTime":"-10m"}}`)
	c.put(eventDoc("CronJob", "clean", "UnexpectedJob", "Saw a job that the controller did not create or forgot: by-hand", 5))
	c.expect("has a Job that was started by hand")
}

// TestConflicts checks that writes that lost a race are no problem, since their writers try again, unless that goes on.
func TestConflicts(t *testing.T) {
	const (
		scaler = `{"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v2","metadata":{"name":"web","namespace":"checkout","creationTimestamp":"-1h"},"spec":{"maxReplicas":3,"scaleTargetRef":{"kind":"Deployment","name":"web"}},"status":{"conditions":[{"type":"ScalingActive","status":"True"}]}}`
		late   = "Operation cannot be fulfilled on web: the object has been modified; please apply your changes to the latest version and try again"
		row    = "warning horizontalpodautoscalers.autoscaling/checkout/web/FailedUpdateStatus HorizontalPodAutoscaler %s 1/0 | FailedUpdateStatus: %s | event FailedUpdateStatus | events  "
	)
	event := func(name, message, first, last string, count int) (doc, rest string) {
		return eventDoc("HorizontalPodAutoscaler", "web", "FailedUpdateStatus", message, count), fmt.Sprintf(`{"metadata":{"name":%q},"firstTimestamp":%q,"lastTimestamp":%q}`, name, first, last)
	}
	for _, c := range []struct {
		name, message, first, last string
		count                      int
		want                       string
	}{
		{"once", late, "-1m", "-1m", 1, ""},
		{"twice", late, "-10m", "-1m", 2, ""},
		{"often in two minutes", late, "-3m", "-1m", 9, ""},
		{"once in 19 minutes", late, "-58m", "-1m", 3, ""},
		{"of a long name", strings.Repeat("long before ", 30) + late, "-3m", "-1m", 9, ""},
		{"goes on", late, "-5m", "-1m", 3, fmt.Sprintf(row, "5m0s", late+" (×3)")},
		{"goes on for long", late, "-40m", "-1m", 9, fmt.Sprintf(row, "40m0s", late+" (×9)")},
		{"something else", "forbidden", "-1m", "-1m", 1, fmt.Sprintf(row, "1m0s", "forbidden")},
		{"among others", "[secret not found, " + late + "]", "-1m", "-1m", 1, fmt.Sprintf(row, "1m0s", "[secret not found, "+late+"]")},
	} {
		cluster := newCluster(t)
		cluster.put(scaler)
		cluster.put(event("a", c.message, c.first, c.last, c.count))
		if c.want == "" {
			cluster.expect(c.name)
		} else {
			cluster.expect(c.name, c.want)
		}
	}

	c := newCluster(t)
	c.put(scaler)
	c.put(event("a", late, "-5m", "-5m", 1))
	c.put(event("b", late, "-3m", "-3m", 1))
	c.expect("two events")
	c.put(event("c", late, "-1m", "-1m", 1))
	c.expect("three events that go on", fmt.Sprintf(row, "5m0s", late))
	c.put(event("d", "forbidden", "-30s", "-30s", 1))
	c.expect("one that says more", fmt.Sprintf(row, "30s", "forbidden"))

	c = newCluster(t)
	c.put(problemtest.HealthyPod, named("web-5d9c-a"))
	c.put(eventDoc("Pod", "web-5d9c-a", "FailedScheduling", late, 9))
	c.expect("of a pod that runs")
}

// TestTables checks objects of which the server sends a Table's row, with and without the body.
func TestTables(t *testing.T) {
	kind := object.Kind{Group: "example.com", Version: "v1", Resource: "widgets", Name: "Widget", Namespaced: true}
	d := object.NewDecoder(kind, true)
	if _, err := d.SetColumns([]byte(`[{"name":"Name","type":"string","format":"name"},{"name":"Ready","type":"string"},{"name":"Phase","type":"string"}]`)); err != nil {
		t.Fatal(err)
	}
	c := newCluster(t)
	put := func(cells, object string) {
		t.Helper()
		o, err := d.Decode([]byte(problemtest.Dated(`{"cells":[` + cells + `],"object":` + object + `}`)))
		if err != nil {
			t.Fatal(err)
		}
		if change := (Change{Kind: &kind, Columns: d.Columns(), After: o}); rule.Wants(&kind, kind.ID(), d.Columns(), o, 0) == (cells == `"w","True",""`) {
			t.Errorf("%s: wanted %v", cells, cells != `"w","True",""`)
		} else {
			c.apply(change)
		}
		c.text()
		c.now = c.now.Add(2 * time.Minute)
	}
	meta := `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"w","namespace":"a","creationTimestamp":"-1h"}}`
	put(`"w","True",""`, meta)
	c.expect("ready")
	put(`"w","False",""`, meta)
	c.expect("not ready", "warning widgets.example.com/a/w/NotReady Widget -2m0s 1/0 | Ready is False | column Ready | summary  ")
	put(`"w","False",""`, `{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"w","namespace":"a","creationTimestamp":"-1h"},"status":{"conditions":[{"type":"Ready","status":"False","reason":"Broken","message":"it broke","lastTransitionTime":"-5m"}]}}`)
	c.expect("with a body", "warning widgets.example.com/a/w/NotReady Widget 5m0s 1/0 | not ready: Broken: it broke | condition Ready | summary  ")
	put(`"w","True",""`, meta)
	c.expect("ready again")
}

// TestWithoutBodies checks pods whose bytes were released.
func TestWithoutBodies(t *testing.T) {
	c := newCluster(t)
	for _, status := range []string{oomStatus, problemtest.ScheduledPod, `{"metadata":{"deletionTimestamp":"-5m"}}`, `{"status":{"phase":"Failed","reason":"Evicted"}}`} {
		c.apply(decode(t, false, problemtest.HealthyPod, problemtest.UnreadySince5m, status))
		c.text()
	}
	c.apply(decode(t, false, problemtest.HealthyPod, problemtest.UnreadySince5m, oomStatus))
	c.apply(decode(t, false, problemtest.HealthyDeployment, `{"status":{"readyReplicas":5}}`))
	c.apply(decode(t, false, webService))
	c.apply(decode(t, false, webSlice))
	c.expect("what cells tell", "warning deployments.apps/checkout/web/CrashLoopBackOff Deployment 1h0m0s 1/6 | CrashLoopBackOff, 1 of 6 pods | column Status | summary web-5d9c-x2x1p ")
}

func TestRollouts(t *testing.T) {
	c := newCluster(t)
	set := func(deployment, name, revision, at, image string, ready int) {
		c.put(webSet, fmt.Sprintf(`{"metadata":{"name":"%s","creationTimestamp":"%s","annotations":{"deployment.kubernetes.io/revision":"%s"},"ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"%s","controller":true}]},"spec":{"template":{"spec":{"containers":[{"name":"api","image":"%s"},{"name":"log","image":"log:1"}]}}},"status":{"readyReplicas":%d}}`, name, at, revision, deployment, image, ready))
	}
	set("web", "web-1", "1", "-3h", "web:1.4", 0)
	set("api", "api-9", "9", "-2h", "api:2.0", 6)
	set("api", "api-10", "10", "-9h", "api:2.0", 6)
	c.text()
	want := []Rollout{{kinds.Deployments, "checkout", "api", problemtest.Noon.Unix() - 2*3600, true, nil, 6, 6}} // used again since api-9, nobody knows when
	if got := c.engine.Rollouts(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	set("web", "web-2", "2", "-1h", "web:1.5", 4)
	c.text()
	want = append([]Rollout{{kinds.Deployments, "checkout", "web", problemtest.Noon.Unix() - 3600, false, []ImageChange{{"web:1.4", "web:1.5"}}, 4, 6}}, want...)
	if got := c.engine.Rollouts(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for i := range 20 {
		set(fmt.Sprint("d", i), fmt.Sprint("d", i, "-1"), "1", "-3h", "a", 0)
		set(fmt.Sprint("d", i), fmt.Sprint("d", i, "-2"), "2", fmt.Sprint("-", 10+i, "m"), "b", 0)
	}
	c.text()
	if got := c.engine.Rollouts(); len(got) != 10 || got[0].Name != "d0" || got[9].Name != "d9" {
		t.Error(got)
	}
}

// TestRollbackTimes checks that the overview and the Changes tab date a rollback alike, and not by when its ReplicaSet was
// created: when it was seen, else after the newest other ReplicaSet was created, also if that was itself rolled back.
func TestRollbackTimes(t *testing.T) {
	for name, tc := range map[string]struct {
		before, now []string // when ReplicaSets were created, by their numbers: "1 -3h"
		at          string
		after       bool
		late        bool // now came while the list was not live
	}{
		"a rollout":            {nil, []string{"1 -3h", "2 -1h"}, "-1h", false, false},
		"nobody saw it":        {nil, []string{"2 -1h", "3 -3h"}, "-1h", true, false},
		"it was seen":          {[]string{"1 -3h", "2 -1h"}, []string{"3 -3h", "2 -1h"}, "-5m", false, false},
		"during a sleep":       {[]string{"1 -3h", "2 -1h"}, []string{"3 -3h", "2 -1h"}, "-1h", true, true},
		"one after another":    {nil, []string{"3 -1h", "4 -2h", "5 -3h"}, "-1h", true, false},
		"the second was seen":  {[]string{"3 -1h", "4 -2h", "2 -3h"}, []string{"3 -1h", "4 -2h", "5 -3h"}, "-5m", false, false},
		"only the first was":   {[]string{"3 -1h", "2 -2h", "1 -3h"}, []string{"3 -1h", "4 -2h"}, "-5m", false, false},
		"and then a new image": {[]string{"2 -1h", "3 -3h"}, []string{"2 -1h", "3 -3h", "4 -1m"}, "-1m", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			put := func(all []string) (stored []document.Value) {
				for _, set := range all {
					number, created, _ := strings.Cut(set, " ")
					change := fmt.Sprintf(`{"metadata":{"name":"web%s","creationTimestamp":"%s","annotations":{"deployment.kubernetes.io/revision":"%s"},"ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"web","controller":true}]}}`, created, created, number)
					c.put(webSet, change)
					stored = append(stored, problemtest.Parse(t, webSet, change))
				}
				c.text()
				return stored
			}
			c.now = problemtest.Noon.Add(-10 * time.Minute)
			put(tc.before)
			c.now = problemtest.Noon.Add(-5 * time.Minute)
			c.late = tc.late
			stored := put(tc.now)
			ago, _ := time.ParseDuration(tc.at)
			at, overview := problemtest.Noon.Add(ago).Unix(), c.engine.Rollouts()
			if len(overview) != 1 || overview[0].At != at || overview[0].After != tc.after {
				t.Errorf("the overview has %+v, want %d, after it %v", overview, at, tc.after)
			}
			newest := changes.Read(changes.Input{Workload: problemtest.Parse(t, problemtest.HealthyDeployment), HasStored: true, Stored: stored}).Revisions[0]
			tab, after := newest.Created, newest.After != 0
			if seen := c.engine.UsedAgain(kinds.ReplicaSets, "checkout", newest.Name); after && seen != 0 {
				tab, after = seen, false
			} else if after {
				tab = newest.After
			}
			if tab != at || after != tc.after {
				t.Errorf("the Changes tab has %d, after it %v, want %d, %v", tab, after, at, tc.after)
			}
		})
	}
}

// TestControllerRevisions checks rollouts of StatefulSets and DaemonSets: the images of the two newest
// revisions, how many new pods are ready, and a rollback, which uses an old revision again.
func TestControllerRevisions(t *testing.T) {
	c := newCluster(t)
	revision := func(kind, name, number, at, image string) {
		c.put(fmt.Sprintf(`{"kind":"ControllerRevision","apiVersion":"apps/v1","metadata":{"name":"%[2]s-%[5]s","namespace":"checkout","creationTimestamp":"%[4]s","ownerReferences":[{"apiVersion":"apps/v1","kind":"%[1]s","name":"%[2]s","controller":true}]},"data":{"spec":{"template":{"$patch":"replace","metadata":{},"spec":{"containers":[{"name":"main","image":"db:%[5]s","env":[{"name":"containers","value":"[{\"image\":\"no\"}]"}]},{"name":"log","image":"log:1"}]}}}},"revision":%[3]s}`, kind, name, number, at, image))
	}
	set := func(generation, updated, ready int) {
		c.put(fmt.Sprintf(`{"kind":"StatefulSet","apiVersion":"apps/v1","metadata":{"name":"db","namespace":"checkout","creationTimestamp":"-9h","generation":%d},"spec":{"replicas":3},"status":{"observedGeneration":2,"replicas":3,"updatedReplicas":%d,"readyReplicas":%d}}`, generation, updated, ready))
	}
	want := func(when string, want ...Rollout) {
		t.Helper()
		c.text()
		if got := c.engine.Rollouts(); len(got) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", when, got, want)
		}
	}
	set(2, 3, 3)
	revision("StatefulSet", "db", "1", "-9h", "1")
	revision("Gear", "db", "2", "-9h", "2")
	want("one revision")
	revision("StatefulSet", "db", "2", "-1h", "2")
	rollout := Rollout{kinds.StatefulSets, "checkout", "db", problemtest.Noon.Unix() - 3600, false, []ImageChange{{"db:1", "db:2"}}, 3, 3}
	want("complete", rollout)
	for _, c := range []struct{ generation, updated, ready, now int }{
		{3, 3, 3, 0}, // not observed yet
		{2, 0, 3, 0}, {2, 0, 2, 0}, {2, 1, 2, 0}, {2, 1, 3, 1}, {2, 2, 2, 1}, {2, 3, 2, 2}, {2, 3, 1, 1}, {2, 2, 0, 0},
	} {
		set(c.generation, c.updated, c.ready)
		rollout.Ready = c.now
		want(fmt.Sprint(c), rollout)
	}
	c.now = problemtest.Noon.Add(10 * time.Minute)
	revision("StatefulSet", "db", "3", "-9h", "1")
	rollout.At, rollout.Images = c.now.Unix(), []ImageChange{{"db:2", "db:1"}}
	want("rolled back", rollout)
	c.now = problemtest.Noon.Add(time.Hour)
	revision("StatefulSet", "db", "3", "-9h", "1")
	want("written again", rollout)

	c.put(`{"kind":"DaemonSet","apiVersion":"apps/v1","metadata":{"name":"log","namespace":"checkout","creationTimestamp":"-9h","generation":4},"status":{"observedGeneration":4,"desiredNumberScheduled":5,"currentNumberScheduled":5,"updatedNumberScheduled":2,"numberReady":4,"numberAvailable":4}}`)
	revision("DaemonSet", "log", "4", "-3h", "1")
	revision("DaemonSet", "log", "7", "-9h", "7") // used again before anybody looked
	want("of two kinds", rollout, Rollout{kinds.DaemonSets, "checkout", "log", problemtest.Noon.Unix() - 3*3600, true, []ImageChange{{"db:1", "db:7"}}, 1, 5})
	c.remove("controllerrevisions.apps/checkout/db-2")
	c.remove("controllerrevisions.apps/checkout/log-1")
	want("with too few left")
}

func TestTotals(t *testing.T) {
	c := newCluster(t)
	c.put(problemtest.HealthyPod)
	c.put(problemtest.HealthyPod, named("b"), oomStatus)
	c.put(problemtest.HealthyPod, named("c"), `{"status":{"phase":"Succeeded","containerStatuses":[{"name":"api","ready":false,"restartCount":0,"state":{"terminated":{"exitCode":0,"reason":"Completed"}}}]}}`)
	c.put(problemtest.HealthyPod, named("d"), oomStatus, `{"metadata":{"deletionTimestamp":"-5m"}}`)
	c.put(problemtest.HealthyPod, named("e"), `{"status":{"conditions":[{"type":"Ready","status":"False","reason":"ReadinessGatesNotReady"}]}}`) // 1/1, but it says so
	c.put(problemtest.HealthyDeployment)
	c.put(problemtest.HealthyDeployment, named("b"), `{"status":{"readyReplicas":5}}`)
	c.put(webSet)
	job := `{"kind":"Job","apiVersion":"batch/v1","metadata":{"name":"j","namespace":"checkout","creationTimestamp":"-1h"}}`
	c.put(job)
	c.put(job, named("k"), `{"metadata":{"ownerReferences":[{"apiVersion":"batch/v1","kind":"CronJob","name":"cj","controller":true}]}}`)
	c.put(problemtest.HealthyPod, named("f"), `{"metadata":{"ownerReferences":null}}`)
	node := `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n1","creationTimestamp":"-1h"},"status":{"conditions":[{"type":"Ready","status":"True"}]}}`
	c.put(node)
	c.put(node, named("n2"), problemtest.WithCondition("Ready", "Unknown", "", "", "-5m"))
	if got, want := c.totals, (facts.Totals{Nodes: 2, NodesBad: 1, Pods: 6, PodsBad: 2, Workloads: 4, WorkloadsBad: 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for _, key := range slices.Sorted(func(yield func(string) bool) {
		for key := range c.objects {
			if !yield(key) {
				return
			}
		}
	}) {
		c.remove(key)
	}
	if c.totals != (facts.Totals{}) {
		t.Errorf("%+v", c.totals)
	}
}

// TestSkew checks that nodes are looked at again when the server's version becomes known.
func TestSkew(t *testing.T) {
	c := newCluster(t)
	minor := 0
	c.engine.options.ServerMinor = func() int { return minor }
	c.put(`{"kind":"Node","apiVersion":"v1","metadata":{"name":"n1","creationTimestamp":"-1h"},"status":{"conditions":[{"type":"Ready","status":"True"}],"nodeInfo":{"kubeletVersion":"v1.31.2"}}}`)
	c.expect("nothing is known of the server")
	minor = 36
	c.expect("too old", "warning nodes//n1/VersionSkew Node 1h0m0s 1/0 | kubelet v1.31.2 is 5 minor versions older than the server's 1.36 | status.nodeInfo.kubeletVersion | summary  ")
	minor = 33
	c.expect("after a downgrade")
}

// TestRetried checks that a failed Job of a CronJob is over once another succeeded.
func TestRetried(t *testing.T) {
	const cron = `{"kind":"CronJob","apiVersion":"batch/v1","metadata":{"name":"clean","namespace":"checkout","creationTimestamp":"-9h"},"spec":{"schedule":"0 * * * *"},"status":{"lastScheduleTime":"-10m"}}`
	const job = `{"kind":"Job","apiVersion":"batch/v1","metadata":{"name":"clean-1","namespace":"checkout","creationTimestamp":"-10m","ownerReferences":[{"apiVersion":"batch/v1","kind":"CronJob","name":"clean","controller":true}]}}`
	c := newCluster(t)
	c.put(job, problemtest.WithCondition("Failed", "True", "BackoffLimitExceeded", "it failed", "-5m"))
	row := "failed cronjobs.batch/checkout/clean/BackoffLimitExceeded CronJob 5m0s 1/0 | BackoffLimitExceeded: it failed | condition Failed | logs  "
	c.expect("before the CronJob is known", row)
	c.put(cron, `{"status":{"lastSuccessfulTime":"-1h"}}`)
	c.expect("it succeeded before", row)
	c.put(cron, `{"status":{"lastSuccessfulTime":"-1m"}}`)
	c.expect("it succeeded since")
	c.put(eventDoc("Job", "clean-1", "BackoffLimitExceeded", "it failed", 1))
	c.put(cron, `{"status":{"lastSuccessfulTime":"-30s"}}`)
	c.expect("with its event")
}

// TestResumed checks that a CronJob that was suspended for long has not missed a run when it is
// resumed, and that one misses those that are due since.
func TestResumed(t *testing.T) {
	const cron = `{"kind":"CronJob","apiVersion":"batch/v1","metadata":{"name":"clean","namespace":"checkout","creationTimestamp":"-900h","generation":3},"spec":{"schedule":"0 * * * *","startingDeadlineSeconds":60},"status":{"lastScheduleTime":"-100h"}}`
	const missed = " | no Job started on schedule 0 * * * * | status.lastScheduleTime | events  "
	c := newCluster(t)
	c.put(cron, `{"spec":{"suspend":true}}`)
	c.expect("suspended", "warning cronjobs.batch/checkout/clean/Suspended CronJob ? 1/0 | suspended | spec.suspend | summary  ")
	c.put(cron)
	c.put(eventDoc("CronJob", "clean", "MissSchedule", "Missed scheduled time to start a job", 1))
	c.expect("resumed")
	c.now = c.now.Add(2 * time.Hour)
	c.expect("not late enough")
	c.now = c.now.Add(6 * time.Minute)
	c.expect("missed since", "warning cronjobs.batch/checkout/clean/MissedSchedule CronJob -1h0m0s 1/0"+missed)

	for _, one := range []struct{ name, change, want string }{
		{"perhaps resumed", `{}`, ""},
		{"never changed", `{"metadata":{"generation":1}}`, "99h0m0s 1/0" + missed},
		{"made up for at once", `{"spec":{"startingDeadlineSeconds":3600}}`, "99h0m0s 1/0" + missed},
		{"without a deadline", `{"spec":{"startingDeadlineSeconds":null}}`, "99h0m0s 1/0" + missed},
		{"waits for a Job", `{"spec":{"concurrencyPolicy":"Forbid"},"status":{"active":[{"name":"clean-1"}]}}`, "99h0m0s 1/0 | no Job started on schedule 0 * * * *: concurrencyPolicy Forbid, 1 Job active | status.lastScheduleTime | events  "},
	} {
		c := newCluster(t)
		c.put(cron, one.change)
		want := []string{"warning cronjobs.batch/checkout/clean/MissedSchedule CronJob " + one.want}
		if one.want == "" {
			want = nil
		}
		c.expect(one.name, want...)
	}

	c = newCluster(t)
	c.put(cron, `{"status":{"lastScheduleTime":"-1h"}}`)
	c.put(eventDoc("CronJob", "clean", "MissSchedule", "Missed scheduled time to start a job", 1))
	c.expect("an event", "warning cronjobs.batch/checkout/clean/MissSchedule CronJob 10m0s 1/0 | MissSchedule: Missed scheduled time to start a job | event MissSchedule | events  ")
	c.put(cron, `{"status":{"lastScheduleTime":"-0s"}}`)
	c.expect("a Job was started since")
}

// TestRescheduled checks that a CronJob whose schedule becomes more frequent has not missed the runs of
// the new schedule before that: its controller waits for the next one.
func TestRescheduled(t *testing.T) {
	const cron = `{"kind":"CronJob","apiVersion":"batch/v1","metadata":{"name":"clean","namespace":"checkout","creationTimestamp":"-900h","generation":3},"spec":{"schedule":"0 3 * * 0"},"status":{"lastScheduleTime":"-120h"}}`
	const hourly, berlin = `{"spec":{"schedule":"0 * * * *"}}`, `{"spec":{"timeZone":"Europe/Berlin"}}`
	c := newCluster(t)
	c.put(cron)
	c.expect("weekly")
	c.put(cron, hourly)
	c.put(eventDoc("CronJob", "clean", "MissSchedule", "Missed scheduled time to start a job", 1))
	c.expect("hourly from now on")
	c.put(cron, hourly, `{"metadata":{"labels":{"a":"b"}}}`)
	c.expect("changed again, but not its schedule")
	c.now = c.now.Add(2 * time.Hour)
	c.expect("not late enough")
	c.now = c.now.Add(6 * time.Minute)
	row := "warning cronjobs.batch/checkout/clean/MissedSchedule CronJob -1h0m0s 1/0 | no Job started on schedule 0 * * * * | status.lastScheduleTime | events  "
	c.expect("missed since", row)
	c.put(cron, hourly, berlin)
	c.expect("of another zone from now on")
	c.now = c.now.Add(126 * time.Minute)
	c.expect("missed since", strings.Replace(row, "-1h0m0s", "-3h6m0s", 1))
	c.put(cron, hourly, berlin, `{"spec":{"suspend":true}}`)
	c.put(cron)
	c.put(cron, hourly)
	c.expect("resumed and hourly at once")
}

// TestRoutes checks the backends of an HTTPRoute, which comes as JSON.
func TestRoutes(t *testing.T) {
	kind := object.Kind{Group: "gateway.networking.k8s.io", Version: "v1", Resource: "httproutes", Name: "HTTPRoute", Namespaced: true}
	o, err := object.NewDecoder(kind, true).Decode([]byte(problemtest.Dated(`{"kind":"HTTPRoute","apiVersion":"gateway.networking.k8s.io/v1","metadata":{"name":"shop","namespace":"checkout","creationTimestamp":"-1h"},"spec":{"rules":[{"backendRefs":[{"name":"web","port":81},{"name":"gone","port":80},{"kind":"Other","name":"x"},{"name":"web","namespace":"other","port":80}]}]}}`)))
	if err != nil {
		t.Fatal(err)
	}
	c := newCluster(t)
	c.put(webService)
	c.apply(Change{Kind: &kind, Columns: object.NewDecoder(kind, true).Columns(), After: o})
	c.text()
	c.now = c.now.Add(2 * time.Minute)
	c.expect("two are missing, and a port",
		"warning httproutes.gateway.networking.k8s.io/checkout/shop/PortNotFound HTTPRoute ? 1/0 | service port web:81 not found | spec.rules | related  ",
		"warning httproutes.gateway.networking.k8s.io/checkout/shop/ServiceNotFound HTTPRoute ? 1/0 | service gone, other/web not found | spec.rules | related  ")
	c.engine.options.LeftOut = func(namespace string) bool { return namespace != "checkout" }
	c.put(webService, `{"metadata":{"labels":{"a":"b"}}}`)
	c.expect("the other namespace may be left out",
		"warning httproutes.gateway.networking.k8s.io/checkout/shop/PortNotFound HTTPRoute ? 1/0 | service port web:81 not found | spec.rules | related  ",
		"warning httproutes.gateway.networking.k8s.io/checkout/shop/ServiceNotFound HTTPRoute ? 1/0 | service gone not found | spec.rules | related  ")
}
