package object

import "bytes"

// Kinds that list a service's pods: EndpointSlices, and the older Endpoints.

func endpointSlices(release) *printer {
	s := namedPrinter()
	addresses := s.paths.add("endpoints[].addresses[]")
	return s.
		text("AddressType", "addressType", "").
		cell("Ports", TextCell, endpointPorts(s)).
		cell("Endpoints", TextCell, func(v *Values, _ *Object, r *row) {
			all := v.All(addresses)
			r.next()
			r.listValues(all[:min(len(all), shownOfList)])
			r.hiddenCount(len(all) - shownOfList)
			r.orLiteral(unset)
		}).
		age().
		printer()
}

// endpointPorts prints the first three ports, by number or, if there is none, by name.
func endpointPorts(s *printerBuilder) cell {
	list, port, name := s.paths.add("ports[]"), s.paths.add("ports[].port"), s.paths.add("ports[].name")
	return func(v *Values, _ *Object, r *row) {
		r.next()
		for i := range min(v.Len(list), shownOfList) {
			number, numbered := v.At(port, i)
			called, named := v.At(name, i)
			switch r.listItem(i, nil); {
			case numbered:
				r.integer(int64(number.Num))
			case named:
				r.add(called.Bytes)
			default:
				r.literal("*")
			}
		}
		r.hiddenCount(v.Len(list) - shownOfList)
		r.orLiteral(unset)
	}
}

func endpoints(release) *printer {
	s := namedPrinter()
	return s.cell("Endpoints", TextCell, subsetAddresses(s)).age().printer()
}

// subsetAddresses prints the first three addresses, each with each port of its subset.
func subsetAddresses(s *printerBuilder) cell {
	subsets, ips, ports := s.paths.add("subsets[]"), s.paths.add("subsets[].addresses[].ip"), s.paths.add("subsets[].ports[].port")
	return func(v *Values, _ *Object, r *row) {
		r.next()
		n := 0
		for i := range v.Len(subsets) {
			at, on := v.In(ips, i), v.In(ports, i)
			for p := range max(len(on), 1) {
				for j, ip := range at[:min(len(at), max(shownOfList-n, 0))] {
					if r.listItem(n+j, nil); len(on) > 0 {
						r.host(ip.Bytes)
						r.literal(":")
						r.integer(int64(on[p].Num))
					} else {
						r.add(ip.Bytes)
					}
				}
				n += len(at)
			}
		}
		if !v.Has(subsets) {
			r.literal(none)
		}
		r.hiddenCount(n - shownOfList)
	}
}

// host adds an address that is followed by a port.
func (r *row) host(ip []byte) {
	if bytes.IndexByte(ip, ':') < 0 {
		r.add(ip)
		return
	}
	r.literalThen("[", ip)
	r.literal("]")
}
