//go:build !js

package problem

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/internal/object"
	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/problemtest"
)

// elsewhere are objects that name a service of another namespace, and that service.
var elsewhere = [][]string{
	{`{"kind":"Service","apiVersion":"v1","metadata":{"name":"hook","namespace":"cert-manager","creationTimestamp":"-1h"},"spec":{"selector":{"app":"hook"}}}`},
	{webSlice + "\x00" + `{"metadata":{"name":"hook-x","namespace":"cert-manager","labels":{"kubernetes.io/service-name":"hook"}}}`},
	{`{"kind":"ValidatingWebhookConfiguration","apiVersion":"admissionregistration.k8s.io/v1","metadata":{"name":"hooks","creationTimestamp":"-1h"}}` + "\x00" + `{"webhooks":[{"name":"a.example.com","clientConfig":{"service":{"namespace":"cert-manager","name":"hook"}}}]}`},
	{`{"kind":"MutatingWebhookConfiguration","apiVersion":"admissionregistration.k8s.io/v1","metadata":{"name":"hooks","creationTimestamp":"-1h"}}` + "\x00" + `{"webhooks":[{"name":"b.example.com","clientConfig":{"service":{"namespace":"cert-manager","name":"hook"}}}]}`},
}

// TestRecordedModel takes things out of a cluster as a recording does: kinds that were not watched or are left out, a
// namespace, the bodies of some objects, the latest heartbeats. Nothing that is well in the whole cluster may have a row then.
func TestRecordedModel(t *testing.T) {
	optional := []string{kinds.Services, kinds.EndpointSlices, kinds.StorageClasses, kinds.IngressClasses, kinds.Events}
	for seed := range 250 {
		r := rand.New(rand.NewPCG(uint64(seed), 13))
		whole, part := newCluster(t), newCluster(t)
		part.engine.options.Recorded = true
		left := make(map[string]bool) // out
		for _, resource := range optional {
			left[resource] = r.IntN(3) == 0
		}
		without := []string{"", "checkout", "cert-manager"}[r.IntN(3)] // the namespace that is left out
		named := r.IntN(2) == 0                                        // or only that there is one is known
		part.engine.options.LeftOut = func(namespace string) bool { return without != "" && (!named || namespace == without) }
		part.engine.options.Synced = func(resource string) bool { return !left[resource] }
		whole.engine.options.Synced = func(string) bool { return true }
		for _, states := range slices.Concat(palette, elsewhere) {
			docs := strings.Split(states[r.IntN(len(states))], "\x00")
			change := decode(t, true, docs...)
			whole.apply(change)
			if id := change.Kind.ID(); left[id] || without != "" && change.After.Namespace() == without {
				continue
			} else if r.IntN(6) == 0 && kinds.Keeps(id) && !slices.Contains([]string{kinds.ControllerRevisions, kinds.ReplicaSets, kinds.Jobs}, id) { // the first has no body, the others lose their owners
				change = stub(t, change)
			}
			part.apply(change)
		}
		for i := range 8 {
			docs := []string{healthyNode(fmt.Sprint("m", i)), withHeartbeat(-1 - r.IntN(60))}
			part.put(docs...)
			whole.put(healthyNode(fmt.Sprint("m", i)), withHeartbeat(-1))
		}
		for _, c := range []*cluster{whole, part} {
			c.text()
			c.now = c.now.Add(time.Hour)
			c.text()
		}
		var bad []string
		for _, row := range whole.rows {
			bad = append(bad, row.Resource+"/"+row.Namespace+"/"+row.Name)
		}
		for _, row := range part.rows {
			if !slices.Contains(bad, row.Resource+"/"+row.Namespace+"/"+row.Name) {
				t.Errorf("seed %d: without %v and %q, %s is not well: %s", seed, left, without, row.Key(), row.Words)
			}
		}
	}
}

// healthyNode returns a node that is ready.
func healthyNode(name string) string {
	return `{"kind":"Node","apiVersion":"v1","metadata":{"name":"` + name + `","creationTimestamp":"-9h"},"status":{"nodeInfo":{"kubeletVersion":"v1.36.1"}}}`
}

// withHeartbeat has a node report so many minutes from now.
func withHeartbeat(minutes int) string {
	return fmt.Sprintf(`{"status":{"conditions":[{"type":"Ready","status":"True","lastHeartbeatTime":"%dm","lastTransitionTime":"-9h"}]}}`, minutes)
}

// stub returns a change to what history has of an object that had lost its body.
func stub(t *testing.T, change Change) Change {
	t.Helper()
	d := object.NewDecoder(*change.Kind, true)
	o, err := d.Decode(change.After.Stub(nil))
	if err != nil {
		t.Fatal(err)
	}
	return Change{Kind: change.Kind, Columns: d.Columns(), After: o}
}

// TestRecordedTotals checks that objects of which only the metadata is known count as neither well nor bad.
func TestRecordedTotals(t *testing.T) {
	var totals facts.Totals
	for _, doc := range []string{problemtest.HealthyPod, healthyNode("m"), problemtest.HealthyDeployment} {
		change := stub(t, decode(t, true, doc))
		totals.Count(change.Kind.ID(), change.Columns, change.Before, change.After)
	}
	if want := (facts.Totals{Nodes: 1, Pods: 1, Workloads: 1}); totals != want {
		t.Errorf("%+v, want %+v", totals, want)
	}
}

// TestPodOfUnknownNode checks that a pod that cannot end explains its Service also while nothing is known of its node: what
// holds the pod has its row under either, which a recording may lack. Once the node is known to be ready, the pod has the row.
func TestPodOfUnknownNode(t *testing.T) {
	c := newCluster(t)
	c.engine.options.Recorded = true
	c.apply(stub(t, decode(t, true, healthyNode("n7"))))
	c.put(webService)
	c.put(webSlice, `{"endpoints":[{"addresses":["10.0.0.1"],"conditions":{"ready":false},"targetRef":{"kind":"Pod","name":"web-5d9c-a"}}]}`)
	c.put(problemtest.HealthyPod, `{"metadata":{"name":"web-5d9c-a","deletionTimestamp":"-5m"}}`)
	c.text()
	c.now = c.now.Add(time.Hour)
	if got := c.text(); strings.Contains(got, "NoReadyEndpoints") || strings.Contains(got, "Terminating") {
		t.Errorf("while nothing is known of the node:\n%s", got)
	}
	c.put(healthyNode("n7"), withHeartbeat(-1))
	if got := c.text(); strings.Contains(got, "NoReadyEndpoints") || !strings.Contains(got, "Terminating") {
		t.Errorf("once the node is ready:\n%s", got)
	}
}
