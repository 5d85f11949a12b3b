package joint

import (
	"watchglass/internal/object/tone"
	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/rule"
	"watchglass/internal/problem/text"
)

// serviceCauses reports a service that leads nowhere. If its pods have causes of their own, those
// explain it. A workload that it selects explains it, too: it was scaled to zero on purpose, runs
// now and then, or has rows of its own.
func serviceCauses(w Cluster, r *Subject, now int64) []rule.Cause {
	s := r.Facts.Service
	if s == nil || s.Selector == "" || s.Unready || !w.Known(kinds.EndpointSlices) {
		r.DownSince, r.Empty = 0, false
		return nil
	}
	total, slices, ready, portless, made, said, explained := 0, 0, false, s.Named, r.Object.Created(), int64(0), false
	for m := range w.Members(r.ID) {
		if m.Facts.Slice == nil {
			continue
		}
		slices++
		portless = portless && (m.Facts.Slice.Portless || m.Facts.Slice.Total == 0)
		total, ready = total+m.Facts.Slice.Total, ready || m.Facts.Slice.Ready
		made, said = max(made, m.Facts.Slice.Made), max(said, m.Facts.Slice.Changed)
		for _, pod := range m.Facts.References {
			if p := w.Find(pod); p != nil && p.Bad {
				explained = true
			}
		}
	}
	at := r.stopped(ready, said, made, now)
	r.DownSince, r.Empty = at, total == 0
	c := rule.Cause{Tab: "related"}
	c.Since, c.From = down(at)
	switch {
	case slices == 0:
		c.Since = r.noticedAt("NoEndpoints", now)
		c.From = max(c.Since, r.Object.Created()) + rule.MayServe
		c.Reason, c.Severity, c.Words, c.Evidence = "NoEndpoints", tone.Failed, "no EndpointSlice; is the controller manager running?", "spec.selector"
	case total > 0 && portless:
		c.Since = r.noticedAt("NoPorts", now)
		c.From = max(c.Since, r.Object.Created()) + rule.MayServe
		c.Reason, c.Severity, c.Words, c.Evidence = "NoPorts", tone.Failed, "no pod has a port named in targetPort", "EndpointSlice ports"
	case ready || total > 0 && explained:
		return nil
	case total > 0:
		c.Reason, c.Severity, c.Words, c.Evidence = "NoReadyEndpoints", tone.Failed, "0 of "+text.Count(int64(total), "endpoint")+" ready", "EndpointSlice endpoints[].conditions.ready"
	case w.MayRun(r.ID.Namespace, s):
		return nil
	default:
		c.Reason, c.Severity, c.Words, c.Evidence = "NoEndpoints", tone.Warning, text.Clean("no endpoints for selector "+s.SelectorText()), "spec.selector"
	}
	return []rule.Cause{c}
}

// mayBalance is how long the controller of load balancers may take, in seconds.
const mayBalance = 5 * 60

// balancerCauses reports a service that waits for the address of a load balancer.
func balancerCauses(w Cluster, r *Subject, now int64) []rule.Cause {
	if s := r.Facts.Service; s == nil || !s.Pending {
		return nil
	}
	at := r.noticedAt("LoadBalancerPending", now)
	return []rule.Cause{{Reason: "LoadBalancerPending", Severity: tone.Warning, Words: "no address of a load balancer", Evidence: "status.loadBalancer", Since: at, From: max(at, r.Object.Created()) + mayBalance, Tab: "events", Undated: true}}
}

// stopped returns since when a service has no ready endpoints: what its slices said, or when it was seen
// to have none any more. Otherwise that is not known: the result is when it was made, but negative.
func (r *Subject) stopped(ready bool, said, made, now int64) int64 {
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

// backendCauses reports services that an Ingress or an HTTPRoute names, and that do not exist or
// lack the port.
func backendCauses(w Cluster, r *Subject, now int64) (all []rule.Cause) {
	if !w.Known(kinds.Services) || r.ID.Resource == kinds.Routes && len(r.Causes) > 0 { // a gateway says it
		return nil
	}
	var missing, portless []string
	for _, b := range r.Facts.Backends {
		to, name := w.Find(b.Service), b.Service.Name
		if b.Service.Namespace != r.ID.Namespace {
			name = b.Service.Namespace + "/" + name
		}
		switch {
		case mayExist(w, to, b.Service.Namespace, r.ID.Namespace):
		case to == nil || to.Object == nil:
			missing = addName(missing, name)
		case to.Facts.Service != nil && !to.Facts.Service.HasPort(b.Port):
			portless = addName(portless, name+":"+b.Port)
		}
	}
	raise := func(reason, words string, names []string) {
		if len(names) > 0 {
			seen := r.noticedAt(reason, now)
			all = append(all, rule.Cause{Reason: reason, Severity: tone.Warning, Words: text.Clean(words), Evidence: "spec.rules", Since: seen, From: max(seen, r.Object.Created()) + rule.MayServe, Tab: "related"})
		}
	}
	raise("ServiceNotFound", "service "+text.Names(missing)+" not found", missing)
	raise("PortNotFound", "service port "+text.Names(portless)+" not found", portless)
	return all
}

// ingressClassCauses reports an Ingress whose class does not exist, so that no controller takes it.
func ingressClassCauses(w Cluster, r *Subject, now int64) []rule.Cause {
	name := r.Facts.IngressClass
	if name == "" || !w.Known(kinds.IngressClasses) {
		return nil
	}
	if class := w.Find(facts.ID{Resource: kinds.IngressClasses, Name: name}); class != nil && class.Object != nil {
		return nil
	}
	seen := r.noticedAt("IngressClassNotFound", now)
	return []rule.Cause{{Reason: "IngressClassNotFound", Severity: tone.Warning, Words: text.Clean("no IngressClass " + name), Evidence: "spec.ingressClassName", Since: seen, From: max(seen, r.Object.Created()) + rule.MayServe, Tab: "yaml"}}
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
func webhookCauses(w Cluster, r *Subject, now int64) (all []rule.Cause) {
	if !w.Known(kinds.Services) {
		return nil
	}
	for _, b := range r.Facts.Backends {
		to := w.Find(b.Service)
		c := rule.Cause{Reason: "WebhookUnavailable", Severity: tone.Warning, Evidence: "webhooks[" + text.Clean(b.Hook) + "].clientConfig.service", Tab: "yaml"}
		words := "webhook " + b.Hook + ": service " + b.Service.Namespace + "/" + b.Service.Name
		switch {
		case mayExist(w, to, b.Service.Namespace, r.ID.Namespace):
			continue
		case to == nil || to.Object == nil:
			words += " not found"
			c.Since = r.noticedAt(b.Hook, now)
			c.From = max(c.Since, r.Object.Created()) + rule.MayServe
		case to.DownSince != 0:
			words += " has no ready endpoints"
			c.Since, c.From = down(to.DownSince)
		default:
			continue
		}
		if b.Fails {
			c.Severity = tone.Failed
			words += ", failurePolicy Fail"
		}
		c.Words = text.Clean(words)
		all = append(all, c)
	}
	return all
}
