package web

import (
	"watchglass/web/filter"
	"watchglass/web/route"
)

var _ filter.Host = (*page)(nil)

// VisitTyped changes the address to match a field.
func (p *page) VisitTyped(field string, change func(a *route.Address)) { p.visitTyped(field, change) }

// Typing returns the field that the user is typing in.
func (p *page) Typing() string { return p.typing }

// StopTyping ends what is typed as one step.
func (p *page) StopTyping() {
	p.past.CatchUp() // as part of what was typed
	p.typing = ""
}
