package problem

import (
	"slices"
	"sort"

	"watchglass/internal/object"
)

// found is a cause that holds, with its object.
type found struct {
	of *record
	*Cause
}

// rebuild makes the rows of an owner anew.
func (e *Engine) rebuild(o *owner, now int64) {
	o.due = 0
	all := e.gather(o, now)
	rows := make(map[string]Row)
	for len(all) > 0 {
		var group, rest []found
		for _, f := range all {
			if f.Reason == all[0].Reason {
				group = append(group, f)
			} else {
				rest = append(rest, f)
			}
		}
		row := e.row(o, group, now)
		rows[row.Key()] = row
		all = rest
	}
	for key := range o.rows {
		if _, still := rows[key]; !still {
			delete(o.rows, key)
			e.publish(key, nil)
		}
	}
	if o.rows == nil && len(rows) > 0 {
		o.rows = make(map[string]struct{})
	}
	e.due = sooner(e.due, o.due)
	for key, row := range rows {
		o.rows[key] = struct{}{}
		e.publish(key, &row)
	}
	if len(o.members) == 0 && len(o.rows) == 0 {
		delete(e.owners, o.id)
	}
}

// publish notes a row that Changed has to return, unless it is what Changed last returned.
func (e *Engine) publish(key string, row *Row) {
	before, had := e.rows[key]
	switch {
	case row == nil && !had, row != nil && had && *row == before:
		delete(e.pending, key)
	default:
		e.pending[key] = row
	}
}

// gather returns the causes of an owner's members that hold and are not the effect of others, in
// an order that depends on nothing else, and sets when that changes.
func (e *Engine) gather(o *owner, now int64) []found {
	members := slices.Clone(o.members)
	sort.Sort(recordsByName(members))
	var all []found
	explained, unready, rejected := false, false, int64(0)
	for _, r := range members {
		held, over := e.held(r, o, now)
		all = append(all, held...)
		rejected = max(rejected, lastRejected(held))
		isPod := r.id.Resource == pods
		explained = explained || isPod && len(held) > 0 && !over || slices.ContainsFunc(held, func(f found) bool { return f.Reason == "ReplicaFailure" })
		unready = unready || isPod && r.object != nil && !over && (r.object.Deleting() || isBad(pods, r.kind.columns, r.object))
		if bad := len(held) > 0; bad != r.bad {
			r.bad = bad
			e.invalidateDependents(r)
		}
	}
	success := int64(0)
	if top := e.records[o.id]; top != nil {
		if success = top.facts.success; top.facts.suspended {
			success = max(success, now-day) // an old failure is no news of what somebody has stopped
		}
	}
	all = slices.DeleteFunc(all, func(f found) bool {
		return f.Effect && (explained || f.Since > 0 && f.Since < rejected+mayReject) || f.Shortage && unready || e.early(f, o, now) || f.Retried && f.Since <= success
	})
	joinCrashes(all)
	if len(all) == 0 {
		all = e.alone(o, members, success, now)
	}
	return all
}

// held returns the causes of an object that hold, and whether it has ended.
func (e *Engine) held(r *record, o *owner, now int64) (all []found, over bool) {
	causes := r.causes
	if more := e.joint(r, o, now); len(more) > 0 {
		causes = append(slices.Clip(causes), more...)
	}
	for i := range causes {
		c := &causes[i]
		if r.backdate(c, o, now); e.byNode(c) {
			continue
		}
		o.due = sooner(o.due, c.next(now))
		if c.holds(now) {
			all, over = append(all, found{r, c}), over || c.over
		}
	}
	return all, over
}

// alone returns the events about members of an owner that has no other causes. Those of Jobs before
// the owner's last success are over.
func (e *Engine) alone(o *owner, members []*record, success, now int64) (all []found) {
	for _, r := range members {
		for _, v := range r.sortedEvents() {
			c, ok := e.eventCause(r, v)
			if !ok || r.id.Resource == jobs && v.last <= success {
				continue
			}
			o.due = sooner(o.due, c.next(now))
			if c.holds(now) {
				all = append(all, found{r, &c})
			}
		}
	}
	return all
}

// sortedEvents returns the events about an object, the last first.
func (r *record) sortedEvents() []*event {
	var all []*event
	for v := range r.events {
		all = append(all, v.event)
	}
	sort.Sort(eventsByTime(all))
	return all
}

// recordsByName sorts the members of an owner, which are in one namespace. It and eventsByTime are
// for package sort because each call of slices.SortFunc links a sort of its own.
type recordsByName []*record

func (s recordsByName) Len() int      { return len(s) }
func (s recordsByName) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
func (s recordsByName) Less(i, j int) bool {
	if s[i].id.Resource != s[j].id.Resource {
		return s[i].id.Resource < s[j].id.Resource
	}
	return s[i].id.Name < s[j].id.Name
}

// eventsByTime sorts events, the last first.
type eventsByTime []*event

func (s eventsByTime) Len() int      { return len(s) }
func (s eventsByTime) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
func (s eventsByTime) Less(i, j int) bool {
	switch a, b := s[i], s[j]; {
	case a.last != b.last:
		return a.last > b.last
	case a.reason != b.reason:
		return a.reason < b.reason
	case a.message != b.message:
		return a.message < b.message
	case a.count != b.count:
		return a.count > b.count
	default:
		return a.first < b.first
	}
}

// row makes the row of causes with the same reason.
func (e *Engine) row(o *owner, group []found, now int64) Row {
	first := group[0]
	count, last := 0, (*record)(nil)
	row := Row{Resource: o.id.Resource, Kind: o.kind, Namespace: o.id.Namespace, Name: o.id.Name, Reason: first.Reason}
	for _, f := range group {
		if f.of != last {
			count, last = count+1, f.of
		}
		row.Since = sooner(row.Since, f.Since)
		if worse(f, first) {
			first = f
		}
	}
	row.Severity, row.Evidence, row.Tab, row.Container, row.Count = first.Severity, first.Evidence, first.Tab, first.Container, count
	own := first.of.id == o.id
	if first.of.id.Resource == pods {
		row.Pod = first.of.id.Name
		if top := e.records[o.id]; top != nil && !own && !first.over && int64(count) <= top.desired() {
			row.Of = int(top.desired())
		}
	}
	row.Words = clean(words(first, row, own))
	if row.Reason == "NotReady" && first.of.id.Resource == pods && own {
		row.Severity = object.Failed // nothing is left that serves
	}
	row.Severity = e.severity(o, &row)
	for _, f := range group {
		if o.explain(&row, f, now) {
			break
		}
	}
	if row.Words = clean(row.Words); !own {
		row.addShare(first)
	}
	return row
}

// desired returns how many pods a workload should have; 0 if it is none.
func (r *record) desired() (n int64) {
	switch r.id.Resource {
	case deployments, replicaSets, statefulSets, daemonSets:
		if r.object != nil {
			_, n, _ = readiness(r.kind.columns, r.object)
		}
	}
	return n
}

// worse reports whether a cause should speak for the group instead of another.
func worse(a, b found) bool {
	if a.Severity != b.Severity {
		return a.Severity == object.Failed
	}
	return a.Since < b.Since
}

// explain adds the last event about an object that says more about its cause.
func (o *owner) explain(row *Row, f found, now int64) bool {
	for _, v := range o.eventsOn(f.of, f.Cause) {
		if v.until() <= now || !listed(explains[row.Reason], v.reason) {
			continue
		}
		row.add(v.message)
		row.Evidence += ", event " + v.reason
		o.due = sooner(o.due, v.until())
		return true
	}
	return false
}
