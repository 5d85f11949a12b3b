package hub

import (
	"time"

	"watchglass/internal/informer"
	"watchglass/internal/port"
)

const (
	// frame is the least time between two patches: that of a fast display, since a change
	// that comes within the frame of a slow one is still painted in it. While a list is
	// coming in there is no hurry, and others need the processor.
	frame     = 8 * time.Millisecond
	slowFrame = 150 * time.Millisecond
	// paintWithin is how long a patch may stay unpainted before the next is sent all the
	// same.
	paintWithin = time.Second
	// emptyWithin is how long the first patch waits for rows: one without any would have the
	// first rows wait until it is painted.
	emptyWithin = 300 * time.Millisecond
)

// patches paces what is sent of a list, and remembers it.
type patches struct {
	waiting   time.Time // since when a patch is not painted; zero: none is
	sent      time.Time // when the last was
	painted   bool      // there has been a row
	displayed displayed
}

// hurry has the next patch sent without a pause: somebody asked for it.
func (p *patches) hurry() { p.sent = time.Time{} }

// Painted takes that the last patch is on screen.
func (l *List) Painted() { l.patches.waiting = time.Time{} }

// paint sends a patch if there is one and it is time.
func (l *List) paint(now time.Time) {
	p := &l.patches
	if l.shown == nil {
		return
	}
	if late := p.waiting.Add(paintWithin); !p.waiting.IsZero() && now.Before(late) {
		if l.shown.view.Dirty() {
			l.cluster.wakeAtOnLoop(late) // unless Painted comes
		}
		return
	}
	if coming := now.Sub(l.since) < emptyWithin && (l.state == informer.Connecting || l.state == informer.Syncing); coming && !p.painted && l.shown.size() == 0 {
		l.cluster.wakeAtOnLoop(l.since.Add(emptyWithin))
		return
	}
	pace := frame
	if l.state == informer.Syncing && p.painted {
		pace = slowFrame
	}
	if due := p.sent.Add(pace); due.After(now) {
		l.cluster.wakeAtOnLoop(due)
		return
	}
	l.send(now)
	if l.shown.view.Dirty() {
		l.cluster.wakeAtOnLoop(now.Add(pace))
	}
}

// send sends a patch if there is one.
func (l *List) send(now time.Time) {
	p := &l.patches
	if patch, ok := l.shown.view.Step(now); ok {
		p.displayed.add(l.shown.view.Sent())
		p.waiting, p.sent = now, now
		p.painted = p.painted || len(patch.Rows) > 0
		l.page.Send(port.Patch{ID: l.id, Patch: patch})
	}
}

// sendAll sends all that there is, facets too, before the page is told that the list is
// live: whoever reads that reads it above the rows and counts it is true of.
func (l *List) sendAll(now time.Time) {
	if l.shown != nil && !l.cluster.moved() {
		l.setShape() // the columns may have come since
		l.shown.view.Hurry()
		l.send(now)
	}
}
