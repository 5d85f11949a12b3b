//go:build !js

package object

import (
	"encoding/json"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	apischema "k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/randfill/bytesource"

	"watchglass/internal/object/schema"
	"watchglass/internal/object/tree"
)

// admitted builds an object of a kind from random bytes, as an apiserver would have admitted
// it.
func admitted(t *testing.T, k Kind, random []byte) (runtime.Object, metav1.Object) {
	t.Helper()
	obj := randomOf(t, k, 0)
	fillerFrom(bytesource.New(random)).Fill(obj)
	m, err := meta.Accessor(obj)
	if err != nil {
		t.Fatal(err)
	}
	if m.GetName() == "" {
		m.SetName("x")
	}
	m.SetLabels(admissible(m.GetLabels()))
	if at := m.GetDeletionTimestamp(); at != nil && at.IsZero() {
		m.SetDeletionTimestamp(nil) // JSON leaves it out
	}
	return obj, m
}

// tableOf returns a decoder of a Table with the columns of another decoder, and an object's row
// as an apiserver would send it there.
func tableOf(t *testing.T, d *Decoder, o *Object, doc []byte) (*Decoder, []byte) {
	t.Helper()
	type column struct {
		Name        string `json:"name"`
		Type        string `json:"type"`
		Format      string `json:"format"`
		Description string `json:"description"`
		Priority    int    `json:"priority"`
	}
	var columns []column
	for _, c := range d.Columns() {
		description := "of " + c.Name
		if c.Name == "Age" {
			description = metav1.ObjectMeta{}.SwaggerDoc()["creationTimestamp"]
		}
		columns = append(columns, column{c.Name, "string", map[CellKind]string{NameCell: "name"}[c.Kind], description, c.Priority})
	}
	definitions, err := json.Marshal(columns)
	row, also := json.Marshal(map[string]any{"cells": printed(d, o), "object": json.RawMessage(doc)})
	if err != nil || also != nil {
		t.Fatal(err, also)
	}
	table := NewDecoder(Kind{Group: d.kind.Group, Version: d.kind.Version, Resource: d.kind.Resource, Name: d.kind.Name}, false)
	if _, err := table.SetColumns(definitions); err != nil {
		t.Fatal(err)
	}
	return table, row
}

// FuzzProjection checks that an object is the same and prints the same in every encoding:
// protobuf, a Table row around its JSON, or the JSON alone. It also checks that the packed
// bytes are the complete object.
func FuzzProjection(f *testing.F) {
	for kind := range builtin {
		f.Add(uint8(kind), []byte(builtin[kind].Name))
	}
	f.Fuzz(func(t *testing.T, kind uint8, random []byte) {
		k := builtin[int(kind)%len(builtin)]
		obj, m := admitted(t, k, random)
		sent := payload(t, obj)
		d := NewDecoder(k, true)
		o, err := d.Decode(sent)
		if err != nil {
			t.Fatal(err)
		}
		checkIdentity(t, o, m)

		doc, err := json.Marshal(obj)
		if err != nil {
			t.Fatal(err)
		}
		table, row := tableOf(t, d, o, doc)
		inRow, err := table.Decode(row)
		if err != nil {
			t.Fatal(err)
		}
		checkIdentity(t, inRow, m)
		want := printed(d, o)
		if !slices.ContainsFunc(d.Columns(), func(c Column) bool { return c.Kind == NameCell }) {
			want = append([]string{plain(o.Name())}, want...) // a Table has one
		}
		if got := printed(table, inRow); !slices.Equal(got, want) {
			t.Fatalf("want %q\ngot  %q", want, got)
		}
		alone, err := NewDecoder(k, false).Decode(doc)
		if err != nil {
			t.Fatal(err)
		}
		checkIdentity(t, alone, m)
		for _, form := range [][]byte{sent, row, doc} {
			if id, err := ReadIdentity(form); err != nil || id.Key() != o.Key() || id.Stamp() != o.Stamp() {
				t.Fatalf("%+v %v: %q", id, err, form)
			}
		}
		message, _ := schema.Of(k.APIVersion(), k.Name)
		again, err := tree.FromMessage(message, o.Packed()).AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		obj.GetObjectKind().SetGroupVersionKind(apischema.GroupVersionKind{})
		if doc, err = json.Marshal(obj); err != nil {
			t.Fatal(err)
		}
		if d := differ("", pruned(t, doc), pruned(t, again)); d != "" {
			t.Fatal(d)
		}
	})
}
