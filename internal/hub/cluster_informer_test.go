package hub

import (
	"testing"

	"watchglass/internal/object"
	"watchglass/internal/view"
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

// TestLeft checks that a list left long ago does not count against the budget, and counts once
// when it is reopened.
func TestLeft(t *testing.T) {
	p := three()
	p.extraKinds = []string{"widgets"}
	onPods(t, p, func(t *testing.T, b *fixture) {
		b.wantRows("live", "a/web1 a/web2 b/db1")
		packed, _, _ := b.hub.budget.Used()
		b.showList("widgets", view.Query{Seq: 2})
		b.wait(2 * linger)
		if bytes, n, _ := b.hub.budget.Used(); bytes != 0 || n != 0 {
			t.Errorf("%d bytes of %d objects stay", bytes, n)
		}
		b.showList("pods", view.Query{Seq: 3})
		b.wantRows("live", "a/web1 a/web2 b/db1")
		if bytes, n, dropped := b.hub.budget.Used(); bytes != packed || n != 3 || dropped != 0 {
			t.Errorf("%d bytes of %d objects, %d dropped; want %d of 3", bytes, n, dropped, packed)
		}
	})
}
