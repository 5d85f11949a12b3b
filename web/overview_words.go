package web

import (
	"strconv"
	"strings"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/port"
	"watchglass/internal/series"
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
		return "Nodes ready", name
	case "pods":
		return "Pods not ready", name
	case "workloads":
		return "Workload problems", name
	}
	return "Warnings", "events"
}

// wordsOf returns the words for a total. It has a number only while that is complete.
func wordsOf(t port.Total) totalWords {
	w := totalWords{tone: "pending"}
	name, objects := totalName(t.Name)
	w.name = name
	switch t.State {
	case port.Live:
	case port.Denied:
		w.of = "No permission to list " + objects
		return w
	case port.Stale, port.Offline:
		w.tone = "warning"
		fallthrough
	default:
		w.of = Badge(port.State{Source: port.Source{State: t.State}})
		return w
	}
	w.figure, w.tone = Count(t.Bad), "ok"
	switch {
	case t.Name == "warnings":
		w.of = "in " + strconv.Itoa(int(series.Step.Minutes()*series.Steps)) + " min"
		if t.Bad > 0 {
			w.tone = ""
		}
		return w
	case t.Name == "nodes":
		if w.figure = Count(t.Of - t.Bad); t.Bad > 0 {
			w.tone = "failed"
		}
	case t.Bad > 0:
		w.tone = "warning"
	}
	if t.Of == 0 {
		w.tone = "" // nothing is well
	}
	w.of = "of " + Count(t.Of)
	if t.Name == "workloads" { // one may have several
		w.of = "in " + Count(t.Of) + " workloads"
	}
	return w
}

// said returns the words for screen readers: "Nodes ready: 41 of 42".
func (w totalWords) said() string { return w.name + ": " + strings.TrimSpace(w.figure+" "+w.of) }

const deniedWords = "no permission to list"

// sourceWords says why a list is not complete, and whether it is still coming.
func sourceWords(state string) (words string, coming bool) {
	switch state {
	case port.Denied:
		return deniedWords, false
	case port.Gone:
		return "not served by this cluster", false
	case port.Stale, port.Offline:
		return state, false
	}
	return "loading", true
}

// newImage says that a container is new.
const newImage = " (new)"

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
