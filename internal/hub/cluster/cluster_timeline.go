package cluster

import (
	"context"

	"watchglass/internal/history"
	"watchglass/internal/hub/problems"
	"watchglass/internal/hub/timelines"
	"watchglass/internal/object"
)

// timelineHost is the cluster as its timelines.Tracker sees it.
type timelineHost struct{ *Cluster }

var _ timelines.Host = timelineHost{}

// Find returns a kind by its name.
func (h timelineHost) Find(name string) (object.Kind, bool) { return h.Kinds.Find(name) }

// Start runs a function that ends with the cluster.
func (h timelineHost) Start(f func(ctx context.Context)) { h.Cluster.Start(func() { f(h.Ctx) }) }

// Watch leases what the problems are found in: nodes, pods, workloads and events.
func (h timelineHost) Watch() (release func()) { return h.Lease(problems.Kind, "", nil).Release }

// Changed lets the pages see a new picture.
func (h timelineHost) Changed() { h.RequestStep() }

// Record returns what is remembered of the cluster. Any goroutine may call it.
func (c *Cluster) Record() history.Record {
	if c.Recorded != nil {
		return c.Recorded
	}
	return c.History
}

// Moment returns the moment of the past that the cluster is shown at, in unix milliseconds; 0 if it is
// live.
func (c *Cluster) Moment() int64 {
	if c.Relay == nil {
		return 0
	}
	return c.Relay.At().UnixMilli()
}
