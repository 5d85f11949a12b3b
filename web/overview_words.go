package web

import (
	"strconv"
	"strings"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/port"
	"watchglass/internal/series"
	"watchglass/internal/view"
)

// totalWords are what the strip says about a total.
type totalWords struct {
	name, figure, of string // no figure if it is not known
	tone             string // of the figure
}

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

// wordsOf returns the words for a total. It has a number only if that is complete, or was: then they say
// when.
func wordsOf(t port.Total) (w totalWords) {
	w.tone = "pending"
	name, objects := totalName(t.Name)
	w.name = name
	if resource, _, _ := strings.Cut(t.Gap.Resource, "."); resource != "" {
		objects = resource
	}
	stale := t.Gap.State == port.Stale || t.Gap.State == port.Offline || t.Gap.State == port.Throttled
	switch {
	case t.Gap.State == port.Live, t.Gap.State == view.Partial, t.Gap.State == view.Unread, stale && !t.At.IsZero():
	case t.Gap.State == port.Denied:
		w.of = "No permission to list " + objects
		return w
	default:
		w.of = Badge(port.State{Source: port.Source{State: t.Gap.State}})
		if stale {
			w.tone = "warning"
		} else if t.Gap.Cause != "" {
			w.of, w.tone = "Can't list "+objects, "warning"
		}
		return w
	}
	if stale {
		defer func() { w.tone, w.of = "stale", w.of+" as of "+t.At.Local().Format("15:04:05") }()
	}
	w.figure, w.tone = Count(t.Bad), "ok"
	only := ""
	if t.Gap.Only != "" {
		only = " in " + firstOf(splitList(t.Gap.Only), 1)
	}
	if t.Gap.State == view.Unread {
		w.tone, only = "pending", only+", "+Count(t.Gap.Unread)+" can't be read"
	}
	switch {
	case t.Name == "warnings":
		w.of = "kept from " + strconv.Itoa(int(series.Step.Minutes()*series.Steps)) + " min" + only // the server may have dropped some
		if t.Bad > 0 {
			w.tone = ""
		}
		return w
	case t.Bad > 0 && t.Name == "nodes":
		w.tone = "failed"
	case t.Bad > 0:
		w.tone = "warning"
	}
	if t.Of == 0 {
		w.tone = "" // nothing is well
	}
	w.of = "of " + Count(t.Of) + only
	if t.Name == "workloads" { // one may have several
		w.of = "in " + countOf(t.Of, "workload") + only
	}
	return w
}

// said returns the words for screen readers: "Nodes not ready: 1 of 42".
func (w totalWords) said() string { return w.name + ": " + strings.TrimSpace(w.figure+" "+w.of) }

// unlistedWords says which pods are not ready though no row is about them: "2 pods not ready and in no row:
// checkout/web-1, checkout/web-2; the first 40s ago".
func unlistedWords(u port.Unlisted, now time.Time) string {
	text := countOf(u.Pods, "pod") + " not ready and in no row: " + firstOf(u.Names, 3)
	if more := u.Pods - len(u.Names); more > 0 {
		text += " and " + Count(more) + " more"
	}
	return text + "; the first " + sinceWords(u.Since, now)
}

// newImage says that a container is new.
const newImage = " (new container)"

// imageWords returns what changed in each image, without registries: "api 1.4.2 → 1.5.0".
func imageWords(images []port.ImageChange) []string {
	if len(images) == 0 {
		return []string{"Pod template changed"}
	}
	out := make([]string, len(images))
	for i, c := range images {
		from, version := imageParts(c.From)
		name, to := imageParts(c.To)
		switch {
		case c.From == "":
			out[i] = name + " " + to + newImage
		case from == name:
			out[i] = name + " " + version + " → " + to
		default:
			out[i] = from + " " + version + " → " + name + " " + to
		}
	}
	return out
}

// shortDigest is how many characters of a digest tell a rollout's images apart.
const shortDigest = 7

// rolloutTime says how long ago a rollout was, as far as that is known.
func rolloutTime(r port.Rollout, now time.Time) string {
	if r.After {
		return atMost + sinceWords(r.At, now)
	}
	return sinceWords(r.At, now)
}

// atMost says that something was later than what follows.
const atMost = "at most "

// sinceWords says how long ago something was. It is drawn again every now and then only, and so says
// no seconds of minutes.
func sinceWords(at, now time.Time) string {
	if since := now.Sub(at); since >= 2*time.Minute {
		now = at.Add(since.Truncate(time.Minute))
	}
	return detail.Piece{At: at.Unix()}.Print(now)
}

// imageParts returns the name of an image without its registry, and its tag or the beginning of its
// digest.
func imageParts(image string) (name, version string) {
	_, tail := shortImage(image)
	if name, digest, ok := strings.Cut(tail, "@"); ok {
		name, _, _ = strings.Cut(name, ":")
		return name, digest[:min(len(digest), shortDigest)]
	}
	if name, tag, ok := strings.Cut(tail, ":"); ok {
		return name, tag
	}
	return tail, "latest"
}
