package timeline

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"

	"watchglass/internal/history"
	"watchglass/internal/history/historytest"
	"watchglass/internal/object"
)

// packed returns an object as the apiserver sends it.
func packed(t testing.TB, o runtime.Object) []byte {
	t.Helper()
	gvks, _, err := scheme.Scheme.ObjectKinds(o)
	if err != nil {
		t.Fatal(err)
	}
	o.GetObjectKind().SetGroupVersionKind(gvks[0])
	var out bytes.Buffer
	if err := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Encode(o, &out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

var begin = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

var (
	podStream   = history.Stream{Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true}
	nodeStream  = history.Stream{Version: "v1", Resource: "nodes", Kind: "Node"}
	eventStream = history.Stream{Version: "v1", Resource: "events", Kind: "Event", Namespaced: true}
	deployments = history.Stream{Group: "apps", Version: "v1", Resource: "deployments", Kind: "Deployment", Namespaced: true}
	leaseStream = history.Stream{Group: "coordination.k8s.io", Version: "v1", Resource: "leases", Kind: "Lease", Namespaced: true}
	secrets     = history.Stream{Version: "v1", Resource: "secrets", Kind: "Secret", Namespaced: true}
	configMaps  = history.Stream{Version: "v1", Resource: "configmaps", Kind: "ConfigMap", Namespaced: true}
	sliceStream = history.Stream{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices", Kind: "EndpointSlice", Namespaced: true}
	widgets     = history.Stream{Group: "example.com", Version: "v1", Resource: "widgets", Kind: "Widget", Namespaced: true}
)

func find(name string) (object.Kind, bool) { return object.Builtin(name) }

// all reads a record, and returns its entries in the order in which they were read.
func all(t *testing.T, record history.Record) (*Timeline, []*Entry) {
	t.Helper()
	line := New(record, find)
	for line.Read(time.Second) {
	}
	var out []*Entry
	for i := range line.count {
		out = append(out, line.entry(i+1))
	}
	return line, out
}

func meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "shop", Name: name, UID: "u-1", ResourceVersion: "1"}
}

func pod(name string) *corev1.Pod {
	yes := true
	p := &corev1.Pod{ObjectMeta: meta(name)}
	p.Labels = map[string]string{"pod-template-hash": "5d9c"}
	p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web-5d9c", UID: "r", Controller: &yes}}
	p.Spec = corev1.PodSpec{NodeName: "n1", Containers: []corev1.Container{{Name: "web", Image: "nginx:1.27"}}}
	p.Status = corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{Name: "web"}}, Conditions: []corev1.PodCondition{{Type: "Ready", Status: "True"}, {Type: "Initialized", Status: "True"}}}
	return p
}

func node() *corev1.Node {
	n := &corev1.Node{ObjectMeta: meta("n1")}
	n.Namespace = ""
	n.Status.Conditions = []corev1.NodeCondition{{Type: "MemoryPressure", Status: "False", LastHeartbeatTime: metav1.NewTime(begin)}, {Type: "Ready", Status: "True", LastHeartbeatTime: metav1.NewTime(begin)}}
	return n
}

func deployment() *appsv1.Deployment {
	n := int32(3)
	d := &appsv1.Deployment{ObjectMeta: meta("web")}
	d.Spec.Replicas = &n
	d.Spec.Template.Spec.Containers = []corev1.Container{{Name: "web", Image: "nginx:1.27"}, {Name: "log", Image: "fluent:2"}}
	return d
}

// change is a change of an object, and the entry that it has to be.
type change[T runtime.Object] struct {
	name   string
	alter  func(T)
	class  Class
	words  string
	fields string
	rule   string
}

// check changes an object made by start in each way, one after the other.
func check[T runtime.Object](t *testing.T, s history.Stream, key string, start func() T, cases []change[T]) {
	t.Helper()
	for _, c := range cases {
		before, after := start(), start()
		any(after).(metav1.Object).SetResourceVersion("2")
		c.alter(after)
		record := historytest.New(begin)
		n := record.Open(s)
		record.Put(n, begin.Add(time.Second), key, "u-1", packed(t, before))
		record.Put(n, begin.Add(time.Minute), key, "u-1", packed(t, after))
		_, entries := all(t, record)
		if len(entries) != 2 {
			t.Errorf("%s: %d entries", c.name, len(entries))
			continue
		}
		e := entries[1]
		if e.Class() != c.class || e.Rule() != c.rule || c.words != "" && e.Words != c.words || c.fields != "" && e.Fields != c.fields {
			t.Errorf("%s: %s %q of %q, folded by %q", c.name, e.Class(), e.Words, e.Fields, e.Rule())
		}
	}
}

// TestPods checks what changes of pods are.
func TestPods(t *testing.T) {
	check(t, podStream, "shop/web-1", func() *corev1.Pod { return pod("web-1") }, []change[*corev1.Pod]{
		{name: "restart", class: Restarted, words: "web: OOMKilled, exit code 137", fields: "status.containerStatuses[web].restartCount", alter: func(p *corev1.Pod) {
			s := &p.Status.ContainerStatuses[0]
			s.RestartCount, s.LastTerminationState.Terminated = 1, &corev1.ContainerStateTerminated{Reason: "OOMKilled", ExitCode: 137}
		}},
		{name: "phase", class: Changed, words: "phase Running → Failed", alter: func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }},
		{name: "not ready", class: Changed, words: "Ready → NotReady: containers with unready status: [web]", alter: func(p *corev1.Pod) {
			p.Status.Conditions[0].Status, p.Status.Conditions[0].Message = "False", "containers with unready status: [web]"
		}},
		{name: "another condition", class: Changed, rule: "Status only", alter: func(p *corev1.Pod) { p.Status.Conditions[1].Status = "False" }},
		{name: "condition time", class: Changed, rule: "Condition times", alter: func(p *corev1.Pod) { p.Status.Conditions[1].LastTransitionTime = metav1.NewTime(begin) }},
		{name: "status", class: Changed, rule: "Status only", fields: "status.podIP", alter: func(p *corev1.Pod) { p.Status.PodIP = "10.0.0.1" }},
		{name: "label", class: Changed, words: "label app set to web", alter: func(p *corev1.Pod) { p.Labels["app"] = "web" }},
		{name: "deletion", class: Changed, words: "deletion requested", alter: func(p *corev1.Pod) {
			at := metav1.NewTime(begin)
			p.DeletionTimestamp = &at
		}},
		{name: "nothing", class: Changed, rule: "Managed fields and versions", alter: func(p *corev1.Pod) { p.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubelet"}} }},
		{name: "hostile", class: Changed, words: "annotation a set to b \uFFFDc d", alter: func(p *corev1.Pod) { p.Annotations = map[string]string{"a": "b\n\u202ec\td"} }},
	})
}

// TestNodes checks what changes of nodes are.
func TestNodes(t *testing.T) {
	check(t, nodeStream, "n1", node, []change[*corev1.Node]{
		{name: "lost", class: Condition, words: "Ready → Unknown: kubelet stopped posting node status", alter: func(n *corev1.Node) {
			c := &n.Status.Conditions[1]
			c.Status, c.Message, c.LastTransitionTime = "Unknown", "Kubelet stopped posting node status.", metav1.NewTime(begin)
		}},
		{name: "pressure", class: Condition, words: "MemoryPressure False → True: low", alter: func(n *corev1.Node) {
			n.Status.Conditions[0].Status, n.Status.Conditions[0].Reason = "True", "low"
		}},
		{name: "new condition", class: Condition, words: "DiskFlaky set to True: io errors", alter: func(n *corev1.Node) {
			n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: "DiskFlaky", Status: "True", Message: "io errors"})
		}},
		{name: "condition gone", class: Condition, words: "MemoryPressure removed", alter: func(n *corev1.Node) { n.Status.Conditions = n.Status.Conditions[1:] }},
		{name: "heartbeat", class: Changed, rule: "Heartbeats of nodes", alter: func(n *corev1.Node) {
			for i := range n.Status.Conditions {
				n.Status.Conditions[i].LastHeartbeatTime = metav1.NewTime(begin.Add(time.Minute))
			}
			n.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubelet"}}
		}},
		{name: "cordon", class: Changed, words: "cordoned", alter: func(n *corev1.Node) { n.Spec.Unschedulable = true }},
		{name: "images", class: Changed, rule: "Status only", alter: func(n *corev1.Node) { n.Status.Images = []corev1.ContainerImage{{SizeBytes: 1}} }},
	})
}

// TestLostNode checks that what pods only suffer with their node is folded, if the node has entries of its own, and that
// their own troubles are not.
func TestLostNode(t *testing.T) {
	lost := func(p *corev1.Pod) { p.Status.Conditions[0].Status = "False" }
	event := func(kind, reason string) *corev1.Event {
		return &corev1.Event{ObjectMeta: meta("e-" + kind + reason), Type: "Warning", Reason: reason, Message: "Node is not ready", InvolvedObject: corev1.ObjectReference{Kind: kind, Name: "web-1", Namespace: "shop"}}
	}
	begun := func(containers corev1.ConditionStatus, gated bool) *corev1.Pod {
		p := pod("web-1")
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: "ContainersReady", Status: containers})
		if gated {
			p.Spec.ReadinessGates = []corev1.PodReadinessGate{{ConditionType: "lb"}}
		}
		return p
	}
	for _, c := range []struct {
		name   string
		pod    *corev1.Pod
		alter  func(*corev1.Pod)
		event  *corev1.Event
		folded string // of: added, altered, as before, the event
	}{
		{"lost", begun("True", false), lost, event("Pod", "NodeNotReady"), "no yes yes yes"},
		{"a gate closes", begun("True", true), lost, event("Pod", "Unhealthy"), "no no no no"},
		{"containers fail", begun("True", false), func(p *corev1.Pod) { lost(p); p.Status.Conditions[2].Status = "False" }, event("Pod", "BackOff"), "no no no no"},
		{"more changed", begun("True", false), func(p *corev1.Pod) { lost(p); p.Status.Phase = corev1.PodFailed }, event("Node", "NodeNotReady"), "no no no no"},
		{"it never was", begun("False", false), lost, event("Pod", "FailedMount"), "no no no no"},
	} {
		for watched, want := range map[bool]string{true: c.folded, false: "no no no no"} {
			record := historytest.New(begin)
			n, m := record.Open(podStream), record.Open(eventStream)
			if watched {
				record.Open(nodeStream)
			}
			for i, alter := range []func(*corev1.Pod){func(*corev1.Pod) {}, c.alter, func(*corev1.Pod) {}} {
				p := c.pod.DeepCopy()
				p.ResourceVersion = strconv.Itoa(i + 1)
				alter(p)
				record.Put(n, begin.Add(time.Duration(i+1)*time.Second), "shop/web-1", "u-1", packed(t, p))
			}
			record.Put(m, begin.Add(time.Minute), "shop/"+c.event.Name, "u-2", packed(t, c.event))
			var got []string
			_, entries := all(t, record)
			for _, e := range entries {
				got = append(got, map[string]string{"Pods of lost nodes": "yes", "": "no"}[e.Rule()])
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s, nodes are watched: %v: folded are %v, want %s", c.name, watched, got, want)
			}
		}
	}
}

// TestOthers checks what changes of other kinds are.
func TestOthers(t *testing.T) {
	check(t, deployments, "shop/web", deployment, []change[*appsv1.Deployment]{
		{name: "rollout", class: RolledOut, words: "replicas 3 → 5, image nginx:1.27 → 1.28", fields: "spec.replicas, spec.template.spec.containers[web].image", alter: func(d *appsv1.Deployment) {
			n := int32(5)
			d.Spec.Replicas, d.Spec.Template.Spec.Containers[0].Image = &n, "nginx:1.28"
		}},
		{name: "order", class: RolledOut, words: "image nginx:1.27 → httpd:2", alter: func(d *appsv1.Deployment) {
			c := d.Spec.Template.Spec.Containers
			c[0].Image = "httpd:2"
			c[0], c[1] = c[1], c[0]
		}},
		{name: "scale", class: Changed, words: "replicas 3 → 5", alter: func(d *appsv1.Deployment) {
			n := int32(5)
			d.Spec.Replicas = &n
		}},
		{name: "restart", class: RolledOut, words: "restart requested", alter: func(d *appsv1.Deployment) {
			d.Spec.Template.Annotations = map[string]string{"kubectl.kubernetes.io/restartedAt": "2026"}
		}},
		{name: "revision", class: Changed, rule: "Notes of controllers", alter: func(d *appsv1.Deployment) {
			d.Annotations = map[string]string{"deployment.kubernetes.io/revision": "2"}
		}},
	})
	check(t, leaseStream, "shop/l", func() *coordinationv1.Lease {
		return &coordinationv1.Lease{ObjectMeta: meta("l")}
	}, []change[*coordinationv1.Lease]{
		{name: "renewed", class: Changed, rule: "Leases", alter: func(l *coordinationv1.Lease) {
			at := metav1.NewMicroTime(begin)
			l.Spec.RenewTime = &at
		}},
		{name: "leader", class: Changed, words: "holderIdentity set to a", alter: func(l *coordinationv1.Lease) {
			who := "a"
			l.Spec.HolderIdentity = &who
		}},
	})
	check(t, secrets, "shop/s", func() *corev1.Secret {
		return &corev1.Secret{ObjectMeta: meta("s"), Data: map[string][]byte{"key": []byte("one")}}
	}, []change[*corev1.Secret]{
		{name: "secret", class: Changed, words: "data[key] changed", alter: func(s *corev1.Secret) { s.Data["key"] = []byte("two") }},
	})
	check(t, configMaps, "shop/c", func() *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: meta("c"), Data: map[string]string{"a": "1", "b": "2"}}
	}, []change[*corev1.ConfigMap]{
		{name: "leader", class: Changed, rule: "Leader election", alter: func(c *corev1.ConfigMap) {
			c.Annotations = map[string]string{"control-plane.alpha.kubernetes.io/leader": "x"}
		}},
		{name: "data", class: Changed, words: "data[a] 1 → 3, data[b] removed, was 2", alter: func(c *corev1.ConfigMap) { c.Data = map[string]string{"a": "3"} }},
	})
	check(t, sliceStream, "shop/e", func() *discoveryv1.EndpointSlice {
		return &discoveryv1.EndpointSlice{ObjectMeta: meta("e")}
	}, []change[*discoveryv1.EndpointSlice]{
		{name: "addresses", class: Changed, rule: "Endpoints", alter: func(e *discoveryv1.EndpointSlice) {
			e.Endpoints = []discoveryv1.Endpoint{{Addresses: []string{"10.0.0.1"}}}
		}},
	})
}

// TestJSON checks changes of a custom kind, whole and as rows of a Table.
func TestJSON(t *testing.T) {
	record := historytest.New(begin)
	n := record.Open(widgets)
	put := func(stream, second int, doc string) {
		record.Put(stream, begin.Add(time.Duration(second)*time.Second), "shop/w", "u", []byte(doc))
	}
	put(n, 1, `{"kind":"Widget","metadata":{"name":"w","namespace":"shop","uid":"u","resourceVersion":"1"},"spec":{"size":1,"parts":[{"name":"a","n":1},{"name":"b","n":1}]}}`)
	put(n, 2, `{"kind":"Widget","metadata":{"name":"w","namespace":"shop","uid":"u","resourceVersion":"2"},"spec":{"size":2,"parts":[{"name":"b","n":2},{"name":"a","n":1}]}}`)
	put(n, 3, `{"kind":"Widget","metadata":{"name":"w","namespace":"shop","uid":"u","resourceVersion":"3","managedFields":[{"time":"x"}]},"spec":{"size":2,"parts":[{"name":"b","n":2},{"name":"a","n":1}]}}`)
	put(n, 4, `{"kind":"Widget","metadata":{"name":"w","namespace":"shop","uid":"u","resourceVersion":"4","managedFields":[{"time":"x"}],"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{}"}},"spec":{"size":2,"parts":[{"name":"b","n":2},{"name":"a","n":1}]}}`)
	rows := widgets
	rows.Resource, rows.Columns = "gadgets", []byte(`[{"name":"Name","type":"string","format":"name"},{"name":"Phase","type":"string"},{"name":"Age","type":"date"}]`)
	m := record.Open(rows)
	put(m, 1, `{"cells":["w","Idle","5s"],"object":{"kind":"PartialObjectMetadata","metadata":{"name":"w","namespace":"shop","uid":"u","resourceVersion":"1","creationTimestamp":"2026-11-24T12:00:00Z"}}}`)
	put(m, 2, `{"cells":["w","Busy","6s"],"object":{"kind":"PartialObjectMetadata","metadata":{"name":"w","namespace":"shop","uid":"u","resourceVersion":"2","creationTimestamp":"2026-11-24T12:00:00Z"}}}`)
	put(m, 3, `{"cells":["w","Busy","7s"],"object":{"kind":"PartialObjectMetadata","metadata":{"name":"w","namespace":"shop","uid":"u","resourceVersion":"3","creationTimestamp":"2026-11-24T12:00:00Z"}}}`)
	_, entries := all(t, record)
	var got []string
	for _, e := range entries {
		got = append(got, string(e.Class())+" "+e.Words+" "+e.Rule())
	}
	want := []string{"added added ", "changed size 1 → 2, parts[b].n 1 → 2 ", "changed managed fields and versions Managed fields and versions", "changed metadata.annotations[kubectl.kubernetes.io/last-applied-configuration] Notes of controllers", "added added ", "changed Phase Idle → Busy ", "changed managed fields and versions Managed fields and versions"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// TestOtherColumns lets the columns of a stream change while its timeline is open: later rows are read with
// the new ones.
func TestOtherColumns(t *testing.T) {
	record, line := historytest.New(begin), (*Timeline)(nil)
	rows := widgets
	rows.Columns = []byte(`[{"name":"Name","type":"string","format":"name"},{"name":"Phase","type":"string"}]`)
	n := record.Open(rows)
	put := func(second int, cells string) {
		record.Put(n, begin.Add(time.Duration(second)*time.Second), "shop/w", "u", fmt.Appendf(nil, `{"cells":[%s],"object":{"kind":"PartialObjectMetadata","metadata":{"name":"w","namespace":"shop","uid":"u","resourceVersion":"%d"}}}`, cells, second))
		for line.Read(time.Second) {
		}
	}
	line = New(record, find)
	put(1, `"w","Idle"`)
	record.Relay(n, []byte(`[{"name":"Name","type":"string","format":"name"},{"name":"Size","type":"string"},{"name":"Phase","type":"string"}]`))
	put(2, `"w","small","Idle"`)
	put(3, `"w","small","Busy"`)
	if got := line.entry(line.count).Words; got != "Phase Idle → Busy" {
		t.Errorf("got %q", got)
	}
}
