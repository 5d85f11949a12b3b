//go:build !js

package problem

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"

	"watchglass/internal/object"
	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/problemtest"
)

// cluster is what an engine has been told, by key.
type cluster struct {
	testing.TB
	engine  *Engine
	now     time.Time
	objects map[string]Change
	rows    map[string]Row // from Changed alone
	totals  facts.Totals
	late    bool // what is put comes late
}

func newCluster(t testing.TB) *cluster {
	return &cluster{TB: t, engine: New(Options{ServerMinor: func() int { return 36 }}), now: problemtest.Noon, objects: make(map[string]Change), rows: make(map[string]Row)}
}

var decoders = make(map[string]*object.Decoder)

// decode returns an object as a source has it: from protobuf.
func decode(t testing.TB, keep bool, docs ...string) Change {
	t.Helper()
	text, err := json.Marshal(problemtest.Parse(t, docs...).Any())
	if err != nil {
		t.Fatal(err)
	}
	obj, gvk, err := scheme.Codecs.UniversalDeserializer().Decode(text, nil, nil)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	kind, ok := object.BuiltinNamed(gvk.Group, gvk.Kind)
	if !ok {
		t.Fatal(gvk)
	}
	obj.GetObjectKind().SetGroupVersionKind(*gvk)
	payload, err := runtime.Encode(protobuf.NewSerializer(scheme.Scheme, scheme.Scheme), obj)
	if err != nil {
		t.Fatal(err)
	}
	d := decoders[fmt.Sprint(kind.ID(), keep)]
	if d == nil {
		var extras []object.Extra
		for _, path := range Paths(kind.ID()) {
			e, err := object.ParseExtra(path)
			if err != nil {
				t.Fatal(err)
			}
			extras = append(extras, e)
		}
		d = object.NewDecoder(kind, keep && extras == nil, extras...)
		decoders[fmt.Sprint(kind.ID(), keep)] = d
	}
	o, err := d.Decode(payload)
	if err != nil {
		t.Fatal(err)
	}
	return Change{Kind: &kind, Columns: d.Columns(), After: o}
}

// put adds or changes an object.
func (c *cluster) put(docs ...string) { c.apply(decode(c.TB, true, docs...)) }

func (c *cluster) apply(change Change) {
	key := change.Kind.ID() + "/" + change.After.Key()
	change.Before, change.Late = c.objects[key].After, c.late
	c.objects[key] = change
	c.take(change)
}

func (c *cluster) take(change Change) {
	c.totals.Count(change.Kind.ID(), change.Columns, change.Before, change.After)
	c.engine.Apply([]Change{change}, c.now)
}

// remove removes an object: "pods/checkout/web-1".
func (c *cluster) remove(key string) {
	c.Helper()
	change, ok := c.objects[key]
	if !ok {
		c.Fatalf("there is no %s", key)
	}
	delete(c.objects, key)
	change.Before, change.After = change.After, nil
	c.take(change)
}

// text returns all rows, after Changed.
func (c *cluster) text() string {
	c.Helper()
	c.engine.Read(c.now, 0)
	rows, gone := c.engine.Changed(c.now)
	for _, r := range rows {
		if before, had := c.rows[r.Key()]; had && before == r {
			c.Errorf("%s is not changed", r.Key())
		}
		c.rows[r.Key()] = r
	}
	for _, r := range gone {
		if before, had := c.rows[r.Key()]; !had || before != r {
			c.Errorf("%+v is gone, and was not there", r)
		}
		delete(c.rows, r.Key())
	}
	if a, b := rowsText(c.rows), rowsText(c.engine.Rows()); a != b {
		c.Errorf("changes add up to\n%s\nbut rows are\n%s", a, b)
	}
	if due := c.engine.Due(); !due.IsZero() && !due.After(c.now) {
		c.Errorf("due at %v, at %v", due, c.now)
	}
	return rowsText(c.rows)
}

func rowsText(rows map[string]Row) string {
	var all []string
	for key, r := range rows {
		if key != r.Key() {
			all = append(all, "wrong key "+key)
		}
		all = append(all, fmt.Sprintf("%s %s %s %s %d/%d | %s | %s | %s %s %s", r.Severity, key, r.Kind, problemtest.Age(r.Since), r.Count, r.Of, r.Words, r.Evidence, r.Tab, r.Pod, r.Container))
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// expect compares all rows.
func (c *cluster) expect(what string, want ...string) {
	c.Helper()
	if got := c.text(); got != strings.Join(want, "\n") {
		c.Errorf("%s: got\n%s\nwant\n%s", what, got, strings.Join(want, "\n"))
	}
}

const webSet = `{"kind":"ReplicaSet","apiVersion":"apps/v1","metadata":{"name":"web-5d9c","namespace":"checkout","creationTimestamp":"-1h","labels":{"pod-template-hash":"5d9c"},"annotations":{"deployment.kubernetes.io/revision":"2"},
	"ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"web","controller":true}]},"spec":{"replicas":6,"template":{"spec":{"containers":[{"name":"api","image":"shop/web:1.4"}]}}},"status":{"replicas":6,"readyReplicas":6,"availableReplicas":6}}`

const oomStatus = `{"status":{"containerStatuses":[{"name":"api","ready":false,"restartCount":14,"state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":137,"reason":"OOMKilled","startedAt":"-2m","finishedAt":"-1m"}}}]}}`

func named(name string) string { return `{"metadata":{"name":"` + name + `"}}` }

// TestGroups checks rows of pods that fail for the same reason, in any order of objects.
func TestGroups(t *testing.T) {
	short := `{"status":{"readyReplicas":4,"availableReplicas":4}}`
	puts := []func(*cluster){
		func(c *cluster) { c.put(problemtest.HealthyDeployment, short) },
		func(c *cluster) { c.put(webSet) },
		func(c *cluster) {
			c.put(problemtest.HealthyPod, problemtest.UnreadySince5m, oomStatus, named("web-5d9c-a"))
		},
		func(c *cluster) {
			c.put(problemtest.HealthyPod, problemtest.UnreadySince5m, oomStatus, named("web-5d9c-b"), `{"status":{"conditions":[]}}`)
		},
		func(c *cluster) { c.put(problemtest.HealthyPod, named("web-5d9c-c")) },
	}
	want := "warning deployments.apps/checkout/web/OOMKilled Deployment 5m0s 2/6 | OOMKilled (limit 512Mi), 2 of 6 pods | status.containerStatuses[api].lastState.terminated | logs web-5d9c-a api"
	for turn := range puts {
		c := newCluster(t)
		for i := range puts {
			puts[(i+turn)%len(puts)](c)
			c.text()
		}
		c.now = c.now.Add(2 * time.Minute)
		c.expect("all", want)
		c.remove("pods/checkout/web-5d9c-a")
		c.expect("one less", "warning deployments.apps/checkout/web/OOMKilled Deployment 1m0s 1/6 | OOMKilled (limit 512Mi), exit code 137, 14 restarts, container api, 1 of 6 pods | status.containerStatuses[api].lastState.terminated | logs web-5d9c-b api")
		c.remove("replicasets.apps/checkout/web-5d9c")
		c.expect("without the ReplicaSet, by the hash", "warning deployments.apps/checkout/web/OOMKilled Deployment 1m0s 1/6 | OOMKilled (limit 512Mi), exit code 137, 14 restarts, container api, 1 of 6 pods | status.containerStatuses[api].lastState.terminated | logs web-5d9c-b api")
		c.remove("deployments.apps/checkout/web")
		c.expect("without the Deployment", "failed deployments.apps/checkout/web/OOMKilled Deployment 1m0s 1/0 | OOMKilled (limit 512Mi), exit code 137, 14 restarts, container api | status.containerStatuses[api].lastState.terminated | logs web-5d9c-b api")
		c.remove("pods/checkout/web-5d9c-b")
		c.expect("nothing")
		if n := len(c.engine.records) + len(c.engine.owners) + len(c.engine.dependents) + len(c.engine.events) + len(c.engine.sets) + len(c.engine.young); n != 0 {
			t.Errorf("%d things are kept of nothing: %v", n, c.engine.records)
		}
	}
}

// TestShortage checks that a workload's own row is left out while its pods explain it, or may do
// so soon.
func TestShortage(t *testing.T) {
	c := newCluster(t)
	c.put(webSet)
	c.put(problemtest.HealthyDeployment, `{"status":{"readyReplicas":5,"availableReplicas":5}}`)
	c.put(problemtest.HealthyPod, `{"metadata":{"creationTimestamp":"-5s"}}`, problemtest.ScheduledPod, `{"metadata":{"name":"web-5d9c-a","creationTimestamp":"-5s"},"status":{"startTime":"-5s","conditions":[{"type":"PodScheduled","status":"True","lastTransitionTime":"-5s"}]}}`)
	c.expect("at once")
	c.now = c.now.Add(70 * time.Second)
	c.expect("a new pod explains it")
	c.remove("pods/checkout/web-5d9c-a")
	c.expect("no pod", "warning deployments.apps/checkout/web/BelowDesired Deployment ? 1/0 | 5 of 6 pods available | status | related  ")
	c.put(problemtest.HealthyDeployment)
	c.expect("healthy")
}

// TestReplicaFailure checks that pods that cannot be created explain what follows from that.
func TestReplicaFailure(t *testing.T) {
	c := newCluster(t)
	c.put(problemtest.HealthyDeployment, `{"status":{"readyReplicas":1,"availableReplicas":1,"conditions":[{"type":"ReplicaFailure","status":"True","reason":"FailedCreate","message":"exceeded quota","lastTransitionTime":"-5m"},{"type":"Available","status":"False","reason":"MinimumReplicasUnavailable","lastTransitionTime":"-5m"},{"type":"Progressing","status":"False","reason":"ProgressDeadlineExceeded","lastTransitionTime":"-2m"}]}}`)
	c.expect("one cause", "failed deployments.apps/checkout/web/ReplicaFailure Deployment 5m0s 1/0 | FailedCreate: exceeded quota | condition ReplicaFailure | events  ")
}

// TestLost checks that a lost claim, which is final, is shown at once.
func TestLost(t *testing.T) {
	c := newCluster(t)
	c.put(`{"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{"name":"cache","namespace":"media","creationTimestamp":"-1h"},"spec":{"volumeName":"pv-1"},"status":{"phase":"Lost"}}`)
	c.expect("at once", "failed persistentvolumeclaims/media/cache/Lost PersistentVolumeClaim ? 1/0 | Lost: volume pv-1 does not exist | status.phase | summary  ")
}

// TestFailedCompleted checks that a pod that failed is read although kubectl shows it as Completed, as
// its first container ended well.
func TestFailedCompleted(t *testing.T) {
	c := newCluster(t)
	completed := problemtest.WithStatus(`{"name":"api","ready":false,"restartCount":0,"state":{"terminated":{"exitCode":0,"reason":"Completed","finishedAt":"-5m"}}}`)
	c.put(problemtest.HealthyPod, problemtest.UnreadySince5m, `{"status":{"phase":"Failed","reason":"Evicted","message":"low"}}`, completed)
	c.expect("evicted", "warning deployments.apps/checkout/web/Evicted Deployment 5m0s 1/0 | Evicted: low | status.reason | summary web-5d9c-x2x1p ")
	c.put(problemtest.HealthyPod, problemtest.UnreadySince5m, `{"status":{"phase":"Succeeded"}}`, completed)
	c.expect("completed")
}

// TestTime checks that time alone raises and removes rows, and that Due says when.
func TestTime(t *testing.T) {
	c := newCluster(t)
	c.put(problemtest.HealthyPod, problemtest.PendingPod, `{"metadata":{"creationTimestamp":"-3s","ownerReferences":null},"status":{"conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"0/3","lastTransitionTime":"-3s"}]}}`)
	var seen []string
	for range 20 {
		seen = append(seen, fmt.Sprint(c.now.Sub(problemtest.Noon), " ", c.text()))
		due := c.engine.Due()
		if due.IsZero() {
			break
		}
		c.now = due
	}
	want := []string{
		"0s ",
		"7s warning pods/checkout/web-5d9c-x2x1p/Unschedulable Pod 3s 1/0 | 0/3 | condition PodScheduled | events web-5d9c-x2x1p ",
		"4m57s failed pods/checkout/web-5d9c-x2x1p/Unschedulable Pod 3s 1/0 | 0/3 | condition PodScheduled | events web-5d9c-x2x1p ",
	}
	if !slices.Equal(seen, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(seen, "\n"), strings.Join(want, "\n"))
	}
}

// TestRead checks that an engine that reads little at a time comes to the same rows, and that what
// it has not read is not missing.
func TestRead(t *testing.T) {
	all := newCluster(t)
	few := newCluster(t)
	for _, c := range []*cluster{all, few} {
		for _, change := range podsNamed(t, 10, problemtest.HealthyPod, problemtest.UnreadySince5m, oomStatus) {
			c.apply(change)
		}
		c.put(problemtest.HealthyDeployment)
		c.put(webService)
		c.put(webSlice)
	}
	want := all.text()
	for calls := 1; ; calls++ {
		left := few.engine.Read(few.now, 3)
		few.engine.Changed(few.now)
		if due := few.engine.Due(); left != (!due.IsZero() && !due.After(few.now)) || left == few.engine.known(kinds.EndpointSlices) {
			t.Errorf("after %d calls: some are left: %v, due %v", calls, left, due)
		}
		if !left {
			if calls != 5 {
				t.Errorf("%d calls", calls)
			}
			break
		}
	}
	if got := rowsText(few.engine.Rows()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
