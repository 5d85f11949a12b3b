package problem

import (
	"slices"
	"sort"

	"watchglass/internal/object/tone"
	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/rule"
	"watchglass/internal/problem/text"
	"watchglass/internal/problem/topic"
)

// mostRows is how many rows an owner has at most. Those that fail come first.
const mostRows = 20

// rebuild makes the rows of an owner anew.
func (e *Engine) rebuild(o *owner, now int64) {
	o.due, o.waits = 0, false
	rows := make(map[string]Row)
	for _, group := range byReason(e.gather(o, now)) {
		row := e.row(o, group, now)
		rows[row.Key()] = row
	}
	if o.waits {
		e.waiting[o] = struct{}{}
	} else {
		delete(e.waiting, o)
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
	e.due = rule.Sooner(e.due, o.due)
	for key, row := range rows {
		o.rows[key] = struct{}{}
		e.publish(key, &row)
	}
	if len(o.members) == 0 && len(o.rows) == 0 {
		delete(e.owners, o.ID)
		delete(e.waiting, o)
	}
}

// byReason groups causes by their reasons, in the order of their first ones, and drops the groups that
// are too many.
func byReason(all []found) (groups [][]found) {
	places := make(map[string]int)
	for _, f := range all {
		i, had := places[f.Reason]
		if !had {
			i = len(groups)
			places[f.Reason], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], f)
	}
	if len(groups) <= mostRows {
		return groups
	}
	var failed, rest [][]found
	for _, g := range groups {
		if slices.ContainsFunc(g, func(f found) bool { return f.Severity == tone.Failed }) {
			failed = append(failed, g)
		} else {
			rest = append(rest, g)
		}
	}
	return append(failed, rest...)[:mostRows]
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
	o.hints = nil
	members := slices.Clone(o.members)
	sort.Sort(recordsByName(members))
	var all []found
	explained, unready, rejected := false, false, int64(0)
	for _, r := range members {
		held, over, bad := e.held(r, o, now)
		all = append(all, held...)
		rejected = max(rejected, lastRejected(held))
		isPod := r.ID.Resource == kinds.Pods
		explained = explained || isPod && len(held) > 0 && !over || slices.ContainsFunc(held, func(f found) bool { return f.Reason == "ReplicaFailure" })
		unready = unready || isPod && r.Object != nil && !over && (r.Object.Deleting() || facts.IsBad(kinds.Pods, r.kind.columns, r.Object))
		if bad != r.Bad {
			r.Bad = bad
			e.invalidateDependents(r)
		}
	}
	success := int64(0)
	if top := e.records[o.ID]; top != nil {
		if success = top.Facts.Success; top.Facts.Suspended {
			success = max(success, now-rule.Day) // an old failure is no news of what somebody has stopped
		}
		if _, lost := e.lost[top]; lost {
			success = now // a failure may be over: whether it is cannot be read yet
		}
	}
	full := e.full(o)
	all = slices.DeleteFunc(all, func(f found) bool {
		if full && f.Over && text.Listed(shutdowns, f.Reason) {
			return true
		}
		return f.Effect && (explained || f.Since > 0 && f.Since < rejected+mayReject) || f.Shortage && unready || e.early(f, o, now) || f.Retried && f.Since <= success
	})
	all = joinCrashes(all)
	if len(all) == 0 {
		all = e.alone(o, members, success, now)
	}
	return all
}

// held returns the causes of an object that hold, whether it has ended, and whether it is bad: a cause holds, or may hold
// and is left out because nothing is known of its node. Either explains what depends on the object.
func (e *Engine) held(r *record, o *owner, now int64) (all []found, over, bad bool) {
	causes := r.Causes
	if more := e.joint(r, now); len(more) > 0 {
		causes = append(slices.Clip(causes), more...)
	}
	for i := range causes {
		c := e.ofGoneNode(&causes[i])
		r.backdate(c, o, now)
		o.due = rule.Sooner(o.due, c.Next(now))
		if e.byNode(c) {
			bad = bad || e.mayHold(c, now)
			continue
		}
		o.waits = o.waits || c.Waits(now)
		switch {
		case !c.Holds(now):
		case c.Hint:
			o.hints = append(o.hints, found{r, c})
		default:
			all, over = append(all, found{r, c}), over || c.Over
		}
	}
	return all, over, bad || len(all) > 0
}

// alone returns the events about members of an owner that has no other causes. Those of Jobs before
// the owner's last success are over.
func (e *Engine) alone(o *owner, members []*record, success, now int64) (all []found) {
	for _, r := range members {
		if len(r.topics) == 0 || e.isGone(r) {
			continue
		}
		mended := r.topics.Mended(now)
		for _, t := range r.topics.Alone(now, mostRows) {
			if t.Last.Last <= mended || r.over(t.Last) || r.ID.Resource == kinds.Jobs && t.Last.Last <= success {
				continue
			}
			c := t.Cause(r.ID.Resource == kinds.Pods)
			o.due = rule.Sooner(rule.Sooner(o.due, c.Next(now)), t.First.Until())
			if c.Holds(now) {
				all = append(all, found{r, &c})
			}
		}
	}
	return all
}

// recordsByName sorts the members of an owner, which are in one namespace. It is for
// package sort because each call of slices.SortFunc links a sort of its own.
type recordsByName []*record

func (s recordsByName) Len() int      { return len(s) }
func (s recordsByName) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
func (s recordsByName) Less(i, j int) bool {
	if s[i].ID.Resource != s[j].ID.Resource {
		return s[i].ID.Resource < s[j].ID.Resource
	}
	return s[i].ID.Name < s[j].ID.Name
}

// row makes the row of causes with the same reason.
func (e *Engine) row(o *owner, group []found, now int64) Row {
	first := group[0]
	count, unready, last := 0, 0, (*record)(nil)
	row := Row{Resource: o.ID.Resource, Kind: o.kind, Namespace: o.ID.Namespace, Name: o.ID.Name, Reason: first.Reason}
	for _, f := range group {
		if f.of != last {
			count, last = count+1, f.of
			if f.of.unready() {
				unready++
			}
		}
		row.Since = rule.Sooner(row.Since, f.Since)
		if worse(f, first) {
			first = f
		}
	}
	row.Severity, row.Evidence, row.Tab, row.Container, row.Count = first.Severity, first.Evidence, first.Tab, first.Container, count
	own := first.of.ID == o.ID
	if first.of.ID.Resource == kinds.Pods {
		row.Pod = first.of.ID.Name
		if top := e.records[o.ID]; top != nil && !own && !first.Over {
			if ready, of := top.replicas(); int64(count) <= of && int64(unready)+ready <= of { // else there are more pods than that, as in a rollout
				row.Of = int(of)
			}
		}
	}
	row.Words = text.Clean(words(first, row, own))
	if row.Reason == "NotReady" && first.of.ID.Resource == kinds.Pods && own {
		row.Severity = tone.Failed // nothing is left that serves
	}
	row.Severity, last = e.severity(o, &row), nil
	for _, f := range group {
		if f.of != last && o.explain(&row, f, now) {
			break
		}
		last = f.of
	}
	o.hint(&row, first)
	if row.Words = text.Clean(row.Words); !own {
		row.addShare(first)
	}
	e.addPods(&row)
	return row
}

// replicas returns how many pods a workload has that are ready, and should have; 0 if it is none.
func (r *record) replicas() (ready, desired int64) {
	switch r.ID.Resource {
	case kinds.Deployments, kinds.ReplicaSets, kinds.StatefulSets, kinds.DaemonSets:
		if r.Object != nil {
			ready, desired, _ = facts.Readiness(r.kind.columns, r.Object)
		}
	}
	return ready, desired
}

// unready reports whether it is a pod of which not all containers are ready.
func (r *record) unready() bool {
	if r.ID.Resource != kinds.Pods || r.Object == nil {
		return false
	}
	have, want, ok := facts.Readiness(r.kind.columns, r.Object)
	return !ok || have < want
}

// worse reports whether a cause should speak for the group instead of another.
func worse(a, b found) bool {
	if a.Severity != b.Severity {
		return a.Severity == tone.Failed
	}
	return a.Since < b.Since
}

// explain adds the last event about an object that says more about its cause.
func (o *owner) explain(row *Row, f found, now int64) bool {
	var last *topic.Event
	for _, t := range o.topicsOn(f.of, f.Cause, now) {
		if last == nil || t.Last.Newer(last) {
			last = t.Last
		}
	}
	if last == nil {
		return false
	}
	row.add(last.Message)
	row.Evidence += ", event " + last.Name.Reason
	o.due = rule.Sooner(o.due, last.Until())
	return true
}
