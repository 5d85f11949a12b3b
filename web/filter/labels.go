package filter

import (
	"encoding/json"
	"strings"
	"time"

	"watchglass/internal/port"
	"watchglass/internal/query"
)

// labelCounts are the names of all labels, or the values of one label, with the number of
// objects for each.
type labelCounts struct {
	counts []query.ValueCount
	at     time.Time // when they were requested
}

// labelsFor is how long counts are reused.
const labelsFor = 10 * time.Second

// Labels returns the names of the labels that objects of the list have, as last counted.
func (fb *Bar) Labels() []query.ValueCount { return fb.labels[""].counts }

// CountLabels asks the worker to count the names of labels again, unless that was done lately.
func (fb *Bar) CountLabels() { fb.counted("") }

// counted returns the known values of a label, or the names of all labels if the key is empty.
// If the counts are missing or old, it asks the worker; the answer updates the suggestions.
func (fb *Bar) counted(key string) []query.ValueCount {
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

// askLabels asks the worker for counts. An answer that belongs to another resource is dropped.
func (fb *Bar) askLabels(key string) {
	args, err := json.Marshal([]string{key})
	if err != nil {
		return
	}
	list := fb.lists
	fb.host.Ask("labels", args, func(a port.Answer) {
		var counts []query.ValueCount
		if a.Error != "" || json.Unmarshal(a.Value, &counts) != nil {
			return // the list has not loaded yet
		}
		if fb.lists == list {
			fb.labels[key] = labelCounts{counts, fb.labels[key].at}
			fb.Recount()
			fb.host.SendQueries() // the text may now match a suggestion
		}
		fb.host.Redraw()
	})
}

// labelValues returns the values of a label field that begin with a prefix. For the field
// "label" these are label names.
func (fb *Bar) labelValues(field, prefix string) []query.ValueCount {
	key := ""
	if field != "label" {
		key = strings.TrimPrefix(field, query.LabelPrefix)
	}
	var out []query.ValueCount
	for _, c := range fb.counted(key) {
		if query.Begins(field, c.Text, prefix) {
			out = append(out, c)
		}
	}
	return out
}
