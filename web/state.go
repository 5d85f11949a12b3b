package web

import (
	"time"

	"watchglass/internal/port"
	"watchglass/web/words"
)

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

// explain describes a state that is not live, like Explain. In the past, denied does not mean a missing
// permission: the kind was not watched, was dropped, or is not in the recording.
func (p *page) explain() (w words.Explanation, ok bool) {
	if words.ResumingSoon(p.state, time.Now()) {
		return words.Explanation{}, false
	}
	if w, ok = words.Explain(p.state); !p.past.On() || p.state.Source.State != port.Denied || p.state.Source.Rest != "" {
		return w, ok
	}
	return words.Explanation{Title: words.Sentence(p.sidebar.ListName(p.Here())) + " " + words.NotInHistory, Means: words.Sentence(w.Message) + ".", Do: "Choose another time, or go back to live."}, true
}
