package diff

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestEqual checks that each value of two objects is either equal or in a change.
func TestEqual(t *testing.T) {
	for seed := range uint64(20_000) {
		r := rand.New(rand.NewPCG(17, seed))
		a := randomValue(r, 5)
		b := varied(r, a, 4)
		left, right := 0, 0
		equal, _ := Walk(a, b, func(c Change) {
			switch c.Kind {
			case Changed:
				left, right = left+values(c.Before), right+values(c.After)
			case Removed:
				left += values(c.Before)
			case Added:
				right += values(c.After)
			}
		})
		if equal+left != values(a) || equal+right != values(b) {
			t.Fatalf("seed %d: %d equal, %d and %d in changes; there are %d and %d", seed, equal, left, right, values(a), values(b))
		}
	}
}

// TestLines checks over random texts that all lines make both texts again, and that what is left
// out of the short form is in both and not near a difference.
func TestLines(t *testing.T) {
	for seed := range uint64(5_000) {
		r := rand.New(rand.NewPCG(5, seed))
		var a, b []string
		for range r.IntN(30) {
			line := fmt.Sprint(r.IntN(12))
			if r.IntN(6) > 0 {
				a = append(a, line)
			}
			if r.IntN(6) > 0 {
				b = append(b, line)
			}
		}
		before, after := strings.Join(a, "\n"), strings.Join(b, "\n")
		all := Lines(before, after, true, new(Most))
		side := func(not Kind) string {
			var out []string
			for _, l := range all {
				if l.Kind != not {
					out = append(out, l.Text)
				}
			}
			return strings.Join(out, "\n")
		}
		if have := side(Added); have != before {
			t.Fatalf("seed %d: before is\n%s\nnot\n%s", seed, have, before)
		}
		if have := side(Removed); have != after {
			t.Fatalf("seed %d: after is\n%s\nnot\n%s", seed, have, after)
		}
		at := 0
		for _, l := range Lines(before, after, false, new(Most)) {
			if l.Skip == 0 {
				if l != all[at] {
					t.Fatalf("seed %d: %+v, want %+v", seed, l, all[at])
				}
				at++
				continue
			}
			near := all[max(at-lineContext, 0):min(at+l.Skip+lineContext, len(all))]
			if slices.ContainsFunc(near, func(l Line) bool { return l.Kind != "" }) {
				t.Fatalf("seed %d: %d lines are left out at %d of %+v", seed, l.Skip, at, all)
			}
			at += l.Skip
		}
		if at != len(all) {
			t.Fatalf("seed %d: %d lines of %d", seed, at, len(all))
		}
	}
}

// TestDeep checks that what is deeper than a path may be is compared as a whole.
func TestDeep(t *testing.T) {
	nested := func(leaf string) any {
		return parse(t, strings.Repeat(`{"a":`, 200)+leaf+strings.Repeat("}", 200))
	}
	changes, _ := Objects(nested(`{"x":1,"y":2}`), nested(`{"x":1,"y":3}`))
	if len(changes) != 1 || len(changes[0].Steps) != deepest {
		t.Errorf("%d changes", len(changes))
	}
	if changes, _ := Objects(nested(`1`), nested(`1`)); len(changes) != 0 {
		t.Error("equal objects differ")
	}
}

// TestEffort checks that objects of many long lists, or texts of many lines, which tenants write, are aligned
// only as far as that takes no long time; and that each value is in the result all the same.
func TestEffort(t *testing.T) {
	list := func(from int) (all []any) {
		for i := range 500 {
			all = append(all, fmt.Sprint((i*7+from)%1000))
		}
		return all
	}
	before, after := make(map[string]any), make(map[string]any)
	for i := range 100 {
		before[fmt.Sprint(i)], after[fmt.Sprint(i)] = list(0), list(7)
	}
	d := differ{effort: Most, looks: mostLooks}
	changes := 0
	d.each = func(Change) { changes++ }
	d.values(nil, before, after)
	if aligned := int(Most) / 499 / 499; d.effort < 0 || changes < 400*(100-aligned-1) || changes > 500*100-aligned*400 {
		t.Errorf("%d changes, effort %d", changes, d.effort)
	}
	effort, unaligned := Most, 0
	for range 100 {
		a, b := "x\n"+strings.Repeat("a\nb\n", 250), "y\n"+strings.Repeat("b\na\n", 250)
		both := 0
		for _, l := range Lines(a, b, true, &effort) {
			if l.Kind == "" {
				both++
			}
		}
		if both < 100 {
			unaligned++
		}
	}
	if effort < 0 || unaligned < 80 || unaligned == 100 {
		t.Errorf("%d texts are not aligned, effort %d", unaligned, effort)
	}
}
