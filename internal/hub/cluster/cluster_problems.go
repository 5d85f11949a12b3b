package cluster

import (
	"slices"

	"watchglass/internal/history"
	"watchglass/internal/hub/listcache"
	"watchglass/internal/hub/problems"
	"watchglass/internal/hub/source"
	"watchglass/internal/object"
	"watchglass/internal/problem"
	"watchglass/internal/savedlist"
)

// problemsHost is the cluster as its Monitor sees it.
type problemsHost struct{ *Cluster }

var _ problems.Host = problemsHost{}

// Find returns a kind by its ID, but none whose objects the tab makes itself: such a list has one reader at a
// time, which is the page's, and nothing in it is a problem of the cluster.
func (h problemsHost) Find(resource string) (object.Kind, bool) {
	kind, ok := h.Cluster.Kinds.Find(resource)
	return kind, ok && h.Local.Only(kind) == nil
}

// Kinds returns the kinds that the server has.
func (h problemsHost) Kinds() []object.Kind { return h.Cluster.Kinds.All() }

// Lease leases the list of a kind, in a namespace or as widely as the proxy serves. Rows of a Table
// come with whole objects: no column need show the conditions.
func (h problemsHost) Lease(kind object.Kind, namespace string) *source.Lease {
	h.Cluster.Kinds.Print(&kind)
	if namespace == "" {
		namespace = h.Scope()
	}
	extras, _ := source.Added(problem.Paths(kind.ID()))
	return h.leaseSource(source.Whole(kind, namespace), &kind, extras)
}

// Restore gives objects of a list back the bodies that they have lost.
func (h problemsHost) Restore(list *source.Lease, kind object.Kind, objects []*object.Object, done func(error)) {
	h.Start(func() { done(h.RestoreLost(list, kind, objects)) })
}

// RestoreLost gives objects of a list back the bodies that they have lost: first from the last visit, on disk, where
// they are being read anyway, else from the server. It waits.
func (c *Cluster) RestoreLost(list *source.Lease, kind object.Kind, objects []*object.Object) error {
	if c.Lists.Restores(list.Informer) {
		return nil
	}
	r := source.Request(kind, "")
	if !kind.Printed() {
		r = source.Whole(kind, "")
	}
	var read []savedlist.Body
	err := source.ReadBodies(c.Ctx, c, r, kind, objects, func(o *object.Object, raw []byte) { read = append(read, savedlist.Body{Object: o, Raw: raw}) })
	listcache.Restore(c.Ctx, c.budget, list.Informer, read)
	return err
}

// Awaits reports whether a kind that is not found may turn out to be served, and why that is not known
// if an API server does not respond.
func (h problemsHost) Awaits(resource string) (awaits bool, cause string) {
	if why := h.Cluster.Kinds.Unknown(resource); why.Code != 404 {
		cause = why.Message
	}
	return h.Cluster.Kinds.Awaits(resource), cause
}

// Minor returns the server's minor version; 0 if it is not known.
func (h problemsHost) Minor() int { return h.Cluster.Kinds.Minor() }

// Recorded reports whether the cluster is a recording, or a moment of the past.
func (h problemsHost) Recorded() bool { return h.Relay != nil }

// LeftOut reports whether the cluster is a recording that may lack the objects of a namespace.
func (c *Cluster) LeftOut(namespace string) bool {
	if c.Relay == nil {
		return false
	}
	named, others := history.Without(c.Relay.Record())
	return others > 0 || slices.Contains(named, namespace)
}

// Changed lets the pages see a new overview.
func (h problemsHost) Changed() { h.RequestStep() }
