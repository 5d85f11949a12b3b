package web

import (
	"watchglass/internal/query"
	"watchglass/web/columns"
)

var _ columns.Host = (*page)(nil)

// Labels returns the names of the labels of the list's objects, as last counted.
func (p *page) Labels() []query.ValueCount { return p.filter.Labels() }

// CountLabels has the names of labels counted again, unless that was done lately.
func (p *page) CountLabels() { p.filter.CountLabels() }
