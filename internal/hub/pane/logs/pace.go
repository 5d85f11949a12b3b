package logs

import (
	"time"

	"watchglass/internal/hub/pane"
)

// documentEvery is the least time between two documents, unless the page asks for one.
const documentEvery = 100 * time.Millisecond

// pace decides when the page gets another document.
type pace struct {
	host     pane.Host
	news     bool // the next document differs
	sent     time.Time
	wakeAt   time.Time // the next Update that was requested
	received uint64    // lines, by the last document
}

// skipPause lets the next document go out at once, since the page has asked for something.
func (p *pace) skipPause() { p.news, p.sent = true, time.Time{} }

// wait returns how long it is until a document may go out.
func (p *pace) wait(now time.Time) time.Duration { return p.sent.Add(documentEvery).Sub(now) }

// ready reports whether a document may go out. If not, Update is called again when it may.
func (p *pace) ready(now time.Time) bool {
	wait := p.wait(now)
	if wait > 0 {
		p.wake(now, wait)
	}
	return wait <= 0
}

// wake schedules an Update after a while, unless one comes sooner anyway.
func (p *pace) wake(now time.Time, after time.Duration) {
	at := now.Add(after)
	if p.wakeAt.After(now) && !p.wakeAt.After(at) {
		return
	}
	p.wakeAt = at
	p.host.Wake(after)
}

// due reports whether there is something new to show, and notes that it is shown.
func (p *pace) due(now time.Time, news bool, received uint64) bool {
	due := p.news || news || received != p.received
	if p.received = received; due {
		p.news, p.sent = false, now
	}
	return due
}
