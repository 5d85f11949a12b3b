package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestVerdict(t *testing.T) {
	for _, tc := range []struct {
		row  row
		want string
	}{
		{row{Values: sample{1, 2, 3}}, ""},
		{row{Values: sample{1, 2, 3}, Budget: &budget{Most: 2}}, "within"},
		{row{Values: sample{1, 3, 3}, Budget: &budget{Most: 2}}, "OVER by 50 %"},
		{row{Values: sample{0, 0, 1}, Budget: &budget{Most: 0}}, "within"},
		{row{Values: sample{0, 1, 1}, Budget: &budget{Most: 0}}, "OVER"},
		{row{Values: sample{1, 1, 4}, Budget: &budget{Most: 2, Of: 1}}, "OVER by 100 %"},
	} {
		if got := tc.row.verdict(); got != tc.want {
			t.Errorf("%v against %+v is %q, want %q", tc.row.Values, tc.row.Budget, got, tc.want)
		}
	}
}

func TestFigures(t *testing.T) {
	for _, tc := range []struct {
		unit  unit
		value float64
		want  string
	}{{millis, 1234.5, "1234"}, {millis, 8.44, "8.4"}, {times, 1.795, "1.79"}, {count, 3, "3"}} {
		if got := (row{Unit: tc.unit}).figure(tc.value); got != tc.want {
			t.Errorf("%v %s is %q, want %q", tc.value, tc.unit, got, tc.want)
		}
	}
}

func TestTable(t *testing.T) {
	visits := []visit{{boot: 300, firstRow: 500, synced: 900}, {boot: 310, firstRow: 1000, synced: 1300}}
	one := sample{1}
	r := &report{
		Pods: 10, visits: visits, busy: visits, natives: map[nativeKind]*nativeSamples{protobuf: {took: sample{500, 1000}, heap: one, served: make([]usage, 2)}},
		filter: one, changed: one, painted: one, fromSent: one, proxyIdle: one, proxyFirst: one, proxyMore: one,
		demo: demo{pods: 10, visits: visits, filter: one, facet: one, group: one, sort: one, frames: one, ends: one},
	}
	var out strings.Builder
	if err := r.print(&out); err != nil {
		t.Fatal(err)
	}
	var line string
	for l := range strings.Lines(out.String()) {
		if line == "" && strings.Contains(l, "tab synced / client-go typed protobuf") {
			line = strings.Join(strings.Fields(l), " ")
		}
	}
	if want := "tab synced / client-go typed protobuf 1.55 × 1.30 – 1.80 2 ≤ 1.8 × within"; line != want {
		t.Errorf("printed\n%s\nwant\n%s", line, want)
	}
}

func TestRowAsJSON(t *testing.T) {
	doc, err := json.Marshal(row{Name: "a", Unit: millis, Values: sample{1, 2, 6}, Budget: &budget{Most: 3}})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"budget":3,"figure":2,"max":6,"min":1,"name":"a","unit":"ms","values":[1,2,6],"verdict":"within"}`
	if string(doc) != want {
		t.Errorf("%s\nwant\n%s", doc, want)
	}
}

// TestReadme publishes the figures twice: the old ones are replaced, and the text around them
// stays.
func TestReadme(t *testing.T) {
	dir := t.TempDir()
	figures, summary := filepath.Join(dir, "figures.md"), filepath.Join(dir, "summary.md")
	for path, b := range map[string]block{figures: figuresBlock, summary: summaryBlock} {
		if err := os.WriteFile(path, []byte("before\n"+b.begin+"old\n"+b.end+"after\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := &report{
		Pods: 1000, visits: []visit{{synced: 1500, worker: 30e6, objects: 1000}}, natives: map[nativeKind]*nativeSamples{protobuf: {took: sample{1000}, heap: sample{40e6}}},
		filter: sample{12}, demo: demo{pods: 100000, visits: []visit{{synced: 7000, worker: 250e6, objects: 100000}}, filter: sample{34}},
	}
	for range 2 {
		if err := r.publish(figures, summary); err != nil {
			t.Fatal(err)
		}
	}
	if err := partsBlock.write(figures, "x"); err == nil {
		t.Error("it has no place for the parts")
	}
	for path, want := range map[string]struct {
		block block
		lines []string
	}{
		figures: {figuresBlock, []string{
			"| **Watchglass**, cold page load | 1.50 s | 30 MB |\n", "| in the tab | 1,000 pods, real apiserver | 100,000 pods, demo cluster |\n",
			"| filter typed → rows painted | 12 ms | 34 ms |\n", "| cold page load → all pods in the store | 1.50 s | 7.00 s |\n",
		}},
		summary: {summaryBlock, []string{
			"| median | 1,000 pods, real apiserver | 100,000 pods, demo cluster |\n", "| page load → all pods loaded | 1.50 s | 7.00 s |\n",
			"| filter typed → rows on screen | 12 ms | 34 ms |\n", "| browser heap per pod | 30.0 KB | 2.5 KB |\n", "| proxy memory at rest | – | – |\n",
		}},
	} {
		doc, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got := string(doc)
		for _, line := range want.lines {
			if !strings.Contains(got, line) {
				t.Errorf("%s does not contain\n%s", path, line)
			}
		}
		if !strings.HasPrefix(got, "before\n"+want.block.begin) || !strings.HasSuffix(got, want.block.end+"after\n") || strings.Contains(got, "old\n") {
			t.Error(got)
		}
	}
}

func TestLargeTable(t *testing.T) {
	of := func(pods int, tab, native float64) *report {
		return &report{
			Pods: pods, Rounds: 3, visits: []visit{{firstRow: 1100, synced: tab, objects: pods, worker: 2500 * float64(pods)}},
			natives: map[nativeKind]*nativeSamples{protobuf: {took: sample{native}}, rawList: {took: sample{native / 2}}},
		}
	}
	want := `| all pods in the store | 50,000 pods | Watchglass takes | 100,000 pods | Watchglass takes |
| --- | ---: | ---: | ---: | ---: |
| **Watchglass**, cold page load | 9.0 s | | 16.0 s | |
| client-go typed protobuf, native process, already running | 10.0 s | 0.90 × | 20.0 s | 0.80 × |
| list, protobuf, read and dropped | 5.0 s | 1.80 × | 10.0 s | 1.60 × |

Medians of 3 rounds of ` + "`make large`" + ` on 0001-01-01, real apiserver; machine ` + thisMachine() + `. First rows are painted after 1.10 s and 1.10 s, and the worker's heap is 2.50 KB and 2.50 KB a pod.
`
	if got := largeTable([]*report{of(50_000, 9000, 10_000), of(100_000, 16_000, 20_000)}); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
