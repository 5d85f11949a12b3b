package hub

import "watchglass/internal/history/replay"

// replaying returns a cluster that a relay of the tab serves, in the place of a live one. It knows what
// is known of the kinds of that one, unless it shows a recording.
func (h *Hub) replaying(live *Cluster, r *replay.Relay, recorded bool) *Cluster {
	c := newCluster(h.ctx, h.loop, h.budget, h.memory, live.context, "", r.Dial)
	c.history.Close()
	if c.relay, c.recorded = r, r.Tape(); !recorded {
		c.history = live.history // which has the versions of an object
		c.recorded = nil         // what is on disk would be read whole
		c.kinds.Learn(live.kinds)
	}
	h.clusters = append(h.clusters, c)
	return c
}
