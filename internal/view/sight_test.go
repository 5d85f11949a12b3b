package view

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"watchglass/internal/object"
)

// sighted returns a view of objects that has sent a window, and its rows' keys with more before and after them.
func sighted(t *testing.T, m *maker, objects []*object.Object, q Query, more int) (*View, []string) {
	t.Helper()
	v := started(slices.Clone(objects))
	v.SetShape(Shape{Columns: m.d.Columns(), Namespaced: true})
	v.SetQuery(q)
	if _, ok := v.Step(now); !ok {
		t.Fatal("no patch")
	}
	q.Offset, q.Limit = max(q.Offset-more, 0), q.Limit+min(q.Offset, more)+more
	wide := started(slices.Clone(objects))
	wide.SetShape(Shape{Columns: m.d.Columns(), Namespaced: true})
	wide.SetQuery(q)
	p, _ := wide.Step(now)
	var keys []string
	for _, r := range p.Rows {
		keys = append(keys, r.Key)
	}
	return v, keys
}

// TestSight checks in random lists that an object comes into sight exactly if its row would come between rows in sight,
// or at the end of the list that is in sight.
func TestSight(t *testing.T) {
	m, r := newMaker(t), rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var here, others []*object.Object
		for _, ns := range namespaces {
			for i := range 12 {
				o := m.make(ns, fmt.Sprintf("p%x", i*7), "Running", 1, time.Minute, "n", "")
				if r.IntN(2) == 0 {
					here = append(here, o)
				} else {
					others = append(others, o)
				}
			}
		}
		q := Query{Limit: 1 + r.IntN(10), Offset: r.IntN(len(here))}
		more := r.IntN(4)
		v, keys := sighted(t, m, here, q, more)
		has := v.Sight(more)
		rows := slices.Clone(here)
		slices.SortFunc(rows, byName)
		first := slices.IndexFunc(rows, func(o *object.Object) bool { return o.Key() == keys[0] })
		for i, o := range rows {
			if want := i >= first && i < first+len(keys); has(o.Key()) != want {
				t.Fatalf("%+v, %d more: row %d, %s: %v", q, more, i, o.Key(), !want)
			}
		}
		for _, o := range others {
			at, _ := slices.BinarySearchFunc(rows, o, byName)
			if want := at >= first && at <= first+len(keys) && len(keys) < len(rows); has(o.Key()) != want {
				t.Fatalf("%+v, %d more: %s would be row %d: %v", q, more, o.Key(), at, !want)
			}
		}
	}
}

// TestSightOfSome checks lists whose rows are not all objects, or not in the order of their keys.
func TestSightOfSome(t *testing.T) {
	m := newMaker(t)
	var all []*object.Object
	for i := range 40 {
		status := "Running"
		if i%8 == 4 {
			status = "Pending"
		}
		all = append(all, m.make([]string{"a", "b"}[i/20], fmt.Sprintf("p-%02d", 2*i), status, i, time.Minute, fmt.Sprint("n", i%3), ""))
	}
	for _, c := range []struct {
		name        string
		query       Query
		has, hasNot []string
	}{
		{"the whole list", Query{Limit: 50}, []string{"a/p-00", "b/p-78"}, []string{"Z/first", "a/p-01", "c/last"}},
		{"most match", Query{Limit: 25, Text: "status:Running"}, []string{"a/p-00", "a/p-07", "a/p-08", "Z/first"}, []string{"b/p-77", "c/last"}},
		{"the end", Query{Limit: 5, Offset: 35}, []string{"b/p-70", "b/p-78", "c/last"}, []string{"b/p-67", "Z/first"}},
		{"a third match", Query{Limit: 10, Text: "node:n0"}, []string{"a/p-00", "a/p-06"}, []string{"a/p-02", "a/p-03", "Z/first"}},
		{"few match", Query{Limit: 50, Text: "status:Pending"}, []string{"a/p-08", "b/p-56"}, []string{"a/p-09", "a/p-10", "a/p-07"}},
		{"a namespace", Query{Limit: 50, Namespaces: []string{"b"}}, []string{"b/p-40", "b/p-00", "b/p-99", "b/p-41"}, []string{"a/p-38", "a/p-36"}},
		{"by number", Query{Limit: 3, Sort: "Count", Descending: true}, []string{"b/p-78", "b/p-74"}, []string{"b/p-72", "b/p-77", "b/p-79"}},
		{"backwards", Query{Limit: 3, Sort: "Name", Descending: true}, []string{"b/p-78", "b/p-74"}, []string{"b/p-72", "b/p-77"}},
		{"groups", Query{Limit: 50, Group: "Node"}, nil, []string{"a/p-00", "a/p-01", ""}},
		{"none", Query{Limit: 50, Text: "nothing-has-this"}, nil, []string{"a/p-00", "a/p-01", ""}},
	} {
		v, _ := sighted(t, m, all, c.query, 0)
		has := v.Sight(0)
		for _, key := range c.has {
			if !has(key) {
				t.Errorf("%s: %s is not in sight", c.name, key)
			}
		}
		for _, key := range c.hasNot {
			if has(key) {
				t.Errorf("%s: %s is in sight", c.name, key)
			}
		}
	}
	if New().Sight(5)("a/p-00") {
		t.Error("an empty view has objects in sight")
	}
}
