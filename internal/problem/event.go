package problem

import (
	"slices"
	"strconv"
	"strings"

	"watchglass/internal/object"
)

const events = "events"

// Times of events, in seconds.
const (
	news      = 15 * 60 // how long a warning counts
	probeNews = 6 * 60  // how long a failed probe does: a kubelet repeats it at least every five minutes
	goesOn    = 3 * 60  // for how long a probe or a write must fail to count: else it is a slow start, or has succeeded since
	goesOnOf  = 3       // how often it must fail
	rarely    = 5 * 60  // writes that fail less often than this succeed in between
)

// conflict is how the apiserver's answer ends to a client that writes an object which has changed since it was read.
// Controllers read it again and retry.
const conflict = "the object has been modified; please apply your changes to the latest version and try again"

// event is a warning, or what says that one is over.
type event struct {
	about       *record // nil if there is none, or the event says nothing
	name        topicName
	place       int  // in its topic
	good        bool // it says that a warning is over
	message     string
	first, last int64
	count       int64
}

// addEvent reads a warning, and adds it to what it is about.
func (e *Engine) addEvent(r *record) {
	text := func(name string) string {
		if i := column(r.kind.columns, name); i >= 0 {
			return r.object.Cell(r.kind.columns, i).Text
		}
		return ""
	}
	at := func(name string) int64 {
		if i := column(r.kind.columns, name); i >= 0 {
			return r.object.Cell(r.kind.columns, i).At
		}
		return 0
	}
	n, _ := strconv.ParseInt(text("Count"), 10, 64)
	message := text("Message")
	v := &event{good: text("Type") == "Normal", name: topicName{reason: reasonOf(text("Reason")), conflict: strings.HasSuffix(message, conflict)}, message: clean(lead(message)), first: at("First Seen"), last: at("Last Seen"), count: max(n, 1)}
	if v.first <= 0 || v.first > v.last {
		v.first = v.last
	}
	r.event, e.events[r] = v, struct{}{}
	if v.name.reason == "" || v.last > r.applied+day {
		return // nothing is said, or at a time that no clock shows
	}
	if id, kind, ok := e.involved(r.kind.reader.involved(r), r.id.Namespace); ok {
		r.event.about = e.record(id, kind)
		r.event.about.addTopic(r.event)
		e.eventsOf[id.Resource]++
		e.replace(r.event.about)
	}
}

// eventSubject is the object that an event is about, as the event says.
type eventSubject struct{ kind, version, name string }

// involved reads what an event is about: as its cell has it, if its document was dropped.
func (r *reader) involved(of *record) (v eventSubject) {
	if r.scan(of.object) {
		text := func(slot int) string { return string(r.values.Bytes(slot)) }
		return eventSubject{text(involvedKind), text(involvedVersion), text(involvedName)}
	}
	v.kind, v.name, _ = strings.Cut(of.cell("Object"), "/")
	return v
}

// involved returns the object that an event in a namespace is about. It is not ok if there can be no
// such object, or if anybody could have written the event.
func (e *Engine) involved(v eventSubject, namespace string) (id ID, kind string, ok bool) {
	full := strings.ToLower(v.kind)
	group, _, grouped := strings.Cut(v.version, "/")
	if grouped {
		full += "." + group
	}
	if !isKind(v.kind) || !isKind(full) || !isName(v.name) {
		return id, "", false
	}
	to := e.target(full)
	if other := !grouped && v.version != "" && strings.Contains(to.resource, "."); other || !to.ok {
		to = target{full, v.kind, true, true} // a kind of another group has the name, or none
	}
	id = ID{Resource: to.resource, Name: v.name}
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
	about.removeTopic(r.event)
	if e.eventsOf[about.id.Resource]--; e.eventsOf[about.id.Resource] == 0 {
		delete(e.eventsOf, about.id.Resource)
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

// newer reports whether the event was seen later than another. The rest makes the order total.
func (v *event) newer(o *event) bool {
	switch {
	case v.last != o.last:
		return v.last > o.last
	case v.name.reason != o.name.reason:
		return v.name.reason < o.name.reason
	case v.message != o.message:
		return v.message < o.message
	case v.count != o.count:
		return v.count > o.count
	}
	return v.first < o.first
}

// from returns since when the event is news: it may be ahead of the tab's clock, but not by much.
func (v *event) from() int64 { return v.last - news }

// until returns when the event is no longer news.
func (v *event) until() int64 { return v.last + news }

// passing are the events of pods that are over once the pod is well: its own state says more.
const passing = " FailedScheduling FailedMount FailedAttachVolume FailedMapVolume FailedCreatePodSandBox FailedPodSandBoxStatus NetworkNotReady FailedSync Failed BackOff InspectFailed ErrImageNeverPull FailedToRetrieveImagePullSecret NodeNotReady TaintManagerEviction Evicted FailedKillPod Preempted FailedPostStartHook FailedPreStopHook DNSConfigForming "

// noise are the events of what tries again at once or repairs what it found, or whose object says so
// if it lasts. UnexpectedJob is of every Job that somebody starts with "kubectl create job --from".
const noise = " FailedToUpdateEndpoint FailedToUpdateEndpointSlices FailedToCreateEndpoint CalculateExpectedPodCountFailed InvalidDiskCapacity ClusterIPNotAllocated PortNotAllocated FailedGetScale FailedComputeMetricsReplicas FailedGetResourceMetric FailedGetContainerResourceMetric FailedGetPodsMetric FailedGetObjectMetric FailedGetExternalMetric UnexpectedJob "

// missing are the events of a CronJob about runs that were not started.
const missing = " MissSchedule TooManyMissedTimes "

// over reports whether an object says that an event about it no longer holds.
func (r *record) over(v *event) bool {
	if r.object == nil {
		return false
	}
	switch r.id.Resource {
	case deployments, replicaSets, statefulSets, daemonSets:
		have, want, ok := readiness(r.kind.columns, r.object)
		return ok && have >= want && v.name.reason == "FailedCreate"
	case jobs:
		return (r.cell("Status") == "Complete" || r.facts.active > 0) && v.name.reason == "FailedCreate"
	case services:
		return r.facts.service != nil && !r.facts.service.pending && v.name.reason == "SyncLoadBalancerFailed"
	case cronJobs:
		if listed(missing, v.name.reason) && r.rescheduled && v.last <= r.inForce+mayStartLate {
			return true // what was due before its schedule was in force
		}
		return v.last < max(r.facts.success, r.facts.scheduled) && (listed(missing, v.name.reason) || v.name.reason == "FailedCreate")
	case claims:
		return r.cell("Status") == "Bound" && slices.Contains(explains.of("Pending"), v.name.reason)
	}
	return false
}

// explains are the events that say more about a cause than the object does, by the cause's reason.
var explains = table{
	{"ContainerCreating", []string{"FailedMount", "FailedAttachVolume", "FailedMapVolume", "FailedCreatePodSandBox", "FailedPodSandBoxStatus", "NetworkNotReady", "FailedSync"}},
	{"NotReady", []string{"Unhealthy", "ProbeError"}},
	{"CrashLoopBackOff", []string{"Unhealthy", "FailedPostStartHook"}},
	{"Restarting", []string{"Unhealthy", "FailedPostStartHook"}},
	{"ImagePullBackOff", []string{"Failed", "FailedToRetrieveImagePullSecret"}},
	{"Unschedulable", []string{"FailedScheduling"}},
	{"NotScheduled", []string{"FailedResourceClaimCreation"}},
	{"Terminating", []string{"FailedKillPod", "FailedPreStopHook"}},
	{"Unavailable", []string{"FailedCreate"}},
	{"BelowDesired", []string{"FailedCreate"}},
	{"Pending", []string{"ProvisioningFailed", "FailedBinding"}},
	{"ReplicaFailure", []string{"FailedCreate"}},
	{"Lost", []string{"ClaimLost"}},

	{"LoadBalancerPending", []string{"SyncLoadBalancerFailed"}},
	{"MissedSchedule", []string{"UnknownTimeZone", "TooManyMissedTimes", "InvalidSchedule", "UnparseableSchedule"}},
}

func listed(list, word string) bool { return strings.Contains(list, " "+word+" ") }

// alone reports whether an event about the object may be a cause on its own.
func (r *record) alone(v *event) bool {
	switch reason := v.name.reason; {
	case v.good:
		return false
	case listed(noise, reason):
		return false
	case r.probe(v):
		return v.count >= goesOnOf && v.last-v.first >= goesOn
	default:
		return r.id.Resource != pods || !listed(passing, reason)
	}
}

// probe reports whether the event is a probe that failed.
func (r *record) probe(v *event) bool { return r.id.Resource == pods && v.name.reason == "Unhealthy" }

// isGone reports whether an object that an event is about does not exist.
func (e *Engine) isGone(r *record) bool {
	return r.object == nil && r.id.Resource != pods && keeps(r.id.Resource) && e.known(r.id.Resource)
}
