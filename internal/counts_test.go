//go:build !js && !race

package internal_test

import (
	"fmt"
	"maps"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// countsFile has the held counts. Whoever changes one changes this file, so that a review shows it.
const countsFile = "counts.txt"

const acceptCounts = "if that is meant, run 'go test ./internal -run TestCounts -update' and review the diff of internal/counts.txt"

// count is a figure that the clock has no part in: what a step allocates, sends or calls.
type count struct {
	name      string
	value     float64
	unit      string
	tolerance float64 // how much it may differ, in percent; 0: not at all
}

// line is a count as counts.txt has it.
func (c count) line() string {
	tolerance := "exact"
	if c.tolerance > 0 {
		tolerance = fmt.Sprintf("± %g %%", c.tolerance)
	}
	return fmt.Sprintf("%12s %-12s %-7s %s", c.figure(), c.unit, tolerance, c.name)
}

func (c count) figure() string { return strconv.FormatFloat(math.Round(c.value*100)/100, 'f', -1, 64) }

// counted are the parts that have counts, each with what it is called in counts.txt.
var counted = []struct {
	name  string
	count func(t *testing.T) []count
}{
	{"In the worker, for each object", countObjects},
	{"In the worker, for each view of 10,000 pods", countViews},
	{"On the wire, as the relay sends it, for each pod", countWire},
	{"Calls between Go and JavaScript, for each frame", countCalls},
}

// TestCounts holds all counts to counts.txt, in both directions: one that fell is written down, too,
// so that it cannot creep back unnoticed. It has no build with the race detector, which allocates
// itself. make check runs it.
func TestCounts(t *testing.T) {
	var out strings.Builder
	out.WriteString("# What a step costs, in counts that do not depend on the clock. Held by TestCounts, in make check.\n" +
		"# A count may differ from its figure by the tolerance beside it. To accept a change:\n# go test ./internal -run TestCounts -update\n")
	var all []count
	for _, part := range counted {
		fmt.Fprintf(&out, "\n%s\n", part.name)
		for _, c := range part.count(t) {
			all = append(all, c)
			fmt.Fprintln(&out, c.line())
		}
	}
	if *update {
		if err := os.WriteFile(countsFile, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	committed, err := os.ReadFile(countsFile)
	if err != nil {
		t.Fatal(err)
	}
	wrong := differences(string(committed), all)
	for _, text := range wrong {
		t.Error(text)
	}
	if len(wrong) > 0 {
		t.Error(acceptCounts)
	}
}

// differences says which counts are not what the file has, and which are missing on either side.
func differences(file string, all []count) (wrong []string) {
	held := map[string]string{}
	for line := range strings.Lines(file) {
		if fields := strings.Fields(line); len(fields) > 2 && strings.HasPrefix(line, " ") {
			_, name, _ := strings.Cut(line, " exact ")
			if _, after, ok := strings.Cut(line, "%"); ok {
				name = after
			}
			held[strings.TrimSpace(name)] = fields[0]
		}
	}
	for _, c := range all {
		before, ok := held[c.name]
		delete(held, c.name)
		was, err := strconv.ParseFloat(before, 64)
		if !ok || err != nil {
			wrong = append(wrong, fmt.Sprintf("%s: %s %s; it is not in %s", c.name, c.figure(), c.unit, countsFile))
			continue
		}
		by := 100 * (c.value/was - 1)
		if was == 0 && c.value == 0 || math.Abs(by) <= c.tolerance+1e-9 || c.figure() == before {
			continue
		}
		verb := "grew"
		if c.value < was {
			verb = "fell"
		}
		wrong = append(wrong, fmt.Sprintf("%s: %s from %s to %s %s (%+.1f %%)", c.name, verb, before, c.figure(), c.unit, by))
	}
	for _, name := range slices.Sorted(maps.Keys(held)) {
		wrong = append(wrong, name+": it is in "+countsFile+", and nobody counts it")
	}
	return wrong
}

// TestCountDifferences checks that a count outside its tolerance is reported, with both figures.
func TestCountDifferences(t *testing.T) {
	held := []count{{"a", 100, "bytes", 2}, {"b", 3, "allocations", 0}, {"c", 0, "calls", 0}}
	var file strings.Builder
	for _, c := range held {
		fmt.Fprintln(&file, c.line())
	}
	for _, tc := range []struct {
		now  []count
		want string
	}{
		{held, ""},
		{[]count{{"a", 102, "bytes", 2}, held[1], held[2]}, ""},
		{[]count{{"a", 102.1, "bytes", 2}, held[1], held[2]}, "a: grew from 100 to 102.1 bytes (+2.1 %)"},
		{[]count{{"a", 97, "bytes", 2}, held[1], held[2]}, "a: fell from 100 to 97 bytes (-3.0 %)"},
		{[]count{held[0], {"b", 4, "allocations", 0}, held[2]}, "b: grew from 3 to 4 allocations (+33.3 %)"},
		{[]count{held[0], held[1], {"c", 1, "calls", 0}}, "c: grew from 0 to 1 calls (+Inf %)"},
		{[]count{held[0], held[1]}, "c: it is in counts.txt, and nobody counts it"},
		{append(slices.Clone(held), count{name: "d", value: 5, unit: "bytes"}), "d: 5 bytes; it is not in counts.txt"},
	} {
		if got := strings.Join(differences(file.String(), tc.now), "\n"); got != tc.want {
			t.Errorf("%v:\n%s\nwant\n%s", tc.now, got, tc.want)
		}
	}
}

// spent is what something allocated.
type spent struct{ allocations, bytes float64 }

// allocated returns what each of n steps allocates. The steps run on one processor without garbage
// collection, so that nothing else is counted and no pool is emptied; the first hundredth fills
// caches and is not counted.
func allocated(n int, step func(i int)) spent {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	warm := max(n/100, 1)
	for i := range warm {
		step(i)
	}
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range n {
		step(warm + i)
	}
	runtime.ReadMemStats(&after)
	return spent{float64(after.Mallocs-before.Mallocs) / float64(n), float64(after.TotalAlloc-before.TotalAlloc) / float64(n)}
}

// counts makes two counts of what a step allocates, for each of the objects that it is about.
func (s spent) counts(name string, objects int, tolerance float64) []count {
	n := float64(objects)
	return []count{{name, s.allocations / n, "allocations", tolerance}, {name + ": heap", s.bytes / n, "bytes", tolerance}}
}
