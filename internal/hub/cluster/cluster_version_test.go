package cluster

import (
	"fmt"
	"testing"

	"watchglass/internal/object"
)

// TestSameVersion checks that an object whose columns changed is not the same version, since
// its cells differ.
func TestSameVersion(t *testing.T) {
	d := object.NewDecoder(object.Kind{Group: "example.com", Version: "v1", Resource: "widgets", Name: "Widget"}, true)
	decode := func(columns, cells string) *object.Object {
		if _, err := d.SetColumns([]byte(columns)); err != nil {
			t.Fatal(err)
		}
		o, err := d.Decode([]byte(`{"cells":` + cells + `,"object":{"kind":"PartialObjectMetadata","metadata":{"name":"w","uid":"u","resourceVersion":"9"}}}`))
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	const name, size, color = `{"name":"Name","format":"name"}`, `{"name":"Size"}`, `{"name":"Color"}`
	one, same := decode(`[`+name+`,`+size+`]`, `["w","7"]`), decode(`[`+name+`,`+size+`]`, `["w","7"]`)
	if !sameVersion(one, same) {
		t.Error("the same is not the same")
	}
	if other := decode(`[`+name+`,`+color+`,`+size+`]`, `["w","red","7"]`); sameVersion(one, other) {
		t.Error("other cells are the same")
	}
}

// TestVersionless checks that objects without versions, such as metrics, are equal if they
// print the same.
func TestVersionless(t *testing.T) {
	decoder := object.NewDecoder(object.Kind{Group: "metrics.k8s.io", Version: "v1beta1", Resource: "nodes", Name: "NodeMetrics"}, true)
	if _, err := decoder.SetColumns([]byte(`[{"name":"Name","type":"string","format":"name"},{"name":"CPU","type":"string"}]`)); err != nil {
		t.Fatal(err)
	}
	measured := func(cpu string) *object.Object {
		o, err := decoder.Decode(fmt.Appendf(nil, `{"cells":["n1",%q],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"n1"}}}`, cpu))
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	if !sameVersion(measured("10m"), measured("10m")) || sameVersion(measured("10m"), measured("900m")) {
		t.Error("what is measured anew is taken for what was")
	}
}
