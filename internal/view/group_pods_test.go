//go:build !js

package view

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"watchglass/internal/object"
)

// ones are excerpt cells of 1 for each object that has an excerpt.
type ones struct{ _ int }

func (o *ones) ExcerptCell(excerpt uint32, number int) object.Cell {
	if excerpt == 0 {
		return object.Cell{Kind: object.AmountCell, Text: "…", Unknown: true}
	}
	return object.Cell{Kind: object.AmountCell, Text: "1", Amount: float64(number)}
}

// coldPod returns a pod on one of seven nodes, whose excerpt has not been taken.
func coldPod(m podMaker, i int) *object.Object {
	return m.pod(func(p *corev1.Pod) {
		p.Namespace, p.Name, p.Status.Phase = "a", fmt.Sprint("p", i), corev1.PodRunning
		p.Spec.NodeName = fmt.Sprint("n", i%7)
		p.Spec.Containers = []corev1.Container{{Image: "x:1"}, {Image: fmt.Sprint("y:", i%2)}}
	})
}

// TestGroupCold groups pods whose excerpts have not been taken: the groups come at once, and the sums
// of what is in the excerpts by and by, whatever changes meanwhile.
func TestGroupCold(t *testing.T) {
	const n = 3*thawAtOnce + 500
	m := newPodMaker(t)
	var objects []*object.Object
	for i := range n {
		objects = append(objects, coldPod(m, i))
	}
	v := started(slices.Clone(objects))
	v.SetShape(Shape{Columns: slices.Concat(m.d.Columns(), []object.Column{object.ExcerptColumn("Ones", -1, new(ones), 1, object.Decimal), object.ExcerptColumn("Others", -2, new(ones), 2, object.Decimal)}), Namespaced: true, Images: true, Kind: "Pod"})
	v.SetQuery(Query{Seq: 1, Limit: 9, Group: "Node"})
	p, _ := v.Step(now)
	w := Window{}.Apply(p)
	cell := func(row Row, name string) string {
		return row.Cells[slices.IndexFunc(w.Columns, func(c Column) bool { return c.Name == name })]
	}
	if len(w.Rows) != 7 || cell(w.Rows[0], "Ones") != "…" || cell(w.Rows[0], ObjectsColumn) != fmt.Sprint((n+6)/7) || slices.ContainsFunc(w.Columns, func(c Column) bool { return c.Name == "Others" }) {
		t.Fatalf("%+v", w)
	}
	steps := 0
	for ; v.Dirty(); steps++ {
		i := steps % 3 * 100
		v.Apply([]Change{{Before: objects[i]}, {After: coldPod(m, n+steps)}})
		if objects = append(slices.Delete(objects, i, i+1), coldPod(m, n+steps)); steps > 50 {
			t.Fatal("it never ends")
		}
		if p, ok := v.Step(now); ok {
			w = w.Apply(p)
		}
		if text := cell(w.Rows[0], "Ones"); text != "…" {
			break
		}
	}
	if steps < 2 {
		t.Errorf("all excerpts were taken in %d steps", steps)
	}
	for _, group := range []string{"Node", ImageFacet, NamespaceColumn} {
		v.SetQuery(Query{Seq: 2, Limit: 9, Group: group})
		p, _ := v.Step(now)
		if w = w.Apply(p); len(w.Rows) == 0 {
			t.Fatalf("%s: %+v", group, w)
		}
		for _, row := range w.Rows {
			if cell(row, "Ones") != cell(row, ObjectsColumn) {
				t.Errorf("%s: %q", group, row.Cells)
			}
		}
	}
}

// TestGroupComputed groups pods by how their containers ended: a column that is in use only because of
// that.
func TestGroupComputed(t *testing.T) {
	m := newPodMaker(t)
	v := started([]*object.Object{endedPod(m, "fine", 0, ""), endedPod(m, "killed", 600, "", "OOMKilled"), endedPod(m, "both", 7200, "Error", "OOMKilled")})
	v.SetShape(computedShape(m))
	v.SetQuery(Query{Seq: 1, Limit: 9, Group: "Exit", Columns: []string{"Name"}})
	p, _ := v.Step(now)
	var rows []string
	for _, r := range p.Rows {
		rows = append(rows, strings.Join(r.Cells, " "))
	}
	if want := []string{"OOMKilled 2 2", NoValue + " 1 1", "Error 1 1"}; !slices.Equal(rows, want) {
		t.Errorf("%q, want %q", rows, want)
	}
}

// TestSumCold sums what is in excerpts beside the counts: each step takes some, also with a filter, and none waits for ever
// for one that cannot be taken.
func TestSumCold(t *testing.T) {
	const n = 3*thawAtOnce + 500
	m := newPodMaker(t)
	var objects []*object.Object
	for i := range n {
		objects = append(objects, coldPod(m, i))
	}
	taken := func() (all int) {
		for _, o := range objects {
			if o.TakenExcerpt() > 0 {
				all++
			}
		}
		return all
	}
	v := started(append(slices.Clone(objects), newMaker(t).make("a", "other", "", 1, 0, "", "")))
	v.SetShape(Shape{Columns: slices.Concat(m.d.Columns(), []object.Column{object.ExcerptColumn("Ones", -1, new(ones), 1, object.Decimal)}), Namespaced: true, Kind: "Pod"})
	v.SetQuery(Query{Limit: 9, Text: "node:n1", Sum: "Ones"})
	steps, before := 0, 0
	for v.sent.Facets == nil {
		v.Step(now)
		if all := taken(); all > before+thawAtOnce || steps > 9 {
			t.Fatalf("step %d has taken %d excerpts more", steps, all-before)
		} else {
			before = all
		}
		steps++
	}
	for _, f := range v.sent.Facets {
		if value := f.Values[0]; f.Name == "Node" && value.Sum != fmt.Sprint(value.Count) {
			t.Errorf("%+v", value)
		}
	}
	if before != n || steps < 3 {
		t.Errorf("%d of %d excerpts in %d steps", before, n, steps)
	}
}
