package web

import (
	"watchglass/internal/query"
	"watchglass/web/columns"
)

var _ columns.Host = (*page)(nil)

// Labels returns the names of the labels of the list's objects, as last counted.
func (p *page) Labels() []query.Counted { return p.filter.Labels() }

// CountLabels asks the worker to count the names of labels again.
func (p *page) CountLabels() { p.filter.CountLabels() }
