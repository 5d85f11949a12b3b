package pane

import (
	"encoding/json"
	"time"

	"watchglass/internal/detail/related"
	"watchglass/internal/hub/loop"
)

// relatedPane shows what is related to an object, as a graph.
type relatedPane struct {
	near    *neighbours
	search  *search
	options related.Options
	swept   int // how many sweeps of options.Sweep have begun
	docs    loop.Sender
}

// NewRelated opens the related objects of an object.
func NewRelated(h Host, s Subject) Pane {
	near := newNeighbours(h, s)
	near.needs = func(g related.Graph) []related.Need { return related.Needs(near.focus, g) }
	return &relatedPane{near: near, search: newSearch(near, s)}
}

var _ Open = NewRelated

// Object does nothing: the lists have the object too.
func (p *relatedPane) Object(Version) {}

// Options sets how many sweeps were requested.
func (p *relatedPane) Options(raw json.RawMessage) {
	_ = json.Unmarshal(raw, &p.options) // there may be none
}

// Close releases the lists.
func (p *relatedPane) Close() { p.near.close() }

// Update returns the graph of related objects, and begins a requested sweep.
func (p *relatedPane) Update(now time.Time) []byte {
	g, changed := p.near.update(now)
	if p.options.Sweep > p.swept && len(p.search.candidates) > 0 && p.search.beginSweep() {
		p.swept = p.options.Sweep
	}
	if !changed {
		return nil
	}
	unknown, coming := p.near.failures(now)
	g.Nodes = append(g.Nodes, unknown...)
	return p.docs.Encode(related.Picture{Graph: g, Coming: coming, Searched: p.search.report()})
}
