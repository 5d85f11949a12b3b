package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"text/tabwriter"
)

// unit is what a row is told in.
type unit string

const (
	seconds   unit = "s"
	millis    unit = "ms"
	micros    unit = "µs"
	megabytes unit = "MB"
	kilobytes unit = "KB"
	times     unit = "×"
	percent   unit = "%"
	count     unit = ""
)

// decimals are what is worth printing of a figure.
var decimals = map[unit]int{seconds: 2, millis: 0, micros: 1, megabytes: 1, kilobytes: 2, times: 2, percent: 1, count: 0}

// Of milliseconds that are few a tenth matters, and of fewer than one a hundredth.
const (
	shortMillis = 100
	partMillis  = 1
)

// quantile is the one of all values that counts; 0 is the median.
type quantile float64

func (q quantile) of(s sample) float64 {
	if q == 0 {
		return s.median()
	}
	return s.quantile(float64(q))
}

// budget is what a row may be at most.
type budget struct {
	Most float64
	Of   quantile
}

// row is one line of the report.
type row struct {
	Name   string
	Unit   unit
	Values sample
	Of     quantile // that is printed
	Budget *budget
}

// verdict says how a row stands to its budget.
func (r row) verdict() string {
	if r.Budget == nil {
		return ""
	}
	got := r.Budget.Of.of(r.Values)
	switch {
	case got <= r.Budget.Most:
		return "within"
	case r.Budget.Most > 0:
		return fmt.Sprintf("OVER by %.0f %%", 100*(got/r.Budget.Most-1))
	}
	return "OVER"
}

func (r row) allowed() string {
	if r.Budget == nil {
		return ""
	}
	of := map[quantile]string{1: "each "}[r.Budget.Of]
	return of + "≤ " + fmt.Sprintf("%g %s", r.Budget.Most, r.Unit)
}

func (r row) figure(v float64) string {
	n := decimals[r.Unit]
	switch {
	case r.Unit == millis && math.Abs(v) < partMillis:
		n = 2
	case r.Unit == millis && v < shortMillis:
		n = 1
	}
	return fmt.Sprintf("%.*f", n, v)
}

func (r row) spread() string {
	if len(r.Values) < 2 {
		return ""
	}
	return r.figure(r.Values.quantile(0)) + " – " + r.figure(r.Values.quantile(1))
}

// MarshalJSON adds what can be worked out, for those who only read.
func (r row) MarshalJSON() ([]byte, error) {
	doc := map[string]any{
		"name": r.Name, "unit": r.Unit, "values": r.Values, "figure": r.Of.of(r.Values),
		"min": r.Values.quantile(0), "max": r.Values.quantile(1),
	}
	if r.Budget != nil {
		doc["budget"], doc["verdict"] = r.Budget.Most, r.verdict()
	}
	return json.Marshal(doc)
}

// print prints the report as a table.
func (r *report) print(out io.Writer) error {
	r.lines()
	fmt.Fprintf(out, "\nWatchglass bench: %d pods, %d rounds, %s\n", r.Pods, r.Rounds, r.Begin.Format("2006-01-02 15:04 MST"))
	return printReport(out, r.Versions, r.Sections, notes)
}

// printReport prints what ran, and all rows.
func printReport(out io.Writer, all versions, sections []section, notes string) error {
	for _, v := range all {
		fmt.Fprintf(out, "  %s: %s\n", v.Name, v.Value)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\n\tmedian\t\tmin – max\tn\tbudget\t")
	for _, s := range sections {
		fmt.Fprintf(w, "%s\t\t\t\t\t\t\n", s.Name)
		for _, line := range s.Rows {
			fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%d\t%s\t%s\n", line.Name, line.figure(line.Of.of(line.Values)), line.Unit, line.spread(),
				len(line.Values), line.allowed(), line.verdict())
		}
	}
	fmt.Fprint(w, "\n", notes)
	return w.Flush()
}

// notes say how things were measured, as far as the names do not.
const notes = `synced: the page's mark that every row is in the worker's store. HasSynced: asked every millisecond, from before the client is
made; the native process runs already. Ratios are of the two syncs of one round. first row waits for no other row.
Worker thread: the kernel's account of Chromium's worker thread until synced, less that of the tab with one service.
Change → painted: from the apiserver's answer to the writer until the main thread's work for the frame that shows it is done;
rAF ticks at 60 Hz, so 8 ms of it are the wait for the frame. The proxy's RSS includes its buffers for TLS, HTTP/2 and WebSocket,
5 s after the sync. The apiserver's CPU is less what it takes at rest; its bytes are all that it writes, TLS included.
`
