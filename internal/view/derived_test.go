package view

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"watchglass/internal/object"
)

// joinedNumbers computes derived cells from numbers by key.
type joinedNumbers map[string]int

func (j joinedNumbers) Cells(o *object.Object) []object.Cell {
	n, ok := j[o.Key()]
	if !ok {
		return []object.Cell{{Kind: object.AmountCell, Text: "…", Unknown: true}}
	}
	return []object.Cell{{Kind: object.AmountCell, Text: fmt.Sprintf("%d (%d%%)", n, 10*n), Amount: float64(n)}}
}

// derivedShape inserts a derived column before the last column.
func derivedShape(m *maker) Shape {
	columns := slices.Clone(m.d.Columns())
	return Shape{Columns: slices.Insert(columns, len(columns)-1, object.DerivedColumn("Sum", 1, 0)), Namespaced: true}
}

// TestDerivedModel changes objects and derived values at random, and compares the view with one
// that is made anew from the same objects and values.
func TestDerivedModel(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 3))
		m, objects, values := newMaker(t), map[string]*object.Object{}, joinedNumbers{}
		v, joined := New(), false
		v.SetShape(derivedShape(m))
		q := Query{Limit: 10, Extra: true}
		v.SetQuery(q)
		var w Window
		for step := range 100 {
			switch r.IntN(6) {
			case 0:
				q = randomQuery(r, uint32(step))
				q.Extra, q.Sort = r.IntN(2) == 0, []string{"", "Sum", "Sum", "Count"}[r.IntN(4)]
				q.Text = []string{"", "sum>4", "sum:3 or n1", "!sum<7", "web-1"}[r.IntN(5)]
				v.SetQuery(q)
			case 1:
				if r.IntN(4) > 0 {
					break
				}
				if joined = !joined; joined {
					v.Join(values)
				} else {
					v.Join(nil)
				}
			case 2, 3:
				for range r.IntN(5) {
					key := fmt.Sprintf("%s/web-%d", namespaces[r.IntN(4)], r.IntN(60))
					if values[key] = r.IntN(10); r.IntN(5) == 0 {
						delete(values, key)
					}
					v.Touch(key)
				}
			default:
				v.Apply(randomChanges(r, m, objects))
			}
			if r.IntN(3) == 0 {
				continue // changes pile up
			}
			if p, ok := v.Step(now); ok {
				w = w.Apply(p)
			}
			fresh := New()
			for _, o := range objects {
				fresh.Apply([]Change{{After: o}})
			}
			if joined {
				fresh.Join(values)
			}
			fresh.SetShape(derivedShape(m))
			fresh.SetQuery(q)
			p, _ := fresh.Step(now)
			want := Window{}.Apply(p)
			if !slices.EqualFunc(w.Rows, want.Rows, func(a, b Row) bool { return a.Key == b.Key && a.equal(b) }) || w.Total != want.Total || w.Of != want.Of {
				t.Fatalf("seed %d, step %d, %+v:\n%+v\nwant\n%+v", seed, step, q, w.Rows, want.Rows)
			}
			got, wanted := v.Facets(now), fresh.Facets(now)
			if fmt.Sprint(got) != fmt.Sprint(wanted) {
				t.Fatalf("seed %d, step %d: %v, want %v", seed, step, got, wanted)
			}
		}
	}
}

// TestDerivedUnknown checks that objects without a number come last in either direction.
func TestDerivedUnknown(t *testing.T) {
	m, values := newMaker(t), joinedNumbers{"a/x": 1, "a/y": 2}
	for _, descending := range []bool{false, true} {
		v := New()
		v.SetShape(derivedShape(m))
		for _, name := range []string{"w", "x", "y", "z"} {
			v.Apply([]Change{{After: m.make("a", name, "Running", 1, 0, "n", "")}})
		}
		v.Join(values)
		v.SetQuery(Query{Limit: 5, Sort: "Sum", Descending: descending})
		p, _ := v.Step(now)
		var keys []string
		for _, r := range p.Rows {
			keys = append(keys, r.Key)
		}
		want := []string{"a/x", "a/y", "a/w", "a/z"}
		if descending {
			want = []string{"a/y", "a/x", "a/w", "a/z"}
		}
		if !slices.Equal(keys, want) {
			t.Errorf("descending %v: %q", descending, keys)
		}
	}
}

// TestDerives checks when the derived cells are needed.
func TestDerives(t *testing.T) {
	m := newMaker(t)
	for _, c := range []struct {
		q    Query
		want bool
	}{
		{Query{}, false},
		{Query{Wide: true}, false},
		{Query{Extra: true}, true},
		{Query{Columns: []string{"Name", "Sum"}}, true},
		{Query{Sort: "Sum"}, true},
		{Query{Text: "count>1 sum"}, false},
		{Query{Text: "a or !(b sum>1)"}, true},
		{Query{Text: "sum:5"}, true},
		{Query{Text: "sum!=5"}, true},
	} {
		v := New()
		v.SetShape(derivedShape(m))
		if v.SetQuery(c.q); v.Derives(func(n int) bool { return n == 0 }) != c.want || v.Derives(func(n int) bool { return n > 0 }) {
			t.Errorf("%+v: %v", c.q, !c.want)
		}
	}
}

// TestDerivedPaused checks that a paused view keeps its derived cells, and that their note is
// on the column.
func TestDerivedPaused(t *testing.T) {
	m, values := newMaker(t), joinedNumbers{"a/x": 1}
	v := New()
	v.SetShape(derivedShape(m))
	v.Apply([]Change{{After: m.make("a", "x", "Running", 1, 0, "n", "")}})
	v.Join(values)
	q := Query{Limit: 5, Columns: []string{"Sum"}}
	v.SetQuery(q)
	var w Window
	step := func() string {
		if p, ok := v.Step(now); ok {
			w = w.Apply(p)
		}
		return strings.TrimSpace(fmt.Sprintln(w.Rows[0].Cells, w.Waiting, w.Columns[0].Gap.State))
	}
	if got := step(); got != "[1 (10%)] 0" {
		t.Error(got)
	}
	q.Paused = true
	v.SetQuery(q)
	values["a/x"] = 2
	v.Touch("a/x")
	if got := step(); got != "[1 (10%)] 0" {
		t.Error(got)
	}
	if v.Dirty() {
		t.Error("a paused view has work to do")
	}
	q.Paused = false
	v.SetQuery(q)
	v.SetGaps(map[int]Gap{0: {State: "stale"}})
	if got := step(); got != "[2 (20%)] 0 stale" {
		t.Error(got)
	}
	if sent := v.Sent(); len(sent) != 1 || sent[0].DerivedCells() != nil {
		t.Error("a copy left the view")
	}
}

// TestGapSummed checks that the page hears of the gap of a column that is summed and not shown, and of its end.
func TestGapSummed(t *testing.T) {
	m := newMaker(t)
	v := New()
	v.SetShape(derivedShape(m))
	v.Apply([]Change{{After: m.make("a", "x", "Running", 1, 0, "n", "")}})
	v.Join(joinedNumbers{"a/x": 1})
	v.SetQuery(Query{Limit: 5, Columns: []string{"Name"}, Sum: "Sum"})
	var w Window
	for _, state := range []string{"", "stale", ""} {
		v.SetGaps(map[int]Gap{0: {State: state}})
		if p, ok := v.Step(now); ok {
			w = w.Apply(p)
		}
		at := slices.IndexFunc(w.Known, func(c Column) bool { return c.Name == "Sum" })
		if got := w.Known[at].Gap.State; got != state || len(w.Rows) != 1 || len(w.Columns) != 1 {
			t.Errorf("%q: the page has %q, and %+v", state, got, w)
		}
	}
}

// TestNamespacesOfNone checks that chosen namespaces select nothing among objects that have none.
func TestNamespacesOfNone(t *testing.T) {
	m := newMaker(t)
	for namespaced, want := range map[bool]int{true: 0, false: 1} {
		v := New()
		v.Start([]*object.Object{m.make("", "x", "Running", 1, 0, "n", "")})
		v.SetShape(Shape{Columns: m.d.Columns(), Namespaced: namespaced})
		v.SetQuery(Query{Limit: 5, Namespaces: []string{"a"}})
		if p, _ := v.Step(now); p.Total != want {
			t.Errorf("namespaced %t: %d rows", namespaced, p.Total)
		}
	}
}
