package problem

import (
	"strings"

	"watchglass/internal/object"
	"watchglass/internal/problem/rule"
)

// heartbeats are when kubelets last reported. A node whose heartbeat is far behind that of others is
// silent, whatever its conditions say: nobody has updated them. The clock of this computer matters only
// for heartbeats that are ahead of it: a node whose clock is fast makes no other silent.
type heartbeats struct {
	last            map[*record]int64
	newest, checked int64
}

// maySkip is how far the heartbeat of a node may be behind the newest, in seconds: a kubelet reports at
// least every five minutes.
const (
	maySkip    = 20 * 60
	checkBeats = 60
)

// noteBeat notes when a node's kubelet last reported, and looks for those that did not.
func (e *Engine) noteBeat(r *record) {
	at := r.kind.reader.Heartbeat(r.object)
	if at == 0 {
		return
	}
	b := &e.beats
	at = min(at, r.applied)
	b.last[r], b.newest = at, max(b.newest, at)
	if r.silent = b.newest-at > maySkip; b.newest < b.checked+checkBeats {
		return
	}
	b.checked = b.newest
	for r, at := range b.last {
		if silent := b.newest-at > maySkip; silent != r.silent {
			r.silent = silent
			e.place(r)
			e.markDirty(r)
		}
	}
}

// silentCauses reports a node that is silent although it says that it is ready. In a recording that is not
// known: one node's last change may be its heartbeat, and another's not.
func (e *Engine) silentCauses(r *record) []rule.Cause {
	if e.options.Recorded || !r.silent || !strings.HasPrefix(r.cell("Status"), "Ready") {
		return nil
	}
	return []rule.Cause{{Reason: "NoHeartbeat", Severity: object.Failed, Words: "no heartbeat from the kubelet, so Ready may be out of date", Brief: "no heartbeat", Evidence: "status.conditions[].lastHeartbeatTime", Since: e.beats.last[r], Tab: "summary"}}
}
