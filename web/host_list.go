package web

import (
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/web/grid"
	"watchglass/web/list"
)

var _ list.Host = (*page)(nil)

// Look asks the worker about what the page shows now: for its list, and all that follows it.
func (p *page) Look() {
	p.overview.follow()
	opened := p.drawer.follow()
	p.list.Look(opened)
	p.followTimelines()
}

// Mode returns how the page shows the list.
func (p *page) Mode() list.Mode {
	return list.Mode{Past: p.past.On(), Alone: p.frame.only(), Held: p.frame.held, Exporting: p.share.export != nil, Suggesting: p.filter.Suggests()}
}

// Begin begins the list of another resource.
func (p *page) Begin(resource string) {
	p.filter.Begin()
	p.state.Source = port.Source{Resource: resource, State: port.Connecting}
	p.ShowState()
}

// Recount updates the suggestions after counts have changed.
func (p *page) Recount() { p.filter.Recount() }

// Resized tells the host of a frame how high the list is.
func (p *page) Resized() { p.frame.resized() }

// Columns returns the choice of columns.
func (p *page) Columns() list.Columns { return p.columns }

// Objects returns what the rows are of.
func (p *page) Objects() grid.Objects {
	of := objectsOf(p.address, p.state.Source.Kind, p.base)
	of.Past = p.past.On()
	return of
}

// Notes returns what the headings say of columns.
func (p *page) Notes() map[string]string { return p.panel.notes() }

// togglePause holds updates back, or lets them in again. In the past it plays or stops.
func (p *page) togglePause() {
	if p.past.On() {
		p.past.Play()
	} else {
		p.list.TogglePause()
	}
}

// What the list is to other packages.

// Window returns what the list shows. It is to be read only.
func (p *page) Window() *view.Window { return p.list.Window() }

// Paint paints the rows again.
func (p *page) Paint() { p.list.Paint() }

// Pixels returns how wide a column is painted; 0 if it isn't.
func (p *page) Pixels(column string) int { return p.list.Pixels(column) }

// Rewind scrolls the list to its top.
func (p *page) Rewind() { p.list.Rewind() }

// Panelled reports whether a panel replaces the list.
func (p *page) Panelled() bool { return p.panel.panelled() }
