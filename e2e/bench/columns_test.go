package main

import (
	"flag"
	"strings"
	"testing"
)

// TestKept checks that only runs of the usual sizes are written.
func TestKept(t *testing.T) {
	for args, want := range map[string]string{"-readme x": "x", "-readme x -rounds 2": "x", "-readme x -pods 5": "", "-pods 5": ""} {
		flags := flag.NewFlagSet("", flag.ContinueOnError)
		readme := flags.String("readme", "", "")
		flags.Int("rounds", 1, "")
		flags.Int("pods", 1, "")
		if err := flags.Parse(strings.Fields(args)); err != nil {
			t.Fatal(err)
		}
		if got := kept(flags, *readme, t.Output()); got != want {
			t.Errorf("%s: %q, not %q", args, got, want)
		}
	}
}

// TestColumns checks that rows of the same name share a line, and how figures, spreads and budgets are written.
func TestColumns(t *testing.T) {
	c := columns{"cluster", []string{"small", "large"}, []section{
		{"small", []row{
			{Name: "first rows", Unit: millis, Values: sample{250, 750, 500}, Budget: &budget{Most: 1500}},
			{Name: "  of the page", Unit: millis, Values: sample{50}},
			{Name: "file", Unit: megabytes, Values: sample{2.5}},
		}},
		{"large", []row{
			{Name: "first rows", Unit: millis, Values: sample{2000}},
			{Name: "  of the page", Unit: millis},
			{Name: "  against small", Unit: times, Values: sample{4}, Budget: &budget{Most: 2}},
			{Name: "file", Unit: megabytes, Values: sample{20}},
		}},
	}}
	const want = `| cluster | small | large | budget |
| --- | ---: | ---: | ---: |
| first rows | 0.50 s (0.25 to 0.75) | 2.00 s | ≤ 1.5 s |
| first rows, of the page | 50.0 ms |  |  |
| first rows, against small |  | 4.00 × | ≤ 2 × |
| file | 2.5 MB | 20.0 MB |  |
`
	if got := c.markdown(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := c.sections[0].Rows[0].Values[0]; got != 250 {
		t.Errorf("the section itself has %v now", got)
	}
}
