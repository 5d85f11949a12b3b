package hub

import (
	"testing"
	"time"

	"watchglass/internal/hub/cluster"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// servicesWithEndpoints returns a proxy with a Service that has two endpoints, one of them ready,
// one that has none, and one without a selector.
func servicesWithEndpoints() *proxy {
	p := three()
	p.change(wire.Added, testObject{resource: "services", namespace: "a", name: "s1", selector: "x"})
	p.change(wire.Added, testObject{resource: "services", namespace: "a", name: "s2", selector: "y"})
	p.change(wire.Added, testObject{resource: "services", namespace: "a", name: "s3"})
	p.change(wire.Added, sliceOf("s1", true, false))
	return p
}

func sliceOf(service string, ready ...bool) testObject {
	return testObject{resource: "endpointslices", namespace: "a", name: service + "-1", labels: map[string]string{"kubernetes.io/service-name": service}, ready: ready}
}

func withEndpoints(q view.Query) view.Query {
	q.Columns = []string{"Name", "Endpoints"}
	return q
}

// TestEndpoints checks that the EndpointSlices are a source only while the endpoints are in use,
// and that Services follow them.
func TestEndpoints(t *testing.T) {
	onHub(t, servicesWithEndpoints(), func(t *testing.T, b *fixture) {
		b.showList("services", view.Query{Seq: 1})
		b.wantRows("live", "a/s1 a/s2 a/s3")
		b.wantAsked("watch services")
		b.showList("services", view.Query{Seq: 2, Text: "endpoints=0"})
		b.wantAsked("watch endpointslices")
		b.wantRows("live", "a/s2")
		b.proxy.change(wire.Added, sliceOf("s2", true, true))
		b.wait(soon)
		b.wantRows("live", "")
		b.showList("services", withEndpoints(view.Query{Seq: 3, Sort: "Endpoints", Descending: true}))
		b.wantSums("s2 2, s1 1, s3 ")
		b.proxy.change(wire.Modified, sliceOf("s1", true, true, true))
		b.proxy.change(wire.Deleted, at(0, sliceOf("s2", true, true)))
		b.wait(soon)
		b.wantSums("s1 3, s2 0, s3 ")
		b.showList("services", view.Query{Seq: 4})
		b.wait(2 * cluster.Linger)
		b.wantRows("live", "a/s1 a/s2 a/s3")
		b.wantAsked("close watch endpointslices")
	})
}

// TestEndpointsNotLive checks that endpoints are never 0 while the EndpointSlices are not live.
func TestEndpointsNotLive(t *testing.T) {
	p := servicesWithEndpoints()
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("services", view.Query{Seq: 1})
		p.startHoldingLists()
		b.showList("services", withEndpoints(view.Query{Seq: 2}))
		b.wantSums("s1 …, s2 …, s3 ")
		b.showList("services", withEndpoints(view.Query{Seq: 3, Text: "endpoints=0"}))
		b.wantSums("")
		b.wantGap("endpointslices.discovery.k8s.io syncing; endpointslices.discovery.k8s.io syncing")
		p.finish()
		b.wait(soon)
		b.wantGap("")
		b.wantSums("s2 0")
		b.showList("services", withEndpoints(view.Query{Seq: 4}))
		b.wantSums("s1 1, s2 0, s3 ")
		p.setAway(true)
		b.wait(time.Minute)
		b.wantSums("s1 1, s2 …, s3 ")
		b.wantGap("endpointslices.discovery.k8s.io stale")
		p.setAway(false)
		b.wait(time.Minute)
		b.wantSums("s1 1, s2 0, s3 ")
	})
}

// TestEndpointsDenied checks that endpoints are empty if the EndpointSlices may not be listed.
func TestEndpointsDenied(t *testing.T) {
	p := servicesWithEndpoints()
	p.deny = forbids(func(r wire.Request) bool { return r.Resource == "endpointslices" })
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("services", withEndpoints(view.Query{Seq: 1}))
		b.wait(time.Minute)
		b.wantSums("s1 , s2 , s3 ")
		b.wantGap("endpointslices.discovery.k8s.io denied")
		for i, filter := range []string{"endpoints=0", "endpoints>0"} {
			b.showList("services", view.Query{Seq: uint32(2 + i), Text: filter})
			b.wantRows("live", "")
			b.wantGap("; endpointslices.discovery.k8s.io denied")
		}
	})
}

// TestExitFilter checks that pods are filtered by how they ended, with the column and without,
// and that no other source is opened for that.
func TestExitFilter(t *testing.T) {
	p := three()
	killed := pod("a", "killed", "Running")
	killed.exit = "OOMKilled"
	p.change(wire.Added, killed)
	onHub(t, p, func(t *testing.T, b *fixture) {
		b.showList("pods", view.Query{Seq: 1})
		b.wait(soon)
		b.wantAsked("watch pods")
		b.showList("pods", view.Query{Seq: 2, Text: "exit:OOMKilled"})
		b.wantRows("live", "a/killed")
		b.showList("pods", view.Query{Seq: 3, Text: "exit:OOMKilled", Columns: []string{"Name", "Exit"}})
		b.wantSums("killed OOMKilled")
		b.wantAsked("")
	})
}

// TestEndpointsRefusedInOne refuses the EndpointSlices of one of two namespaces: the others are counted,
// and of the refused one nothing is said to be 0.
func TestEndpointsRefusedInOne(t *testing.T) {
	p := servicesWithEndpoints()
	p.change(wire.Added, testObject{resource: "services", namespace: "b", name: "s4", selector: "x"})
	p.deny = forbids(func(r wire.Request) bool {
		return r.Namespace == "" && (r.Resource == "services" || r.Resource == "endpointslices") || r.Resource == "endpointslices" && r.Namespace == "b"
	})
	onHub(t, p, func(t *testing.T, b *fixture) {
		q := withEndpoints(view.Query{Seq: 1, Limit: 10, Namespaces: []string{"a", "b"}})
		b.page.in <- port.ListQuery{ID: listID, Resource: "services", Query: q}
		b.wait(time.Minute)
		b.wantSums("s1 1, s2 0, s3 , s4 ")
		b.wantGap("endpointslices.discovery.k8s.io denied b")
		if gap := b.page.window.Columns[1].Gap; gap.Cause == "" {
			t.Errorf("%+v", gap)
		}
	})
}
