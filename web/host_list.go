package web

import "watchglass/internal/view"

// What the list is to other rooms.

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

// Rewind scrolls the list to its top.
func (p *page) Rewind() { p.list.rewind() }

// Look sends the query to the worker, if it changed.
func (p *page) Look() { p.list.look() }

// Panelled reports whether a panel replaces the list.
func (p *page) Panelled() bool { return p.list.panelled() }
