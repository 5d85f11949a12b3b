package view

import (
	"fmt"
	"testing"
	"time"

	"watchglass/internal/object"
)

// words makes objects of a kind with two columns of text.
func words(t *testing.T) (s Shape, make func(name, reason, status string) *object.Object) {
	d := object.NewDecoder(object.Kind{Version: "v1", Resource: "things", Name: "Thing", Namespaced: true}, false).Share(&codes)
	if _, err := d.SetColumns([]byte(`[{"name":"Name","format":"name","type":"string"},{"name":"Reason","type":"string"},{"name":"Status","type":"string"}]`)); err != nil {
		t.Fatal(err)
	}
	n := 0
	return Shape{Columns: d.Columns(), Namespaced: true}, func(name, reason, status string) *object.Object {
		n++
		o, err := d.Decode(fmt.Appendf(nil, `{"cells":[%q,%q,%q],"object":{"kind":"PartialObjectMetadata","metadata":{"name":%[1]q,"namespace":"ns","uid":"u%[4]d","resourceVersion":"%[4]d"}}}`, name, reason, status, n))
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
}

// TestGroupManyTexts groups by a column that had too many texts to be kept, while nothing matches, and looks at the facets.
func TestGroupManyTexts(t *testing.T) {
	shape, make := words(t)
	var all []*object.Object
	for i := range fewTexts + 100 {
		all = append(all, make(fmt.Sprint("web-", i), fmt.Sprint("reason ", i), "Running"))
	}
	v := started(all)
	v.SetShape(shape)
	q := Query{Limit: 10, Text: "reason:none"}
	v.SetQuery(q)
	v.Hurry()
	v.Step(now)
	q.Seq, q.Group = 1, "Reason"
	v.SetQuery(q)
	v.Step(now)
	v.Apply([]Change{{all[0], make("web-0", "another", "Running")}})
	v.Hurry()
	p, _ := v.Step(now.Add(time.Second))
	if p.Total != 0 || p.Of != len(all) || fmt.Sprint(p.Facets) != "[{Namespace [] 0} {Reason [{none 0  0}] 0}]" {
		t.Errorf("%d of %d: %v", p.Total, p.Of, p.Facets)
	}
}

// TestGroupRespelled checks that a group is where it belongs if its only object writes the value in another way.
func TestGroupRespelled(t *testing.T) {
	shape, make := words(t)
	one := make("web-1", "Backoff", "")
	v := started([]*object.Object{one, make("web-2", "Failed", "")})
	v.SetShape(shape)
	v.SetQuery(Query{Limit: 10, Group: "Reason", Locate: "/Failed"})
	v.Step(now)
	v.Apply([]Change{{one, make("web-1", "backoff", "")}})
	p, _ := v.Step(now)
	if p.Located != 0 || p.Total != 2 {
		t.Errorf("Failed is at %d of %d", p.Located, p.Total)
	}
	if p.Located = v.lines().locate("/backoff"); p.Located != 1 {
		t.Errorf("backoff is at %d", p.Located)
	}
}

// TestFacetsUnchanged checks that counts are not sent again when objects change that none of them counts.
func TestFacetsUnchanged(t *testing.T) {
	shape, make := words(t)
	one, two := make("web-1", "", "Running"), make("web-2", "", "Pending")
	v := started([]*object.Object{one, two})
	v.SetShape(shape)
	v.SetQuery(Query{Limit: 10, Text: "web-1"})
	v.Step(now)
	for name, c := range map[string]Change{"changed": {two, make("web-2", "", "Lost")}, "came": {nil, make("web-3", "", "Lost")}} {
		v.Apply([]Change{c})
		if p, _ := v.Step(now.Add(time.Second)); p.Facets != nil || v.Dirty() {
			t.Errorf("%s: %v", name, p.Facets)
		}
	}
	v.Apply([]Change{{one, make("web-1", "", "Lost")}})
	if p, _ := v.Step(now.Add(2 * time.Second)); p.Facets == nil {
		t.Error("what is counted has changed, and the counts are not sent")
	}
}
