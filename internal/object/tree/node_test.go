package tree

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"watchglass/internal/object/schema"
)

// deployment has a value of each type that the schema treats apart.
func deployment() *appsv1.Deployment {
	share, replicas := intstr.FromString("25%"), int32(3)
	probe := &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/é\"\n", Port: intstr.FromInt32(80)}}}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{
			Name: "web", Labels: map[string]string{"app": "web", "": "no name"}, Finalizers: []string{"a", ""}, CreationTimestamp: metav1.Unix(1e9, 0),
			ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kubectl", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:replicas":{}}}`)}},
		},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
			Strategy: appsv1.DeploymentStrategy{RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &share}},
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{
				{Name: "one", Args: []string{"x", "y"}, LivenessProbe: probe, Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("250m")}}},
				{Name: "two", Stdin: true},
			}}},
		},
		Status: appsv1.DeploymentStatus{Conditions: []appsv1.DeploymentCondition{{Type: "Available", LastUpdateTime: metav1.NewTime(time.Unix(2e9, 0))}}},
	}
}

// read returns what encoding/json reads, with numbers as they are written.
func read(t *testing.T, doc []byte) any {
	t.Helper()
	is, err := decodeJSON(doc)
	if err != nil {
		t.Fatalf("%v: %s", err, doc)
	}
	return is
}

// agrees checks that a Node has what encoding/json reads, by name, one after the other and as a text.
func agrees(t *testing.T, path string, n Node, want any) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		present := 0
		members, err := n.AppendMembers(nil)
		for _, m := range members {
			if m.Exists() {
				present++
			}
		}
		for name, value := range want {
			if value == nil {
				present++
			}
			agrees(t, path+"."+name, n.Get(name), value)
		}
		if err != nil || present != len(want) {
			t.Fatalf("%s: %d members, want %v: %v", path, present, want, err)
		}
	case []any:
		i := 0
		for e := range n.Elements() {
			if i < len(want) {
				agrees(t, fmt.Sprint(path, "[", i, "]"), e, want[i])
			}
			i++
		}
		if i != len(want) {
			t.Fatalf("%s: %d elements, want %v", path, i, want)
		}
	case nil:
		if n.Exists() {
			t.Fatalf("%s: %q, want nothing", path, n.Text())
		}
	default:
		if got := n.Text(); got != fmt.Sprint(want) {
			t.Fatalf("%s: %q, want %v", path, got, want)
		}
	}
}

// TestNode checks that an object has the same values in protobuf and in JSON as encoding/json writes and reads.
func TestNode(t *testing.T) {
	d := deployment()
	raw, err := d.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := schema.Of("apps/v1", "Deployment")
	packed, want := FromMessage(m, raw), read(t, doc)
	agrees(t, "protobuf", packed, want)
	agrees(t, "JSON", FromJSON(doc), want)
	written, err := packed.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	agrees(t, "written", FromJSON(written), want)
	for _, n := range []Node{packed, FromJSON(doc)} {
		if got := n.At("spec.strategy.rollingUpdate.maxSurge").Text(); got != "25%" {
			t.Errorf("at a path: %q", got)
		}
		if n.At("spec.absent.name").Exists() || n.At("metadata.name.more").Exists() {
			t.Error("something is at a path that leads nowhere")
		}
	}
}

// FuzzNode reads bytes from outside as a message and as JSON. In JSON, a Node has what encoding/json reads.
func FuzzNode(f *testing.F) {
	raw, err := deployment().Marshal()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add([]byte(`{"a":[1,"\u00e9",{"b":null}],"":true}`))
	m, _ := schema.Of("apps/v1", "Deployment")
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, n := range []Node{FromMessage(m, b), FromJSON(b)} {
			_, _ = n.AppendJSON(nil)
			_ = n.At("spec.template.spec.containers").Text()
			_, _ = Decode(n)
			new(Differ).Compare(n, n.Get("spec"), func(*Difference) bool { return true })
		}
		if !json.Valid(b) {
			return
		}
		doc, err := json.Marshal(read(t, b)) // each name once
		if err != nil {
			t.Fatal(err)
		}
		agrees(t, "JSON", FromJSON(doc), read(t, doc))
	})
}
