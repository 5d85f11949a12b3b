package cluster

import "watchglass/internal/history"

// Kept returns the history of a live cluster, including the part on disk.
func (c *Cluster) Kept() history.Record {
	if c.Archive == nil || !c.Archive.Status().On {
		return c.History
	}
	return c.Archive.Record(c.Ctx, c.History)
}
