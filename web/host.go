package web

import "watchglass/web/route"

// What several rooms of the page ask of it. What one room alone asks is in a file of its own.

// Address returns what the page shows.
func (p *page) Address() route.Address { return p.address }

// Visit changes what the page shows; with step, Back undoes the change.
func (p *page) Visit(step bool, change func(a *route.Address)) { p.visit(step, change) }

// Here returns the resource on screen.
func (p *page) Here() string { return p.here() }

// Redraw draws the shell, soon.
func (p *page) Redraw() { p.redraw() }

// CloseOverlays closes what lies over the list, except dialogs.
func (p *page) CloseOverlays() {
	p.closeOverlays()
	p.help.open = false
}
