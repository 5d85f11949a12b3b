package view

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"watchglass/internal/columns"
	"watchglass/internal/slots"
)

// terms are the terms of the test's filters: of facets and not, answered with sets and row by row, alone and nested.
var terms = []string{
	"status:Running", "status:run*", "!status:Pending", "status:/crash|pend/", "status:running,pending", "status:", "!status:<none>",
	"node:n1", "!node:n2,n0", "ns:ns-1", "!ns:ns*", "ns:ns,n", "owner:web", "!owner:<none>", "name:web-1*", "name:web-7",
	"label.app:a1", "!label.app:a1,a2", "label.app:<none>", "label.app:", "label.other:x", "-l app=a1", `-l app!=a1`,
	"count>5", "count<=2", "!count:3", "age<2m", "age>1m", "web-1", "crash", "!n1", "~wb3", "/web-[12]/", `"a b"`,
	"(status:Running or node:n2)", "(web-1 or label.app:a2)", "!(status:Pending node:n1)", "(ns:ns-1 or (status:crash* !node:n0))", "(count>5 or age<1m)",
}

// TestChooseModel compares filter.choose with filter.misses, which tests each object alone, for random filters over random
// objects, some of which have been replaced or deleted.
func TestChooseModel(t *testing.T) {
	const seeds = 400
	some, none, used := 0, 0, map[string]bool{}
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 3))
		m, table := newMaker(t), new(columns.Table)
		m.mixed = seed%2 == 0
		shape := Shape{Columns: m.d.Columns(), Namespaced: true}
		kept := newTexts(table, shape, new(columns.Dictionaries))
		facets := newFacets(shape, nil)
		for i := range 120 {
			o := m.random(r, namespaces[r.IntN(4)], fmt.Sprint("web-", i))
			if r.IntN(5) == 0 {
				o = m.make(o.Namespace(), o.Name(), "", "", time.Hour, "", "")
			}
			switch slot := uint32(r.IntN(table.Len() + 1)); {
			case !table.Live().Has(slot) || r.IntN(3) > 0:
				table.Add(o)
			case r.IntN(2) == 0:
				table.Set(slot, o)
			default:
				table.Remove(slot)
			}
			if i == 60 {
				kept.readColumn(1)
			}
		}
		for range 25 {
			q := randomQuery(r, 1)
			var text []string
			for range r.IntN(4) {
				term := terms[r.IntN(len(terms))]
				text, used[term] = append(text, term), true
			}
			if q.Text = strings.Join(text, " "); r.IntN(4) == 0 {
				q.From, q.Until = now.Add(-4*time.Minute).Unix(), now.Add(-time.Minute).Unix()
			}
			f, _, wrong := newFilter(q, force{}, shape)
			if wrong != nil {
				t.Fatalf("%s: %v", q.Text, wrong)
			}
			matched, only := f.choose(kept, facets, now)
			var want slots.Bits
			wantOnly := make([]slots.Bits, len(facets))
			for slot := range table.Live().All() {
				switch by := f.misses(table.At(slot), facets, now); {
				case by == hit:
					want.Add(slot)
				case by >= 0:
					wantOnly[by].Add(slot)
				}
			}
			if !matched.Equal(&want) {
				t.Fatalf("seed %d, %+v: %d match, want %d", seed, q, matched.Len(), want.Len())
			}
			for i := range facets {
				if !only[i].Equal(&wantOnly[i]) {
					t.Fatalf("seed %d, %+v: facet %s: %d, want %d", seed, q, facets[i].name, only[i].Len(), wantOnly[i].Len())
				}
				some += wantOnly[i].Len()
			}
			if want.Len() == 0 {
				none++
			}
		}
	}
	if len(used) != len(terms) || some == 0 || none > 25*seeds*3/4 {
		t.Errorf("%d of %d terms, %d excluded by a facet, %d filters without objects", len(used), len(terms), some, none)
	}
}
