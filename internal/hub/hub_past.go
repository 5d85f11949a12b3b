package hub

import "watchglass/internal/history/replay"

// replaying returns a cluster that a relay in the tab serves, in place of a live one. It knows the live
// cluster's kinds, unless it shows a recording.
func (h *Hub) replaying(live *Cluster, r *replay.Relay, recorded bool) *Cluster {
	c := newCluster(h.ctx, clusterOptions{Context: live.context, Loop: h.loop, Budget: h.budget, Memory: h.memory, Dial: r.Dial})
	c.history.Close()
	if c.relay, c.recorded = r, r.Tape(); !recorded {
		c.history = live.history // for the versions of an object
		c.recorded = nil         // reading it all would load all chapters from disk
		c.kinds.Learn(live.kinds)
	}
	h.clusters = append(h.clusters, c)
	return c
}
