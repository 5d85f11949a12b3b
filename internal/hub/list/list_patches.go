package list

import (
	"time"

	"watchglass/internal/informer"
	"watchglass/internal/port"
)

const (
	// Frame is the least time between two patches: one frame of a fast display. slowFrame is
	// used while a list is coming in, when others need the processor more.
	Frame     = 8 * time.Millisecond
	slowFrame = 150 * time.Millisecond
	// PaintWithin is how long a patch may stay unpainted before the next is sent anyway.
	PaintWithin = time.Second
	// emptyWithin is how long the first patch waits for rows. An empty patch would delay the
	// first rows until it is painted.
	emptyWithin = 300 * time.Millisecond
)

// patches paces the patches of a list, and remembers what was sent.
type patches struct {
	waiting   time.Time // when the unpainted patch was sent; zero: there is none
	sent      time.Time // when the last patch was; zero: the next need not wait
	rowsSent  bool      // a patch had rows
	passage   passage
	sighted   time.Time // when the first of the rows on screen arrived
	displayed displayedObjects
}

// passage is the progress of a list to another moment.
type passage byte

const (
	arrived   passage = iota
	departed          // nothing has arrived; rows on screen arrive first, and are painted at once
	inPassage         // rows on screen are arriving; then the rest arrives like a loading list
)

// Rows on screen may be applied in parts. All have arrived sightWithin after the first; until then, sightFrame
// is the minimum time between two patches.
const (
	sightWithin = 16 * time.Millisecond
	sightFrame  = 250 * time.Microsecond
)

// depart starts a passage to another moment.
func (p *patches) depart() {
	p.passage = departed
	p.skipPause()
}

// arrive ends a passage, and reports whether there was one.
func (p *patches) arrive() bool {
	was := p.passage
	p.passage = arrived
	return was != arrived
}

// skipPause lets the next patch go without a pause, since the user asked for it.
func (p *patches) skipPause() { p.sent = time.Time{} }

// Painted notes that the last patch is on screen.
func (l *List) Painted() {
	if took := time.Since(l.patches.waiting); !l.patches.waiting.IsZero() && l.shown != nil {
		for _, part := range l.shown.parts {
			l.cluster.Meters.Painted(part.Informer, took)
		}
	}
	l.patches.waiting = time.Time{}
	l.cluster.ContinueEarly()
}

// paint sends a patch if there is one and it is time.
func (l *List) paint(now time.Time) {
	p := &l.patches
	if l.shown == nil {
		return
	}
	if late := p.waiting.Add(PaintWithin); !p.waiting.IsZero() && now.Before(late) {
		if l.shown.view.Dirty() {
			l.cluster.WakeAt(late) // unless Painted comes
		}
		return
	}
	if coming := now.Sub(l.since) < emptyWithin && (l.state == informer.Connecting || l.state == informer.Syncing); coming && !p.rowsSent && l.shown.size() == 0 {
		l.cluster.WakeAt(l.since.Add(emptyWithin))
		return
	}
	if p.passage == departed && !l.shown.view.Pending() {
		return // would only reprint the previous moment's rows with other ages
	}
	pace := p.pace(now, l.state)
	if due := p.sent.Add(pace); now.Before(due) {
		l.cluster.WakeAt(due)
		return
	}
	l.send(now)
	if l.shown.view.Dirty() {
		l.cluster.WakeAt(now.Add(max(pace, l.shown.view.Waits(now)))) // else the loop would step all the time for counts that are not due
	}
}

// pace returns the minimum time between the last patch and the next.
func (p *patches) pace(now time.Time, state informer.Freshness) time.Duration {
	switch {
	case p.passage == inPassage && now.Sub(p.sighted) < sightWithin:
		return sightFrame
	case p.passage == inPassage, state == informer.Syncing && p.rowsSent:
		return slowFrame
	}
	return Frame
}

// send sends a patch if there is one.
func (l *List) send(now time.Time) {
	p := &l.patches
	if patch, ok := l.shown.view.StepAt(now, l.cluster.TimeOf(now)); ok {
		p.displayed.add(l.shown.view.Sent())
		p.waiting, p.sent = now, now
		p.rowsSent = p.rowsSent || len(patch.Rows) > 0
		if p.passage == departed {
			p.passage, p.sighted = inPassage, now
		}
		l.page.Send(port.Patch{ID: l.id, Patch: patch})
	}
}

// sendAll sends everything that is pending, facets too, before the page is told that the list
// is live. Rows and counts are then up to date when the page says so.
func (l *List) sendAll(now time.Time) {
	if l.shown != nil && !l.cluster.UserChanged() {
		l.setShape() // the columns may have come since
		l.shown.view.Hurry()
		l.send(now)
	}
}
