package object

// Kinds that give pods access to devices.

// devices returns the printer of DeviceClasses and ResourceClaimTemplates.
func devices(release) *printer { return named().age().printer() }

func resourceClaims(release) *printer {
	s := named()
	allocated, reserved := s.paths.add("status.allocation"), s.paths.add("status.reservedFor[]")
	return s.
		cell("State", TextCell, func(v *Values, o *Object, r *row) {
			r.next()
			if o.deleting {
				r.put("deleted")
			}
			if !v.Has(allocated) {
				r.or("pending")
				return
			}
			if o.deleting {
				r.put(",")
			}
			if r.put("allocated"); v.Has(reserved) {
				r.put(",reserved")
			}
		}).
		age().
		printer()
}

func resourceSlices(release) *printer {
	return named().
		text("Node", "spec.nodeName", "").
		text("Driver", "spec.driver", "").
		text("Pool", "spec.pool.name", "").
		age().
		printer()
}
