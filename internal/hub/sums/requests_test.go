//go:build !js

package sums

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"watchglass/internal/object"
)

// TestRequests checks what pods are said to request, also those that have ended and those without
// an excerpt.
func TestRequests(t *testing.T) {
	m := newMaker(t)
	p := &corev1.Pod{}
	p.Namespace, p.Name = "a", "p"
	p.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{
		Requests: corev1.ResourceList{"cpu": resource.MustParse("500m"), "memory": resource.MustParse("64Mi")}, Limits: corev1.ResourceList{"memory": resource.MustParse("1Gi")},
	}}, {Name: "d", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("750m")}}}}
	r := NewRequests(m.codes)
	columns := Columns("pods", m.pods.Columns(), false, r.Columns())
	check := func(o *object.Object, want string) {
		t.Helper()
		var texts []any
		for i, c := range columns {
			if c.FromExcerpts() {
				cell := o.Cell(columns, i)
				texts = append(texts, cell.Text)
				if n, ok := cell.Number(); ok != (cell.Text != "…") || cell.Text == "1250m" && n != 1.25 {
					t.Errorf("%+v is %v", cell, n)
				}
				if c.Unit() == object.NoUnit {
					t.Errorf("%s cannot be summed", c.Name)
				}
			}
		}
		if got := fmt.Sprintf("%q", texts); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	check(m.pod(p), `["1250m" "64Mi" "0" "1Gi"]`)
	p.Status.Phase = corev1.PodSucceeded
	check(m.pod(p), `["0" "0" "0" "0"]`)
	p.Status, p.Spec = corev1.PodStatus{}, corev1.PodSpec{}
	check(m.pod(p), `["0" "0" "0" "0"]`)
	check(new(object.Object), `["…" "…" "…" "…"]`)
	if len(Columns("pods", nil, true, r.Columns())) != 3+4+4 {
		t.Error("the columns of usage and of requests stand beside each other")
	}
}
