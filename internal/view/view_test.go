package view

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/internal/columns"
	"watchglass/internal/object"
	"watchglass/internal/query"
)

var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// namespaces begin alike, and go on with what comes before the slash of a key, and
// after it.
var namespaces = []string{"ns", "ns-1", "ns0", "n"}

// maker makes objects: rows of a Table, so that it works everywhere.
type maker struct {
	t     testing.TB
	d     *object.Decoder
	n     int
	mixed bool // counts are not all numbers
}

// codes are those of all objects of the tests.
var codes object.CodeTable

func newMaker(t testing.TB) *maker { return makerThat(t, false) }

// makerThat makes a maker whose objects keep their packed bytes, or do not.
func makerThat(t testing.TB, keeps bool) *maker {
	d := object.NewDecoder(object.Kind{Version: "v1", Resource: "things", Name: "Thing", Namespaced: true}, keeps).Share(&codes)
	if _, err := d.SetColumns([]byte(`[{"name":"Name","format":"name","type":"string"},{"name":"Status","type":"string"},{"name":"Count","type":"integer"},{"name":"Age","type":"date","description":"Custom resource definition column (in JSONPath format): .metadata.creationTimestamp"},{"name":"Node","type":"string","priority":1}]`)); err != nil {
		t.Fatal(err)
	}
	return &maker{t: t, d: d}
}

func (m *maker) make(ns, name, status string, count any, age time.Duration, node, labels string) *object.Object {
	m.n++
	doc := fmt.Sprintf(`{"cells":[%q,%q,%#v,"x",%q],"object":{"kind":"PartialObjectMetadata","metadata":{"name":%q,"namespace":%q,"uid":"u%d","resourceVersion":"%d","creationTimestamp":%q,"labels":{%s}}}}`,
		name, status, count, node, name, ns, m.n, m.n, now.Add(-age).Format(time.RFC3339), labels)
	o, err := m.d.Decode([]byte(doc))
	if err != nil {
		m.t.Fatal(err)
	}
	return o
}

func (m *maker) random(r *rand.Rand, ns, name string) *object.Object {
	status := []string{"Running", "Pending", "CrashLoopBackOff"}[r.IntN(3)]
	count := any(r.IntN(12))
	if m.mixed {
		count = []any{2, 10, 100, "1x", "", "NaN"}[r.IntN(6)]
	}
	return m.make(ns, name, status, count, time.Duration(r.IntN(300))*time.Second, fmt.Sprintf("n%d", r.IntN(3)), fmt.Sprintf(`"app":"a%d"`, r.IntN(3)))
}

func started(objects []*object.Object) *View {
	v := New()
	v.Start(objects)
	return v
}

// naive is the same view, by scanning and sorting all there is.
func naive(t *testing.T, m *maker, objects map[string]*object.Object, q Query) (rows []Row, counts map[string]int) {
	selector, err := query.ParseSelector(q.Labels)
	if err != nil {
		t.Fatal(err)
	}
	counts = map[string]int{}
	var matched []*object.Object
	for _, o := range objects {
		var text []string
		for i, c := range m.d.Columns() {
			if c.Kind != object.AgeCell && (c.Priority == 0 || q.Wide) {
				text = append(text, o.Cell(m.d.Columns(), i).Text)
			}
		}
		line := strings.ToLower(o.Key() + "\x00" + strings.Join(text[1:], "\x00"))
		ok := selector.Matches(o.Labels())
		for w := range strings.FieldsSeq(q.Text) {
			ok = ok && strings.Contains(line, strings.ToLower(w))
		}
		if !ok {
			continue
		}
		counts[o.Namespace()]++
		if len(q.Namespaces) == 0 || slices.Contains(q.Namespaces, o.Namespace()) {
			matched = append(matched, o)
		}
	}
	columns := m.d.Columns()
	slices.SortFunc(matched, func(a, b *object.Object) int {
		c := 0
		for i, col := range columns {
			if col.Name == q.Sort {
				c = a.Cell(columns, i).Compare(b.Cell(columns, i))
			}
		}
		if c == 0 && (q.Sort == "" || q.Sort == NamespaceColumn) {
			c = byName(a, b)
		}
		if c != 0 && q.Descending {
			return -c
		}
		if c == 0 {
			return byName(a, b)
		}
		return c
	})
	for _, o := range matched {
		row := Row{Key: o.Key(), UID: o.UID(), Cells: []string{o.Namespace()}}
		for i, c := range columns {
			if c.Priority == 0 || q.Wide {
				row.Cells = append(row.Cells, string(o.Cell(columns, i).Append(nil, now)))
				if c.Kind == object.AgeCell {
					row.Instants = append(row.Instants, o.Cell(columns, i).At)
				}
			}
		}
		rows = append(rows, row)
	}
	return rows, counts
}

// TestModel drives views with random changes and queries, and holds the window
// that the patches make against the naive one.
func TestModel(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 0))
		m, objects := newMaker(t), map[string]*object.Object{}
		m.mixed = seed%3 == 0
		for range r.IntN(80) {
			o := m.random(r, namespaces[r.IntN(4)], fmt.Sprintf("web-%d", r.IntN(60)))
			objects[o.Key()] = o
		}
		var list []*object.Object
		for _, o := range objects {
			list = append(list, o)
		}
		v := started(list)
		v.SetShape(Shape{Columns: m.d.Columns(), Namespaced: true})
		q := Query{Limit: 10}
		v.SetQuery(q)
		var w Window
		for step := range 120 {
			switch r.IntN(4) {
			case 0:
				q = randomQuery(r, uint32(step))
				v.SetQuery(q)
			default:
				v.Apply(randomChanges(r, m, objects))
			}
			if r.IntN(3) == 0 {
				continue // changes pile up
			}
			p, ok := v.Step(now)
			if !ok {
				if _, ok = v.Step(now); ok {
					t.Fatalf("seed %d: a second step found something", seed)
				}
				compare(t, seed, m, objects, q, w)
				continue
			}
			w = w.Apply(p)
			compare(t, seed, m, objects, q, w)
		}
	}
}

func randomQuery(r *rand.Rand, seq uint32) Query {
	q := Query{Seq: seq, Limit: 1 + r.IntN(15), Offset: r.IntN(40), Wide: r.IntN(2) == 0, Descending: r.IntN(2) == 0}
	q.Sort = []string{"", "Name", "Status", "Count", "Age", NamespaceColumn}[r.IntN(6)]
	q.Text = []string{"", "", "WEB-1", "crash", "run web", "n1", "nothing at all"}[r.IntN(7)]
	q.Labels = []string{"", "", "app=a1", "app in (a0,a2)", "!app"}[r.IntN(5)]
	for i := range 4 {
		if r.IntN(4) == 0 {
			q.Namespaces = append(q.Namespaces, namespaces[i])
		}
	}
	if r.IntN(2) == 0 {
		q.Locate = fmt.Sprintf("%s/web-%d", namespaces[r.IntN(4)], r.IntN(60))
	}
	return q
}

func randomChanges(r *rand.Rand, m *maker, objects map[string]*object.Object) []Change {
	var out []Change
	for range 1 + r.IntN(6) {
		ns, name := namespaces[r.IntN(4)], fmt.Sprintf("web-%d", r.IntN(60))
		before := objects[ns+"/"+name]
		if r.IntN(3) == 0 {
			if before != nil {
				delete(objects, before.Key())
				out = append(out, Change{Before: before})
			}
			continue
		}
		after := m.random(r, ns, name)
		objects[after.Key()] = after
		out = append(out, Change{Before: before, After: after})
	}
	return out
}

func compare(t *testing.T, seed uint64, m *maker, objects map[string]*object.Object, q Query, w Window) {
	t.Helper()
	rows, counts := naive(t, m, objects, q)
	if w.Total != len(rows) || w.Of != len(objects) {
		t.Fatalf("seed %d: %d of %d, want %d of %d, by %+v", seed, w.Total, w.Of, len(rows), len(objects), q)
	}
	offset := min(q.Offset, len(rows))
	want := rows[offset:min(offset+q.Limit, len(rows))]
	if len(want) != len(w.Rows) || len(want) > 0 && !reflect.DeepEqual(w.Rows, want) {
		t.Fatalf("seed %d, %+v:\nwant %v\ngot  %v", seed, q, want, w.Rows)
	}
	if located := locatedIn(rows, objects, q.Locate); w.Located != located {
		t.Fatalf("seed %d, %+v: located at %d, want %d", seed, q, w.Located, located)
	}
	if w.Facets == nil {
		return // they come less often
	}
	for _, fv := range w.Facets[0].Values {
		if fv.Count < 0 {
			t.Fatalf("seed %d: a count below nothing: %v", seed, w.Facets)
		}
	}
	_ = counts
}

// locatedIn is the index of a row among all that match (16), or why it has none.
func locatedIn(rows []Row, objects map[string]*object.Object, key string) int {
	at := slices.IndexFunc(rows, func(r Row) bool { return r.Key == key })
	switch {
	case key == "":
		return 0
	case at < 0 && objects[key] != nil:
		return Hidden
	case at < 0:
		return Absent
	}
	return at
}

// TestFacets holds the counts against a scan, after all has come to rest.
func TestFacets(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		m, objects := newMaker(t), map[string]*object.Object{}
		v := New()
		v.SetShape(Shape{Columns: m.d.Columns(), Namespaced: true})
		q := randomQuery(r, 1)
		v.SetQuery(q)
		for range 40 {
			v.Apply(randomChanges(r, m, objects))
			v.Step(now)
		}
		_, counts := naive(t, m, objects, q)
		got := map[string]int{}
		facets := v.Facets(now)
		for _, fv := range facets[0].Values {
			if fv.Count > 0 {
				got[fv.Value] = fv.Count
			}
		}
		if !reflect.DeepEqual(got, counts) {
			t.Fatalf("seed %d, %+v: want %v, got %v", seed, q, counts, got)
		}
		rows, _ := naive(t, m, objects, q)
		for _, f := range facets[1:] {
			sum := 0
			for _, fv := range f.Values {
				sum += fv.Count
			}
			if sum != len(rows) {
				t.Fatalf("%s counts %d, there are %d", f.Name, sum, len(rows))
			}
		}
		total, columns, all := v.Rows(3, 1000, now)
		if want := rows[min(3, len(rows)):]; total != len(rows) || len(all) != len(want) || len(want) > 0 && !reflect.DeepEqual(all, want) || columns[0].Name != NamespaceColumn {
			t.Fatalf("rows: want %d, got %d of %d", len(want), len(all), total)
		}
	}
}

// TestTick shows that time alone changes what ages print, and nothing else.
func TestTick(t *testing.T) {
	m := newMaker(t)
	v := started([]*object.Object{m.make("a", "x", "Running", 1, 10*time.Second, "n", ""), m.make("a", "y", "Running", 1, time.Hour, "n", "")})
	v.SetShape(Shape{Columns: m.d.Columns(), Namespaced: true})
	v.SetQuery(Query{Limit: 10})
	p, _ := v.Step(now)
	if p.Rows[0].Cells[4] != "10s" || p.Rows[1].Cells[4] != "60m" {
		t.Fatalf("%+v", p.Rows)
	}
	if _, ok := v.Step(now); ok {
		t.Fatal("nothing changed")
	}
	p, ok := v.Step(now.Add(time.Second))
	if !ok || len(p.Rows) != 1 || p.Rows[0].Cells[4] != "11s" || !slices.Equal(p.Order, []int{-1, 1}) {
		t.Fatalf("%+v", p)
	}
}

// TestCreated selects objects by the second in which they were created, alone and with a filter.
func TestCreated(t *testing.T) {
	m := newMaker(t)
	v := started([]*object.Object{m.make("a", "x", "Running", 1, 10*time.Second, "n", ""), m.make("a", "y", "Running", 1, time.Hour, "n", "")})
	v.SetShape(Shape{Columns: m.d.Columns(), Namespaced: true})
	at := func(ago time.Duration) int64 { return now.Add(-ago).Unix() }
	for _, c := range []struct {
		q    Query
		want int
	}{
		{Query{}, 2},
		{Query{From: at(time.Hour)}, 2},
		{Query{From: at(time.Hour - time.Second)}, 1},
		{Query{Until: at(10 * time.Second)}, 1},
		{Query{Until: at(9 * time.Second)}, 2},
		{Query{From: at(time.Minute), Until: at(0), Text: "x"}, 1},
		{Query{From: at(time.Minute), Until: at(0), Text: "y"}, 0},
	} {
		c.q.Limit = 10
		v.SetQuery(c.q)
		if p, _ := v.Step(now); p.Total != c.want || p.Of != 2 {
			t.Errorf("%+v: %d of %d", c.q, p.Total, p.Of)
		}
	}
}

// TestProblem shows that a wrong query leaves the last good answer standing.
func TestProblem(t *testing.T) {
	m := newMaker(t)
	v := started([]*object.Object{m.make("a", "x", "Running", 1, 0, "n", `"app":"a"`), m.make("a", "y", "Running", 1, 0, "n", "")})
	v.SetShape(Shape{Columns: m.d.Columns(), Namespaced: true})
	v.SetQuery(Query{Limit: 10, Labels: "app=a"})
	v.Step(now)
	for labels, want := range map[string]string{"app in (": "the label selector: ", "a==b==c": "the label selector: "} {
		v.SetQuery(Query{Seq: 2, Limit: 10, Labels: labels})
		p, ok := v.Step(now)
		if !ok || p.Total != 1 || !strings.HasPrefix(p.Problems.Of(PartLabels).Text, want) || p.Problems[0].InForce != "app=a" {
			t.Errorf("%s: %+v", labels, p)
		}
	}
	v.SetQuery(Query{Seq: 3, Limit: 10, Sort: "Nonsense"})
	if p, _ := v.Step(now); p.Total != 2 || !strings.Contains(p.Problems.Of(PartSort).Text, "Nonsense") {
		t.Errorf("%+v", p)
	}
	v.SetQuery(Query{Seq: 4, Limit: 10})
	if p, ok := v.Step(now); !ok || len(p.Problems) > 0 || p.Seq != 4 {
		t.Errorf("%+v", p)
	}
}

// TestProblems holds that an error in one part of a query does not hide that in another, and that each says what
// applies instead of its part.
func TestProblems(t *testing.T) {
	m := newMaker(t)
	v := started([]*object.Object{m.make("a", "web", "Running", 1, 0, "n", `"app":"a"`), m.make("a", "db", "Running", 1, 0, "n", "")})
	v.SetShape(Shape{Columns: m.d.Columns(), Namespaced: true})
	for i, c := range []struct {
		q     Query
		total int
		want  []Problem
	}{
		{Query{Text: "cpu>500m", Sort: "CPU", Descending: true}, 2, []Problem{{Part: PartFilter, Text: "no field"}, {Part: PartSort, Text: "CPU"}}},
		{Query{Text: "web cpu>500m x:y", Labels: "app,b in ("}, 1, []Problem{{Part: PartFilter, Text: "no field", InForce: "web"}, {Part: PartLabels, Text: "label selector", InForce: "app"}}},
		{Query{Text: "api staus:Running", Group: "Bogus", Sort: ObjectsColumn, Descending: true}, 1, []Problem{{Part: PartFilter, Text: "no field", InForce: "web"}, {Part: PartGroup, Text: "Bogus"}}},
		{Query{Sum: "CPU", Columns: []string{"CPU", "Name", "Colour"}}, 2, []Problem{{Part: PartColumns, Text: `there is no column "CPU"; there is no column "Colour"`}, {Part: PartSum, Text: "CPU"}}},
		{Query{Group: "Node"}, 1, nil},
		{Query{Group: "Bogus"}, 1, []Problem{{Part: PartGroup, Text: "Bogus", InForce: "Node"}}},
	} {
		c.q.Seq, c.q.Limit = uint32(i+1), 10
		v.SetQuery(c.q)
		p, _ := v.Step(now)
		if !slices.EqualFunc(p.Problems, c.want, func(got, want Problem) bool {
			return got.Part == want.Part && strings.Contains(got.Text, want.Text) && strings.TrimSpace(got.InForce) == want.InForce
		}) || p.Total != c.total {
			t.Errorf("%+v: %d rows, %+v; want %+v", c.q, p.Total, p.Problems, c.want)
		}
		if v.SetQuery(c.q); len(p.Problems) > 0 {
			if again, _ := v.Step(now); !slices.Equal(again.Problems, p.Problems) {
				t.Errorf("%+v: %+v, then %+v", c.q, p.Problems, again.Problems)
			}
		}
	}
}

// TestAnchor shows that a row that must not move takes the window along.
func TestAnchor(t *testing.T) {
	m := newMaker(t)
	var list []*object.Object
	for i := range 30 {
		list = append(list, m.make("a", fmt.Sprintf("p-%d", 10+i), "Running", 1, 0, "n", ""))
	}
	v := started(list)
	v.SetShape(Shape{Columns: m.d.Columns(), Namespaced: true})
	v.SetQuery(Query{Limit: 5, Offset: 10, Anchor: "a/p-22"})
	p, _ := v.Step(now)
	w := Window{}.Apply(p)
	if w.Rows[2].Key != "a/p-22" {
		t.Fatalf("%+v", w.Rows)
	}
	for i := range 3 {
		v.Apply([]Change{{After: m.make("a", fmt.Sprintf("p-%d", i), "Running", 1, 0, "n", "")}})
	}
	p, ok := v.Step(now)
	w = w.Apply(p)
	if !ok || p.Above != 3 || p.Offset != 13 || w.Rows[2].Key != "a/p-22" || len(p.Rows) != 0 {
		t.Fatalf("%+v", p)
	}
	v.SetQuery(Query{Seq: 2, Limit: 5, Offset: 14, Anchor: "a/p-22"}) // the page scrolled on
	p, _ = v.Step(now)
	if w = w.Apply(p); p.Above != 0 || p.Offset != 14 || w.Rows[1].Key != "a/p-22" {
		t.Fatalf("%+v", p)
	}
}

// TestLocateAbout shows that the beginning of a key up to a colon locates the first row of an object
// that has several, and nothing else.
func TestLocateAbout(t *testing.T) {
	m := newMaker(t)
	var list []*object.Object
	for _, name := range []string{"pods:a:OOM", "pods:b:OOM", "pods:b:Unready", "pods:bc:OOM"} {
		list = append(list, m.make("ns-1", name, "Running", 1, 0, "n", ""))
	}
	v := started(list)
	v.SetShape(Shape{Columns: m.d.Columns(), Namespaced: true})
	for i, c := range []struct {
		locate, text string
		want         int
	}{
		{"ns-1/pods:b:", "", 1}, {"ns-1/pods:bc:", "", 3}, {"ns-1/pods:b:", "unready", Hidden}, {"ns-1/pods:b", "", Absent},
		{"ns-1/pods:c:", "", Absent}, {"ns-0/pods:b:", "", Absent}, {"ns-2/pods:b:", "", Absent},
	} {
		v.SetQuery(Query{Seq: uint32(i), Limit: 5, Locate: c.locate, Text: c.text})
		if p, _ := v.Step(now); p.Located != c.want {
			t.Errorf("%+v: %d", c, p.Located)
		}
	}
}

// TestDirty shows when there is something to do.
func TestDirty(t *testing.T) {
	m := newMaker(t)
	v := New()
	if v.Dirty() {
		t.Error("without columns there is nothing to show")
	}
	if _, ok := v.Step(now); ok {
		t.Error("a patch without columns")
	}
	v.SetShape(Shape{Columns: m.d.Columns(), Namespaced: true})
	v.SetQuery(Query{Limit: 5})
	if !v.Dirty() {
		t.Error("a query waits")
	}
	v.Step(now)
	if v.Dirty() {
		t.Error("answered, and dirty")
	}
	o := m.make("a", "x", "Running", 1, 0, "n", "")
	v.Apply([]Change{{After: o}})
	if !v.Dirty() {
		t.Error("a change waits")
	}
	v.Apply([]Change{{Before: o}})
	if p, ok := v.Step(now); ok && p.Total != 0 {
		t.Errorf("what came and went shows: %+v", p)
	}
}

// TestWaits shows how long a step would be for nothing: until the counts are due, unless it has rows to show.
func TestWaits(t *testing.T) {
	m := newMaker(t)
	x := m.make("a", "x", "Running", 1, 0, "n", "")
	v := started([]*object.Object{x})
	v.SetShape(Shape{Columns: m.d.Columns(), Namespaced: true})
	wants := func(when string, at time.Time, want time.Duration) {
		t.Helper()
		if got := v.Waits(at); got != want {
			t.Errorf("%s: %v, want %v", when, got, want)
		}
	}
	v.SetQuery(Query{Limit: 10})
	wants("a query waits", now, 0)
	v.Apply([]Change{{After: m.make("a", "w", "Running", 1, 0, "n", "")}})
	if p, _ := v.Step(now); len(p.Facets) == 0 {
		t.Fatal("the counts are not sent")
	}
	y := m.make("a", "y", "Pending", 1, 0, "n", "")
	v.Apply([]Change{{After: y}})
	wants("a row waits", now.Add(time.Millisecond), 0)
	if p, _ := v.Step(now.Add(time.Millisecond)); len(p.Facets) > 0 || !v.Dirty() {
		t.Fatal("the counts are sent, or do not wait")
	}
	wants("only the counts wait", now.Add(100*time.Millisecond), facetsEvery-100*time.Millisecond)
	wants("they are due", now.Add(facetsEvery), 0)
	v.Hurry()
	wants("in a hurry", now.Add(time.Millisecond), 0)
}

// TestArrange holds the fast order of many objects against the plain one, for
// every column and both ways.
func TestArrange(t *testing.T) {
	for _, mixed := range []bool{false, true} {
		m := newMaker(t)
		m.mixed = mixed
		arranges(t, m)
	}
}

func arranges(t *testing.T, m *maker) {
	r := rand.New(rand.NewPCG(5, 5))
	var all []*object.Object
	for i := range 4000 {
		all = append(all, m.random(r, fmt.Sprintf("ns-%d", r.IntN(9)), fmt.Sprintf("web-%d-%d", r.IntN(2500), i%2)))
	}
	slices.SortFunc(all, func(a, b *object.Object) int { return strings.Compare(a.Key(), b.Key()) })
	all = slices.CompactFunc(all, func(a, b *object.Object) bool { return a.Key() == b.Key() })
	base := order{column: -1}
	slices.SortFunc(all, base.compare)
	var table columns.Table
	var slotsByKey []uint32
	for _, o := range all {
		slotsByKey = append(slotsByKey, table.Add(o))
	}
	kept := newTexts(&table, Shape{Columns: m.d.Columns(), Namespaced: true}, new(columns.Dictionaries))
	for column := range len(m.d.Columns()) {
		for _, descending := range []bool{false, true} {
			for _, then := range []*order{nil, {columns: m.d.Columns(), column: (column + 1) % len(m.d.Columns())}} {
				o := order{columns: m.d.Columns(), column: column, descending: descending, then: then}
				want := slices.Clone(all)
				slices.SortFunc(want, o.compare)
				l := columns.List{Table: &table, Compare: o.compare}
				o.begin(&l, slices.Clone(slotsByKey), kept)
				for _, offset := range []int{0, 30, 1200, 0, len(all) - 30} { // it is sorted as far as somebody looks
					if got := l.Objects(offset, 30); !slices.Equal(got, want[offset:offset+30]) {
						t.Errorf("column %d, descending %v, then %v: another order from %d on", column, descending, then, offset)
					}
				}
				if got := l.Objects(0, len(all)); !slices.Equal(got, want) {
					t.Errorf("column %d, descending %v, then %v: another order", column, descending, then)
				}
			}
		}
	}
}

// TestThenBy orders problems of the same severity by when they began, latest first, whichever severity
// comes first.
func TestThenBy(t *testing.T) {
	columns := []object.Column{{Name: "Name"}, {Name: "Severity"}, {Name: "Since", Kind: object.AgeCell}}
	for _, descending := range []bool{false, true} {
		o, ok := newOrder(columns, "Severity", descending)
		if !ok || o.column != 1 || o.descending != descending || o.then == nil || o.then.column != 2 || o.then.descending {
			t.Errorf("%+v", o)
		}
	}
	for _, other := range []string{"Since", "Name", ""} {
		if o, _ := newOrder(columns, other, false); o.then != nil {
			t.Errorf("%s: %+v", other, o.then)
		}
	}
	if o, _ := newOrder(columns[:2], "Severity", false); o.then != nil {
		t.Errorf("without Since: %+v", o.then)
	}
}

// TestShown shows that what is in the window keeps its packed bytes, for as long as
// it is, while others that came later lose theirs.
func TestShown(t *testing.T) {
	m := makerThat(t, true)
	budget := object.NewBudget(10_000)
	v := New()
	v.SetShape(Shape{Columns: m.d.Columns(), Namespaced: true})
	v.SetQuery(Query{Limit: 2})
	var all []*object.Object
	for i := range 300 {
		o := m.make("a", fmt.Sprintf("web-%03d", i), "Running", 1, time.Hour, "n", "")
		all = append(all, o)
		budget.Keep(o)
		v.Apply([]Change{{After: o}})
		v.Step(now)
	}
	if _, kept, dropped := budget.Used(); kept < 10 || dropped < 200 {
		t.Fatal(kept, dropped)
	}
	for i, o := range all[:100] {
		if inWindow := i < 2; (o.Packed() != nil) != inWindow {
			t.Errorf("%s has its bytes: %v", o.Name(), !inWindow)
		}
	}
}

// many is how many objects the benchmarks ask.
var many = flag.Int("objects", 100_000, "how many objects the benchmarks ask")

func benchmarked(b *testing.B) (*maker, *View) {
	m := newMaker(b)
	r := rand.New(rand.NewPCG(1, 1))
	list := make([]*object.Object, *many)
	for i := range list {
		list[i] = m.random(r, fmt.Sprintf("team-%02d", i%40), fmt.Sprintf("service-%d-%x-%d", i%300, r.Uint32(), i))
	}
	v := started(list)
	v.SetShape(Shape{Columns: m.d.Columns(), Namespaced: true})
	v.SetQuery(Query{Limit: 50})
	v.Step(now)
	return m, v
}

func BenchmarkFilter(b *testing.B) {
	_, v := benchmarked(b)
	words := []string{"crash", "service-7", "ff", "nothing-at-all"}
	for i := 0; b.Loop(); i++ {
		v.SetQuery(Query{Seq: uint32(i), Limit: 50, Text: words[i%len(words)]})
		v.Step(now)
	}
}

func BenchmarkFacet(b *testing.B) {
	_, v := benchmarked(b)
	for _, text := range []string{"", "status:Running", "!status:Running", "ns:team-07", "!node:n1", "owner:web"} {
		b.Run(text, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				v.SetQuery(Query{Seq: uint32(i), Limit: 50, Text: "nothing"})
				v.choose()
				v.SetQuery(Query{Seq: uint32(i), Limit: 50, Text: text})
				begin := time.Now()
				v.choose()
				b.ReportMetric(float64(time.Since(begin).Milliseconds()), "ms/choose")
			}
		})
	}
}

func BenchmarkSort(b *testing.B) {
	_, v := benchmarked(b)
	for _, column := range []string{"Name", "Age", "Count", "Status", ""} {
		b.Run(column, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				v.SetQuery(Query{Seq: uint32(i), Limit: 50, Sort: column, Descending: i%2 == 0})
				v.Step(now)
			}
		})
	}
}

func BenchmarkChurn(b *testing.B) {
	m, v := benchmarked(b)
	r := rand.New(rand.NewPCG(2, 2))
	var before *object.Object
	for b.Loop() {
		after := m.random(r, "team-07", "service-churn")
		v.Apply([]Change{{Before: before, After: after}})
		v.Step(now)
		before = after
	}
}

// TestPaused shows that what changes waits while the view is paused, and is counted,
// and that the view can be asked other things meanwhile.
func TestPaused(t *testing.T) {
	m := newMaker(t)
	x, y := m.make("a", "x", "Running", 1, 0, "n", ""), m.make("a", "y", "Running", 1, 0, "n", "")
	v := started([]*object.Object{x, y})
	v.SetShape(Shape{Columns: m.d.Columns(), Namespaced: true})
	v.SetQuery(Query{Limit: 10, Paused: true})
	w := Window{}
	step := func() {
		t.Helper()
		p, ok := v.Step(now)
		if !ok {
			t.Fatal("nothing to do")
		}
		w = w.Apply(p)
		if v.Dirty() {
			t.Error("there is more to do")
		}
	}
	step()
	paused := v.Generation()
	crashed := m.make("a", "x", "Crashed", 2, 0, "n", "")
	v.Apply([]Change{{Before: x, After: crashed}, {After: m.make("b", "z", "Running", 1, 0, "n", "")}})
	step()
	if w.Waiting != 2 || w.Of != 2 || w.Rows[0].Cells[2] != "Running" || v.Generation() != paused {
		t.Errorf("%+v", w)
	}
	v.Apply([]Change{{Before: crashed, After: m.make("a", "x", "Gone", 3, 0, "n", "")}})
	if v.Dirty() {
		t.Error("the same object waits twice")
	}
	v.SetQuery(Query{Limit: 10, Text: "y", Paused: true})
	step()
	if w.Waiting != 2 || w.Total != 1 || w.Of != 2 {
		t.Errorf("%+v", w)
	}
	v.SetQuery(Query{Limit: 10})
	step()
	if w.Waiting != 0 || w.Of != 3 || w.Rows[0].Cells[2] != "Gone" {
		t.Errorf("%+v", w)
	}
	whole := v.Generation()
	v.Apply([]Change{{After: m.make("b", "zz", "Running", 1, 0, "n", "")}})
	if v.Step(now); v.Generation() == whole {
		t.Error("rows from before and after a change have one generation")
	}
}

// TestSharedTexts checks that views which share texts have each their own rows and counts, also when one of them ends.
func TestSharedTexts(t *testing.T) {
	m, shared := newMaker(t), new(columns.Dictionaries)
	begin := func(objects ...*object.Object) *View {
		v := NewSharing(shared)
		v.SetShape(Shape{Columns: m.d.Columns(), Namespaced: true})
		v.SetQuery(Query{Limit: 10})
		v.Start(objects)
		v.Step(now)
		return v
	}
	counts := func(v *View, want string) {
		t.Helper()
		for _, f := range v.Facets(now) {
			if got := fmt.Sprint(f.Values); f.Name == "Status" && got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
	}
	running, pending := m.make("a", "x", "Running", 1, 0, "n", ""), m.make("a", "y", "Pending", 1, 0, "n", "")
	one, two := begin(running), begin(running, pending)
	counts(one, "[{Running 1  0}]")
	counts(two, "[{Pending 1  0} {Running 1  0}]")
	two.End()
	one.Apply([]Change{{After: m.make("a", "z", "Failed", 1, 0, "n", "")}})
	counts(one, "[{Failed 1  0} {Running 1  0}]")
	if total, columns, _ := two.Rows(0, 10, now); total != 0 || columns != nil {
		t.Error("a view that has ended has rows")
	}
}
