package hub

import (
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// auditEvery is the mean time between two audits of a hub.
const auditEvery = 5 * time.Minute

// audits has one live source after another compared with its server. A hub whose pages are all
// hidden audits nothing.
type audits struct {
	every time.Duration
	next  time.Time
	turn  int
	turns map[audited]int // in which turn each source was last chosen
}

// audited is a source that can be audited.
type audited = *informer.Informer[*object.Object]

// newAudits returns audits at intervals of a mean length.
func newAudits(every time.Duration, now time.Time) audits {
	if every == 0 {
		every = auditEvery
	}
	a := audits{every: every, turns: make(map[audited]int)}
	a.plan(now)
	return a
}

// plan sets the time of the next audit: from half to one and a half of the mean away, so that many
// tabs do not list together.
func (a *audits) plan(now time.Time) { a.next = now.Add(a.every/2 + rand.N(a.every)) }

// audit starts an audit if one is due.
func (h *Hub) audit(now time.Time) {
	a := &h.audits
	if now.Before(a.next) {
		return
	}
	a.plan(now)
	live, all := h.auditable(now)
	maps.DeleteFunc(a.turns, func(i audited, _ int) bool { return !slices.Contains(all, i) })
	var first audited
	for _, i := range live {
		if first == nil || a.turns[i] < a.turns[first] {
			first = i
		}
	}
	if first != nil {
		a.turn++
		a.turns[first] = a.turn
		first.Audit()
	}
}

// auditable returns the live sources of the clusters that visible pages use, and all sources. Lists
// that the hub makes itself have no server to be compared with.
func (h *Hub) auditable(now time.Time) (live, all []audited) {
	for _, c := range h.clusters {
		c.factory.Each(func(_ wire.Request, i audited) { all = append(all, i) })
		if c.relay != nil || !slices.ContainsFunc(h.pages, func(p *Page) bool { return p.visible && p.uses(c) }) {
			continue
		}
		link := c.link()
		c.factory.Each(func(r wire.Request, i audited) {
			if readsTimeline(r) || readsProblems(r) {
				return
			}
			if fresh, _, _ := informer.Fresh(i.State(now), link, now); fresh == informer.Live {
				live = append(live, i)
			}
		})
	}
	return live, all
}
