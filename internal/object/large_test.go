//go:build !js

package object

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"watchglass/internal/object/tree"
)

// crowd returns a pod with so many containers, each with an image of its own, whose init containers have completed.
func crowd(containers int) *corev1.Pod {
	p := realPod().DeepCopy()
	p.Spec.Containers, p.Spec.InitContainers, p.Status.ContainerStatuses, p.Status.InitContainerStatuses = nil, nil, nil, nil
	for i := range containers {
		name, image := fmt.Sprint("c", i), fmt.Sprint("i", i)
		p.Spec.InitContainers = append(p.Spec.InitContainers, corev1.Container{Name: name, Image: image})
		p.Status.InitContainerStatuses = append(p.Status.InitContainerStatuses, corev1.ContainerStatus{Name: name, State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}})
	}
	return p
}

// TestCrowd decodes a pod of more containers than an object can have, so that a step which takes longer for each the more
// there are would take minutes, and prints all of its cells.
func TestCrowd(t *testing.T) {
	const containers = 200_000
	kind := podKind(t)
	d := NewDecoder(kind, true)
	o, err := d.Decode(payload(t, crowd(containers)))
	if err != nil {
		t.Fatal(err)
	}
	columns := append(append([]Column{}, d.Columns()...), kind.ComputedColumns()...)
	for i, c := range columns {
		if text := o.Cell(columns, i).Text; c.Name == "Images" && strings.Count(text, BetweenValues) != containers-1 {
			t.Errorf("%d images", strings.Count(text, BetweenValues)+1)
		}
	}
}

// TestDistinct holds that texts are there once, in their order, as many as they are.
func TestDistinct(t *testing.T) {
	for _, n := range []int{0, 1, fewNames, fewNames + 1, 3 * fewNames} {
		var d distinct
		var want []string
		for i := range 2 * n {
			d.add(fmt.Append(nil, i%n))
			d.add(nil)
			if i < n {
				want = append(want, fmt.Sprint(i))
			}
		}
		if got := d.text(); got != strings.Join(want, BetweenValues) {
			t.Errorf("%d: %s", n, got)
		}
	}
}

// largeObject returns a custom object of more than a megabyte, whose conditions come last.
func largeObject() []byte {
	items := make([]string, 20_000)
	for i := range items {
		items[i] = fmt.Sprintf(`{"n":%d,"text":"some \u00fc\n text","list":[null,true,1.50,[]],"null":null}`, i)
	}
	spec := `{"items":[` + strings.Join(items, ",") + `],"deep":` + strings.Repeat(`{"a":`, 30) + `"` + strings.Repeat("x", 40_000) + `"` + strings.Repeat("}", 30) + `}`
	return []byte(`{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"w","namespace":"a"},"twice":1,"twice":2,"spec":` + spec + `,"status":{"conditions":[{"type":"Ready","status":"True"}]}}`)
}

// TestLargeJSON holds that a large object in JSON is read as encoding/json reads it, and that of one only what is asked for
// is read.
func TestLargeJSON(t *testing.T) {
	raw := largeObject()
	var want any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	err := decoder.Decode(&want)
	if err != nil {
		t.Fatal(err)
	}
	p, err := tree.NewPart(tree.FromJSON(raw))
	if err != nil {
		t.Fatal(err)
	}
	if got := wholePart(p); !reflect.DeepEqual(got, withoutNull(want)) {
		t.Error("it differs from what encoding/json reads")
	}
	if _, err := tree.NewPart(tree.FromJSON(raw[:len(raw)-2])); err == nil {
		t.Error("an object without its end has no error")
	}
	if is, err := tree.Decode(tree.FromJSON(raw[:len(raw)-2])); is != nil || err == nil {
		t.Errorf("an object without its end is %v, %v", is, err)
	}
	var is any
	allocations := testing.AllocsPerRun(3, func() {
		p, _ := tree.NewPart(tree.FromJSON(raw))
		is = p.Member("status").(map[string]any)["conditions"]
	})
	if len(is.([]any)) != 1 || allocations > 100 {
		t.Errorf("%v, %v allocations", is, allocations)
	}
}
