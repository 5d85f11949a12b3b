package cluster

import (
	"watchglass/internal/hub/local"
	"watchglass/internal/hub/problems"
	"watchglass/internal/hub/releases"
	"watchglass/internal/hub/timelines"
	"watchglass/internal/reflector"
)

// addLocal adds the kinds whose rows the hub makes itself.
func (c *Cluster) addLocal() {
	c.Local = local.Kinds{
		{Kind: problems.Kind, Serve: func() (reflector.Source, local.Identity) { return c.Problems, byVersion }, Statuses: c.Problems.Statuses, Namespaces: c.Problems.Namespaces},
		{Kind: timelines.Kind, Serve: func() (reflector.Source, local.Identity) { return timelines.Rows{Tracker: c.Timeline}, byVersion }, Namespaces: c.Problems.Namespaces},
		{Kind: releases.Kind, Derived: true, Printing: releases.Printing, Serve: func() (reflector.Source, local.Identity) {
			return releases.New(c), local.Identity{Same: releases.Same, Stamp: releases.Stamp, ReadStamp: releases.NewReadStamp()}
		}},
	}
	for _, k := range c.Local {
		if k.Derived {
			c.Kinds.Derive(k.Kind, k.Printing)
		} else {
			c.Kinds.Serve(k.Kind)
		}
	}
}
