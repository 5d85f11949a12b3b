package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
)

// block is a place in the README that this program writes: what stands between two
// lines.
type block struct{ begin, end string }

var (
	figuresBlock     = block{"<!-- figures: written by make bench -->\n", "<!-- /figures -->\n"}
	partsBlock       = block{"<!-- parts: written by make parts -->\n", "<!-- /parts -->\n"}
	connectionsBlock = block{"<!-- connections: written by make bench -->\n", "<!-- /connections -->\n"}
)

// write puts a text into the place.
func (b block) write(path, text string) error {
	doc, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, found := bytes.Cut(doc, []byte(b.begin))
	_, after, ended := bytes.Cut(rest, []byte(b.end))
	if !found || !ended {
		return fmt.Errorf("%s has no place %s", path, strings.TrimSpace(b.begin))
	}
	return os.WriteFile(path, slices.Concat(before, []byte(b.begin+text+b.end), after), 0o644)
}

// markdown is the figures that a newcomer wants to know.
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
	out.WriteString(". The tab and client-go's informers took turns. The whole report has what each figure spreads over, and what is over its budget.\n")
	return out.String()
}

// beside is the tab beside client-go's informers.
func (r *report) beside(out *strings.Builder) {
	fmt.Fprintf(out, "| %s pods of a real apiserver | all of them in the store | heap |\n| --- | ---: | ---: |\n", grouped(r.Pods))
	line := func(name string, took, heap sample) {
		fmt.Fprintf(out, "| %s | %.2f s | %.0f MB |\n", name, took.median()/1e3, heap.median()/1e6)
	}
	line("**Watchglass**, from a cold navigation", of(r.visits, func(v visit) float64 { return v.synced }), of(r.visits, func(v visit) float64 { return v.worker + v.page }))
	for _, kind := range []nativeKind{protobuf, typedJSON, dynamicJSON} {
		if n := r.natives[kind]; n != nil {
			line(nativeNames[kind]+", a native process that runs already", n.took, n.heap)
		}
	}
}

// felt is what somebody who looks at the page feels.
func (r *report) felt(out *strings.Builder) {
	d := r.demo
	fmt.Fprintf(out, "\n| in the tab | %s pods, real apiserver | %s pods, living demo |\n| --- | ---: | ---: |\n", grouped(r.Pods), grouped(d.pods))
	line := func(name string, unit unit, format string, figures ...sample) {
		cells := []string{name, "–", "–"}
		for i, s := range figures {
			if len(s) > 0 {
				cells[i+1] = fmt.Sprintf(format+" %s", s.median(), unit)
			}
		}
		fmt.Fprintf(out, "| %s |\n", strings.Join(cells, " | "))
	}
	first, synced := func(v visit) float64 { return v.firstRow / 1e3 }, func(v visit) float64 { return v.synced / 1e3 }
	line("cold navigation → first rows painted", "s", "%.2f", of(r.visits, first), of(d.visits, first))
	line("cold navigation → all in the store", "s", "%.2f", of(r.visits, synced), of(d.visits, synced))
	heap := func(v visit) float64 { return v.worker / float64(v.objects) / 1e3 }
	line("heap of the worker, for each pod, all told", kilobytes, "%.1f", of(r.visits, heap), of(d.visits, heap))
	line("filter typed → rows painted", millis, "%.0f", r.filter, d.filter)
	line("pod selected → its summary painted", millis, "%.0f", r.details)
	line("facet clicked → rows painted", millis, "%.0f", nil, d.facet)
	line("sort clicked → rows painted", millis, "%.0f", nil, d.sort)
	line("scrolling fast, between frames", millis, "%.1f", nil, d.frames)
	line("write answered by the apiserver → cell painted, at 100 a second", millis, "%.0f", r.painted)
	line("download, once", megabytes, "%.1f", r.download.Values)
	line("proxy at rest, resident", megabytes, "%.0f", r.proxyIdle)
	line("more of it for each further tab", kilobytes, "%.0f", r.proxyMore)
	line("apiserver's CPU, as a part of what client-go's sync costs it", times, "%.2f", r.apiserverRatio())
}

// grouped writes a number with its thousands apart.
func grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
