package problem

import (
	"slices"

	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/rule"
)

// known reports whether all objects of a resource have been read, so that a missing one does not
// exist.
func (e *Engine) known(resource string) bool { return e.isKnown[resource] }

// complete reports whether all objects of a resource are here, have what is read of them, and were read
// if they are new.
func (e *Engine) complete(resource string) bool {
	switch {
	case !e.isKnown[resource] && e.queued[resource] > 0, e.lostOf[resource] > 0:
		return false
	case e.options.Synced == nil:
		return e.present[resource] > 0 || resource == kinds.Pods
	}
	return e.options.Synced(resource)
}

// updateKnown has the rows made anew that may depend on a missing object, if a resource became
// known, or ceased to be.
func (e *Engine) updateKnown() {
	for _, resource := range kinds.Resources() {
		known := e.complete(resource)
		if known == e.isKnown[resource] {
			continue
		}
		e.isKnown[resource] = known
		for v := range e.events { // only they have records of what does not exist
			if e.eventsOf[resource] == 0 {
				break
			}
			if about := v.event.about; about != nil && about.Object == nil && about.ID.Resource == resource {
				e.markDirty(about)
			}
		}
		switch resource {
		case kinds.Services, kinds.EndpointSlices, kinds.StorageClasses, kinds.IngressClasses, kinds.Nodes, kinds.Pods:
			e.invalidateUsers(resource)
		case kinds.Deployments, kinds.StatefulSets, kinds.DaemonSets, kinds.ReplicaSets, kinds.Jobs, kinds.CronJobs:
			for _, all := range e.empty {
				for r := range all {
					e.markDirty(r)
				}
			}
		}
	}
}

// invalidateUsers has the rows made anew that depend on whether objects of a resource exist.
func (e *Engine) invalidateUsers(resource string) {
	for _, r := range e.records {
		switch f := r.Facts; {
		case resource == kinds.Services && len(f.Backends) > 0, resource == kinds.EndpointSlices && f.Service != nil, resource == kinds.StorageClasses && f.Claim != nil, resource == kinds.IngressClasses && f.IngressClass != "", resource == kinds.Nodes && nodeOf(r.Causes) != "", resource == kinds.Pods && r.short():
			e.markDirty(r)
		}
	}
}

// short reports whether a workload has a cause that its pods may explain.
func (r *record) short() bool {
	return slices.ContainsFunc(r.Causes, func(c rule.Cause) bool { return c.Shortage })
}

// early reports whether a shortage may be explained by pods that are not here yet.
func (e *Engine) early(f found, o *owner, now int64) bool {
	until := f.of.applied + rule.MayLack
	if !f.Shortage || now >= until || e.known(kinds.Pods) {
		return false
	}
	o.due, o.waits = rule.Sooner(o.due, until), true
	return true
}
