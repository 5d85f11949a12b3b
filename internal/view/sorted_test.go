package view

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"watchglass/internal/object"
)

// TestSortedAsFar asks a long list, of which only a part has been sorted, for windows anywhere, for rows by key, and for other
// filters and orders, while objects come, change and go. It compares with a sort of all.
func TestSortedAsFar(t *testing.T) {
	r, m := rand.New(rand.NewPCG(8, 1)), newMaker(t)
	columns := m.d.Columns()
	store := make(map[string]*object.Object)
	random := func() *object.Object { return m.random(r, namespaces[r.IntN(3)], fmt.Sprint("web-", r.IntN(2000))) }
	for range 5000 {
		o := random()
		store[o.Key()] = o
	}
	v := New()
	v.Start(objectsOf(store))
	v.SetShape(Shape{Columns: columns, Namespaced: true})
	w, q := Window{}, Query{}
	for round := range 400 {
		if q.Seq++; round%8 == 0 {
			q = Query{Seq: q.Seq, Sort: []string{"", "Name", "Age", "Count", "Status", NamespaceColumn}[r.IntN(6)], Descending: r.IntN(2) == 0, Text: []string{"", "", "status:running", "web-1"}[r.IntN(4)]}
			w = Window{}
		}
		q.Offset, q.Limit, q.Locate = []int{0, 0, r.IntN(100), r.IntN(5000)}[r.IntN(4)], 1+r.IntN(60), ""
		var located *object.Object
		if r.IntN(4) == 0 {
			located = objectsOf(store)[r.IntN(len(store))]
			q.Locate = located.Key()
		}
		v.SetQuery(q)
		for range r.IntN(30) {
			c := Change{After: random()}
			if c.Before = store[c.After.Key()]; c.Before != nil && r.IntN(2) == 0 {
				delete(store, c.Before.Key())
				c.After = nil
			} else {
				store[c.After.Key()] = c.After
			}
			v.Apply([]Change{c})
		}
		if located != nil && store[located.Key()] == nil {
			located = nil
		}
		p, _ := v.StepAt(now.Add(time.Duration(round)*time.Second), now)
		w = w.Apply(p)
		o, _ := newOrder(columns, q.Sort, q.Descending)
		var want []*object.Object
		for _, one := range objectsOf(store) {
			if v.Matches(one) {
				want = append(want, one)
			}
		}
		slices.SortFunc(want, o.compare)
		begin := min(q.Offset, len(want))
		want, all := want[begin:min(begin+q.Limit, len(want))], want
		if got := v.Sent(); !slices.Equal(got, want) || w.Total != len(all) {
			t.Fatalf("round %d: %+v: %d rows of %d, want %d of %d, or others", round, q, len(got), w.Total, len(want), len(all))
		}
		if at := slices.Index(all, located); located != nil && at >= 0 && p.Located != at {
			t.Fatalf("round %d: %+v is at %d, not %d", round, q, p.Located, at)
		}
	}
}

// objectsOf returns the objects of a store, by key.
func objectsOf(store map[string]*object.Object) (all []*object.Object) {
	for _, o := range store {
		all = append(all, o)
	}
	slices.SortFunc(all, byName)
	return all
}
