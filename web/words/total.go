package words

import (
	"strconv"
	"strings"
	"time"

	"watchglass/internal/port"
	"watchglass/internal/series"
	"watchglass/internal/view"
)

// Total are what the strip says about a total.
type Total struct {
	Name, Figure, Of string // no figure if it is not known
	Tone             string // of the figure
}

// Said returns the words for screen readers: "Nodes not ready: 1 of 42".
func (w Total) Said() string { return w.Name + ": " + strings.TrimSpace(w.Figure+" "+w.Of) }

// totalName returns the name of a total, and what it counts.
func totalName(name string) (shown, objects string) {
	switch name {
	case "nodes":
		return "Nodes not ready", name
	case "pods":
		return "Pods not ready", name
	case "workloads":
		return "Workload problems", name
	}
	return "Warnings", "events"
}

// TotalOf returns the words for a total. It has a number only if that is complete, or was: then they say
// when.
func TotalOf(t port.Total) (w Total) {
	w.Tone = "pending"
	name, objects := totalName(t.Name)
	w.Name = name
	if resource, _, _ := strings.Cut(t.Gap.Resource, "."); resource != "" {
		objects = resource
	}
	stale := t.Gap.State == port.Stale || t.Gap.State == port.Offline || t.Gap.State == port.Throttled
	switch {
	case t.Gap.State == port.Live, t.Gap.State == view.Partial, t.Gap.State == view.Unread, stale && !t.At.IsZero():
	case t.Gap.State == port.Denied:
		w.Of = "No permission to list " + objects
		return w
	default:
		w.Of = Badge(port.State{Source: port.Source{State: t.Gap.State}})
		if stale {
			w.Tone = "warning"
		} else if t.Gap.Cause != "" {
			w.Of, w.Tone = "Can't list "+objects, "warning"
		}
		return w
	}
	if stale {
		defer func() { w.Tone, w.Of = "stale", w.Of+" as of "+t.At.Local().Format("15:04:05") }()
	}
	w.Figure, w.Tone = Count(t.Bad), "ok"
	only := ""
	if t.Gap.Only != "" {
		only = " in " + FirstOf(SplitList(t.Gap.Only), 1)
	}
	if t.Gap.State == view.Unread {
		w.Tone, only = "pending", only+", "+Count(t.Gap.Unread)+" can't be read"
	}
	switch {
	case t.Name == "warnings":
		w.Of = "kept from " + strconv.Itoa(int(series.Step.Minutes()*series.Steps)) + " min" + only // the server may have dropped some
		if t.Bad > 0 {
			w.Tone = ""
		}
		return w
	case t.Bad > 0 && t.Name == "nodes":
		w.Tone = "failed"
	case t.Bad > 0:
		w.Tone = "warning"
	}
	if t.Of == 0 {
		w.Tone = "" // nothing is well
	}
	w.Of = "of " + Count(t.Of) + only
	if t.Name == "workloads" { // one may have several
		w.Of = "in " + CountOf(t.Of, "workload") + only
	}
	return w
}

// Unlisted says which pods are not ready though no row is about them: "2 pods not ready and in no row:
// checkout/web-1, checkout/web-2; the first 40s ago".
func Unlisted(u port.UnlistedPods, now time.Time) string {
	text := CountOf(u.Pods, "pod") + " not ready and in no row: " + FirstOf(u.Names, 3)
	if more := u.Pods - len(u.Names); more > 0 {
		text += " and " + Count(more) + " more"
	}
	return text + "; the first " + Since(u.Since, now)
}
