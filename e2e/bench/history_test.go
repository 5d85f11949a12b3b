package main

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const tables = `
| 10 pods | took | heap |
| --- | ---: | ---: |
| **Watchglass** | 1.37 s | 30 MB |

| load | CPU | p99 |
| --- | ---: | ---: |
| 1 × 5: Watchglass | 404 ms | 1,300 µs |
| 1 × 5: other | 300 ms | – |
| Watchglass / other | 1.44 × | 25 MB → 194 MB |
| 2 × 5: Watchglass | 59.2 ms | |
| Watchglass / other | 1.24 × | 0.5 × |

| with a spread | 10 pods | without | 20 pods | without |
| --- | ---: | ---: | ---: | ---: |
| live | 1.20 s (0.90 to 1.4) | 2 s |  | 3 s (2 to 4) |

Medians of a run of ` + "`make bench`" + ` on 2026-11-22; machine 2 cores, linux/amd64.
`

// TestReadTables checks that each cell with one figure is read, in one unit for each kind.
func TestReadTables(t *testing.T) {
	want := []reading{
		{Table: "10 pods", Row: "Watchglass", Column: "took", Text: "1.37 s", Value: 1370},
		{Table: "10 pods", Row: "Watchglass", Column: "heap", Text: "30 MB", Value: 30000},
		{Table: "load", Row: "1 × 5: Watchglass", Column: "CPU", Text: "404 ms", Value: 404},
		{Table: "load", Row: "1 × 5: Watchglass", Column: "p99", Text: "1,300 µs", Value: 1.3},
		{Table: "load", Row: "1 × 5: other", Column: "CPU", Text: "300 ms", Value: 300},
		{Table: "load", Row: "1 × 5: Watchglass / other", Column: "CPU", Text: "1.44 ×", Value: 1.44},
		{Table: "load", Row: "2 × 5: Watchglass", Column: "CPU", Text: "59.2 ms", Value: 59.2},
		{Table: "load", Row: "2 × 5: Watchglass / other", Column: "CPU", Text: "1.24 ×", Value: 1.24},
		{Table: "load", Row: "2 × 5: Watchglass / other", Column: "p99", Text: "0.5 ×", Value: 0.5},
		{Table: "with a spread", Row: "live", Column: "10 pods", Text: "1.20 s", Value: 1200},
		{Table: "with a spread", Row: "live", Column: "10 pods: without", Text: "2 s", Value: 2000},
		{Table: "with a spread", Row: "live", Column: "20 pods: without", Text: "3 s", Value: 3000},
	}
	got, err := readEntry("bench", tables)
	if err != nil || got.Date != "2026-11-22" || got.Machine != "2 cores, linux/amd64" || !slices.Equal(got.Figures, want) {
		t.Errorf("%v\n%+v\nwant\n%+v", err, got, want)
	}
	if e, err := readEntry("bench", "nothing"); err == nil {
		t.Errorf("%+v", e)
	}
}

func TestChanged(t *testing.T) {
	figures := func(a, b float64) entry {
		return entry{Date: "2026-11-22", Commit: "abc", Figures: []reading{{"t", "a", "c", "A", a, nil, nil}, {"t", "b", "c", "B", b, nil, nil}, {Table: "not measured"}}}
	}
	var out strings.Builder
	changed(&out, "the last run", figures(100, 100), figures(94, 104))
	want := "\nChanged by 5 % and more since the last run, 2026-11-22 abc:\n    -6 %  t: a, c: A → A\n  1 figures differ by less.\n"
	if out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

// TestHistory checks that the last runs in the history are those of the README's tables, and that
// the plots are drawn from them.
func TestHistory(t *testing.T) {
	doc, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	history, err := readHistory("history.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	least := map[string]int{pastCommand: 14, overviewCommand: 9} // figures in the block; 15 in others
	for _, b := range blocks {
		want, err := readEntry(b.command, b.block.in(string(doc)))
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := latest(history, b.command, func(entry) bool { return true }); !ok || !got.has(want.Figures) || len(want.Figures) < cmp.Or(least[b.command], 15) {
			t.Errorf("the last run of %s in the history is not the README's: run make plots", b.command)
		}
	}
	files, err := plotFiles(history)
	if err != nil {
		t.Fatal(err)
	}
	committed, err := filepath.Glob("plots/*")
	if err != nil || len(committed) != len(files) {
		t.Errorf("%d files in plots, want %d: %v", len(committed), len(files), err)
	}
	for name, want := range files {
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s is not what the figures give: run make plots (%v)", name, err)
		}
		if !strings.Contains(string(doc), filepath.ToSlash(name)) {
			t.Errorf("the README does not show %s", name)
		}
	}
}

// TestRemember adds two runs to a history: each figure is there, and the second one is compared with
// the first.
func TestRemember(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"README.md", "history.jsonl"} {
		doc, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), doc, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	readme := filepath.Join(dir, "README.md")
	doc, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	text := partsBlock.in(string(doc))
	sections := []section{{"a section", []row{{Name: "a row", Unit: megabytes, Values: sample{1, 2, 3}}}}}
	var out strings.Builder
	for range 2 {
		if err := remember(&out, readme, partsCommand, text, sections); err != nil {
			t.Fatal(err)
		}
	}
	history, err := readHistory(filepath.Join(dir, "history.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	last, _ := latest(history, partsCommand, func(entry) bool { return true })
	r := last.Figures[len(last.Figures)-1]
	if last.Commit == "" || last.Machine != thisMachine() || r.Table != "a section" || r.Text != "2.0 MB" || r.Value != 2000 || *r.Min != 1000 || *r.Max != 3000 {
		t.Errorf("%+v %+v", last, r)
	}
	if !strings.Contains(out.String(), "since the last run on a machine like this, "+last.Date+" "+last.Commit+":\n  ") {
		t.Error(out.String())
	}
}
