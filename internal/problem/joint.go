package problem

import (
	"slices"

	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/rule"
)

// Causes that depend on more than one object.

// noticedAt returns when a cause was first seen that depends on other objects; 0, which is unknown, if
// it may have been there before they were.
func (r *record) noticedAt(reason string, now int64) int64 {
	f := &r.noticed
	if f.times == nil {
		f.times, f.used = make(map[string]int64), make(map[string]bool)
	}
	f.used[reason] = true
	at, ok := f.times[reason]
	if !ok {
		if at = now; r.listed && !r.judged {
			at = 0
		}
		f.times[reason] = at
	}
	return at
}

// sweep forgets what was not seen since the last sweep.
func (f *firstSeen) sweep() {
	for reason := range f.times {
		if !f.used[reason] {
			delete(f.times, reason)
		}
	}
	clear(f.used)
}

// joint returns the causes of an object that depend on others.
func (e *Engine) joint(r *record, o *owner, now int64) (all []rule.Cause) {
	if r.object == nil || r.queued {
		return nil
	}
	switch r.id.Resource {
	case kinds.Nodes:
		return e.silentCauses(r)
	case kinds.Services:
		all = append(e.serviceCauses(r, o, now), e.balancerCauses(r, now)...)
	case kinds.Ingresses, kinds.Routes:
		all = append(e.backendCauses(r, now), e.ingressClassCauses(r, now)...)
	case kinds.ValidatingWebhooks, kinds.MutatingWebhooks:
		all = e.webhookCauses(r, now)
	case kinds.Claims:
		all = e.claimCauses(r, now)
	default:
		return nil
	}
	if e.known(judgedBy(r.id.Resource)) {
		r.noticed.sweep()
		r.judged = true
	}
	return all
}

// judgedBy returns the resource of which all objects have to be known before an object that refers to
// them can be judged.
func judgedBy(resource string) string {
	switch resource {
	case kinds.Services:
		return kinds.EndpointSlices
	case kinds.Claims:
		return kinds.StorageClasses
	}
	return kinds.Services
}

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
			if about := v.event.about; about != nil && about.object == nil && about.id.Resource == resource {
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
		switch f := r.facts; {
		case resource == kinds.Services && len(f.Backends) > 0, resource == kinds.EndpointSlices && f.Service != nil, resource == kinds.StorageClasses && f.Claim != nil, resource == kinds.IngressClasses && f.IngressClass != "", resource == kinds.Nodes && nodeOf(r.causes) != "", resource == kinds.Pods && r.short():
			e.markDirty(r)
		}
	}
}

// short reports whether a workload has a cause that its pods may explain.
func (r *record) short() bool {
	return slices.ContainsFunc(r.causes, func(c rule.Cause) bool { return c.Shortage })
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
