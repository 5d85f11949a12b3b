package web

import (
	"watchglass/internal/port"
	"watchglass/web/route"
	"watchglass/web/ui"
)

// What the page is to its rooms. What one room alone asks is in a file of its own.

// Address returns what the page shows.
func (p *page) Address() route.Address { return p.address }

// Visit changes the address; with step, Back undoes the change.
func (p *page) Visit(step bool, change func(a *route.Address)) { p.visit(step, change) }

// VisitTyped changes the address to match a field. Everything typed in one go is one step.
func (p *page) VisitTyped(field string, change func(a *route.Address)) { p.visitTyped(field, change) }

// Href returns an address as a link has it.
func (p *page) Href(a route.Address) string { return a.String(p.base) }

// GoTo goes to another list, or to an object in it.
func (p *page) GoTo(to route.Address) { p.goTo(to) }

// State returns the state of the list and of the connection.
func (p *page) State() port.State { return p.state }

// Redraw draws the shell soon. RedrawSoon shares a redraw with others.
func (p *page) Redraw()     { p.redraw() }
func (p *page) RedrawSoon() { p.redrawSoon() }

// Locked calls f with the page's lock.
func (p *page) Locked(f func()) { p.locked(f) }

// Here returns the resource on screen.
func (p *page) Here() string { return p.here() }

// Notify shows a notice.
func (p *page) Notify(text string) { p.notices.say(notice{text: text}) }

// Copy copies a text to the clipboard, and shows a notice.
func (p *page) Copy(text, said string) { p.copyOut(text, said) }

// CloseOverlays closes what lies over the list, except dialogs.
func (p *page) CloseOverlays() {
	p.closeOverlays()
	p.help.open = false
}

// SetFields sets the fields from the address.
func (p *page) SetFields() { p.fields() }

// Send sends the worker a message.
func (p *page) Send(m port.Message) { p.port.Send(m) }

// KeyOf returns the key of an action, as the page shows it; "" if it has none.
func (p *page) KeyOf(action ui.Action) string { return keyOf(action) }

// Version returns the version of the proxy that serves the page; "" if it isn't known.
func (p *page) Version() string {
	if p.state.Proxy == nil {
		return ""
	}
	return p.state.Proxy.Version
}
