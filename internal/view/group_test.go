package view

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"watchglass/internal/object"
)

// summedShape is derivedShape with a derived column that can be summed, and with states.
func summedShape(m *maker) Shape {
	s := derivedShape(m)
	at := slices.IndexFunc(s.Columns, func(c object.Column) bool { return c.Name == "Sum" })
	s.Columns[at], s.Kind = s.Columns[at].In(object.Number), "Thing"
	return s
}

// naiveSum sums a column of some objects by their printed cells.
func naiveSum(objects []*object.Object, value func(o *object.Object) (int, bool)) string {
	sum, known := 0, 0
	for _, o := range objects {
		if n, ok := value(o); ok {
			sum, known = sum+n, known+1
		}
	}
	switch known {
	case 0:
		return ""
	case len(objects):
		return strconv.Itoa(sum)
	}
	return fmt.Sprintf("%d (%d of %d)", sum, known, len(objects))
}

// grouper groups objects by scanning all there are.
type grouper struct {
	shape  Shape
	values joinedNumbers // of the derived column
}

// measure returns how a column's cells are read.
func (g grouper) measure(name string) func(o *object.Object) (int, bool) {
	at := slices.IndexFunc(g.shape.Columns, func(c object.Column) bool { return c.Name == name })
	return func(o *object.Object) (int, bool) {
		if name == "Sum" {
			n, ok := g.values[o.Key()]
			return n, ok
		}
		n, err := strconv.Atoi(o.Cell(g.shape.Columns, at).Text)
		return n, err == nil
	}
}

// of returns the value of a facet that an object has.
func (g grouper) of(facet string, o *object.Object) string {
	if facet == NamespaceColumn {
		return o.Namespace()
	}
	if facet == OwnerFacet {
		return ""
	}
	at := slices.IndexFunc(g.shape.Columns, func(c object.Column) bool { return c.Name == facet })
	return o.Cell(g.shape.Columns, at).Text
}

// rows returns the groups of objects, sorted by value.
func (g grouper) rows(objects []*object.Object, facet string, columns []string) (rows []Row) {
	groups := make(map[string][]*object.Object)
	for _, o := range objects {
		groups[g.of(facet, o)] = append(groups[g.of(facet, o)], o)
	}
	for value, all := range groups {
		row := Row{Key: "/" + value, Cells: []string{value}}
		if value == "" {
			row.Cells[0] = NoValue
		}
		unhealthy := 0
		for _, o := range all {
			if g.of("Status", o) == "CrashLoopBackOff" {
				unhealthy++
			}
		}
		row.Cells = append(row.Cells, strconv.Itoa(len(all)), strconv.Itoa(unhealthy))
		for _, c := range columns {
			row.Cells = append(row.Cells, naiveSum(all, g.measure(c)))
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b Row) int { return slices.Compare([]string{a.Key}, []string{b.Key}) })
	return rows
}

// sortRows sorts groups by a column, those that are not known last.
func sortRows(rows []Row, column int, descending bool) {
	slices.SortStableFunc(rows, func(a, b Row) int {
		x, y := a.Cells[column], b.Cells[column]
		if column == 0 {
			if descending {
				x, y = y, x
			}
			return slices.Compare([]string{x}, []string{y})
		}
		n, known := leading(x)
		m, other := leading(y)
		switch {
		case known != other && known:
			return -1
		case known != other:
			return 1
		case descending:
			return m - n
		}
		return n - m
	})
}

// leading returns the number that a text begins with.
func leading(text string) (n int, ok bool) {
	count, _ := fmt.Sscan(text, &n)
	return n, count == 1
}

// groupQuery is a random query of a grouped list, with the columns that are summed.
func groupQuery(r *rand.Rand, seq uint32) (q Query, columns []string, sort int) {
	q = Query{Seq: seq, Limit: 1 + r.IntN(5), Offset: r.IntN(4), Group: []string{"Status", "Node", NamespaceColumn, OwnerFacet}[r.IntN(4)], Extra: r.IntN(2) == 0}
	q.Text = filters[r.IntN(len(filters))]
	q.Sum = []string{"", "Count", "Sum"}[r.IntN(3)]
	columns = []string{"Count"}
	if q.Extra {
		columns = append(columns, "Sum")
	}
	if r.IntN(4) == 0 {
		q.Columns, columns = []string{"Sum", "Name"}, []string{"Sum"}
	}
	all := slices.Concat([]string{q.Group, ObjectsColumn, UnhealthyColumn}, columns)
	sort = r.IntN(len(all))
	q.Sort, q.Descending = all[sort], r.IntN(2) == 0
	if r.IntN(4) == 0 {
		q.Sort, q.Descending = "", false
	}
	if r.IntN(2) == 0 {
		q.Locate = "/" + []string{"n1", "Running", "ns", "no such value"}[r.IntN(4)]
	}
	return q, columns, sort
}

// TestGroupsModel changes objects, derived values and queries at random, and compares the groups, and
// the sums of the facets, with those counted by a scan.
func TestGroupsModel(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 7))
		m, objects := newMaker(t), map[string]*object.Object{}
		m.mixed = seed%3 == 0
		g := grouper{summedShape(m), joinedNumbers{}}
		v := New()
		v.SetShape(g.shape)
		v.Join(g.values)
		q, columns, sort := groupQuery(r, 1)
		v.SetQuery(q)
		var w Window
		for step := range 80 {
			switch r.IntN(5) {
			case 0:
				q, columns, sort = groupQuery(r, uint32(step+2))
				v.SetQuery(q)
			case 1:
				key := fmt.Sprintf("%s/web-%d", namespaces[r.IntN(4)], r.IntN(60))
				if g.values[key] = r.IntN(10); r.IntN(5) == 0 {
					delete(g.values, key)
				}
				v.Touch(key)
			default:
				v.Apply(randomChanges(r, m, objects))
			}
			if r.IntN(3) == 0 {
				continue // changes pile up
			}
			if p, ok := v.Step(now); ok {
				w = w.Apply(p)
			}
			matched := matching(m, g, objects, q)
			rows := g.rows(matched, q.Group, columns)
			if q.Sort == "" {
				sortRows(rows, 1, true)
			} else {
				sortRows(rows, sort, q.Descending)
			}
			compareGroups(t, fmt.Sprintf("seed %d, step %d, %+v", seed, step, q), w, rows, len(matched), q)
			if step%8 == 0 {
				compareSums(t, m, g, objects, v, q)
			}
		}
	}
}

// matching returns the objects that a query leaves, by a view without groups.
func matching(m *maker, g grouper, objects map[string]*object.Object, q Query) (out []*object.Object) {
	v := New()
	for _, o := range objects {
		v.Apply([]Change{{After: o}})
	}
	v.SetShape(g.shape)
	v.Join(g.values)
	v.SetQuery(Query{Text: q.Text, Namespaces: q.Namespaces})
	_, _, rows := v.Rows(0, len(objects), now)
	for _, row := range rows {
		out = append(out, objects[row.Key])
	}
	return out
}

func compareGroups(t *testing.T, at string, w Window, rows []Row, matched int, q Query) {
	t.Helper()
	if w.Group != q.Group || w.Total != len(rows) || w.Matched != matched || len(w.Problems) > 0 {
		t.Fatalf("%s: %d groups by %q of %d, want %d of %d; %v", at, w.Total, w.Group, w.Matched, len(rows), matched, w.Problems)
	}
	offset := min(q.Offset, len(rows))
	want := rows[offset:min(offset+q.Limit, len(rows))]
	if len(want) != len(w.Rows) || len(want) > 0 && !reflect.DeepEqual(w.Rows, want) {
		t.Fatalf("%s:\nwant %v\ngot  %v", at, want, w.Rows)
	}
	located := slices.IndexFunc(rows, func(r Row) bool { return r.Key == q.Locate })
	if located < 0 {
		located = Absent
	}
	if q.Locate == "" {
		located = 0
	}
	if w.Located != located {
		t.Fatalf("%s: located at %d, want %d", at, w.Located, located)
	}
}

// compareSums compares the sums of the facets with those of the objects that a click leaves.
func compareSums(t *testing.T, m *maker, g grouper, objects map[string]*object.Object, v *View, q Query) {
	t.Helper()
	for _, f := range v.Facets(now) {
		if f.Name != "Status" && f.Name != "Node" {
			continue
		}
		for _, value := range f.Values {
			want := ""
			if q.Sum != "" && value.Count > 0 {
				want = naiveSum(matching(m, g, objects, Query{Text: Include(q.Text, f.Name, value.Value)}), g.measure(q.Sum))
			}
			if value.Sum != want {
				t.Fatalf("%+v: %s %q sums to %q, want %q", q, f.Name, value.Value, value.Sum, want)
			}
		}
	}
}

// TestGroupNarrows checks that the filter of a group leaves as many objects as the group says.
func TestGroupNarrows(t *testing.T) {
	m := newMaker(t)
	v := started([]*object.Object{m.make("a", "x", "Running", 1, 0, "n1", ""), m.make("a", "y", "Pending", 2, 0, "n1", ""), m.make("b", "z", "Running", 3, 0, "", "")})
	v.SetShape(summedShape(m))
	for i, text := range []string{"", "node:n1,n2", "!node:n2", "x or y or z", "status:Running"} {
		v.SetQuery(Query{Seq: uint32(2 * i), Limit: 9, Text: text, Group: "Node"})
		p, _ := v.Step(now)
		w := Window{}.Apply(p)
		total, _, rows := v.Rows(0, 9, now)
		if total != w.Total || len(rows) == 0 {
			t.Fatal(rows)
		}
		for _, row := range rows {
			v.SetQuery(Query{Seq: uint32(2*i + 1), Limit: 9, Text: Include(text, "Node", row.Key[1:])})
			if n, _, _ := v.Rows(0, 0, now); strconv.Itoa(n) != row.Cells[1] {
				t.Errorf("%q: %q has %s, and leaves %d", text, row.Key, row.Cells[1], n)
			}
		}
	}
}

// TestGroupProblems checks what is said of a group, an order and a sum that there are not, and what
// stays in force.
func TestGroupProblems(t *testing.T) {
	m := newMaker(t)
	v := started([]*object.Object{m.make("a", "x", "Running", 1, 0, "n1", "")})
	v.SetShape(summedShape(m))
	for i, c := range []struct {
		q     Query
		part  Part
		group string
	}{
		{Query{Group: "Bogus"}, PartGroup, ""},
		{Query{Group: "Node", Sort: "Age"}, PartSort, "Node"},
		{Query{Group: "Node", Sum: "Status"}, PartSum, "Node"},
		{Query{Group: "Bogus"}, PartGroup, "Node"},
		{Query{Sum: "Age"}, PartSum, ""},
	} {
		c.q.Seq, c.q.Limit = uint32(i+1), 5
		v.SetQuery(c.q)
		if p, _ := v.Step(now); p.Problems.Of(c.part).Text == "" || len(p.Problems) != 1 || p.Group != c.group || p.Total != 1 {
			t.Errorf("%+v: %+v", c.q, p)
		}
	}
	v.SetQuery(Query{Seq: 9, Limit: 5, Sort: "Count"})
	if p, _ := v.Step(now); len(p.Problems) > 0 || p.Group != "" || len(v.Sent()) != 1 {
		t.Errorf("%+v", p)
	}
}

// TestGroupPaused checks that a paused list can be grouped, as of when it was paused, and that a group
// keeps its place while its numbers change.
func TestGroupPaused(t *testing.T) {
	m := newMaker(t)
	x := m.make("a", "x", "Running", 1, 0, "n1", "")
	v := started([]*object.Object{x})
	v.SetShape(summedShape(m))
	v.SetQuery(Query{Seq: 1, Limit: 5})
	v.Step(now)
	v.SetQuery(Query{Seq: 2, Limit: 5, Paused: true, Group: "Node"})
	y := m.make("a", "y", "Running", 1, 0, "n2", "")
	v.Apply([]Change{{After: y}})
	w := Window{}
	p, _ := v.Step(now)
	if w = w.Apply(p); w.Total != 1 || w.Waiting != 1 || w.Rows[0].Key != "/n1" {
		t.Fatalf("%+v", w)
	}
	v.SetQuery(Query{Seq: 3, Limit: 5, Group: "Node", Anchor: "/n1"})
	p, _ = v.Step(now)
	if w = w.Apply(p); w.Total != 2 || len(p.Rows) != 1 {
		t.Fatalf("%+v", p)
	}
	before := w.Rows[0]
	v.Apply([]Change{{Before: y}, {After: m.make("a", "z", "Running", 1, 0, "n3", "")}})
	p, _ = v.Step(now)
	if w = w.Apply(p); w.Total != 2 || !reflect.DeepEqual(w.Rows[0], before) || w.Rows[1].Key != "/n3" {
		t.Fatalf("%+v", w)
	}
}

// TestGapsGrouped checks that a gap is told of the sums of its column, whatever their place among the groups' columns,
// and of nothing else.
func TestGapsGrouped(t *testing.T) {
	m := newMaker(t)
	for _, number := range []int{0, 1, 2, 3, 9} {
		shape := summedShape(m)
		at := slices.IndexFunc(shape.Columns, func(c object.Column) bool { return c.Name == "Sum" })
		shape.Columns[at] = object.DerivedColumn("Sum", 1, number).In(object.Number)
		v := started([]*object.Object{m.make("a", "x", "Running", 1, 0, "n", "")})
		v.SetShape(shape)
		v.SetGaps(map[int]Gap{number: {State: "stale"}})
		v.SetQuery(Query{Limit: 5, Group: "Status", Columns: []string{AllColumns, "Count", "Sum"}})
		p, _ := v.Step(now)
		for _, c := range p.Columns {
			if want := c.Name == "Sum"; (c.Gap != Gap{}) != want {
				t.Errorf("derived column %d, with a gap: %s has %+v", number, c.Name, c.Gap)
			}
		}
		if len(p.Columns) != 5 {
			t.Errorf("columns: %+v", p.Columns)
		}
	}
}

// TestGroupLarge sums numbers that are too large to be part of a class, of objects that are otherwise alike.
func TestGroupLarge(t *testing.T) {
	m := newMaker(t)
	var objects []*object.Object
	for i, n := range []int{70_000, 80_000, 5, 5} {
		objects = append(objects, m.make("a", fmt.Sprint("x", i), "Running", n, time.Hour, "n", ""))
	}
	v := started(objects)
	v.SetShape(summedShape(m))
	for seq, group := range []string{"Status", "Node", ""} {
		v.SetQuery(Query{Seq: uint32(seq), Limit: 5, Group: group})
		if p, _ := v.Step(now); group != "" && (len(p.Rows) != 1 || !slices.Contains(p.Rows[0].Cells, "150010")) {
			t.Errorf("%s: %+v", group, p.Rows)
		}
	}
}

// benchmarkObjects are many objects on a thousand nodes.
func benchmarkObjects(b *testing.B, n int) (*maker, []*object.Object) {
	m := newMaker(b)
	objects := make([]*object.Object, n)
	for i := range objects {
		objects[i] = m.make(fmt.Sprint("ns-", i%200), fmt.Sprint("web-", i), []string{"Running", "Pending"}[i%2], i%7, time.Hour, fmt.Sprint("node-", i%1000), "")
	}
	return m, objects
}

// BenchmarkGroup measures how long it takes to group 100,000 objects, and a change of one of them.
func BenchmarkGroup(b *testing.B) {
	m, objects := benchmarkObjects(b, 100_000)
	v := started(slices.Clone(objects))
	v.SetShape(summedShape(m))
	seq := uint32(0)
	ask := func(group string) {
		seq++
		v.SetQuery(Query{Seq: seq, Limit: 40, Group: group})
		v.Step(now)
	}
	ask("")
	b.Run("node", func(b *testing.B) {
		for b.Loop() {
			ask("Node")
			b.StopTimer()
			ask("")
			b.StartTimer()
		}
	})
	b.Run("namespace", func(b *testing.B) {
		for b.Loop() {
			ask(NamespaceColumn)
			b.StopTimer()
			ask("")
			b.StartTimer()
		}
	})
	b.Run("filter", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			seq++
			v.SetQuery(Query{Seq: seq, Limit: 40, Text: []string{"web-1", "web-2"}[i%2]})
			v.Step(now)
		}
	})
	b.Run("change", func(b *testing.B) {
		ask("Node")
		for i := 0; b.Loop(); i++ {
			o := objects[i%len(objects)]
			v.Apply([]Change{{o, o}})
			v.Step(now)
		}
	})
}
