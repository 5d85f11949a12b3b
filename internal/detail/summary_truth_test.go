package detail

import (
	"strings"
	"testing"

	"watchglass/internal/document"
)

// lineWith returns the first line of a summary that contains a text.
func lineWith(t *testing.T, doc string, more More, with string) string {
	t.Helper()
	for _, l := range spoken(Summarize(parsed(t, doc), more)) {
		if strings.Contains(l, with) {
			return l
		}
	}
	return ""
}

const anIngress = `{"kind":"Ingress","apiVersion":"networking.k8s.io/v1","metadata":{"name":"i","namespace":"shop"},"spec":{"rules":[{"host":"a","http":{"paths":[{"path":"/","backend":{"service":{"name":"web","port":{"number":%s}}}}]}}]}}`

// TestBackendUnknown checks that nothing is said of the addresses behind an Ingress while its slices are not known.
func TestBackendUnknown(t *testing.T) {
	more := More{Objects: map[string][]document.Value{"services": {parsed(t, `{"metadata":{"name":"web","namespace":"shop"},"spec":{"ports":[{"port":80}]}}`)}}}
	if got := lineWith(t, strings.Replace(anIngress, "%s", "80", 1), more, "Backends"); strings.Contains(got, "<none>") {
		t.Errorf("the slices are unknown, but the backend has none: %s", got)
	}
}

// TestBackendPort checks that a port that a Service does not have has no addresses.
func TestBackendPort(t *testing.T) {
	more := More{Objects: map[string][]document.Value{
		"services": {parsed(t, `{"metadata":{"name":"web","namespace":"shop"},"spec":{"ports":[{"port":80}]}}`)},
		"slices":   {parsed(t, `{"metadata":{"labels":{"kubernetes.io/service-name":"web"}},"endpoints":[{"addresses":["10.0.0.1"]}],"ports":[{"name":"","port":8080}]}`)},
	}}
	if got := lineWith(t, strings.Replace(anIngress, "%s", "9999", 1), more, "Backends"); strings.Contains(got, "10.0.0.1") {
		t.Errorf("the service has no port 9999: %s", got)
	}
}

// TestResourceField checks whose limit a variable is, and what it is without one.
func TestResourceField(t *testing.T) {
	const doc = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","namespace":"a"},"spec":{"containers":[
{"name":"web","resources":{"limits":{"memory":"2Gi"},"requests":{"cpu":"2"}}},
{"name":"side","resources":{"limits":{"memory":"64Mi"}},"env":[
{"name":"OTHER","valueFrom":{"resourceFieldRef":{"containerName":"web","resource":"limits.memory","divisor":"1Mi"}}},
{"name":"DISK","valueFrom":{"resourceFieldRef":{"resource":"limits.ephemeral-storage"}}}]}]}}`
	if got := lineWith(t, doc, More{}, "OTHER"); !strings.Contains(got, "2048") {
		t.Errorf("the limit of web is 2048 Mi: %s", got)
	}
	if got := lineWith(t, doc, More{}, "DISK"); !strings.Contains(got, "node allocatable") {
		t.Errorf("without a limit it is what the node has: %s", got)
	}
}

// TestMetricsOrder checks that the controller's values are those of the metric, and not of another at its place.
func TestMetricsOrder(t *testing.T) {
	const doc = `{"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v2","metadata":{"name":"p","namespace":"a"},"spec":{"maxReplicas":3,"metrics":[
{"type":"Resource","resource":{"name":"memory","target":{"type":"Utilization","averageUtilization":80}}},
{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":50}}}]},
"status":{"currentMetrics":[{"type":"Resource","resource":{"name":"cpu","current":{"averageUtilization":13,"averageValue":"20m"}}}]}}`
	for _, l := range spoken(Summarize(parsed(t, doc), More{})) {
		if strings.Contains(l, "resource memory") && strings.Contains(l, "Current") && strings.Contains(l, "13%") {
			t.Errorf("13%% is the CPU: %s", l)
		}
		if strings.Contains(l, "resource cpu") && strings.Contains(l, "Current") && strings.Contains(l, "unknown") {
			t.Errorf("the CPU is known: %s", l)
		}
	}
}

// TestShareOfNothing checks that there is no share of what a node does not have.
func TestShareOfNothing(t *testing.T) {
	const node = `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n"},"status":{"allocatable":{"cpu":"4"}}}`
	more := More{Objects: map[string][]document.Value{"pods": {parsed(t, `{"metadata":{"name":"p","namespace":"a"},"spec":{"containers":[{"name":"c","resources":{"requests":{"example.com/gpu":"2"}}}]}}`)}}}
	if got := lineWith(t, node, more, "example.com/gpu].Requests"); strings.Contains(got, "0%") {
		t.Error(got)
	}
}

// TestControlledBy checks that an owner that controls nothing is not called a controller.
func TestControlledBy(t *testing.T) {
	const doc = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c","namespace":"a","ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"1"}]}}`
	if got := lineWith(t, doc, More{}, "Controlled by"); got != "" {
		t.Errorf("nothing controls it: %s", got)
	}
}

// TestPodsOfNode checks that the age of a node's pods comes before what they request: a panel clips the last columns.
func TestPodsOfNode(t *testing.T) {
	const node = `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n"},"status":{"allocatable":{"cpu":"4"}}}`
	more := More{Objects: map[string][]document.Value{"pods": {parsed(t, `{"metadata":{"name":"p","namespace":"a","creationTimestamp":"2026-11-22T03:00:00Z"}}`)}}}
	got := ""
	for _, l := range spoken(Summarize(parsed(t, node), more)) {
		if cell, ok := strings.CutPrefix(l, "Pods/[a]."); ok {
			got += cell + "; "
		}
	}
	if want := "Namespace: a; Name: <Pod a/p|p>; Status: ; Age: @1795316400; "; !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q first", got, want)
	}
}
