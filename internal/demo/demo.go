//go:build !js

package demo

import (
	"context"
	"net/http"
	"time"

	"watchglass/internal/demo/api"
	"watchglass/internal/demo/store"
)

// Options describe a cluster. The zero value is useful.
type Options struct {
	Seed    uint64
	Pods    int              // approximate number of pods; default 400, at most 100,000
	Now     func() time.Time // the clock; default time.Now
	Pace    float64          // approximate writes per second; default by size
	History int              // events kept per resource; default 10,000
}

// The default and largest sizes.
const (
	standardPods    = 400
	MaxPods         = 100_000
	standardHistory = 10_000
)

// versionOf returns the version of a cluster at the time it is created. It is higher than any
// that an earlier cluster has reached. So a client that watched an earlier cluster and now finds
// this one is told that its version has expired.
func versionOf(begin time.Time) int64 {
	return max((begin.Unix()-1_700_000_000)*1000, 2*creationWrites)
}

// creationWrites is more writes than it takes to create a cluster.
const creationWrites = 10_000_000

// warmUp is how long a cluster has run before anybody sees it. By then rollouts and failures are
// in progress and have left events.
const warmUp = 6 * time.Minute

// Cluster is a cluster in memory. Nothing happens in it except during Run or Advance.
type Cluster struct {
	world *world
	api   *api.Server
	now   func() time.Time
}

// New creates a cluster and advances it to the current time.
func New(o Options) *Cluster {
	if o.Pods <= 0 {
		o.Pods = standardPods
	}
	o.Pods = min(o.Pods, MaxPods)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.History <= 0 {
		o.History = standardHistory
	}
	now := o.Now()
	version := versionOf(now)
	w := newWorld(o, store.New(version-creationWrites, o.History), now.Add(-warmUp))
	w.populate()
	w.scheduleActivities()
	c := &Cluster{world: w, now: o.Now}
	c.api = api.New(api.Options{Store: w.store, Custom: append([]*api.Kind{databaseKind}, api.Metrics...), Now: o.Now, Log: logOf})
	c.Advance(now)
	w.store.Forget(version)
	return c
}

// Handler returns the cluster's apiserver.
func (c *Cluster) Handler() http.Handler { return c.api }

// Advance runs the cluster up to a time. Calls must not be concurrent.
func (c *Cluster) Advance(to time.Time) { c.world.advance(to) }

// Run keeps the cluster running until the context ends.
func (c *Cluster) Run(ctx context.Context) {
	for {
		wait := c.world.next().Sub(c.now())
		select {
		case <-ctx.Done():
			return
		case <-time.After(max(wait, time.Millisecond)):
			c.Advance(c.now())
		}
	}
}
