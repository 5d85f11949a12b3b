package hub

import "watchglass/internal/history"

// kept returns the history of a live cluster, including the part on disk.
func (c *Cluster) kept() history.Tape {
	if c.archive == nil || !c.archive.Status().On {
		return c.history
	}
	return c.archive.Tape(c.ctx, c.history)
}
