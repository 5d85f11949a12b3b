package view

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"watchglass/internal/object"
	"watchglass/internal/query"
)

// filters are of every kind: some choose from facets, some do not.
var filters = []string{
	"", "web-1", "!crash", "status:Running", "status:Running,Pending node:n1", "!status:Running", "ns:ns,ns0", "ns:n !node:n2 web",
	"count>3", "age<2m", "-l app=a1 status:pending", "status:Running or node:n1", "label.app:a1", "owner:", "!owner:", "(node:n1) status:CrashLoopBackOff", "/web-[0-4]$/ !ns:ns-1",
}

// clicked is a filter in which somebody has clicked on a value: of its facet that
// is then the only one that is chosen.
func clicked(t *testing.T, text, field, value string) string {
	f, err := query.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	included, excluded := f.Facet(field)
	for _, other := range slices.Concat(included, excluded) {
		text = query.Clear(text, field, other)
	}
	return query.Include(text, field, value)
}

// TestFacetClicks holds every count to what a click on it gives, after many changes
// and in a view that never saw them happen.
func TestFacetClicks(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		m, objects := newMaker(t), map[string]*object.Object{}
		q := Query{Seq: 1, Limit: 10, Text: filters[int(seed)%len(filters)]}
		if r.IntN(3) == 0 {
			q.Namespaces = []string{"ns", "n"}
		}
		v := New()
		v.SetShape(Shape{Columns: m.d.Columns(), Namespaced: true})
		v.SetQuery(q)
		for range 30 {
			v.Apply(randomChanges(r, m, objects))
			v.Step(now)
		}
		var all []*object.Object
		for _, o := range objects {
			all = append(all, o)
		}
		fresh := started(all)
		fresh.SetShape(Shape{Columns: m.d.Columns(), Namespaced: true})
		facets := v.Facets(now)
		if len(facets) == 0 || facets[0].Name != NamespaceColumn {
			t.Fatalf("%q: %v", q.Text, facets)
		}
		for _, f := range facets {
			for _, value := range f.Values {
				ask := q
				if f.Name == NamespaceColumn {
					ask.Namespaces = []string{value.Value}
					ask.Text = clicked(t, q.Text, "ns", value.Value)
				} else {
					ask.Text = clicked(t, q.Text, query.FieldName(f.Name), value.Value)
				}
				fresh.SetQuery(ask)
				if total, _, _ := fresh.Rows(0, 0, now); total != value.Count {
					t.Errorf("seed %d, %q: %s %q counts %d, and a click gives %d by %q", seed, q.Text, f.Name, value.Value, value.Count, total, ask.Text)
				}
			}
		}
	}
}

// TestFacetsWhole shows that counts are sent when they are whole, however many
// objects there are, and that what changes while they are counted is in them.
func TestFacetsWhole(t *testing.T) {
	const n = countBeside + 3*countAtOnce + 5
	m := newMaker(t)
	objects := make([]*object.Object, n)
	for i := range objects {
		objects[i] = m.make("ns", fmt.Sprintf("web-%05d", i), "Running", 1, 0, fmt.Sprintf("n%d", i%7), "")
	}
	v := started(slices.Clone(objects))
	v.SetShape(Shape{Columns: m.d.Columns(), Namespaced: true})
	v.SetQuery(Query{Seq: 1, Limit: 5})
	steps := 0
	for w := (Window{}); w.Facets == nil; steps++ {
		if !v.Dirty() {
			t.Fatal("there are no counts, and nothing to do")
		}
		p, _ := v.Step(now)
		w = w.Apply(p)
		if len(w.Rows) != 5 {
			t.Fatal("rows wait for counts")
		}
		last := objects[n-1-steps]
		v.Apply([]Change{{Before: last, After: m.make("ns", last.Name(), "Crashed", 1, 0, "n1", "")}})
	}
	if steps != 5 {
		t.Errorf("%d steps", steps)
	}
	got := map[string]int{}
	for _, f := range v.Facets(now) {
		for _, value := range f.Values {
			got[f.Name] += value.Count
		}
		if f.Name == "Status" && !slices.Equal(f.Values, []FacetValue{{Value: "Running", Count: n - 5}, {Value: "Crashed", Count: 5}}) {
			t.Errorf("%v", f)
		}
	}
	for name, sum := range got {
		if sum != n {
			t.Errorf("%s counts %d of %d", name, sum, n)
		}
	}
}

// TestFacetsFew shows which columns are facets, and how much of them is sent.
func TestFacetsFew(t *testing.T) {
	m := newMaker(t)
	v := New()
	v.SetShape(Shape{Columns: []object.Column{{Name: "Name", Kind: object.NameCell}, {Name: "Status"}, {Name: "Type"}, {Name: "IP"}, {Name: "Size", Kind: object.NumberCell}}, Namespaced: true})
	for _, f := range v.facets.all {
		f.place = -1 // the values are others than those of the cells
	}
	v.facets.all[2].value = func(o *object.Object) string { return o.Name()[:5] }
	v.facets.all[3].value = (*object.Object).Name
	var changes []Change
	for i := range 300 {
		changes = append(changes, Change{After: m.make("ns", fmt.Sprintf("web-%d", i), fmt.Sprintf("web-%d", i), 1, 0, "", "")})
	}
	v.Apply(changes)
	v.SetQuery(Query{Limit: 1})
	p, _ := v.Step(now)
	shape := ""
	for _, f := range p.Facets {
		shape += fmt.Sprintf("%s %d+%d ", f.Name, len(f.Values), f.More)
	}
	if shape != "Namespace 1+0 Status 100+200 Type 10+0 " {
		t.Error(shape)
	}
	v.SetQuery(Query{Limit: 1, Text: "status:WEB-7"})
	p, _ = v.Step(now)
	if first := p.Facets[1].Values[0]; first.Value != "web-7" {
		t.Errorf("what is chosen does not come first, but %v", first)
	}
}

// TestFilterTicks shows that rows come and go by time alone, where the filter asks
// for an age.
func TestFilterTicks(t *testing.T) {
	m := newMaker(t)
	v := started([]*object.Object{m.make("a", "x", "Running", 1, 58*time.Second, "n", ""), m.make("a", "y", "Running", 1, time.Hour, "n", "")})
	v.SetShape(Shape{Columns: m.d.Columns(), Namespaced: true})
	v.SetQuery(Query{Limit: 10, Text: "age<1m"})
	for after, want := range []int{1, 1, 0, 0} {
		at := now.Add(time.Duration(after) * time.Second)
		if v.Step(at); v.sent.Total != want {
			t.Errorf("after %d s there are %d", after, v.sent.Total)
		}
	}
}
