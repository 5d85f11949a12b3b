package rule

import (
	"watchglass/internal/document"
	"watchglass/internal/object/tone"
	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/text"
)

// workloadRules are what can be wrong with what keeps pods running.
var workloadRules = []rule{
	{kinds.Deployments, "ProgressDeadlineExceeded", tone.Failed, deadline},
	{kinds.Deployments, "ReplicaFailure", tone.Failed, replicaFailure},
	{kinds.Deployments, "Unavailable", tone.Failed, unavailable},
	{kinds.Deployments, "BelowDesired", tone.Warning, belowDesired},
	{kinds.Deployments, "Paused", tone.Warning, paused},
	{kinds.Deployments, "NotObserved", tone.Warning, notObserved},
	{kinds.StatefulSets, "NotObserved", tone.Warning, notObserved},
	{kinds.DaemonSets, "NotObserved", tone.Warning, notObserved},
	{kinds.ReplicaSets, "ReplicaFailure", tone.Failed, replicaFailure},
	{kinds.ReplicaSets, "BelowDesired", tone.Warning, belowDesired},
	{kinds.StatefulSets, "BelowDesired", tone.Warning, belowDesired},
	{kinds.DaemonSets, "BelowDesired", tone.Warning, belowDesired},
	{kinds.DaemonSets, "Misscheduled", tone.Warning, misscheduled},
}

// MayLack is how long a workload may lack pods while its controller replaces them, in seconds.
const MayLack = 60

// owned reports whether a controller answers for the object.
func (s *subject) owned() bool {
	for _, o := range s.doc.ListAt("metadata.ownerReferences") {
		if o.Get("controller").Bool() {
			return true
		}
	}
	return false
}

// desired returns how many pods a workload should have, and how many are available.
func desired(resource string, doc document.Value) (want, have int64) {
	if resource == kinds.DaemonSets {
		return doc.Get("status.desiredNumberScheduled").Int(), doc.Get("status.numberAvailable").Int()
	}
	want = 1
	if n := doc.Get("spec.replicas"); n.Exists() {
		want = n.Int()
	}
	if resource == kinds.StatefulSets {
		return want, doc.Get("status.readyReplicas").Int()
	}
	return want, doc.Get("status.availableReplicas").Int()
}

// rollingOut reports whether a Deployment is being rolled out, within its deadline.
func rollingOut(doc document.Value) bool {
	c := condition(doc, "Progressing")
	return is(c, "True") && c.TextAt("reason") != "NewReplicaSetAvailable" || doc.Get("metadata.generation").Int() > doc.Get("status.observedGeneration").Int()
}

// notObserved reports a change that the workload's controller has not seen, as it does not run.
func notObserved(s *subject) {
	is, seen := s.doc.Get("metadata.generation").Int(), s.doc.Get("status.observedGeneration").Int()
	if is <= seen || s.doc.Get("metadata.deletionTimestamp").Exists() {
		return
	}
	c := Cause{Words: "change not observed by its controller: generation " + text.Decimal(is) + ", observed " + text.Decimal(seen) + "; is the controller manager running?", Evidence: "status.observedGeneration", Tab: "yaml"}
	if seen == 0 {
		c.Since, c.From = s.created, s.created+MayLack
	} else {
		c.Undated, c.Moving = true, true
	}
	s.raise(c)
}

// deadline reports a rollout that got stuck.
func deadline(s *subject) {
	if c := condition(s.doc, "Progressing"); is(c, "False") && c.TextAt("reason") == "ProgressDeadlineExceeded" {
		s.raise(Cause{Words: reasonAndMessage(c), Brief: "ProgressDeadlineExceeded", Evidence: "condition Progressing", Since: since(c), Tab: "related", Effect: true})
	}
}

// replicaFailure reports pods that cannot be created, as when a quota is full or admission denies
// them.
func replicaFailure(s *subject) {
	if c := condition(s.doc, "ReplicaFailure"); is(c, "True") && !s.ownedReplicaSet() {
		s.raise(Cause{Words: reasonAndMessage(c), Brief: c.TextAt("reason"), Evidence: "condition ReplicaFailure", Since: since(c), Tab: "events"})
	}
}

// ownedReplicaSet reports whether the object is a ReplicaSet whose Deployment says the same.
func (s *subject) ownedReplicaSet() bool { return s.kind.ID() == kinds.ReplicaSets && s.owned() }

// unavailable reports a Deployment with too few pods to serve. A rollout has its deadline.
func unavailable(s *subject) {
	c := condition(s.doc, "Available")
	if want, _ := desired(kinds.Deployments, s.doc); want == 0 || !is(c, "False") || rollingOut(s.doc) || neverStarted(s.doc) {
		return
	}
	at := max(since(c), s.created)
	s.raise(Cause{Words: reasonAndMessage(c), Brief: c.TextAt("reason"), Evidence: "condition Available", Since: at, From: at + MayLack, Tab: "related", Effect: true, Shortage: true})
}

// belowDesired reports a workload with fewer pods than it should have. Nothing says since when, so
// the engine waits for MayLack.
func belowDesired(s *subject) {
	id := s.kind.ID()
	want, have := desired(id, s.doc)
	if have >= want || s.ownedReplicaSet() || id == kinds.Deployments && (rollingOut(s.doc) || neverStarted(s.doc) || is(condition(s.doc, "Available"), "False") || is(condition(s.doc, "Progressing"), "False")) {
		return
	}
	words := text.Decimal(max(have, 0)) + " of " + text.Decimal(want) + " pods available"
	if id == kinds.StatefulSets {
		words = text.Decimal(max(have, 0)) + " of " + text.Decimal(want) + " pods ready"
	}
	s.raise(Cause{Words: words, Evidence: "status", Tab: "related", Effect: true, Shortage: true, Undated: true})
}

// neverStarted reports whether a Deployment has no pods because it is paused: its controller creates no
// ReplicaSet then.
func neverStarted(doc document.Value) bool {
	return doc.Get("spec.paused").Bool() && doc.Get("status.replicas").Int() == 0
}

// paused reports a Deployment whose changes are not rolled out.
func paused(s *subject) {
	if s.doc.Get("spec.paused").Bool() {
		words := "rollout paused"
		if want, _ := desired(kinds.Deployments, s.doc); want > 0 && neverStarted(s.doc) {
			words = "rollout paused, no pods created"
		}
		s.raise(Cause{Words: words, Evidence: "spec.paused", Since: since(condition(s.doc, "Progressing")), Tab: "summary"})
	}
}

// misscheduled reports pods of a DaemonSet on nodes where they should not run.
func misscheduled(s *subject) {
	if n := s.doc.Get("status.numberMisscheduled").Int(); n > 0 {
		s.raise(Cause{Words: text.Count(n, "pod") + " on nodes that the DaemonSet does not select, or whose taints it does not tolerate", Evidence: "status.numberMisscheduled", Tab: "related", Undated: true})
	}
}
