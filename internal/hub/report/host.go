package report

import (
	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/focus"
	"watchglass/internal/hub/list"
	"watchglass/internal/port"
)

// Host is what a timeline needs of its page. Send may be called from any goroutine; the other methods are for the loop.
type Host interface {
	port.Sender
	// Cluster returns the cluster that the page shows.
	Cluster() *cluster.Cluster
	// Shown returns the list of an ID and what it shows, and whether it shows anything.
	Shown(id uint32) (*list.List, list.Shown, bool)
	// Object returns the open object of an ID, or nil.
	Object(id uint32) *focus.Object
}
