package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func TestFleetIsDeterministic(t *testing.T) {
	options := PodOptions{Seed: 7, Now: noon}.withDefaults(500)
	a, errA := newFleet(500, options)
	b, errB := newFleet(500, options)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	names := map[string]bool{}
	for i := range 500 {
		first, errA := a.pod(i).Marshal()
		second, errB := b.pod(i).Marshal()
		if errA != nil || errB != nil || !bytes.Equal(first, second) {
			t.Fatalf("pod %d differs from itself", i)
		}
		names[b.pod(i).Name] = true
	}
	if len(names) != 500 {
		t.Errorf("%d names for 500 pods", len(names))
	}
}

func TestSuffixesAreUnique(t *testing.T) {
	const n = 1 << 20
	seen := make(map[string]bool, n)
	for i := range n {
		seen[uniqueSuffix(i)] = true
	}
	if len(seen) != n {
		t.Errorf("%d suffixes for %d pods", len(seen), n)
	}
}

const seeded = 2000

// seed makes sure that there are pods.
func seed(t *testing.T) {
	t.Helper()
	client, err := shared.client()
	if err != nil {
		t.Fatal(err)
	}
	have, err := countPods(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	if have > seeded/2 {
		return // less those that a churn deleted
	}
	if err := shared.SeedPods(t.Context(), seeded, PodOptions{}); err != nil {
		t.Fatal(err)
	}
}

func TestSeedPods(t *testing.T) {
	deletePods(t)
	seed(t)
	client, err := shared.client()
	if err != nil {
		t.Fatal(err)
	}
	list, err := client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("whole", func(t *testing.T) { testWhole(t, list.Items) })
	t.Run("states", func(t *testing.T) { testStates(t) })
	t.Run("size", func(t *testing.T) { testSize(t, list.Items) })
	t.Run("stored form", func(t *testing.T) { testStoredForm(t, list.Items) })
}

// deletePods removes what other tests left. One by one: the watch cache would show
// a deletion of all at once while it is halfway through.
func deletePods(t *testing.T) {
	t.Helper()
	etcd, err := shared.needEtcd()
	if err != nil {
		t.Fatal(err)
	}
	all, err := etcd.Get(t.Context(), podsPrefix, clientv3.WithPrefix(), clientv3.WithKeysOnly())
	if err != nil {
		t.Fatal(err)
	}
	for _, kv := range all.Kvs {
		if _, err := etcd.Delete(t.Context(), string(kv.Key)); err != nil {
			t.Fatal(err)
		}
	}
}

func testWhole(t *testing.T, pods []corev1.Pod) {
	if len(pods) != seeded {
		t.Fatalf("LIST has %d pods, want %d", len(pods), seeded)
	}
	versions := map[string]bool{}
	for i := range pods {
		versions[pods[i].ResourceVersion] = true
		if pods[i].Spec.Containers == nil || pods[i].UID == "" || len(pods[i].ManagedFields) != 2 {
			t.Fatalf("pod %s is not whole", pods[i].Name)
		}
	}
	if len(versions) != seeded {
		t.Errorf("%d versions for %d pods", len(versions), seeded)
	}
}

func testStates(t *testing.T) {
	out, err := shared.Kubectl(t.Context(), "get", "pods", "-A", "--no-headers")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]int{}
	for line := range strings.Lines(out) {
		shown[strings.Fields(line)[3]]++
	}
	for _, s := range states {
		if s.state != notReady && shown[string(s.state)] == 0 {
			t.Errorf("kubectl shows no pod as %s: %v", s.state, shown)
		}
	}
}

func testSize(t *testing.T, pods []corev1.Pod) {
	pods = slices.DeleteFunc(slices.Clone(pods), func(p corev1.Pod) bool { return len(p.Spec.Containers) > 1 })
	var text, managed, packed int
	for i := range pods {
		whole, err := json.Marshal(&pods[i])
		if err != nil {
			t.Fatal(err)
		}
		part, err := json.Marshal(pods[i].ManagedFields)
		if err != nil {
			t.Fatal(err)
		}
		text, managed, packed = text+len(whole), managed+len(part), packed+pods[i].Size()
	}
	n := len(pods)
	t.Logf("%d pods of one container: %d bytes of JSON, %d of protobuf, %d %% of the JSON is managedFields", n, text/n, packed/n, 100*managed/text)
	if text/n < 6000 || text/n > 8500 || packed/n < 4000 || packed/n > 6000 || managed*100/text < 38 {
		t.Error("the pods are not of the size of real ones")
	}
}

// testStoredForm puts a pod of each state back unchanged. The apiserver keeps the
// version only when it would store the very bytes that are there: so what was
// written into etcd is what it would have written, and the pod is valid.
func testStoredForm(t *testing.T, pods []corev1.Pod) {
	client := clientFor(t, shared.Config()).CoreV1()
	f, err := newFleet(seeded, PodOptions{}.withDefaults(seeded))
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range states {
		name := f.pod(i).Name
		j := slices.IndexFunc(pods, func(p corev1.Pod) bool { return p.Name == name })
		if j < 0 {
			t.Fatalf("no pod %s", name)
		}
		options := metav1.UpdateOptions{FieldManager: "test"}
		same, err := client.Pods(pods[j].Namespace).Update(t.Context(), &pods[j], options)
		if err == nil {
			same, err = client.Pods(pods[j].Namespace).UpdateStatus(t.Context(), same, options)
		}
		if err != nil {
			t.Errorf("%s: %v", s.state, err)
			continue
		}
		if same.ResourceVersion != pods[j].ResourceVersion {
			t.Errorf("%s: the apiserver stores another form:\n%s", s.state, difference(t, &pods[j], same))
		}
	}
}

// difference is where two pods begin to differ.
func difference(t *testing.T, a, b *corev1.Pod) string {
	t.Helper()
	a, b = a.DeepCopy(), b.DeepCopy()
	a.ResourceVersion, b.ResourceVersion = "", ""
	first, errA := json.Marshal(a)
	second, errB := json.Marshal(b)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	for i := range min(len(first), len(second)) {
		if first[i] != second[i] {
			from := max(0, i-100)
			return fmt.Sprintf("made   …%.200s\nstored …%.200s", first[from:], second[from:])
		}
	}
	return "none in JSON"
}

// TestManagedFields has the apiserver work out who owns what, and compares.
func TestManagedFields(t *testing.T) {
	f, err := newFleet(len(states), PodOptions{Namespaces: 1, Now: noon}.withDefaults(1))
	if err != nil {
		t.Fatal(err)
	}
	client := clientFor(t, shared.Config()).CoreV1().Pods("default")
	want := f.pod(0)
	sent := f.apps[0].template.DeepCopy()
	sent.Name = "managed-fields"
	if _, err := client.Create(t.Context(), sent, metav1.CreateOptions{FieldManager: specManager}); err != nil {
		t.Fatal(err)
	}
	err = client.Bind(t.Context(), &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Name: sent.Name}, Target: corev1.ObjectReference{Kind: "Node", Name: "node-0001"},
	}, metav1.CreateOptions{FieldManager: "kube-scheduler"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := client.Get(t.Context(), sent.Name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	scheduled := got.Status.Conditions
	got.Status = want.Status
	last := len(got.Status.Conditions) - 1 // the scheduler's, which the kubelet leaves as it is
	got.Status.Conditions = append(slices.Clone(got.Status.Conditions[:last]), scheduled...)
	if got, err = client.UpdateStatus(t.Context(), got, metav1.UpdateOptions{FieldManager: statusManager}); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Delete(context.Background(), sent.Name, *metav1.NewDeleteOptions(0)) }()
	for i, entry := range got.ManagedFields {
		own := want.ManagedFields[i]
		made, server := own.FieldsV1.GetRawString(), entry.FieldsV1.GetRawString()
		if own.Manager != entry.Manager || own.Subresource != entry.Subresource || made != server {
			t.Errorf("%s:\n made   %s\n server %s", entry.Manager, made, server)
		}
	}
}

func TestChurn(t *testing.T) {
	seed(t)
	t.Run("api", func(t *testing.T) { testChurn(t, ChurnOptions{PerSecond: 100, Seed: 1}) })
	t.Run("direct", func(t *testing.T) { testChurn(t, ChurnOptions{PerSecond: 500, Seed: 1, Direct: true}) })
}

// testChurn compares what a churn says it wrote with what a watch sees.
func testChurn(t *testing.T, o ChurnOptions) {
	ctx, enough := context.WithTimeout(t.Context(), time.Minute)
	defer enough()
	wrote := 0
	end := "end-" + t.Name()[len("TestChurn/"):]
	seen := watchUntil(t, end)
	var mu sync.Mutex
	last := map[string]string{} // version of each pod that was written to
	o.Wrote = func(write Write) {
		mu.Lock()
		defer mu.Unlock()
		if wrote++; wrote >= int(o.PerSecond) {
			enough()
		}
		key := write.Namespace + "/" + write.Name
		if last[key] = write.ResourceVersion; write.Verb == VerbDelete {
			delete(last, key)
		}
	}
	o.Mix = Mix{Status: 60, Label: 20, Create: 10, Delete: 10}
	churn, err := shared.Churn(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := churn.Wait(); err != nil {
		t.Error(err)
	}
	checkCounts(t, o, churn.Counts())
	createPod(t, end)
	checkEvents(t, o, churn.Counts(), last, <-seen)
}

func checkCounts(t *testing.T, o ChurnOptions, counts Counts) {
	t.Helper()
	t.Logf("%+v", counts)
	if counts.Gone > 0 {
		t.Errorf("nobody else deletes pods, and %d writes were to such as are gone", counts.Gone)
	}
	if counts.Status == 0 || counts.Label == 0 || counts.Create == 0 || counts.Delete == 0 {
		t.Errorf("not all kinds of writes: %+v", counts)
	}
	if total := counts.Status + counts.Label + counts.Create + counts.Delete; float64(total) < o.PerSecond {
		t.Errorf("%d writes in a minute at %v/s: %+v", total, o.PerSecond, counts)
	}
}

func checkEvents(t *testing.T, o ChurnOptions, counts Counts, last map[string]string, events []watch.Event) {
	t.Helper()
	want := map[watch.EventType]int64{
		watch.Added: counts.Create, watch.Deleted: counts.Delete, watch.Modified: counts.Status + counts.Label,
	}
	if !o.Direct {
		want[watch.Modified] += counts.Delete // it is terminating first
	}
	seen := map[watch.EventType]int64{}
	for _, event := range events {
		seen[event.Type]++
		pod, ok := event.Object.(*corev1.Pod)
		if !ok {
			t.Fatalf("the watch says %v", event)
		}
		if key := pod.Namespace + "/" + pod.Name; last[key] == pod.ResourceVersion {
			delete(last, key)
		}
	}
	// Writes that the end of the churn cut off may have been made all the same.
	for kind, n := range want {
		if seen[kind] < n || seen[kind] > n+churnWorkers {
			t.Errorf("%d events %s for %d writes", seen[kind], kind, n)
		}
	}
	if len(last) > 0 {
		t.Errorf("the last writes to %d pods made no event", len(last))
	}
}

// watchUntil collects the events of all pods up to that of the pod called end.
func watchUntil(t *testing.T, end string) <-chan []watch.Event {
	t.Helper()
	pods := clientFor(t, shared.Config()).CoreV1().Pods("")
	list, err := pods.List(t.Context(), metav1.ListOptions{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	w, err := pods.Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		t.Fatal(err)
	}
	seen := make(chan []watch.Event, 1)
	go func() {
		defer w.Stop()
		var events []watch.Event
		for event := range w.ResultChan() { // closed at the test's end
			if pod, ok := event.Object.(*corev1.Pod); ok && pod.Name == end {
				break
			}
			events = append(events, event)
		}
		seen <- events
	}()
	return seen
}

func createPod(t *testing.T, name string) {
	t.Helper()
	pods := clientFor(t, shared.Config()).CoreV1().Pods("default")
	pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "a", Image: "b"}}}}
	if _, err := pods.Create(t.Context(), sibling(pod, name), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// TestChurnOutlivesTheAPIServer kills the apiserver under a churn.
func TestChurnOutlivesTheAPIServer(t *testing.T) {
	seed(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	churn, err := shared.Churn(ctx, ChurnOptions{PerSecond: 100, Pods: 50})
	if err != nil {
		t.Fatal(err)
	}
	waitForCounts(t, "first writes", func() bool { return churn.Counts().Status > 0 })
	if err := shared.KillAPIServer(); err != nil {
		t.Fatal(err)
	}
	waitForCounts(t, "failed writes", func() bool { return churn.Counts().Failed > 0 })
	if err := shared.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := churn.Counts().Status
	waitForCounts(t, "new writes", func() bool { return churn.Counts().Status > before+10 })
	cancel()
	if err := churn.Wait(); err == nil {
		t.Error("no write failed")
	}
}

func waitForCounts(t *testing.T, what string, reached func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err := waitFor(ctx, what, func(context.Context) error {
		if reached() {
			return nil
		}
		return errors.New("none yet")
	})
	if err != nil {
		t.Fatal(err)
	}
}
