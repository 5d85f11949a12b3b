//go:build !js

package view

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/internal/object"
)

// TestShortForms holds that a chosen short form of an image or an owner counts the objects that it selects, or would.
func TestShortForms(t *testing.T) {
	m, yes := newPodMaker(t), true
	pod := func(name string, images ...string) *object.Object {
		return m.pod(func(p *corev1.Pod) {
			p.Namespace, p.Name, p.Status.Phase = "a", name, corev1.PodRunning
			p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: name + "-job", UID: "j", Controller: &yes}}
			for i, image := range images {
				p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: fmt.Sprint("c", i), Image: image})
			}
		})
	}
	one, both, other := pod("one", "registry:5000/x/gateway:1"), pod("both", "registry:5000/x/gateway:1", "registry:5000/x/gateway:2"), pod("other", "nginx")
	v := started([]*object.Object{one, both, other})
	v.SetShape(computedShape(m))
	check := func(text, facet, value string, want int) {
		t.Helper()
		for _, f := range v.Facets(now) {
			for _, got := range f.Values {
				if f.Name == facet && got.Value == value && got.Count == want {
					return
				}
			}
		}
		t.Errorf("%s: %s has no %s %d: %+v", text, facet, value, want, v.Facets(now))
	}
	for i, c := range []struct {
		text, facet, value string
		want               int
	}{
		{"image:gateway", ImageFacet, "gateway", 2},
		{"image:GATEWAY:1,none", ImageFacet, "GATEWAY:1", 2},
		{"image:gateway,none", ImageFacet, "none", 0},
		{"!image:gateway", ImageFacet, "gateway", 2},
		{"image:gateway one", ImageFacet, "gateway", 1},
		{`image:"gateway"`, ImageFacet, "gateway", 0},
		{`image:"GATEWAY",gateway`, ImageFacet, "GATEWAY", 2},
		{"owner:one-job", OwnerFacet, "one-job", 1},
		{"owner:one-job image:nginx", OwnerFacet, "one-job", 0},
	} {
		v.SetQuery(Query{Seq: uint32(i + 1), Limit: 10, Text: c.text})
		v.Step(now)
		check(c.text, c.facet, c.value, c.want)
	}
	v.SetQuery(Query{Seq: 99, Limit: 10, Text: "image:gateway"})
	v.Step(now)
	v.Apply([]Change{{Before: both}, {Before: one, After: pod("one", "nginx")}, {After: pod("new", "gateway")}})
	v.Step(now)
	check("after changes", ImageFacet, "gateway", 1)
}
