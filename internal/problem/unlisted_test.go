//go:build !js

package problem

import (
	"fmt"
	"testing"
	"time"

	"watchglass/internal/problem/problemtest"
)

// TestUnlisted checks which of the pods that are not ready are in no row, and since when: those that may still start, and
// those of which no rule says anything.
func TestUnlisted(t *testing.T) {
	c, known := newCluster(t), false
	c.engine.options.Synced = func(string) bool { return known }
	want := func(what string, pods int, since time.Duration, waits bool, names ...string) {
		t.Helper()
		c.text()
		got := c.engine.Unlisted()
		if text, want := fmt.Sprint(got.Pods, got.Waits, got.Names), fmt.Sprint(pods, waits, names); text != want || pods > 0 && got.Since != problemtest.Noon.Add(-since).Unix() {
			t.Errorf("%s: %+v, want %s since %s", what, got, want, since)
		}
	}
	c.put(problemtest.HealthyPod)
	want("all is well", 0, 0, false)
	c.put(problemtest.HealthyPod, named("young"), problemtest.PendingPod, `{"metadata":{"creationTimestamp":"-5s"}}`)
	want("it is too young", 1, 5*time.Second, true, "checkout/young")
	c.remove("pods/checkout/young")
	gated := `{"status":{"conditions":[{"type":"PodScheduled","status":"False","reason":"SchedulingGated","message":"gated","lastTransitionTime":"-3m"}]}}`
	for _, name := range []string{"d", "b", "a", "c"} {
		c.put(problemtest.HealthyPod, named(name), problemtest.PendingPod, gated)
	}
	want("no rule is about them", 4, 3*time.Minute, false, "checkout/a", "checkout/b", "checkout/c")
	for _, name := range []string{"a", "b", "c", "d"} {
		c.remove("pods/checkout/" + name)
	}

	bound := func(age string) { // by hand to a node that does not exist, so that nobody says anything
		c.put(problemtest.HealthyPod, named("bound"), problemtest.PendingPod, `{"metadata":{"creationTimestamp":"`+age+`","ownerReferences":null}}`)
	}
	bound("-1m")
	want("it may still start", 1, time.Minute, true, "checkout/bound")
	bound("-5m")
	row := func(severity, age, more string) string {
		return severity + " pods/checkout/bound/NotStarted Pod " + age + " 1/0 | not started by its kubelet, node n7" + more + " | status.startTime | events bound "
	}
	c.expect("nodes are not known", row("warning", "5m0s", ""))
	known = true
	c.expect("its node does not exist", row("warning", "5m0s", " not found"))
	want("it is in a row", 0, 0, false)
	bound("-11m")
	c.expect("for long", row("failed", "11m0s", " not found"))

	const node = `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n7","creationTimestamp":"-9h"},"status":{"conditions":[{"type":"Ready","status":"Unknown","lastTransitionTime":"-9m"}],"nodeInfo":{"kubeletVersion":"v1.36.1"}}}`
	c.put(node)
	c.expect("it is its node's", "failed nodes//n7/NotReady Node 9m0s 1/0 | NotReady, 1 pod not ready: checkout/bound | condition Ready | summary  ")
	want("it is in the row of the node", 0, 0, false)
	c.put(node, `{"metadata":{"creationTimestamp":"-1m"}}`)
	want("the node may still become ready", 1, 11*time.Minute, false, "checkout/bound")
}

// TestUnlistedMany checks that many pods are counted as well, once a second.
func TestUnlistedMany(t *testing.T) {
	c := newCluster(t)
	for i := range 2 * mostCounted {
		c.put(problemtest.HealthyPod, named(fmt.Sprintf("p%04d", i)), problemtest.PendingPod, `{"metadata":{"creationTimestamp":"-5s"}}`)
	}
	c.text()
	if u := c.engine.Unlisted(); u.Pods != 2*mostCounted || u.Names[0] != "checkout/p0000" {
		t.Errorf("%+v", u)
	}
	c.remove("pods/checkout/p0000")
	c.now = c.now.Add(time.Second)
	c.text()
	if u := c.engine.Unlisted(); u.Pods != 2*mostCounted-1 || u.Names[0] != "checkout/p0001" {
		t.Errorf("a second later: %+v", u)
	}
}

// TestUnlistedUnknown counts a pod whose node only an event names, since nodes are listed later or may not be, or the node
// is gone.
func TestUnlistedUnknown(t *testing.T) {
	c := newCluster(t)
	c.put(about("default", "a", "Node", "n7"), `{"involvedObject":{"namespace":""}}`)
	c.put(problemtest.HealthyPod, problemtest.PendingPod, `{"metadata":{"creationTimestamp":"-5s","ownerReferences":null}}`)
	want := func(what string) {
		t.Helper()
		if c.text(); c.engine.Unlisted().Pods != 1 {
			t.Errorf("%s: %+v", what, c.engine.Unlisted())
		}
	}
	want("before the node")
	c.put(`{"kind":"Node","apiVersion":"v1","metadata":{"name":"n7","creationTimestamp":"-9h"},"status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"-9m"}],"nodeInfo":{"kubeletVersion":"v1.36.1"}}}`)
	want("beside the node")
	c.remove("nodes/n7")
	want("after the node")
}
