package web

import (
	"watchglass/internal/port"
	"watchglass/web/notice"
	"watchglass/web/route"
	"watchglass/web/ui"
)

// What the page is to the packages below it, which know it as their Host. What only one of them asks is in a file of its
// own.

// Address returns what the page shows.
func (p *page) Address() route.Address { return p.address }

// Href returns an address as a link has it.
func (p *page) Href(a route.Address) string { return a.String(p.base) }

// State returns the state of the list and of the connection.
func (p *page) State() port.State { return p.state }

// Redraw draws the page soon.
func (p *page) Redraw() { p.redraw() }

// Locked calls f with the page's lock.
func (p *page) Locked(f func()) { p.locked(f) }

// Notify shows a notice.
func (p *page) Notify(text string) { p.notices.Say(notice.Notice{Text: text}) }

// NotifyWith shows a notice with the button of an action.
func (p *page) NotifyWith(text string, action ui.Action, value, label string) {
	p.notices.Say(notice.Notice{Text: text, Action: action, Value: value, Label: label})
}

// Progress shows how far something is, with a button that stops it, until another notice.
func (p *page) Progress(text string, stop ui.Action) {
	p.notices.Keep(notice.Notice{Text: text, Action: stop, Label: "Stop"})
}

// CloseOverlays closes what lies over the list, except dialogs: the panes and the help.
func (p *page) CloseOverlays() {
	p.closePanes()
	p.help.open = false
}

// Send sends the worker a message.
func (p *page) Send(m port.Message) { p.port.Send(m) }

// KeyOf returns the key of an action, as the page shows it; "" if it has none.
func (p *page) KeyOf(action ui.Action) string {
	if c := p.table.keyed(action, ""); c != nil {
		return c.Key()
	}
	return ""
}

// Tip returns the tooltip of an action that has a key: what the help says of it, with the key.
func (p *page) Tip(action ui.Action, value string) string {
	c := p.table.keyed(action, value)
	return ui.Tip(c.Title, c.Key())
}

// Version returns the version of the proxy that serves the page; "" if it isn't known.
func (p *page) Version() string {
	if p.state.Proxy == nil {
		return ""
	}
	return p.state.Proxy.Version
}
