package view

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/internal/columns"
	"watchglass/internal/object"
	"watchglass/internal/query"
	"watchglass/internal/view/meter"
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

// TestNoFacets has no facets of the columns of problems whose values differ from row to row.
func TestNoFacets(t *testing.T) {
	var names []string
	for _, f := range newFacets(Shape{Columns: []object.Column{{Name: "Key", Kind: object.NameCell}, {Name: "Severity"}, {Name: "Name"}, {Name: "Reason"}, {Name: "Problem"}, {Name: "label.Name"}}}, nil) {
		names = append(names, f.name)
	}
	if got := fmt.Sprint(names); got != "[label.Name Severity Reason Owner]" {
		t.Error(got)
	}
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
	const n = (readBeside+3*readAtOnce)/4 + 5 // of each object, four texts are read
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
	for at, text := range map[int]func(o *object.Object) string{1: (*object.Object).Name, 2: func(o *object.Object) string { return o.Name()[:5] }, 3: (*object.Object).Name} {
		x := v.facets.texts.column(at)
		x.Of, x.Place = text, -1 // not the cells
	}
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

// ownedBy makes an object with owners, of which the first controls it.
func (m *maker) ownedBy(name string, owners ...string) *object.Object {
	var refs []string
	for i, owner := range owners {
		refs = append(refs, fmt.Sprintf(`{"apiVersion":"v1","kind":"Set","name":%q,"uid":%q,"controller":%t}`, owner, owner, i == 0))
	}
	o, err := m.d.Decode(fmt.Appendf(nil, `{"cells":[%q,"","","",""],"object":{"kind":"PartialObjectMetadata","metadata":{"name":%q,"namespace":"ns","uid":%q,"resourceVersion":"1","ownerReferences":[%s]}}}`,
		name, name, name, strings.Join(refs, ",")))
	if err != nil {
		m.t.Fatal(err)
	}
	return o
}

// TestFacetsOwned compares the counts of the owner facet with a map, while objects are added and removed at random, and while
// so many owners have gone that the facet forgets them.
func TestFacetsOwned(t *testing.T) {
	m, r := newMaker(t), rand.New(rand.NewPCG(1, 7))
	var table columns.Table
	kept := newTexts(&table, Shape{}, new(columns.Dictionaries))
	one := &facet{at: imagesAndOwnersAt, values: &columns.Values{Split: func(text string) iter.Seq[string] {
		return func(yield func(string) bool) { yield(object.ControllerIn(text)) }
	}}}
	check := func(when string) {
		t.Helper()
		want := map[string]int{}
		for slot := range table.Live().All() {
			want[table.At(slot).Controller()]++
		}
		kept.readColumn(one.at)
		var counts facetCounts
		counts.count(one, kept, table.Live(), nil)
		for _, v := range counts.values {
			if v.count > 0 && want[v.value] != v.count {
				t.Fatalf("%s: %q counts %d, there are %d", when, v.value, v.count, want[v.value])
			}
		}
		if counts.live != len(want) || one.values.Len() > 2*max(len(want), kept.column(one.at).Texts())+mostUnused+1 {
			t.Fatalf("%s: %d values, of %d remembered; there are %d", when, counts.live, one.values.Len(), len(want))
		}
	}
	var there []uint32
	for i := range 5_000 {
		if n := len(there); n > 0 && r.IntN(3) == 0 {
			at := r.IntN(n)
			table.Remove(there[at])
			there[at], there = there[n-1], there[:n-1]
			continue
		}
		var names []string
		for k := range r.IntN(3) {
			names = append(names, fmt.Sprint((i/20+k*r.IntN(5))%30, "-", k))
		}
		there = append(there, table.Add(m.ownedBy(fmt.Sprint("web-", i), names...)))
		if i%500 == 0 {
			check("at random")
		}
	}
	for i := range mostUnused + 500 {
		slot := table.Add(m.ownedBy("gone", fmt.Sprint("one-", i)))
		if one.values.Of(kept.readColumn(one.at), kept.column(one.at).Code(slot)); i%1000 == 0 {
			check(fmt.Sprint("owner ", i))
		}
		table.Remove(slot)
	}
	check("at the end")
}

// TestFacetSpellings checks that spellings of a value that a filter takes for the same are counted together, and that the
// value is spelled as one of its objects spells it.
func TestFacetSpellings(t *testing.T) {
	m := newMaker(t)
	var table columns.Table
	kept := newTexts(&table, Shape{Columns: m.d.Columns()}, new(columns.Dictionaries))
	f := newFacet("Status", 1, query.TextColumn, nil)
	count := func(want FacetValue) {
		t.Helper()
		kept.readColumn(f.at)
		var counts facetCounts
		counts.count(f, kept, table.Live(), nil)
		if got := f.list(&counts, nil, facetValues, meter.Meter{}); len(got.Values) != 1 || got.Values[0] != want {
			t.Fatalf("%+v", got)
		}
	}
	first := table.Add(m.make("ns", "a", "Bound", 1, 0, "", ""))
	second := table.Add(m.make("ns", "b", "bound", 1, 0, "", ""))
	count(FacetValue{Value: "Bound", Count: 2})
	table.Remove(first)
	count(FacetValue{Value: "bound", Count: 1})
	table.Set(second, m.make("ns", "b", "BOUND", 1, 0, "", ""))
	count(FacetValue{Value: "BOUND", Count: 1})
}

// TestFacetMore checks how many values are not listed, also where the last of them is the last that are sorted at once.
func TestFacetMore(t *testing.T) {
	for n := 3 * facetValues; n < 8*facetValues; n += 50 {
		f, c := &facet{name: OwnerFacet}, facetCounts{live: n}
		for i := range n {
			c.values = append(c.values, tally{value: fmt.Sprint("one-", i), count: 1 + i*17%n})
		}
		got := f.list(&c, nil, facetValues, meter.Meter{})
		if len(got.Values) != facetValues || got.More != n-facetValues || got.Values[0].Count != n || got.Values[facetValues-1].Count != n-facetValues+1 {
			t.Errorf("of %d: %d, from %+v to %+v, and %d more", n, len(got.Values), got.Values[0], got.Values[len(got.Values)-1], got.More)
		}
	}
}

// TestLabelsDistinct checks that label sets are found and counted also if each object has its own, and that they are not kept then.
func TestLabelsDistinct(t *testing.T) {
	m := newMaker(t)
	var all []*object.Object
	for i := range fewLabels + 1 {
		all = append(all, m.make("ns", fmt.Sprint("web-", i), "", 1, 0, "", fmt.Sprintf(`"app":"a%d","job":"j%d"`, i%10, i)))
	}
	v := started(all)
	v.SetShape(Shape{Columns: m.d.Columns(), Namespaced: true})
	v.SetQuery(Query{Seq: 1, Limit: 1, Labels: "app=a7"})
	if total, _, _ := v.Rows(0, 0, now); total != fewLabels/10 {
		t.Errorf("%d match", total)
	}
	if got := v.Labels("app"); len(got) != 10 || got[0].Text != "a0" || got[0].Count != fewLabels/10+1 {
		t.Errorf("%+v", got)
	}
	if x := v.facets.texts.readColumn(labelsAt); x.Texts() > 0 {
		t.Errorf("%d label sets are kept", x.Texts())
	}
}

// TestFacetHidden checks that a column with too many values for a facet is left once that is known: a custom resource may have 60.
func TestFacetHidden(t *testing.T) {
	m := newMaker(t)
	var all []*object.Object
	for i := range fewValues + 5 {
		all = append(all, m.make("ns", fmt.Sprint("web-", i), fmt.Sprint("no ", i), 1, 0, "", ""))
	}
	v := started(all)
	v.SetShape(Shape{Columns: m.d.Columns(), Namespaced: true})
	f := v.facets.all[slices.IndexFunc(v.facets.all, func(f *facet) bool { return f.name == "Status" })]
	f.most = fewValues
	if all := v.Facets(now); slices.ContainsFunc(all, func(f Facet) bool { return f.Name == "Status" }) || f.values.Len() > fewValues+1 {
		t.Errorf("%d values, %+v", f.values.Len(), all)
	}
	// A value that is chosen shows, and counts what it leaves.
	for _, want := range []struct {
		filter string
		values []FacetValue
	}{
		{`status:"no 7"`, []FacetValue{{Value: "no 7", Count: 1}}},
		{`status!="no 7"`, []FacetValue{{Value: "no 7", Count: 1}}},
		{`status:"no 7" status:"no 8"`, []FacetValue{{Value: "no 7", Count: 1}, {Value: "no 8", Count: 1}}},
		{`status:"no 7","NO 8",gone`, []FacetValue{{Value: "no 7", Count: 1}, {Value: "no 8", Count: 1}, {Value: "gone"}}},
	} {
		v.SetQuery(Query{Seq: 1, Limit: 1, Text: want.filter})
		v.Step(now)
		all := v.Facets(now)
		if i := slices.IndexFunc(all, func(f Facet) bool { return f.Name == "Status" }); i < 0 || !slices.Equal(all[i].Values, want.values) {
			t.Errorf("%s: %+v", want.filter, all)
		}
	}
}

// TestFacetSame holds counts and groups to what a click gives where values differ only in case, or only in the unit of a
// number: a filter takes them for the same.
func TestFacetSame(t *testing.T) {
	d := object.NewDecoder(object.Kind{Version: "v1", Resource: "things", Name: "Thing", Namespaced: true}, false).Share(&codes)
	if _, err := d.SetColumns([]byte(`[{"name":"Name","format":"name","type":"string"},{"name":"Status","type":"string"},{"name":"Capacity","type":"string"}]`)); err != nil {
		t.Fatal(err)
	}
	label, err := object.ParseExtra("label.app")
	if err != nil {
		t.Fatal(err)
	}
	columns := append(slices.Clip(d.Columns()), label.LabelColumn())
	var all []*object.Object
	for i, cells := range [][3]string{{"Bound", "1Gi", "Web"}, {"bound", "1024Mi", "web"}, {"Bound", "1.5Gi", "web"}, {"Lost", "1Gi", "API"}, {"Lost", "?", "api-2"}, {"Lost", "", ""}} {
		o, err := d.Decode(fmt.Appendf(nil, `{"cells":["o%d",%q,%q],"object":{"kind":"PartialObjectMetadata","metadata":{"name":"o%[1]d","namespace":"ns","uid":"u%[1]d","resourceVersion":"1","labels":{"app":%[4]q}}}}`, i, cells[0], cells[1], cells[2]))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, o)
	}
	want := map[string]string{"Status": "Bound 3, Lost 3", "Capacity": "1Gi 3,  1, 1.5Gi 1, ? 1", "label.app": "Web 3, <none> 1, API 1, api-2 1"}
	for _, text := range []string{"", "capacity:1024Mi", "!capacity:1024Mi", "label.app:web", "status:BOUND label.app:web"} {
		v := started(all)
		v.SetShape(Shape{Columns: columns, Namespaced: true})
		v.SetQuery(Query{Seq: 1, Limit: 10, Text: text})
		v.Step(now)
		for _, f := range v.Facets(now) {
			got := ""
			for _, value := range f.Values {
				got += fmt.Sprintf(", %s %d", value.Value, value.Count)
				click := started(all)
				click.SetShape(Shape{Columns: columns, Namespaced: true})
				click.SetQuery(Query{Seq: 1, Limit: 10, Text: clicked(t, text, Field(f.Name), value.Value)})
				if total, _, _ := click.Rows(0, 0, now); total != value.Count {
					t.Errorf("%q: %s %q counts %d, and a click leaves %d", text, f.Name, value.Value, value.Count, total)
				}
			}
			if got = strings.TrimPrefix(got, ", "); text == "" && want[f.Name] != "" && got != want[f.Name] {
				t.Errorf("%s: %s, want %s", f.Name, got, want[f.Name])
			}
			if chosen := "1024Mi"; f.Name == "Capacity" && strings.Contains(text, chosen) && f.Values[0] != (FacetValue{Value: chosen, Count: 3}) {
				t.Errorf("%q: the chosen capacity is %+v", text, f.Values[0])
			}
		}
	}
	for group, want := range map[string]int{"Status": 2, "Capacity": 4, "label.app": 4} {
		v := started(all)
		v.SetShape(Shape{Columns: columns, Namespaced: true})
		v.SetQuery(Query{Seq: 1, Limit: 10, Group: group})
		v.Step(now)
		if total, _, _ := v.Rows(0, 0, now); total != want {
			t.Errorf("%d groups by %s, want %d", total, group, want)
		}
	}
}
