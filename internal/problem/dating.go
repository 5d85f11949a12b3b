package problem

import (
	"sort"
	"strings"
)

// Since when causes hold whose objects do not say so. What was so before this program looked is of
// unknown age: its row shows none, and comes at once. What changed since then has the time at which
// that was seen, and a grace.

// mayMove is how long a controller may take to see a change, in seconds.
const mayMove = 15

// date sets since when undated causes hold.
func (r *record) date() {
	before := r.undated
	r.undated = nil
	for i := range r.causes {
		c := &r.causes[i]
		if !c.undated {
			continue
		}
		at, seen := before[c.Reason]
		if !seen {
			at = r.firstTime()
		}
		if r.undated == nil {
			r.undated = make(map[string]int64)
		}
		r.undated[c.Reason] = at
		r.setSince(c, at)
	}
	r.known = true
}

// firstTime returns since when something holds that was just read for the first time: 0, which is
// unknown, if it may have been so before the first list was read.
func (r *record) firstTime() int64 {
	if r.listed && !r.known {
		return 0
	}
	return r.applied
}

// setSince sets since when an undated cause holds, and from when it counts.
func (r *record) setSince(c *Cause, at int64) {
	if c.Since = at; c.final {
		return
	}
	c.From = max(at, r.object.Created()) + mayLack
	if c.moving {
		c.From = max(c.From, r.applied+mayMove)
	}
}

// dating are the events whose first time says since when a cause holds better than its object does,
// besides those that explain it.
var dating = map[string]string{
	"CrashLoopBackOff":   " BackOff ",
	"Restarting":         " BackOff ",
	"OOMKilled":          " BackOff ",
	"RunContainerError":  " BackOff Failed ",
	"PostStartHookError": " BackOff FailedPostStartHook ",
}

// backdate dates a cause by the first event that explains it, if its object does not say since when.
func (r *record) backdate(c *Cause, o *owner, now int64) {
	loops := dating[c.Reason]
	if !c.undated && loops == "" || r.object == nil {
		return
	}
	for _, e := range o.eventsOn(r, c) {
		explained := listed(explains[c.Reason], e.reason) || listed(loops, e.reason) && !pulls(e.message)
		if !explained || e.until() <= now || e.first <= 0 || c.Since != 0 && e.first >= c.Since {
			continue
		}
		if at := max(e.first, r.object.Created()); c.undated && r.undated != nil {
			r.undated[c.Reason] = at
			r.setSince(c, at)
		} else {
			c.Since = at
		}
	}
}

// eventsOn returns the events that may explain a cause of an object, the last first: those about it and,
// of pods that are missing, about what creates them.
func (o *owner) eventsOn(r *record, c *Cause) []*event {
	if !c.Shortage {
		return r.sortedEvents()
	}
	var all []*event
	for _, m := range o.members {
		if m.id.Resource != pods {
			all = append(all, m.sortedEvents()...)
		}
	}
	sort.Sort(eventsByTime(all))
	return all
}

// pulls reports whether the message of a BackOff is about an image.
func pulls(message string) bool { return strings.HasPrefix(message, "Back-off pulling") }
