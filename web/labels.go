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
func (p *Page) labelled(key string) []query.Counted {
	known := p.labels[key]
	if p.labels == nil {
		p.labels = make(map[string]labelCounts)
	}
	if now := time.Now(); now.Sub(known.at) > labelsFor {
		known.at = now
		p.labels[key] = known
		p.askLabels(key)
	}
	return known.counts
}

// askLabels asks the worker. What it answers of another resource comes too late.
func (p *Page) askLabels(key string) {
	args, err := json.Marshal([]string{key})
	if err != nil {
		return
	}
	begun := p.begun
	p.ask("labels", args, func(a port.Answer) {
		var counts []query.Counted
		if a.Error != "" || json.Unmarshal(a.Value, &counts) != nil {
			return // nothing is shown yet
		}
		p.mu.Lock()
		if p.begun == begun {
			p.labels[key] = labelCounts{counts, p.labels[key].at}
			p.recount()
			p.look() // what is suggested may become something
		}
		p.mu.Unlock()
		p.redraw()
	})
}

// labelValues are those that begin with a prefix: of the field "label", names.
func (p *Page) labelValues(field, prefix string) []query.Counted {
	key := ""
	if field != "label" {
		key = strings.TrimPrefix(field, query.LabelPrefix)
	}
	var out []query.Counted
	for _, c := range p.labelled(key) {
		if query.Begins(field, c.Text, prefix) {
			out = append(out, c)
		}
	}
	return out
}
