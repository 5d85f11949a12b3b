package main

import (
	"cmp"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// plot is a picture with panels of bars, one below the other.
type plot struct {
	name   string // of its files
	title  string
	series []string // for the legend; the first one is Watchglass or the smaller cluster
	panels []panel
}

// panel is bars with one scale.
type panel struct {
	title string
	bars  []bar
	one   bool // a line marks the value 1: as fast as the other
}

// bar is one figure. The label is written once for neighbours that share it.
type bar struct {
	label  string
	series int
	value  float64
	text   string
}

// palette are the colours of a theme. They are readable on GitHub's background of that theme.
type palette struct {
	text, faint, line string
	series            [3]string
}

var palettes = map[string]palette{
	"light": {"#1f2328", "#59636e", "#d1d9e0", [3]string{"#0969da", "#8c959f", "#bf8700"}},
	"dark":  {"#f0f6fc", "#9198a1", "#3d444d", [3]string{"#4493f8", "#7d8590", "#d29922"}},
}

// The measures of a plot, in pixels.
const (
	plotWidth  = 760
	labelWidth = 300
	barRight   = 670 // where the longest bar ends; its figure follows
	barHeight  = 14
	barStep    = 19
	groupGap   = 7
	panelGap   = 18
)

// svg draws the plot in a theme. The same plot is the same text.
func (p plot) svg(theme string) string {
	colours := palettes[theme]
	var out strings.Builder
	y := 22
	text := func(x, y int, anchor, weight, colour, s string) {
		fmt.Fprintf(&out, `<text x="%d" y="%d" text-anchor="%s" font-weight="%s" fill="%s">%s</text>`+"\n", x, y, anchor, weight, colour, html.EscapeString(s))
	}
	text(0, y, "start", "600", colours.text, p.title)
	if len(p.series) > 0 {
		y += 24
		p.legend(&out, y, colours, text)
	}
	for _, panel := range p.panels {
		y += panelGap
		y = panel.draw(&out, y, colours, text)
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" aria-label="%s" font-family="-apple-system, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', Helvetica, Arial, sans-serif" font-size="13">`+"\n%s</svg>\n",
		plotWidth, y+8, html.EscapeString(p.title), out.String())
}

func (p plot) legend(out *strings.Builder, y int, colours palette, text func(x, y int, anchor, weight, colour, s string)) {
	x := 0
	for i, name := range p.series {
		fmt.Fprintf(out, `<rect x="%d" y="%d" width="12" height="12" rx="2" fill="%s"/>`+"\n", x, y-11, colours.series[i])
		text(x+18, y, "start", "400", colours.faint, name)
		x += 18 + 8*len([]rune(name)) + 20
	}
}

// draw draws a panel below y, and returns where it ends.
func (p panel) draw(out *strings.Builder, y int, colours palette, text func(x, y int, anchor, weight, colour, s string)) int {
	if p.title != "" {
		y += 14
		text(0, y, "start", "600", colours.text, p.title)
		y += 12
	}
	top, most := y, slices.MaxFunc(p.bars, func(a, b bar) int { return cmp.Compare(a.value, b.value) }).value
	if p.one {
		most = max(most, 1)
	}
	length := func(v float64) float64 { return v / most * (barRight - labelWidth) }
	before := ""
	for _, b := range p.bars {
		if b.label != before && before != "" {
			y += groupGap
		}
		if b.label != before {
			text(labelWidth-10, y+barHeight-3, "end", "400", colours.text, b.label)
		}
		before = b.label
		fmt.Fprintf(out, `<rect x="%d" y="%d" width="%.1f" height="%d" rx="2" fill="%s"/>`+"\n", labelWidth, y, max(length(b.value), 1), barHeight, colours.series[b.series])
		text(labelWidth+int(length(b.value))+7, y+barHeight-3, "start", "400", colours.text, b.text)
		y += barStep
	}
	fmt.Fprintf(out, `<line x1="%d" y1="%d" x2="%[1]d" y2="%[3]d" stroke="%[4]s"/>`+"\n", labelWidth, top-3, y-2, colours.line)
	if p.one {
		x := labelWidth + int(length(1))
		fmt.Fprintf(out, `<line x1="%d" y1="%d" x2="%[1]d" y2="%[3]d" stroke="%[4]s" stroke-dasharray="3 3"/>`+"\n", x, top-3, y-2, colours.faint)
		y += 12
		text(x, y, "middle", "400", colours.faint, "client-go")
	}
	return y
}

// figures finds readings by row and column.
type figures []reading

// bar makes a bar of a reading. It is no error if there is none: then there are fewer bars.
func (f figures) bar(row, column, label string, series int) []bar {
	i := slices.IndexFunc(f, func(r reading) bool { return r.Row == row && r.Column == column })
	if i < 0 {
		return nil
	}
	return []bar{{label, series, f[i].Value, f[i].Text}}
}

// columns are the columns of a table, in order.
func (f figures) columns(table string) (all []string) {
	for _, r := range f {
		if r.Table == table && !slices.Contains(all, r.Column) {
			all = append(all, r.Column)
		}
	}
	return all
}

// panel makes a panel of some rows, with a bar for each column. A row may have a shorter label.
func (f figures) panel(title string, columns []string, rows ...[2]string) panel {
	p := panel{title: title}
	for _, row := range rows {
		for series, column := range columns {
			p.bars = append(p.bars, f.bar(row[0], column, cmp.Or(row[1], row[0]), series)...)
		}
	}
	return p
}

// plotInformers compares the tab with the alternatives.
func plotInformers(f figures) plot {
	const stored = "all pods in the store"
	p := plot{name: "informers", panels: []panel{{title: "Time until all pods are in the store"}, {title: "Heap"}}}
	for _, r := range f {
		if r.Column != stored {
			continue
		}
		p.title = r.Table + ": the tab and the alternatives (shorter is better)"
		b := contenderBar(r)
		for i, column := range []string{stored, "heap"} {
			p.panels[i].bars = append(p.panels[i].bars, f.bar(r.Row, column, b.label, b.series)...)
		}
	}
	return p
}

// contenderBar makes a bar of who took how long until all pods were in the store.
func contenderBar(r reading) bar {
	name, _, _ := strings.Cut(r.Row, ", ")
	if name == "Watchglass" {
		return bar{"Watchglass, cold page load", 0, r.Value, r.Text}
	}
	return bar{name, 1, r.Value, r.Text}
}

// plotTab shows what a user of the page waits for.
func plotTab(f figures) plot {
	const table = "in the tab"
	columns := f.columns(table)
	return plot{name: "tab", title: "What you wait for in the tab (shorter is better)", series: columns, panels: []panel{
		f.panel("Opening the page", columns, [2]string{"cold page load → first rows painted", "first rows painted"}, [2]string{"cold page load → all pods in the store", "all pods in the store"}),
		f.panel("Working with it", columns,
			[2]string{"filter typed → rows painted"}, [2]string{"facet clicked → rows painted"}, [2]string{"column header clicked → rows painted"}, [2]string{"pod selected → summary painted"},
			[2]string{"write acknowledged by the apiserver → cell painted, at 100 events/s", "change in the cluster → cell painted"}),
	}}
}

// plotLarge compares the first load of large clusters with the alternatives.
func plotLarge(f figures) plot {
	const table = "all pods in the store"
	p := plot{name: "large", title: "Large clusters: time until all pods are in the store (shorter is better)"}
	for _, column := range f.columns(table) {
		if strings.HasSuffix(column, ": Watchglass takes") {
			continue
		}
		one := panel{title: column}
		for _, r := range f {
			if r.Table == table && r.Column == column {
				one.bars = append(one.bars, contenderBar(r))
			}
		}
		p.panels = append(p.panels, one)
	}
	return p
}

// plotAgain compares a second visit with a first one.
func plotAgain(f figures) plot {
	p := plot{name: "again", title: "Coming back to the page (shorter is better)", series: []string{"with the lists that the browser saved", "without"}}
	for _, size := range f.columns("real apiserver") {
		if strings.HasSuffix(size, " pods") {
			p.panels = append(p.panels, f.panel(size, []string{size, size + ": without"}, [2]string{"navigation → last known rows"}, [2]string{"navigation → rows that can be used"}, [2]string{"navigation → live"}))
		}
	}
	return p
}

// plotPast shows what a user of a recording waits for.
func plotPast(f figures) plot {
	columns := []string{"10 minutes", "60 minutes"}
	return plot{name: "past", title: "A recording of 10,000 pods with 100 changes a second (shorter is better)", series: columns, panels: []panel{
		f.panel("Opening and saving it", columns, [2]string{"navigation → first rows"}, [2]string{"saved in the page"}),
		f.panel("Going to a moment", columns, [2]string{"slider → rows painted"}, [2]string{"slider by a minute → rows painted"}, [2]string{"slider → rows painted, all of the list", "slider → all of the list"}),
	}}
}

// plotOverview compares the overview with the list of pods.
func plotOverview(f figures) plot {
	columns := []string{"pods alone", "overview"}
	return plot{name: "overview", title: "The overview of 100,000 pods and 40,000 other objects (shorter is better)", series: columns, panels: []panel{
		f.panel("Time", columns, [2]string{"navigation → first rows"}, [2]string{"navigation → all lists"}),
		f.panel("Memory", columns, [2]string{"worker heap"}),
	}}
}

// plotConnections compares the proxy with kubectl proxy, load by load.
func plotConnections(f figures) plot {
	p := plot{name: "connections", title: "Relaying events to many tabs, against kubectl proxy (shorter is better)", series: []string{"Watchglass", "kubectl proxy, JSON", "kubectl proxy, protobuf"}}
	for _, column := range [][2]string{{"CPU per 1,000 events", ""}, {"latency, p50", "Latency, p50"}, {"p99", "Latency, p99"}, {"bytes per event", "Bytes on the connection, per event"}} {
		one := panel{title: cmp.Or(column[1], column[0])}
		for _, load := range []string{"1 × 100 events/s", "50 × 100 events/s", "200 × 25 events/s"} {
			for series, contender := range p.series {
				one.bars = append(one.bars, f.bar(load+": "+contender, column[0], strings.NewReplacer("1 ×", "1 connection ×", "0 ×", "0 connections ×").Replace(load), series)...)
			}
		}
		p.panels = append(p.panels, one)
	}
	return p
}

// plotParts shows the parts of the informer as ratios.
func plotParts(f figures) plot {
	p := plot{name: "parts", title: "Time of each part of the informer, relative to client-go's (shorter is better)", panels: []panel{{one: true}}}
	for _, r := range f {
		if r.Column != "Watchglass / client-go" {
			continue
		}
		label, _, _ := strings.Cut(r.Row, " (client-go:")
		label = strings.NewReplacer("store, five indexes: ", "", "store: ", "", " an empty one by", ":", " one of 100,000 objects", " one object", "protobuf of a realistic pod → its row", "decode a pod").Replace(label)
		p.panels[0].bars = append(p.panels[0].bars, bar{label, 0, r.Value, r.Text})
	}
	return p
}

// allPlots makes all plots of the last runs in the history.
func allPlots(history []entry) (all []plot, err error) {
	for _, one := range []struct {
		command string
		plots   []func(figures) plot
	}{
		{"bench", []func(figures) plot{plotInformers, plotTab}}, {connectionsCommand, []func(figures) plot{plotConnections}},
		{partsCommand, []func(figures) plot{plotParts}}, {largeCommand, []func(figures) plot{plotLarge}}, {againCommand, []func(figures) plot{plotAgain}},
		{pastCommand, []func(figures) plot{plotPast}}, {overviewCommand, []func(figures) plot{plotOverview}},
	} {
		e, ok := latest(history, one.command, func(entry) bool { return true })
		if !ok {
			return nil, fmt.Errorf("the history has no run of %s: make plots adds what the README has", one.command)
		}
		for _, make := range one.plots {
			p := make(e.Figures)
			if slices.ContainsFunc(p.panels, func(one panel) bool { return len(one.bars) == 0 }) {
				return nil, fmt.Errorf("the plot %s of %s has a panel without figures", p.name, e.Date)
			}
			all = append(all, p)
		}
	}
	return all, nil
}

// plotFiles returns what the files of all plots contain, by their paths below the bench's folder.
func plotFiles(history []entry) (map[string]string, error) {
	all, err := allPlots(history)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, p := range all {
		for theme := range palettes {
			files[filepath.Join("plots", p.name+"-"+theme+".svg")] = p.svg(theme)
		}
	}
	return files, nil
}

// drawPlots writes all plots into a folder of dir, from the history in dir.
func drawPlots(dir string) error {
	history, err := readHistory(filepath.Join(dir, "history.jsonl"))
	if err != nil {
		return err
	}
	files, err := plotFiles(history)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, "plots"), 0o755); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
