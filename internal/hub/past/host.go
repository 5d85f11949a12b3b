package past

import (
	"time"

	"watchglass/internal/history"
	"watchglass/internal/history/replay"
	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/list"
	"watchglass/internal/port"
)

// Host is what the past needs of its page. Send may be called from any goroutine; the other methods are for the loop.
type Host interface {
	port.Sender
	// Begin begins to send or receive something long, and End answers the page's request for it.
	Begin(a port.Ask, t port.Transfer)
	End(a port.Ask, value any, err error)
	// Cluster returns the cluster that the page shows.
	Cluster() *cluster.Cluster
	// MoveTo reopens in another cluster what the page shows of its cluster.
	MoveTo(to *cluster.Cluster, now time.Time)
	// Lists returns the lists of the page, of any cluster.
	Lists() []*list.List
	// Logs returns the logs that the open objects of the page's cluster have in memory.
	Logs() []history.Log
}

// Hub is what the past needs of the hub. Its methods are for the loop.
type Hub interface {
	// Replaying returns a cluster that a relay in the tab serves, in place of a live one. It knows the live cluster's
	// kinds, unless it shows a recording.
	Replaying(live *cluster.Cluster, r *replay.Relay, recorded bool) *cluster.Cluster
	// Remembered returns the memory that the history of all clusters takes, and may take, and how much of it was dropped.
	Remembered() (bytes, limit, dropped int)
}
