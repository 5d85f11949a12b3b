package web

// ShowState sets the document's state and title.
func (p *page) ShowState() { p.browser.SetState(p.stateName(), p.title()) }

// stateName returns the state of the list's source, or of the one object in a frame; "past" in the past.
func (p *page) stateName() string {
	if p.past.Empty() {
		return startState
	}
	if p.past.On() {
		return pastState
	}
	if p.frame.only() {
		return objectStates[p.drawer.Subject().State()]
	}
	return p.state.Source.State
}

// The states of a document that shows no live list: the past, or the start screen of a page without a cluster.
const (
	pastState  = "past"
	startState = "start"
)

// emitState reports the state to its listeners.
func (p *page) emitState() {
	doc := map[string]any{"state": p.stateName(), "since": p.state.Source.Since}
	if p.frame.only() {
		doc["since"] = p.frame.since
	}
	if at := p.past.Event(); at != nil {
		doc["past"] = at
	}
	p.emit("state", doc)
}
