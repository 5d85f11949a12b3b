//go:build !js && !race

package internal_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"watchglass/internal/deltafifo"
	"watchglass/internal/indexer"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/view"
)

// countedPods is how many pods there are: enough for what grows by doubling to even out.
const countedPods = 10_000

// countedAt is the time of all counts.
var countedAt = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// realisticPod returns a pod as a kubelet leaves it, managedFields included. Pods of different
// numbers have other names, owners, nodes and addresses; all is the same in every run.
func realisticPod(t *testing.T, n, version int) *corev1.Pod {
	t.Helper()
	sent, err := os.ReadFile("object/testdata/pod.pb")
	if err != nil {
		t.Fatal(err)
	}
	var wrapped runtime.Unknown
	if err := wrapped.Unmarshal(bytes.TrimPrefix(sent, []byte("k8s\x00"))); err != nil {
		t.Fatal(err)
	}
	p := new(corev1.Pod)
	if err := p.Unmarshal(wrapped.Raw); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(uint64(n), 1))
	owner := fmt.Sprintf("web-%08x", n/5)
	p.Name, p.Namespace, p.GenerateName = fmt.Sprintf("%s-%05x", owner, n), fmt.Sprintf("team-%02d", n%40), owner+"-"
	p.UID, p.ResourceVersion = types.UID(fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", r.Uint32(), r.Uint32()&0xffff, r.Uint32()&0xfff, r.Uint32()&0xfff, r.Uint64()&0xffffffffffff)), fmt.Sprint(88_000_000+n+version)
	p.OwnerReferences[0].Name = owner
	p.Spec.NodeName, p.Status.PodIP = fmt.Sprintf("node-%04d", n%200), fmt.Sprintf("10.244.%d.%d", n/250%250, n%250)
	p.Status.PodIPs = []corev1.PodIP{{IP: p.Status.PodIP}}
	p.Status.ContainerStatuses[0].ContainerID = fmt.Sprintf("containerd://%016x%016x%016x%016x", r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64())
	p.Status.ContainerStatuses[0].RestartCount = int32(version)
	p.ManagedFields = []metav1.ManagedFieldsEntry{{
		Manager: "kubelet", Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1", FieldsType: "FieldsV1", Subresource: "status",
		FieldsV1: metav1.NewFieldsV1(`{"f:status":{"f:conditions":{"k:{\"type\":\"ContainersReady\"}":{".":{},"f:lastProbeTime":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}},"k:{\"type\":\"Ready\"}":{".":{},"f:lastProbeTime":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}}},"f:containerStatuses":{},"f:hostIP":{},"f:phase":{},"f:podIP":{},"f:startTime":{}}}`),
	}}
	return p
}

// payload is a pod as the apiserver sends it.
func payload(t *testing.T, p *corev1.Pod) []byte {
	t.Helper()
	raw, err := p.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	kind, _ := object.Builtin("pods")
	return kind.Wrap(nil, raw)
}

// payloads are all pods, as the relay sends them.
func payloads(t *testing.T, n, version int) [][]byte {
	all := make([][]byte, n)
	for i := range all {
		p := realisticPod(t, i, version)
		p.ManagedFields = nil
		all[i] = payload(t, p)
	}
	return all
}

// podDecoder decodes pods as the hub has it done.
func podDecoder() *object.Decoder {
	kind, _ := object.Builtin("pods")
	return object.NewDecoder(kind, true).Share(new(object.CodeTable))
}

func decoded(t *testing.T, d *object.Decoder, all [][]byte) []*object.Object {
	t.Helper()
	objects := make([]*object.Object, len(all))
	for i, raw := range all {
		var err error
		if objects[i], err = d.Decode(raw); err != nil {
			t.Fatal(err)
		}
	}
	return objects
}

// countObjects follows a pod from its bytes into the store.
func countObjects(t *testing.T) (all []count) {
	d := podDecoder()
	raw := payloads(t, countedPods, 1)
	early := decoded(t, d, raw)
	again := payloads(t, countedPods, 2)
	late := decoded(t, d, again)

	all = append(all, allocated(countedPods, func(i int) { _, _ = d.Decode(again[i%countedPods]) }).counts("pod decoded", 1, 1)...)
	packed, rows := 0, 0
	for _, o := range late {
		packed, rows = packed+len(o.Packed()), rows+o.Size()
	}
	all = append(all, count{"pod stored: packed object", float64(packed) / countedPods, "bytes", 0}, count{"pod stored: row", float64(rows) / countedPods, "bytes", 0})

	queue := deltafifo.New(deltafifo.Options[*object.Object]{KeyFunc: (*object.Object).Key})
	all = append(all, allocated(countedPods, func(i int) {
		queue.Update(late[i%countedPods])
		_ = queue.Pop(t.Context(), func(batch *deltafifo.Batch[*object.Object]) error {
			for batch.Next() {
			}
			return nil
		})
	}).counts("pod through the queue", 1, 1)...)

	namespaces := indexer.Indexers[*object.Object]{indexer.NamespaceIndex: func(dst []string, o *object.Object) []string { return append(dst, o.Namespace()) }}
	var store *indexer.Indexer[*object.Object]
	all = append(all, allocated(4, func(int) {
		store = indexer.New((*object.Object).Key, namespaces)
		filled := store.Replace()
		filled.Update(func(tx indexer.Tx[*object.Object]) {
			for _, o := range early {
				tx.Set(o)
			}
		})
		filled.Commit("1")
	}).counts("pod listed into the store", countedPods, 3)...)
	all = append(all, allocated(countedPods, func(i int) {
		store.Update(func(tx indexer.Tx[*object.Object]) { tx.Set(late[i%countedPods]) })
	}).counts("pod updated in the store", 1, 1)...)
	return append(all, allocated(100, func(int) {
		if _, err := store.ByIndex(indexer.NamespaceIndex, "team-07"); err != nil {
			t.Fatal(err)
		}
	}).counts("250 pods read from an index", 1, 1)...)
}

// countViews asks a view what users ask.
func countViews(t *testing.T) (all []count) {
	d := podDecoder()
	early, late := decoded(t, d, payloads(t, countedPods, 1)), decoded(t, d, payloads(t, countedPods, 2))
	v := view.New()
	v.Start(early)
	v.SetShape(view.Shape{Columns: slices.Clone(d.Columns()), Namespaced: true})
	seq, now := uint32(0), countedAt
	step := func() (p view.Patch) {
		p, _ = v.StepAt(now, countedAt)
		for v.Dirty() { // facets are sent as often as time passes
			now = now.Add(time.Second)
			v.StepAt(now, countedAt)
		}
		return p
	}
	ask := func(q view.Query) view.Patch {
		seq++
		q.Seq, q.Limit = seq, 50
		v.SetQuery(q)
		return step()
	}
	first := ask(view.Query{})
	for _, c := range []struct{ name, text, sort string }{
		{"word typed", "web-000001", ""}, {"facet chosen", "ns:team-07", ""}, {"regular expression typed", `/web-.*[02468]$/`, ""},
		{"number compared", "restarts>=1", ""}, {"sorted by a column", "", "Node"},
	} {
		all = append(all, allocated(4, func(i int) {
			ask(view.Query{Text: c.text, Sort: c.sort})
			ask(view.Query{})
		}).counts(c.name+", and back", 1, 3)...)
	}
	all = append(all, allocated(1000, func(i int) {
		before, after := early[i%countedPods], late[i%countedPods]
		if i/countedPods%2 == 1 {
			before, after = after, before
		}
		v.Apply([]view.Change{{Before: before, After: after}})
		step()
	}).counts("pod changed", 1, 3)...)
	return append(all, countPatch(t, first)...)
}

// countPatch passes a patch of 50 rows from the worker to the page.
func countPatch(t *testing.T, p view.Patch) []count {
	message := port.Patch{ID: 1, Patch: p}
	var sent []byte
	var err error
	out := allocated(100, func(int) {
		if sent, err = port.Encode(message); err != nil {
			t.Fatal(err)
		}
	}).counts("patch of 50 rows encoded", 1, 1)
	out = append(out, count{"patch of 50 rows: message", float64(len(sent)), "bytes", 0})
	return append(out, allocated(100, func(int) {
		if _, err := port.Decode(sent); err != nil {
			t.Fatal(err)
		}
	}).counts("patch of 50 rows decoded", 1, 1)...)
}
