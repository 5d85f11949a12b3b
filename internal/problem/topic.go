package problem

import "watchglass/internal/object"

// topic are the events about an object that have the same reason, and are alike in whether they can
// be a cause on their own. One speaks for all of them, so that thousands of events cost little more
// than one.
type topic struct {
	events []*event // in no order
	last   *event   // the newest
	first  *event   // of those that are news, the one that was seen first; nil if none is
	count  int64    // how often they were seen
	stale  bool     // last and first are to be found again
}

// topicName identifies a topic of an object.
type topicName struct {
	reason   string
	conflict bool // a write lost a race
	alone    bool // they can be a cause on their own
}

// addTopic adds an event to its topic.
func (r *record) addTopic(v *event) {
	v.name.alone = r.alone(v)
	t := r.topics[v.name]
	if t == nil {
		if r.topics == nil {
			r.topics = make(map[topicName]*topic)
		}
		t = new(topic)
		r.topics[v.name] = t
	}
	v.place, t.count = len(t.events), t.count+v.count
	t.events = append(t.events, v)
	if t.last == nil || v.newer(t.last) {
		t.last = v
	}
	if t.first == nil || v.first < t.first.first {
		t.first = v
	}
}

// removeTopic removes an event from its topic.
func (r *record) removeTopic(v *event) {
	t := r.topics[v.name]
	end := len(t.events) - 1
	moved := t.events[end]
	t.events[v.place], moved.place = moved, v.place
	t.events[end], t.events = nil, t.events[:end]
	t.count, t.stale = t.count-v.count, t.stale || v == t.last || v == t.first
	if end == 0 {
		delete(r.topics, v.name)
	}
}

// refresh finds what speaks for the events at a time, if that has changed, and reports whether one of
// them is news.
func (t *topic) refresh(now int64) bool {
	if !t.stale && (t.last.until() <= now || t.first != nil && t.first.until() > now) {
		return t.last.until() > now
	}
	t.stale, t.last, t.first = false, nil, nil
	for _, v := range t.events {
		if t.last == nil || v.newer(t.last) {
			t.last = v
		}
		if v.until() > now && (t.first == nil || v.first < t.first.first) {
			t.first = v
		}
	}
	return t.first != nil
}

// fights reports whether writes keep losing races, as they do where two controllers undo each other's changes. Every now
// and then, or a few times at once, any write loses one. An event that says more about the reason speaks for these, too.
func (r *record) fights(reason string, conflicts *topic, now int64) bool {
	if other := r.topics[topicName{reason: reason, alone: true}]; other != nil && other.refresh(now) {
		return false
	}
	lasts := conflicts.last.last - conflicts.first.first
	return conflicts.count >= goesOnOf && lasts >= goesOn && lasts <= conflicts.count*rarely
}

// cause returns the cause that the events are on their own. The newest says what it is, and the first
// since when.
func (t *topic) cause(of *record) Cause {
	v := t.last
	words := join(v.name.reason, ": ", v.message)
	c := Cause{Reason: v.name.reason, Severity: object.Warning, Words: words, Brief: words, Evidence: "event " + v.name.reason, Since: t.first.first, From: v.from(), Until: v.until(), Tab: "events"}
	if v.count > 1 {
		c.Words += " (×" + decimal(v.count) + ")"
	}
	if of.probe(v) {
		c.Until = v.last + probeNews
	}
	return c
}

// topicsOf returns the topics that say more about a cause, as far as they are news.
func (r *record) topicsOf(reason string, now int64) []*topic {
	return r.named(explains.of(reason), now)
}

// named returns the topics of some names that are news.
func (r *record) named(names []string, now int64) (all []*topic) {
	if len(r.topics) == 0 {
		return nil
	}
	for _, name := range names {
		for _, is := range [...]topicName{{}, {alone: true}, {conflict: true}, {conflict: true, alone: true}} {
			is.reason = name
			if t := r.topics[is]; t != nil && t.refresh(now) {
				all = append(all, t)
			}
		}
	}
	return all
}

// mended returns when an event last said that what a warning said is over; 0 if none did.
func (r *record) mended(now int64) (at int64) {
	for _, t := range r.topics {
		if t.refresh(now) && t.last.good {
			at = max(at, t.last.last)
		}
	}
	return at
}

// aloneTopics returns the topics that can be causes on their own and are news: the newest, of which
// there are at most as many as rows of an owner.
func (r *record) aloneTopics(now int64) (all []*topic) {
	for name, t := range r.topics {
		if !name.alone || !t.refresh(now) || name.conflict && !r.fights(name.reason, t, now) || len(all) == mostRows && !t.last.newer(all[mostRows-1].last) {
			continue
		}
		all = append(all, t)
		for i := len(all) - 1; i > 0 && t.last.newer(all[i-1].last); i-- {
			all[i], all[i-1] = all[i-1], all[i]
		}
		all = all[:min(len(all), mostRows)]
	}
	return all
}
