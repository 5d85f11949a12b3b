package tone

import (
	"slices"
	"strings"
)

// nodeFaults are parts of the names of conditions by which the kubelet and detectors of problems report
// that a node is broken: their status True is bad.
var nodeFaults = []string{"Pressure", "NetworkUnavailable", "Frequent", "Corrupt", "Deadlock", "Problem", "Unhealthy", "Failure", "ReadonlyFilesystem"}

// faults are such parts for objects of any other kind, besides those.
var faults = []string{"Failed", "Error", "Unavailable", "Degraded", "Stalled", "Dangling", "NonStructuralSchema", "Terminating", "Remaining", "DisruptionTarget", "Invalid", "Limited", "Denied"}

// IsNodeFault reports whether a condition of a node says, when it is True, that the node is broken.
func IsNodeFault(name string) bool { return hasPart(name, nodeFaults) }

// OfCondition returns the tone of a condition's status. True is good unless the name is that of a fault.
func OfCondition(name, status string) Tone {
	return statusTone(status, IsNodeFault(name) || hasPart(name, faults))
}

// OfNodeCondition is OfCondition for a node. Detectors add conditions of their own, such as
// VMEventScheduled, and of most nobody knows which status is good: those are Plain.
func OfNodeCondition(name, status string) Tone {
	fault := IsNodeFault(name)
	if !fault && !strings.HasSuffix(name, "Ready") {
		return Plain
	}
	return statusTone(status, fault)
}

// statusTone returns the tone of a condition's status, given whether True is bad.
func statusTone(status string, fault bool) Tone {
	switch {
	case status == "True" && fault:
		return Failed
	case status == "True", status == "False" && fault:
		return OK
	case status == "False":
		return Warning
	}
	return Pending
}

// hasPart reports whether a name contains one of some parts.
func hasPart(name string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(name, part) })
}
