package hub

import (
	"time"

	"watchglass/internal/hub/inspect"
)

// sources returns the sources of the cluster, to be inspected.
func (c *Cluster) sources() inspect.Sources {
	return inspect.Sources{Factory: c.factory, Kinds: c.kinds, Link: c.Link()}
}

// readMeters returns the state of all sources, with their charts.
func (c *Cluster) readMeters(now time.Time) []inspect.Source {
	return c.sources().ReadMeters(&c.meters, now)
}

// summary returns the state of the cluster's connection, and how many sources and objects it holds.
func (c *Cluster) summary() inspect.Cluster {
	link := c.client.Link()
	out := inspect.Cluster{Context: c.context, Connected: link.Connected, Unsaved: inspect.Words(c.lists.Failed())}
	if link.Welcome != nil {
		out.Server = link.Welcome.Server
	}
	out.Count(c.factory)
	return out
}
