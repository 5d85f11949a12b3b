//go:build !js

package problem

import (
	"fmt"
	"testing"
	"time"
)

// TestEmptyServices holds that a change of a workload has no Service looked at again but those without
// endpoints that select its pods, before or after.
func TestEmptyServices(t *testing.T) {
	deployment := func(i int, label, annotation string) string {
		return fmt.Sprintf(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d%d","namespace":"a","annotations":{"a":%q},"creationTimestamp":"-1h"},"spec":{"replicas":0,"selector":{"matchLabels":{"app":"x"}},"template":{"metadata":{"labels":{"app":%q}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`, i, annotation, label)
	}
	c := newCluster(t)
	c.engine.options.Synced = func(string) bool { return true }
	for i := range 50 {
		c.put(fmt.Sprintf(`{"apiVersion":"v1","kind":"Service","metadata":{"name":"s%d","namespace":"a","creationTimestamp":"-1h"},"spec":{"selector":{"app":"x%[1]d"},"ports":[{"port":80}]}}`, i))
		c.put(fmt.Sprintf(`{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","addressType":"IPv4","metadata":{"name":"s%d","namespace":"a","creationTimestamp":"-1h","labels":{"kubernetes.io/service-name":"s%[1]d"}},"endpoints":[]}`, i))
		c.put(deployment(i, fmt.Sprint("x", i), "1"))
	}
	c.expect("all are scaled to zero")
	dirty := func(when string, want int, rows ...string) {
		t.Helper()
		c.engine.Read(c.now, 0)
		if n := len(c.engine.dirty); n != want {
			t.Errorf("%s: %d are looked at, want %d", when, n, want)
		}
		c.expect(when, rows...)
	}
	empty := func(name string) string {
		return "warning services/a/s" + name + "/NoEndpoints Service ? 1/0 | no endpoints for selector app=x" + name + " | spec.selector | related  "
	}
	c.put(deployment(7, "x7", "2"))
	dirty("another annotation", 0)
	c.put(deployment(7, "x8", "2"))
	dirty("other labels", 2, empty("7"))
	c.remove("deployments.apps/a/d8")
	dirty("removed", 1, empty("7"))
	c.remove("deployments.apps/a/d7")
	dirty("the last that runs x8", 1, empty("7"), empty("8"))
	c.put(deployment(7, "x7", "2"))
	dirty("there again", 1, empty("8"))
}

// TestEmptyUnknown checks that a Service without endpoints waits for the kinds whose objects may explain it: one of them
// may be scaled to zero.
func TestEmptyUnknown(t *testing.T) {
	c, missing := newCluster(t), ""
	c.engine.options.Synced = func(resource string) bool { return resource != missing }
	c.put(`{"apiVersion":"v1","kind":"Service","metadata":{"name":"s","namespace":"a","creationTimestamp":"-1h"},"spec":{"selector":{"app":"x"},"ports":[{"port":80}]}}`)
	c.put(`{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","addressType":"IPv4","metadata":{"name":"s","namespace":"a","creationTimestamp":"-1h","labels":{"kubernetes.io/service-name":"s"}},"endpoints":[]}`)
	const empty = "warning services/a/s/NoEndpoints Service ? 1/0 | no endpoints for selector app=x | spec.selector | related  "
	for _, missing = range runners {
		c.expect(missing + " can't be read")
		missing = ""
		c.expect("all are known", empty)
	}
}

// TestActions checks that an Ingress may send requests to an action of the AWS Load Balancer Controller,
// which its annotations define instead of a service.
func TestActions(t *testing.T) {
	const ingress = `{"kind":"Ingress","apiVersion":"networking.k8s.io/v1","metadata":{"name":"shop","namespace":"checkout","creationTimestamp":"-1h","annotations":{"alb.ingress.kubernetes.io/actions.ssl-redirect":"{}"}},"spec":{"rules":[{"http":{"paths":[{"path":"/","pathType":"Prefix","backend":{"service":{"name":"ssl-redirect","port":{"name":"use-annotation"}}}},{"path":"/a","pathType":"Prefix","backend":{"service":{"name":"web","port":{"name":"use-annotation"}}}}]}}]}}`
	c := newCluster(t)
	c.put(webService)
	c.put(webSlice)
	c.put(ingress)
	c.text()
	c.now = c.now.Add(10 * time.Minute)
	c.expect("actions")
	c.put(ingress, `{"spec":{"defaultBackend":{"service":{"name":"ssl-redirect","port":{"number":80}}}}}`)
	c.text()
	c.now = c.now.Add(10 * time.Minute)
	c.expect("a service", "warning ingresses.networking.k8s.io/checkout/shop/ServiceNotFound Ingress ? 1/0 | service ssl-redirect not found | spec.rules | related  ")
}
