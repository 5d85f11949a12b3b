package main

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/detail/related"
	"watchglass/internal/object"
)

// relatedPane draws what belongs to the object.
type relatedPane struct {
	*gathering
	layout *related.Layout
	sent   []byte
}

func newRelatedPane(_ context.Context, d *desk, f *focus) pane {
	p := &relatedPane{gathering: newGathering(d, f)}
	p.needs = func(g related.Graph) []related.Need { return related.Needs(p.focus, p.native, g) }
	return p
}

func (p *relatedPane) object(*object.Object, func() (detail.Value, error)) {}

func (p *relatedPane) option(json.RawMessage) {}

func (p *relatedPane) turn(now time.Time) []byte {
	graph, news := p.gather(now)
	if !news {
		return nil
	}
	unknown, coming := p.denied(now)
	graph.Nodes = append(graph.Nodes, unknown...)
	p.layout = related.Arrange(graph, p.layout)
	doc, err := json.Marshal(related.Picture{Graph: graph, Layout: p.layout, Coming: coming})
	if err != nil || bytes.Equal(doc, p.sent) {
		return nil
	}
	p.sent = doc
	return doc
}
