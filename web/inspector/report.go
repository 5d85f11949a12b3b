package inspector

import (
	"strings"
	"time"

	"watchglass/internal/inspection"
	"watchglass/web/words"
)

// facts returns the inspector's facts about the worker.
func facts(h *inspection.Hub) []string {
	worker := "this tab's worker"
	if h.Worker.Shared {
		worker = "worker shared by " + words.CountOf(len(h.Pages), "tab")
	}
	return []string{
		worker + ", running since " + words.Stamp(h.Worker.Since), "heap " + words.Bytes(float64(h.Memory.Worker)),
		"packed objects " + words.Bytes(float64(h.Packed.Bytes)) + " of " + words.Bytes(float64(h.Packed.Limit)) + ", " + words.Count(h.Packed.Dropped) + " dropped",
		"history " + words.Bytes(float64(h.History.Bytes)) + " of " + words.Bytes(float64(h.History.Limit)),
	}
}

// report returns the inspector's contents as text for a bug report, without object names, addresses
// or server messages. Its time is when the figures came, and silence says that the worker has not
// answered since.
func report(h *inspection.Hub, version string, heard time.Time, silence string) string {
	var out strings.Builder
	out.WriteString("Watchglass " + version + ", " + words.Stamp(heard) + "\n")
	if silence != "" {
		out.WriteString(silence + "\n")
	}
	out.WriteString(strings.Join(facts(h), "\n") + "\n\n")
	var names []string
	for _, c := range columns {
		names = append(names, c.name)
	}
	out.WriteString(strings.Join(names, "\t") + "\n")
	for _, s := range h.Sources {
		out.WriteString(strings.Join(cells(&s, anonymous(&s)), "\t") + "\n")
	}
	for _, s := range h.Sources {
		for _, x := range s.Indexes {
			out.WriteString("\nindex\t" + s.Resource + "\t" + x.Name + "\t" + words.Count(x.Values))
		}
		for _, r := range s.Relistings {
			out.WriteString("\nrelist\t" + words.Stamp(r.At) + "\t" + s.Resource + "\t" + r.Cause)
		}
	}
	return out.String()
}

// anonymous returns a source's name without object names, of which a namespace's is one, and without
// its context's.
func anonymous(s *inspection.Source) string {
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
