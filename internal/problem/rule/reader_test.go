//go:build !js

package rule

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"

	"watchglass/internal/object"
	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/problemtest"
)

// TestRulesAreRead checks that objects of each rule's resource are listed, and that one whose cells say nothing good is
// read. A rule for a resource that Suspect leaves out would pass the tests of rules, and never show.
func TestRulesAreRead(t *testing.T) {
	bad := map[string]string{ // of which not every object is suspect whose cells are empty
		kinds.Namespaces: `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"old","deletionTimestamp":"-1h"}}`,
		kinds.Volumes:    `{"kind":"PersistentVolume","apiVersion":"v1","metadata":{"name":"pv-1"},"status":{"phase":"Failed"}}`,
		kinds.Budgets:    `{"kind":"PodDisruptionBudget","apiVersion":"policy/v1","metadata":{"name":"web","namespace":"checkout"},"status":{"disruptionsAllowed":0}}`,
	}
	for _, rule := range rules {
		kind := problemtest.KindOf(t, rule.resource)
		d, o := object.NewDecoder(kind, true), new(object.Object)
		if doc := bad[rule.resource]; doc != "" {
			o = decode(t, d, doc)
		}
		if !slices.Contains(kinds.Resources(), rule.resource) || !facts.NewReader(&kind).Suspect(d.Columns(), o, 0) {
			t.Errorf("%s: no %s is ever read", rule.reason, rule.resource)
		}
	}
}

// decode returns an object as a source has it: from protobuf.
func decode(t *testing.T, d *object.Decoder, doc string) *object.Object {
	t.Helper()
	obj, gvk, err := scheme.Codecs.UniversalDeserializer().Decode([]byte(problemtest.Dated(doc)), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	obj.GetObjectKind().SetGroupVersionKind(*gvk)
	payload, err := runtime.Encode(protobuf.NewSerializer(scheme.Scheme, scheme.Scheme), obj)
	if err != nil {
		t.Fatal(err)
	}
	o, err := d.Decode(payload)
	if err != nil {
		t.Fatal(err)
	}
	return o
}
