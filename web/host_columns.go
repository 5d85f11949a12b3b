package web

import (
	"watchglass/internal/query"
	"watchglass/internal/view"
	"watchglass/web/columns"
)

var _ columns.Host = (*page)(nil)

// Window returns what the list shows. It is to be read only.
func (p *page) Window() *view.Window { return &p.list.window }

// Paint paints the rows again.
func (p *page) Paint() { p.list.paint() }

// Pixels returns how wide a column is painted; 0 if it isn't.
func (p *page) Pixels(column string) int {
	if p.list.grid == nil {
		return 0
	}
	return p.list.grid.Pixels(column)
}

// Labels returns the names of the labels of the list's objects, as last counted.
func (p *page) Labels() []query.Counted { return p.filter.labels[""].counts }

// CountLabels has the names of labels counted again.
func (p *page) CountLabels() { p.filter.counted("") }
