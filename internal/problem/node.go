package problem

import (
	"strconv"
	"strings"

	"watchglass/internal/object"
)

const nodes = "nodes"

// nodeRules are what can be wrong with a node.
var nodeRules = []rule{
	{nodes, "NotReady", object.Failed, nodeNotReady},
	{nodes, "MemoryPressure", object.Warning, pressure("MemoryPressure")},
	{nodes, "DiskPressure", object.Warning, pressure("DiskPressure")},
	{nodes, "PIDPressure", object.Warning, pressure("PIDPressure")},
	{nodes, "NetworkUnavailable", object.Failed, pressure("NetworkUnavailable")},
	{nodes, "NodeProblem", object.Warning, nodeProblems},
	{nodes, "SchedulingDisabled", object.Warning, cordoned},
	{nodes, "VersionSkew", object.Warning, skew},
}

const (
	mayJoin   = 2 * 60 // seconds in which a new node becomes ready
	mostMinor = 3      // minor versions that a kubelet may be older than the server
)

// leaving are the taints of nodes that somebody removes on purpose.
var leaving = []string{"ToBeDeletedByClusterAutoscaler", "karpenter.sh/disrupted", "karpenter.sh/disruption", "node.cloudprovider.kubernetes.io/shutdown"}

// nodeNotReady reports a node whose kubelet is not well, or does not answer.
func nodeNotReady(s *subject) {
	c := condition(s.doc, "Ready")
	if is(c, "True") {
		return
	}
	found := Cause{Words: join("NotReady", ": ", c.TextAt("message")), Brief: "NotReady", Evidence: "condition Ready", Since: max(since(c), s.created), Tab: "summary"}
	if !c.Exists() {
		found.Words = "NotReady: the kubelet has not reported"
	}
	found.From = s.created + mayJoin
	for _, taint := range s.doc.ListAt("spec.taints") {
		for _, key := range leaving {
			if taint.TextAt("key") == key {
				found.Severity = object.Warning
				found.Words = join(found.Words, ", taint ", key)
			}
		}
	}
	s.raise(found)
}

// pressure reports a condition that should not be true.
func pressure(kind string) func(*subject) {
	return func(s *subject) {
		if c := condition(s.doc, kind); is(c, "True") {
			s.raise(Cause{Words: join(kind, ": ", c.TextAt("message")), Brief: kind, Evidence: "condition " + kind, Since: since(c), From: s.created + mayJoin, Tab: "summary"})
		}
	}
}

// kubeletConditions are those that have rules of their own.
const kubeletConditions = " Ready MemoryPressure DiskPressure PIDPressure NetworkUnavailable "

// badNodeCondition reports whether a condition says that a node is broken, besides those of the kubelet.
func badNodeCondition(kind, status string) bool {
	tone := object.NodeConditionTone(kind, status)
	return (tone == object.Failed || tone == object.Warning) && !listed(kubeletConditions, kind)
}

// nodeProblems reports what a detector of problems has found on a node.
func nodeProblems(s *subject) {
	for _, c := range s.doc.ListAt("status.conditions") {
		if kind := c.TextAt("type"); badNodeCondition(kind, c.TextAt("status")) {
			reason := kind
			if is(c, "False") {
				reason = "Not" + kind
			}
			s.raise(Cause{Reason: reason, Words: join(reason, ": ", c.TextAt("message")), Brief: reason, Evidence: "condition " + kind, Since: since(c), From: s.created + mayJoin, Tab: "summary"})
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
			at = instant(taint.Get("timeAdded"))
		}
	}
	s.raise(Cause{Words: "cordoned: SchedulingDisabled", Evidence: "spec.unschedulable", Since: at, Tab: "summary"})
}

// skew reports a kubelet that the server's version does not support.
func skew(s *subject) {
	if words := skewWords(s.doc.TextAt("status.nodeInfo.kubeletVersion"), s.minor); words != "" {
		s.raise(Cause{Words: words, Evidence: "status.nodeInfo.kubeletVersion", Tab: "summary"})
	}
}

// skewWords returns what is wrong with a kubelet's version; "" if nothing is.
func skewWords(version string, server int) string {
	kubelet := minorOf(version)
	switch {
	case kubelet <= 0 || server <= 0:
		return ""
	case kubelet > server:
		return "kubelet " + version + " is newer than the server's 1." + decimal(int64(server))
	case server-kubelet > mostMinor:
		return "kubelet " + version + " is " + decimal(int64(server-kubelet)) + " minor versions older than the server's 1." + decimal(int64(server))
	}
	return ""
}

// minorOf returns the minor version of "v1.36.3"; 0 if there is none.
func minorOf(version string) int {
	rest, ok := strings.CutPrefix(version, "v1.")
	minor, _, _ := strings.Cut(rest, ".")
	n, err := strconv.Atoi(minor)
	if !ok || err != nil {
		return 0
	}
	return n
}
