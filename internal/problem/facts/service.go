package facts

import (
	"strconv"
	"strings"

	"watchglass/internal/document"
	"watchglass/internal/object"
	"watchglass/internal/problem/kinds"
)

// Service is what others need to know of a Service.
type Service struct {
	Selector string // keys and values, in turn, each with a NUL behind it; empty if it selects nothing
	ports    string // names and numbers, likewise
	Unready  bool   // it publishes pods that are not ready
	Named    bool   // a port of it leads to a port of pods by its name
	Pending  bool   // it has no address of a load balancer, and wants one
}

// next cuts the first text off packed ones.
func next(packed string) (text, rest string) {
	text, rest, _ = strings.Cut(packed, "\x00")
	return text, rest
}

// slice is what an EndpointSlice says of its Service.
type slice struct {
	Total    int
	Ready    bool  // one of them is
	Portless bool  // none of them has the port
	Made     int64 // if none is
	Changed  int64 // if none is; 0 if it does not say
}

// service reads a Service; nil if it cannot be read.
func (r *Reader) service(o *object.Object) *Service {
	if !r.scan(o) {
		return nil
	}
	s := &Service{Unready: r.values.Int(servicePublishes) != 0}
	r.packed = r.packed[:0]
	for i := range r.values.Len(servicePorts) {
		name, _ := r.values.At(servicePortName, i)
		port, _ := r.values.At(servicePort, i)
		r.packed = append(append(r.packed, name.Bytes...), 0)
		r.packed = append(strconv.AppendInt(r.packed, int64(port.Num), 10), 0)
	}
	for _, v := range r.values.All(serviceTargets) {
		s.Named = s.Named || len(v.Bytes) > 1 && v.Bytes[0] == 8 && v.Bytes[1] == 1 // the type of an IntOrString is a text
	}
	ports := len(r.packed)
	kind := string(r.values.Bytes(serviceType))
	s.Pending = kind == "LoadBalancer" && r.values.Len(serviceAddresses) == 0
	if kind != "ExternalName" {
		r.packed = appendPairs(r.packed, r.values.All(serviceSelector))
	}
	packed := string(r.packed)
	s.ports, s.Selector = packed[:ports], packed[ports:]
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
func (r *Reader) slice(o *object.Object) (s *slice, unready []ID) {
	if !r.scan(o) {
		return nil, nil
	}
	s = &slice{Total: r.values.Len(sliceEndpoints), Portless: r.values.Len(slicePorts) == 0}
	for _, endpoint := range r.values.All(sliceEndpoints) {
		if r.each.Scan(endpoint.Bytes, &r.one) != nil {
			return nil, nil
		}
		if r.one.IntOr(endpointReady, 1) != 0 {
			s.Ready = true
			return s, nil
		}
		if name := r.one.Bytes(endpointTarget); len(name) > 0 && len(unready) < mostTargets {
			unready = append(unready, ID{kinds.Pods, o.Namespace(), string(name)})
		}
	}
	s.Made = o.Created()
	for _, pair := range r.values.All(sliceAnnotations) {
		if key, value, ok := pair.Pair(); ok && string(key) == "endpoints.kubernetes.io/last-change-trigger-time" {
			s.Changed = max(s.Changed, Instant(document.Of(string(value))))
		}
	}
	return s, unready
}

// HasPort reports whether a service has a port of a name or number.
func (s *Service) HasPort(port string) bool {
	for text, rest := next(s.ports); text != "" || rest != ""; text, rest = next(rest) {
		if text == port {
			return true
		}
	}
	return port == "" || s.ports == ""
}

// Selects reports whether the service selects pods with these labels.
func (s *Service) Selects(labels object.Labels) bool {
	for key, rest := next(s.Selector); key != ""; {
		want := ""
		want, rest = next(rest)
		if value, ok := labels.Lookup(key); !ok || value != want {
			return false
		}
		key, rest = next(rest)
	}
	return s.Selector != ""
}

// SelectorText returns the selector as kubectl takes it.
func (s *Service) SelectorText() string {
	var terms []string
	for key, rest := next(s.Selector); key != ""; {
		value := ""
		value, rest = next(rest)
		terms = append(terms, key+"="+value)
		key, rest = next(rest)
	}
	return strings.Join(terms, ",")
}

// backend is a service to which an object sends requests.
type backend struct {
	Service ID
	Port    string // a name or number; "" if any will do
	Hook    string // the webhook
	Fails   bool   // the webhook's requests fail without it
}

// readBackends returns the services that an Ingress or an HTTPRoute sends requests to.
func readBackends(resource, namespace string, doc document.Value) (all []backend) {
	if resource == kinds.Routes {
		for _, rule := range doc.ListAt("spec.rules") {
			for _, ref := range rule.ListAt("backendRefs") {
				if kind := ref.TextAt("kind"); ref.TextAt("group") != "" || kind != "" && kind != "Service" {
					continue
				}
				b := backend{Service: ID{kinds.Services, namespace, ref.TextAt("name")}, Port: ref.Get("port").Text()}
				if other := ref.TextAt("namespace"); other != "" {
					b.Service.Namespace = other
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
				all = append(all, backend{Service: ID{kinds.Services, namespace, v.TextAt("name")}, Port: port})
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
			all = append(all, backend{Service: ID{kinds.Services, to.TextAt("namespace"), to.TextAt("name")}, Hook: hook.TextAt("name"), Fails: hook.TextAt("failurePolicy") != "Ignore"})
		}
	}
	return all
}

// readIngressClass returns the class that an Ingress waits for; "" if it names none, or some controller has
// given it an address.
func readIngressClass(doc document.Value) string {
	if len(doc.ListAt("status.loadBalancer.ingress")) > 0 {
		return ""
	}
	return doc.TextAt("spec.ingressClassName")
}
