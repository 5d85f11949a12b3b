package topic

import (
	"watchglass/internal/object/tone"
	"watchglass/internal/problem/rule"
	"watchglass/internal/problem/text"
)

// Times of events, in seconds.
const (
	probeNews = 6 * 60 // how long a failed probe counts: a kubelet repeats it at least every five minutes
	goesOn    = 3 * 60 // for how long a probe or a write must fail to count: else it is a slow start, or has succeeded since
	goesOnOf  = 3      // how often it must fail
	rarely    = 5 * 60 // writes that fail less often than this succeed in between
)

// Event is a warning, or what says that one is over.
type Event struct {
	Name        Name
	place       int  // in its topic
	Good        bool // it says that a warning is over
	Message     string
	First, Last int64
	Count       int64
}

// Topic are the events about an object that have the same reason, and are alike in whether they can
// be a cause on their own. One speaks for all of them, so that thousands of events cost little more
// than one.
type Topic struct {
	events []*Event // in no order
	Last   *Event   // the newest
	First  *Event   // of those that are news, the one that was seen first; nil if none is
	count  int64    // how often they were seen
	stale  bool     // last and first are to be found again
}

// Name identifies a topic of an object.
type Name struct {
	Reason   string
	Conflict bool // a write lost a race
	alone    bool // they can be a cause on their own
}

// Set is the topics of one object; nil if there are none.
type Set map[Name]*Topic

// Add adds an event to its topic.
func (s *Set) Add(v *Event, ofPod bool) {
	v.Name.alone = v.alone(ofPod)
	t := (*s)[v.Name]
	if t == nil {
		if *s == nil {
			*s = make(Set)
		}
		t = new(Topic)
		(*s)[v.Name] = t
	}
	v.place, t.count = len(t.events), t.count+v.Count
	t.events = append(t.events, v)
	if t.Last == nil || v.Newer(t.Last) {
		t.Last = v
	}
	if t.First == nil || v.First < t.First.First {
		t.First = v
	}
}

// Remove removes an event from its topic.
func (s Set) Remove(v *Event) {
	t := s[v.Name]
	end := len(t.events) - 1
	moved := t.events[end]
	t.events[v.place], moved.place = moved, v.place
	t.events[end], t.events = nil, t.events[:end]
	t.count, t.stale = t.count-v.Count, t.stale || v == t.Last || v == t.First
	if end == 0 {
		delete(s, v.Name)
	}
}

// refresh finds what speaks for the events at a time, if that has changed, and reports whether one of
// them is news.
func (t *Topic) refresh(now int64) bool {
	if !t.stale && (t.Last.Until() <= now || t.First != nil && t.First.Until() > now) {
		return t.Last.Until() > now
	}
	t.stale, t.Last, t.First = false, nil, nil
	for _, v := range t.events {
		if t.Last == nil || v.Newer(t.Last) {
			t.Last = v
		}
		if v.Until() > now && (t.First == nil || v.First < t.First.First) {
			t.First = v
		}
	}
	return t.First != nil
}

// fights reports whether writes keep losing races, as they do where two controllers undo each other's changes. Every now
// and then, or a few times at once, any write loses one. An event that says more about the reason speaks for these, too.
func (s Set) fights(reason string, conflicts *Topic, now int64) bool {
	if other := s[Name{Reason: reason, alone: true}]; other != nil && other.refresh(now) {
		return false
	}
	lasts := conflicts.Last.Last - conflicts.First.First
	return conflicts.count >= goesOnOf && lasts >= goesOn && lasts <= conflicts.count*rarely
}

// Cause returns the cause that the events are on their own. The newest says what it is, and the first
// since when.
func (t *Topic) Cause(ofPod bool) rule.Cause {
	v := t.Last
	words := text.Join(v.Name.Reason, ": ", v.Message)
	c := rule.Cause{Reason: v.Name.Reason, Severity: tone.Warning, Words: words, Brief: words, Evidence: "event " + v.Name.Reason, Since: t.First.First, From: v.from(), Until: v.Until(), Tab: "events"}
	if v.Count > 1 {
		c.Words += " (×" + text.Decimal(v.Count) + ")"
	}
	if v.probe(ofPod) {
		c.Until = v.Last + probeNews
	}
	return c
}

// About returns the topics that say more about a cause, as far as they are news.
func (s Set) About(reason string, now int64) []*Topic {
	return s.Named(Explaining(reason), now)
}

// Named returns the topics of some names that are news.
func (s Set) Named(names []string, now int64) (all []*Topic) {
	if len(s) == 0 {
		return nil
	}
	for _, name := range names {
		for _, is := range [...]Name{{}, {alone: true}, {Conflict: true}, {Conflict: true, alone: true}} {
			is.Reason = name
			if t := s[is]; t != nil && t.refresh(now) {
				all = append(all, t)
			}
		}
	}
	return all
}

// Mended returns when an event last said that what a warning said is over; 0 if none did.
func (s Set) Mended(now int64) (at int64) {
	for _, t := range s {
		if t.refresh(now) && t.Last.Good {
			at = max(at, t.Last.Last)
		}
	}
	return at
}

// Alone returns the topics that can be causes on their own and are news: the newest, at most a number of them.
func (s Set) Alone(now int64, most int) (all []*Topic) {
	for name, t := range s {
		if !name.alone || !t.refresh(now) || name.Conflict && !s.fights(name.Reason, t, now) || len(all) == most && !t.Last.Newer(all[most-1].Last) {
			continue
		}
		all = append(all, t)
		for i := len(all) - 1; i > 0 && t.Last.Newer(all[i-1].Last); i-- {
			all[i], all[i-1] = all[i-1], all[i]
		}
		all = all[:min(len(all), most)]
	}
	return all
}

// Newer reports whether the event was seen later than another. The rest makes the order total.
func (v *Event) Newer(o *Event) bool {
	switch {
	case v.Last != o.Last:
		return v.Last > o.Last
	case v.Name.Reason != o.Name.Reason:
		return v.Name.Reason < o.Name.Reason
	case v.Message != o.Message:
		return v.Message < o.Message
	case v.Count != o.Count:
		return v.Count > o.Count
	}
	return v.First < o.First
}

// from returns since when the event is news: it may be ahead of the tab's clock, but not by much.
func (v *Event) from() int64 { return v.Last - rule.News }

// Until returns when the event is no longer news.
func (v *Event) Until() int64 { return v.Last + rule.News }

// passing are the events of pods that are over once the pod is well: its own state says more.
const passing = " FailedScheduling FailedMount FailedAttachVolume FailedMapVolume FailedCreatePodSandBox FailedPodSandBoxStatus NetworkNotReady FailedSync Failed BackOff InspectFailed ErrImageNeverPull FailedToRetrieveImagePullSecret NodeNotReady TaintManagerEviction Evicted FailedKillPod Preempted FailedPostStartHook FailedPreStopHook DNSConfigForming "

// noise are the events of what tries again at once or repairs what it found, or whose object says so
// if it lasts. UnexpectedJob is of every Job that somebody starts with "kubectl create job --from".
const noise = " FailedToUpdateEndpoint FailedToUpdateEndpointSlices FailedToCreateEndpoint CalculateExpectedPodCountFailed InvalidDiskCapacity ClusterIPNotAllocated PortNotAllocated FailedGetScale FailedComputeMetricsReplicas FailedGetResourceMetric FailedGetContainerResourceMetric FailedGetPodsMetric FailedGetObjectMetric FailedGetExternalMetric UnexpectedJob "

// Explaining returns the reasons of the events that say more about a cause than the object does.
func Explaining(reason string) []string { return explains.Of(reason) }

// explains are the events that say more about a cause than the object does, by the cause's reason.
var explains = text.Table{
	{"ContainerCreating", "FailedMount", "FailedAttachVolume", "FailedMapVolume", "FailedCreatePodSandBox", "FailedPodSandBoxStatus", "NetworkNotReady", "FailedSync"},
	{"NotReady", "Unhealthy", "ProbeError"},
	{"CrashLoopBackOff", "Unhealthy", "FailedPostStartHook"},
	{"Restarting", "Unhealthy", "FailedPostStartHook"},
	{"ImagePullBackOff", "Failed", "FailedToRetrieveImagePullSecret"},
	{"Unschedulable", "FailedScheduling"},
	{"NotScheduled", "FailedResourceClaimCreation"},
	{"Terminating", "FailedKillPod", "FailedPreStopHook"},
	{"Unavailable", "FailedCreate"},
	{"BelowDesired", "FailedCreate"},
	{"Pending", "ProvisioningFailed", "FailedBinding"},
	{"ReplicaFailure", "FailedCreate"},
	{"Lost", "ClaimLost"},

	{"LoadBalancerPending", "SyncLoadBalancerFailed"},
	{"MissedSchedule", "UnknownTimeZone", "TooManyMissedTimes", "InvalidSchedule", "UnparseableSchedule"},
}

// alone reports whether the event may be a cause on its own.
func (v *Event) alone(ofPod bool) bool {
	switch reason := v.Name.Reason; {
	case v.Good:
		return false
	case text.Listed(noise, reason):
		return false
	case v.probe(ofPod):
		return v.Count >= goesOnOf && v.Last-v.First >= goesOn
	default:
		return !ofPod || !text.Listed(passing, reason)
	}
}

// probe reports whether the event is a probe that failed.
func (v *Event) probe(ofPod bool) bool { return ofPod && v.Name.Reason == "Unhealthy" }
