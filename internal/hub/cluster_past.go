package hub

import (
	"time"

	"watchglass/internal/hub/source"
	"watchglass/internal/wire"
)

// now returns the time in the cluster. In the past, that is the moment shown.
func (c *Cluster) now() time.Time {
	if c.relay != nil {
		return c.relay.At()
	}
	return time.Now()
}

// timeOf returns the time in the cluster, given the loop's time.
func (c *Cluster) timeOf(now time.Time) time.Time {
	if c.relay != nil {
		return c.relay.At()
	}
	return now
}

// hold leases all sources in use, except the lists that the hub makes itself.
func (c *Cluster) hold() []*source.Lease {
	return c.factory.Hold(func(r wire.Request) bool { return !readsProblems(r) })
}

// release lets go of what hold has leased.
func release(held []*source.Lease) {
	for _, lease := range held {
		lease.Release()
	}
}

// close ends the cluster once nobody uses it.
func (c *Cluster) close() {
	if c.relay == nil {
		if c.archive != nil {
			c.archive.Leave(c.history)
		}
		c.history.Close()
	}
	if c.SessionOver() { // a list that is being saved would stay
		c.lists.Clear()
	}
	c.end()
}
