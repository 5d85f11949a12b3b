package hub

import (
	"slices"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/hub/listcache"
	"watchglass/internal/hub/problems"
	"watchglass/internal/hub/source"
	"watchglass/internal/hub/timelines"
	"watchglass/internal/object"
	"watchglass/internal/problem"
	"watchglass/internal/visit"
	"watchglass/internal/wire"
)

// problemsHost is the cluster as its Board sees it.
type problemsHost struct{ *Cluster }

var _ problems.Host = problemsHost{}

// Find returns a kind by its ID, but none whose objects the tab makes itself: such a list has one reader at a
// time, which is the page's, and nothing in it is a problem of the cluster.
func (h problemsHost) Find(resource string) (object.Kind, bool) {
	kind, ok := h.kinds.Find(resource)
	return kind, ok && !isLocal(kind)
}

// Kinds returns the kinds that the server has.
func (h problemsHost) Kinds() []object.Kind { return h.kinds.All() }

// Lease leases the list of a kind, in a namespace or as widely as the proxy serves. Rows of a Table
// come with whole objects: no column need show the conditions.
func (h problemsHost) Lease(kind object.Kind, namespace string) *source.Lease {
	h.kinds.Print(&kind)
	if namespace == "" {
		namespace = h.Scope()
	}
	extras, _ := source.Added(problem.Paths(kind.ID()))
	return h.leaseSource(source.Whole(kind, namespace), &kind, extras)
}

// Restore gives objects of a list back the bodies that they have lost.
func (h problemsHost) Restore(list *source.Lease, kind object.Kind, objects []*object.Object, done func(error)) {
	h.Start(func() { done(h.restoreLost(list, kind, objects)) })
}

// restoreLost gives objects of a list back the bodies that they have lost: first from the last visit, on disk, where
// they are being read anyway, else from the server. It waits.
func (c *Cluster) restoreLost(list *source.Lease, kind object.Kind, objects []*object.Object) error {
	if c.lists.Restores(list.Informer) {
		return nil
	}
	r := source.Request(kind, "")
	if !kind.Printed() {
		r = source.Whole(kind, "")
	}
	var read []visit.Body
	err := source.ReadBodies(c.ctx, c, r, kind, objects, func(o *object.Object, raw []byte) { read = append(read, visit.Body{Object: o, Raw: raw}) })
	listcache.Restore(c.ctx, c.budget, list.Informer, read)
	return err
}

// Awaits reports whether a kind that is not found may turn out to be served, and why that is not known
// if an API server does not respond.
func (h problemsHost) Awaits(resource string) (awaits bool, cause string) {
	if why := h.kinds.Unknown(resource); why.Code != 404 {
		cause = why.Message
	}
	return h.kinds.Awaits(resource), cause
}

// Minor returns the server's minor version; 0 if it is not known.
func (h problemsHost) Minor() int { return h.kinds.Minor() }

// Recorded reports whether the cluster is a recording, or a moment of the past.
func (h problemsHost) Recorded() bool { return h.relay != nil }

// LeftOut reports whether the cluster is a recording that may lack the objects of a namespace.
func (h problemsHost) LeftOut(namespace string) bool {
	if h.relay == nil {
		return false
	}
	named, others := history.Without(h.relay.Tape())
	return others > 0 || slices.Contains(named, namespace)
}

// Now returns the time in the cluster.
func (h problemsHost) Now() time.Time { return h.now() }

// Changed lets the pages see a new overview.
func (h problemsHost) Changed() { h.RequestStep() }

// isLocal reports whether the tab makes the objects of a kind itself.
func isLocal(k object.Kind) bool {
	return k.APIVersion() == problems.Kind.APIVersion() && (k.Resource == problems.Kind.Resource || k.Resource == timelines.Kind.Resource)
}

// readsTimeline reports whether a request is for the list of what happened.
func readsTimeline(r wire.Request) bool {
	return readsProblems(r) && r.Resource == timelines.Kind.Resource
}

// readsProblems reports whether a request is for rows that the tab makes: problems or the timeline.
func readsProblems(r wire.Request) bool {
	return isLocal(object.Kind{Group: r.Group, Version: r.Version, Resource: r.Resource})
}
