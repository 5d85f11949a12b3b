package problem

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"watchglass/internal/object"
	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/rule"
	"watchglass/internal/problem/text"
	"watchglass/internal/problem/topic"
)

// conflict is how the apiserver's answer ends to a client that writes an object which has changed since it was read.
// Controllers read it again and retry.
const conflict = "the object has been modified; please apply your changes to the latest version and try again"

// notice is an event with what it is about.
type notice struct {
	topic.Event
	about *record // nil if there is none, or the event says nothing
}

// addEvent reads a warning, and adds it to what it is about.
func (e *Engine) addEvent(r *record) {
	at := func(name string) int64 {
		if i := facts.Column(r.kind.columns, name); i >= 0 {
			return r.Object.Cell(r.kind.columns, i).At
		}
		return 0
	}
	n, _ := strconv.ParseInt(r.cell("Count"), 10, 64)
	message := r.cell("Message")
	v := &notice{Event: topic.Event{Good: r.cell("Type") == "Normal", Name: topic.Name{Reason: text.Reason(r.cell("Reason")), Conflict: strings.HasSuffix(message, conflict)}, Message: text.Clean(text.Lead(message)), First: at("First Seen"), Last: at("Last Seen"), Count: max(n, 1)}}
	if v.First <= 0 || v.First > v.Last {
		v.First = v.Last
	}
	r.event, e.events[r] = v, struct{}{}
	if v.Name.Reason == "" || v.Last > r.applied+rule.Day {
		return // nothing is said, or at a time that no clock shows
	}
	if id, kind, ok := e.involved(r.kind.reader.Involved(r.kind.columns, r.Object), r.ID.Namespace); ok {
		v.about = e.record(id, kind)
		v.about.topics.Add(&v.Event, id.Resource == kinds.Pods)
		e.eventsOf[id.Resource]++
		e.replace(v.about)
	}
}

// involved returns the object that an event in a namespace is about. It is not ok if there can be no
// such object, or if anybody could have written the event.
func (e *Engine) involved(v facts.Subject, namespace string) (id facts.ID, kind string, ok bool) {
	full := strings.ToLower(v.Kind)
	group, _, grouped := strings.Cut(v.Version, "/")
	if grouped {
		full += "." + group
	}
	if !kinds.IsKind(v.Kind) || !kinds.IsKind(full) || !kinds.IsName(v.Name) {
		return id, "", false
	}
	to := e.target(full)
	if other := !grouped && v.Version != "" && strings.Contains(to.resource, "."); other || !to.ok {
		to = target{full, v.Kind, true, true} // a kind of another group has the name, or none
	}
	id = facts.ID{Resource: to.resource, Name: v.Name}
	if to.namespaced {
		id.Namespace = namespace
		return id, to.kind, true
	}
	return id, to.kind, inCluster(namespace)
}

// inCluster reports whether events in a namespace can be about objects of the whole cluster.
func inCluster(namespace string) bool { return slices.Contains(object.EventNamespaces(""), namespace) }

// removeEvent removes a warning from what it is about.
func (e *Engine) removeEvent(r *record) {
	about := r.event.about
	delete(e.events, r)
	if about == nil {
		r.event = nil
		return
	}
	about.topics.Remove(&r.event.Event)
	if e.eventsOf[about.ID.Resource]--; e.eventsOf[about.ID.Resource] == 0 {
		delete(e.eventsOf, about.ID.Resource)
	}
	r.event = nil
	e.replace(about)
	e.release(about)
}

// replace has the rows made anew of what an event is about. Nothing else depends on the event.
func (e *Engine) replace(about *record) {
	if about.owner == nil || len(about.topics) == 0 {
		e.place(about)
	}
	e.markDirty(about)
}

// missing are the events of a CronJob about runs that were not started.
const missing = " MissSchedule TooManyMissedTimes "

// over reports whether an object says that an event about it no longer holds.
func (r *record) over(v *topic.Event) bool {
	if r.Object == nil {
		return false
	}
	switch r.ID.Resource {
	case kinds.Deployments, kinds.ReplicaSets, kinds.StatefulSets, kinds.DaemonSets:
		have, want, ok := facts.Readiness(r.kind.columns, r.Object)
		return ok && have >= want && v.Name.Reason == "FailedCreate"
	case kinds.Jobs:
		return (r.cell("Status") == "Complete" || r.Facts.Active > 0) && v.Name.Reason == "FailedCreate"
	case kinds.Services:
		return r.Facts.Service != nil && !r.Facts.Service.Pending && v.Name.Reason == "SyncLoadBalancerFailed"
	case kinds.CronJobs:
		if text.Listed(missing, v.Name.Reason) && r.rescheduled && v.Last <= r.inForce+rule.MayStartLate {
			return true // what was due before its schedule was in force
		}
		return v.Last < max(r.Facts.Success, r.Facts.Scheduled) && (text.Listed(missing, v.Name.Reason) || v.Name.Reason == "FailedCreate")
	case kinds.Claims:
		return r.cell("Status") == "Bound" && slices.Contains(topic.Explaining("Pending"), v.Name.Reason)
	}
	return false
}

// isGone reports whether an object that an event is about does not exist.
func (e *Engine) isGone(r *record) bool {
	return r.Object == nil && r.ID.Resource != kinds.Pods && kinds.Keeps(r.ID.Resource) && e.known(r.ID.Resource)
}

// Warnings returns how many warnings are recent.
func (e *Engine) Warnings(now time.Time) (n int) {
	for r := range e.events {
		if !r.event.Good && r.event.Last > now.Unix()-rule.News {
			n++
		}
	}
	return n
}
