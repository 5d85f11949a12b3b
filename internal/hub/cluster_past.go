package hub

import (
	"time"

	"watchglass/internal/hub/source"
	"watchglass/internal/wire"
)

// now returns the time in the cluster: the moment that is shown of one in the past.
func (c *Cluster) now() time.Time {
	if c.relay != nil {
		return c.relay.At()
	}
	return time.Now()
}

// timeOf returns the time in the cluster at a time of the loop.
func (c *Cluster) timeOf(now time.Time) time.Time {
	if c.relay != nil {
		return c.relay.At()
	}
	return now
}

// hold leases all sources that are in use, except for those that the tab makes itself.
func (c *Cluster) hold() []*source.Lease {
	return c.factory.Hold(func(r wire.Request) bool { return !readsProblems(r) })
}

// close ends the cluster, which nobody uses any more.
func (c *Cluster) close() {
	if c.relay == nil {
		if c.archive != nil {
			c.archive.Leave(c.history)
		}
		c.history.Close()
	}
	c.end()
}
