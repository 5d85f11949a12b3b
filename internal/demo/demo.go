//go:build !js

package demo

import (
	"context"
	"net/http"
	"time"

	"watchglass/internal/demo/api"
	"watchglass/internal/demo/store"
)

// Options say which cluster. The zero value is a good one.
type Options struct {
	Seed    uint64
	Pods    int              // about how many; default 400, at most 100,000
	Now     func() time.Time // the clock; default: the time of day
	Pace    float64          // about how many writes a second; default: by the size
	History int              // how many events of each resource are kept; default 10,000
}

// The sizes that are sensible.
const (
	standardPods    = 400
	MaxPods         = 100_000
	standardHistory = 10_000
)

// versionOf is the version that a cluster has which begins at a time. It is more
// than any that began before has reached: whoever watched that one, and finds
// this one in its place, is told that its version is too old.
func versionOf(begin time.Time) int64 {
	return max((begin.Unix()-1_700_000_000)*1000, 2*madeWithin)
}

// madeWithin is more than it takes to make a cluster.
const madeWithin = 10_000_000

// lived is for how long a cluster lives before anybody sees it: things are under
// way then, and have left their traces.
const lived = 6 * time.Minute

// Cluster is a cluster in memory. It stands still but for Run or Advance.
type Cluster struct {
	world *world
	api   *api.Server
	now   func() time.Time
}

// New makes a cluster whose clock stands at the present.
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
	w := newWorld(o, store.New(version-madeWithin, o.History), now.Add(-lived))
	w.populate()
	w.live()
	c := &Cluster{world: w, now: o.Now}
	c.api = api.New(api.Options{Store: w.store, Custom: []*api.Kind{databaseKind}, Now: o.Now, Log: logOf})
	c.Advance(now)
	w.store.Forget(version)
	return c
}

// Handler is the cluster's apiserver.
func (c *Cluster) Handler() http.Handler { return c.api }

// Advance takes the cluster to a time. Only one may do so at a time.
func (c *Cluster) Advance(to time.Time) { c.world.advance(to) }

// Run lives until the context ends.
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
