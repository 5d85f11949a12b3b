package inspector

import (
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/inspection"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// column is a column of the table of sources.
type column struct {
	name, title string
	// chart selects what the column shows of a meter; nil: nothing. A cell's text is the chart's value now, unless the
	// source itself has a total.
	chart  func(*inspection.Meter) inspection.Chart
	format func(now float32) string
	total  func(*inspection.Source) string
}

var columns = []column{
	{name: "Source", title: "Kind and namespace", total: name},
	{name: "State", title: "Freshness", total: func(s *inspection.Source) string { return s.State }},
	{name: "Objects", title: "Objects in the store", total: func(s *inspection.Source) string { return words.Count(s.Objects) }},
	{name: "Received", title: "Total bytes received", total: func(s *inspection.Source) string { return words.Bytes(float64(s.Bytes)) }},
	{name: "Audits", title: "Comparisons with the apiserver, and how many found differences", total: audits},
	{name: "Events/s", title: "Events per second", chart: func(m *inspection.Meter) inspection.Chart { return m.Events }, format: rate},
	{name: "Data/s", title: "Bytes per second", chart: func(m *inspection.Meter) inspection.Chart { return m.Bytes }, format: func(n float32) string { return words.Bytes(float64(n)) }},
	{name: "Queue", title: "Objects waiting to be stored", chart: func(m *inspection.Meter) inspection.Chart { return m.Queue }, format: func(n float32) string { return words.Count(int(n)) }},
	{name: "Heard", title: "Time since the apiserver was last heard from", chart: func(m *inspection.Meter) inspection.Chart { return m.Heard }, format: func(n float32) string { return words.Seconds(int64(n)) }},
	{name: "Store", title: "Longest time from socket to store", chart: func(m *inspection.Meter) inspection.Chart { return m.Store }, format: millis},
	{name: "Paint", title: "Longest time from store to screen", chart: func(m *inspection.Meter) inspection.Chart { return m.Paint }, format: millis},
	{name: "Stalls", title: "Times a stream waited for credit", chart: func(m *inspection.Meter) inspection.Chart { return m.Stalls }, total: func(s *inspection.Source) string { return words.Count(s.Stalls) }},
	{name: "Resumes", title: "Watches resumed without a list", chart: func(m *inspection.Meter) inspection.Chart { return m.Resumes }, total: func(s *inspection.Source) string { return words.Count(s.Resumes) }},
	{name: "Relists", title: "Lists reloaded, and why the last one was; each cell's tooltip has the last five", chart: func(m *inspection.Meter) inspection.Chart { return m.Relists }, total: func(s *inspection.Source) string { return words.Count(s.Relists) }},
	{name: "Indexes", title: "Values in all indexes; each cell's tooltip has every index", chart: func(m *inspection.Meter) inspection.Chart { return m.Indexes }, total: indexes},
	{name: "Memory", title: "Size of packed objects; its chart begins when the Inspector is opened", chart: func(m *inspection.Meter) inspection.Chart { return m.Packed }, total: func(s *inspection.Source) string { return words.Bytes(float64(s.Packed)) }},
}

// text returns the text of the column's cell of a source.
func (c column) text(s *inspection.Source) string {
	switch {
	case c.total != nil:
		return c.total(s)
	case s.Meter == nil:
		return "–"
	}
	return c.format(c.chart(s.Meter).Now)
}

// cells returns the texts of a source's row, which begins with a name.
func cells(s *inspection.Source, name string) []string {
	out := []string{name}
	for _, c := range columns[1:] {
		out = append(out, c.text(s))
	}
	return out
}

// drawSource draws the cells of a source. The first is its name.
func drawSource(s *inspection.Source) []app.UI {
	out := []app.UI{app.Elem("th").Attr("scope", "row").Title(s.Selector).Text(name(s))}
	for _, c := range columns[1:] {
		cell := []app.UI{app.Span().Text(c.text(s))}
		if s.Meter != nil && c.chart != nil {
			cell = append(cell, ui.Sparkline(c.chart(s.Meter).Series, 1, ""))
		}
		if c.name == "Relists" && s.Relists > 0 {
			cell = append(cell, app.Div().Class("dim").Text(reason(s)))
		}
		out = append(out, app.Elem("td").Title(details(s, c.name)).Body(cell...))
	}
	return out
}

// name returns a source's name on screen.
func name(s *inspection.Source) string {
	name := s.Resource
	if s.Namespace != "" {
		name += " in " + s.Namespace
	}
	if s.Selector != "" {
		name += " (selected)"
	}
	if s.Elsewhere {
		name += " · context " + s.Context
	}
	return name
}

func audits(s *inspection.Source) string {
	text := words.Count(s.Checks.Audits)
	switch {
	case s.Checks.Differences > 0:
		text += " · " + words.Count(s.Checks.Differences) + " with differences"
	case s.Checks.Unaudited != "":
		text += " · failed"
	}
	return text
}

func indexes(s *inspection.Source) string {
	values := 0
	for _, x := range s.Indexes {
		values += x.Values
	}
	return words.Count(values)
}

// rate returns a number with a decimal if it is small.
func rate(n float32) string {
	return strconv.FormatFloat(float64(n), 'f', min(1, max(0, int(10-n))), 32)
}

func millis(n float32) string { return strconv.FormatFloat(float64(n), 'f', 1, 32) + " ms" }

// reason returns why the list was last reloaded.
func reason(s *inspection.Source) string {
	if len(s.Relistings) == 0 {
		return ""
	}
	return s.Relistings[len(s.Relistings)-1].Cause
}

// details returns what a cell's tooltip says: why each of the last lists was reloaded, or the size of
// each index.
func details(s *inspection.Source, column string) string {
	var lines []string
	switch column {
	case "Relists":
		if earlier := s.Relists - len(s.Relistings); earlier > 0 {
			lines = append(lines, words.Count(earlier)+" earlier")
		}
		for _, r := range s.Relistings {
			lines = append(lines, words.Stamp(r.At)+" "+r.Cause)
		}
	case "Indexes":
		for _, x := range s.Indexes {
			line := x.Name + ": " + words.CountOf(x.Values, "value")
			if x.Broken > 0 {
				line += ", " + words.CountOf(x.Broken, "object") + " left out"
			}
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
