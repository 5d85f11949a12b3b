package problem

import (
	"watchglass/internal/object/tone"
	"watchglass/internal/problem/text"
)

// outages are the reasons of warnings that are errors if a workload has lost most of its pods.
const outages = " NotReady ReadinessGatesNotReady BelowDesired FailedCreate Restarting OOMKilled UnexpectedAdmissionError OutOfcpu OutOfmemory OutOfpods NodeAffinity "

// mayReject is how long before a shortage a node may have rejected a pod to explain it, in seconds.
const mayReject = 60 * 60

// lastRejected returns when the last of some pods ended without a run, or while it ran.
func lastRejected(held []found) (at int64) {
	for _, f := range held {
		if f.Over {
			at = max(at, f.Since)
		}
	}
	return at
}

// shutdowns are the reasons of pods that were left when their node was shut down, as for an upgrade.
// They do not matter once the workload has all its pods.
const shutdowns = " Terminated NodeShutdown Shutdown "

// full reports whether a workload has all its pods.
func (e *Engine) full(o *owner) bool {
	top := e.records[o.ID]
	if top == nil {
		return false
	}
	have, want := top.replicas()
	return want > 0 && have >= want
}

// severity returns how bad a row of a workload is, by its effect: an error while fewer than half of
// the pods are ready, else a warning. Any other row is as bad as its rule says.
func (e *Engine) severity(o *owner, row *Row) tone.Tone {
	top := e.records[o.ID]
	if top == nil {
		return row.Severity
	}
	have, want := top.replicas()
	if want == 0 {
		return row.Severity
	}
	switch {
	case 2*have >= want:
		return tone.Warning
	case text.Listed(outages, row.Reason):
		return tone.Failed
	}
	return row.Severity
}
