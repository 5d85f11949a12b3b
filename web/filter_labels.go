package web

import (
	"encoding/json"
	"strings"
	"time"

	"watchglass/internal/port"
	"watchglass/internal/query"
)

// labelCounts are the names of labels, or the values of one, with how many objects
// have each.
type labelCounts struct {
	counts []query.Counted
	at     time.Time // when they were asked for
}

// labelsFor is how long counts serve.
const labelsFor = 10 * time.Second

// labelled is what is known of a label's values, or, without a key, of the names of
// labels. It asks the worker if that is nothing, or old, and suggests anew when it
// has answered.
func (fb *filterBar) counted(key string) []query.Counted {
	known := fb.labels[key]
	if fb.labels == nil {
		fb.labels = make(map[string]labelCounts)
	}
	if now := time.Now(); now.Sub(known.at) > labelsFor {
		known.at = now
		fb.labels[key] = known
		fb.askLabels(key)
	}
	return known.counts
}

// askLabels asks the worker. What it answers of another resource comes too late.
func (fb *filterBar) askLabels(key string) {
	args, err := json.Marshal([]string{key})
	if err != nil {
		return
	}
	begun := fb.list.begun
	fb.ask("labels", args, func(a port.Answer) {
		var counts []query.Counted
		if a.Error != "" || json.Unmarshal(a.Value, &counts) != nil {
			return // nothing is shown yet
		}
		if fb.list.begun == begun {
			fb.labels[key] = labelCounts{counts, fb.labels[key].at}
			fb.recount()
			fb.list.look() // what is suggested may become something
		}
		fb.redraw()
	})
}

// labelValues are those that begin with a prefix: of the field "label", names.
func (fb *filterBar) labelValues(field, prefix string) []query.Counted {
	key := ""
	if field != "label" {
		key = strings.TrimPrefix(field, query.LabelPrefix)
	}
	var out []query.Counted
	for _, c := range fb.counted(key) {
		if query.Begins(field, c.Text, prefix) {
			out = append(out, c)
		}
	}
	return out
}
