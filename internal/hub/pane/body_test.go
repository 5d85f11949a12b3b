//go:build !js

package pane

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/internal/object"
)

// TestParseBody holds that of a large object only what is asked for is read, in protobuf and in JSON, that the metadata of
// an object is a document of its kind, and that an object without its bytes has none.
func TestParseBody(t *testing.T) {
	pod := &corev1.Pod{TypeMeta: metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"}, ObjectMeta: metaOf("crowd", "1", "")}
	for i := range 1500 {
		pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: fmt.Sprint("c", i), Image: "app:1", Command: []string{"sh"}})
	}
	const gear = `{"kind":"Gear","apiVersion":"example.com/v1","metadata":{"name":"g","uid":"u"},"spec":{"all":[{}%s]},"status":{"phase":"Ready"}}`
	pods, _ := object.Builtin("pods")
	gears := object.Kind{Group: "example.com", Version: "v1", Resource: "gears", Name: "Gear"}
	for name, c := range map[string]struct {
		kind       object.Kind
		raw        []byte
		drops      bool
		path, want string
	}{
		"protobuf": {pods, protobufOf(t, "pods", pod).raw, false, "metadata.uid", "u-crowd"},
		"JSON":     {gears, fmt.Appendf(nil, gear, strings.Repeat(`,{"some":["text"]}`, 30_000)), false, "status.phase", "Ready"},
		"metadata": {gears, []byte(`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"g"}}`), false, "kind", "Gear"},
		"no bytes": {pods, protobufOf(t, "pods", pod).raw, true, "", ""},
	} {
		o, err := object.NewDecoder(c.kind, !c.drops).Decode(c.raw)
		if err != nil {
			t.Fatal(name, err)
		}
		got := ""
		allocations := testing.AllocsPerRun(1, func() {
			body, err := ParseBody(c.kind, o)
			if (err != nil) != c.drops {
				t.Error(name, err)
			}
			got = body.TextAt(c.path)
		})
		if got != c.want || allocations > 100 {
			t.Errorf("%s: %q, want %q, with %v allocations", name, got, c.want, allocations)
		}
	}
}
