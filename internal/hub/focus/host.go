package focus

import (
	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/pane"
	"watchglass/internal/hub/source"
	"watchglass/internal/object"
	"watchglass/internal/port"
)

// Host is what an object needs of the page that has it open. Send may be called from any goroutine; the other methods
// are for the loop.
type Host interface {
	port.Sender
	// Begin begins to send something long, and End answers the page's request for it.
	Begin(a port.Ask, t port.Transfer)
	End(a port.Ask, value any, err error)
	// Pane returns the function that opens the pane of a tab, or nil if there is no such tab.
	Pane(tab string) pane.Open
	// ClusterOf returns the cluster of a context; "" is the page's own.
	ClusterOf(context string) *cluster.Cluster
	// Borrow leases a source of a list on screen that is of the kind and that serves accepts; nil if there is none.
	Borrow(c *cluster.Cluster, kind object.Kind, serves func(namespace string, lease *source.Lease) bool) (*source.Lease, List)
	// LastVersion returns the last version of an object that is gone and whose row the page may still show, or nil.
	LastVersion(c *cluster.Cluster, kind object.Kind, key string) *object.Object
}

// List is a list from which a source was borrowed, for as long as it shows it.
type List interface {
	Shows(lease *source.Lease) bool
}
