package object

import (
	"bytes"
	"slices"

	"watchglass/internal/object/encoded"
	"watchglass/internal/object/tone"
)

func nodes(release release) *printer {
	s := namedPrinter()
	kernel, architecture := s.paths.add("status.nodeInfo.kernelVersion"), s.paths.add("status.nodeInfo.architecture")
	return s.
		cell("Status", TextCell, nodeStatus(s)).
		cell("Roles", TextCell, nodeRoles()).
		age().
		text("Version", "status.nodeInfo.kubeletVersion", "").
		wide().
		cell("Internal-IP", TextCell, nodeAddress(s, "InternalIP")).
		cell("External-IP", TextCell, nodeAddress(s, "ExternalIP")).
		text("OS-Image", "status.nodeInfo.osImage", unknown).
		cell("Kernel-Version", TextCell, func(v *Values, _ *Object, r *row) {
			r.cellOr(v.Bytes(kernel), unknown)
			if on := v.Bytes(architecture); len(on) > 0 && !release.before(36) {
				r.literalThen(" (", on)
				r.literal(")")
			}
		}).
		text("Container-Runtime", "status.nodeInfo.containerRuntimeVersion", unknown).
		printer()
}

// nodeExcerpt is what a node has for its pods, and its conditions.
var nodeExcerpt = []string{"status.allocatable{}", "status.capacity{}", "status.conditions[].type", "status.conditions[].status"}

// nodeStatus prints the last Ready condition, and whether the node is cordoned. A node under
// pressure, or with another fault, is Ready, so its health shows that.
func nodeStatus(s *printerBuilder) cell {
	condition, is := s.paths.add("status.conditions[].type"), s.paths.add("status.conditions[].status")
	cordoned := s.paths.add("spec.unschedulable")
	return func(v *Values, o *Object, r *row) {
		r.next()
		status := "Unknown"
		for _, c := range v.All(condition) {
			yes, _ := v.At(is, c.Elem)
			if string(c.Bytes) != "Ready" {
				if string(yes.Bytes) == "True" && tone.IsNodeFault(string(c.Bytes)) {
					o.health = 3 // Warning
				}
				continue
			}
			if string(yes.Bytes) == "True" {
				status = "Ready"
			} else {
				status = "NotReady"
			}
		}
		r.literal(status)
		if v.Int(cordoned) != 0 {
			r.literal(",SchedulingDisabled")
		}
	}
}

// nodeRoles prints the roles in the node's labels, distinct and sorted.
func nodeRoles() cell {
	var roles [][]byte
	return func(v *Values, _ *Object, r *row) {
		roles = roles[:0]
		for _, label := range v.All(metaLabels) {
			key, value, _ := encoded.Pair(label.Bytes)
			role, isRole := bytes.CutPrefix(key, []byte("node-role.kubernetes.io/"))
			if string(key) == "kubernetes.io/role" {
				role, isRole = value, true
			}
			if isRole && len(role) > 0 {
				roles = append(roles, role)
			}
		}
		slices.SortFunc(roles, bytes.Compare)
		r.next()
		r.list(slices.CompactFunc(roles, bytes.Equal))
		r.orLiteral(none)
	}
}

// nodeAddress prints the first address of a type.
func nodeAddress(s *printerBuilder, typ string) cell {
	types, addresses := s.paths.add("status.addresses[].type"), s.paths.add("status.addresses[].address")
	return func(v *Values, _ *Object, r *row) {
		address, found := firstOf(v, types, typ, addresses)
		if r.cell(address); !found {
			r.orLiteral(none)
		}
	}
}

func namespaces(release) *printer {
	return namedPrinter().text("Status", "status.phase", "").age().printer()
}
