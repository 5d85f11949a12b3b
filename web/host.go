package web

import (
	"watchglass/internal/port"
	"watchglass/web/route"
	"watchglass/web/ui"
)

// What the page is to its rooms. What one room alone asks is in a file of its own.

// Address returns what the page shows.
func (p *page) Address() route.Address { return p.address }

// Visit changes what the page shows; with step, Back undoes the change.
func (p *page) Visit(step bool, change func(a *route.Address)) { p.visit(step, change) }

// VisitTyped changes what the page shows to match a field.
func (p *page) VisitTyped(field string, change func(a *route.Address)) { p.visitTyped(field, change) }

// Here returns the resource on screen.
func (p *page) Here() string { return p.here() }

// Redraw draws the shell soon; RedrawSoon shares that with others.
func (p *page) Redraw()     { p.redraw() }
func (p *page) RedrawSoon() { p.redrawSoon() }

// Locked calls f with the lock; for callbacks from other goroutines.
func (p *page) Locked(f func()) { p.locked(f) }

// Send sends the worker a message.
func (p *page) Send(m port.Message) { p.port.Send(m) }

// Notify shows a notice.
func (p *page) Notify(text string) { p.notices.say(notice{text: text}) }

// KeyOf returns the key of an action, as the page shows it; "" if it has none.
func (p *page) KeyOf(action ui.Action) string { return keyOf(action) }

// CloseOverlays closes what lies over the list, except dialogs.
func (p *page) CloseOverlays() {
	p.closeOverlays()
	p.help.open = false
}
