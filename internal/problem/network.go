package problem

import (
	"watchglass/internal/object"
	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/rule"
	"watchglass/internal/problem/text"
)

// serviceCauses reports a service that leads nowhere. If its pods have causes of their own, those
// explain it. A workload that it selects explains it, too: it was scaled to zero on purpose, runs
// now and then, or has rows of its own.
func (e *Engine) serviceCauses(r *record, o *owner, now int64) []rule.Cause {
	s := r.facts.Service
	if s == nil || s.Selector == "" || s.Unready || !e.known(kinds.EndpointSlices) {
		e.setServing(r, true, 0)
		e.empty.put(r, false)
		return nil
	}
	total, slices, ready, portless, made, said, explained := 0, 0, false, s.Named, r.object.Created(), int64(0), false
	for _, m := range o.members {
		if m.facts.Slice == nil {
			continue
		}
		slices++
		portless = portless && (m.facts.Slice.Portless || m.facts.Slice.Total == 0)
		total, ready = total+m.facts.Slice.Total, ready || m.facts.Slice.Ready
		made, said = max(made, m.facts.Slice.Made), max(said, m.facts.Slice.Changed)
		for _, pod := range m.facts.References {
			if p := e.records[pod]; p != nil && p.bad {
				explained = true
			}
		}
	}
	e.empty.put(r, total == 0)
	at := r.stopped(ready, said, made, now)
	e.setServing(r, ready, at)
	c := rule.Cause{Tab: "related"}
	c.Since, c.From = down(at)
	switch {
	case slices == 0:
		c.Since = r.noticedAt("NoEndpoints", now)
		c.From = max(c.Since, r.object.Created()) + rule.MayServe
		c.Reason, c.Severity, c.Words, c.Evidence = "NoEndpoints", object.Failed, "no EndpointSlice; is the controller manager running?", "spec.selector"
	case total > 0 && portless:
		c.Since = r.noticedAt("NoPorts", now)
		c.From = max(c.Since, r.object.Created()) + rule.MayServe
		c.Reason, c.Severity, c.Words, c.Evidence = "NoPorts", object.Failed, "no pod has a port named in targetPort", "EndpointSlice ports"
	case ready || total > 0 && explained:
		return nil
	case total > 0:
		c.Reason, c.Severity, c.Words, c.Evidence = "NoReadyEndpoints", object.Failed, "0 of "+text.Count(int64(total), "endpoint")+" ready", "EndpointSlice endpoints[].conditions.ready"
	case e.runs(r.id.Namespace, s), !e.knowsRunners():
		return nil
	default:
		c.Reason, c.Severity, c.Words, c.Evidence = "NoEndpoints", object.Warning, text.Clean("no endpoints for selector "+s.SelectorText()), "spec.selector"
	}
	return []rule.Cause{c}
}

// mayBalance is how long the controller of load balancers may take, in seconds.
const mayBalance = 5 * 60

// balancerCauses reports a service that waits for the address of a load balancer.
func (e *Engine) balancerCauses(r *record, now int64) []rule.Cause {
	if s := r.facts.Service; s == nil || !s.Pending {
		return nil
	}
	at := r.noticedAt("LoadBalancerPending", now)
	return []rule.Cause{{Reason: "LoadBalancerPending", Severity: object.Warning, Words: "no address of a load balancer", Evidence: "status.loadBalancer", Since: at, From: max(at, r.object.Created()) + mayBalance, Tab: "events", Undated: true}}
}

// stopped returns since when a service has no ready endpoints: what its slices said, or when it was seen
// to have none any more. Otherwise that is not known: the result is when it was made, but negative.
func (r *record) stopped(ready bool, said, made, now int64) int64 {
	switch {
	case ready:
		r.served = true
		return 0
	case said > 0:
		return max(said, made)
	case r.served:
		return r.noticedAt("stopped", now)
	}
	return -made
}

// down returns since when a service has no ready endpoints, 0 if that is not known, and from when on
// that is a problem.
func down(stopped int64) (since, from int64) {
	if stopped < 0 {
		return 0, rule.MayServe - stopped
	}
	return stopped, rule.MayServe + stopped
}

// setServing notes whether a service has ready endpoints, and since when not, for those that
// depend on it.
func (e *Engine) setServing(r *record, serving bool, at int64) {
	if serving {
		at = 0
	}
	if at != r.downSince {
		r.downSince = at
		e.invalidateDependents(r)
	}
}

// byNamespace are sets of records by namespace.
type byNamespace map[string]map[*record]struct{}

// put adds a record to its namespace's set, or removes it.
func (s byNamespace) put(r *record, in bool) {
	all := s[r.id.Namespace]
	if in && all == nil {
		all = make(map[*record]struct{})
		s[r.id.Namespace] = all
	}
	if in {
		all[r] = struct{}{}
	} else if delete(all, r); len(all) == 0 {
		delete(s, r.id.Namespace)
	}
}

// setRuns notes which pods a workload runs. If they are not those that it ran before, that matters to
// the Services without endpoints that select either.
func (e *Engine) setRuns(r *record, before object.Labels) {
	runs := r.facts.Runs
	if runs == before {
		return
	}
	e.workloads.put(r, runs != "")
	for s := range e.empty[r.id.Namespace] {
		if of := s.facts.Service; of != nil && (of.Selects(before) || of.Selects(runs)) {
			e.markDirty(s)
		}
	}
}

// runs reports whether a workload runs pods that a service selects, if only sometimes.
func (e *Engine) runs(namespace string, s *facts.Service) bool {
	for r := range e.workloads[namespace] {
		if s.Selects(r.facts.Runs) {
			return true
		}
	}
	return false
}

// runners are the resources whose objects say which pods they run.
var runners = [...]string{kinds.Deployments, kinds.StatefulSets, kinds.DaemonSets, kinds.ReplicaSets, kinds.Jobs, kinds.CronJobs}

// knowsRunners reports whether all workloads are known, so that one which would explain a service without endpoints does
// not exist.
func (e *Engine) knowsRunners() bool {
	for _, resource := range runners {
		if e.options.Synced != nil && !e.known(resource) {
			return false
		}
	}
	return true
}

// backendCauses reports services that an Ingress or an HTTPRoute names, and that do not exist or
// lack the port.
func (e *Engine) backendCauses(r *record, now int64) (all []rule.Cause) {
	if !e.known(kinds.Services) || r.id.Resource == kinds.Routes && len(r.causes) > 0 { // a gateway says it
		return nil
	}
	var missing, portless []string
	for _, b := range r.facts.Backends {
		to, name := e.records[b.Service], b.Service.Name
		if b.Service.Namespace != r.id.Namespace {
			name = b.Service.Namespace + "/" + name
		}
		switch {
		case e.mayExist(to, b.Service.Namespace, r.id.Namespace):
		case to == nil || to.object == nil:
			missing = addName(missing, name)
		case to.facts.Service != nil && !to.facts.Service.HasPort(b.Port):
			portless = addName(portless, name+":"+b.Port)
		}
	}
	raise := func(reason, words string, names []string) {
		if len(names) > 0 {
			seen := r.noticedAt(reason, now)
			all = append(all, rule.Cause{Reason: reason, Severity: object.Warning, Words: text.Clean(words), Evidence: "spec.rules", Since: seen, From: max(seen, r.object.Created()) + rule.MayServe, Tab: "related"})
		}
	}
	raise("ServiceNotFound", "service "+text.Names(missing)+" not found", missing)
	raise("PortNotFound", "service port "+text.Names(portless)+" not found", portless)
	return all
}

// mayExist reports whether an object that is not known may exist nevertheless: it is in another namespace than the object
// that names it, and a recording may lack that.
func (e *Engine) mayExist(r *record, namespace, from string) bool {
	return (r == nil || r.object == nil) && namespace != from && e.options.LeftOut(namespace)
}

// ingressClassCauses reports an Ingress whose class does not exist, so that no controller takes it.
func (e *Engine) ingressClassCauses(r *record, now int64) []rule.Cause {
	name := r.facts.IngressClass
	if name == "" || !e.known(kinds.IngressClasses) {
		return nil
	}
	if class := e.records[facts.ID{Resource: kinds.IngressClasses, Name: name}]; class != nil && class.object != nil {
		return nil
	}
	seen := r.noticedAt("IngressClassNotFound", now)
	return []rule.Cause{{Reason: "IngressClassNotFound", Severity: object.Warning, Words: text.Clean("no IngressClass " + name), Evidence: "spec.ingressClassName", Since: seen, From: max(seen, r.object.Created()) + rule.MayServe, Tab: "yaml"}}
}

// addName adds a name to a list, unless it is there.
func addName(all []string, name string) []string {
	for _, other := range all {
		if other == name {
			return all
		}
	}
	return append(all, name)
}

// webhookCauses reports webhooks whose service does not answer.
func (e *Engine) webhookCauses(r *record, now int64) (all []rule.Cause) {
	if !e.known(kinds.Services) {
		return nil
	}
	for _, b := range r.facts.Backends {
		to := e.records[b.Service]
		c := rule.Cause{Reason: "WebhookUnavailable", Severity: object.Warning, Evidence: "webhooks[" + text.Clean(b.Hook) + "].clientConfig.service", Tab: "yaml"}
		words := "webhook " + b.Hook + ": service " + b.Service.Namespace + "/" + b.Service.Name
		switch {
		case e.mayExist(to, b.Service.Namespace, r.id.Namespace):
			continue
		case to == nil || to.object == nil:
			words += " not found"
			c.Since = r.noticedAt(b.Hook, now)
			c.From = max(c.Since, r.object.Created()) + rule.MayServe
		case to.downSince != 0:
			words += " has no ready endpoints"
			c.Since, c.From = down(to.downSince)
		default:
			continue
		}
		if b.Fails {
			c.Severity = object.Failed
			words += ", failurePolicy Fail"
		}
		c.Words = text.Clean(words)
		all = append(all, c)
	}
	return all
}

// mayProvision is how long a claim may be pending, in seconds.
const mayProvision = 60

// claimCauses reports a claim that stays pending. One that waits for a pod is not a problem.
func (e *Engine) claimCauses(r *record, now int64) []rule.Cause {
	c := r.facts.Claim
	if c == nil || !e.known(kinds.StorageClasses) {
		return nil
	}
	class := e.records[facts.ID{Resource: kinds.StorageClasses, Name: c.Class}]
	words, at := "", r.object.Created()
	switch {
	case c.Volume != "":
		words = "volume " + c.Volume + " is not bound"
	case !c.Classed:
		words = "no StorageClass"
	case c.Class == "":
		words = "no PersistentVolume matches"
	case class == nil || class.object == nil:
		words = "no StorageClass " + text.Clean(c.Class)
	case object.OnlyMetadata(class.object): // history has lost how it binds
		return nil
	case class.cell("VolumeBindingMode") == "WaitForFirstConsumer" && !c.Selected:
		return nil
	case class.cell("VolumeBindingMode") == "WaitForFirstConsumer":
		at = max(at, r.noticedAt("Pending", now)) // nothing says when the node was chosen
		fallthrough
	default:
		words = "StorageClass " + text.Clean(c.Class) + " has provisioned no volume"
	}
	return []rule.Cause{{Reason: "Pending", Severity: object.Warning, Words: "Pending: " + words, Evidence: "status.phase", Since: r.object.Created(), From: at + mayProvision, Tab: "events"}}
}
