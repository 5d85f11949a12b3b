package object

import (
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"watchglass/internal/object/schema"
)

// TestWithheld checks that a value is found in a Secret, however it is encoded, and that keys are none.
func TestWithheld(t *testing.T) {
	kind, _ := Builtin("secrets")
	others, _ := Builtin("configmaps")
	entry := func(number protowire.Number, key, value string) []byte {
		pair := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), key)
		pair = protowire.AppendString(protowire.AppendTag(pair, 2, protowire.BytesType), value)
		return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), pair)
	}
	if schema.FieldNumber("v1", "Secret", "data") != int(secretData) || schema.FieldNumber("v1", "Secret", "stringData") != int(secretString) {
		t.Error("the fields have other numbers")
	}
	for i, c := range []struct {
		raw      string
		withheld bool
	}{
		{`{"kind":"Secret","data":{"a":"","b":null},"type":"Opaque"}`, true},
		{`{"kind":"Secret","data":null}`, true},
		{`{"kind":"Secret","data":{"a":"","b":"eA=="}}`, false},
		{`{"kind":"Secret","stringData":{"a":"x"}}`, false},
		{`{"kind":"Secret","data":"x"}`, false},
		{string(entry(2, "a", "")) + string(entry(4, "b", "")), true},
		{string(entry(2, "a", "")) + string(entry(2, "b", "x")), false},
		{string(entry(4, "a", "x")), false},
		{"\x12\xff", false},
	} {
		if got := kind.Withheld([]byte(c.raw)); got != c.withheld {
			t.Errorf("%d: %v", i, got)
		}
		if !others.Withheld([]byte(c.raw)) {
			t.Errorf("%d: a ConfigMap has no secrets", i)
		}
	}
}
