package rule

import (
	"watchglass/internal/object/tone"
	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/text"
)

// nodeRules are what can be wrong with a node.
var nodeRules = []rule{
	{kinds.Nodes, "NotReady", tone.Failed, nodeNotReady},
	{kinds.Nodes, "MemoryPressure", tone.Warning, pressure("MemoryPressure")},
	{kinds.Nodes, "DiskPressure", tone.Warning, pressure("DiskPressure")},
	{kinds.Nodes, "PIDPressure", tone.Warning, pressure("PIDPressure")},
	{kinds.Nodes, "NetworkUnavailable", tone.Failed, pressure("NetworkUnavailable")},
	{kinds.Nodes, "NodeProblem", tone.Warning, nodeProblems},
	{kinds.Nodes, "SchedulingDisabled", tone.Warning, cordoned},
	{kinds.Nodes, "VersionSkew", tone.Warning, skew},
}

const mayJoin = 2 * 60 // seconds in which a new node becomes ready

// leaving are the taints of nodes that somebody removes on purpose.
var leaving = []string{"ToBeDeletedByClusterAutoscaler", "karpenter.sh/disrupted", "karpenter.sh/disruption", "node.cloudprovider.kubernetes.io/shutdown"}

// nodeNotReady reports a node whose kubelet is not well, or does not answer.
func nodeNotReady(s *subject) {
	c := condition(s.doc, "Ready")
	if is(c, "True") {
		return
	}
	found := Cause{Words: text.Join("NotReady", ": ", c.TextAt("message")), Brief: "NotReady", Evidence: "condition Ready", Since: max(since(c), s.created), Tab: "summary"}
	if !c.Exists() {
		found.Words = "NotReady: the kubelet has not reported"
	}
	found.From = s.created + mayJoin
	for _, taint := range s.doc.ListAt("spec.taints") {
		for _, key := range leaving {
			if taint.TextAt("key") == key {
				found.Severity = tone.Warning
				found.Words = text.Join(found.Words, ", taint ", key)
			}
		}
	}
	s.raise(found)
}

// pressure reports a condition that should not be true.
func pressure(kind string) func(*subject) {
	return func(s *subject) {
		if c := condition(s.doc, kind); is(c, "True") {
			s.raise(Cause{Words: text.Join(kind, ": ", c.TextAt("message")), Brief: kind, Evidence: "condition " + kind, Since: since(c), From: s.created + mayJoin, Tab: "summary"})
		}
	}
}

// nodeProblems reports what a detector of problems has found on a node.
func nodeProblems(s *subject) {
	for _, c := range s.doc.ListAt("status.conditions") {
		if kind := c.TextAt("type"); facts.BadNodeCondition(kind, c.TextAt("status")) {
			reason := kind
			if is(c, "False") {
				reason = "Not" + kind
			}
			s.raise(Cause{Reason: reason, Words: text.Join(reason, ": ", c.TextAt("message")), Brief: reason, Evidence: "condition " + kind, Since: since(c), From: s.created + mayJoin, Tab: "summary"})
		}
	}
}

// cordoned reports a node that takes no new pods.
func cordoned(s *subject) {
	if !s.doc.Get("spec.unschedulable").Bool() {
		return
	}
	at := int64(0)
	for _, taint := range s.doc.ListAt("spec.taints") {
		if taint.TextAt("key") == "node.kubernetes.io/unschedulable" {
			at = facts.Instant(taint.Get("timeAdded"))
		}
	}
	s.raise(Cause{Words: "cordoned: SchedulingDisabled", Evidence: "spec.unschedulable", Since: at, Tab: "summary"})
}

// skew reports a kubelet that the server's version does not support.
func skew(s *subject) {
	if words := facts.SkewWords(s.doc.TextAt("status.nodeInfo.kubeletVersion"), s.Minor); words != "" {
		s.raise(Cause{Words: words, Evidence: "status.nodeInfo.kubeletVersion", Tab: "summary"})
	}
}
