//go:build !js

package object

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// TestMembers compares members with the JSON that is written from the same bytes, for random
// objects of every built-in kind.
func TestMembers(t *testing.T) {
	for kind, typ := range knownTypes() {
		for seed := range int64(4) {
			obj := reflect.New(typ).Interface()
			filler(seed).Fill(obj)
			raw, err := obj.(interface{ Marshal() ([]byte, error) }).Marshal()
			if err != nil {
				t.Fatal(err)
			}
			m, _ := MessageOf(strings.Split(kind, " ")[0], strings.Split(kind, " ")[1])
			got := make(map[string]any)
			if err := new(memberReader).members(m, got, raw, 0); err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			text, err := m.JSON(raw)
			if err != nil {
				t.Fatal(err)
			}
			var want map[string]any
			d := json.NewDecoder(bytes.NewReader(text))
			d.UseNumber()
			if err := d.Decode(&want); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%s, seed %d:\n%v\n%v", kind, seed, got, want)
			}
			for cut := range raw[:min(len(raw), 200)] {
				new(memberReader).members(m, make(map[string]any), raw[:cut], 0) // does not panic
			}
		}
	}
}

// TestMembersOfText checks text that is not UTF-8, and objects without bytes or in JSON.
func TestMembersOfText(t *testing.T) {
	if got := validText([]byte("a\xff\xfeb")); got != "a\ufffd\ufffdb" {
		t.Errorf("%q", got)
	}
	kind := podKind(t)
	o, err := NewDecoder(kind, false).Decode(payload(t, realPod()))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := kind.Members(o); got != nil || err != nil {
		t.Error(got, err)
	}
	if o, err = NewDecoder(kind, true).Decode(payload(t, realPod())); err != nil {
		t.Fatal(err)
	}
	got, err := kind.Members(o)
	if err != nil || got["kind"] != "Pod" || got["apiVersion"] != "v1" || got["metadata"].(map[string]any)["generation"] != json.Number("1") {
		t.Error(got, err)
	}
	got, err = kind.Members(o, "env", "volumes")
	spec := got["spec"].(map[string]any)
	if c := spec["containers"].([]any)[0].(map[string]any); err != nil || spec["volumes"] != nil || c["env"] != nil || c["name"] != "web" {
		t.Error(got, err)
	}
	if o, err = NewDecoder(kind, true).Decode([]byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","generation":2}}`)); err != nil {
		t.Fatal(err)
	}
	if got, err = kind.Members(o); err != nil || got["metadata"].(map[string]any)["generation"] != json.Number("2") {
		t.Error(got, err)
	}
}
