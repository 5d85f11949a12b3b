//go:build !js

package grid

import (
	"encoding/json"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"

	"watchglass/internal/detail"
	"watchglass/internal/detail/related"
	"watchglass/internal/document"
	"watchglass/internal/object"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// TestTonesAgree holds the list, the Related tab and the summary to the same tone for the same
// object, whatever release the server has.
func TestTonesAgree(t *testing.T) {
	pod := func(phase corev1.PodPhase, ready bool, state corev1.ContainerState) runtime.Object {
		return &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "a"}}}, Status: corev1.PodStatus{Phase: phase, ContainerStatuses: []corev1.ContainerStatus{{Name: "a", Ready: ready, State: state}}}}
	}
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	ended := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed"}}
	crashing := corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}
	job := func(failed int32, condition batchv1.JobConditionType) runtime.Object {
		j := &batchv1.Job{Status: batchv1.JobStatus{Failed: failed}}
		if condition != "" {
			j.Status.Conditions = []batchv1.JobCondition{{Type: condition, Status: "True"}}
		}
		return j
	}
	for _, c := range []struct {
		name, resource string
		object         runtime.Object
		want           Tone
	}{
		{"ready pod", "pods", pod("Running", true, running), OK},
		{"unready pod", "pods", pod("Running", false, running), Warning},
		{"completed pod", "pods", pod("Succeeded", false, ended), OK},
		{"crashing pod", "pods", pod("Running", false, crashing), Failed},
		{"pending pod", "pods", pod("Pending", false, corev1.ContainerState{}), Pending},
		{"running job", "jobs.batch", job(0, ""), OK},
		{"job with failed pods", "jobs.batch", job(2, ""), Warning},
		{"complete job", "jobs.batch", job(2, "Complete"), OK},
		{"failed job", "jobs.batch", job(1, "Failed"), Failed},
		{"suspended job", "jobs.batch", job(0, "Suspended"), Pending},
	} {
		for release := 27; release <= 34; release++ {
			kind, _ := object.Builtin(c.resource)
			kind.PrintAs(object.Printing{Release: release})
			o, columns := decoded(t, kind, c.object)
			list := tonesOf(kind, o, columns)
			if list != c.want {
				t.Errorf("%s, 1.%d: the list shows %q, want %q", c.name, release, list, c.want)
			}
			if got := toneInGraph(kind, o, columns); got != c.want {
				t.Errorf("%s, 1.%d: the Related tab shows %q, want %q", c.name, release, got, c.want)
			}
			if got := toneInSummary(t, c.object, o, columns); kind.Name == "Pod" && got != c.want {
				t.Errorf("%s, 1.%d: the summary shows %q, want %q", c.name, release, got, c.want)
			}
		}
	}
}

func decoded(t *testing.T, kind object.Kind, obj runtime.Object) (*object.Object, []object.Column) {
	t.Helper()
	meta := obj.(metav1.Object)
	meta.SetName("x")
	meta.SetNamespace("a")
	meta.SetUID("u")
	gvks, _, err := scheme.Scheme.ObjectKinds(obj)
	if err != nil {
		t.Fatal(err)
	}
	obj.GetObjectKind().SetGroupVersionKind(gvks[0])
	payload, err := runtime.Encode(protobuf.NewSerializer(scheme.Scheme, scheme.Scheme), obj)
	if err != nil {
		t.Fatal(err)
	}
	d := object.NewDecoder(kind, true)
	o, err := d.Decode(payload)
	if err != nil {
		t.Fatal(err)
	}
	return o, d.Columns()
}

// tonesOf returns the first tone in the row of a list.
func tonesOf(kind object.Kind, o *object.Object, columns []object.Column) Tone {
	w := view.Window{Total: 1, Rows: []view.Row{{Key: o.Key(), Health: string(o.Health())}}}
	for i, c := range columns {
		if c.Priority == 0 {
			w.Columns = append(w.Columns, view.Column{Name: c.Name, Kind: uint8(c.Kind)})
			w.Rows[0].Cells = append(w.Rows[0].Cells, o.Cell(columns, i).Text)
		}
	}
	p := newPage()
	New(p).Show(w, Objects{Kind: kind.Name}, Sort{}, Marks{}, Room{})
	for _, c := range p.rows[0].cells {
		if c.Tone != Plain {
			return c.Tone
		}
	}
	return Plain
}

func toneInGraph(kind object.Kind, o *object.Object, columns []object.Column) Tone {
	x := related.NewIndex(object.Builtin)
	x.Apply([]related.Change{{Kind: kind, Columns: columns, After: o}})
	missing := func(related.ID) (related.Presence, *wire.Status) { return related.Missing, nil }
	return x.Graph(related.ID{Resource: kind.ID(), Namespace: "a", Name: "x"}, missing, related.MaxNodes).Nodes[0].Tone
}

// toneInSummary returns the look of the Status in a pod's summary.
func toneInSummary(t *testing.T, obj runtime.Object, o *object.Object, columns []object.Column) Tone {
	t.Helper()
	doc, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	v, err := document.Parse(doc)
	if err != nil {
		t.Fatal(err)
	}
	var cells []detail.Cell
	for i, c := range columns {
		cells = append(cells, detail.Cell{Name: c.Name, Text: o.Cell(columns, i).Text})
	}
	for _, s := range detail.Summarize(v, detail.More{Cells: cells}).Sections {
		for _, r := range s.Rows {
			if r.Name == "Status" {
				return Tone(r.Lines[0][0].Style)
			}
		}
	}
	return Plain
}
