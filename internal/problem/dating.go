package problem

import (
	"strings"

	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/rule"
	"watchglass/internal/problem/text"
	"watchglass/internal/problem/topic"
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
	for i := range r.Causes {
		c := &r.Causes[i]
		if !c.Undated {
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
	if r.Listed && !r.known {
		return 0
	}
	return r.applied
}

// setSince sets since when an undated cause holds, and from when it counts.
func (r *record) setSince(c *rule.Cause, at int64) {
	if c.Since = at; c.Final {
		return
	}
	c.From = max(at, r.Object.Created()) + rule.MayLack
	if c.Moving {
		c.From = max(c.From, r.applied+mayMove)
	}
}

// dating are the events whose first time says since when a cause holds better than its object does,
// besides those that explain it.
var dating = text.Table{
	{"CrashLoopBackOff", "BackOff"},
	{"Restarting", "BackOff"},
	{"OOMKilled", "BackOff"},
	{"RunContainerError", "BackOff", "Failed"},
	{"PostStartHookError", "BackOff", "FailedPostStartHook"},
}

// backdate dates a cause by the first event that explains it, if its object does not say since when. An eviction is
// not older than its event.
func (r *record) backdate(c *rule.Cause, o *owner, now int64) {
	if c.Over {
		for _, t := range r.topics.Named([]string{c.Reason}, now) {
			c.Since = max(c.Since, t.First.First)
		}
	}
	loops := dating.Of(c.Reason)
	if !c.Undated && loops == nil || r.Object == nil {
		return
	}
	all := o.topicsOn(r, c, now)
	for _, t := range r.topics.Named(loops, now) {
		if !strings.HasPrefix(t.First.Message, "Back-off pulling") {
			all = append(all, t)
		}
	}
	for _, t := range all {
		first := t.First.First
		if first <= 0 || c.Since != 0 && first >= c.Since {
			continue
		}
		if at := max(first, r.Object.Created()); c.Undated && r.undated != nil {
			r.undated[c.Reason] = at
			r.setSince(c, at)
		} else {
			c.Since = at
		}
	}
}

// topicsOn returns the topics that explain a cause of an object: those about it and, of pods that are
// missing, about what creates them.
func (o *owner) topicsOn(r *record, c *rule.Cause, now int64) []*topic.Topic {
	all := r.topics.About(c.Reason, now)
	if !c.Shortage {
		return all
	}
	for _, m := range o.members {
		if m != r && m.ID.Resource != kinds.Pods {
			all = append(all, m.topics.About(c.Reason, now)...)
		}
	}
	return all
}
