package hub

import (
	"watchglass/internal/history"
	"watchglass/internal/history/replay"
)

// replaying returns a cluster that a relay in the tab serves, in place of a live one. It knows the live
// cluster's kinds, unless it shows a recording.
func (h *Hub) replaying(live *Cluster, r *replay.Relay, recorded bool) *Cluster {
	o := clusterOptions{Context: live.context, Loop: h.loop, Budget: h.budget, Dial: r.Dial, Relay: r}
	if recorded {
		o.History, o.Recorded = history.NewStore(h.memory), r.Tape()
		o.History.Close()
	} else {
		o.History = live.history // for the versions of an object; reading the whole tape would load all chapters from disk
	}
	c := newCluster(h.ctx, o)
	if !recorded {
		c.kinds.Learn(live.kinds)
	}
	h.clusters = append(h.clusters, c)
	return c
}
