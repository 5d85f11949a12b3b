//go:build !js

package demo

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"watchglass/internal/demo/store"
)

// perSlice is how many endpoints the controller puts into one EndpointSlice.
const perSlice = 100

// addService creates an app's Service, and for some apps an Ingress.
func (w *world) addService(a *app) {
	meta := metav1.ObjectMeta{Namespace: a.namespace, Name: a.name, CreationTimestamp: a.created, Labels: a.labels()}
	w.services++
	s := corev1.ServiceSpec{
		Type: corev1.ServiceTypeClusterIP, Selector: a.selector(), SessionAffinity: corev1.ServiceAffinityNone,
		ClusterIP:  fmt.Sprintf("172.20.%d.%d", w.services>>8&0xff, w.services&0xff),
		IPFamilies: []corev1.IPFamily{corev1.IPv4Protocol}, IPFamilyPolicy: ptr(corev1.IPFamilyPolicySingleStack), InternalTrafficPolicy: ptr(corev1.ServiceInternalTrafficPolicyCluster),
		Ports: []corev1.ServicePort{{Name: "http", Port: 80, TargetPort: intstr.FromString("http"), Protocol: corev1.ProtocolTCP}, {Name: "metrics", Port: 9090, TargetPort: intstr.FromString("metrics"), Protocol: corev1.ProtocolTCP}},
	}
	status := corev1.ServiceStatus{}
	switch {
	case a.kind == statefulSet:
		s.ClusterIP = corev1.ClusterIPNone
	case a.role == "gateway":
		s.Type, s.AllocateLoadBalancerNodePorts, s.ExternalTrafficPolicy = corev1.ServiceTypeLoadBalancer, ptr(true), corev1.ServiceExternalTrafficPolicyCluster
		s.Ports[0].NodePort, s.Ports[1].NodePort = 30000+int32(w.services%2700), 32700-int32(w.services%2000)
		status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{Hostname: fmt.Sprintf("a%s.elb.eu-west-1.amazonaws.com", hexes(w.rng, 31))}}
	}
	s.ClusterIPs = []string{s.ClusterIP}
	w.put(&corev1.Service{ObjectMeta: meta, Spec: s, Status: status})
	if a.role == "web" || a.role == "api" {
		w.addIngress(a, meta)
	}
}

func (w *world) addIngress(a *app, meta metav1.ObjectMeta) {
	host := fmt.Sprintf("%s.%s.example.com", a.role, a.namespace)
	prefix := networkingv1.PathTypePrefix
	w.put(&networkingv1.Ingress{
		ObjectMeta: meta,
		Spec: networkingv1.IngressSpec{
			IngressClassName: ptr("nginx"), TLS: []networkingv1.IngressTLS{{Hosts: []string{host}, SecretName: a.name + "-tls"}},
			Rules: []networkingv1.IngressRule{{Host: host, IngressRuleValue: networkingv1.IngressRuleValue{HTTP: &networkingv1.HTTPIngressRuleValue{
				Paths: []networkingv1.HTTPIngressPath{{Path: "/", PathType: &prefix, Backend: networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{Name: a.name, Port: networkingv1.ServiceBackendPort{Name: "http"}}}}},
			}}}},
		},
		Status: networkingv1.IngressStatus{LoadBalancer: networkingv1.IngressLoadBalancerStatus{Ingress: []networkingv1.IngressLoadBalancerIngress{{Hostname: "ingress.eu-west-1.elb.amazonaws.com"}}}},
	})
}

// writeEndpoints writes the EndpointSlices of an app.
func (w *world) writeEndpoints(a *app) {
	if a.kind == daemonSet {
		return
	}
	var endpoints []discoveryv1.Endpoint
	for _, p := range a.pods {
		if p.ip != "" && !p.broken {
			endpoints = append(endpoints, endpoint(p))
		}
	}
	chunks := slices.Collect(slices.Chunk(endpoints, perSlice))
	if len(chunks) == 0 {
		chunks = [][]discoveryv1.Endpoint{{}}
	}
	for len(a.slices) < len(chunks) {
		a.slices = append(a.slices, a.name+"-"+suffix(w.rng, 5))
	}
	for i, name := range a.slices {
		if i >= len(chunks) {
			remove[discoveryv1.EndpointSlice](w, store.Key{Namespace: a.namespace, Name: name})
			continue
		}
		w.put(w.endpointSlice(a, name, chunks[i]))
	}
	a.slices = a.slices[:len(chunks)]
}

func endpoint(p *pod) discoveryv1.Endpoint {
	ready := p.ready && !p.dying
	return discoveryv1.Endpoint{
		Addresses: []string{p.ip}, NodeName: ptr(p.node.name), Zone: ptr(p.node.zone),
		Conditions: discoveryv1.EndpointConditions{Ready: ptr(ready), Serving: ptr(p.ready), Terminating: ptr(p.dying)},
		TargetRef:  &corev1.ObjectReference{Kind: "Pod", Namespace: p.app.namespace, Name: p.name, UID: p.uid},
	}
}

func (w *world) endpointSlice(a *app, name string, endpoints []discoveryv1.Endpoint) *discoveryv1.EndpointSlice {
	s := &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: a.namespace, Name: name, GenerateName: a.name + "-", CreationTimestamp: a.created,
			Labels:          map[string]string{discoveryv1.LabelServiceName: a.name, discoveryv1.LabelManagedBy: "endpointslice-controller.k8s.io"},
			OwnerReferences: owner("v1", "Service", &metav1.ObjectMeta{Name: a.name, UID: w.uidOf("services", a.key())}),
		},
		AddressType: discoveryv1.AddressTypeIPv4, Endpoints: endpoints,
		Ports: []discoveryv1.EndpointPort{{Name: ptr("http"), Port: ptr(int32(8080)), Protocol: ptr(corev1.ProtocolTCP)}, {Name: ptr("metrics"), Port: ptr(int32(9090)), Protocol: ptr(corev1.ProtocolTCP)}},
	}
	s.UID = w.uidOf("endpointslices.discovery.k8s.io", keyOf(s))
	return s
}

// uidOf returns the UID of an existing object, or an empty one.
func (w *world) uidOf(resource string, key store.Key) types.UID {
	o := w.store.Resource(resource).State().Get(key)
	if o == nil {
		return ""
	}
	var meta metav1.PartialObjectMetadata // every kind has its metadata in field 1
	must(meta.Unmarshal(o.Raw))
	return meta.UID
}
