package cluster

import (
	"time"

	"watchglass/internal/hub/inspect"
	"watchglass/internal/informer"
	"watchglass/internal/inspection"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// Sources returns the sources of the cluster, to be inspected.
func (c *Cluster) Sources() inspect.Sources {
	return inspect.Sources{Factory: c.Factory, Kinds: c.Kinds, Link: c.Link()}
}

// ReadMeters returns the state of all sources, with their charts.
func (c *Cluster) ReadMeters(now time.Time) []inspection.Source {
	return c.Sources().ReadMeters(&c.Meters, now)
}

// Inspect returns the state of the cluster's connection, and how many sources and objects it holds.
func (c *Cluster) Inspect() inspection.Cluster {
	link := c.Client.Link()
	out := inspection.Cluster{Context: c.Context, Connected: link.Connected, Unsaved: inspect.Words(c.Lists.Failed())}
	if link.Welcome != nil {
		out.Server = link.Welcome.Server
	}
	c.Factory.Each(func(_ wire.Request, i *informer.Informer[*object.Object]) {
		out.Sources++
		out.Objects += i.Store().Len()
	})
	return out
}
