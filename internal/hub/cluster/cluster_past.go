package cluster

import (
	"time"

	"watchglass/internal/hub/source"
	"watchglass/internal/wire"
)

// Now returns the time in the cluster. In the past, that is the moment shown.
func (c *Cluster) Now() time.Time {
	if c.Relay != nil {
		return c.Relay.At()
	}
	return time.Now()
}

// TimeOf returns the time in the cluster, given the loop's time.
func (c *Cluster) TimeOf(now time.Time) time.Time {
	if c.Relay != nil {
		return c.Relay.At()
	}
	return now
}

// Hold leases all sources in use, except the lists that the hub makes itself.
func (c *Cluster) Hold() []*source.Lease {
	return c.Factory.Hold(func(r wire.Request) bool { return !c.Local.Answers(r) })
}

// ReleaseAll releases what Hold has leased.
func ReleaseAll(held []*source.Lease) {
	for _, lease := range held {
		lease.Release()
	}
}

// Close ends the cluster once nobody uses it.
func (c *Cluster) Close() {
	if c.Relay == nil {
		if c.Archive != nil {
			c.Archive.Leave(c.History)
		}
		c.History.Close()
	}
	if c.SessionOver() { // a list that is being saved would stay
		c.Lists.Clear()
	}
	c.end()
}
