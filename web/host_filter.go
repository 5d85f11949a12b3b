package web

import "watchglass/web/filter"

var _ filter.Host = (*page)(nil)

// Typing returns the field that the user is typing in.
func (p *page) Typing() string { return p.typing }

// StopTyping ends what is typed as one step.
func (p *page) StopTyping() {
	p.past.CatchUp() // as part of what was typed
	p.typing = ""
}
