package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
)

// block is the part of a Markdown file between two marker lines, which this program writes.
type block struct{ begin, end string }

var (
	summaryBlock     = block{"<!-- summary: written by make bench -->\n", "<!-- /summary -->\n"}
	figuresBlock     = block{"<!-- figures: written by make bench -->\n", "<!-- /figures -->\n"}
	partsBlock       = block{"<!-- parts: written by make parts -->\n", "<!-- /parts -->\n"}
	largeBlock       = block{"<!-- large: written by make large -->\n", "<!-- /large -->\n"}
	againBlock       = block{"<!-- again: written by make again -->\n", "<!-- /again -->\n"}
	pastBlock        = block{"<!-- past: written by make past -->\n", "<!-- /past -->\n"}
	overviewBlock    = block{"<!-- overview: written by make overview -->\n", "<!-- /overview -->\n"}
	connectionsBlock = block{"<!-- connections: written by make connections -->\n", "<!-- /connections -->\n"}
)

// write replaces what is between the markers.
func (b block) write(path, text string) error {
	doc, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, found := bytes.Cut(doc, []byte(b.begin))
	_, after, ended := bytes.Cut(rest, []byte(b.end))
	if !found || !ended {
		return fmt.Errorf("%s has no marker %s", path, strings.TrimSpace(b.begin))
	}
	return os.WriteFile(path, slices.Concat(before, []byte(b.begin+text+b.end), after), 0o644)
}

// in returns what is between the markers.
func (b block) in(doc string) string {
	_, rest, _ := strings.Cut(doc, b.begin)
	text, _, _ := strings.Cut(rest, b.end)
	return text
}

// publish writes the tables to the bench's README and the summary to the project's. An empty
// path leaves a file out.
func (r *report) publish(figures, summary string) error {
	if figures != "" {
		if err := figuresBlock.write(figures, r.markdown()); err != nil {
			return err
		}
	}
	if summary == "" {
		return nil
	}
	return summaryBlock.write(summary, r.summary())
}

// summary is the small table of the project's README.
func (r *report) summary() string {
	var out strings.Builder
	line := r.columns(&out, "median")
	line("page load → first rows on screen", "s", "%.2f", of(r.visits, firstSeconds), of(r.demo.visits, firstSeconds))
	line("page load → all pods loaded", "s", "%.2f", of(r.visits, syncedSeconds), of(r.demo.visits, syncedSeconds))
	line("filter typed → rows on screen", millis, "%.0f", r.filter, r.demo.filter)
	line("change in the cluster → on screen", millis, "%.0f", r.painted)
	line("browser heap per pod", kilobytes, "%.1f", of(r.visits, heapPerPod), of(r.demo.visits, heapPerPod))
	line("proxy memory at rest", megabytes, "%.0f", r.proxyIdle)
	fmt.Fprintf(&out, "\nMeasured with `make bench` on %s.\n", r.Begin.Format("2006-01-02"))
	return out.String()
}

// markdown is the tables of the bench's README.
func (r *report) markdown() string {
	var out strings.Builder
	r.beside(&out)
	r.felt(&out)
	fmt.Fprintf(&out, "\nMedians of a run of `make bench` on %s", r.Begin.Format("2006-01-02"))
	for _, v := range r.Versions {
		if v.Name != "client-go's list" && v.Name != "Watchglass" {
			value, _, _ := strings.Cut(v.Value, ", load")
			value, _, _ = strings.Cut(value, ", a fresh process")
			fmt.Fprintf(&out, "; %s %s", v.Name, value)
		}
	}
	out.WriteString(". The tab and client-go's informers took turns. The full report gives the spread of each figure, and says which are over budget.\n")
	return out.String()
}

// beside compares the tab with client-go's informers.
func (r *report) beside(out *strings.Builder) {
	fmt.Fprintf(out, "| %s pods, real apiserver | all pods in the store | heap |\n| --- | ---: | ---: |\n", grouped(r.Pods))
	line := func(name string, took, heap sample) {
		held := "–"
		if len(heap) > 0 {
			held = fmt.Sprintf("%.0f MB", heap.median()/1e6)
		}
		fmt.Fprintf(out, "| %s | %.2f s | %s |\n", name, took.median()/1e3, held)
	}
	line("**Watchglass**, cold page load", r.tabSynced(), of(r.visits, func(v visit) float64 { return v.worker + v.page }))
	for _, kind := range nativeKinds {
		if n := r.natives[kind]; n != nil {
			line(nativeNames[kind]+kind.started(), n.took, n.heap)
		}
	}
}

// felt is what a user of the page notices.
func (r *report) felt(out *strings.Builder) {
	d := r.demo
	out.WriteByte('\n')
	line := r.columns(out, "in the tab")
	line("cold page load → first rows painted", "s", "%.2f", of(r.visits, firstSeconds), of(d.visits, firstSeconds))
	line("cold page load → all pods in the store", "s", "%.2f", of(r.visits, syncedSeconds), of(d.visits, syncedSeconds))
	line("worker heap per pod, everything included", kilobytes, "%.1f", of(r.visits, heapPerPod), of(d.visits, heapPerPod))
	line("filter typed → rows painted", millis, "%.0f", r.filter, d.filter)
	line("pod selected → summary painted", millis, "%.0f", r.details)
	line("facet clicked → rows painted", millis, "%.0f", nil, d.facet)
	line("group clicked → rows painted", millis, "%.0f", nil, d.group)
	line("column header clicked → rows painted", millis, "%.0f", nil, d.sort)
	line("fast scrolling, time between frames", millis, "%.1f", nil, d.frames)
	line("write acknowledged by the apiserver → cell painted, at 100 events/s", millis, "%.0f", r.painted)
	line("download, first visit", megabytes, "%.1f", r.download.Values)
	line("proxy at rest, resident memory", megabytes, "%.0f", r.proxyIdle)
	line("proxy, resident memory per further browser", kilobytes, "%.0f", r.proxyMore)
	line("apiserver CPU, relative to a client-go sync", times, "%.2f", r.apiserverRatio())
}

func (r *report) tabSynced() sample { return of(r.visits, func(v visit) float64 { return v.synced }) }

func firstSeconds(v visit) float64  { return v.firstRow / 1e3 }
func syncedSeconds(v visit) float64 { return v.synced / 1e3 }
func heapPerPod(v visit) float64    { return v.worker / float64(v.objects) / 1e3 }

// columns begins a table with a column for the real apiserver and one for the demo cluster.
// The function that it returns adds a row; a figure that was not measured is a dash.
func (r *report) columns(out *strings.Builder, title string) func(name string, unit unit, format string, figures ...sample) {
	fmt.Fprintf(out, "| %s | %s pods, real apiserver | %s pods, demo cluster |\n| --- | ---: | ---: |\n", title, grouped(r.Pods), grouped(r.demo.pods))
	return func(name string, unit unit, format string, figures ...sample) {
		cells := []string{name, "–", "–"}
		for i, s := range figures {
			if len(s) > 0 {
				cells[i+1] = fmt.Sprintf(format+" %s", s.median(), unit)
			}
		}
		fmt.Fprintf(out, "| %s |\n", strings.Join(cells, " | "))
	}
}

// grouped writes a number with commas between thousands.
func grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
