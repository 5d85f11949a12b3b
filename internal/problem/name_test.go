//go:build !js

package problem

import (
	"fmt"
	"strings"
	"testing"

	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/problemtest"
)

// about returns an event of a namespace about an object.
func about(namespace, name, kind, object string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Event","metadata":{"name":%q,"namespace":%q,"creationTimestamp":"-1m"},"involvedObject":{"kind":%q,"namespace":%[2]q,"name":%[4]q},"reason":"Odd","message":"run this","type":"Warning","firstTimestamp":"-1m","lastTimestamp":"-1m"}`, name, namespace, kind, object)
}

// TestForgedEvents checks that events name no object of the cluster that their authors need not see,
// and none that cannot exist.
func TestForgedEvents(t *testing.T) {
	c := newCluster(t)
	for i, object := range [][2]string{
		{"Node", "n7"}, {"Namespace", "kube-system"}, {"PersistentVolume", "pv-1"}, // of the cluster
		{"pods:web", "x"}, {"..", "x"}, {"javascript:alert(1)", "x"}, {"Pod\u202e", "x"}, {"", "x"}, {"1Pod", "x"}, {strings.Repeat("k", 254), "x"},
		{"Widget", "x\u202egnp.elif"}, {"Widget", "x\u200b"}, {"Widget", "x\u2028y"}, {"Secret", "a/b/../../c?x=1#y"}, {"Widget", "."}, {"Widget", ".."}, {"Widget", "a%2fb"}, {"Widget", "a\nb"}, {"Widget", ""}, {"Widget", strings.Repeat("w", 254)},
	} {
		c.put(about("tenant", fmt.Sprint("e", i), object[0], object[1]))
	}
	c.expect("none of them")
	if n := c.engine.Warnings(c.now); n != 20 {
		t.Errorf("%d warnings", n)
	}
	for i := range 20 {
		c.remove(fmt.Sprintf("events/tenant/e%d", i))
	}
	const odd = "/Odd"
	row := func(key, kind string) string {
		return "warning " + key + odd + " " + kind + " 1m0s 1/0 | Odd: run this | event Odd | events  "
	}
	c.put(about("default", "a", "Node", "n7"), `{"involvedObject":{"namespace":""}}`)
	c.put(about("kube-system", "b", "Namespace", "kube-public"))
	c.put(about("tenant", "c", "Widget", "system:w-1.a_b"))
	c.put(about("tenant", "d", "Gear", strings.Repeat("w", 253)))
	c.expect("of the cluster, where they are accepted, and of the namespace", row("gear/tenant/"+strings.Repeat("w", 253), "Gear"), row("namespaces//kube-public", "Namespace"), row("nodes//n7", "Node"), row("widget/tenant/system:w-1.a_b", "Widget"))
}

// TestForgedOwners checks that a pod's problems are not those of an object of the cluster that it
// names as its controller.
func TestForgedOwners(t *testing.T) {
	for _, by := range [][3]string{{"v1", "Namespace", "kube-system"}, {"v1", "PersistentVolume", "pv-1"}, {"rbac.authorization.k8s.io/v1", "ClusterRole", "system:a"}, {"v1", "Node", "n7"}, {"apps/v1", "DaemonSet", "a/b"}, {"apps/v1", "DaemonSet", "\u202ebd"}} {
		c := newCluster(t)
		c.put(problemtest.HealthyPod, problemtest.UnreadySince5m, oomStatus, fmt.Sprintf(`{"metadata":{"name":"evil","namespace":"tenant","ownerReferences":[{"apiVersion":%q,"kind":%q,"name":%q,"uid":"u","controller":true}]}}`, by[0], by[1], by[2]))
		if c.text(); len(c.rows) != 1 {
			t.Errorf("%v: %d rows", by, len(c.rows))
		}
		for _, r := range c.rows {
			if r.Resource != kinds.Pods || r.Namespace != "tenant" || r.Name != "evil" {
				t.Errorf("%v: %+v", by, r)
			}
		}
	}
}

// TestNamesakes checks that events about kinds that are called like Kubernetes' own are not taken for
// events about those.
func TestNamesakes(t *testing.T) {
	c := newCluster(t)
	c.engine.options.Synced = func(string) bool { return true }
	of := func(name, version, kind, object string) {
		c.put(about("a", name, kind, object), fmt.Sprintf(`{"involvedObject":{"apiVersion":%q}}`, version))
	}
	row := func(key, kind string) string {
		return "warning " + key + "/Odd " + kind + " 1m0s 1/0 | Odd: run this | event Odd | events  "
	}
	of("e1", "serving.knative.dev/v1", "Service", "shop") // there is no core Service of that name
	of("e2", "batch.volcano.sh/v1alpha1", "Job", "train")
	of("e3", "serving.knative.dev/v1", "Service", "web") // there is one
	of("e4", "v1", "Deployment", "web")
	of("e5", "a:b/v1", "Deployment", "web")
	c.put(`{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","namespace":"a"},"spec":{"type":"ExternalName","externalName":"x"}}`)
	all := []string{row("deployment/a/web", "Deployment"), row("job.batch.volcano.sh/a/train", "Job"), row("service.serving.knative.dev/a/shop", "Service"), row("service.serving.knative.dev/a/web", "Service")}
	c.expect("of other groups", all...)
	of("e6", "v1", "Service", "gone")
	of("e7", "batch/v1", "Job", "gone")
	c.expect("of objects that are gone", all...)
	of("e8", "v1", "Service", "web")
	c.expect("of the core Service", append(all, row("services/a/web", "Service"))...)
}
