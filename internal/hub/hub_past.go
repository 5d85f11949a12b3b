package hub

import (
	"watchglass/internal/history"
	"watchglass/internal/history/replay"
	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/past"
)

// pastHub is the hub as the past of a page sees it.
type pastHub struct{ *Hub }

var _ past.Hub = pastHub{}

// Remembered returns what the history of all clusters takes.
func (h pastHub) Remembered() (bytes, limit, dropped int) { return h.memory.Used() }

// Replaying returns a cluster that a relay in the tab serves, in place of a live one.
func (h pastHub) Replaying(live *cluster.Cluster, r *replay.Relay, recorded bool) *cluster.Cluster {
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
