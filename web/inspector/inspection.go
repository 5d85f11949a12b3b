package inspector

import (
	"strconv"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/web/ui"
	"watchglass/web/words"
)

// inspection is the worker's answer.
type inspection struct {
	Sources []source
	Worker  struct {
		Name   string
		Shared bool
		Since  time.Time
	}
	Pages  []struct{ Visible bool }
	Packed struct {
		Bytes, Limit int64
		Dropped      int
	}
	History struct{ Bytes, Limit int64 }
	Memory  struct{ Worker int64 }
}

// facts returns the inspector's facts about the worker.
func (in *inspection) facts() []string {
	worker := "this tab's worker"
	if in.Worker.Shared {
		worker = "worker shared by " + words.CountOf(len(in.Pages), "tab")
	}
	return []string{
		worker + ", running since " + words.Stamp(in.Worker.Since), "heap " + words.Bytes(float64(in.Memory.Worker)),
		"packed objects " + words.Bytes(float64(in.Packed.Bytes)) + " of " + words.Bytes(float64(in.Packed.Limit)) + ", " + words.Count(in.Packed.Dropped) + " dropped",
		"history " + words.Bytes(float64(in.History.Bytes)) + " of " + words.Bytes(float64(in.History.Limit)),
	}
}

// report returns the inspector's contents as text for a bug report, without object names, addresses
// or server messages. Its time is when the figures came, and silence says that the worker has not
// answered since.
func (in *inspection) report(version string, heard time.Time, silence string) string {
	var out strings.Builder
	out.WriteString("Watchglass " + version + ", " + words.Stamp(heard) + "\n")
	if silence != "" {
		out.WriteString(silence + "\n")
	}
	out.WriteString(strings.Join(in.facts(), "\n") + "\n\n")
	out.WriteString(strings.Join(columns, "\t") + "\n")
	for _, s := range in.Sources {
		out.WriteString(strings.Join(s.cells(s.anonymous()), "\t") + "\n")
	}
	for _, s := range in.Sources {
		for _, x := range s.Indexes {
			out.WriteString("\nindex\t" + s.Resource + "\t" + x.Name + "\t" + words.Count(x.Values))
		}
		for _, r := range s.Relistings {
			out.WriteString("\nrelist\t" + words.Stamp(r.At) + "\t" + s.Resource + "\t" + r.Cause)
		}
	}
	return out.String()
}

// source is one source.
type source struct {
	Resource, Namespace, Selector, Encoding, State string
	Context                                        string // if Elsewhere
	Elsewhere                                      bool   // in another context than the page
	Objects, Resumes, Relists, Stalls, Packed      int
	Bytes                                          int64
	Indexes                                        []struct {
		Name           string
		Values, Broken int
	}
	Relistings []struct {
		At    time.Time
		Cause string
	}
	Checks struct {
		Audits, Differences int
		Audited             time.Time
		Unaudited           string
	}
	Meter *struct {
		Now    [meterMeasures]float32
		Series [meterCharts][]float32
	}
}

// draw draws the cells of a source. The first is its name; the last have charts.
func (s *source) draw() (cells []app.UI) {
	texts := s.cells(s.name())
	cells = append(cells, app.Elem("th").Attr("scope", "row").Title(s.Selector).Text(texts[0]))
	for i, text := range texts[1:] {
		cell, at := []app.UI{app.Span().Text(text)}, i+1-chartsFirst
		if s.Meter != nil && at >= 0 {
			cell = append(cell, ui.Sparkline(s.Meter.Series[at], 1, ""))
		}
		if columns[i+1] == "Relists" && s.Relists > 0 {
			cell = append(cell, app.Div().Class("dim").Text(s.reason()))
		}
		cells = append(cells, app.Elem("td").Title(s.details(columns[i+1])).Body(cell...))
	}
	return cells
}

// name returns the source's name on screen.
func (s *source) name() string {
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

// anonymous returns the source's name without object names, of which a namespace's is one, and without
// its context's.
func (s *source) anonymous() string {
	name := s.Resource
	if s.Namespace != "" {
		name += " in a namespace"
	}
	if s.Selector != "" {
		name += " (selected)"
	}
	if s.Elsewhere {
		name += " · another context"
	}
	return name
}

// cells returns the source's row of the table.
func (s *source) cells(name string) []string {
	audits := words.Count(s.Checks.Audits)
	switch {
	case s.Checks.Differences > 0:
		audits += " · " + words.Count(s.Checks.Differences) + " with differences"
	case s.Checks.Unaudited != "":
		audits += " · failed"
	}
	out := []string{name, s.State, words.Count(s.Objects), words.Bytes(float64(s.Bytes)), audits}
	for i := range meterMeasures {
		if s.Meter == nil {
			out = append(out, "–")
			continue
		}
		out = append(out, measured(i, s.Meter.Now[i]))
	}
	values := 0
	for _, x := range s.Indexes {
		values += x.Values
	}
	return append(out, words.Count(s.Stalls), words.Count(s.Resumes), words.Count(s.Relists), words.Count(values), words.Bytes(float64(s.Packed)))
}

// reason returns why the list was last reloaded.
func (s *source) reason() string {
	if len(s.Relistings) == 0 {
		return ""
	}
	return s.Relistings[len(s.Relistings)-1].Cause
}

// details returns what a cell's tooltip says: why each of the last lists was reloaded, or the size of
// each index.
func (s *source) details(column string) string {
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

// columns are the inspector's columns. Those with charts are the last, in the order of the
// meter's charts.
var columns = []string{"Source", "State", "Objects", "Received", "Audits", "Events/s", "Data/s", "Queue", "Heard", "Store", "Paint", "Stalls", "Resumes", "Relists", "Indexes", "Memory"}

// titles explain the columns.
var titles = []string{
	"Kind and namespace", "Freshness", "Objects in the store", "Total bytes received", "Comparisons with the apiserver, and how many found differences",
	"Events per second", "Bytes per second", "Objects waiting to be stored",
	"Time since the apiserver was last heard from", "Longest time from socket to store", "Longest time from store to screen",
	"Times a stream waited for credit", "Watches resumed without a list", "Lists reloaded, and why the last one was; each cell's tooltip has the last five",
	"Values in all indexes; each cell's tooltip has every index", "Size of packed objects; its chart begins when the Inspector is opened",
}

// The meter's measures have a value of their own. The charts after those are of totals.
const (
	chartsFirst   = 5
	meterMeasures = 6
	meterCharts   = 11
)

// measured formats a value of one of the meter's measures.
func measured(column int, n float32) string {
	switch column {
	case 0:
		return strconv.FormatFloat(float64(n), 'f', min(1, max(0, int(10-n))), 32)
	case 1:
		return words.Bytes(float64(n))
	case 2:
		return words.Count(int(n))
	case 3:
		return words.Seconds(int64(n))
	}
	return strconv.FormatFloat(float64(n), 'f', 1, 32) + " ms"
}
