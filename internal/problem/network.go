package problem

import (
	"strconv"
	"strings"

	"watchglass/internal/document"
	"watchglass/internal/object"
)

const (
	services           = "services"
	endpointSlices     = "endpointslices.discovery.k8s.io"
	ingresses          = "ingresses.networking.k8s.io"
	ingressClasses     = "ingressclasses.networking.k8s.io"
	routes             = "httproutes.gateway.networking.k8s.io"
	validatingWebhooks = "validatingwebhookconfigurations.admissionregistration.k8s.io"
	mutatingWebhooks   = "mutatingwebhookconfigurations.admissionregistration.k8s.io"
)

// mayServe is how long a service may have no endpoints while its pods are replaced, in seconds.
const mayServe = 60

// service is what others need to know of a Service.
type service struct {
	selector string // keys and values, in turn, each with a NUL behind it; empty if it selects nothing
	ports    string // names and numbers, likewise
	unready  bool   // it publishes pods that are not ready
	named    bool   // a port of it leads to a port of pods by its name
	pending  bool   // it has no address of a load balancer, and wants one
}

// next cuts the first text off packed ones.
func next(packed string) (text, rest string) {
	text, rest, _ = strings.Cut(packed, "\x00")
	return text, rest
}

// slice is what an EndpointSlice says of its Service.
type slice struct {
	total    int
	ready    bool  // one of them is
	portless bool  // none of them has the port
	made     int64 // if none is
	changed  int64 // if none is; 0 if it does not say
}

// service reads a Service; nil if it cannot be read.
func (r *reader) service(o *object.Object) *service {
	if !r.scan(o) {
		return nil
	}
	s := &service{unready: r.values.Int(servicePublishes) != 0}
	r.packed = r.packed[:0]
	for i := range r.values.Len(servicePorts) {
		name, _ := r.values.At(servicePortName, i)
		port, _ := r.values.At(servicePort, i)
		r.packed = append(append(r.packed, name.Bytes...), 0)
		r.packed = append(strconv.AppendInt(r.packed, int64(port.Num), 10), 0)
	}
	for _, v := range r.values.All(serviceTargets) {
		s.named = s.named || len(v.Bytes) > 1 && v.Bytes[0] == 8 && v.Bytes[1] == 1 // the type of an IntOrString is a text
	}
	ports := len(r.packed)
	kind := string(r.values.Bytes(serviceType))
	s.pending = kind == "LoadBalancer" && r.values.Len(serviceAddresses) == 0
	if kind != "ExternalName" {
		r.packed = appendPairs(r.packed, r.values.All(serviceSelector))
	}
	packed := string(r.packed)
	s.ports, s.selector = packed[:ports], packed[ports:]
	return s
}

// appendPairs appends the entries of a map of texts, each text with a NUL behind it.
func appendPairs(packed []byte, entries []object.Value) []byte {
	for _, entry := range entries {
		if key, value, ok := entry.Pair(); ok {
			packed = append(append(append(append(packed, key...), 0), value...), 0)
		}
	}
	return packed
}

// mostTargets is how many unready pods of a slice are followed.
const mostTargets = 20

// slice reads an EndpointSlice up to its first ready pod, or with its unready pods if none is.
func (r *reader) slice(of *record) (s *slice, unready []ID) {
	if !r.scan(of.object) {
		return nil, nil
	}
	s = &slice{total: r.values.Len(sliceEndpoints), portless: r.values.Len(slicePorts) == 0}
	for _, endpoint := range r.values.All(sliceEndpoints) {
		if r.each.Scan(endpoint.Bytes, &r.one) != nil {
			return nil, nil
		}
		if r.one.IntOr(endpointReady, 1) != 0 {
			s.ready = true
			return s, nil
		}
		if name := r.one.Bytes(endpointTarget); len(name) > 0 && len(unready) < mostTargets {
			unready = append(unready, ID{pods, of.id.Namespace, string(name)})
		}
	}
	s.made = of.object.Created()
	for _, pair := range r.values.All(sliceAnnotations) {
		if key, value, ok := pair.Pair(); ok && string(key) == "endpoints.kubernetes.io/last-change-trigger-time" {
			s.changed = max(s.changed, instant(document.Of(string(value))))
		}
	}
	return s, unready
}

// hasPort reports whether a service has a port of a name or number.
func (s *service) hasPort(port string) bool {
	for text, rest := next(s.ports); text != "" || rest != ""; text, rest = next(rest) {
		if text == port {
			return true
		}
	}
	return port == "" || s.ports == ""
}

// selects reports whether the service selects pods with these labels.
func (s *service) selects(labels object.Labels) bool {
	for key, rest := next(s.selector); key != ""; {
		want := ""
		want, rest = next(rest)
		if value, ok := labels.Lookup(key); !ok || value != want {
			return false
		}
		key, rest = next(rest)
	}
	return s.selector != ""
}

// serviceCauses reports a service that leads nowhere. If its pods have causes of their own, those
// explain it. A workload that it selects explains it, too: it was scaled to zero on purpose, runs
// now and then, or has rows of its own.
func (e *Engine) serviceCauses(r *record, o *owner, now int64) []Cause {
	s := r.facts.service
	if s == nil || s.selector == "" || s.unready || !e.known(endpointSlices) {
		e.setServing(r, true, 0)
		e.empty.put(r, false)
		return nil
	}
	total, slices, ready, portless, made, said, explained := 0, 0, false, s.named, r.object.Created(), int64(0), false
	for _, m := range o.members {
		if m.facts.slice == nil {
			continue
		}
		slices++
		portless = portless && (m.facts.slice.portless || m.facts.slice.total == 0)
		total, ready = total+m.facts.slice.total, ready || m.facts.slice.ready
		made, said = max(made, m.facts.slice.made), max(said, m.facts.slice.changed)
		for _, pod := range m.facts.references {
			if p := e.records[pod]; p != nil && p.bad {
				explained = true
			}
		}
	}
	e.empty.put(r, total == 0)
	at := r.stopped(ready, said, made, now)
	e.setServing(r, ready, at)
	c := Cause{Tab: "related"}
	c.Since, c.From = down(at)
	switch {
	case slices == 0:
		c.Since = r.noticedAt("NoEndpoints", now)
		c.From = max(c.Since, r.object.Created()) + mayServe
		c.Reason, c.Severity, c.Words, c.Evidence = "NoEndpoints", object.Failed, "no EndpointSlice; is the controller manager running?", "spec.selector"
	case total > 0 && portless:
		c.Since = r.noticedAt("NoPorts", now)
		c.From = max(c.Since, r.object.Created()) + mayServe
		c.Reason, c.Severity, c.Words, c.Evidence = "NoPorts", object.Failed, "no pod has a port named in targetPort", "EndpointSlice ports"
	case ready || total > 0 && explained:
		return nil
	case total > 0:
		c.Reason, c.Severity, c.Words, c.Evidence = "NoReadyEndpoints", object.Failed, "0 of "+count(int64(total), "endpoint")+" ready", "EndpointSlice endpoints[].conditions.ready"
	case e.runs(r.id.Namespace, s), !e.knowsRunners():
		return nil
	default:
		c.Reason, c.Severity, c.Words, c.Evidence = "NoEndpoints", object.Warning, clean("no endpoints for selector "+s.selectorText()), "spec.selector"
	}
	return []Cause{c}
}

// mayBalance is how long the controller of load balancers may take, in seconds.
const mayBalance = 5 * 60

// balancerCauses reports a service that waits for the address of a load balancer.
func (e *Engine) balancerCauses(r *record, now int64) []Cause {
	if s := r.facts.service; s == nil || !s.pending {
		return nil
	}
	at := r.noticedAt("LoadBalancerPending", now)
	return []Cause{{Reason: "LoadBalancerPending", Severity: object.Warning, Words: "no address of a load balancer", Evidence: "status.loadBalancer", Since: at, From: max(at, r.object.Created()) + mayBalance, Tab: "events", undated: true}}
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
		return 0, mayServe - stopped
	}
	return stopped, mayServe + stopped
}

func (s *service) selectorText() string {
	var terms []string
	for key, rest := next(s.selector); key != ""; {
		value := ""
		value, rest = next(rest)
		terms = append(terms, key+"="+value)
		key, rest = next(rest)
	}
	return strings.Join(terms, ",")
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
	runs := r.facts.runs
	if runs == before {
		return
	}
	e.workloads.put(r, runs != "")
	for s := range e.empty[r.id.Namespace] {
		if of := s.facts.service; of != nil && (of.selects(before) || of.selects(runs)) {
			e.markDirty(s)
		}
	}
}

// runs reports whether a workload runs pods that a service selects, if only sometimes.
func (e *Engine) runs(namespace string, s *service) bool {
	for r := range e.workloads[namespace] {
		if s.selects(r.facts.runs) {
			return true
		}
	}
	return false
}

// runners are the resources whose objects say which pods they run.
var runners = [...]string{deployments, statefulSets, daemonSets, replicaSets, jobs, cronJobs}

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

// backend is a service to which an object sends requests.
type backend struct {
	service ID
	port    string // a name or number; "" if any will do
	hook    string // the webhook
	fails   bool   // the webhook's requests fail without it
}

// readBackends returns the services that an Ingress or an HTTPRoute sends requests to.
func readBackends(resource, namespace string, doc document.Value) (all []backend) {
	if resource == routes {
		for _, rule := range doc.ListAt("spec.rules") {
			for _, ref := range rule.ListAt("backendRefs") {
				if kind := ref.TextAt("kind"); ref.TextAt("group") != "" || kind != "" && kind != "Service" {
					continue
				}
				b := backend{service: ID{services, namespace, ref.TextAt("name")}, port: ref.Get("port").Text()}
				if other := ref.TextAt("namespace"); other != "" {
					b.service.Namespace = other
				}
				all = append(all, b)
			}
		}
		return all
	}
	add := func(v document.Value) {
		if v = v.Get("service"); v.TextAt("name") != "" {
			port := v.TextAt("port.name")
			if port == "" {
				port = v.TextAt("port.number")
			}
			if port != object.ActionPort {
				all = append(all, backend{service: ID{services, namespace, v.TextAt("name")}, port: port})
			}
		}
	}
	add(doc.Get("spec.defaultBackend"))
	for _, rule := range doc.ListAt("spec.rules") {
		for _, path := range rule.ListAt("http.paths") {
			add(path.Get("backend"))
		}
	}
	return all
}

// readHooks returns the services that answer webhooks.
func readHooks(doc document.Value) (all []backend) {
	for _, hook := range doc.ListAt("webhooks") {
		if to := hook.Get("clientConfig.service"); to.Exists() {
			all = append(all, backend{service: ID{services, to.TextAt("namespace"), to.TextAt("name")}, hook: hook.TextAt("name"), fails: hook.TextAt("failurePolicy") != "Ignore"})
		}
	}
	return all
}

// backendCauses reports services that an Ingress or an HTTPRoute names, and that do not exist or
// lack the port.
func (e *Engine) backendCauses(r *record, now int64) (all []Cause) {
	if !e.known(services) || r.id.Resource == routes && len(r.causes) > 0 { // a gateway says it
		return nil
	}
	var missing, portless []string
	for _, b := range r.facts.backends {
		to, name := e.records[b.service], b.service.Name
		if b.service.Namespace != r.id.Namespace {
			name = b.service.Namespace + "/" + name
		}
		switch {
		case e.mayExist(to, b.service.Namespace, r.id.Namespace):
		case to == nil || to.object == nil:
			missing = addName(missing, name)
		case to.facts.service != nil && !to.facts.service.hasPort(b.port):
			portless = addName(portless, name+":"+b.port)
		}
	}
	raise := func(reason, words string, names []string) {
		if len(names) > 0 {
			seen := r.noticedAt(reason, now)
			all = append(all, Cause{Reason: reason, Severity: object.Warning, Words: clean(words), Evidence: "spec.rules", Since: seen, From: max(seen, r.object.Created()) + mayServe, Tab: "related"})
		}
	}
	raise("ServiceNotFound", "service "+names(missing)+" not found", missing)
	raise("PortNotFound", "service port "+names(portless)+" not found", portless)
	return all
}

// mayExist reports whether an object that is not known may exist nevertheless: it is in another namespace than the object
// that names it, and a recording may lack that.
func (e *Engine) mayExist(r *record, namespace, from string) bool {
	return (r == nil || r.object == nil) && namespace != from && e.options.LeftOut(namespace)
}

// readIngressClass returns the class that an Ingress waits for; "" if it names none, or some controller has
// given it an address.
func readIngressClass(doc document.Value) string {
	if len(doc.ListAt("status.loadBalancer.ingress")) > 0 {
		return ""
	}
	return doc.TextAt("spec.ingressClassName")
}

// ingressClassCauses reports an Ingress whose class does not exist, so that no controller takes it.
func (e *Engine) ingressClassCauses(r *record, now int64) []Cause {
	name := r.facts.ingressClass
	if name == "" || !e.known(ingressClasses) {
		return nil
	}
	if class := e.records[ID{Resource: ingressClasses, Name: name}]; class != nil && class.object != nil {
		return nil
	}
	seen := r.noticedAt("IngressClassNotFound", now)
	return []Cause{{Reason: "IngressClassNotFound", Severity: object.Warning, Words: clean("no IngressClass " + name), Evidence: "spec.ingressClassName", Since: seen, From: max(seen, r.object.Created()) + mayServe, Tab: "yaml"}}
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
func (e *Engine) webhookCauses(r *record, now int64) (all []Cause) {
	if !e.known(services) {
		return nil
	}
	for _, b := range r.facts.backends {
		to := e.records[b.service]
		c := Cause{Reason: "WebhookUnavailable", Severity: object.Warning, Evidence: "webhooks[" + clean(b.hook) + "].clientConfig.service", Tab: "yaml"}
		words := "webhook " + b.hook + ": service " + b.service.Namespace + "/" + b.service.Name
		switch {
		case e.mayExist(to, b.service.Namespace, r.id.Namespace):
			continue
		case to == nil || to.object == nil:
			words += " not found"
			c.Since = r.noticedAt(b.hook, now)
			c.From = max(c.Since, r.object.Created()) + mayServe
		case to.downSince != 0:
			words += " has no ready endpoints"
			c.Since, c.From = down(to.downSince)
		default:
			continue
		}
		if b.fails {
			c.Severity = object.Failed
			words += ", failurePolicy Fail"
		}
		c.Words = clean(words)
		all = append(all, c)
	}
	return all
}
