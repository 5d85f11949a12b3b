//go:build !js

package object

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"

	"watchglass/internal/object/encoded"
	"watchglass/internal/object/schema"
	"watchglass/internal/object/tree"
)

// payload returns an object as the apiserver sends it.
func payload(t testing.TB, obj runtime.Object) []byte {
	t.Helper()
	out, err := runtime.Encode(protobuf.NewSerializer(goTypes, goTypes), obj)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func podKind(t testing.TB) Kind {
	t.Helper()
	k, ok := Builtin("pods")
	if !ok {
		t.Fatal("pods are not built in")
	}
	return k
}

// TestPlans resolves every path that a printer uses.
func TestPlans(t *testing.T) {
	for _, k := range builtin {
		NewDecoder(k, true)
	}
}

// TestDecode compares Objects with the Go types that they were encoded from, for random pods.
func TestDecode(t *testing.T) {
	d := NewDecoder(podKind(t), true)
	for seed := range int64(500) {
		var pod corev1.Pod
		filler(seed).Fill(&pod)
		pod.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
		pod.Name = "name-" + fmt.Sprint(seed)
		pod.Labels = admissible(pod.Labels)
		o, err := d.Decode(payload(t, &pod))
		if err != nil {
			t.Fatal(err)
		}
		checkIdentity(t, o, &pod)
		if raw, _ := pod.Marshal(); !bytes.Equal(raw, o.Packed()) {
			t.Fatal("the packed bytes are not the object's")
		}
	}
}

// admissible turns random labels into ones that an apiserver would admit.
func admissible(random map[string]string) map[string]string {
	out := make(map[string]string)
	for k, v := range random {
		out["k"+strings.Map(letters, k)] = strings.Map(letters, v)
	}
	return out
}

func letters(r rune) rune { return 'a' + r%26 }

func checkIdentity(t *testing.T, o *Object, m metav1.Object) {
	t.Helper()
	id := Identity{m.GetNamespace(), m.GetName(), string(m.GetUID()), m.GetResourceVersion()}
	got := []any{o.Key(), o.Namespace(), o.Name(), o.UID(), o.Version(), o.Deleting(), o.Created(), maps.Collect(o.Labels().All())}
	created := m.GetCreationTimestamp().Unix()
	if m.GetCreationTimestamp().Time.IsZero() {
		created = 0
	}
	want := []any{id.Key(), id.Namespace, id.Name, id.UID, id.Version, m.GetDeletionTimestamp() != nil, created, maps.Collect(maps.All(m.GetLabels()))}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("want %q\ngot  %q", want, got)
	}
	var owners []Owner
	for _, r := range m.GetOwnerReferences() {
		group, _, ok := strings.Cut(r.APIVersion, "/")
		if !ok {
			group = ""
		}
		owners = append(owners, Owner{Group: group, Kind: r.Kind, Name: r.Name, UID: string(r.UID), Controller: r.Controller != nil && *r.Controller})
	}
	if !reflect.DeepEqual(o.Owners(), owners) {
		t.Fatalf("owners: want %v, got %v", owners, o.Owners())
	}
	selector := labels.SelectorFromSet(m.GetLabels())
	if !selector.Matches(o.Labels()) {
		t.Fatalf("the selector %s of its own labels does not select it", selector)
	}
}

// TestPlanRandom compares the scan of every path of a pod's printer with a walk over the Go
// types by name.
func TestPlanRandom(t *testing.T) {
	m, _ := schema.Of("v1", "Pod")
	list := podPaths.list
	plan, err := NewPlan(m, list...)
	if err != nil {
		t.Fatal(err)
	}
	var v Values
	for seed := range int64(300) {
		var pod corev1.Pod
		filler(seed).Fill(&pod)
		raw, err := pod.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		if err := plan.Scan(raw, &v); err != nil {
			t.Fatal(err)
		}
		for slot, path := range list {
			want := walk(reflect.ValueOf(pod), strings.Split(path, "."), -1)
			got := v.All(slot)
			if len(got) != len(want) {
				t.Fatalf("seed %d, %s: want %d values, got %d", seed, path, len(want), len(got))
			}
			for i, w := range want {
				if w.elem >= 0 && w.elem != got[i].Elem {
					t.Fatalf("seed %d, %s: value %d is of element %d, want %d", seed, path, i, got[i].Elem, w.elem)
				}
				if text, ok := w.value.(string); ok && text != string(got[i].Bytes) {
					t.Fatalf("seed %d, %s: want %q, got %q", seed, path, text, got[i].Bytes)
				}
				if n, ok := w.value.(int64); ok && n != int64(got[i].Num) {
					t.Fatalf("seed %d, %s: want %d, got %d", seed, path, n, got[i].Num)
				}
			}
		}
	}
}

type found struct {
	elem  int
	value any
}

// walk finds the values at a path of JSON names by reflection.
func walk(v reflect.Value, path []string, elem int) []found {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	if len(path) == 0 {
		switch v.Kind() {
		case reflect.String:
			return []found{{elem, v.String()}}
		case reflect.Int32, reflect.Int64:
			return []found{{elem, v.Int()}}
		case reflect.Bool:
			if v.Bool() {
				return []found{{elem, int64(1)}}
			}
			return []found{{elem, int64(0)}}
		}
		return []found{{elem, nil}} // a message: only that it is present
	}
	name := strings.TrimRight(path[0], "[]{}")
	f := fieldNamed(v, name)
	switch {
	case strings.HasSuffix(path[0], "[]"):
		var out []found
		for i := range f.Len() {
			e := elem
			if e < 0 {
				e = i
			}
			out = append(out, walk(f.Index(i), path[1:], e)...)
		}
		return out
	case strings.HasSuffix(path[0], "{}"):
		return slices.Repeat([]found{{-1, nil}}, f.Len())
	}
	return walk(f, path[1:], elem)
}

func fieldNamed(v reflect.Value, name string) reflect.Value {
	for i := range v.NumField() {
		tag, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if tag == name {
			return v.Field(i)
		}
		if v.Type().Field(i).Anonymous {
			if f := fieldNamed(v.Field(i), name); f.IsValid() {
				return f
			}
		}
	}
	return reflect.Value{}
}

func TestDecodeRejects(t *testing.T) {
	d := NewDecoder(podKind(t), true)
	pod := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	good := payload(t, pod)
	nameless := payload(t, &corev1.Pod{TypeMeta: pod.TypeMeta})
	service := payload(t, &corev1.Service{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"}, ObjectMeta: pod.ObjectMeta})
	for name, c := range map[string]struct {
		payload []byte
		want    error
	}{
		"nameless":         {nameless, ErrNoName},
		"another kind":     {service, ErrKind},
		"truncated":        {good[:len(good)-3], encoded.ErrMalformed},
		"only the magic":   {[]byte(encoded.Magic), ErrKind},
		"no format at all": {[]byte("<html>"), encoded.ErrMalformed},
		"empty":            {nil, encoded.ErrMalformed},
		"JSON of another":  {[]byte(`{"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}}`), ErrKind},
		"JSON nameless":    {[]byte(`{"apiVersion":"v1","kind":"Pod","metadata":{}}`), ErrNoName},
		"metadata a list":  {[]byte(`{"apiVersion":"v1","kind":"Pod","metadata":[]}`), encoded.ErrMalformed},
		"labels a number":  {[]byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":7}}`), encoded.ErrMalformed},
		"label a number":   {[]byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":{"a":7}}}`), encoded.ErrMalformed},
		"name a number":    {[]byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":7}}`), encoded.ErrMalformed},
	} {
		if _, err := d.Decode(c.payload); !errors.Is(err, c.want) {
			t.Errorf("%s: want %v, got %v", name, c.want, err)
		}
	}
}

func TestBookmark(t *testing.T) {
	d := NewDecoder(podKind(t), true)
	pod := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{ResourceVersion: "12"}}
	for want, payload := range map[string][]byte{
		"12 false": payload(t, pod),
		"13 true":  []byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"13","annotations":{"k8s.io/initial-events-end":"true"}}}`),
		"14 true":  []byte(`{"cells":[""],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"14","annotations":{"k8s.io/initial-events-end":"true"}}}}`),
		"15 false": []byte(`{"kind":"Pod","metadata":{"resourceVersion":"15","annotations":{"k8s.io/initial-events-end":"false"}}}`),
	} {
		version, end, err := d.Bookmark(payload)
		if got := fmt.Sprint(version, " ", end); err != nil || got != want {
			t.Errorf("want %s, got %s, %v", want, got, err)
		}
	}
	pod.Annotations = map[string]string{endAnnotation: "true"}
	if version, end, err := d.Bookmark(payload(t, pod)); version != "12" || !end || err != nil {
		t.Errorf("protobuf: %s %v %v", version, end, err)
	}
}

var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// printed returns an object's row as kubectl prints it.
func printed(d *Decoder, o *Object) []string {
	var out []string
	for i := range d.Columns() {
		out = append(out, string(o.Cell(d.Columns(), i).Append(nil, now)))
	}
	return out
}

func TestPrintPod(t *testing.T) {
	ago := func(d time.Duration) metav1.Time { return metav1.NewTime(now.Add(-d)) }
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	waiting := func(why string) corev1.ContainerState {
		return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: why}}
	}
	ended := func(why string, code, signal int32) corev1.ContainerState {
		return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: why, ExitCode: code, Signal: signal}}
	}
	always := corev1.ContainerRestartPolicyAlways
	yes := true
	for _, c := range []struct {
		name string
		pod  corev1.Pod
		want string
	}{
		{"running", corev1.Pod{Status: corev1.PodStatus{Phase: "Running", PodIPs: []corev1.PodIP{{IP: "10.0.0.1"}}, ContainerStatuses: []corev1.ContainerStatus{{Ready: true, State: running}}}}, "1/1 Running 0 2d 10.0.0.1"},
		{"crash loop", corev1.Pod{Status: corev1.PodStatus{Phase: "Running", ContainerStatuses: []corev1.ContainerStatus{{RestartCount: 14, State: waiting("CrashLoopBackOff"), LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{FinishedAt: ago(5 * time.Minute)}}}}}}, "0/1 CrashLoopBackOff 14 (5m ago) 2d <none>"},
		{"image pull", corev1.Pod{Status: corev1.PodStatus{Phase: "Pending", ContainerStatuses: []corev1.ContainerStatus{{State: waiting("ImagePullBackOff")}}}}, "0/1 ImagePullBackOff 0 2d <none>"},
		{"evicted", corev1.Pod{Status: corev1.PodStatus{Phase: "Failed", Reason: "Evicted"}}, "0/1 Evicted 0 2d <none>"},
		{"gated", corev1.Pod{Status: corev1.PodStatus{Phase: "Pending", Conditions: []corev1.PodCondition{{Type: "PodScheduled", Reason: "SchedulingGated"}}}}, "0/1 SchedulingGated 0 2d <none>"},
		{"completed", corev1.Pod{Status: corev1.PodStatus{Phase: "Succeeded", ContainerStatuses: []corev1.ContainerStatus{{State: ended("Completed", 0, 0)}}}}, "0/1 Completed 0 2d <none>"},
		{"signal", corev1.Pod{Status: corev1.PodStatus{Phase: "Failed", ContainerStatuses: []corev1.ContainerStatus{{State: ended("", 137, 9)}}}}, "0/1 Signal:9 0 2d <none>"},
		{"exit code", corev1.Pod{Status: corev1.PodStatus{Phase: "Failed", ContainerStatuses: []corev1.ContainerStatus{{State: ended("", 3, 0)}}}}, "0/1 ExitCode:3 0 2d <none>"},
		{"init", corev1.Pod{Spec: corev1.PodSpec{InitContainers: []corev1.Container{{Name: "a"}, {Name: "b"}}}, Status: corev1.PodStatus{Phase: "Pending", InitContainerStatuses: []corev1.ContainerStatus{{Name: "a", State: ended("Completed", 0, 0)}, {Name: "b", State: running}}}}, "0/1 Init:1/2 0 2d <none>"},
		{"init failed", corev1.Pod{Spec: corev1.PodSpec{InitContainers: []corev1.Container{{Name: "a"}}}, Status: corev1.PodStatus{Phase: "Pending", InitContainerStatuses: []corev1.ContainerStatus{{Name: "a", RestartCount: 2, State: ended("Error", 1, 0)}}}}, "0/1 Init:Error 2 2d <none>"},
		{"init waits", corev1.Pod{Spec: corev1.PodSpec{InitContainers: []corev1.Container{{Name: "a"}}}, Status: corev1.PodStatus{Phase: "Pending", InitContainerStatuses: []corev1.ContainerStatus{{Name: "a", State: waiting("ErrImagePull")}}}}, "0/1 Init:ErrImagePull 0 2d <none>"},
		{"sidecar", corev1.Pod{Spec: corev1.PodSpec{InitContainers: []corev1.Container{{Name: "s", RestartPolicy: &always}}}, Status: corev1.PodStatus{Phase: "Running", InitContainerStatuses: []corev1.ContainerStatus{{Name: "s", Started: &yes, Ready: true, RestartCount: 3, State: running}}, ContainerStatuses: []corev1.ContainerStatus{{Ready: true, State: running}}}}, "2/2 Running 3 2d <none>"},
		{"terminating", corev1.Pod{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &metav1.Time{Time: now}}, Status: corev1.PodStatus{Phase: "Running"}}, "0/1 Terminating 0 2d <none>"},
		{"node lost", corev1.Pod{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &metav1.Time{Time: now}}, Status: corev1.PodStatus{Phase: "Running", Reason: "NodeLost"}}, "0/1 Unknown 0 2d <none>"},
		{"terminating when done", corev1.Pod{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &metav1.Time{Time: now}}, Status: corev1.PodStatus{Phase: "Succeeded"}}, "0/1 Succeeded 0 2d <none>"},
		{"not ready", corev1.Pod{Spec: corev1.PodSpec{Containers: make([]corev1.Container, 2)}, Status: corev1.PodStatus{Phase: "Running", ContainerStatuses: []corev1.ContainerStatus{{State: ended("Completed", 0, 0)}, {Ready: true, State: running}}}}, "1/2 NotReady 0 2d <none>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			pod := c.pod
			pod.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
			pod.Name, pod.CreationTimestamp = "p", ago(48*time.Hour)
			if pod.Spec.Containers == nil {
				pod.Spec.Containers = make([]corev1.Container, 1)
			}
			d := NewDecoder(podKind(t), false)
			o, err := d.Decode(payload(t, &pod))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(printed(d, o)[1:6], " "); got != c.want {
				t.Errorf("want %s, got %s", c.want, got)
			}
			if o.Packed() != nil {
				t.Error("the bytes were kept")
			}
		})
	}
}

func TestDecodeTable(t *testing.T) {
	d := NewDecoder(Kind{Group: "example.com", Version: "v1", Resource: "widgets", Name: "Widget"}, true)
	const columns = `[{"name":"Name","type":"string","format":"name","priority":0},{"name":"Size","type":"integer","priority":0},{"name":"Age","type":"date","description":"Custom resource definition column (in JSONPath format): .metadata.creationTimestamp","priority":0},{"name":"Note","type":"string","priority":1}]`
	changed, err := d.SetColumns([]byte(columns))
	if err != nil || !changed {
		t.Fatal(changed, err)
	}
	o, err := d.Decode([]byte(`{"cells":["w",7,"3d",null],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"w","namespace":"a","uid":"u","resourceVersion":"9","creationTimestamp":"2026-11-20T11:00:00Z","labels":{"k":"v"},"ownerReferences":[{"apiVersion":"example.com/v1","kind":"Owner","name":"o","uid":"x","controller":true}]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(printed(d, o), "|"); got != "w|7|60m|" {
		t.Error(got)
	}
	if o.Key() != "a/w" || o.Version() != "9" || o.UID() != "u" || o.Labels().Get("k") != "v" || !reflect.DeepEqual(o.Owners(), []Owner{{"example.com", "Owner", "o", "x", true}}) {
		t.Errorf("%+v %v", o, o.Owners())
	}
	if changed, _ := d.SetColumns([]byte(columns)); changed {
		t.Error("the same columns changed")
	}
	row := []byte(`{"cells":["w",7],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"w","namespace":"a","uid":"u","resourceVersion":"9"}}}`)
	if again, err := d.Decode(row); err != nil || again.Layout() != o.Layout() {
		t.Error("the same columns have another layout", err)
	}
	if changed, err := d.SetColumns([]byte(`[{"name":"Name","type":"string","format":"name","priority":0},{"name":"Height","type":"integer","priority":0}]`)); !changed || err != nil {
		t.Error(changed, err)
	}
	if other, err := d.Decode(row); err != nil || other.Layout() == o.Layout() {
		t.Error("other columns have the same layout", err)
	}
}

// TestRowWithoutColumns checks that a server that sends no columns breaks nothing.
func TestRowWithoutColumns(t *testing.T) {
	d := NewDecoder(Kind{Group: "example.com", Version: "v1", Resource: "widgets", Name: "Widget"}, true)
	o, err := d.Decode([]byte(`{"cells":["w",7],"object":{"kind":"PartialObjectMetadata","metadata":{"name":"w","creationTimestamp":"2026-11-20T11:00:00Z"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(printed(d, o), "|"); got != "w|60m" {
		t.Error(got)
	}
}

// TestHostileText checks that text from a cluster cannot break a row.
func TestHostileText(t *testing.T) {
	d := NewDecoder(podKind(t), true)
	pod := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "b"}}
	pod.Status.Reason = "x\x1fy\x00z\u0085\n\u202egpj\u2066é"
	pod.Spec.NodeName = "\xff\xfe"
	o, err := d.Decode(payload(t, pod))
	if err != nil {
		t.Fatal(err)
	}
	got := printed(d, o)
	if got[2] != "x\ufffdy\ufffdz\ufffd \ufffdgpj\ufffdé" || got[6] != "\ufffd\ufffd" || got[7] != "<none>" {
		t.Errorf("%q", got)
	}
}

// FuzzDecode feeds untrusted bytes to the decoder. If they are a pod, the Object must agree
// with the Go types.
func FuzzDecode(f *testing.F) {
	var pod corev1.Pod
	filler(1).Fill(&pod)
	pod.Name = "a"
	pod.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
	f.Add(payload(f, &pod))
	f.Add([]byte(`{"cells":["w",7],"object":{"metadata":{"name":"w"}}}`))
	d, table := NewDecoder(podKind(f), true), NewDecoder(podKind(f), false)
	m, _ := schema.Of("v1", "Pod")
	var others []*Decoder
	for _, k := range builtin[1:] {
		others = append(others, NewDecoder(k, false))
		f.Add(payload(f, randomOf(f, k, 1)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, other := range others {
			if o, err := other.Decode(b); err == nil {
				printed(other, o)
			}
		}
		o, err := d.Decode(b)
		if pod := written(b); pod != nil {
			if err != nil {
				t.Fatalf("%v: %+v", err, pod)
			}
			checkIdentity(t, o, pod)
		}
		if err == nil {
			if o.Name() == "" {
				t.Fatal("an object without a name")
			}
			printed(d, o)
			if b[0] == 'k' {
				_, _ = tree.FromMessage(m, o.Packed()).AppendJSON(nil)
			}
		}
		_, _, _ = d.Bookmark(b)
		_, _ = table.SetColumns(b)
	})
}

// written returns the pod that an apiserver would have written as these bytes, or nil. They
// must be a pod with a name and without NULs, and encode to the same bytes again.
func written(b []byte) *corev1.Pod {
	obj, _, err := protobuf.NewSerializer(goTypes, goTypes).Decode(b, nil, nil)
	pod, ok := obj.(*corev1.Pod)
	if err != nil || !ok || pod.Name == "" {
		return nil
	}
	raw, err := pod.Marshal()
	if err != nil || !bytes.HasSuffix(b, append(raw, "\x1a\x00\x22\x00"...)) || bytes.Contains(fmt.Append(nil, pod.Labels, pod.OwnerReferences), []byte{0}) {
		return nil
	}
	return pod
}
