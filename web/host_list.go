package web

import (
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/web/grid"
	"watchglass/web/list"
)

var _ list.Host = (*page)(nil)

// SendQueries asks the worker for what the page shows now: the overview, the open object, the list and the timelines.
func (p *page) SendQueries() {
	p.overview.Follow()
	opened := p.drawer.Follow()
	p.list.SendQuery(opened)
	p.followTimelines()
}

// Mode returns how the page shows the list.
func (p *page) Mode() list.Mode {
	return list.Mode{Past: p.past.On(), Alone: p.frame.only(), Held: p.frame.held, Exporting: p.share.Exporting() != "", Suggesting: p.filter.Suggests()}
}

// Begin clears what is known of the list before another one.
func (p *page) Begin(resource string) {
	p.filter.Begin()
	p.state.Source = port.Source{Resource: resource, State: port.Connecting}
	p.ShowState()
}

// Recount updates the suggestions after counts have changed.
func (p *page) Recount() { p.filter.Recount() }

// Resized tells the host of a frame how high the list is.
func (p *page) Resized() { p.frame.resized() }

// Columns returns the columns that the user chose.
func (p *page) Columns() list.Columns { return p.columns }

// Objects returns what the grid needs to know of the objects.
func (p *page) Objects() grid.Objects {
	of := objectsOf(p.address, p.state.Source.Kind, p.base)
	of.Past = p.past.On()
	return of
}

// Notes returns the notes in the headings, by column.
func (p *page) Notes() map[string]string { return p.panel.Notes() }

// togglePause pauses or resumes updates. In the past it plays or stops.
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

// ShowsPanel reports whether a panel with a message replaces the rows.
func (p *page) ShowsPanel() bool { return p.panel.ReplacesList() }
