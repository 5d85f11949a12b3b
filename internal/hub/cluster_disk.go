package hub

import "watchglass/internal/history"

// kept returns what is remembered of a live cluster, with what is on disk.
func (c *Cluster) kept() history.Tape {
	if c.archive == nil || !c.archive.Status().On {
		return c.history
	}
	return c.archive.Tape(c.ctx, c.history)
}
