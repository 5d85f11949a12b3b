package hub

import (
	"maps"
	"math/rand/v2"
	"time"

	"watchglass/internal/hub/source"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// auditEvery is the mean time between two audits of a hub.
const auditEvery = 5 * time.Minute

// auditPatience is how long a due audit waits for its source to be live again. A source is briefly not
// live between two watches.
const auditPatience = 10 * time.Second

// audits schedules comparisons of live sources with their servers, one at a time. While all pages are
// hidden, there are none.
type audits struct {
	every time.Duration
	next  time.Time
	turn  int
	turns map[auditable]int // turn in which each source was last chosen
}

// auditable is a source that can be audited.
type auditable = *informer.Informer[*object.Object]

// newAudits returns audits at intervals of a mean length.
func newAudits(every time.Duration, now time.Time) audits {
	if every == 0 {
		every = auditEvery
	}
	a := audits{every: every, turns: make(map[auditable]int)}
	a.plan(now)
	return a
}

// plan sets the time of the next audit: after 0.5 to 1.5 times the mean, so that many tabs do not list
// at the same time.
func (a *audits) plan(now time.Time) { a.next = now.Add(a.every/2 + rand.N(a.every)) }

// audit starts an audit if one is due, of the live source that was audited least recently.
func (h *Hub) audit(now time.Time) {
	a := &h.audits
	if now.Before(a.next) {
		return
	}
	sources := h.auditable(now)
	maps.DeleteFunc(a.turns, func(i auditable, _ int) bool { _, is := sources[i]; return !is })
	var due, live auditable
	for i, is := range sources {
		if due == nil || a.turns[i] < a.turns[due] {
			due = i
		}
		if is && (live == nil || a.turns[i] < a.turns[live]) {
			live = i
		}
	}
	if due != nil && !sources[due] && now.Before(a.next.Add(auditPatience)) {
		return
	}
	a.plan(now)
	if live != nil {
		a.turn++
		a.turns[live] = a.turn
		live.Audit()
	}
}

// auditable returns the sources of the clusters that visible pages use, and which of them are live.
// Lists that the hub makes itself have no server to compare with.
func (h *Hub) auditable(now time.Time) map[auditable]bool {
	sources := make(map[auditable]bool)
	for _, c := range h.clusters {
		if c.Relay != nil || !h.shows(c) {
			continue
		}
		link := c.Link()
		c.Factory.Each(func(r wire.Request, i auditable) {
			if !c.Local.Answers(r) {
				sources[i] = source.StatusOf(i, link, now).Fresh == informer.Live
			}
		})
	}
	return sources
}
