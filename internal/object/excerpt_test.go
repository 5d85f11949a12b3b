//go:build !js

package object

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

func sentPodOf(t *testing.T, p *corev1.Pod) []byte {
	t.Helper()
	p.APIVersion, p.Kind = "v1", "Pod"
	doc, err := runtime.Encode(protobuf.NewSerializer(scheme.Scheme, scheme.Scheme), p)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestExcerpt checks that an excerpt has the fields on its paths and no others, that equal ones
// share a number, and that it outlives the packed bytes.
func TestExcerpt(t *testing.T) {
	pod := func(name, node, cpu string) *corev1.Pod {
		p := &corev1.Pod{}
		p.Name, p.Namespace, p.Spec.NodeName, p.Status.Phase = name, "a", node, corev1.PodRunning
		list := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}
		p.Spec.Containers = []corev1.Container{{Name: "bare", Image: "x"}, {Name: strings.Repeat("long", 100), Image: name, Resources: corev1.ResourceRequirements{Requests: list}}}
		p.Spec.Overhead = list
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "bare", ImageID: node, AllocatedResources: list, Resources: &corev1.ResourceRequirements{Limits: list}}}
		return p
	}
	kind, _ := Builtin("pods")
	table, budget := new(CodeTable), NewBudget(0)
	decoder := NewDecoder(kind, true).Share(table)
	var numbers []uint32
	for i, p := range []*corev1.Pod{pod("one", "n1", "1"), pod("two", "n2", "1"), pod("three", "n1", "2")} {
		o, err := decoder.Decode(sentPodOf(t, p))
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 { // taken now, as the bytes go
			if budget.Keep(o); o.Packed() != nil {
				t.Fatal("kept")
			}
		}
		numbers = append(numbers, o.Derive(nil).Excerpt())
	}
	if numbers[0] == 0 || numbers[0] != numbers[1] || numbers[0] == numbers[2] {
		t.Fatal(numbers)
	}
	doc, err := table.Excerpt(kind, numbers[0])
	if err != nil {
		t.Fatal(err)
	}
	var got corev1.Pod
	if err := json.Unmarshal(doc, &got); err != nil {
		t.Fatal(err)
	}
	want := pod("", "", "1")
	want.Namespace = ""
	want.Spec.Containers[0].Name, want.Spec.Containers[1].Name = "", ""
	want.Spec.Containers[0].Image, want.Spec.Containers[1].Image, want.Status.ContainerStatuses = "", "", []corev1.ContainerStatus{{}} // how it ended: not at all
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(want)
	var x, y any
	if _ = json.Unmarshal(a, &x); json.Unmarshal(b, &y) != nil || !reflect.DeepEqual(x, y) {
		t.Errorf("%s\nwant %s", a, b)
	}
}

// TestDerive checks that a copy with derived cells is otherwise the same object, and that it
// is shown when its copy is.
func TestDerive(t *testing.T) {
	kind, _ := Builtin("pods")
	d, budget := NewDecoder(kind, true).Share(new(CodeTable)), NewBudget(3000)
	o, err := d.Decode(sentPod)
	if err != nil {
		t.Fatal(err)
	}
	columns := append(d.Columns()[:3:3], DerivedColumn("CPU", 1, 1))
	columns = append(columns, d.Columns()[3:]...)
	got := o.Derive([]Cell{{}, {Kind: AmountCell, Text: "5 (1%)", Amount: 5}}).Derive([]Cell{{}, {Kind: AmountCell, Text: "7 (2%)", Amount: 7}})
	for i, c := range columns {
		if want := o.Cell(columns, i); !c.Derived() && got.Cell(columns, i) != want {
			t.Errorf("%s: %+v, want %+v", c.Name, got.Cell(columns, i), want)
		}
	}
	for i, c := range d.Columns() {
		at := i
		if i >= 3 {
			at++
		}
		if got.Cell(columns, at) != o.Cell(d.Columns(), i) {
			t.Errorf("%s moved", c.Name)
		}
	}
	if n, ok := got.Cell(columns, 3).Number(); n != 7 || !ok {
		t.Error(n, ok)
	}
	if _, ok := o.Cell(columns, 3).Number(); ok || o.Cell(columns, 3).Text != "" {
		t.Error("the object has a derived cell")
	}
	if got.Base() != o || got.Key() != o.Key() || got.UID() != o.UID() || got.Version() != o.Version() || got.Text(true) != o.Text(true) || &got.Packed()[0] != &o.Packed()[0] || got.Controller() != o.Controller() || got.Labels() != o.Labels() || got.Health() != o.Health() || got.Layout() != o.Layout() || got.Created() != o.Created() {
		t.Error("another object")
	}
	budget.Keep(o)
	got.Show()
	for range 3 {
		other, _ := d.Decode(sentPod)
		budget.Keep(other)
		got.Show()
	}
	if o.Packed() == nil {
		t.Error("its bytes went while its copy was shown")
	}
}
