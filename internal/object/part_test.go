//go:build !js

package object

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"watchglass/internal/object/schema"
	"watchglass/internal/object/tree"
)

// TestParts compares parts with the JSON that is written from the same bytes, for random
// objects of every built-in kind.
func TestParts(t *testing.T) {
	for kind, typ := range knownTypes() {
		for seed := range int64(4) {
			obj := reflect.New(typ).Interface()
			filler(seed).Fill(obj)
			raw, err := obj.(interface{ Marshal() ([]byte, error) }).Marshal()
			if err != nil {
				t.Fatal(err)
			}
			m, _ := schema.Of(strings.Split(kind, " ")[0], strings.Split(kind, " ")[1])
			p, err := tree.NewPart(tree.FromMessage(m, raw))
			if err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			got := wholePart(p)
			text, err := tree.FromMessage(m, raw).AppendJSON(nil)
			if err != nil {
				t.Fatal(err)
			}
			var want map[string]any
			d := json.NewDecoder(bytes.NewReader(text))
			d.UseNumber()
			if err := d.Decode(&want); err != nil {
				t.Fatal(err)
			}
			if want := withoutNull(want); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s, seed %d:\n%v\n%v", kind, seed, got, want)
			}
			if again := wholePart(p); !reflect.DeepEqual(again, got) {
				t.Fatalf("%s, seed %d, read twice:\n%v\n%v", kind, seed, again, got)
			}
			for cut := range raw[:min(len(raw), 200)] {
				if p, err := tree.NewPart(tree.FromMessage(m, raw[:cut])); err == nil {
					wholePart(p) // does not panic
				}
			}
		}
	}
}

// wholePart reads all of a part, one by one.
func wholePart(is any) any {
	switch is := is.(type) {
	case interface {
		Member(name string) any
		Names() []string
	}:
		out := make(map[string]any)
		for _, name := range is.Names() {
			out[name] = wholePart(is.Member(name))
		}
		return out
	case []any:
		out := make([]any, len(is))
		for i, e := range is {
			out[i] = wholePart(e)
		}
		return out
	case map[string]any:
		out := make(map[string]any)
		for name, e := range is {
			if e != nil {
				out[name] = wholePart(e)
			}
		}
		return out
	}
	return is
}

// withoutNull removes members that are null: they count as absent.
func withoutNull(is any) any {
	switch is := is.(type) {
	case map[string]any:
		for name, e := range is {
			if e == nil {
				delete(is, name)
			}
			withoutNull(e)
		}
	case []any:
		for _, e := range is {
			withoutNull(e)
		}
	}
	return is
}

// TestPartsOfText checks text that is not UTF-8, and objects without bytes or in JSON.
func TestPartsOfText(t *testing.T) {
	if got := tree.FromText("a\xff\xfeb").Text(); got != "a\ufffd\ufffdb" {
		t.Errorf("%q", got)
	}
	kind := podKind(t)
	o, err := NewDecoder(kind, false).Decode(payload(t, realPod()))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := kind.Parts(o); got != nil || err != nil {
		t.Error(got, err)
	}
	if o, err = NewDecoder(kind, true).Decode(payload(t, realPod())); err != nil {
		t.Fatal(err)
	}
	doc, err := kind.Parts(o)
	p, ok := doc.(*tree.Part)
	if err != nil || !ok || p.Member("kind") != "Pod" || p.Member("apiVersion") != "v1" || p.Member("nothing") != nil {
		t.Fatal(doc, err)
	}
	if metadata := p.Member("metadata").(*tree.Part); metadata.Member("generation") != json.Number("1") || metadata != p.Member("metadata") {
		t.Error(metadata)
	}
	if o, err = NewDecoder(kind, true).Decode([]byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","generation":2}}`)); err != nil {
		t.Fatal(err)
	}
	if doc, err = kind.Parts(o); err != nil || doc.(map[string]any)["metadata"].(map[string]any)["generation"] != json.Number("2") {
		t.Error(doc, err)
	}
}
