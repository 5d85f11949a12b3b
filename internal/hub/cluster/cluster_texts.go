package cluster

import (
	"weak"

	"watchglass/internal/columns"
	"watchglass/internal/object"
)

// Texts returns the texts that the views of a kind's lists share. They go with the last of these views.
func (c *Cluster) Texts(kind *object.Kind) *columns.Dictionaries {
	texts := c.texts[kind.ID()].Value()
	if texts == nil {
		texts = new(columns.Dictionaries)
		c.texts[kind.ID()] = weak.Make(texts)
	}
	return texts
}
