package web

import (
	"watchglass/internal/port"
	"watchglass/web/route"
)

// What the page is to all of its rooms.

// Address returns what the page shows.
func (p *page) Address() route.Address { return p.address }

// Visit changes what the page shows; with step, Back undoes the change.
func (p *page) Visit(step bool, change func(a *route.Address)) { p.visit(step, change) }

// Here returns the resource on screen.
func (p *page) Here() string { return p.here() }

// Redraw draws the shell soon.
func (p *page) Redraw() { p.redraw() }

// Notify shows a notice.
func (p *page) Notify(text string) { p.notices.say(notice{text: text}) }

// CloseOverlays closes what lies over the list, except dialogs.
func (p *page) CloseOverlays() {
	p.closeOverlays()
	p.help.open = false
}

// SetFields sets the fields from the address.
func (p *page) SetFields() { p.fields() }

// State returns the state of the list's source.
func (p *page) State() port.State { return p.state }
