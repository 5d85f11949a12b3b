package joint

import (
	"iter"

	"watchglass/internal/object"
	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/rule"
)

// Cluster is what the rules may ask about other objects.
type Cluster interface {
	// Known reports whether all objects of a resource have been read, so that a missing one does not exist.
	Known(resource string) bool
	// Find returns an object; nil if nothing is known of it.
	Find(id facts.ID) *Subject
	// Cell returns the text of a cell of an object; "" if there is none.
	Cell(id facts.ID, column string) string
	// Members returns what is grouped under an object, such as the EndpointSlices of a Service.
	Members(id facts.ID) iter.Seq[*Subject]
	// MayRun reports whether a workload runs pods that a Service selects, if only sometimes, or one that is not known may.
	MayRun(namespace string, s *facts.Service) bool
	// LeftOut reports whether a recording may lack the objects of a namespace.
	LeftOut(namespace string) bool
	// LastBeat returns when a node last sent a heartbeat.
	LastBeat(node facts.ID) int64
}

// check finds causes in the objects of a resource. They are judged once all objects of another are known; "" is none.
type check struct {
	resource, by string
	causes       func(w Cluster, r *Subject, now int64) []rule.Cause
}

// checks are all rules that need more than one object.
var checks = []check{
	{kinds.Nodes, "", silentCauses},
	{kinds.Services, kinds.EndpointSlices, serviceCauses},
	{kinds.Services, kinds.EndpointSlices, balancerCauses},
	{kinds.Ingresses, kinds.Services, backendCauses},
	{kinds.Ingresses, kinds.Services, ingressClassCauses},
	{kinds.Routes, kinds.Services, backendCauses},
	{kinds.ValidatingWebhooks, kinds.Services, webhookCauses},
	{kinds.MutatingWebhooks, kinds.Services, webhookCauses},
	{kinds.Claims, kinds.StorageClasses, claimCauses},
}

// Subject is an object, with what the rules remember of it.
type Subject struct {
	ID     facts.ID
	Object *object.Object // nil if it does not exist
	Causes []rule.Cause   // its own
	Facts  *facts.Facts   // facts.None if there are none

	noticed   firstSeen // causes that depend on others
	DownSince int64     // of a service: since when it has no ready endpoints, as stopped returns it; 0 if it has

	served bool // a service that was seen to have ready endpoints
	Empty  bool // a service without endpoints
	Bad    bool // has causes that hold, or may hold, as of when the owner's rows were made
	Listed bool // it was there before the first list of its kind was complete
	Judged bool // by other objects, too
	Silent bool // a node whose heartbeat is far behind that of others
}

// Forget forgets what was noticed of an object that is gone.
func (r *Subject) Forget() { r.noticed, r.DownSince, r.Empty = firstSeen{}, 0, false }

// Causes returns the causes of an object that depend on others.
func Causes(w Cluster, r *Subject, now int64) (all []rule.Cause) {
	judged := false
	for i := range checks {
		if c := &checks[i]; c.resource == r.ID.Resource {
			all = append(all, c.causes(w, r, now)...)
			judged = w.Known(c.by)
		}
	}
	if judged {
		r.noticed.sweep()
		r.Judged = true
	}
	return all
}

// firstSeen holds since when causes hold that depend on other objects, which do not say since when.
// It forgets those that ceased to hold.
type firstSeen struct {
	times map[string]int64
	used  map[string]bool
}

// noticedAt returns when a cause was first seen that depends on other objects; 0, which is unknown, if
// it may have been there before they were.
func (r *Subject) noticedAt(reason string, now int64) int64 {
	f := &r.noticed
	if f.times == nil {
		f.times, f.used = make(map[string]int64), make(map[string]bool)
	}
	f.used[reason] = true
	at, ok := f.times[reason]
	if !ok {
		if at = now; r.Listed && !r.Judged {
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

// mayExist reports whether an object that is not known may exist nevertheless: it is in another namespace than the object
// that names it, and a recording may lack that.
func mayExist(w Cluster, r *Subject, namespace, from string) bool {
	return (r == nil || r.Object == nil) && namespace != from && w.LeftOut(namespace)
}
