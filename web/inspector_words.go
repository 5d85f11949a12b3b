package web

import (
	"strconv"
	"strings"
	"time"

	"watchglass/web/words"
)

// inspectorColumns are the inspector's columns. Those with charts are the last, in the order of the
// meter's charts.
var inspectorColumns = []string{"Source", "State", "Objects", "Received", "Audits", "Events/s", "Data/s", "Queue", "Heard", "Store", "Paint", "Stalls", "Resumes", "Relists", "Indexes", "Memory"}

// inspectorTitles explain the columns.
var inspectorTitles = []string{
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

// name returns the source's name on screen.
func (s *inspectedSource) name() string {
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
func (s *inspectedSource) anonymous() string {
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
func (s *inspectedSource) cells(name string) []string {
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

// reason returns why the list was last reloaded.
func (s *inspectedSource) reason() string {
	if len(s.Relistings) == 0 {
		return ""
	}
	return s.Relistings[len(s.Relistings)-1].Cause
}

// details returns what a cell's tooltip says: why each of the last lists was reloaded, or the size of
// each index.
func (s *inspectedSource) details(column string) string {
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

// silence returns how long the worker has not answered; "" if it answers in time.
func (in *inspector) silence(now time.Time) string {
	waited := now.Sub(in.asked)
	if in.asked.IsZero() || waited <= silentAfter {
		return ""
	}
	return "No answer for " + words.Seconds(waited.Milliseconds())
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
	out.WriteString(strings.Join(inspectorColumns, "\t") + "\n")
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
