package cluster

import (
	"time"

	"watchglass/internal/hub/inspect"
)

// Sources returns the sources of the cluster, to be inspected.
func (c *Cluster) Sources() inspect.Sources {
	return inspect.Sources{Factory: c.Factory, Kinds: c.Kinds, Link: c.Link()}
}

// ReadMeters returns the state of all sources, with their charts.
func (c *Cluster) ReadMeters(now time.Time) []inspect.Source {
	return c.Sources().ReadMeters(&c.Meters, now)
}

// Inspect returns the state of the cluster's connection, and how many sources and objects it holds.
func (c *Cluster) Inspect() inspect.Cluster {
	link := c.Client.Link()
	out := inspect.Cluster{Context: c.Context, Connected: link.Connected, Unsaved: inspect.Words(c.Lists.Failed())}
	if link.Welcome != nil {
		out.Server = link.Welcome.Server
	}
	out.Count(c.Factory)
	return out
}
