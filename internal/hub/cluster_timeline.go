package hub

import (
	"context"

	"watchglass/internal/history"
	"watchglass/internal/hub/problems"
	"watchglass/internal/hub/timelines"
	"watchglass/internal/object"
)

// timelineHost is the cluster as its timelines.Board sees it.
type timelineHost struct{ *Cluster }

var _ timelines.Host = timelineHost{}

// Tape returns what is remembered of the cluster.
func (h timelineHost) Tape() history.Tape { return h.tape() }

// Find returns a kind by its name.
func (h timelineHost) Find(name string) (object.Kind, bool) { return h.kinds.Find(name) }

// Start runs a function that ends with the cluster.
func (h timelineHost) Start(f func(ctx context.Context)) { h.Cluster.Start(func() { f(h.ctx) }) }

// Watch leases what the problems are found in: nodes, pods, workloads and events.
func (h timelineHost) Watch() (release func()) { return h.lease(problems.Kind, "", nil).Release }

// Moment returns the moment of the past that the cluster is shown at, in unix milliseconds; 0 if it is live.
func (h timelineHost) Moment() int64 { return h.moment() }

// Changed lets the pages see a new picture.
func (h timelineHost) Changed() { h.RequestStep() }

// tape returns what is remembered of the cluster. Any goroutine may call it.
func (c *Cluster) tape() history.Tape {
	if c.recorded != nil {
		return c.recorded
	}
	return c.history
}

// moment returns the moment of the past that the cluster is shown at, in unix milliseconds; 0 if it is
// live.
func (c *Cluster) moment() int64 {
	if c.relay == nil {
		return 0
	}
	return c.relay.At().UnixMilli()
}
