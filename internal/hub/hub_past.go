package hub

import (
	"watchglass/internal/history"
	"watchglass/internal/history/replay"
	"watchglass/internal/hub/cluster"
)

// replaying returns a cluster that a relay in the tab serves, in place of a live one. It knows the live
// cluster's kinds, unless it shows a recording.
func (h *Hub) replaying(live *cluster.Cluster, r *replay.Relay, recorded bool) *cluster.Cluster {
	o := cluster.Options{Context: live.Context, Loop: h.loop, Budget: h.budget, Dial: r.Dial, Relay: r}
	if recorded {
		o.History, o.Recorded = history.NewStore(h.memory), r.Record()
		o.History.Close()
	} else {
		o.History = live.History // for the versions of an object; reading the whole record would load all segments from disk
	}
	c := cluster.New(h.ctx, o)
	if !recorded {
		c.Kinds.Learn(live.Kinds)
	}
	h.clusters = append(h.clusters, c)
	return c
}
