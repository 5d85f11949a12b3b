package problem

import (
	"strconv"
	"strings"

	"watchglass/internal/object"
)

const events = "events"

// Times of events, in seconds.
const (
	news        = 15 * 60 // how long a warning counts
	probeNews   = 6 * 60  // how long a failed probe does: a kubelet repeats it at least every five minutes
	probeFails  = 3 * 60  // for how long a probe has to fail to be more than a slow start
	probeCounts = 3
)

// event is a warning.
type event struct {
	about           *record
	reason, message string
	first, last     int64
	count           int64
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
	kind, name, _ := strings.Cut(text("Object"), "/")
	to := e.target(kind)
	id := ID{Resource: to.resource, Name: name}
	if !to.ok {
		to = target{kind, kind, true, true}
		id.Resource = kind
	}
	if to.namespaced {
		id.Namespace = r.id.Namespace
	}
	n, _ := strconv.ParseInt(text("Count"), 10, 64)
	r.event = &event{reason: reasonOf(text("Reason")), message: clean(text("Message")), first: at("First Seen"), last: at("Last Seen"), count: max(n, 1)}
	about := e.record(id, to.kind)
	if about.events == nil {
		about.events = make(map[*record]struct{})
	}
	about.events[r] = struct{}{}
	r.event.about = about
	e.events[r] = struct{}{}
	e.place(about)
	e.invalidate(about)
}

// removeEvent removes a warning from what it is about.
func (e *Engine) removeEvent(r *record) {
	about := r.event.about
	delete(about.events, r)
	delete(e.events, r)
	r.event = nil
	e.place(about)
	e.invalidate(about)
	e.release(about)
}

// until returns when the event is no longer news.
func (v *event) until() int64 { return v.last + news }

// passing are the events of pods that are over once the pod is well: its own state says more.
const passing = " FailedScheduling FailedMount FailedAttachVolume FailedMapVolume FailedCreatePodSandBox FailedPodSandBoxStatus NetworkNotReady FailedSync Failed BackOff InspectFailed ErrImageNeverPull FailedToRetrieveImagePullSecret NodeNotReady TaintManagerEviction Evicted FailedKillPod Preempted FailedPostStartHook FailedPreStopHook DNSConfigForming "

// noise are the events of what tries again at once or repairs what it found, or whose object says so
// if it lasts.
const noise = " FailedToUpdateEndpoint FailedToUpdateEndpointSlices FailedToCreateEndpoint CalculateExpectedPodCountFailed InvalidDiskCapacity ClusterIPNotAllocated PortNotAllocated FailedGetScale FailedComputeMetricsReplicas FailedGetResourceMetric FailedGetContainerResourceMetric FailedGetPodsMetric FailedGetObjectMetric FailedGetExternalMetric "

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
		return ok && have >= want && v.reason == "FailedCreate"
	case jobs:
		return (r.cell("Status") == "Complete" || r.facts.active > 0) && v.reason == "FailedCreate"
	case services:
		return r.facts.service != nil && !r.facts.service.pending && v.reason == "SyncLoadBalancerFailed"
	case cronJobs:
		if listed(missing, v.reason) && r.resumed && v.last <= r.unsuspended+mayStartLate {
			return true // what was due while it was suspended
		}
		return v.last < max(r.facts.success, r.facts.scheduled) && (listed(missing, v.reason) || v.reason == "FailedCreate")
	case claims:
		return r.cell("Status") == "Bound" && listed(explains["Pending"], v.reason)
	}
	return false
}

// explains are the events that say more about a cause than the object does, by the cause's reason.
var explains = map[string]string{
	"ContainerCreating": " FailedMount FailedAttachVolume FailedMapVolume FailedCreatePodSandBox FailedPodSandBoxStatus NetworkNotReady FailedSync ",
	"NotReady":          " Unhealthy ProbeError ",
	"CrashLoopBackOff":  " Unhealthy FailedPostStartHook ",
	"Restarting":        " Unhealthy FailedPostStartHook ",
	"ImagePullBackOff":  " Failed FailedToRetrieveImagePullSecret ",
	"Unschedulable":     " FailedScheduling ",
	"Terminating":       " FailedKillPod FailedPreStopHook ",
	"Unavailable":       " FailedCreate ",
	"BelowDesired":      " FailedCreate ",
	"Pending":           " ProvisioningFailed FailedBinding ",
	"ReplicaFailure":    " FailedCreate ",
	"Lost":              " ClaimLost ",

	"LoadBalancerPending": " SyncLoadBalancerFailed ",
	"MissedSchedule":      " UnknownTimeZone TooManyMissedTimes InvalidSchedule UnparseableSchedule ",
}

func listed(list, word string) bool { return strings.Contains(list, " "+word+" ") }

// eventCause returns the cause that an event is on its own, if its object has no other.
func (e *Engine) eventCause(r *record, v *event) (c Cause, ok bool) {
	c = Cause{Reason: v.reason, Severity: object.Warning, Words: join(v.reason, ": ", v.message), Brief: join(v.reason, ": ", v.message), Evidence: "event " + v.reason, Since: v.first, Until: v.until(), Tab: "events"}
	if v.count > 1 {
		c.Words += " (×" + decimal(v.count) + ")"
	}
	switch {
	case r.object == nil && r.id.Resource != pods && keeps(r.id.Resource) && e.known(r.id.Resource):
		return c, false // it is gone
	case listed(noise, v.reason), r.over(v):
		return c, false
	case r.id.Resource == pods && v.reason == "Unhealthy":
		c.Until = v.last + probeNews
		return c, v.count >= probeCounts && v.last-v.first >= probeFails
	case r.id.Resource == pods && listed(passing, v.reason):
		return c, false
	}
	return c, true
}
