package web

import (
	"encoding/json"
	"time"

	"watchglass/internal/port"
	"watchglass/web/past"
	"watchglass/web/recording"
	"watchglass/web/route"
	"watchglass/web/ui"
)

var (
	_ past.Host      = (*page)(nil)
	_ recording.Host = (*page)(nil)
)

// Amend changes the address in place, and what is typed next still belongs to the same step.
func (p *page) Amend(change func(a *route.Address)) {
	typing := p.typing
	p.Navigate(false, change)
	p.typing = typing
}

// BeforeTravel stops an export and ends a pause: an export is of one moment, and the past has no pending changes.
func (p *page) BeforeTravel() {
	p.share.ViewChanged()
	if p.list.Paused() {
		p.list.Resume()
		p.SendQueries()
	}
}

// onPast handles the hub's report of the moment that it shows.
func (p *page) onPast(m port.Past) {
	if p.past.Switches(m) {
		p.state.Proxy = nil // of another cluster, until the next state
	}
	if p.past.OnPast(m) {
		p.emitState()
	}
}

// Travel takes the page to a moment, or to now if at is zero, and waits until the hub has arrived. It
// returns inspect's "past", or why the page could not go there.
func (p *Page) Travel(at time.Time) (doc json.RawMessage, failed string) {
	there := make(chan string, 1)
	p.locked(func(g *page) { g.past.Travel(at, func(why string) { there <- why }) })
	if failed = <-there; failed != "" {
		return nil, failed
	}
	return p.Past(), ""
}

// Past returns inspect's "past"; null if the page is live.
func (p *Page) Past() (doc json.RawMessage) {
	p.locked(func(g *page) { doc, _ = json.Marshal(g.past.Event()) }) // times and texts never fail to encode
	return doc
}

// OpenFile opens a recording, which replaces the one on screen.
func (p *Page) OpenFile(f ui.File) { p.locked(func(g *page) { g.past.OpenFile(f) }) }

// Fetched opens the recording that was published with the page, or shows why it can't be read.
func (p *Page) Fetched(name string, f ui.File, failed string) {
	p.locked(func(g *page) { g.past.Fetched(name, f, failed) })
}
