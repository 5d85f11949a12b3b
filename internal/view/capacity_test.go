//go:build !js

package view

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"

	"watchglass/internal/object"
)

// volumesOf returns a view of volumes with these capacities.
func volumesOf(t *testing.T, capacities ...string) *View {
	t.Helper()
	kind, _ := object.Builtin("persistentvolumes")
	d := object.NewDecoder(kind, true).Share(new(object.CodeTable))
	var all []*object.Object
	for i, c := range capacities {
		pv := &corev1.PersistentVolume{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolume"}, ObjectMeta: metav1.ObjectMeta{Name: string(rune('a' + i))},
			Spec: corev1.PersistentVolumeSpec{Capacity: corev1.ResourceList{"storage": resource.MustParse(c)}}}
		doc, err := runtime.Encode(protobuf.NewSerializer(scheme.Scheme, scheme.Scheme), pv)
		if err != nil {
			t.Fatal(err)
		}
		o, err := d.Decode(doc)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, o)
	}
	v := started(all)
	v.SetShape(Shape{Columns: d.Columns()})
	return v
}

// TestCapacityOrder checks that capacities sort by how much they are.
func TestCapacityOrder(t *testing.T) {
	v := volumesOf(t, "9Gi", "100Gi", "2Ti")
	v.SetQuery(Query{Seq: 1, Limit: 10, Sort: "Capacity", Descending: true})
	v.Step(now)
	var got []string
	for _, o := range v.Sent() {
		got = append(got, o.Name())
	}
	if strings.Join(got, "") != "cba" {
		t.Errorf("the largest first: %v", got)
	}
}
