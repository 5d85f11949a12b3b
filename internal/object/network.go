package object

import (
	"bytes"
	"slices"
)

// Kinds by which pods are reached.

// ActionPort is the port by which an Ingress names an action of the AWS Load Balancer Controller. One of
// its annotations defines the action, so there need be no service of its name.
const ActionPort = "use-annotation"

func services(release) *printer {
	s := namedPrinter()
	ips := s.paths.add("spec.clusterIPs[]")
	return s.
		text("Type", "spec.type", "").
		cell("Cluster-IP", TextCell, func(v *Values, _ *Object, r *row) {
			r.next()
			if all := v.All(ips); len(all) > 0 {
				r.add(all[0].Bytes)
			} else {
				r.orLiteral(none)
			}
		}).
		cell("External-IP", TextCell, serviceAddress(s)).
		cell("Port(s)", TextCell, servicePorts(s)).
		age().
		wide().labels("Selector", "spec.selector").
		printer()
}

// serviceAddress prints where a service can be reached from outside the cluster.
func serviceAddress(s *printerBuilder) cell {
	typ, name, external := s.paths.add("spec.type"), s.paths.add("spec.externalName"), s.paths.add("spec.externalIPs[]")
	balancer := balancerAddresses(s)
	return func(v *Values, o *Object, r *row) {
		switch ips := v.All(external); string(v.Bytes(typ)) {
		case "ClusterIP", "NodePort":
			r.next()
			if r.listValues(ips); len(ips) == 0 {
				r.literal(none)
			}
		case "LoadBalancer":
			balancer(v, o, r)
			if len(ips) == 0 {
				r.orLiteral("<pending>")
			} else if len(r.text) > r.at {
				r.literal(",")
			}
			r.listValues(ips)
		case "ExternalName":
			r.cell(v.Bytes(name))
		default:
			r.next()
			r.literal(unknown)
		}
	}
}

// balancerAddresses prints what a load balancer assigned: addresses, or hostnames where there
// is no address, distinct and sorted.
func balancerAddresses(s *printerBuilder) cell {
	list, ip, hostname := s.paths.add("status.loadBalancer.ingress[]"), s.paths.add("status.loadBalancer.ingress[].ip"), s.paths.add("status.loadBalancer.ingress[].hostname")
	var addresses [][]byte
	return func(v *Values, _ *Object, r *row) {
		addresses = addresses[:0]
		for i := range v.Len(list) {
			address, _ := v.At(ip, i)
			if len(address.Bytes) == 0 {
				address, _ = v.At(hostname, i)
			}
			if len(address.Bytes) > 0 {
				addresses = append(addresses, address.Bytes)
			}
		}
		slices.SortFunc(addresses, bytes.Compare)
		r.next()
		r.list(slices.CompactFunc(addresses, bytes.Equal))
	}
}

// servicePorts prints "80:30080/TCP,443/TCP".
func servicePorts(s *printerBuilder) cell {
	list, port := s.paths.add("spec.ports[]"), s.paths.add("spec.ports[].port")
	node, protocol := s.paths.add("spec.ports[].nodePort"), s.paths.add("spec.ports[].protocol")
	return func(v *Values, _ *Object, r *row) {
		r.next()
		for i := range v.Len(list) {
			if i > 0 {
				r.literal(",")
			}
			n, _ := v.At(port, i)
			r.integer(int64(n.Num))
			if n, _ := v.At(node, i); int64(n.Num) > 0 {
				r.literal(":")
				r.integer(int64(n.Num))
			}
			name, _ := v.At(protocol, i)
			r.literalThen("/", name.Bytes)
		}
		r.orLiteral(none)
	}
}

func ingresses(release) *printer {
	s := namedPrinter()
	tls := s.paths.add("spec.tls[]")
	return s.
		optional("Class", "spec.ingressClassName", none).
		cell("Hosts", TextCell, ingressHosts(s)).
		cell("Address", TextCell, balancerAddresses(s)).
		cell("Ports", TextCell, func(v *Values, _ *Object, r *row) {
			if r.next(); v.Has(tls) {
				r.literal("80, 443")
			} else {
				r.literal("80")
			}
		}).
		age().
		printer()
}

// ingressHosts prints the first three hosts and the number of all other rules, including those
// without a host. If no rule has a host, it prints "*".
func ingressHosts(s *printerBuilder) cell {
	rules, host := s.paths.add("spec.rules[]"), s.paths.add("spec.rules[].host")
	return func(v *Values, _ *Object, r *row) {
		r.next()
		hosts, all := 0, v.Len(rules)
		for i := range all {
			if hosts == shownOfList {
				r.hiddenCount(all - shownOfList)
				return
			}
			if name, _ := v.At(host, i); len(name.Bytes) > 0 {
				r.listItem(hosts, name.Bytes)
				hosts++
			}
		}
		r.orLiteral("*")
	}
}

func networkPolicies(release) *printer {
	return namedPrinter().selector("Pod-Selector", "spec.podSelector", none, "<error>").age().printer()
}

func ingressClasses(r release) *printer {
	s := new(printerBuilder)
	if r.before(36) {
		s.name()
	} else {
		s.defaultName("ingressclass.kubernetes.io/is-default-class")
	}
	return s.
		text("Controller", "spec.controller", "").
		cell("Parameters", TextCell, ingressParameters(s)).
		age().
		printer()
}

// ingressParameters prints "Kind.group/name".
func ingressParameters(s *printerBuilder) cell {
	of, group := s.paths.add("spec.parameters"), s.paths.add("spec.parameters.apiGroup")
	kind, name := s.paths.add("spec.parameters.kind"), s.paths.add("spec.parameters.name")
	return func(v *Values, _ *Object, r *row) {
		if r.next(); !v.Has(of) {
			r.literal(none)
			return
		}
		r.add(v.Bytes(kind))
		if v.Has(group) {
			r.literalThen(".", v.Bytes(group))
		}
		r.literalThen("/", v.Bytes(name))
	}
}

func serviceCIDRs(release) *printer {
	return namedPrinter().texts("CIDRs", "spec.cidrs[]", "").age().printer()
}

// ipAddresses prints the age as well, for which the server's Table has no column.
func ipAddresses(release) *printer {
	s := namedPrinter()
	return s.cell("ParentRef", TextCell, addressOwner(s)).printer()
}

// addressOwner prints "services/default/web".
func addressOwner(s *printerBuilder) cell {
	of, group, resource := s.paths.add("spec.parentRef"), s.paths.add("spec.parentRef.group"), s.paths.add("spec.parentRef.resource")
	namespace, name := s.paths.add("spec.parentRef.namespace"), s.paths.add("spec.parentRef.name")
	return func(v *Values, _ *Object, r *row) {
		if r.next(); !v.Has(of) {
			r.literal(none)
			return
		}
		r.lower(v.Bytes(resource))
		if in := v.Bytes(group); len(in) > 0 {
			r.literal(".")
			r.lower(in)
		}
		if in := v.Bytes(namespace); len(in) > 0 {
			r.literalThen("/", in)
		}
		r.literalThen("/", v.Bytes(name))
	}
}
