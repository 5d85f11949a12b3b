package joint

import (
	"strings"

	"watchglass/internal/object/tone"
	"watchglass/internal/problem/rule"
)

// silentCauses reports a node that is silent although it says that it is ready.
func silentCauses(w Cluster, r *Subject, _ int64) []rule.Cause {
	if !r.Silent || !strings.HasPrefix(w.Cell(r.ID, "Status"), "Ready") {
		return nil
	}
	return []rule.Cause{{Reason: "NoHeartbeat", Severity: tone.Failed, Words: "no heartbeat from the kubelet, so Ready may be out of date", Brief: "no heartbeat", Evidence: "status.conditions[].lastHeartbeatTime", Since: w.LastBeat(r.ID), Tab: "summary"}}
}
