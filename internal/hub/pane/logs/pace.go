package logs

import (
	"time"

	"watchglass/internal/hub/loop"
)

// documentEvery is the least time between two documents, unless the page asks for one.
const documentEvery = 100 * time.Millisecond

// pace decides when the page gets another document.
type pace struct {
	loop.Sender
	news     bool   // the next document differs
	received uint64 // lines, by the last document
}

// skipPause lets the next document go out at once, since the page has asked for something.
func (p *pace) skipPause() {
	p.news = true
	p.Skip()
}

// due reports whether there is something new to show, and notes that it is shown.
func (p *pace) due(now time.Time, news bool, received uint64) bool {
	due := p.news || news || received != p.received
	if p.received = received; due {
		p.news = false
		p.Rest(now, documentEvery)
	}
	return due
}
