package object

// Kinds that give pods access to devices.

// devices returns the printer of DeviceClasses and ResourceClaimTemplates.
func devices(release) *printer { return namedPrinter().age().printer() }

func resourceClaims(release) *printer {
	s := namedPrinter()
	allocated, reserved := s.paths.add("status.allocation"), s.paths.add("status.reservedFor[]")
	return s.
		cell("State", TextCell, func(v *Values, o *Object, r *row) {
			r.next()
			if o.deleting {
				r.literal("deleted")
			}
			if !v.Has(allocated) {
				r.orLiteral("pending")
				return
			}
			if o.deleting {
				r.literal(",")
			}
			if r.literal("allocated"); v.Has(reserved) {
				r.literal(",reserved")
			}
		}).
		age().
		printer()
}

func resourceSlices(release) *printer {
	return namedPrinter().
		text("Node", "spec.nodeName", "").
		text("Driver", "spec.driver", "").
		text("Pool", "spec.pool.name", "").
		age().
		printer()
}
