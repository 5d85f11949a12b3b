package view

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"watchglass/internal/object"
)

// TestTyping (17) types queries, letter by letter: the half of a field, or of a value,
// does not empty the list. What is typed to its end does, if nothing matches it.
func TestTyping(t *testing.T) {
	m := newMaker(t)
	var all []*object.Object
	for i := range 10 {
		status := "Running"
		if i >= 7 {
			status = "Pending"
		}
		all = append(all, m.make("a", fmt.Sprintf("web-%d", i), status, 1, 0, "n", `"app":"web"`))
	}
	type state struct {
		labels, text string
		typing       bool // there are suggestions
		total        int
		held         bool
		said         bool // something is wrong, and not only incomplete
	}
	for name, states := range map[string][]state{
		"a field": {
			{"", "s", true, 0, false, false}, {"", "statu", true, 10, true, false}, {"", "status", true, 10, true, false}, {"", "status:", true, 10, false, false},
			{"", "status:P", true, 10, true, false}, {"", "status:Pending", false, 3, false, false}, {"", "status:Pending,", true, 3, false, false}, {"", "status:Pending,R", true, 3, false, false},
		},
		"by a word, and no field": {{"", "web", false, 10, false, false}, {"", "colour", false, 0, false, false}, {"", "colour:", false, 10, false, true}, {"", "colour:red", false, 10, false, true}},
		"of another":              {{"", "status:Pending colour", false, 0, false, false}, {"", "status:Pending colour:", false, 3, false, true}},
		"given up":                {{"", "statu", true, 10, true, false}, {"", "statu", false, 0, false, false}, {"", "statu", true, 10, true, false}},
		"taken back":              {{"", "status:Pending", false, 3, false, false}, {"", "status:Pendin", true, 3, true, false}, {"", "status:Pend", true, 3, true, false}},
		"suggested late":          {{"", "-l app", false, 10, false, false}, {"", "-l app=", false, 0, false, false}, {"", "-l app=", true, 10, true, false}, {"", "-l app=web", false, 10, false, false}},
		"half a value":            {{"", "web-1", false, 1, false, false}, {"", "web-1 status:Cra", true, 1, true, false}},
		"half a comparison":       {{"", "web-1", false, 1, false, false}, {"", "web-1 age<", false, 1, false, false}},
		"half a quotation":        {{"", "web-1", false, 1, false, false}, {"", `web-1 "unfinished`, false, 1, false, false}},
		"half an expression":      {{"", "web-1", false, 1, false, false}, {"", "web-1 /regex(", false, 1, false, false}},
		"nothing at all":          {{"x", "statu", true, 0, false, false}},
		"a comparison":            {{"", "count", true, 10, true, false}, {"", "count>", false, 10, false, false}, {"", "count>1", false, 0, false, false}, {"", "count>", false, 0, false, false}},
		"labels":                  {{"app", "", false, 10, false, false}, {"app=web,tier in", "", false, 10, false, true}, {"app=web,tier is", "", false, 10, false, true}, {"app=web,tier in (", "", false, 10, false, true}, {"app=web,tier in (x)", "", false, 0, false, false}},
		"labels of what is wrong": {{"", "colour:red", false, 10, false, true}, {"app=db", "colour:red", false, 0, false, true}},
	} {
		t.Run(name, func(t *testing.T) {
			v := started(all)
			v.SetShape(Shape{Columns: m.d.Columns(), Namespaced: true})
			for i, s := range states {
				v.SetQuery(Query{Seq: uint32(i + 1), Limit: 20, Labels: s.labels, Text: s.text, Typing: s.typing})
				p, _ := v.Step(now)
				if i == 0 && s.text == "s" {
					continue // every row has one
				}
				if p.Total != s.total || p.Held != s.held || slices.ContainsFunc(p.Problems, func(p Problem) bool { return !p.Incomplete }) != s.said {
					t.Errorf("%q %q: %d rows, held %v, %+v; want %+v", s.labels, s.text, p.Total, p.Held, p.Problems, s)
				}
			}
		})
	}
	v := started(all)
	v.SetShape(Shape{Columns: m.d.Columns(), Namespaced: true})
	v.SetQuery(Query{Limit: 20, Text: "statu", Typing: true})
	if p, _ := v.Step(now); p.Total != 10 || !p.Held {
		t.Fatalf("%+v", p)
	}
	v.Apply([]Change{{After: m.make("a", "statue", "Running", 1, 0, "n", "")}})
	if p, ok := v.Step(now); !ok || p.Total != 1 || p.Held {
		t.Errorf("what matches after all does not show: %+v", p)
	}
}

// TestHeldScrolled (17) scrolls in what is held while somebody types: it stays held.
func TestHeldScrolled(t *testing.T) {
	m := newMaker(t)
	var all []*object.Object
	for i := range 10 {
		all = append(all, m.make("a", fmt.Sprintf("web-%d", i), "Running", 1, 0, "n", ""))
	}
	v := started(all)
	v.SetShape(Shape{Columns: m.d.Columns(), Namespaced: true})
	for i, offset := range []int{0, 4, 0} {
		v.SetQuery(Query{Seq: uint32(i + 1), Offset: offset, Limit: 4, Text: "statu", Typing: true})
		if p, ok := v.Step(now); !ok || !p.Held || p.Total != 10 {
			t.Errorf("at %d: held %v, %d rows", offset, p.Held, p.Total)
		}
	}
}

// TestTypedFast (17) types two letters between two steps: what applies meanwhile is what
// would with a step after each.
func TestTypedFast(t *testing.T) {
	m := newMaker(t)
	v := started([]*object.Object{m.make("a", "web-1", "Running", 1, 0, "n", ""), m.make("a", "web-2", "Pending", 1, 0, "n", "")})
	v.SetShape(Shape{Columns: m.d.Columns(), Namespaced: true})
	for i, text := range []string{"status:", "status:P", "status:Pe"} {
		v.SetQuery(Query{Seq: uint32(i + 1), Limit: 4, Text: text, Typing: true})
		if text == "status:" {
			v.Step(now)
		}
	}
	if p, _ := v.Step(now); !p.Held || p.Total != 2 {
		t.Errorf("held %v, %d rows", p.Held, p.Total)
	}
}

// TestTypedWord types words letter by letter and takes letters back, while objects change between steps and before the next:
// what each letter leaves is what a walk over all objects finds.
func TestTypedWord(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 9))
		m, objects := newMaker(t), map[string]*object.Object{}
		v := New()
		v.SetShape(Shape{Columns: m.d.Columns(), Namespaced: true})
		var w Window
		q, word := Query{Limit: 100, Typing: seed%2 == 0}, []string{"WEB-12", "CrashLoop", "n1", "ns-1/web"}[r.IntN(4)]
		for step := range 60 {
			v.Apply(randomChanges(r, m, objects))
			if r.IntN(3) > 0 {
				q.Seq, q.Text, q.Wide = uint32(step), word[:r.IntN(len(word)+1)], q.Wide != (r.IntN(20) == 0)
				v.SetQuery(q)
			}
			if r.IntN(4) == 0 {
				v.Apply(randomChanges(r, m, objects))
			}
			p, _ := v.Step(now)
			w = w.Apply(p)
			if rows, _ := naive(t, m, objects, q); !w.Held && w.Total != len(rows) {
				t.Fatalf("seed %d: %q leaves %d, want %d", seed, q.Text, w.Total, len(rows))
			}
		}
	}
}
